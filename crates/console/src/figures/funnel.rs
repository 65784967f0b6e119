//! Funnels: the largest loss, the steps as bars, and their table.

use maud::{Markup, html};

use super::{
    amounts,
    chart::{f64_from_i64, f64_from_usize, round_to_tenth},
    sheet::{Cell, Sheet},
};

/// A step of a funnel.
pub(super) struct Step {
    pub name: String,
    /// The plural noun after the number, such as `sessões` in "420 sessões".
    pub counted: String,
    pub number: i64,
}

/// Returns the index of the step that loses the most compared with the previous step, and the number
/// lost. `None` if no step loses anything.
fn largest_loss(steps: &[Step]) -> Option<(usize, i64)> {
    let pairs = steps.windows(2).enumerate();
    let losses = pairs.map(|(index, pair)| (index + 1, pair[0].number - pair[1].number));
    let losses = losses.filter(|(_, lost)| *lost > 0);
    // `max_by_key` returns the last maximum, so the reversed order selects the first of equal losses.
    losses.rev().max_by_key(|(_, lost)| *lost)
}

/// Returns the sentence that names the largest loss.
pub(super) fn describe_loss(steps: &[Step]) -> String {
    if steps.iter().all(|step| step.number == 0) {
        return "Ninguém chegou ainda ao primeiro passo.".into();
    }
    let Some((index, lost)) = largest_loss(steps) else {
        return "Nenhum passo perde gente.".into();
    };
    let (before, after) = (&steps[index - 1], &steps[index]);
    format!(
        "A maior perda é no {index}º passo: {} {} viram {} {}. Param aí {} ({}).",
        amounts::format_count(before.number),
        before.counted,
        amounts::format_count(after.number),
        after.counted,
        amounts::format_count(lost),
        amounts::format_percent(lost, before.number),
    )
}

/// Draws the largest loss in words, and each step with its number and its share of the first step.
pub(super) fn draw_funnel(title: &str, steps: &[Step]) -> Markup {
    let first = steps.first().map_or(0, |step| step.number).max(1);
    let worst = largest_loss(steps).map(|(index, _)| index);
    let row = 48.0;
    let height = f64_from_usize(steps.len()) * row;
    html! {
        p class="loss" { strong { (describe_loss(steps)) } }
        figure class="chart funnel" {
            svg viewBox=(format!("0 0 480 {height}")) role="img" aria-label=(title) {
                @for (index, step) in steps.iter().enumerate() {
                    @let y = f64_from_usize(index) * row;
                    @let width = (f64_from_i64(step.number) / f64_from_i64(first) * 478.0).clamp(2.0, 478.0);
                    @let is_worst = Some(index) == worst;
                    text class="name" x="0" y=(y + 16.0) { (step.name) }
                    text class="value" x="480" y=(y + 16.0) text-anchor="end" {
                        (amounts::format_count(step.number)) " · " (amounts::format_percent(step.number, first))
                    }
                    rect class="rail" x="0" y=(y + 22.0) width="478" height="16" rx="2" {}
                    @if is_worst {
                        @let from = (f64_from_i64(steps[index - 1].number) / f64_from_i64(first) * 478.0).clamp(2.0, 478.0);
                        rect class="lost" x="0" y=(y + 22.0) width=(round_to_tenth(from)) height="16" rx="2" {}
                    }
                    rect class="bar" x="0" y=(y + 22.0) width=(round_to_tenth(width)) height="16" rx="2" {}
                }
            }
            @if worst.is_some() {
                figcaption class="keys" { span { i class="key lost" {} "a maior perda" } }
            }
        }
    }
}

/// Returns the table of the steps.
pub(super) fn funnel_sheet(name: &'static str, title: &'static str, steps: &[Step]) -> Sheet {
    let share = |part: i64, whole: Option<i64>| {
        let whole = whole.filter(|whole| *whole > 0);
        Cell::from_rate(whole.map(|whole| f64_from_i64(part) / f64_from_i64(whole)))
    };
    let first = steps.first().map(|step| step.number);
    let rows = steps.iter().enumerate().map(|(index, step)| {
        let before = index.checked_sub(1).map(|before| steps[before].number);
        vec![
            Cell::from_text(step.name.clone()),
            Cell::Count(step.number),
            share(step.number, first),
            share(step.number, before),
            before.map_or(Cell::Nothing, |before| {
                Cell::Count((before - step.number).max(0))
            }),
        ]
    });
    Sheet {
        name,
        title,
        columns: &["Passo", "Quantos", "Do primeiro", "Do anterior", "Param aí"],
        rows: rows.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps_with_counts(numbers: &[i64]) -> Vec<Step> {
        let step = |number: &i64| Step {
            name: "Passo".into(),
            counted: "pessoas".into(),
            number: *number,
        };
        numbers.iter().map(step).collect()
    }

    #[test]
    fn the_largest_loss_is_named_first() {
        assert_eq!(
            describe_loss(&steps_with_counts(&[420, 262, 144, 110])),
            "A maior perda é no 1º passo: 420 pessoas viram 262 pessoas. Param aí 158 (37%)."
        );
        assert_eq!(
            largest_loss(&steps_with_counts(&[10, 9, 3, 2])),
            Some((2, 6))
        );
        assert_eq!(largest_loss(&steps_with_counts(&[10, 5, 0])), Some((1, 5)));
    }

    #[test]
    fn a_funnel_without_a_loss_has_its_own_sentence() {
        assert_eq!(
            describe_loss(&steps_with_counts(&[0, 0])),
            "Ninguém chegou ainda ao primeiro passo."
        );
        assert_eq!(
            describe_loss(&[]),
            "Ninguém chegou ainda ao primeiro passo."
        );
        assert_eq!(
            describe_loss(&steps_with_counts(&[3, 3, 4])),
            "Nenhum passo perde gente."
        );
        assert_eq!(
            describe_loss(&steps_with_counts(&[3])),
            "Nenhum passo perde gente."
        );
    }
}
