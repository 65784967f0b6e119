//! The proportions of a card. All lengths are fractions of its unit, so that a card looks the same
//! at any size.

use crate::canvas::Area;
use crate::compose::Kind;
use crate::image::Image;

/// The properties of a card that its design can use.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame<'a> {
    pub w: f32,
    pub h: f32,
    /// The geometric mean of the sides, limited on long strips.
    pub unit: f32,
    /// The width of the free space at every edge.
    pub margin: f32,
    /// The height of the free space above and below, where a social network shows its controls over
    /// stories.
    pub rim: f32,
    pub background: Option<&'a Image>,
    pub page: Option<(u32, u32)>,
    /// The width of the signature, if the card has one.
    pub signature: Option<f32>,
    pub kind: Kind,
    pub quotation: bool,
    /// True if the lines are centred.
    pub centred: bool,
    /// True if the text is so long that the ornament must make room for it.
    pub dense: bool,
}

/// The position and size of the typeset text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Standing {
    /// The bounding box of the ink.
    pub ink: Area,
    pub rtl: bool,
}

/// The position of the page mark or of the signature: its vertical middle, and the fraction of its
/// width that is left of `x`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spot {
    pub x: f32,
    pub y: f32,
    pub part: f32,
}

impl Frame<'_> {
    pub(crate) fn unit_and_margin(width: u32, height: u32) -> (f32, f32) {
        let (w, h) = (width as f32, height as f32);
        let unit = (w * h).sqrt().min(2.2 * w.min(h));
        (unit, 0.08 * w.min(h) + 0.014 * unit)
    }

    /// Returns the free space above and below a card. Stories, which are at least 1.6 times as high as
    /// wide, keep 250 of 1920 pixels free.
    pub(crate) fn rim_height(width: u32, height: u32, margin: f32) -> f32 {
        let (w, h) = (width as f32, height as f32);
        if h >= 1.6 * w {
            margin.max(h * 250.0 / 1920.0)
        } else {
            margin
        }
    }

    /// Returns the smallest legible size of text.
    pub(crate) fn smallest_text_size(unit: f32) -> f32 {
        (0.021 * unit).max(11.0)
    }

    pub(crate) fn is_wide(&self) -> bool {
        self.w >= 1.3 * self.h
    }

    /// Returns the size of the page mark.
    pub(crate) fn mark_size(&self) -> f32 {
        Self::smallest_text_size(self.unit) * 1.12
    }

    /// Returns the vertical middle of the page mark. The slash of the mark is almost one em high.
    pub(crate) fn mark_y(&self) -> f32 {
        self.h - self.rim - self.mark_size() * 0.52
    }

    /// Returns the strip at the foot of a card, with the width of an area.
    pub(crate) fn foot_strip(&self, area: Area) -> Area {
        Area::new(area.x, self.mark_y(), area.w, self.hairline())
    }

    /// True if the card has a page mark or a signature at the foot.
    pub(crate) fn has_foot(&self) -> bool {
        self.page.is_some() || self.signature.is_some()
    }

    /// Returns the height reserved for the page mark and the signature.
    pub(crate) fn mark_strip_height(&self) -> f32 {
        if self.signature.is_some() {
            self.mark_size() * 3.0
        } else if self.page.is_some() {
            self.mark_size() * 2.2
        } else {
            0.0
        }
    }

    /// Returns the area within the margins and above the strip of the page mark.
    pub(crate) fn content_area(&self) -> Area {
        let (m, rim) = (self.margin, self.rim);
        let h = self.h - 2.0 * rim - self.mark_strip_height();
        Area::new(m, rim, self.w - 2.0 * m, h)
    }

    /// Returns the width of a thin but visible line.
    pub(crate) fn hairline(&self) -> f32 {
        (0.0016 * self.unit).max(1.0)
    }

    /// Returns the part of the box for text over a background: its lower part, or its left part on a
    /// wide card. The background stays visible in the rest.
    pub(crate) fn text_part(&self, area: Area, part: f32) -> Area {
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
