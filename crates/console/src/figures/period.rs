//! The period of a dashboard, and the age of its data.

use domain::time::LocalDay;
use gateway::Reply;
use maud::{Markup, html};
use serde_json::{Value, json};

use super::amounts;
use crate::{shell, text, view::View};

/// Returns the input of an operation for a period.
pub(super) fn period_input(from: Option<&str>, until: Option<&str>) -> Value {
    let mut input = json!({});
    for (name, day) in [("inicio", from), ("fim", until)] {
        if let Some(day) = day.filter(|day| !day.is_empty()) {
            input[name] = day.into();
        }
    }
    input
}

/// Draws the form that changes the period.
pub(super) fn period_form(path: &str, from: LocalDay, until: LocalDay) -> Markup {
    html! {
        form method="get" action=(path) class="row period" {
            label { span { "De" } input type="date" name="inicio" value=(from.0); }
            label { span { "Até" } input type="date" name="fim" value=(until.0); }
            button type="submit" class="quiet" { "Mostrar" }
        }
    }
}

/// Describes the period and the age of the data in words.
pub(super) fn describe_period(from: LocalDay, until: LocalDay, updated_at: Option<&str>) -> Markup {
    html! {
        p class="soft" {
            (amounts::format_day(from)) " a " (amounts::format_day(until)) ", horário de Brasília. "
            @match updated_at {
                Some(at) => { "Dados até " (text::format_iso_moment(at)) "." }
                None => { "Ainda não entrou nenhum dado." }
            }
        }
    }
}

/// Replies with a dashboard in the frame of the console. When printed, the page has the head of a
/// report.
pub(super) fn report_page(view: &View<'_>, title: &str, body: &Markup) -> Reply {
    let body = html! {
        div class="report" {
            (shell::draw_paper_head(view, "Relatório de"))
            (body)
        }
    };
    shell::console_page(view, title, &body)
}

/// Returns the first and last day for a comparison with the previous period: its first days, as many as
/// have passed of the current period. `None` before the current period begins.
pub(super) fn previous_period(
    from: LocalDay,
    until: LocalDay,
    today: LocalDay,
) -> Option<(LocalDay, LocalDay)> {
    let passed = i32::try_from(from.days_through(until.min(today))).ok()?;
    let length = i32::try_from(from.days_through(until)).ok()?;
    let first = from.plus_days(-length);
    (passed > 0).then(|| (first, first.plus_days(passed - 1)))
}

/// A key figure, and the text that compares it with an earlier figure.
pub(super) struct Figure {
    pub name: &'static str,
    pub value: String,
    pub compared: Option<String>,
}

impl Figure {
    pub fn new(name: &'static str, value: String) -> Self {
        Self {
            name,
            value,
            compared: None,
        }
    }

    /// Adds a comparison of the current number `now` with the earlier number `before`. `shown` formats
    /// the earlier number.
    pub fn with_comparison(
        mut self,
        now: i64,
        before: Option<i64>,
        shown: impl Fn(i64) -> String,
    ) -> Self {
        self.compared = before.map(|before| match percent_change(now, before) {
            Some(change) => format!("{change}, antes {}", shown(before)),
            None => format!("antes {}", shown(before)),
        });
        self
    }
}

/// Formats the change from an earlier number to the current number: `+12%`. `None` if the earlier number
/// is not positive.
pub(super) fn percent_change(now: i64, before: i64) -> Option<String> {
    if before <= 0 {
        return None;
    }
    let (now, before) = (i128::from(now), i128::from(before));
    let percent = ((now - before) * 200 + (now - before).signum() * before) / (2 * before);
    Some(match percent {
        0 => "igual".into(),
        1.. => format!("+{percent}%"),
        _ => format!("−{}%", percent.unsigned_abs()),
    })
}

/// Draws a row of key figures.
pub(super) fn draw_figures(figures: &[Figure]) -> Markup {
    html! {
        dl class="numbers" {
            @for figure in figures {
                div {
                    dt { (figure.name) }
                    dd { (figure.value) @if let Some(compared) = &figure.compared { small { (compared) } } }
                }
            }
        }
    }
}

/// Draws a row of key figures without comparisons.
pub(super) fn draw_numbers(pairs: &[(&'static str, String)]) -> Markup {
    let pairs = pairs.iter();
    let pairs = pairs.map(|(name, value)| Figure::new(name, value.clone()));
    draw_figures(&pairs.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use domain::time::parse_day;

    use super::*;

    fn local_day(text: &str) -> LocalDay {
        LocalDay(parse_day(text).expect("a day"))
    }

    #[test]
    fn a_period_is_compared_with_as_many_days_before_it() {
        let (from, until) = (local_day("2026-11-11"), local_day("2026-11-20"));
        let before = |today: &str| previous_period(from, until, local_day(today));
        let whole = Some((local_day("2026-11-01"), local_day("2026-11-10")));
        assert_eq!(before("2026-11-20"), whole);
        assert_eq!(before("2026-12-20"), whole);
        let part = Some((local_day("2026-11-01"), local_day("2026-11-03")));
        assert_eq!(before("2026-11-13"), part);
        assert_eq!(before("2026-11-10"), None);
    }

    #[test]
    fn a_change_is_rounded_and_signed() {
        for (now, before, text) in [
            (112, 100, Some("+12%")),
            (88, 100, Some("−12%")),
            (1_004, 1_000, Some("igual")),
            (1_006, 1_000, Some("+1%")),
            (0, 100, Some("−100%")),
            (5, 0, None),
        ] {
            assert_eq!(
                percent_change(now, before).as_deref(),
                text,
                "{now} {before}"
            );
        }
    }
}
