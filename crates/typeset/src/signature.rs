//! The strip at the foot of a card: the page mark and the signature of the brand.

use tiny_skia::Mask;

use crate::brand::{self, Brand};
use crate::canvas::{Area, Canvas};
use crate::card::Overflow;
use crate::color::{Color, LEGIBLE, hex};
use crate::compose::{Composition, Letters, Voice};
use crate::design::Inks;
use crate::fit::{Align, Room, Setting, Tone, fit_text};
use crate::frame::{Frame, Spot};
use crate::image::Image;
use crate::{ink, legible};

/// The coverage and colour of a text.
pub(crate) type Layer = (Mask, Color);

/// Typesets a text in the typeface of running text, at the size of the page mark.
pub(crate) fn set_small_text(
    text: &str,
    letters: Letters,
    frame: &Frame,
    width: f32,
) -> Option<Setting> {
    let size = frame.mark_size();
    let voice = Voice {
        tracking: 0.04,
        largest: size / frame.unit,
        ..letters.text
    };
    let room = Room {
        width,
        height: size,
        unit: frame.unit,
        smallest: size.min(8.0),
    };
    let letters = Letters {
        display: voice,
        text: voice,
    };
    let composition = Composition::new(text, letters);
    let align = |_, _| Align::Start;
    fit_text(text, composition, align, room, Overflow::Ellipsis).ok()
}

/// Prints a text of [`set_small_text`] at a spot, in the first candidate colour that is legible
/// there.
pub(crate) fn draw_small_text(
    canvas: &mut Canvas,
    mark: &Setting,
    spot: Spot,
    frame: &Frame,
    inks: &Inks,
) -> Option<Layer> {
    let (x, y) = (spot.x - mark.width * spot.part, spot.y - mark.height / 2.0);
    let area = Area::new(x, y, mark.width, mark.height).expanded(1.0 + 0.006 * frame.unit);
    let candidates = [inks.mark, inks.text, hex(0xFFFFFF), hex(0x0A0A0A)];
    let mut candidates = candidates.into_iter();
    let read = candidates.find(|color| legible::min_contrast(canvas, area, *color) >= LEGIBLE);
    // The scrim fits only the ink of the text; behind a dark mark it would make the mark illegible.
    let color = read.unwrap_or_else(|| {
        legible::blend_scrim(canvas, area, inks.text, inks.scrim, 0.12 * frame.unit);
        inks.text
    });
    let mut mask = canvas.empty_mask()?;
    ink::add_coverage(&mut mask, &mark.lines, x, y, Tone::Text);
    Some((mask, color))
}

/// The signature of a brand: a logo, a signer, or both.
pub(crate) struct Signature<'a> {
    logo: Option<&'a Image>,
    /// The diameter of the logo.
    medal: f32,
    /// The space between the logo and the signer.
    gap: f32,
    signer: Option<Setting>,
}

impl<'a> Signature<'a> {
    /// Creates the signature for the strip at the foot; `None` if the brand has neither a logo nor
    /// a signer.
    pub(crate) fn from_brand(
        brand: &Brand<'a>,
        letters: Letters,
        frame: &Frame,
        foot: Area,
    ) -> Option<Self> {
        let size = frame.mark_size();
        let medal = brand.logo.map_or(0.0, |_| size * 1.7);
        let gap = if medal > 0.0 { size * 0.5 } else { 0.0 };
        let part = if frame.page.is_some() { 0.56 } else { 0.9 };
        let width = (foot.w - 0.5 * frame.margin) * part - medal - gap;
        let signer = brand.signer.filter(|signer| !signer.trim().is_empty());
        let signer = signer.and_then(|signer| set_small_text(signer, letters, frame, width));
        (medal > 0.0 || signer.is_some()).then_some(Self {
            logo: brand.logo,
            medal,
            gap: if signer.is_some() { gap } else { 0.0 },
            signer,
        })
    }

    pub(crate) fn width(&self) -> f32 {
        let signer = self.signer.as_ref().map_or(0.0, |signer| signer.width);
        self.medal + self.gap + signer
    }

    pub(crate) fn draw_signature(
        &self,
        canvas: &mut Canvas,
        spot: Spot,
        frame: &Frame,
        inks: &Inks,
    ) -> Option<Layer> {
        let left = spot.x - self.width() * spot.part;
        let signer = self.signer.as_ref().and_then(|signer| {
            let spot = Spot {
                x: left + self.medal + self.gap,
                part: 0.0,
                ..spot
            };
            draw_small_text(canvas, signer, spot, frame, inks)
        });
        if let Some(logo) = self.logo {
            let side = self.medal;
            let area = Area::new(left, spot.y - side / 2.0, side, side);
            brand::draw_logo(canvas, logo, area, inks.text);
        }
        signer
    }
}
