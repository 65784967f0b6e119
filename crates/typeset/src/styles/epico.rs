//! A night sky with mountains, a sunrise or beams of light, under Roman capitals.

use super::night::{self, Palette};
use crate::brand::Scheme;
use crate::canvas::{Area, Canvas};
use crate::color::hex;
use crate::compose::{Kind, Letters, Voice};
use crate::design::{Design, Dice, Inks};
use crate::fit::Align;
use crate::fonts::Face;
use crate::frame::{Frame, Spot, Standing};

const PALETTES: [Palette; 5] = [
    Palette {
        high: hex(0x060A1A),
        middle: hex(0x13204A),
        glow: hex(0x6A4A78),
        gold: hex(0xE6C581),
        ivory: hex(0xF8F1E2),
    },
    Palette {
        high: hex(0x100507),
        middle: hex(0x3B0F15),
        glow: hex(0x9A4320),
        gold: hex(0xF2BC6E),
        ivory: hex(0xFCF1E3),
    },
    Palette {
        high: hex(0x030F0D),
        middle: hex(0x0C332B),
        glow: hex(0x3A7A58),
        gold: hex(0xDECB92),
        ivory: hex(0xF4F2E4),
    },
    Palette {
        high: hex(0x0D0617),
        middle: hex(0x2C134B),
        glow: hex(0x8A4062),
        gold: hex(0xEEC595),
        ivory: hex(0xF9EFEA),
    },
    Palette {
        high: hex(0x08090B),
        middle: hex(0x1D2530),
        glow: hex(0x5F6B78),
        gold: hex(0xD9B36A),
        ivory: hex(0xF5F1E8),
    },
];

#[derive(Debug, Clone, Copy)]
enum Scene {
    Ridges,
    Sunrise,
    Beams,
}

pub(crate) struct Epico {
    palette: Palette,
    scene: Scene,
    dice: Dice,
}

impl Epico {
    pub(crate) fn new(mut dice: Dice, scheme: Option<&Scheme>) -> Self {
        let own = PALETTES[dice.number_below(PALETTES.len())];
        Self {
            palette: scheme.map_or(own, branded_palette),
            scene: dice.pick(&[Scene::Ridges, Scene::Sunrise, Scene::Beams]),
            dice,
        }
    }
}

impl Epico {
    /// Returns the width of the page mark or signature in the middle of the foot.
    fn middle_width(&self, frame: &Frame) -> Option<f32> {
        let signature = self.signature_spot(frame).part > 0.0;
        match frame.signature {
            Some(width) => signature.then_some(width),
            None => frame.page.map(|_| 0.0),
        }
    }
}

/// Creates a night palette in the colours of a brand.
fn branded_palette(scheme: &Scheme) -> Palette {
    let high = scheme.darken_to(scheme.main_color(), 0.006);
    Palette {
        high,
        middle: scheme.darken_to(scheme.main_color(), 0.03),
        glow: scheme.darken_to(scheme.second_color(), 0.13),
        gold: scheme.bright_color_on(high),
        ivory: scheme.light_color_on(high),
    }
}

impl Design for Epico {
    fn letters(&self) -> Letters {
        Letters {
            display: Voice {
                face: Face::Cinzel,
                tracking: 0.015,
                leading: 1.2,
                largest: 0.118,
            },
            text: Voice {
                face: Face::Garamond,
                tracking: 0.0,
                leading: 1.36,
                largest: 0.054,
            },
        }
    }

    fn inks(&self) -> Inks {
        let Palette {
            high, gold, ivory, ..
        } = self.palette;
        Inks {
            ground: high,
            text: ivory,
            title: gold,
            accent: gold,
            mark: gold,
            scrim: high,
        }
    }

    fn alignment(&self, kind: Kind, list: bool) -> Align {
        if kind == Kind::Display && !list {
            Align::Center
        } else {
            Align::Start
        }
    }

    fn text_area(&self, frame: &Frame) -> Area {
        let inside = frame.content_area();
        let more = frame.margin * if frame.dense { 0.25 } else { 0.5 };
        Area::new(
            inside.x + more,
            inside.y + more,
            inside.w - 2.0 * more,
            inside.h - 2.0 * more,
        )
    }

    fn vertical_anchor(&self, frame: &Frame) -> f32 {
        if frame.kind == Kind::Display {
            0.47
        } else {
            0.42
        }
    }

    fn foot_area(&self, frame: &Frame) -> Area {
        frame.foot_strip(self.text_area(frame))
    }

    fn mark_spot(&self, frame: &Frame) -> Spot {
        let y = frame.mark_y();
        if frame.signature.is_some() {
            let x = self.foot_area(frame).right();
            return Spot { x, y, part: 1.0 };
        }
        Spot {
            x: frame.w / 2.0,
            y,
            part: 0.5,
        }
    }

    fn signature_spot(&self, frame: &Frame) -> Spot {
        let y = frame.mark_y();
        if frame.page.is_some() || !frame.centred {
            let x = self.foot_area(frame).x;
            return Spot { x, y, part: 0.0 };
        }
        Spot {
            x: frame.w / 2.0,
            y,
            part: 0.5,
        }
    }

    fn paint(&self, canvas: &mut Canvas, frame: &Frame, _: &Standing) {
        let mut dice = self.dice;
        if let Some(image) = frame.background {
            canvas.draw_image(Area::new(0.0, 0.0, frame.w, frame.h), image);
            let high = self.palette.high;
            canvas.change_pixels(Area::new(0.0, 0.0, frame.w, frame.h), |x, y, color| {
                let (x, y) = (x / frame.w - 0.5, y / frame.h - 0.5);
                color.mix(high, (0.34 + 0.9 * (x * x + y * y)).min(0.8))
            });
        } else {
            let (sun, horizon) = match self.scene {
                Scene::Ridges => (0.25 + 0.5 * dice.fraction(), 0.8),
                Scene::Sunrise => (0.5, 1.0),
                Scene::Beams => (0.5, 1.05),
            };
            night::draw_sky(&self.palette, canvas, frame, sun, horizon);
            match self.scene {
                Scene::Ridges => night::draw_ridges(&self.palette, canvas, frame, &mut dice),
                Scene::Sunrise => {
                    night::draw_sunrise(&self.palette, canvas, frame, self.middle_width(frame));
                }
                Scene::Beams => night::draw_beams(&self.palette, canvas, frame, &mut dice),
            }
        }
        night::draw_frame(&self.palette, canvas, frame);
    }
}
