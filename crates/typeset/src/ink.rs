//! Turns placed glyphs into coverage masks.

use harfrust::font::glyph::outline::{DrawMemory, DrawOptions, PathSink};
use tiny_skia::{FillRule, LineJoin, Mask, Path, PathBuilder, Stroke, Transform};

use crate::fit::{Placed, Tone};
use crate::fonts::Face;
use crate::shape::BOLD;

/// Draws glyph outlines: converts font units with y upwards to pixels with y downwards.
pub(crate) struct Pen {
    path: PathBuilder,
    x: f32,
    y: f32,
    scale: f32,
    /// 1 if y increases downwards in the path, otherwise -1.
    up: f32,
}

impl Pen {
    /// Creates a pen that keeps font units, with y upwards.
    pub(crate) fn in_font_units() -> Self {
        Self {
            path: PathBuilder::new(),
            x: 0.0,
            y: 0.0,
            scale: 1.0,
            up: -1.0,
        }
    }

    pub(crate) fn finish(self) -> Option<Path> {
        self.path.finish()
    }

    fn to_pixels(&self, x: f32, y: f32) -> (f32, f32) {
        (self.x + x * self.scale, self.y - y * self.scale * self.up)
    }
}

impl PathSink for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.to_pixels(x, y);
        self.path.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.to_pixels(x, y);
        self.path.line_to(x, y);
    }

    fn quad_to(&mut self, cx: f32, cy: f32, x: f32, y: f32) {
        let ((cx, cy), (x, y)) = (self.to_pixels(cx, cy), self.to_pixels(x, y));
        self.path.quad_to(cx, cy, x, y);
    }

    fn curve_to(&mut self, ax: f32, ay: f32, bx: f32, by: f32, x: f32, y: f32) {
        let ((ax, ay), (bx, by), (x, y)) = (
            self.to_pixels(ax, ay),
            self.to_pixels(bx, by),
            self.to_pixels(x, y),
        );
        self.path.cubic_to(ax, ay, bx, by, x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}

/// Returns the outlines of glyphs, moved by `(x, y)`.
pub(crate) fn outline_glyphs<'a>(
    glyphs: impl Iterator<Item = &'a Placed>,
    x: f32,
    y: f32,
) -> Option<Path> {
    let mut pen = Pen {
        path: PathBuilder::new(),
        x: 0.0,
        y: 0.0,
        scale: 1.0,
        up: 1.0,
    };
    for placed in glyphs {
        let glyph = placed.glyph;
        let font = glyph.face.font();
        let Some(outline) = font.outline_glyphs().get(glyph.id) else {
            continue;
        };
        pen.scale = placed.size * glyph.face.size_factor() / f32::from(font.units_per_em().max(1));
        pen.x = x + placed.x + glyph.dx * placed.size;
        pen.y = y + placed.y - glyph.dy * placed.size;
        // Drawing fails only if a bundled font has a defect; the place of the glyph then stays
        // empty.
        let _ = outline.draw(&DrawOptions::new(), DrawMemory::default(), &mut pen);
    }
    pen.path.finish()
}

/// Adds the pixel coverage of the glyphs of one tone to the mask.
pub(crate) fn add_coverage(mask: &mut Mask, lines: &[Vec<Placed>], x: f32, y: f32, tone: Tone) {
    for line in lines {
        let inked = |p: &&Placed| p.tone == tone && p.glyph.face != Face::Emoji;
        if let Some(path) = outline_glyphs(line.iter().filter(inked), x, y) {
            mask.fill_path(&path, FillRule::Winding, true, Transform::identity());
        }
        for placed in line.iter().filter(inked).filter(|p| p.glyph.bold) {
            if let Some(path) = outline_glyphs(std::iter::once(placed), x, y) {
                let stroke = Stroke {
                    width: BOLD * placed.size,
                    line_join: LineJoin::Round,
                    ..Stroke::default()
                };
                if let Some(edge) = path.stroke(&stroke, 1.0) {
                    mask.fill_path(&edge, FillRule::Winding, true, Transform::identity());
                }
            }
        }
    }
}
