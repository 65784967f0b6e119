//! Much white space, a grotesque typeface, and one geometric shape in a single colour.

use crate::brand::{Palette, Scheme};
use crate::canvas::{Area, Canvas};
use crate::color::hex;
use crate::compose::{Kind, Letters, Voice};
use crate::design::{Design, Dice, Inks};
use crate::fit::Align;
use crate::fonts::Face;
use crate::frame::{Frame, Spot, Standing};

const PALETTES: [Palette; 6] = [
    Palette {
        paper: hex(0xF7F5F0),
        ink: hex(0x161616),
        accent: hex(0xD8401F),
    },
    Palette {
        paper: hex(0xF1F3F2),
        ink: hex(0x10201C),
        accent: hex(0x0E7C5A),
    },
    Palette {
        paper: hex(0xF3F3F6),
        ink: hex(0x15161C),
        accent: hex(0x2743D3),
    },
    Palette {
        paper: hex(0xF6F1EA),
        ink: hex(0x201A15),
        accent: hex(0xB57A12),
    },
    Palette {
        paper: hex(0xF5F0F1),
        ink: hex(0x1D1417),
        accent: hex(0xB3224F),
    },
    Palette {
        paper: hex(0x17181A),
        ink: hex(0xF2F1EC),
        accent: hex(0xF0643C),
    },
];

#[derive(Clone, Copy)]
enum Sign {
    Dot,
    Bar,
    HalfDisc,
    Quarter,
}

pub(crate) struct Minimalista {
    palette: Palette,
    sign: Sign,
}

impl Minimalista {
    pub(crate) fn new(mut dice: Dice, scheme: Option<&Scheme>) -> Self {
        let own = PALETTES[dice.number_below(PALETTES.len())];
        Self {
            palette: scheme.map_or(own, Scheme::palette),
            sign: dice.pick(&[Sign::Dot, Sign::Bar, Sign::HalfDisc, Sign::Quarter]),
        }
    }

    fn sign_height(frame: &Frame) -> f32 {
        0.052 * frame.unit
    }

    fn panel_padding(frame: &Frame) -> f32 {
        frame.margin * 0.66
    }

    fn draw_sign(&self, canvas: &mut Canvas, frame: &Frame, x: f32, y: f32) {
        let s = Self::sign_height(frame);
        let color = self.palette.accent;
        match self.sign {
            Sign::Dot => canvas.fill_circle(x + s / 2.0, y + s / 2.0, s / 2.0, color, 1.0),
            Sign::Bar => canvas.fill_rect(Area::new(x, y + s * 0.36, s * 1.9, s * 0.2), color, 1.0),
            Sign::HalfDisc => super::tiles::draw_half_disc(canvas, Area::new(x, y, s, s), color),
            Sign::Quarter => super::tiles::draw_quarter(canvas, Area::new(x, y, s, s), color),
        }
    }
}

impl Design for Minimalista {
    fn letters(&self) -> Letters {
        Letters {
            display: Voice {
                face: Face::InterDisplay,
                tracking: -0.022,
                leading: 1.12,
                largest: 0.135,
            },
            text: Voice {
                face: Face::Inter,
                tracking: -0.006,
                leading: 1.46,
                largest: 0.044,
            },
        }
    }

    fn inks(&self) -> Inks {
        let mark = self.palette.ink.mix(self.palette.paper, 0.3);
        Inks::for_light_background(self.palette, mark)
    }

    fn alignment(&self, _: Kind, _: bool) -> Align {
        Align::Start
    }

    fn text_area(&self, frame: &Frame) -> Area {
        let mut inside = frame.content_area();
        if frame.signature.is_some() {
            inside.h -= frame.margin * 0.3;
        }
        if frame.background.is_some() {
            let pad = Self::panel_padding(frame);
            let area = frame.text_part(inside, if frame.dense { 0.74 } else { 0.6 });
            return Area::new(area.x, area.y + pad, area.w, area.h - pad);
        }
        let head = Self::sign_height(frame) + frame.margin * 0.6;
        // A low, wide card has no height for the shape above the text, so the shape is next to the
        // text.
        if frame.h < 0.5 * frame.w {
            let head = Self::sign_height(frame) * 1.9 + frame.margin * 0.5;
            return Area {
                x: inside.x + head,
                w: inside.w - head,
                ..inside
            };
        }
        Area {
            y: inside.y + head,
            h: inside.h - head,
            ..inside
        }
    }

    fn vertical_anchor(&self, frame: &Frame) -> f32 {
        match (frame.kind, frame.background.is_some()) {
            (_, true) => 1.0,
            _ if frame.h < 0.5 * frame.w => 0.5,
            (Kind::Display, _) => 1.0,
            (Kind::Running, _) => 0.0,
        }
    }

    /// Returns the foot, which is as wide as the text panel if the card has an image. The foot also
    /// shows the progress through a carousel.
    fn foot_area(&self, frame: &Frame) -> Area {
        if frame.background.is_some() {
            frame.foot_strip(self.text_area(frame))
        } else {
            frame.foot_strip(frame.content_area())
        }
    }

    fn mark_spot(&self, frame: &Frame) -> Spot {
        Spot {
            x: self.foot_area(frame).right(),
            y: frame.mark_y(),
            part: 1.0,
        }
    }

    fn signature_spot(&self, frame: &Frame) -> Spot {
        Spot {
            x: frame.margin,
            y: frame.mark_y(),
            part: 0.0,
        }
    }

    fn paint(&self, canvas: &mut Canvas, frame: &Frame, standing: &Standing) {
        let Palette { paper, ink, accent } = self.palette;
        let m = frame.margin;
        if let Some(image) = frame.background {
            canvas.draw_image(Area::new(0.0, 0.0, frame.w, frame.h), image);
            let pad = Self::panel_padding(frame);
            let top = standing.ink.y - pad;
            let left = m - pad;
            let width = if frame.is_wide() {
                self.text_area(frame).w + 2.0 * pad
            } else {
                frame.w - 2.0 * left
            };
            let panel = Area::new(left, top, width, frame.h - frame.rim + pad - top);
            canvas.fill_rect(panel, paper, 1.0);
            canvas.fill_rect(
                Area {
                    h: frame.hairline() * 4.0,
                    ..panel
                },
                accent,
                1.0,
            );
        } else {
            let tint = paper.mix(ink, 0.035);
            canvas.fill_circle(frame.w * 0.94, frame.h * 0.06, 0.42 * frame.unit, tint, 1.0);
            if frame.h < 0.5 * frame.w {
                let y = standing.ink.y + standing.ink.h / 2.0 - Self::sign_height(frame) / 2.0;
                self.draw_sign(canvas, frame, m, y);
            } else {
                let x = if standing.rtl {
                    frame.w - m - Self::sign_height(frame)
                } else {
                    m
                };
                self.draw_sign(canvas, frame, x, frame.rim);
            }
        }
        // Draws the progress through the carousel.
        if let Some((page, pages)) = frame.page {
            let foot = self.foot_area(frame);
            let before = frame
                .signature
                .map_or(0.0, |width| width + frame.mark_size() * 1.4);
            let line = Area {
                x: foot.x + before,
                w: (foot.w - before - frame.mark_size() * 5.0).max(0.0),
                ..foot
            };
            canvas.fill_rect(line, ink, 0.18);
            let done = (page as f32 / pages.max(1) as f32).clamp(0.0, 1.0);
            let bar = Area {
                y: line.y - line.h,
                w: line.w * done,
                h: line.h * 3.0,
                ..line
            };
            canvas.fill_rect(bar, accent, 1.0);
        }
    }
}
