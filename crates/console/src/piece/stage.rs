//! The media of a piece as a carousel.

use maud::{Markup, html};

use super::model::{Event, Medium};
use crate::picture::{image_at_width, image_srcset};

/// Draws all media in order, as a carousel. The ids of the slides begin with `name`.
pub(crate) fn draw_slides(event: &Event, name: &str) -> Markup {
    html! {
        @if event.media.is_empty() {
            div class="stage none" { p { "Ainda não há imagem nem vídeo nesta peça." } }
        } @else {
            (draw_carousel(event, name, "Mídias da peça", LARGE))
            (undescribed_notice(event))
        }
    }
}

/// Says how many media have no alternative text.
pub(crate) fn undescribed_notice(event: &Event) -> Markup {
    let undescribed = event
        .media
        .iter()
        .filter(|medium| medium.alt.is_none())
        .count();
    html! {
        @if undescribed > 0 {
            p class="soft" {
                (undescribed) @if undescribed == 1 { " mídia" } @else { " mídias" }
                " sem texto alternativo."
            }
        }
    }
}

/// The `sizes` of an image as wide as the content, and of an image in a post.
const LARGE: &str = "(max-width: 60rem) 100vw, 50rem";
pub(super) const IN_POST: &str = "(max-width: 30rem) 100vw, 26rem";
/// The width of a thumbnail's file, in pixels.
const THUMBNAIL: u32 = 160;

/// Draws the slides, which scroll sideways. Arrows and thumbnails are links to slides, so they work
/// without a script.
///
/// The arrows are for pointers only. Keyboard users have the thumbnails and, when the slides have
/// the focus, the left and right keys.
pub(super) fn draw_carousel(event: &Event, name: &str, label: &str, sizes: &str) -> Markup {
    let count = event.media.len();
    let link = |number: usize| format!("#{name}-{number}");
    let arrow = |number: usize, class: &str, sign: &str| {
        html! {
            a class={ "arrow " (class) } href=(link(number)) data-slide=(number) tabindex="-1" aria-hidden="true" { (sign) }
        }
    };
    html! {
        div id={ (name) "-de-" (event.id) } class="carousel" data-module=[(count > 1).then_some("carousel")] {
            div class="stage" tabindex="0" role="group" aria-label=(label) {
                ol {
                    @for (number, medium) in (1..).zip(&event.media) {
                        li id={ (name) "-" (number) } {
                            (draw_slide(medium, number > 1, sizes))
                            @if count > 1 { span class="place" { (number) " de " (count) } }
                            @if number > 1 { (arrow(number - 1, "back", "‹")) }
                            @if number < count { (arrow(number + 1, "on", "›")) }
                        }
                    }
                }
            }
            @if count > 1 {
                p class="dots" aria-hidden="true" { @for _ in 0..count { i {} } }
                ol class="thumbs" aria-label="Ir para uma mídia" {
                    @for (number, medium) in (1..).zip(&event.media) {
                        li {
                            a href=(link(number)) data-slide=(number) aria-label={ "Mídia " (number) " de " (count) }
                                aria-current=[(number == 1).then_some("true")] { (draw_thumbnail(medium)) }
                        }
                    }
                }
            }
        }
    }
}

fn draw_thumbnail(medium: &Medium) -> Markup {
    html! {
        @if medium.is_video() {
            span class="film" aria-hidden="true" { "▶" }
        } @else {
            img src=(image_at_width(&medium.file_address(), THUMBNAIL)) width="48" height="60" alt="" decoding="async" loading="lazy";
        }
    }
}

fn draw_slide(medium: &Medium, is_later: bool, sizes: &str) -> Markup {
    html! {
        @if medium.is_video() {
            video src=(medium.file_address()) controls preload="metadata" playsinline
                aria-label=(if medium.alt_text().is_empty() { "Vídeo da peça" } else { medium.alt_text() }) {}
        } @else {
            @let src = medium.file_address();
            @let smaller = (!medium.is_animation()).then(|| image_srcset(&src));
            img src=(src) srcset=[smaller] sizes=(sizes) width="960" height="1200"
                alt=(medium.alt_text()) decoding="async" loading=[is_later.then_some("lazy")];
        }
    }
}

/// Draws a medium small, beside its earlier or later version.
pub(crate) fn draw_small_medium(medium: &Medium, alt: &str) -> Markup {
    html! {
        @if medium.is_video() {
            video src=(medium.file_address()) controls preload="metadata" playsinline
                aria-label=(if alt.is_empty() { "Vídeo da peça" } else { alt }) {}
        } @else {
            @let src = medium.file_address();
            @let smaller = (!medium.is_animation()).then(|| image_srcset(&src));
            img src=(src) srcset=[smaller] sizes="12rem" width="480" height="600" alt=(alt) decoding="async" loading="lazy";
        }
    }
}

/// Splits a caption into the part before "mais" and the rest.
pub(super) fn split_at_fold(caption: &str, fold: Option<usize>) -> (&str, &str) {
    let end = fold.and_then(|fold| caption.char_indices().nth(fold));
    caption.split_at(end.map_or(caption.len(), |(end, _)| end))
}

#[cfg(test)]
mod tests {
    use super::split_at_fold;

    #[test]
    fn a_caption_is_folded_between_two_characters() {
        assert_eq!(split_at_fold("pão", Some(2)), ("pã", "o"));
        assert_eq!(split_at_fold("pão", Some(3)), ("pão", ""));
        assert_eq!(split_at_fold("pão", None), ("pão", ""));
    }
}
