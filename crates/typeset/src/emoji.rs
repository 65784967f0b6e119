//! Draws emoji in colour: the paint graphs of the font's `COLR` table.

use harfrust::GlyphId;
use harfrust::font::glyph::color::{Brush, ColorStop, CompositeMode, Extend, PaintSink};
use harfrust::font::glyph::outline::{DrawMemory, DrawOptions};
use read_fonts::types::{BoundingBox, Matrix, Point};
use tiny_skia::{
    BlendMode, Color, FillRule, GradientStop, LinearGradient, Mask, Paint, Path, PathBuilder,
    Pixmap, PixmapPaint, Point as SkPoint, RadialGradient, Rect, Shader, SpreadMode, SweepGradient,
    Transform,
};

use crate::fit::Placed;
use crate::ink::Pen;

/// An emoji on its own transparent pixmap, and the position of the pixmap.
pub(crate) struct Drawn {
    pub pixmap: Pixmap,
    pub x: i32,
    pub y: i32,
}

/// Draws a glyph moved by `(x, y)`; `None` if it has no colours.
pub(crate) fn draw_emoji(placed: &Placed, x: f32, y: f32) -> Option<Drawn> {
    let glyph = placed.glyph;
    let font = glyph.face.font();
    let colored = font.color_glyphs().get(glyph.id)?;
    let ink = glyph.ink?;
    let scale = placed.size * glyph.face.size_factor() / f32::from(font.units_per_em().max(1));
    let pen = (
        x + placed.x + glyph.dx * placed.size,
        y + placed.y - glyph.dy * placed.size,
    );
    let (left, top) = (
        (pen.0 + ink.x0 * placed.size).floor() - 1.0,
        (pen.1 - ink.y1 * placed.size).floor() - 1.0,
    );
    let side = |length: f32| (length * placed.size).ceil().max(0.0) as u32 + 3;
    let pixmap = Pixmap::new(side(ink.x1 - ink.x0), side(ink.y1 - ink.y0))?;
    let mut painter = Painter {
        layers: vec![(pixmap, BlendMode::SourceOver)],
        transforms: vec![Transform::from_row(
            scale,
            0.0,
            0.0,
            -scale,
            pen.0 - left,
            pen.1 - top,
        )],
        clips: Vec::new(),
        font,
    };
    // Drawing fails only if the bundled font has a defect; the place of the glyph then stays empty.
    colored.paint(&mut painter).ok()?;
    let (pixmap, _) = painter.layers.into_iter().next()?;
    Some(Drawn {
        pixmap,
        x: left as i32,
        y: top as i32,
    })
}

struct Painter {
    /// The drawing, and the layers that are not yet composed onto it.
    layers: Vec<(Pixmap, BlendMode)>,
    transforms: Vec<Transform>,
    clips: Vec<Option<Mask>>,
    font: &'static harfrust::Font,
}

impl Painter {
    fn current_transform(&self) -> Transform {
        self.transforms.last().copied().unwrap_or_default()
    }

    fn glyph_path(&self, glyph: GlyphId) -> Option<Path> {
        let mut pen = Pen::in_font_units();
        let outline = self.font.outline_glyphs().get(glyph)?;
        outline
            .draw(&DrawOptions::new(), DrawMemory::default(), &mut pen)
            .ok()?;
        pen.finish()
    }

    fn clip_to_path(&mut self, path: Option<Path>) {
        let mask = path.and_then(|path| {
            let transform = self.current_transform();
            let path = path.transform(transform)?;
            if let Some(Some(within)) = self.clips.last() {
                let mut mask = within.clone();
                mask.intersect_path(&path, FillRule::Winding, true, Transform::identity());
                return Some(mask);
            }
            let (pixmap, _) = self.layers.last()?;
            let mut mask = Mask::new(pixmap.width(), pixmap.height())?;
            mask.fill_path(&path, FillRule::Winding, true, Transform::identity());
            Some(mask)
        });
        self.clips.push(mask);
    }

    fn palette_color(&self, index: u16, alpha: f32) -> Color {
        let palette = self.font.palettes().get(0);
        let color = palette.and_then(|p| p.colors().get(usize::from(index)).copied());
        color.map_or(Color::BLACK, |c| {
            let mut color = Color::from_rgba8(c.red, c.green, c.blue, c.alpha);
            color.set_alpha((color.alpha() * alpha).clamp(0.0, 1.0));
            color
        })
    }

    fn gradient_stops(&self, stops: &[ColorStop]) -> Vec<GradientStop> {
        let stop = |s: &ColorStop| {
            GradientStop::new(s.offset, self.palette_color(s.palette_index, s.alpha))
        };
        stops.iter().map(stop).collect()
    }

    /// Returns the shader of a brush, in the space of the transform.
    fn brush_shader(&self, brush: &Brush<'_>, transform: Transform) -> Option<Shader<'static>> {
        let point = |p: &Point<f32>| SkPoint::from_xy(p.x, p.y);
        match brush {
            Brush::Solid {
                palette_index,
                alpha,
            } => Some(Shader::SolidColor(
                self.palette_color(*palette_index, *alpha),
            )),
            Brush::LinearGradient {
                p0,
                p1,
                color_stops,
                extend,
            } => LinearGradient::new(
                point(p0),
                point(p1),
                self.gradient_stops(color_stops),
                to_spread_mode(*extend),
                transform,
            ),
            Brush::RadialGradient {
                c0,
                r0,
                c1,
                r1,
                color_stops,
                extend,
            } => RadialGradient::new(
                point(c0),
                r0.max(0.0),
                point(c1),
                r1.max(0.0),
                self.gradient_stops(color_stops),
                to_spread_mode(*extend),
                transform,
            ),
            Brush::SweepGradient {
                c0,
                start_angle,
                end_angle,
                color_stops,
                extend,
            } => SweepGradient::new(
                point(c0),
                *start_angle,
                *end_angle,
                self.gradient_stops(color_stops),
                to_spread_mode(*extend),
                transform,
            ),
        }
    }

    fn paint_path(&mut self, path: &Path, transform: Transform, shader: Option<Shader<'static>>) {
        let (Some(shader), Some((pixmap, _))) = (shader, self.layers.last_mut()) else {
            return;
        };
        let paint = Paint {
            shader,
            anti_alias: true,
            ..Paint::default()
        };
        let mask = self.clips.last().and_then(Option::as_ref);
        let Some(path) = path.clone().transform(transform) else {
            return;
        };
        pixmap.fill_path(
            &path,
            &paint,
            FillRule::Winding,
            Transform::identity(),
            mask,
        );
    }
}

impl PaintSink for Painter {
    fn push_transform(&mut self, transform: Matrix<f32>) {
        let all = self.current_transform().pre_concat(to_transform(transform));
        self.transforms.push(all);
    }

    fn pop_transform(&mut self) {
        self.transforms.pop();
    }

    fn push_clip_glyph(&mut self, glyph: GlyphId) {
        let path = self.glyph_path(glyph);
        self.clip_to_path(path);
    }

    fn push_clip_box(&mut self, clip_box: BoundingBox<f32>) {
        let BoundingBox {
            x_min,
            y_min,
            x_max,
            y_max,
        } = clip_box;
        let rect = Rect::from_ltrb(x_min, y_min, x_max, y_max);
        self.clip_to_path(rect.map(PathBuilder::from_rect));
    }

    fn pop_clip(&mut self) {
        self.clips.pop();
    }

    fn fill(&mut self, brush: Brush<'_>) {
        let Some((pixmap, _)) = self.layers.last() else {
            return;
        };
        let (w, h) = (pixmap.width() as f32, pixmap.height() as f32);
        let shader = self.brush_shader(&brush, self.current_transform());
        if let Some(all) = Rect::from_xywh(0.0, 0.0, w, h) {
            self.paint_path(&PathBuilder::from_rect(all), Transform::identity(), shader);
        }
    }

    fn fill_glyph(
        &mut self,
        glyph: GlyphId,
        brush_transform: Option<Matrix<f32>>,
        brush: Brush<'_>,
    ) {
        let transform = self.current_transform();
        let of_brush = brush_transform.map_or(transform, |m| transform.pre_concat(to_transform(m)));
        let shader = self.brush_shader(&brush, of_brush);
        if let Some(path) = self.glyph_path(glyph) {
            self.paint_path(&path, transform, shader);
        }
    }

    fn push_layer(&mut self, composite_mode: CompositeMode) {
        let size = self.layers.last().map(|(p, _)| (p.width(), p.height()));
        if let Some(layer) = size.and_then(|(w, h)| Pixmap::new(w, h)) {
            self.layers.push((layer, to_blend_mode(composite_mode)));
        }
    }

    fn pop_layer(&mut self) {
        if self.layers.len() < 2 {
            return;
        }
        if let Some((layer, mode)) = self.layers.pop()
            && let Some((below, _)) = self.layers.last_mut()
        {
            let paint = PixmapPaint {
                blend_mode: mode,
                ..PixmapPaint::default()
            };
            below.draw_pixmap(0, 0, layer.as_ref(), &paint, Transform::identity(), None);
        }
    }
}

fn to_transform(m: Matrix<f32>) -> Transform {
    Transform::from_row(m.xx, m.yx, m.xy, m.yy, m.dx, m.dy)
}

fn to_spread_mode(extend: Extend) -> SpreadMode {
    match extend {
        Extend::Repeat => SpreadMode::Repeat,
        Extend::Reflect => SpreadMode::Reflect,
        _ => SpreadMode::Pad,
    }
}

/// Converts the modes that the bundled font uses.
fn to_blend_mode(mode: CompositeMode) -> BlendMode {
    match mode {
        CompositeMode::SrcIn => BlendMode::SourceIn,
        CompositeMode::DestIn => BlendMode::DestinationIn,
        CompositeMode::SrcOut => BlendMode::SourceOut,
        CompositeMode::DestOut => BlendMode::DestinationOut,
        CompositeMode::SrcAtop => BlendMode::SourceAtop,
        CompositeMode::Multiply => BlendMode::Multiply,
        CompositeMode::Screen => BlendMode::Screen,
        _ => BlendMode::SourceOver,
    }
}
