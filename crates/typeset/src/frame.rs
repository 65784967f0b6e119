//! The proportions of a card: everything is a fraction of its unit, so that a card looks the same at
//! any size.

use crate::canvas::Area;
use crate::compose::Kind;
use crate::image::Image;

/// What a design has to work with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame<'a> {
    pub w: f32,
    pub h: f32,
    /// The geometric mean of the sides, less on long strips.
    pub unit: f32,
    /// White kept at every edge.
    pub margin: f32,
    pub background: Option<&'a Image>,
    pub page: Option<(u32, u32)>,
    pub kind: Kind,
    pub quotation: bool,
    /// So much text that ornament must give way to it.
    pub dense: bool,
}

/// Where the text came to stand.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Standing {
    /// The box of its ink.
    pub ink: Area,
    pub rtl: bool,
}

/// Where the page mark stands: the middle of its height, and the part of its width left of `x`.
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

    /// The smallest size of text that is read without effort.
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

    /// The middle of the page mark's height: a stroke is nearly as high as its letters' em.
    pub(crate) fn mark_y(&self) -> f32 {
        self.h - self.margin - self.mark_size() * 0.52
    }

    /// The height kept free for the page mark.
    pub(crate) fn mark_strip(&self) -> f32 {
        if self.page.is_some() {
            self.mark_size() * 2.2
        } else {
            0.0
        }
    }

    /// All within the margins, above the page mark.
    pub(crate) fn inside(&self) -> Area {
        let m = self.margin;
        Area::new(m, m, self.w - 2.0 * m, self.h - 2.0 * m - self.mark_strip())
    }

    /// A line's width that stays visible.
    pub(crate) fn hairline(&self) -> f32 {
        (0.0016 * self.unit).max(1.0)
    }

    /// The box with the background left free at its head (or right, on a wide card).
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
