//! Finds the largest size at which a text fits, and the position of its glyphs.

use std::ops::Range;

use crate::card::{DoesNotFit, Overflow};
use crate::compose::{Block, Composition, Kind, Role};
use crate::lines::{Lines, break_lines};
use crate::shape::Glyph;

/// The alignment of lines: centred, or at the side where their script begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    Start,
    Center,
}

/// The available space for a text, in pixels.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Room {
    pub width: f32,
    pub height: f32,
    /// The unit of size fractions.
    pub unit: f32,
    /// The smallest legible size.
    pub smallest: f32,
}

/// A glyph with its pen position in pixels, from the top left of the ink of the whole text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Placed {
    pub glyph: Glyph,
    pub size: f32,
    pub x: f32,
    pub y: f32,
    pub tone: Tone,
}

/// The colour of a glyph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    Text,
    /// A title or bold text.
    Title,
    /// A number, a figure or the marker of a list item.
    Accent,
}

/// A text typeset at a certain size, with the dimensions of its ink.
#[derive(Debug, Clone, Default)]
pub(crate) struct Setting {
    /// The glyphs of each line.
    pub lines: Vec<Vec<Placed>>,
    pub width: f32,
    pub height: f32,
    pub size: f32,
    pub kind: Option<Kind>,
    pub list: bool,
    pub rtl: bool,
    /// True if part of the text was omitted.
    #[cfg(test)]
    pub shortened: bool,
}

/// The factors by which gaps between paragraphs may grow, largest first.
const LOOSE: [f32; 4] = [2.1, 1.8, 1.5, 1.25];
const FULL: f32 = 0.86;
/// The factor between two sizes in the search for the size.
const STEP: f32 = 0.965;
/// The minimum size of a headline, as a multiple of the smallest size. A smaller headline is set as
/// running text.
const DISPLAY_FLOOR: f32 = 1.5;

pub(crate) fn fit_text(
    text: &str,
    composition: Composition,
    align: impl Fn(Kind, bool) -> Align,
    room: Room,
    overflow: Overflow,
) -> Result<Setting, DoesNotFit> {
    let set = |c: &Composition, floor: f32| {
        let align = align(c.kind, c.list);
        fit_largest(&c.shape_blocks(), c.largest_size(), room, floor, align).map(|s| Setting {
            kind: Some(c.kind),
            list: c.list,
            ..s
        })
    };
    // A headline must be much larger than the smallest size; other text need not be.
    let floor = if composition.poster {
        1.15
    } else {
        DISPLAY_FLOOR
    };
    if composition.kind == Kind::Display
        && let Some(setting) = set(&composition, room.smallest * floor)
    {
        return Ok(setting);
    }
    let running = match composition.kind {
        Kind::Display => composition.to_running_text(text),
        Kind::Running => composition,
    };
    if let Some(setting) = set(&running, room.smallest) {
        return Ok(setting);
    }
    if matches!(overflow, Overflow::Refuse) {
        return Err(DoesNotFit);
    }
    Ok(fit_shortened(
        &running,
        room,
        align(Kind::Running, running.list),
    ))
}

/// Finds the largest size at which all blocks fit. A size that splits words is chosen only if it is
/// clearly larger.
fn fit_largest(
    blocks: &[Block],
    top: f32,
    room: Room,
    floor: f32,
    align: Align,
) -> Option<Setting> {
    let (smallest, _) = set_blocks(blocks, floor, 1.0, room, align)?;
    let mut size = (top * room.unit).min(1.4 * room.height).max(floor);
    let mut best = (0.0, smallest);
    // The search ends when no smaller size can be better than the best size found, even without split
    // words.
    while size > floor && size > best.0 {
        if let Some((setting, penalty)) = set_blocks(blocks, size, 1.0, room, align) {
            let worth = size / (1.0 + penalty).powf(1.5);
            if worth > best.0 {
                best = (worth, setting);
            }
        }
        size *= STEP;
    }
    let best = best.1;
    // If much of the room is empty, the gaps between paragraphs grow.
    let loose = LOOSE.into_iter().find_map(|gap| {
        set_blocks(blocks, best.size, gap, room, align)
            .map(|(setting, _)| setting)
            .filter(|setting| setting.height <= FULL * room.height)
    });
    Some(loose.unwrap_or(best))
}

/// Cuts the text after the last word that leaves room for an ellipsis.
fn fit_shortened(running: &Composition, room: Room, align: Align) -> Setting {
    let cuts = running.cut_positions();
    let try_at = |cut: usize, size: f32| {
        let cut = running.cut_at(cuts[cut]);
        set_blocks(&cut.shape_blocks(), size, 1.0, room, align).map(|(setting, _)| setting)
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
                    list: running.list,
                    #[cfg(test)]
                    shortened: true,
                    ..setting
                };
            }
            // Not even one word fits. The text is omitted, because no letter may be drawn outside
            // its room.
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

/// Sets the blocks at a size, with their gaps multiplied by a factor. Returns the setting and the
/// penalty for bad line breaks; `None` if the blocks do not fit.
fn set_blocks(
    blocks: &[Block],
    size: f32,
    gap: f32,
    room: Room,
    align: Align,
) -> Option<(Setting, f32)> {
    let mut setting = Setting {
        size,
        ..Setting::default()
    };
    let mut penalty = 0.0f32;
    let (mut base, mut top, mut bottom) = (0.0f32, f32::INFINITY, f32::NEG_INFINITY);
    let (mut left, mut right) = (f32::INFINITY, f32::NEG_INFINITY);
    let mut before = 0.0f32;
    let mut below = None;
    let comfortable = 1.4 * room.smallest;
    setting.rtl = blocks.first().is_some_and(|b| b.shaped.rtl);
    for block in blocks {
        let size = block_size(blocks, block, size, room);
        // If a figure is hardly larger than its text, a smaller text size is better.
        if block.role == Role::Figure && size < 1.8 * setting.size && setting.size > comfortable {
            return None;
        }
        let large = matches!(block.role, Role::Figure | Role::Number);
        let leading = size * if large { 0.9 } else { block.voice.leading };
        let broken: Lines = break_lines(&block.shaped, room.width / size, block.display);
        penalty += 0.8 * broken.torn as f32 + 0.22 * broken.uneven as f32;
        for (index, line) in broken.ranges.iter().enumerate() {
            if !setting.lines.is_empty() {
                base += if index == 0 {
                    let above = block.above * setting.size * 1.4 * gap;
                    below.map_or(before.max(leading), |below: f32| below + leading) + above
                } else {
                    leading
                };
            }
            before = leading;
            // Digits hardly descend below their line, so the text after a large figure is set close
            // to it.
            below = large.then_some(0.22 * size);
            let indent = (index > 0 && align == Align::Start).then_some(block.shaped.hang * size);
            let placed = place_line(block, line, size, base, indent, align, room.width);
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

/// Returns the size of a block when the running text has this size.
fn block_size(blocks: &[Block], block: &Block, text: f32, room: Room) -> f32 {
    match block.role {
        Role::Body | Role::Note => text,
        Role::Title => title_size(block, text, room),
        Role::Credit => (text * 0.42).max(room.smallest).min(text),
        Role::Number => {
            let title = blocks.iter().find(|b| b.role == Role::Title);
            title.map_or(0.85 * text, |title| 1.35 * title_size(title, text, room))
        }
        Role::Figure => {
            let whole = block.shaped.width(0..block.shaped.text.len());
            let wide = 0.985 * room.width / whole.max(f32::EPSILON);
            wide.min(4.4 * text).max(1.2 * text)
        }
    }
}

/// Returns the size of a title: larger than its text but no larger than a headline.
fn title_size(block: &Block, text: f32, room: Room) -> f32 {
    let chars = block.shaped.text.chars().count() as f32;
    // The title may be at most `spare` times as large as the text. The smaller the text, the smaller
    // the factor, so that a long text gets more of the room.
    let spare = 1.25 + 0.8 * (text / room.smallest - 1.0);
    let ratio = spare.min(if chars > 40.0 { 1.5 } else { 1.8 });
    (text * ratio).min((block.voice.largest * room.unit).max(text))
}

/// Positions the glyphs of a line. The ink is flush with the edge, without side bearings.
fn place_line(
    block: &Block,
    line: &Range<usize>,
    size: f32,
    y: f32,
    indent: Option<f32>,
    align: Align,
    width: f32,
) -> Vec<Placed> {
    let glyphs = block.shaped.line_glyphs(line);
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
        // The items of a list begin at the same position, regardless of the ink of their markers.
        Align::Start if block.shaped.marker > 0 => indent.unwrap_or(0.0),
        Align::Start => -x0 * size,
    };
    glyphs
        .into_iter()
        .map(|(pen, glyph)| Placed {
            glyph,
            size,
            x: shift + pen * size,
            y,
            tone: match block.role {
                Role::Number | Role::Figure => Tone::Accent,
                _ if glyph.at < block.shaped.marker => Tone::Accent,
                Role::Title => Tone::Title,
                _ if glyph.bold => Tone::Title,
                _ => Tone::Text,
            },
        })
        .collect()
}
