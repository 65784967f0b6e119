//! Composes a text: its kind determines its typefaces and sizes.

use crate::clean::clean_paragraphs;
use crate::fonts::Face;
use crate::shape::{Shaped, shape_paragraph};
use crate::structure::{Part, Structure, is_figure};
pub(crate) use crate::structure::{QUOTES, Role};

/// The text style of one kind of text. Sizes are fractions of the card's unit (see
/// [`crate::frame`]).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Voice {
    pub face: Face,
    /// The space after each letter, in ems.
    pub tracking: f32,
    /// The distance between base lines, in ems.
    pub leading: f32,
    pub largest: f32,
}

/// The text styles of a design: one for headlines and one for running text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Letters {
    pub display: Voice,
    pub text: Voice,
}

/// A part of the text in one text style.
#[derive(Debug, Clone)]
pub(crate) struct Block {
    pub shaped: Shaped,
    pub voice: Voice,
    pub role: Role,
    /// True for display text, whose lines are all balanced.
    pub display: bool,
    /// The space above the block, in lines of running text.
    pub above: f32,
}

/// A text ready to be typeset: its parts with their roles.
#[derive(Debug, Clone)]
pub(crate) struct Composition {
    parts: Vec<Part>,
    letters: Letters,
    /// True if the card shows a figure with small text around it.
    pub poster: bool,
    pub list: bool,
    pub kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Large text: a word, a headline, a quotation or a figure.
    Display,
    /// Paragraphs or a list, possibly under a title.
    Running,
}

/// The maximum number of characters in a display text.
const DISPLAY_CHARS: usize = 170;

impl Composition {
    pub(crate) fn new(text: &str, letters: Letters) -> Self {
        let structure = Structure::from_paragraphs(clean_paragraphs(text, letters.text.face));
        let total: usize = structure
            .parts
            .iter()
            .map(|part| part.clean.text.chars().count())
            .sum();
        let short = total <= DISPLAY_CHARS && structure.parts.len() <= 6;
        let kind = if structure.poster || !structure.titled && !structure.list && short {
            Kind::Display
        } else {
            Kind::Running
        };
        Self::from_structure(structure, letters, kind)
    }

    /// Composes the same text as running text, for a headline that is too long for its card.
    pub(crate) fn to_running_text(&self, text: &str) -> Self {
        let structure =
            Structure::from_plain_paragraphs(clean_paragraphs(text, self.letters.text.face));
        Self::from_structure(structure, self.letters, Kind::Running)
    }

    fn from_structure(structure: Structure, letters: Letters, kind: Kind) -> Self {
        let mut composition = Self {
            parts: structure.parts,
            letters,
            poster: structure.poster,
            list: structure.list,
            kind,
        };
        let faces = composition
            .parts
            .iter()
            .map(|part| composition.text_style(part.role).face);
        let faces: Vec<Face> = faces.collect();
        for (part, face) in composition.parts.iter_mut().zip(faces) {
            if face != letters.text.face {
                part.clean = part.clean.replace_face(letters.text.face, face);
            }
        }
        composition
    }

    fn text_style(&self, role: Role) -> Voice {
        match (role, self.kind) {
            (Role::Title | Role::Number | Role::Figure, _) | (Role::Body, Kind::Display) => {
                self.letters.display
            }
            (Role::Credit | Role::Note, _) | (Role::Body, Kind::Running) => self.letters.text,
        }
    }

    /// True if the text is a quotation: in quotation marks, or with its author below.
    pub(crate) fn is_quotation(&self) -> bool {
        let quoted = |part: &Part| part.clean.text.starts_with(QUOTES);
        self.parts.first().is_some_and(quoted)
            || self.parts.last().is_some_and(|p| p.role == Role::Credit)
    }

    /// Returns the maximum size of the text, as a fraction of the card's unit. Short text may be larger.
    pub(crate) fn largest_size(&self) -> f32 {
        let chars = |role: Role| -> usize {
            let parts = self.parts.iter().filter(|part| part.role == role);
            parts.map(|part| part.clean.text.chars().count()).sum()
        };
        let body = chars(Role::Body);
        if self.kind == Kind::Display && !self.poster {
            let figure = |part: &Part| part.role == Role::Body && is_figure(&part.clean.text);
            let alone = match body {
                _ if self.parts.len() == 1 && self.parts.iter().all(figure) => 8.0,
                0..=3 => 2.4,
                4..=12 => 1.6,
                13..=28 => 1.2,
                _ => 1.0,
            };
            return self.letters.display.largest * alone;
        }
        let boost = match body + chars(Role::Note) {
            0..=70 => 1.75,
            71..=130 => 1.55,
            131..=200 => 1.35,
            201..=320 => 1.15,
            _ => 1.0,
        };
        self.letters.text.largest * boost
    }

    pub(crate) fn shape_blocks(&self) -> Vec<Block> {
        let mut blocks: Vec<Block> = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            let role = part.role;
            let voice = self.text_style(role);
            let display = voice.face == self.letters.display.face && role != Role::Note;
            let shaped = shape_paragraph(&part.clean, voice.tracking, part.item);
            let close: f32 = match (blocks.last().map(|b| b.role), role) {
                (None, _) => 0.0,
                (Some(Role::Number), _) => 0.1,
                (Some(Role::Title), Role::Figure) => 0.5,
                (Some(Role::Title), _) => 0.7,
                (_, Role::Title) => 1.0,
                (_, Role::Credit) => 0.45,
                (Some(Role::Figure), _) | (_, Role::Figure) => 0.3,
                _ if part.item => 0.4,
                _ if display => 0.0,
                _ => 0.4,
            };
            let blank = if part.spaced && !blocks.is_empty() {
                0.75
            } else {
                0.0
            };
            blocks.push(Block {
                shaped,
                voice,
                role,
                display,
                above: close.max(blank),
            });
        }
        // The markers have different widths («1.» is narrower than «4.»), but the texts of a list must
        // begin at the same position.
        let hang = blocks.iter().map(|b| b.shaped.hang).fold(0.0, f32::max);
        for block in &mut blocks {
            block.shaped.set_hang(hang);
        }
        blocks
    }

    /// Returns the positions where the text may be cut: after each word of every part.
    pub(crate) fn cut_positions(&self) -> Vec<(usize, usize)> {
        let mut cuts = Vec::new();
        for (index, part) in self.parts.iter().enumerate() {
            let text = &part.clean.text;
            let long = text.split(' ').any(|word| word.len() > 40);
            let ends = text
                .char_indices()
                .filter(|(_, c)| long || *c == ' ')
                .map(|(at, _)| at);
            cuts.extend(ends.filter(|&at| at > 0).map(|at| (index, at)));
            cuts.push((index, text.len()));
        }
        cuts
    }

    /// Returns the text up to a cut, followed by an ellipsis.
    pub(crate) fn cut_at(&self, (index, at): (usize, usize)) -> Self {
        let mut parts = self.parts[..=index].to_vec();
        if let Some(last) = parts.last_mut() {
            last.clean = last
                .clean
                .with_ellipsis(at, self.text_style(last.role).face);
        }
        Self {
            parts,
            ..self.clone()
        }
    }
}
