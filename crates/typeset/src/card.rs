//! What to draw.

use crate::brand::Brand;
use crate::image::Image;

/// The smallest side of a card, in pixels; a smaller one is taken as this.
pub const SMALLEST_SIDE: u32 = 256;
/// The largest side of a card, in pixels; a larger one is taken as this.
pub const LARGEST_SIDE: u32 = 2048;

/// A style, with its own typefaces, colours and ornament.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Roman capitals in gold over mountains at night.
    Epico,
    /// Much white space, one colour, one geometric sign.
    Minimalista,
    /// A magazine page: paper, rules, a serif typeface.
    Editorial,
    /// Strong colours and geometric tiles.
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

/// What happens to a text that does not fit at the smallest legible size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overflow {
    /// It is cut after a word and ends in an ellipsis.
    Ellipsis,
    /// It is refused with [`DoesNotFit`].
    Refuse,
}

/// What to draw.
#[derive(Debug, Clone, Copy)]
pub struct Card<'a> {
    /// Any text. Line breaks are kept, a short first line above a longer text is its title, and lines
    /// that begin with a dash, a number or an emoji are a list.
    pub text: &'a str,
    pub style: Style,
    /// In pixels, from [`SMALLEST_SIDE`] to [`LARGEST_SIDE`].
    pub width: u32,
    pub height: u32,
    pub overflow: Overflow,
    /// A background image, cropped to fill the area that the style gives it.
    pub background: Option<&'a Image>,
    /// Selects the palette and the ornament of the style.
    pub seed: u64,
    /// The page mark of a carousel: `(3, 10)` is «3/10».
    pub page: Option<(u32, u32)>,
    /// The look of the team that publishes it.
    pub brand: Option<&'a Brand<'a>>,
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
            brand: None,
        }
    }
}

/// The text does not fit its card at the smallest legible size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the text does not fit at the smallest legible size")]
pub struct DoesNotFit;
