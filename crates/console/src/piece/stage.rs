//! The media of a piece as a carousel.

use maud::{Markup, html};

use super::model::{Event, Medium};
use crate::picture::{image_at_width, image_srcset};

/// An image or video in a carousel.
#[derive(Debug, Clone)]
pub(crate) struct Slide {
    /// The address of the file.
    pub address: String,
    /// True if the file is also served at smaller widths.
    pub has_widths: bool,
    pub is_video: bool,
    /// True if the image is animated. Its smaller versions are not animated.
    pub is_animation: bool,
    pub alt: Option<String>,
    /// The ratio to which the image is cropped when it is published, such as `4:5`.
    pub crop: Option<String>,
    /// True if the file at the address is already cropped.
    pub is_cropped: bool,
    /// The chosen cover of a video, shown before the video plays.
    pub cover: Option<Cover>,
}

/// The cover of a video.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Cover {
    /// The address of an image.
    Image(String),
    /// A second of the video itself.
    Second(f64),
}

impl Slide {
    pub fn new(medium: &Medium) -> Self {
        Self {
            address: medium.file_address(),
            has_widths: !medium.is_video(),
            is_video: medium.is_video(),
            is_animation: medium.is_animation(),
            alt: medium.alt.clone(),
            crop: None,
            is_cropped: false,
            cover: None,
        }
    }

    /// Returns the address of the video, starting at the second that is its cover.
    fn video_address(&self) -> String {
        match self.cover {
            Some(Cover::Second(at)) => format!("{}#t={at}", self.address),
            _ => self.address.clone(),
        }
    }

    fn poster(&self) -> Option<String> {
        match &self.cover {
            Some(Cover::Image(address)) => Some(image_at_width(address, POSTER)),
            _ => None,
        }
    }

    fn alt_text(&self) -> &str {
        self.alt.as_deref().unwrap_or_default()
    }
}

/// Draws all media in order, as a carousel. The ids of the slides begin with `name`.
pub(crate) fn draw_slides(event: &Event, name: &str) -> Markup {
    html! {
        @let slides: Vec<_> = event.media.iter().map(Slide::new).collect();
        (draw_post_slides(&slides, (name, &event.id)))
        (undescribed_notice(event))
    }
}

/// Draws the media of one post of a piece, as a carousel.
pub(crate) fn draw_post_slides(slides: &[Slide], name: (&str, &str)) -> Markup {
    html! {
        @if slides.is_empty() {
            div class="stage none" { p { "Ainda não há imagem nem vídeo nesta peça." } }
        } @else {
            (draw_carousel(slides, name, "Mídias da peça", LARGE))
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

/// The size and loading of a carousel's images, which depend on its place on the page.
#[derive(Clone, Copy)]
pub(super) struct Setting {
    /// The `sizes` attribute of the images.
    sizes: &'static str,
    /// True if the browser loads the first image only when it is about to become visible.
    is_lazy: bool,
}

/// A carousel as wide as the content of the page.
const LARGE: Setting = Setting {
    sizes: "(max-width: 60rem) 100vw, 50rem",
    is_lazy: false,
};
/// A carousel in the preview of a post.
pub(super) const IN_POST: Setting = Setting {
    sizes: "(max-width: 30rem) 100vw, 26rem",
    is_lazy: true,
};
/// The width of a thumbnail's file, in pixels.
const THUMBNAIL: u32 = 160;
/// The width of the file of a cover, in pixels.
const POSTER: u32 = 960;

/// Draws the slides, which scroll sideways. Arrows and thumbnails are links to slides, so they work
/// without a script. The ids of the slides begin with the first text of `name`. Both texts of `name`
/// together form the id of the carousel.
///
/// The arrows are for pointers only. Keyboard users have the thumbnails and, when the slides have
/// the focus, the left and right keys.
pub(super) fn draw_carousel(
    slides: &[Slide],
    (name, owner): (&str, &str),
    label: &str,
    setting: Setting,
) -> Markup {
    let count = slides.len();
    let link = |number: usize| format!("#{name}-{number}");
    let arrow = |number: usize, class: &str, sign: &str| {
        html! {
            a class={ "arrow " (class) } href=(link(number)) data-slide=(number) tabindex="-1" aria-hidden="true" { (sign) }
        }
    };
    html! {
        div id={ (name) "-de-" (owner) } class="carousel" data-module=[(count > 1).then_some("carousel")] {
            div class="stage" tabindex="0" role="group" aria-label=(label) {
                ol {
                    @for (number, slide) in (1..).zip(slides) {
                        li id={ (name) "-" (number) } {
                            (draw_slide(slide, setting, number > 1))
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
                    @for (number, slide) in (1..).zip(slides) {
                        li {
                            a href=(link(number)) data-slide=(number) aria-label={ "Mídia " (number) " de " (count) }
                                aria-current=[(number == 1).then_some("true")] { (draw_thumbnail(slide)) }
                        }
                    }
                }
            }
        }
    }
}

fn draw_thumbnail(slide: &Slide) -> Markup {
    html! {
        @if slide.is_video {
            span class="film" aria-hidden="true" { "▶" }
        } @else {
            @let smaller = slide.has_widths.then(|| image_at_width(&slide.address, THUMBNAIL));
            img src=(smaller.as_ref().unwrap_or(&slide.address)) width="48" height="60" alt="" decoding="async" loading="lazy";
        }
    }
}

fn draw_slide(slide: &Slide, setting: Setting, is_later: bool) -> Markup {
    let is_lazy = is_later || setting.is_lazy;
    html! {
        @if slide.is_video {
            video src=(slide.video_address()) poster=[slide.poster()] controls preload="metadata" playsinline
                aria-label=(if slide.alt_text().is_empty() { "Vídeo da peça" } else { slide.alt_text() }) {}
        } @else {
            @let smaller = (slide.has_widths && !slide.is_animation).then(|| image_srcset(&slide.address));
            img src=(slide.address) srcset=[smaller] sizes=(setting.sizes) width="960" height="1200"
                data-cropped[slide.is_cropped] alt=(slide.alt_text()) decoding="async" loading=[is_lazy.then_some("lazy")];
        }
    }
}

/// Draws a small version of a medium, for a comparison with its earlier or later version.
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
