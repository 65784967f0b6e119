//! Draws the media of two versions of a piece, side by side and overlaid.

use maud::{Markup, html};

use super::{
    model::{Medium, PastMedium},
    stage,
};

/// The media at the same position in the old and in the new version.
type Pair<'m, 'a> = (Option<&'m PastMedium<'a>>, Option<&'m PastMedium<'a>>);

/// Returns the pairs of media that differ, each with its position, counted from 1.
///
/// Equal media at the start and at the end are left out, so that an inserted slide is only one
/// difference.
fn media_differences<'m, 'a>(
    before: &'m [PastMedium<'a>],
    now: &'m [PastMedium<'a>],
) -> Vec<(usize, Pair<'m, 'a>)> {
    let is_same = |(one, other): &(&PastMedium<'_>, &PastMedium<'_>)| one.id == other.id;
    let start = before.iter().zip(now).take_while(is_same).count();
    let (before, now) = (&before[start..], &now[start..]);
    let end = before.iter().rev().zip(now.iter().rev());
    let end = end.take_while(is_same).count();
    let (before, now) = (&before[..before.len() - end], &now[..now.len() - end]);
    let places = 0..before.len().max(now.len());
    places
        .map(|at| (start + at + 1, (before.get(at), now.get(at))))
        .filter(|(_, (old, new))| old.map(|old| old.id) != new.map(|new| new.id))
        .collect()
}

/// Draws the differing media side by side, and the differing alternative texts. `labels` name the two
/// versions.
pub(crate) fn draw_differences(
    labels: [&str; 2],
    before: &[PastMedium<'_>],
    now: &[PastMedium<'_>],
) -> Markup {
    let count = before.len().max(now.len());
    let described = now.iter().filter_map(|new| {
        let old = before.iter().find(|old| old.id == new.id)?;
        (old.alt != new.alt).then_some((old.alt, new.alt))
    });
    let described: Vec<_> = described.collect();
    let differences = media_differences(before, now);
    html! {
        @for (place, (old, new)) in differences {
            h4 { @if count > 1 { "Mídia " (place) } @else { "Mídia" } }
            div class="swap" {
                (draw_version(labels[0], old, "não havia"))
                (draw_version(labels[1], new, "saiu"))
            }
            @if let (Some(old), Some(new)) = (find_image(old), find_image(new)) { (draw_overlay(labels, old, new)) }
        }
        @if !described.is_empty() {
            h4 { "Texto alternativo" }
            ul {
                @for (old, new) in described {
                    li { del dir="auto" { (old.unwrap_or("nada")) } " → " ins dir="auto" { (new.unwrap_or("nada")) } }
                }
            }
        }
    }
}

fn find_image<'a>(medium: Option<&PastMedium<'a>>) -> Option<&'a Medium> {
    medium?.stored.filter(|stored| !stored.is_video())
}

/// Draws the two images overlaid. The script shows this section, and moves the border between the
/// images.
fn draw_overlay([one, other]: [&str; 2], old: &Medium, new: &Medium) -> Markup {
    let label = format!("Quanto se vê de “{other}”, sobre “{one}”, em porcento");
    html! {
        details class="overlay" data-overlay hidden {
            summary { "Uma sobre a outra" }
            div { (stage::draw_small_medium(old, "")) (stage::draw_small_medium(new, "")) }
            input type="range" min="0" max="100" value="50" aria-label=(label);
        }
    }
}

fn draw_version(label: &str, medium: Option<&PastMedium<'_>>, absent: &str) -> Markup {
    html! {
        figure {
            figcaption { (label) }
            @match medium.map(|medium| (medium.stored, medium.alt)) {
                Some((Some(stored), alt)) => (stage::draw_small_medium(stored, alt.unwrap_or_default())),
                Some((None, alt)) => p class="soft none" {
                    "A mídia não está mais disponível"
                    @if let Some(alt) = alt { ": " span dir="auto" { (alt) } } @else { "." }
                },
                None => p class="soft none" { (absent) },
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn difference_places(before: &str, now: &str) -> Vec<(usize, String)> {
        fn past_media(ids: &str) -> Vec<PastMedium<'_>> {
            let ids = ids.split_terminator(' ').filter(|id| !id.is_empty());
            let medium = |id| PastMedium {
                id,
                alt: None,
                stored: None,
            };
            ids.map(medium).collect()
        }
        let (before, now) = (past_media(before), past_media(now));
        let id =
            |medium: Option<&PastMedium<'_>>| medium.map_or("-", |medium| medium.id).to_owned();
        let pairs = media_differences(&before, &now).into_iter();
        pairs
            .map(|(place, (old, new))| (place, format!("{} {}", id(old), id(new))))
            .collect()
    }

    #[test]
    fn only_the_media_that_differ_are_compared() {
        assert_eq!(difference_places("a b c", "a b c"), []);
        assert_eq!(difference_places("a b c", "a x c"), [(2, "b x".to_owned())]);
        assert_eq!(
            difference_places("a b c", "x a b c"),
            [(1, "- x".to_owned())]
        );
        assert_eq!(difference_places("a b c", "a c"), [(2, "b -".to_owned())]);
        assert_eq!(difference_places("", "a"), [(1, "- a".to_owned())]);
        let swapped = [(1, "a b".to_owned()), (2, "b a".to_owned())];
        assert_eq!(difference_places("a b", "b a"), swapped);
        assert_eq!(difference_places("a a", "a"), [(2, "a -".to_owned())]);
    }
}
