//! What to draw.

use crate::image::Image;

/// The smallest side of a card, in pixels; a smaller one is taken as this.
pub const SMALLEST_SIDE: u32 = 256;
/// The largest side of a card, in pixels; a larger one is taken as this.
pub const LARGEST_SIDE: u32 = 2048;

/// A design: each has its letters, colours and ornament.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Roman capitals in gold light over a night of mountains.
    Epico,
    /// Much white, one colour, one sign.
    Minimalista,
    /// A page of a good magazine: paper, rules, a serif.
    Editorial,
    /// Loud colours and geometry.
    Vibrante,
}

impl Style {
    pub const ALL: [Self; 4] = [
        Self::Epico,
        Self::Minimalista,
        Self::Editorial,
        Self::Vibrante,
    ];
}

/// What becomes of a text that does not fit at the smallest legible size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overflow {
    /// It is cut after a word, and an ellipsis says so.
    Ellipsis,
    /// It is refused with [`DoesNotFit`].
    Refuse,
}

/// What to draw.
#[derive(Debug, Clone, Copy)]
pub struct Card<'a> {
    /// Any text: line ends are respected, a short first line over a longer text is its title, lines
    /// that begin with a dash, a number or an emoji are a list.
    pub text: &'a str,
    pub style: Style,
    /// In pixels, from [`SMALLEST_SIDE`] to [`LARGEST_SIDE`].
    pub width: u32,
    pub height: u32,
    pub overflow: Overflow,
    /// An image to lay the text over, cropped to fill the place the style gives it.
    pub background: Option<&'a Image>,
    /// Chooses the palette and the ornament within the style.
    pub seed: u64,
    /// The mark of a carousel's page: `(3, 10)` is «3/10».
    pub page: Option<(u32, u32)>,
}

impl Default for Card<'_> {
    fn default() -> Self {
        Self {
            text: "",
            style: Style::Editorial,
            width: 1080,
            height: 1080,
            overflow: Overflow::Ellipsis,
            background: None,
            seed: 0,
            page: None,
        }
    }
}

/// The text does not fit its card at the smallest legible size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the text does not fit at the smallest legible size")]
pub struct DoesNotFit;
