//! Typesets a text as an image without any outside service. The fonts are bundled, HarfBuzz rules
//! shape the text, lines break by the rules of Unicode, and the same input always gives the same
//! bytes.
//!
//! ```
//! use typeset::{Card, Format, Overflow, Style};
//!
//! let card = Card { text: "A palavra certa", style: Style::Editorial, width: 1080, height: 1080, ..Card::default() };
//! let file = typeset::render(&card).expect("an ellipsis always fits").encode(Format::Png);
//! assert!(file.starts_with(b"\x89PNG"));
//! ```

mod brand;
mod canvas;
mod card;
mod clean;
mod color;
mod compose;
mod design;
mod emoji;
mod fit;
mod fonts;
mod frame;
mod image;
mod ink;
mod legible;
mod lines;
mod markup;
mod press;
mod shape;
mod signature;
mod structure;
mod styles;
#[cfg(test)]
mod tests;

pub use brand::{Brand, Font};
pub use card::{Card, DoesNotFit, LARGEST_SIDE, Overflow, SMALLEST_SIDE, Style};
pub use image::{Format, Image};

/// Draws a card.
///
/// # Errors
///
/// [`DoesNotFit`] if the text does not fit and the card has [`Overflow::Refuse`]; never with
/// [`Overflow::Ellipsis`].
pub fn render(card: &Card) -> Result<Image, DoesNotFit> {
    press::draw_card(card).map(|sheet| sheet.image)
}

/// Checks whether [`render`] can draw the card, without drawing it. Only the presence of the
/// background matters, not its pixels.
///
/// # Errors
///
/// [`DoesNotFit`], as in [`render`].
pub fn fits(card: &Card) -> Result<(), DoesNotFit> {
    press::fits(card)
}

/// True if a card has so much text that its letters are too small to read comfortably.
pub fn is_crowded(card: &Card) -> bool {
    press::is_crowded(card)
}
