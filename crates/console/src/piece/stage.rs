//! The media of a piece in full size, and a preview of the post.

use maud::{Markup, html};

use super::{
    model::{Event, Medium},
    words,
};
use crate::picture::sources;

/// All media in order, side by side.
pub(crate) fn slides(event: &Event) -> Markup {
    let count = event.media.len();
    html! {
        @if count == 0 {
            div class="stage none" { p { "Ainda não há imagem nem vídeo nesta peça." } }
        } @else {
            div class="stage" tabindex="0" role="group" aria-label="Mídias da peça" {
                ol {
                    @for (number, medium) in (1..).zip(&event.media) {
                        li {
                            (shown(medium, number > 1))
                            @if count > 1 { span class="place" { (number) " de " (count) } }
                        }
                    }
                }
            }
            @let undescribed = event.media.iter().filter(|medium| medium.alt.is_none()).count();
            @if undescribed > 0 {
                p class="soft" {
                    (undescribed) @if undescribed == 1 { " mídia" } @else { " mídias" }
                    " sem texto alternativo."
                }
            }
        }
    }
}

fn shown(medium: &Medium, is_later: bool) -> Markup {
    html! {
        @if medium.is_video() {
            video src=(medium.src()) controls preload="metadata" playsinline
                aria-label=(if medium.alt().is_empty() { "Vídeo da peça" } else { medium.alt() }) {}
        } @else {
            @let src = medium.src();
            @let smaller = (!medium.is_animation()).then(|| sources(&src));
            img src=(src) srcset=[smaller] sizes="(max-width: 60rem) 100vw, 50rem" width="960" height="1200"
                alt=(medium.alt()) decoding="async" loading=[is_later.then_some("lazy")];
        }
    }
}

/// A medium beside its earlier or later version.
pub(crate) fn small(medium: &Medium, alt: &str) -> Markup {
    html! {
        @if medium.is_video() {
            video src=(medium.src()) controls preload="metadata" playsinline
                aria-label=(if alt.is_empty() { "Vídeo da peça" } else { alt }) {}
        } @else {
            @let src = medium.src();
            @let smaller = (!medium.is_animation()).then(|| sources(&src));
            img src=(src) srcset=[smaller] sizes="12rem" width="480" height="600" alt=(alt) decoding="async" loading="lazy";
        }
    }
}

/// A preview of the post in its channel.
pub(crate) fn post(event: &Event, caption: &str) -> Markup {
    let channel = words::channel_of(&event.channel);
    let fold = channel.and_then(|channel| channel.fold);
    let (start, rest) = split_at_fold(caption, fold);
    let count = event.media.len();
    html! {
        figure class="post" data-channel=(event.channel) {
            div class="post-head" {
                span class="post-face" aria-hidden="true" {}
                span {
                    strong { "sua conta" }
                    small { (words::channel_name(&event.channel)) }
                }
            }
            @if let Some(first) = event.media.first() {
                div class="post-media" {
                    @if first.is_video() {
                        video src=(first.src()) preload="metadata" muted playsinline aria-hidden="true" {}
                    } @else {
                        @let src = first.src();
                        @let smaller = (!first.is_animation()).then(|| sources(&src));
                        img src=(src) srcset=[smaller] sizes="21rem" width="480" height="600" alt="" decoding="async";
                    }
                    @if count > 1 { span class="place" { "1/" (count) } }
                }
            }
            figcaption data-post data-fold=[fold] dir="auto" {
                span class="post-text" { (start) }
                span class="soft" hidden[rest.is_empty()] { "… mais" }
            }
        }
    }
}

/// The part of a caption before "mais", and the rest.
fn split_at_fold(caption: &str, fold: Option<usize>) -> (&str, &str) {
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
