//! The page on which a guest selects a point of an image for a remark. It needs no script: the image is
//! an input of a form, so a tap on the image sends the position of the tap.

use domain::GuestRight;
use gateway::{Context, Entry, Error, Page, Reply, Result, Spec, Verb};
use maud::html;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    model::{Medium, Pieces},
    page::forbid_indexing,
    sheet::{Sheet, piece_fields},
};
use crate::{
    area::guest_spec,
    marked::{Mark, draw_marked},
    shell,
};

/// The width of the image in pixels, which fits the narrowest phone.
const WIDTH: i64 = 300;

/// The page on which a guest taps an image, and then writes the remark.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Spot {
    /// O segredo do link.
    link: String,
    peca: String,
    midia: String,
    /// Onde a imagem foi tocada, em pixels.
    #[serde(rename = "ponto.x")]
    x: Option<i64>,
    #[serde(rename = "ponto.y")]
    y: Option<i64>,
}

const ROUTE: Spec = guest_spec(
    "guest_spot",
    "Comentar num ponto da imagem",
    Verb::Get,
    "/convidado/{link}/lugar",
    Some(GuestRight::Remark),
)
.fails(&[400, 401, 403, 404]);

pub(super) const PAGE: Entry = Entry::for_page::<Spot>(
    ROUTE,
    "Escolhe o ponto de uma imagem de que um comentário trata.",
);

impl Page for Spot {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let pieces = Pieces::read(ctx).await?;
        let piece = pieces
            .find(&self.peca)
            .ok_or_else(|| Error::not_found("peça"))?;
        let medium = piece.midias.iter().find(|medium| medium.id == self.midia);
        let medium = medium.ok_or_else(|| Error::not_found("mídia"))?;
        let sheet = Sheet::new(ctx.services, &self.link);
        let image = sheet.medium_path(&medium.id);
        let height = scaled_height(medium);
        let chosen = self
            .x
            .zip(self.y)
            .map(|(x, y)| (fraction_of_length(x, WIDTH), fraction_of_length(y, height)));
        let body = html! {
            div class="guest" {
                p { a href={ (sheet.path) "#peca-" (piece.id) } { "Voltar" } }
                h1 dir="auto" { (piece.titulo) }
                @match chosen {
                    None => {
                        p { "Toque na imagem, no ponto de que você quer falar." }
                        form method="get" action={ (sheet.path) "/lugar" } {
                            input type="hidden" name="peca" value=(piece.id);
                            input type="hidden" name="midia" value=(medium.id);
                            input type="image" name="ponto" src=(image) width=(WIDTH) height=(height) class="tap"
                                alt="Comentar na imagem toda";
                        }
                    }
                    Some((x, y)) => {
                        (draw_marked(&image, Some(Mark::point(x, y))))
                        form method="post" action=(sheet.path) class="form stack" {
                            (piece_fields(piece))
                            input type="hidden" name="media_id" value=(medium.id);
                            input type="hidden" name="x" value=(x);
                            input type="hidden" name="y" value=(y);
                            label class="field" {
                                span { "Seu comentário" }
                                textarea name="texto" rows="4" required maxlength="4000" dir="auto" {}
                            }
                            button type="submit" name="acao" value="comentar" { "Enviar comentário" }
                        }
                    }
                }
            }
        };
        Ok(forbid_indexing(shell::bare_page(
            ctx.services,
            "Comentar na imagem",
            &body,
        )))
    }
}

/// Returns the height of the image at [`WIDTH`]. An image of unknown size counts as a square.
fn scaled_height(medium: &Medium) -> i64 {
    match (medium.largura, medium.altura) {
        (Some(width), Some(height)) if width > 0 && height > 0 => (WIDTH * height / width).max(1),
        _ => WIDTH,
    }
}

/// Converts a position in pixels to a fraction of the length, with four decimals.
#[expect(
    clippy::cast_precision_loss,
    reason = "pixels of a phone are small numbers"
)]
fn fraction_of_length(at: i64, length: i64) -> f64 {
    let part = at.clamp(0, length) as f64 / length as f64;
    (part * 10_000.0).round() / 10_000.0
}

#[cfg(test)]
mod tests {
    use super::fraction_of_length;

    #[test]
    fn a_tap_beside_the_image_counts_at_its_edge() {
        for (at, part) in [(-5, 0.0), (0, 0.0), (75, 0.25), (300, 1.0), (9_000, 1.0)] {
            assert!(
                (fraction_of_length(at, 300) - part).abs() < f64::EPSILON,
                "{at}"
            );
        }
    }
}
