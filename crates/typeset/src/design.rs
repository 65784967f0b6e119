//! The properties of a card that its design determines: colours, typefaces, areas and ornament.

use crate::brand::Palette;
use crate::canvas::{Area, Canvas};
use crate::color::Color;
use crate::compose::{Kind, Letters};
use crate::fit::Align;
use crate::frame::{Frame, Spot, Standing};

/// The colours of a card.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Inks {
    /// The colour of the background.
    pub ground: Color,
    pub text: Color,
    pub title: Color,
    /// The colour of numbers and emphasised figures.
    pub accent: Color,
    /// The colour of the page mark.
    pub mark: Color,
    /// The colour blended behind text that would otherwise not be legible.
    pub scrim: Color,
}

impl Inks {
    /// Creates the colours for dark text on a light background. `mark` is the colour of the page mark.
    pub(crate) fn for_light_background(palette: Palette, mark: Color) -> Self {
        let Palette { paper, ink, accent } = palette;
        Self {
            ground: paper,
            text: ink,
            title: ink,
            accent: accent.toward_until_legible(ink, paper),
            mark,
            scrim: paper,
        }
    }
}

/// A style with one of its palettes.
pub(crate) trait Design {
    fn letters(&self) -> Letters;
    fn inks(&self) -> Inks;
    fn alignment(&self, kind: Kind, list: bool) -> Align;
    /// Returns the area of the text, which keeps the margin at every edge.
    fn text_area(&self, frame: &Frame) -> Area;
    /// Returns the vertical position of a text that does not fill its area: 0 at the top, 1 at the
    /// bottom.
    fn vertical_anchor(&self, frame: &Frame) -> f32;
    /// Returns the strip at the foot that the page mark and the signature share.
    fn foot_area(&self, frame: &Frame) -> Area {
        frame.foot_strip(frame.content_area())
    }
    fn mark_spot(&self, frame: &Frame) -> Spot;
    /// Returns the position of the signature, at the height of the page mark.
    fn signature_spot(&self, frame: &Frame) -> Spot;
    /// True if the design itself draws the opening quotation mark.
    fn opens_quotation(&self, _frame: &Frame) -> bool {
        false
    }
    fn paint(&self, canvas: &mut Canvas, frame: &Frame, standing: &Standing);
}

/// Pseudorandom numbers from a seed (SplitMix64).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next_number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Returns a number from 0 to `n - 1`.
    pub(crate) fn number_below(&mut self, n: usize) -> usize {
        (self.next_number() % n as u64) as usize
    }

    /// Returns a number from 0 to 1, excluding 1.
    pub(crate) fn fraction(&mut self) -> f32 {
        (self.next_number() >> 40) as f32 / (1u64 << 24) as f32
    }

    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.number_below(from.len())]
    }
}
