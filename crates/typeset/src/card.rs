//! The input of [`crate::render`].

use crate::brand::Brand;
use crate::image::Image;

/// The minimum side of a card, in pixels; smaller values are raised to it.
pub const SMALLEST_SIDE: u32 = 256;
/// The maximum side of a card, in pixels; larger values are reduced to it.
pub const LARGEST_SIDE: u32 = 2048;

/// A style, with its own typefaces, colours and ornament.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Roman capitals in gold over mountains at night.
    Epico,
    /// Much white space, one colour and one geometric shape.
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

/// The treatment of a text that does not fit at the smallest legible size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overflow {
    /// The text is cut after a word and ends in an ellipsis.
    Ellipsis,
    /// The card is refused with [`DoesNotFit`].
    Refuse,
}

/// The content and format of a card.
#[derive(Debug, Clone, Copy)]
pub struct Card<'a> {
    /// The text. Line breaks are kept. A short first line above a longer text becomes its title.
    /// Lines that begin with a dash, a number or an emoji become a list.
    pub text: &'a str,
    pub style: Style,
    /// The width in pixels, from [`SMALLEST_SIDE`] to [`LARGEST_SIDE`].
    pub width: u32,
    pub height: u32,
    pub overflow: Overflow,
    /// A background image, cropped to fill the area that the style provides.
    pub background: Option<&'a Image>,
    /// Selects the palette and the ornament of the style.
    pub seed: u64,
    /// The page mark of a carousel: `(3, 10)` is «3/10».
    pub page: Option<(u32, u32)>,
    /// The brand of the team that publishes the card.
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
