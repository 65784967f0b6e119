//! Strong colours and geometry: a flat background, a band of tiles, heavy letters.

use super::tiles;
use crate::brand::Scheme;
use crate::canvas::{Area, Canvas};
use crate::color::{Color, hex};
use crate::compose::{Kind, Letters, Voice};
use crate::design::{Design, Dice, Inks};
use crate::fit::Align;
use crate::fonts::Face;
use crate::frame::{Frame, Spot, Standing};

#[derive(Clone, Copy)]
struct Palette {
    ground: Color,
    ink: Color,
    title: Color,
    tiles: [Color; 4],
}

const PALETTES: [Palette; 6] = [
    Palette {
        ground: hex(0xFF5B37),
        ink: hex(0x1C0A22),
        title: hex(0x1C0A22),
        tiles: [hex(0xFFC94A), hex(0x1C0A3A), hex(0xFFA3BE), hex(0xFFF3E2)],
    },
    Palette {
        ground: hex(0x4B2BE0),
        ink: hex(0xFFFFFF),
        title: hex(0xFFD84A),
        tiles: [hex(0xFF5CA8), hex(0xFFD84A), hex(0x21D1BE), hex(0x1A0B66)],
    },
    Palette {
        ground: hex(0xFFCF2E),
        ink: hex(0x17130A),
        title: hex(0x17130A),
        tiles: [hex(0xFF5A36), hex(0x1D4FE0), hex(0xFFF6DC), hex(0x17130A)],
    },
    Palette {
        ground: hex(0x067A5B),
        ink: hex(0xFFFFFF),
        title: hex(0xFFE25A),
        tiles: [hex(0xFFE25A), hex(0xFF7A45), hex(0x023B2C), hex(0xBFF0D8)],
    },
    Palette {
        ground: hex(0xFF93B8),
        ink: hex(0x2B0740),
        title: hex(0x2B0740),
        tiles: [hex(0xFF4A2B), hex(0x5B2BD6), hex(0xFFDB57), hex(0xFFF0F4)],
    },
    Palette {
        ground: hex(0x0D1B4C),
        ink: hex(0xFFFFFF),
        title: hex(0x6FF0C8),
        tiles: [hex(0xFF5470), hex(0x6FF0C8), hex(0xFFD166), hex(0x3A5CFF)],
    },
];

pub(crate) struct Vibrante {
    palette: Palette,
    dice: Dice,
}

/// The band of tiles: its area and the size of a tile.
struct Band {
    area: Area,
    cell: f32,
}

impl Vibrante {
    pub(crate) fn new(mut dice: Dice, scheme: Option<&Scheme>) -> Self {
        let own = PALETTES[dice.number_below(PALETTES.len())];
        Self {
            palette: scheme.map_or(own, branded_palette),
            dice,
        }
    }

    fn band(frame: &Frame) -> Band {
        let share = match (frame.background.is_some(), frame.dense) {
            (true, false) => 0.42,
            (true, true) => 0.26,
            (false, true) => 0.13,
            (false, false) => 0.26,
        };
        let aim = frame.unit * if frame.dense { 0.14 } else { 0.2 };
        if frame.is_wide() {
            let rows = (frame.h / aim).round().max(1.0);
            let cell = frame.h / rows;
            let columns = (share * frame.w / cell).round().max(1.0);
            let w = (columns * cell).round();
            return Band {
                area: Area::new(frame.w - w, 0.0, w, frame.h),
                cell,
            };
        }
        let columns = (frame.w / aim).round().max(1.0);
        let cell = frame.w / columns;
        let rows = (share * frame.h / cell).round().max(1.0);
        Band {
            area: Area::new(0.0, 0.0, frame.w, (rows * cell).round()),
            cell,
        }
    }
}

/// Creates a palette with the main colour of a brand as background and its other colours in the tiles.
fn branded_palette(scheme: &Scheme) -> Palette {
    let (ground, ink) = scheme.ground_and_ink();
    Palette {
        ground,
        ink,
        title: scheme.legible_color_on(ground, ink),
        tiles: scheme.ornament_colors(ground),
    }
}

impl Design for Vibrante {
    fn letters(&self) -> Letters {
        Letters {
            display: Voice {
                face: Face::BricolageExtrabold,
                tracking: -0.012,
                leading: 1.02,
                largest: 0.18,
            },
            text: Voice {
                face: Face::Bricolage,
                tracking: 0.0,
                leading: 1.36,
                largest: 0.048,
            },
        }
    }

    fn inks(&self) -> Inks {
        let Palette {
            ground, ink, title, ..
        } = self.palette;
        Inks {
            ground,
            text: ink,
            title,
            accent: title,
            mark: ink,
            scrim: ground,
        }
    }

    fn alignment(&self, _: Kind, _: bool) -> Align {
        Align::Start
    }

    fn text_area(&self, frame: &Frame) -> Area {
        let mut inside = frame.content_area();
        if frame.has_foot() {
            inside.h -= frame.margin * 0.3;
        }
        let band = Self::band(frame).area;
        if frame.is_wide() {
            return Area {
                w: band.x - frame.margin - inside.x,
                ..inside
            };
        }
        let top = (band.bottom() + frame.margin * 0.9).max(frame.rim);
        Area {
            y: top,
            h: inside.bottom() - top,
            ..inside
        }
    }

    fn vertical_anchor(&self, frame: &Frame) -> f32 {
        match frame.kind {
            Kind::Display if frame.is_wide() => 0.5,
            Kind::Running if frame.is_wide() => 0.3,
            // The text is at the bottom of its area, and the band grows down to it.
            _ => 1.0,
        }
    }

    /// Returns the foot, which is as wide as the text, even next to the band.
    fn foot_area(&self, frame: &Frame) -> Area {
        frame.foot_strip(self.text_area(frame))
    }

    fn mark_spot(&self, frame: &Frame) -> Spot {
        let size = frame.mark_size();
        Spot {
            x: frame.margin + size * 2.1,
            y: frame.mark_y(),
            part: 0.0,
        }
    }

    fn signature_spot(&self, frame: &Frame) -> Spot {
        let y = frame.mark_y();
        if frame.page.is_some() {
            let x = self.foot_area(frame).right();
            return Spot { x, y, part: 1.0 };
        }
        Spot {
            x: frame.margin,
            y,
            part: 0.0,
        }
    }

    fn paint(&self, canvas: &mut Canvas, frame: &Frame, standing: &Standing) {
        let Band { mut area, cell } = Self::band(frame);
        if !frame.is_wide() {
            let rows = ((standing.ink.y - frame.margin * 0.9) / cell).floor();
            area.h = area.h.max((rows * cell).round());
        }
        let mut dice = self.dice;
        let colors = &self.palette.tiles;
        if let Some(image) = frame.background {
            canvas.draw_image(area, image);
            // Draws a few tiles at one end, over the image.
            let few = if frame.is_wide() {
                Area {
                    y: area.bottom() - cell,
                    h: cell,
                    ..area
                }
            } else {
                Area {
                    x: area.right() - cell,
                    w: cell,
                    ..area
                }
            };
            tiles::fill_with_tiles(canvas, few, cell, colors, &mut dice);
        } else {
            tiles::fill_with_tiles(canvas, area, cell, colors, &mut dice);
        }
        if frame.page.is_some() {
            let size = frame.mark_size();
            let y = frame.mark_y();
            canvas.fill_rect(
                Area::new(frame.margin, y - size * 0.12, size * 1.5, size * 0.24),
                self.palette.title,
                1.0,
            );
        }
    }
}
