//! The ornaments of «Épico»: a night sky, mountains or light, and a gold frame.

use tiny_skia::PathBuilder;

use crate::canvas::{Area, Canvas};
use crate::color::Color;
use crate::design::Dice;
use crate::frame::Frame;

#[derive(Clone, Copy)]
pub(super) struct Palette {
    /// The colours of the sky: overhead, halfway and at the horizon.
    pub high: Color,
    pub middle: Color,
    pub glow: Color,
    pub gold: Color,
    pub ivory: Color,
}

pub(super) fn draw_sky(
    palette: &Palette,
    canvas: &mut Canvas,
    frame: &Frame,
    sun: f32,
    horizon: f32,
) {
    let lerp = |a: [f32; 3], b: [f32; 3], t: f32| std::array::from_fn(|i| a[i] + (b[i] - a[i]) * t);
    let float = |c: Color| c.0.map(f32::from);
    let (high, middle, glow) = (
        float(palette.high),
        float(palette.middle),
        float(palette.glow),
    );
    let (sx, sy) = (frame.w / frame.unit, frame.h / frame.unit);
    canvas.shade_pixels(|x, y| {
        let sky = lerp(high, middle, (y / horizon).min(1.0).powi(2));
        let (dx, dy) = ((x - sun) * sx, (y - horizon) * sy * 1.5);
        let near = (1.0 - (dx * dx + dy * dy).sqrt() / 0.85).max(0.0);
        lerp(sky, glow, near * near * 0.95)
    });
}

/// Draws mountains. Nearer mountains are darker.
pub(super) fn draw_ridges(palette: &Palette, canvas: &mut Canvas, frame: &Frame, dice: &mut Dice) {
    let Palette {
        high, middle, glow, ..
    } = *palette;
    for layer in 0..4 {
        let depth = layer as f32 / 3.0;
        let base = frame.h * (0.8 + 0.065 * layer as f32);
        let rise = frame.unit.min(frame.h) * (0.11 - 0.02 * depth);
        let heights: Vec<Vec<f32>> = (0..5)
            .map(|_| (0..80).map(|_| dice.fraction()).collect())
            .collect();
        let offset = dice.fraction() * 8.0;
        let noise = |x: f32| {
            let octave = |n: usize| {
                let at = x * 3.2 * (1 << n) as f32 + offset;
                let (cell, part) = (at.floor() as usize % 79, at.fract());
                let (a, b) = (heights[n][cell], heights[n][cell + 1]);
                (a + (b - a) * part) / (1 << n) as f32
            };
            (0..5).map(octave).sum::<f32>() / 1.9
        };
        let mut path = PathBuilder::new();
        path.move_to(0.0, frame.h);
        let steps = 240;
        for step in 0..=steps {
            let x = step as f32 / steps as f32;
            path.line_to(x * frame.w, base - rise * noise(x * frame.w / frame.unit));
        }
        path.line_to(frame.w, frame.h);
        path.close();
        let far = middle.mix(glow, 0.45);
        let color = far.mix(high, 0.25 + 0.75 * depth);
        if let Some(path) = path.finish() {
            canvas.fill_path(&path, color, 1.0);
        }
    }
}

/// Draws circles of light around a sun that rises from the lower line of the frame. They do not
/// cross the frame, the page mark, or the signature that replaces the sun.
pub(super) fn draw_sunrise(
    palette: &Palette,
    canvas: &mut Canvas,
    frame: &Frame,
    foot: Option<f32>,
) {
    let inset = frame_inset(frame);
    let gold = palette.gold;
    let unit = frame.unit.min(0.9 * frame.h);
    let (x, y) = (frame.w / 2.0, frame.h - inset - 0.02 * frame.unit);
    let space = 0.006 * frame.unit;
    let inside = Area::new(
        inset + space,
        inset + space,
        frame.w - 2.0 * (inset + space),
        y - inset - space,
    );
    let size = frame.mark_size();
    let above = y - frame.mark_y();
    let crosses = |radius: f32, width: f32| {
        radius > above - size && radius < (width / 2.0 + size).hypot(above + size)
    };
    for n in 0..11 {
        let radius = unit * (0.13 + 0.07 * n as f32);
        if foot.is_some_and(|width| crosses(radius, width)) {
            continue;
        }
        let fade = 1.0 - n as f32 / 11.0;
        let alpha = 0.42 * fade * fade + 0.03;
        canvas.draw_ring_within(inside, (x, y), radius, frame.hairline(), gold, alpha);
    }
    if foot.is_none()
        && let Some(sun) = PathBuilder::from_circle(x, y, unit * 0.075)
    {
        canvas.fill_within(inside, &sun, gold);
    }
}

fn frame_inset(frame: &Frame) -> f32 {
    frame.margin * 0.48
}

/// Draws beams of light from below the bottom edge.
pub(super) fn draw_beams(palette: &Palette, canvas: &mut Canvas, frame: &Frame, dice: &mut Dice) {
    let (x, y) = (frame.w / 2.0, frame.h * 1.12);
    let reach = 2.0 * (frame.w + frame.h);
    for n in 0..23 {
        let middle = (n as f32 - 11.0) * 0.135 + (dice.fraction() - 0.5) * 0.03;
        let half = 0.018 + 0.02 * dice.fraction();
        let mut path = PathBuilder::new();
        path.move_to(x, y);
        for angle in [middle - half, middle + half] {
            path.line_to(x + reach * angle.sin(), y - reach * angle.cos());
        }
        path.close();
        if let Some(path) = path.finish() {
            canvas.fill_path(&path, palette.gold, 0.022 + 0.03 * dice.fraction());
        }
    }
}

/// Draws a gold line along the edges, interrupted by a lozenge at the top and bottom.
pub(super) fn draw_frame(palette: &Palette, canvas: &mut Canvas, frame: &Frame) {
    let gold = palette.gold;
    let line = frame.hairline();
    let inset = frame_inset(frame);
    let (w, h) = (frame.w - 2.0 * inset, frame.h - 2.0 * inset);
    let gap = 0.035 * frame.unit;
    let corner = 0.022 * frame.unit;
    let middle = frame.w / 2.0;
    let mut half = |left: bool| {
        let x = |at: f32| if left { middle - at } else { middle + at };
        let mut path = PathBuilder::new();
        path.move_to(x(gap), inset);
        path.line_to(x(w / 2.0 - corner), inset);
        path.line_to(x(w / 2.0 - corner), inset + corner);
        path.line_to(x(w / 2.0), inset + corner);
        path.line_to(x(w / 2.0), inset + h - corner);
        path.line_to(x(w / 2.0 - corner), inset + h - corner);
        path.line_to(x(w / 2.0 - corner), inset + h);
        path.line_to(x(gap), inset + h);
        if let Some(path) = path.finish() {
            canvas.stroke_path(&path, line, gold, 0.7);
        }
    };
    half(true);
    half(false);
    for y in [inset, inset + h] {
        draw_lozenge(canvas, middle, y, 0.009 * frame.unit, gold);
        for side in [-1.0, 1.0] {
            draw_lozenge(
                canvas,
                middle + side * 0.02 * frame.unit,
                y,
                0.0045 * frame.unit,
                gold,
            );
        }
    }
}

fn draw_lozenge(canvas: &mut Canvas, x: f32, y: f32, r: f32, color: Color) {
    let mut path = PathBuilder::new();
    path.move_to(x, y - r);
    path.line_to(x + r, y);
    path.line_to(x, y + r);
    path.line_to(x - r, y);
    path.close();
    if let Some(path) = path.finish() {
        canvas.fill_path(&path, color, 1.0);
    }
}
