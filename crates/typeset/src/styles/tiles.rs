//! Geometric tiles: circles and their parts, stripes, leaves.

use tiny_skia::PathBuilder;

use crate::canvas::{Area, Canvas};
use crate::color::Color;
use crate::design::Dice;

/// The distance between the control points of a quarter circle (a cubic curve) and its ends, for
/// radius 1.
const ARC: f32 = 0.552_284_8;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Motif {
    Disc,
    Quarter,
    HalfDiscs,
    Stripes,
    Rings,
    Triangle,
    Leaf,
    Grid,
}

const MOTIFS: [Motif; 8] = [
    Motif::Quarter,
    Motif::Disc,
    Motif::Leaf,
    Motif::HalfDiscs,
    Motif::Stripes,
    Motif::Rings,
    Motif::Triangle,
    Motif::Grid,
];

/// Fills a box with tiles. Neighbouring tiles always differ in motif and background colour, so at
/// least three colours are needed.
pub(crate) fn fill_with_tiles(
    canvas: &mut Canvas,
    area: Area,
    cell: f32,
    colors: &[Color],
    dice: &mut Dice,
) {
    let columns = (area.w / cell).round().max(1.0) as usize;
    let rows = (area.h / cell).round().max(1.0) as usize;
    let mut above: Vec<Option<(Motif, Color)>> = vec![None; columns];
    for row in 0..rows {
        let mut left: Option<(Motif, Color)> = None;
        for (column, above) in above.iter_mut().enumerate() {
            let edge = |n: usize, start: f32| (start + n as f32 * cell).round();
            let (x, y) = (edge(column, area.x), edge(row, area.y));
            let tile = Area::new(
                x,
                y,
                edge(column + 1, area.x) - x,
                edge(row + 1, area.y) - y,
            );
            let near = [left, *above];
            let motif = loop {
                let motif = dice.pick(&MOTIFS);
                if near.iter().flatten().all(|n| n.0 != motif) {
                    break motif;
                }
            };
            let ground = loop {
                let ground = dice.pick(colors);
                if near.iter().flatten().all(|n| n.1 != ground) {
                    break ground;
                }
            };
            (left, *above) = (Some((motif, ground)), Some((motif, ground)));
            let figure = loop {
                let color = dice.pick(colors);
                if color != ground {
                    break color;
                }
            };
            canvas.fill_rect(tile, ground, 1.0);
            draw_tile(canvas, tile, motif, ground, figure, dice);
        }
    }
}

fn draw_tile(
    canvas: &mut Canvas,
    tile: Area,
    motif: Motif,
    ground: Color,
    figure: Color,
    dice: &mut Dice,
) {
    let Area { x, y, w, h } = tile;
    let turn = dice.number_below(4);
    match motif {
        Motif::Disc => {
            canvas.fill_circle(x + w / 2.0, y + h / 2.0, w * 0.36, figure, 1.0);
            canvas.fill_circle(x + w / 2.0, y + h / 2.0, w * 0.13, ground, 1.0);
        }
        Motif::Quarter => draw_sector(canvas, tile, turn, 1.0, figure),
        Motif::Rings => {
            for (part, color) in [
                (1.0, figure),
                (0.74, ground),
                (0.48, figure),
                (0.22, ground),
            ] {
                draw_sector(canvas, tile, turn, part, color);
            }
        }
        Motif::HalfDiscs => {
            let half = |n: f32| match turn % 2 {
                0 => (
                    Area::new(x, y + n * h / 2.0, w, h / 2.0),
                    x + w / 2.0,
                    y + (n + 1.0) * h / 2.0,
                ),
                _ => (
                    Area::new(x + n * w / 2.0, y, w / 2.0, h),
                    x + (n + 1.0) * w / 2.0,
                    y + h / 2.0,
                ),
            };
            for n in [0.0, 1.0] {
                let (area, cx, cy) = half(n);
                if let Some(path) = PathBuilder::from_circle(cx, cy, w / 2.0) {
                    canvas.fill_within(area, &path, figure);
                }
            }
        }
        Motif::Stripes => {
            for n in 0..3 {
                let at = (2 * n + 1) as f32 / 7.0;
                let stripe = match turn % 2 {
                    0 => Area::new(x, y + at * h, w, h / 7.0),
                    _ => Area::new(x + at * w, y, w / 7.0, h),
                };
                canvas.fill_rect(stripe, figure, 1.0);
            }
        }
        Motif::Triangle => {
            let corners = [(x, y), (x + w, y), (x + w, y + h), (x, y + h)];
            let mut path = PathBuilder::new();
            for (n, step) in [0, 1, 2].into_iter().enumerate() {
                let (px, py) = corners[(turn + step) % 4];
                if n == 0 {
                    path.move_to(px, py);
                } else {
                    path.line_to(px, py);
                }
            }
            path.close();
            if let Some(path) = path.finish() {
                canvas.fill_path(&path, figure, 1.0);
            }
        }
        Motif::Leaf => draw_leaf(canvas, tile, turn.is_multiple_of(2), figure),
        Motif::Grid => {
            for n in 0..9 {
                let (cx, cy) = ((n % 3) as f32 + 0.5, (n / 3) as f32 + 0.5);
                canvas.fill_circle(x + cx * w / 3.0, y + cy * h / 3.0, w * 0.085, figure, 1.0);
            }
        }
    }
}

/// Draws a quarter circle around one corner of a tile.
fn draw_sector(canvas: &mut Canvas, tile: Area, turn: usize, part: f32, color: Color) {
    let corners = [
        (tile.x, tile.y),
        (tile.right(), tile.y),
        (tile.right(), tile.bottom()),
        (tile.x, tile.bottom()),
    ];
    let (x, y) = corners[turn % 4];
    if let Some(path) = PathBuilder::from_circle(x, y, tile.w * part) {
        canvas.fill_within(tile, &path, color);
    }
}

/// Draws a leaf from corner to corner.
fn draw_leaf(canvas: &mut Canvas, tile: Area, rising: bool, color: Color) {
    let Area { x, y, w, h } = tile;
    let (r, b) = (x + w, y + h);
    let mut path = PathBuilder::new();
    if rising {
        path.move_to(x, b);
        path.cubic_to(x, b - ARC * h, r - ARC * w, y, r, y);
        path.cubic_to(r, y + ARC * h, x + ARC * w, b, x, b);
    } else {
        path.move_to(x, y);
        path.cubic_to(x + ARC * w, y, r, b - ARC * h, r, b);
        path.cubic_to(r - ARC * w, b, x, y + ARC * h, x, y);
    }
    path.close();
    if let Some(path) = path.finish() {
        canvas.fill_path(&path, color, 1.0);
    }
}

/// Draws the lower half of a circle as wide as the box.
pub(crate) fn draw_half_disc(canvas: &mut Canvas, area: Area, color: Color) {
    let lower = Area::new(area.x, area.y + area.h / 2.0, area.w, area.h / 2.0);
    if let Some(path) = PathBuilder::from_circle(area.x + area.w / 2.0, lower.y, area.w / 2.0) {
        canvas.fill_within(lower, &path, color);
    }
}

/// Draws a quarter circle around the lower left corner of the box.
pub(crate) fn draw_quarter(canvas: &mut Canvas, area: Area, color: Color) {
    draw_sector(canvas, area, 3, 1.0, color);
}
