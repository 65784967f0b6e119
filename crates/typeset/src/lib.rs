//! Sets a text as an image worth publishing, with no outside service: the fonts are bundled, the
//! shaping is that of HarfBuzz, the lines break as Unicode says and the drawing is exact to the bit
//! from one run to the next.
//!
//! ```
//! use typeset::{Card, Format, Overflow, Style};
//!
//! let card = Card { text: "A palavra certa", style: Style::Editorial, width: 1080, height: 1080, ..Card::default() };
//! let file = typeset::render(&card).expect("an ellipsis always fits").encode(Format::Png);
//! assert!(file.starts_with(b"\x89PNG"));
//! ```

mod canvas;
mod card;
mod clean;
mod color;
mod compose;
mod design;
mod fit;
mod fonts;
mod frame;
mod image;
mod ink;
mod legible;
mod lines;
mod press;
mod shape;
mod styles;
#[cfg(test)]
mod tests;

pub use card::{Card, DoesNotFit, LARGEST_SIDE, Overflow, SMALLEST_SIDE, Style};
pub use image::{Format, Image};

/// Draws a card.
///
/// # Errors
/// [`DoesNotFit`], for a card that refuses what does not fit; never with [`Overflow::Ellipsis`].
pub fn render(card: &Card) -> Result<Image, DoesNotFit> {
    press::print(card).map(|sheet| sheet.image)
}

/// Whether [`render`] would draw the card; nothing is drawn. Of the background only its presence
/// counts.
///
/// # Errors
/// [`DoesNotFit`], as for [`render`].
pub fn fits(card: &Card) -> Result<(), DoesNotFit> {
    press::fits(card)
}
