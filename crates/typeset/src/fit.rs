//! The search for the largest size at which a text fits, and its position in the box.

use std::ops::Range;

use crate::card::{DoesNotFit, Overflow};
use crate::compose::{Block, Composition, Kind, Role};
use crate::lines::{Lines, lines};
use crate::shape::Glyph;

/// The alignment of lines: at the side where their script begins, or centred.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    Start,
    Center,
}

/// The room for a text, in pixels.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Room {
    pub width: f32,
    pub height: f32,
    /// The unit that sizes are fractions of.
    pub unit: f32,
    /// The smallest legible size.
    pub smallest: f32,
}

/// A glyph with its position: the pen in pixels, from the top left of the ink of the whole text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Placed {
    pub glyph: Glyph,
    pub size: f32,
    pub x: f32,
    pub y: f32,
    pub title: bool,
}

/// A text set at a size, with the dimensions of its ink.
#[derive(Debug, Clone, Default)]
pub(crate) struct Setting {
    /// One entry per line.
    pub lines: Vec<Vec<Placed>>,
    pub width: f32,
    pub height: f32,
    pub size: f32,
    pub kind: Option<Kind>,
    pub list: bool,
    pub rtl: bool,
    /// Whether part of the text was left out.
    #[cfg(test)]
    pub shortened: bool,
}

/// One step down in the search for the size.
const STEP: f32 = 0.965;
/// How many times the smallest size a headline must have; a smaller one is set as running text.
const DISPLAY_FLOOR: f32 = 1.5;

pub(crate) fn fit(
    text: &str,
    composition: Composition,
    align: impl Fn(Kind, bool) -> Align,
    room: Room,
    overflow: Overflow,
) -> Result<Setting, DoesNotFit> {
    let set = |c: &Composition, floor: f32| {
        let align = align(c.kind, c.is_list());
        largest(&c.blocks(), room, floor, align).map(|s| Setting {
            kind: Some(c.kind),
            list: c.is_list(),
            ..s
        })
    };
    if composition.kind == Kind::Display
        && let Some(setting) = set(&composition, room.smallest * DISPLAY_FLOOR)
    {
        return Ok(setting);
    }
    let running = match composition.kind {
        Kind::Display => composition.running(text),
        Kind::Running => composition,
    };
    if let Some(setting) = set(&running, room.smallest) {
        return Ok(setting);
    }
    if matches!(overflow, Overflow::Refuse) {
        return Err(DoesNotFit);
    }
    Ok(shortened(
        &running,
        room,
        align(Kind::Running, running.is_list()),
    ))
}

/// The largest size at which everything fits. A size that splits words must be clearly larger to win.
fn largest(blocks: &[Block], room: Room, floor: f32, align: Align) -> Option<Setting> {
    let (smallest, _) = set(blocks, floor, room, align)?;
    let top = blocks
        .iter()
        .filter(|b| b.role == Role::Body)
        .map(|b| b.voice.largest)
        .fold(f32::INFINITY, f32::min);
    // A single word or letter may be larger.
    let chars: usize = blocks.iter().map(|b| b.shaped.text.chars().count()).sum();
    let alone = match chars {
        0..=3 => 2.4,
        4..=12 => 1.35,
        _ => 1.0,
    };
    let mut size = (top * alone * room.unit).min(room.height).max(floor);
    let mut best = (0.0, smallest);
    // The remaining sizes cannot beat what has been found, whether it splits words or not.
    while size > floor && size > best.0 {
        if let Some((setting, penalty)) = set(blocks, size, room, align) {
            let worth = size / (1.0 + penalty).powf(1.5);
            if worth > best.0 {
                best = (worth, setting);
            }
        }
        size *= STEP;
    }
    Some(best.1)
}

/// The text cut after the last word that leaves room for an ellipsis.
fn shortened(running: &Composition, room: Room, align: Align) -> Setting {
    let cuts = running.cuts();
    let try_at = |cut: usize, size: f32| {
        let cut = running.cut_at(cuts[cut]);
        set(&cut.blocks(), size, room, align).map(|(setting, _)| setting)
    };
    let mut size = room.smallest;
    loop {
        let (mut low, mut high) = (0, cuts.len());
        let mut best = None;
        while low < high {
            let middle = usize::midpoint(low, high);
            match try_at(middle, size) {
                Some(setting) => {
                    best = Some(setting);
                    low = middle + 1;
                }
                None => high = middle,
            }
        }
        match best {
            Some(setting) => {
                return Setting {
                    kind: Some(Kind::Running),
                    list: running.is_list(),
                    #[cfg(test)]
                    shortened: true,
                    ..setting
                };
            }
            // Not even one word fits: no letter is drawn outside its room at any size.
            None if size < 2.0 => {
                return Setting {
                    #[cfg(test)]
                    shortened: true,
                    ..Setting::default()
                };
            }
            None => size *= 0.8,
        }
    }
}

/// Sets the blocks at a size, if they fit.
fn set(blocks: &[Block], size: f32, room: Room, align: Align) -> Option<(Setting, f32)> {
    let mut setting = Setting {
        size,
        ..Setting::default()
    };
    let mut penalty = 0.0f32;
    let (mut base, mut top, mut bottom) = (0.0f32, f32::INFINITY, f32::NEG_INFINITY);
    let (mut left, mut right) = (f32::INFINITY, f32::NEG_INFINITY);
    let mut before = 0.0f32;
    setting.rtl = blocks.first().is_some_and(|b| b.shaped.rtl);
    for block in blocks {
        let size = match block.role {
            Role::Body => size,
            Role::Title => title_size(block, size, room),
            Role::Credit => (size * 0.42).max(room.smallest).min(size),
        };
        let leading = size * block.voice.leading;
        let broken: Lines = lines(&block.shaped, room.width / size, block.display);
        penalty += 0.8 * broken.torn as f32 + 0.22 * broken.uneven as f32;
        for (index, line) in broken.ranges.iter().enumerate() {
            if !setting.lines.is_empty() {
                let above = if index == 0 {
                    block.above * setting.size * 1.4
                } else {
                    0.0
                };
                base += if index == 0 {
                    before.max(leading) + above
                } else {
                    leading
                };
            }
            before = leading;
            let indent = (index > 0 && align == Align::Start).then_some(block.shaped.hang * size);
            let placed = place(block, line, size, base, indent, align, room.width);
            for p in &placed {
                let Some(ink) = p.glyph.ink else { continue };
                let (x, y) = (p.x + p.glyph.dx * p.size, p.y - p.glyph.dy * p.size);
                left = left.min(x + ink.x0 * p.size);
                right = right.max(x + ink.x1 * p.size);
                top = top.min(y - ink.y1 * p.size);
                bottom = bottom.max(y - ink.y0 * p.size);
            }
            if left < -0.01 || right > room.width + 0.01 || bottom - top > room.height {
                return None;
            }
            setting.lines.push(placed);
        }
    }
    if left > right {
        return Some((Setting::default(), 0.0));
    }
    for placed in setting.lines.iter_mut().flatten() {
        placed.x -= left;
        placed.y -= top;
    }
    setting.width = right - left;
    setting.height = bottom - top;
    Some((setting, penalty))
}

/// The size of a title: larger than its text, but no larger than a headline.
fn title_size(block: &Block, text: f32, room: Room) -> f32 {
    let chars = block.shaped.text.chars().count() as f32;
    // Where there is little room, the text needs it more than the title.
    let spare = 1.25 + 0.8 * (text / room.smallest - 1.0);
    let ratio = spare.min(if chars > 40.0 { 1.5 } else { 1.8 });
    (text * ratio).min((block.voice.largest * room.unit).max(text))
}

/// Positions the glyphs of a line, with its ink flush with the edge instead of its side bearings.
fn place(
    block: &Block,
    line: &Range<usize>,
    size: f32,
    y: f32,
    indent: Option<f32>,
    align: Align,
    width: f32,
) -> Vec<Placed> {
    let glyphs = block.shaped.line(line);
    let (mut x0, mut x1) = (f32::INFINITY, f32::NEG_INFINITY);
    for (pen, glyph) in &glyphs {
        if let Some(ink) = glyph.ink {
            x0 = x0.min(pen + glyph.dx + ink.x0);
            x1 = x1.max(pen + glyph.dx + ink.x1);
        }
    }
    if x0 > x1 {
        return Vec::new();
    }
    let shift = match align {
        Align::Center => (width - (x1 - x0) * size) / 2.0 - x0 * size,
        Align::Start if block.shaped.rtl => width - indent.unwrap_or(0.0) - x1 * size,
        // Below the text of the item, which the side bearing of its marker moved.
        Align::Start => match indent.filter(|&indent| indent > 0.0) {
            Some(indent) => indent - block.shaped.bearing * size,
            None => -x0 * size,
        },
    };
    glyphs
        .into_iter()
        .map(|(pen, glyph)| Placed {
            glyph,
            size,
            x: shift + pen * size,
            y,
            title: block.role == Role::Title,
        })
        .collect()
}
