//! The page on which a guest selects a point or an area of an image for a remark. It needs no script: the
//! image is an input of a form, so a tap on the image sends the position of the tap. A second tap selects the
//! opposite corner of an area.

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
    /// Um canto da área, em frações da imagem, tocado antes.
    canto_x: Option<String>,
    canto_y: Option<String>,
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
    "Escolhe o ponto ou a área de uma imagem de que um comentário trata.",
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
        let corner = match (&self.canto_x, &self.canto_y) {
            (Some(x), Some(y)) => Some(Point::new(
                parse_part("canto_x", x)?,
                parse_part("canto_y", y)?,
            )),
            _ => None,
        };
        let tapped = self
            .x
            .zip(self.y)
            .map(|(x, y)| Point::new(fraction_of_length(x, WIDTH), fraction_of_length(y, height)));
        let page_path = format!("{}/lugar", sheet.path);
        let body = html! {
            div class="guest" {
                p { a href={ (sheet.path) "#peca-" (piece.id) } { "Voltar" } }
                h1 dir="auto" { (piece.titulo) }
                @match tapped {
                    None => {
                        p {
                            @if corner.is_some() { "Toque na imagem, no canto oposto da área." }
                            @else { "Toque na imagem, no ponto de que você quer falar." }
                        }
                        form method="get" action=(page_path) {
                            input type="hidden" name="peca" value=(piece.id);
                            input type="hidden" name="midia" value=(medium.id);
                            @if let Some(Point { x, y }) = corner {
                                input type="hidden" name="canto_x" value=(x);
                                input type="hidden" name="canto_y" value=(y);
                            }
                            input type="image" name="ponto" src=(image) width=(WIDTH) height=(height) class="tap"
                                alt=(if corner.is_some() { "Canto oposto da área" } else { "Comentar na imagem toda" });
                        }
                    }
                    Some(point) => {
                        @let mark = select_mark(corner, point);
                        (draw_marked(&image, Some(mark)))
                        form method="post" action=(sheet.path) class="form stack" {
                            (piece_fields(piece))
                            input type="hidden" name="media_id" value=(medium.id);
                            input type="hidden" name="x" value=(mark.x);
                            input type="hidden" name="y" value=(mark.y);
                            @if let Some((width, height)) = mark.size {
                                input type="hidden" name="largura" value=(width);
                                input type="hidden" name="altura" value=(height);
                            }
                            label class="field" {
                                span { "Seu comentário" }
                                textarea name="texto" rows="4" required maxlength="4000" dir="auto" {}
                            }
                            button type="submit" name="acao" value="comentar" { "Enviar comentário" }
                        }
                        @let again = format!("{page_path}?peca={}&midia={}", piece.id, medium.id);
                        p {
                            a href=(again) { "Escolher outro ponto" }
                            @if mark.size.is_none() {
                                " · "
                                a href={ (again) "&canto_x=" (mark.x) "&canto_y=" (mark.y) } { "Marcar uma área a partir daqui" }
                            }
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

/// A point of an image, in fractions of its width and height.
#[derive(Debug, Clone, Copy)]
struct Point {
    x: f64,
    y: f64,
}

impl Point {
    /// Moves a point beside the image to its edge.
    fn new(x: f64, y: f64) -> Self {
        let within = |part: f64| round_fraction(part.clamp(0.0, 1.0));
        Self {
            x: within(x),
            y: within(y),
        }
    }
}

/// Parses a part of a length. Refuses (400) a text that is not a number.
fn parse_part(field: &'static str, text: &str) -> Result<f64> {
    let part: Option<f64> = text.parse().ok();
    let part = part.filter(|part| part.is_finite());
    part.ok_or_else(|| Error::invalid_field(field, "type", "deve ser número"))
}

/// Returns the area between two corners. Without a first corner, or if the area has no width or no height,
/// returns the tapped point. A keyboard sends the upper left corner, so that point selects the whole image.
fn select_mark(corner: Option<Point>, tapped: Point) -> Mark {
    let point = Mark::point(tapped.x, tapped.y);
    let Some(corner) = corner else {
        let is_keyboard = tapped.x == 0.0 && tapped.y == 0.0;
        return Mark {
            size: is_keyboard.then_some((1.0, 1.0)),
            ..point
        };
    };
    let width = round_fraction((tapped.x - corner.x).abs());
    let height = round_fraction((tapped.y - corner.y).abs());
    if width == 0.0 || height == 0.0 {
        return point;
    }
    Mark {
        x: corner.x.min(tapped.x),
        y: corner.y.min(tapped.y),
        size: Some((width, height)),
    }
}

/// Returns the height of the image at [`WIDTH`]. An image of unknown size counts as a square.
fn scaled_height(medium: &Medium) -> i64 {
    match (medium.largura, medium.altura) {
        (Some(width), Some(height)) if width > 0 && height > 0 => (WIDTH * height / width).max(1),
        _ => WIDTH,
    }
}

/// Converts a position in pixels to a fraction of the length.
#[expect(
    clippy::cast_precision_loss,
    reason = "pixels of a phone are small numbers"
)]
fn fraction_of_length(at: i64, length: i64) -> f64 {
    at.clamp(0, length) as f64 / length as f64
}

/// Rounds a fraction to four decimals.
fn round_fraction(part: f64) -> f64 {
    (part * 10_000.0).round() / 10_000.0
}

#[cfg(test)]
mod tests {
    use super::{Point, fraction_of_length, select_mark};

    #[test]
    fn a_tap_beside_the_image_counts_at_its_edge() {
        for (at, part) in [(-5, 0.0), (0, 0.0), (75, 0.25), (300, 1.0), (9_000, 1.0)] {
            assert!(
                (fraction_of_length(at, 300) - part).abs() < f64::EPSILON,
                "{at}"
            );
        }
    }

    #[test]
    fn two_corners_in_any_order_select_an_area() {
        let select = |from: (f64, f64), to: (f64, f64)| {
            let mark = select_mark(Some(Point::new(from.0, from.1)), Point::new(to.0, to.1));
            (mark.x, mark.y, mark.size)
        };
        let area = (0.1, 0.2, Some((0.3, 0.4)));
        assert_eq!(select((0.1, 0.2), (0.4, 0.6)), area);
        assert_eq!(select((0.4, 0.6), (0.1, 0.2)), area);
        assert_eq!(select((0.4, 0.2), (0.1, 0.6)), area);
        assert_eq!(
            select((-3.0, f64::INFINITY), (0.5, 0.5)),
            (0.0, 0.5, Some((0.5, 0.5)))
        );
        // A line is no area.
        assert_eq!(select((0.1, 0.2), (0.4, 0.2)), (0.4, 0.2, None));
        let whole = select_mark(None, Point::new(0.0, 0.0));
        assert_eq!((whole.x, whole.y, whole.size), (0.0, 0.0, Some((1.0, 1.0))));
        let point = select_mark(None, Point::new(0.5, 0.25));
        assert_eq!((point.x, point.y, point.size), (0.5, 0.25, None));
    }
}
