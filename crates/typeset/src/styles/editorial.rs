//! A magazine page: paper, a double rule, a soft serif typeface, one colour.

use crate::brand::{Palette, Scheme};
use crate::canvas::{Area, Canvas};
use crate::clean::clean_paragraphs;
use crate::color::hex;
use crate::compose::{Kind, Letters, Voice};
use crate::design::{Design, Dice, Inks};
use crate::fit::{Align, Placed, Tone};
use crate::fonts::Face;
use crate::frame::{Frame, Spot, Standing};
use crate::ink;
use crate::shape::shape_paragraph;

const PALETTES: [Palette; 6] = [
    Palette {
        paper: hex(0xF6F0E4),
        ink: hex(0x1E1A16),
        accent: hex(0x9B1C1F),
    },
    Palette {
        paper: hex(0xF2EEE6),
        ink: hex(0x1A1D1B),
        accent: hex(0x1F5A42),
    },
    Palette {
        paper: hex(0xEFEDE8),
        ink: hex(0x16191F),
        accent: hex(0x1D3F73),
    },
    Palette {
        paper: hex(0xF7EDE2),
        ink: hex(0x231812),
        accent: hex(0xA2480F),
    },
    Palette {
        paper: hex(0xF4ECEA),
        ink: hex(0x211619),
        accent: hex(0x7A1F4B),
    },
    Palette {
        paper: hex(0x1D2420),
        ink: hex(0xF3ECDD),
        accent: hex(0xE0A458),
    },
];

pub(crate) struct Editorial {
    palette: Palette,
    /// True for a large opening quotation mark, false for a small one.
    grand: bool,
}

impl Editorial {
    pub(crate) fn new(mut dice: Dice, scheme: Option<&Scheme>) -> Self {
        Self {
            palette: palette(&mut dice, scheme),
            grand: dice.number_below(3) > 0,
        }
    }

    fn rules_height(frame: &Frame) -> f32 {
        0.009 * frame.unit + 4.0 * frame.hairline()
    }

    /// Returns the em size of the quotation mark. Its ink is about a third as high.
    fn quote_size(&self, frame: &Frame) -> f32 {
        frame.unit * if self.grand { 0.34 } else { 0.24 }
    }

    fn head_height(&self, frame: &Frame) -> f32 {
        let quote = if self.opens_quotation(frame) {
            self.quote_size(frame) * 0.42
        } else {
            0.0
        };
        Self::rules_height(frame) + frame.margin * 0.62 + quote
    }

    fn draw_double_rule(&self, canvas: &mut Canvas, frame: &Frame, x: f32, y: f32, w: f32) {
        let thick = 0.009 * frame.unit;
        let line = frame.hairline();
        canvas.fill_rect(Area::new(x, y, w, thick), self.palette.accent, 1.0);
        canvas.fill_rect(
            Area::new(x, y + thick + 3.0 * line, w, line),
            self.palette.accent,
            0.85,
        );
    }

    fn draw_quote(&self, canvas: &mut Canvas, frame: &Frame, standing: &Standing) {
        let size = self.quote_size(frame);
        let sign = if standing.rtl { "”" } else { "“" };
        let shaped = shape_paragraph(&clean_paragraphs(sign, Face::Fraunces)[0], 0.0, false);
        let glyphs: Vec<Placed> = shaped
            .line_glyphs(&(0..sign.len()))
            .into_iter()
            .map(|(pen, glyph)| Placed {
                glyph,
                size,
                x: pen * size,
                y: 0.0,
                tone: Tone::Text,
            })
            .collect();
        let Some(ink) = glyphs.first().and_then(|p| p.glyph.ink) else {
            return;
        };
        let bottom = standing.ink.y - frame.margin * 0.34;
        let x = if standing.rtl {
            frame.w - frame.margin - ink.x1 * size
        } else {
            frame.margin - ink.x0 * size
        };
        if let Some(path) = ink::outline_glyphs(glyphs.iter(), x, bottom + ink.y0 * size) {
            canvas.fill_path(&path, self.palette.accent, 1.0);
        }
    }
}

fn palette(dice: &mut Dice, scheme: Option<&Scheme>) -> Palette {
    let own = PALETTES[dice.number_below(PALETTES.len())];
    scheme.map_or(own, Scheme::palette)
}

impl Design for Editorial {
    fn letters(&self) -> Letters {
        Letters {
            display: Voice {
                face: Face::Fraunces,
                tracking: -0.012,
                leading: 1.12,
                largest: 0.145,
            },
            text: Voice {
                face: Face::Newsreader,
                tracking: 0.0,
                leading: 1.4,
                largest: 0.05,
            },
        }
    }

    fn inks(&self) -> Inks {
        let mark = self.palette.accent;
        Inks::for_light_background(self.palette, mark)
    }

    fn alignment(&self, _: Kind, _: bool) -> Align {
        Align::Start
    }

    fn text_area(&self, frame: &Frame) -> Area {
        let mut inside = frame.content_area();
        // Leaves space for the foot rule.
        inside.h -= frame.margin * if frame.has_foot() { 0.3 } else { 0.45 };
        if frame.background.is_some() {
            inside = frame.text_part(inside, if frame.dense { 0.72 } else { 0.56 });
        }
        let head = self.head_height(frame);
        Area {
            y: inside.y + head,
            h: inside.h - head,
            ..inside
        }
    }

    fn vertical_anchor(&self, frame: &Frame) -> f32 {
        match frame.kind {
            _ if frame.background.is_some() && !frame.is_wide() => 1.0,
            Kind::Display => 0.46,
            Kind::Running => 0.0,
        }
    }

    /// Returns the foot, which is as wide as the text, even next to an image.
    fn foot_area(&self, frame: &Frame) -> Area {
        frame.foot_strip(self.text_area(frame))
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

    fn opens_quotation(&self, frame: &Frame) -> bool {
        let upright = frame.h >= 0.6 * frame.w;
        frame.quotation && !frame.dense && frame.background.is_none() && upright
    }

    fn paint(&self, canvas: &mut Canvas, frame: &Frame, standing: &Standing) {
        let Palette { ink, accent, .. } = self.palette;
        let m = frame.margin;
        let line = frame.hairline();
        let mut width = frame.w - 2.0 * m;
        let mut top = frame.rim;
        if let Some(image) = frame.background {
            if frame.is_wide() {
                let area = self.text_area(frame);
                width = area.w;
                let x = (area.right() + m).round();
                canvas.draw_image(Area::new(x, 0.0, frame.w - x, frame.h), image);
            } else {
                top = (standing.ink.y - self.head_height(frame)).round();
                canvas.draw_image(Area::new(0.0, 0.0, frame.w, top), image);
            }
        }
        if frame.background.is_some() && !frame.is_wide() {
            canvas.fill_rect(
                Area::new(0.0, top, frame.w, 0.009 * frame.unit),
                accent,
                1.0,
            );
        } else {
            self.draw_double_rule(canvas, frame, m, top, width);
        }
        if self.opens_quotation(frame) {
            self.draw_quote(canvas, frame, standing);
        }
        let foot = frame.h - frame.rim - frame.mark_strip_height() * 0.72;
        canvas.fill_rect(Area::new(m, foot, width, line), ink, 0.32);
        if frame.page.is_some() && frame.signature.is_none() {
            let size = frame.mark_size() * 0.5;
            let y = frame.mark_y() - size / 2.0;
            canvas.fill_rect(Area::new(m, y, size, size), accent, 1.0);
        }
    }
}
