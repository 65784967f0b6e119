//! The drawing surface of the designs.

use tiny_skia::{
    Color as SkColor, FillRule, FilterQuality, Mask, Paint, Path, PathBuilder, Pattern, Pixmap,
    PixmapPaint, Rect as SkRect, SpreadMode, Stroke, Transform,
};

use crate::color::Color;
use crate::image::Image;

/// A box in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Area {
    pub x: f32,
    pub y: f32,
    pub w: f32,
    pub h: f32,
}

impl Area {
    pub(crate) const fn new(x: f32, y: f32, w: f32, h: f32) -> Self {
        Self { x, y, w, h }
    }

    pub(crate) fn right(&self) -> f32 {
        self.x + self.w
    }

    pub(crate) fn bottom(&self) -> f32 {
        self.y + self.h
    }

    pub(crate) fn expanded(&self, by: f32) -> Self {
        Self::new(
            self.x - by,
            self.y - by,
            self.w + 2.0 * by,
            self.h + 2.0 * by,
        )
    }
}

/// An opaque drawing surface.
pub(crate) struct Canvas {
    pixmap: Pixmap,
}

impl Canvas {
    pub(crate) fn new(width: u32, height: u32, ground: Color) -> Self {
        let mut pixmap = Pixmap::new(width, height).expect("a card has a size");
        pixmap.fill(to_skia_color(ground, 1.0));
        Self { pixmap }
    }

    pub(crate) fn size(&self) -> (f32, f32) {
        (self.pixmap.width() as f32, self.pixmap.height() as f32)
    }

    pub(crate) fn fill_rect(&mut self, area: Area, color: Color, alpha: f32) {
        if let Some(rect) = SkRect::from_xywh(area.x, area.y, area.w, area.h) {
            self.fill_path(&PathBuilder::from_rect(rect), color, alpha);
        }
    }

    pub(crate) fn fill_circle(&mut self, x: f32, y: f32, radius: f32, color: Color, alpha: f32) {
        if let Some(path) = PathBuilder::from_circle(x, y, radius) {
            self.fill_path(&path, color, alpha);
        }
    }

    /// Draws the part of a ring that is within a box.
    pub(crate) fn draw_ring_within(
        &mut self,
        area: Area,
        (x, y): (f32, f32),
        radius: f32,
        width: f32,
        color: Color,
        alpha: f32,
    ) {
        let Some(path) = PathBuilder::from_circle(x, y, radius) else {
            return;
        };
        let stroke = Stroke {
            width,
            ..Stroke::default()
        };
        if let Some(path) = path.stroke(&stroke, 1.0) {
            self.fill_clipped(area, &path, &solid_paint(color, alpha));
        }
    }

    pub(crate) fn fill_path(&mut self, path: &Path, color: Color, alpha: f32) {
        self.pixmap.fill_path(
            path,
            &solid_paint(color, alpha),
            FillRule::Winding,
            Transform::identity(),
            None,
        );
    }

    pub(crate) fn stroke_path(&mut self, path: &Path, width: f32, color: Color, alpha: f32) {
        let stroke = Stroke {
            width,
            ..Stroke::default()
        };
        self.pixmap.stroke_path(
            path,
            &solid_paint(color, alpha),
            &stroke,
            Transform::identity(),
            None,
        );
    }

    /// Fills the part of a path that is within a box.
    pub(crate) fn fill_within(&mut self, area: Area, path: &Path, color: Color) {
        self.fill_clipped(area, path, &solid_paint(color, 1.0));
    }

    fn fill_clipped(&mut self, area: Area, path: &Path, paint: &Paint) {
        let (width, height) = (self.pixmap.width(), self.pixmap.height());
        let Some(mut mask) = Mask::new(width, height) else {
            return;
        };
        if let Some(rect) = SkRect::from_xywh(area.x, area.y, area.w, area.h) {
            let bounds = PathBuilder::from_rect(rect);
            mask.fill_path(&bounds, FillRule::Winding, true, Transform::identity());
            self.pixmap.fill_path(
                path,
                paint,
                FillRule::Winding,
                Transform::identity(),
                Some(&mask),
            );
        }
    }

    /// Colours every pixel with the result of `at`, which receives the centre of the pixel as
    /// fractions of width and height. The result is dithered, so that dark gradients show no bands.
    pub(crate) fn shade_pixels(&mut self, at: impl Fn(f32, f32) -> [f32; 3]) {
        let (width, height) = (self.pixmap.width() as usize, self.size());
        for (y, row) in self
            .pixmap
            .data_mut()
            .chunks_exact_mut(width * 4)
            .enumerate()
        {
            for (x, pixel) in row.chunks_exact_mut(4).enumerate() {
                let color = at((x as f32 + 0.5) / height.0, (y as f32 + 0.5) / height.1);
                let noise = BAYER[y % 4][x % 4];
                for (channel, value) in pixel.iter_mut().zip(color) {
                    *channel = (value + noise).clamp(0.0, 255.0) as u8;
                }
            }
        }
    }

    /// Draws the centre of an image as a disc.
    pub(crate) fn draw_disc(&mut self, x: f32, y: f32, radius: f32, image: &Image) {
        let side = (2.0 * radius).ceil().max(1.0) as u32;
        let scaled = image.crop_to_cover(side, side);
        let Some(mut source) = Pixmap::new(side, side) else {
            return;
        };
        let pixels = source.data_mut().chunks_exact_mut(4);
        for (pixel, rgb) in pixels.zip(scaled.rgb().chunks_exact(3)) {
            pixel[..3].copy_from_slice(rgb);
            pixel[3] = 255;
        }
        let (spread, quality) = (SpreadMode::Pad, FilterQuality::Bilinear);
        let at = Transform::from_translate(x - radius, y - radius);
        let paint = Paint {
            shader: Pattern::new(source.as_ref(), spread, quality, 1.0, at),
            ..Paint::default()
        };
        if let Some(path) = PathBuilder::from_circle(x, y, radius) {
            let (rule, at) = (FillRule::Winding, Transform::identity());
            self.pixmap.fill_path(&path, &paint, rule, at, None);
        }
    }

    /// Draws an image into a box of whole pixels, cropped to fill it.
    pub(crate) fn draw_image(&mut self, area: Area, image: &Image) {
        let (width, height) = (self.pixmap.width() as usize, self.pixmap.height() as usize);
        let (x, y) = (area.x.max(0.0) as usize, area.y.max(0.0) as usize);
        let w = (area.w.round() as usize).min(width.saturating_sub(x));
        let h = (area.h.round() as usize).min(height.saturating_sub(y));
        if w == 0 || h == 0 {
            return;
        }
        let image = image.crop_to_cover(w as u32, h as u32);
        let rows = self.pixmap.data_mut().chunks_exact_mut(width * 4).skip(y);
        for (row, source) in rows.zip(image.rgb().chunks_exact(w * 3)) {
            for (pixel, rgb) in row[x * 4..].chunks_exact_mut(4).zip(source.chunks_exact(3)) {
                pixel[..3].copy_from_slice(rgb);
            }
        }
    }

    /// Replaces every pixel of a box by the result of `change`, which receives its position and
    /// colour.
    pub(crate) fn change_pixels(&mut self, area: Area, change: impl Fn(f32, f32, Color) -> Color) {
        let (width, height) = (self.pixmap.width(), self.pixmap.height());
        let end = |value: f32, side: u32| (value.ceil().max(0.0) as u32).min(side);
        let (x0, y0) = (
            area.x.floor().max(0.0) as u32,
            area.y.floor().max(0.0) as u32,
        );
        let (x1, y1) = (end(area.right(), width), end(area.bottom(), height));
        let data = self.pixmap.data_mut();
        for y in y0..y1 {
            for x in x0..x1 {
                let at = (y as usize * width as usize + x as usize) * 4;
                let pixel = &mut data[at..at + 3];
                let color = Color([pixel[0], pixel[1], pixel[2]]);
                pixel.copy_from_slice(&change(x as f32 + 0.5, y as f32 + 0.5, color).0);
            }
        }
    }

    pub(crate) fn pixels_in(&self, area: Area) -> impl Iterator<Item = Color> {
        let width = self.pixmap.width();
        let end = |value: f32, side: u32| (value.ceil().max(0.0) as u32).min(side) as usize;
        let (x0, y0) = (
            area.x.floor().max(0.0) as usize,
            area.y.floor().max(0.0) as usize,
        );
        let (x1, y1) = (
            end(area.right(), width),
            end(area.bottom(), self.pixmap.height()),
        );
        let rows = self.pixmap.pixels().chunks_exact(width as usize);
        rows.take(y1)
            .skip(y0)
            .flat_map(move |row| row.get(x0..x1).unwrap_or_default())
            .map(|p| Color([p.red(), p.green(), p.blue()]))
    }

    /// Blends a colour over the drawing, with a mask as its opacity.
    pub(crate) fn blend_mask(&mut self, mask: &Mask, color: Color) {
        for (pixel, &part) in self.pixmap.data_mut().chunks_exact_mut(4).zip(mask.data()) {
            if part > 0 {
                let under = Color([pixel[0], pixel[1], pixel[2]]);
                pixel[..3].copy_from_slice(&under.mix(color, f32::from(part) / 255.0).0);
            }
        }
    }

    /// Draws a pixmap on top of this canvas.
    pub(crate) fn draw_pixmap_at(&mut self, over: &Pixmap, x: i32, y: i32) {
        let paint = PixmapPaint::default();
        self.pixmap
            .draw_pixmap(x, y, over.as_ref(), &paint, Transform::identity(), None);
    }

    /// Creates an empty mask of the size of the canvas.
    pub(crate) fn empty_mask(&self) -> Option<Mask> {
        Mask::new(self.pixmap.width(), self.pixmap.height())
    }

    #[cfg(test)]
    pub(crate) fn to_image(&self) -> Image {
        Self {
            pixmap: self.pixmap.clone(),
        }
        .into_image()
    }

    pub(crate) fn into_image(self) -> Image {
        let (width, height) = (self.pixmap.width(), self.pixmap.height());
        let rgb = self
            .pixmap
            .data()
            .chunks_exact(4)
            .flat_map(|p| [p[0], p[1], p[2]])
            .collect();
        Image::new(width, height, rgb).expect("three bytes a pixel")
    }
}

/// Ordered dithering (Bayer 4×4): the values to add to a channel before rounding down.
const BAYER: [[f32; 4]; 4] = [
    [0.031, 0.531, 0.156, 0.656],
    [0.781, 0.281, 0.906, 0.406],
    [0.219, 0.719, 0.094, 0.594],
    [0.969, 0.469, 0.844, 0.344],
];

fn to_skia_color(color: Color, alpha: f32) -> SkColor {
    let [r, g, b] = color.0;
    let mut sk = SkColor::from_rgba8(r, g, b, 255);
    sk.set_alpha(alpha.clamp(0.0, 1.0));
    sk
}

fn solid_paint(color: Color, alpha: f32) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color(to_skia_color(color, alpha));
    paint
}
