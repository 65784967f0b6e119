//! The logo in the form of the brand: the images to choose from, and the form that sends a new one.

use gateway::Result;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{forms::key_field, picture::image_at_width, view::View};

/// The operation that stores a logo, and the path of its form.
pub(super) const OPERATION: &str = "upload_media";
pub(super) const PATH: &str = "/configuracao/marca/logo";
/// The maximum number of images offered as a logo.
const MOST: usize = 24;
/// The maximum number of pages of 200 images to read for the list of logos.
const MOST_PAGES: usize = 5;

/// An image that can be the logo.
#[derive(Deserialize)]
pub(super) struct Logo {
    id: String,
    url: String,
    alt: Option<String>,
    source: Option<Value>,
}

/// Reads the newest images that were uploaded (not generated), at most `MOST`, and also the chosen
/// image, if it is among the newest 1,000 images.
pub(super) async fn read_logos(view: &View<'_>, chosen: &str) -> Result<Vec<Logo>> {
    #[derive(Deserialize)]
    struct Listed {
        media: Vec<Logo>,
        next_cursor: Option<String>,
    }
    let mut logos: Vec<Logo> = vec![];
    if !view.may_call("list_media") {
        return Ok(logos);
    }
    let mut cursor = None;
    for _ in 0..MOST_PAGES {
        let input = json!({ "tipo": "imagem", "limit": 200, "cursor": cursor });
        let listed: Listed = view.read("list_media", input).await?;
        let sent = listed.media.into_iter();
        let sent = sent.filter(|image| image.source.is_none() || image.id == chosen);
        for image in sent {
            if logos.len() < MOST || image.id == chosen {
                logos.push(image);
            }
        }
        let has_chosen = chosen.is_empty() || logos.iter().any(|image| image.id == chosen);
        cursor = listed.next_cursor;
        if cursor.is_none() || (logos.len() >= MOST && has_chosen) {
            break;
        }
    }
    Ok(logos)
}

/// Draws the field that chooses the logo.
pub(super) fn logo_field(chosen: &str, logos: &[Logo]) -> Markup {
    let is_listed = logos.iter().any(|image| image.id == chosen);
    html! {
        fieldset class="logos" {
            legend { "Logo" }
            label class="choice" {
                input type="radio" name="logo" value="" checked[chosen.is_empty()];
                span { "Sem logo" }
            }
            @if !chosen.is_empty() && !is_listed {
                label class="choice" {
                    input type="radio" name="logo" value=(chosen) checked;
                    span { "A de agora" }
                }
            }
            div class="row" {
                @for (number, image) in (1..).zip(logos) {
                    label class="logo" {
                        input type="radio" name="logo" value=(image.id) checked[image.id == chosen];
                        img src=(image_at_width(&link_path(&image.url), 160)) width="72" height="72" loading="lazy" decoding="async"
                            alt=(image.alt.clone().unwrap_or_else(|| format!("Imagem enviada {number}")));
                    }
                }
            }
            @if logos.is_empty() { p class="soft" { "Para ter uma logo, envie a imagem abaixo." } }
        }
    }
}

/// Draws the form that sends an image and chooses it as the logo.
pub(super) fn logo_upload(view: &View<'_>) -> Markup {
    html! {
        @if view.may_call(OPERATION) {
            details {
                summary { "Enviar uma logo" }
                form method="post" action=(view.href_to(PATH)) enctype="multipart/form-data" class="form stack" hx-boost="false" {
                    (key_field())
                    label class="field" {
                        span { "Imagem" }
                        input type="file" name="file" required accept="image/png,image/jpeg,image/webp";
                        small class="soft" { "PNG, JPEG ou WebP. O que você mudou acima e ainda não publicou se perde: envie a logo antes." }
                    }
                    button type="submit" class="quiet" { "Enviar logo" }
                    div class="outcome" role="alert" {}
                }
            }
        }
    }
}

/// Returns the path of a link without the host, so that the browser requests the image from the host of
/// the page.
fn link_path(link: &str) -> String {
    let Ok(url) = url::Url::parse(link) else {
        return link.to_owned();
    };
    match url.query() {
        Some(query) => format!("{}?{query}", url.path()),
        None => url.path().to_owned(),
    }
}
