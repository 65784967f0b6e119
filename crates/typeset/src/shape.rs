//! Shapes a text once; the result is scaled to each font size. All lengths in this module are in ems.

use std::ops::Range;

use harfrust::{
    Buffer, BufferFlags, Direction, Feature, GlyphId, Language, ShapeOptions, ShaperFont, Tag,
};
use icu_segmenter::{LineSegmenter, options::LineBreakOptions};
use unicode_bidi::{BidiInfo, Level, ParagraphBidiInfo};

use crate::clean::Clean;
use crate::fonts::Face;

/// A glyph, its offset from the pen, and the box of its ink relative to its origin; y increases
/// upwards.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Glyph {
    pub face: Face,
    pub id: GlyphId,
    /// The byte offset in the paragraph at which the glyph's cluster begins.
    pub at: usize,
    pub advance: f32,
    pub dx: f32,
    pub dy: f32,
    pub ink: Option<Ink>,
    pub bold: bool,
}

/// The box of ink: left, bottom, right, top.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Ink {
    pub x0: f32,
    pub y0: f32,
    pub x1: f32,
    pub y1: f32,
}

/// A run of glyphs of one font and one direction, in their order on the line.
#[derive(Debug, Clone)]
struct Run {
    range: Range<usize>,
    level: Level,
    glyphs: Vec<Glyph>,
}

/// A shaped paragraph.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shaped {
    pub text: String,
    runs: Vec<Run>,
    /// The total advance before each byte.
    before: Vec<f32>,
    /// The byte offsets at which a glyph, or an unbreakable group of glyphs, begins.
    pub clusters: Vec<usize>,
    /// The byte offsets at which a line may end (Unicode line breaking), except the end of the
    /// text.
    pub breaks: Vec<usize>,
    pub rtl: bool,
    /// The byte offset at which the text of a list item begins, after the marker.
    pub marker: usize,
    /// The width of the list marker. The lines after the first are indented by this width.
    pub hang: f32,
}

/// The width, in ems, that bold text adds to a stroke.
pub(crate) const BOLD: f32 = 0.03;

/// Shapes a paragraph. In a list item, the lines after the first are indented.
pub(crate) fn shape_paragraph(clean: &Clean, tracking: f32, item: bool) -> Shaped {
    let text = &clean.text;
    if text.is_empty() {
        return Shaped {
            before: vec![0.0],
            ..Shaped::default()
        };
    }
    let bidi = ParagraphBidiInfo::new(text, None);
    let mut runs = Vec::new();
    let mut buffer = Buffer::new();
    let mut begin = 0;
    for &(end, face) in &clean.faces {
        let mut at = begin;
        while at < end {
            let level = bidi.levels[at];
            let stop = (at..end).find(|&i| bidi.levels[i] != level).unwrap_or(end);
            let glyphs = shape_run(&mut buffer, text, at..stop, face, level, tracking);
            runs.push(Run {
                range: at..stop,
                level,
                glyphs,
            });
            at = stop;
        }
        begin = end;
    }
    for glyph in runs.iter_mut().flat_map(|run| &mut run.glyphs) {
        let bold = |bytes: &Range<usize>| bytes.contains(&glyph.at);
        if glyph.face != Face::Emoji && clean.bold.iter().any(bold) {
            glyph.embolden();
        }
    }
    let mut advances = vec![0.0f32; text.len()];
    let mut clusters: Vec<usize> = Vec::with_capacity(text.len());
    for glyph in runs.iter().flat_map(|run| &run.glyphs) {
        advances[glyph.at] += glyph.advance;
        clusters.push(glyph.at);
    }
    clusters.sort_unstable();
    clusters.dedup();
    let mut before = Vec::with_capacity(text.len() + 1);
    let mut sum = 0.0f64;
    before.push(0.0);
    for advance in advances {
        sum += f64::from(advance);
        before.push(sum as f32);
    }
    let segmenter = LineSegmenter::new_for_non_complex_scripts(LineBreakOptions::default());
    let mut breaks: Vec<usize> = segmenter.segment_str(text).collect();
    breaks.retain(|&at| at > 0 && at < text.len() && clusters.binary_search(&at).is_ok());
    let mut shaped = Shaped {
        rtl: bidi.paragraph_level.is_rtl(),
        text: text.clone(),
        runs,
        before,
        clusters,
        breaks,
        marker: 0,
        hang: 0.0,
    };
    let marker = list_text_start(text).filter(|_| item);
    shaped.marker = marker.unwrap_or(0);
    shaped.hang = shaped.width(0..shaped.marker);
    shaped
}

fn shape_run(
    buffer: &mut Buffer,
    text: &str,
    range: Range<usize>,
    face: Face,
    level: Level,
    tracking: f32,
) -> Vec<Glyph> {
    let font = face.font();
    let em = face.size_factor() / f32::from(font.units_per_em().max(1));
    buffer.clear();
    for (at, c) in text[range.clone()].char_indices() {
        buffer.push(u32::from(c), (range.start + at) as u32);
    }
    buffer.set_flags(
        BufferFlags::REMOVE_DEFAULT_IGNORABLES | BufferFlags::DO_NOT_INSERT_DOTTED_CIRCLE,
    );
    buffer.guess_segment_properties();
    buffer.set_direction(if level.is_rtl() {
        Direction::RightToLeft
    } else {
        Direction::LeftToRight
    });
    buffer.set_language("pt".parse::<Language>().ok());
    // Ligatures are disabled with letter spacing.
    let ligatures = Feature::new(Tag::new(b"liga"), u32::from(tracking <= 0.0), ..);
    let options = ShapeOptions::new().features(std::slice::from_ref(&ligatures));
    if harfrust::shape(&ShaperFont::new(font), buffer, options).is_err() {
        return Vec::new();
    }
    let metrics = font.glyph_metrics();
    let tracking = if face == Face::Arabic { 0.0 } else { tracking };
    std::iter::zip(buffer.glyph_infos(), buffer.glyph_positions())
        .map(|(info, position)| {
            let id = GlyphId::new(info.glyph_id);
            let ink = match font.color_glyphs().get(id) {
                Some(colored) => colored.extents().ok(),
                None => metrics.extents(id),
            };
            let ink = ink.filter(|e| e.width > 0.0 && e.height > 0.0);
            let advance = position.x_advance as f32 * em;
            Glyph {
                face,
                id,
                at: info.cluster as usize,
                advance: if advance > 0.0 {
                    advance + tracking
                } else {
                    advance
                },
                dx: position.x_offset as f32 * em,
                dy: position.y_offset as f32 * em + face.centering_offset(),
                ink: ink.map(|e| Ink {
                    x0: e.x_bearing * em,
                    y0: (e.y_bearing - e.height) * em,
                    x1: (e.x_bearing + e.width) * em,
                    y1: e.y_bearing * em,
                }),
                bold: false,
            }
        })
        .collect()
}

impl Glyph {
    fn embolden(&mut self) {
        self.bold = true;
        if self.advance > 0.0 {
            self.advance += BOLD / 2.0;
        }
        if let Some(ink) = &mut self.ink {
            ink.x0 -= BOLD / 2.0;
            ink.y0 -= BOLD / 2.0;
            ink.x1 += BOLD / 2.0;
            ink.y1 += BOLD / 2.0;
        }
    }
}

impl Shaped {
    pub(crate) fn width(&self, range: Range<usize>) -> f32 {
        self.before[range.end] - self.before[range.start]
    }

    /// Widens the space after the marker of a list item, so that its text begins at `hang`.
    pub(crate) fn set_hang(&mut self, hang: f32) {
        let more = hang - self.hang;
        let space = self.marker.checked_sub(1).filter(|_| more > 0.0);
        let mut glyphs = self.runs.iter_mut().flat_map(|run| &mut run.glyphs);
        let Some(glyph) = space.and_then(|space| glyphs.find(|glyph| glyph.at == space)) else {
            return;
        };
        glyph.advance += more;
        for before in &mut self.before[self.marker..] {
            *before += more;
        }
        self.hang = hang;
    }

    /// Returns the glyphs of a line with their positions, from left to right.
    pub(crate) fn line_glyphs(&self, range: &Range<usize>) -> Vec<(f32, Glyph)> {
        let within: Vec<&Run> = self
            .runs
            .iter()
            .filter(|run| run.range.start < range.end && range.start < run.range.end)
            .collect();
        let levels: Vec<Level> = within.iter().map(|run| run.level).collect();
        let mut pen = 0.0;
        let mut placed = Vec::new();
        for index in BidiInfo::reorder_visual(&levels) {
            for glyph in within[index]
                .glyphs
                .iter()
                .filter(|glyph| range.contains(&glyph.at))
            {
                placed.push((pen, *glyph));
                pen += glyph.advance;
            }
        }
        placed
    }
}

/// Returns the byte offset at which the text of a list item begins. `None` if the paragraph is not a
/// list item.
pub(crate) fn list_text_start(text: &str) -> Option<usize> {
    let (first, rest) = text.split_once(' ')?;
    let number = first.trim_end_matches(['.', ')', 'º', 'ª']);
    let numbered = number.len() < first.len()
        && (1..=2).contains(&number.len())
        && number.bytes().all(|b| b.is_ascii_digit());
    let signs = "-–—•·*▪▫◦●○■□▶►→➜➤✓✔✗✘☐☑★☆✦✧❖";
    let pictured = first.chars().count() <= 4
        && first
            .chars()
            .all(|c| signs.contains(c) || is_picture(c) || c == '\u{200D}');
    (!rest.is_empty() && (numbered || pictured)).then_some(first.len() + 1)
}

fn is_picture(c: char) -> bool {
    matches!(c, '\u{20E3}' | '\u{2600}'..='\u{27BF}' | '\u{2B00}'..='\u{2BFF}' | '\u{1F000}'..='\u{1FAFF}')
}
