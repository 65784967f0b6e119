//! The proportions of a card. Everything is a fraction of its unit, so that a card looks the same at any
//! size.

use crate::canvas::Area;
use crate::compose::Kind;
use crate::image::Image;

/// What a design knows about the card.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame<'a> {
    pub w: f32,
    pub h: f32,
    /// The geometric mean of the sides, limited on long strips.
    pub unit: f32,
    /// The space kept free at every edge.
    pub margin: f32,
    /// The space kept free above and below, where stories have the controls of the network.
    pub rim: f32,
    pub background: Option<&'a Image>,
    pub page: Option<(u32, u32)>,
    /// The width of the signature, if the card has one.
    pub signature: Option<f32>,
    pub kind: Kind,
    pub quotation: bool,
    /// Whether its lines are centred.
    pub centred: bool,
    /// Whether the text is so long that ornament must make room for it.
    pub dense: bool,
}

/// The position of the text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Standing {
    /// The bounding box of its ink.
    pub ink: Area,
    pub rtl: bool,
}

/// The position of the page mark: the middle of its height, and the part of its width left of `x`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spot {
    pub x: f32,
    pub y: f32,
    pub part: f32,
}

impl Frame<'_> {
    pub(crate) fn proportions(width: u32, height: u32) -> (f32, f32) {
        let (w, h) = (width as f32, height as f32);
        let unit = (w * h).sqrt().min(2.2 * w.min(h));
        (unit, 0.08 * w.min(h) + 0.014 * unit)
    }

    /// The space kept free above and below a card: in stories, which are at least 1.6 times as high as
    /// wide, 250 of 1920 pixels.
    pub(crate) fn rim(width: u32, height: u32, margin: f32) -> f32 {
        let (w, h) = (width as f32, height as f32);
        if h >= 1.6 * w {
            margin.max(h * 250.0 / 1920.0)
        } else {
            margin
        }
    }

    /// The smallest legible size of text.
    pub(crate) fn smallest(unit: f32) -> f32 {
        (0.021 * unit).max(11.0)
    }

    pub(crate) fn is_wide(&self) -> bool {
        self.w >= 1.3 * self.h
    }

    /// The size of the page mark.
    pub(crate) fn mark_size(&self) -> f32 {
        Self::smallest(self.unit) * 1.12
    }

    /// The vertical middle of the page mark: its slash is almost one em high.
    pub(crate) fn mark_y(&self) -> f32 {
        self.h - self.rim - self.mark_size() * 0.52
    }

    /// The strip at the foot of a card that is as wide as an area.
    pub(crate) fn strip(&self, area: Area) -> Area {
        Area::new(area.x, self.mark_y(), area.w, self.hairline())
    }

    /// Whether there is something in the strip at the foot: the page mark or the signature.
    pub(crate) fn has_foot(&self) -> bool {
        self.page.is_some() || self.signature.is_some()
    }

    /// The height kept free for the page mark and the signature.
    pub(crate) fn mark_strip(&self) -> f32 {
        if self.signature.is_some() {
            self.mark_size() * 3.0
        } else if self.page.is_some() {
            self.mark_size() * 2.2
        } else {
            0.0
        }
    }

    /// The area within the margins and above the page mark.
    pub(crate) fn inside(&self) -> Area {
        let (m, rim) = (self.margin, self.rim);
        let h = self.h - 2.0 * rim - self.mark_strip();
        Area::new(m, rim, self.w - 2.0 * m, h)
    }

    /// The width of a line that is thin but visible.
    pub(crate) fn hairline(&self) -> f32 {
        (0.0016 * self.unit).max(1.0)
    }

    /// The part of the box that leaves the background visible above it (on a wide card, to its right).
    pub(crate) fn beside(&self, area: Area, part: f32) -> Area {
        if self.is_wide() {
            Area {
                w: area.w * part,
                ..area
            }
        } else {
            Area {
                y: area.y + area.h * (1.0 - part),
                h: area.h * part,
                ..area
            }
        }
    }
}
