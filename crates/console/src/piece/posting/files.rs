//! The files of a variant.

use domain::file_extension;
use maud::{Markup, html};

use crate::{
    picture::{image_at_width, image_srcset},
    piece::{
        model::{Event, Medium},
        variant::Variant,
        variant_post::{PostMedium, file_path},
    },
    view::View,
};

/// The width of a preview, in pixels.
const PREVIEW: u32 = 480;
const SIZES: &str = "(max-width: 30rem) 100vw, 26rem";

/// A file of a variant, as it is posted.
pub(super) struct File<'a> {
    pub medium: &'a Medium,
    pub alt: Option<&'a str>,
    /// The ratio to which the variant crops the file, such as `4:5`.
    pub ratio: Option<&'a str>,
    /// The path that serves the file, cropped if the variant crops it.
    path: String,
    name: String,
}

/// Returns the files of a variant, in the order in which they are posted.
pub(super) fn variant_files<'a>(event: &'a Event, variant: &'a Variant) -> Vec<File<'a>> {
    let channel = &variant.canal;
    let files = (1..).zip(variant.post_media(event)).map(|(number, one)| {
        let PostMedium { medium, alt, ratio } = one;
        let kind = match ratio {
            Some(_) => "jpg",
            None => file_extension(&medium.media_type),
        };
        File {
            path: file_path(&event.id, variant, number),
            name: format!("{number}-{channel}.{kind}"),
            medium,
            alt,
            ratio,
        }
    });
    files.collect()
}

/// Draws the files with their downloads and alternative texts.
pub(super) fn draw_files(view: &View<'_>, files: &[File<'_>]) -> Markup {
    html! {
        ol class="post-files" {
            @for (number, file) in (1..).zip(files) {
                li class="stack" {
                    (draw_preview(view, file))
                    a class="button quiet" href=(view.href_to(&file.path)) download=(file.name) hx-boost="false" data-file {
                        "Baixar " @if file.medium.is_video() { "vídeo" } @else { "imagem" }
                        @if files.len() > 1 { " " (number) }
                    }
                    @if let Some(ratio) = file.ratio { p class="soft" { "Recortada em " (ratio) "." } }
                    @if let Some(alt) = file.alt {
                        @let id = format!("alt-{number}");
                        label class="field" {
                            span { "Texto alternativo" }
                            textarea id=(id) rows="2" readonly dir="auto" { "\n" (alt) }
                        }
                        button type="button" class="quiet" data-copy={ "#" (id) } { "Copiar texto alternativo" }
                    }
                }
            }
        }
    }
}

fn draw_preview(view: &View<'_>, file: &File<'_>) -> Markup {
    let alt = file.alt.unwrap_or_default();
    let source = file.medium.file_address();
    html! {
        @if file.medium.is_video() {
            video src=(source) controls preload="metadata" playsinline
                aria-label=(if alt.is_empty() { "Vídeo" } else { alt }) {}
        } @else if file.ratio.is_some() {
            img src=(view.href_to(&file.path)) alt=(alt) decoding="async" loading="lazy";
        } @else if file.medium.is_animation() {
            img src=(source) alt=(alt) decoding="async" loading="lazy";
        } @else {
            img src=(image_at_width(&source, PREVIEW)) srcset=(image_srcset(&source)) sizes=(SIZES)
                alt=(alt) decoding="async" loading="lazy";
        }
    }
}
