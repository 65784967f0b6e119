//! The kind of a text, which decides its typefaces and sizes.

use crate::clean::{Clean, paragraphs};
use crate::fonts::Face;
use crate::shape::{Shaped, marker, shape};

/// How one kind of text is set: sizes as fractions of the card's unit (see [`crate::frame`]).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Voice {
    pub face: Face,
    /// Added after each letter, in ems.
    pub tracking: f32,
    /// From one base line to the next, in ems.
    pub leading: f32,
    pub largest: f32,
}

/// A style's typefaces: one for headlines and one for running text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Letters {
    pub display: Voice,
    pub text: Voice,
}

/// A part of the text that is set in one voice.
#[derive(Debug, Clone)]
pub(crate) struct Block {
    pub shaped: Shaped,
    pub voice: Voice,
    pub role: Role,
    /// Whether it is display text, with all its lines balanced.
    pub display: bool,
    /// The space above, in lines of running text.
    pub above: f32,
}

/// The role of a paragraph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Body,
    Title,
    /// The author under a quotation: «— Dona Cida».
    Credit,
}

/// A text ready to be set: its paragraphs and their roles.
#[derive(Debug, Clone)]
pub(crate) struct Composition {
    paragraphs: Vec<Clean>,
    letters: Letters,
    titled: bool,
    pub kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A word, a headline, a quotation: large.
    Display,
    /// Paragraphs or a list, possibly under a title.
    Running,
}

/// The most characters of a display text.
const DISPLAY_CHARS: usize = 170;
/// Opening quotation marks.
pub(crate) const QUOTES: [char; 4] = ['“', '"', '«', '‘'];
const TITLE_CHARS: usize = 80;

impl Composition {
    pub(crate) fn new(text: &str, letters: Letters) -> Self {
        let plain = paragraphs(text, letters.text.face);
        let written: Vec<&Clean> = plain.iter().filter(|p| !p.text.is_empty()).collect();
        let chars = |p: &&Clean| p.text.chars().count();
        let total: usize = written.iter().map(chars).sum();
        let items = written.iter().filter(|p| marker(&p.text).is_some()).count();
        let titled = match written.as_slice() {
            [first, second, ..] => {
                let spaced = plain.get(1).is_some_and(|p| p.text.is_empty());
                let list =
                    items > 1 && (marker(&second.text).is_some() || items + 1 == written.len());
                marker(&first.text).is_none()
                    && chars(first) <= TITLE_CHARS
                    && !first.text.ends_with([',', ';'])
                    && (list || total > 2 * chars(first) && (spaced || chars(second) > TITLE_CHARS))
            }
            _ => false,
        };
        let kind = if !titled && items < 2 && total <= DISPLAY_CHARS && written.len() <= 6 {
            Kind::Display
        } else {
            Kind::Running
        };
        let mut composition = Self {
            paragraphs: Vec::new(),
            letters,
            titled,
            kind,
        };
        composition.paragraphs = composition.clean(text);
        composition
    }

    /// The same text as running text, for a headline that is too long for its card.
    pub(crate) fn running(&self, text: &str) -> Self {
        let mut running = Self {
            kind: Kind::Running,
            titled: false,
            ..self.clone()
        };
        running.paragraphs = running.clean(text);
        running
    }

    fn clean(&self, text: &str) -> Vec<Clean> {
        let plain = paragraphs(text, self.letters.text.face);
        let large = paragraphs(text, self.letters.display.face);
        let count = plain.len();
        let mut all = Vec::with_capacity(count);
        for (index, (plain, large)) in plain.into_iter().zip(large).enumerate() {
            let face = self.voice(self.role(index, count, &plain.text)).face;
            all.push(if face == self.letters.display.face {
                large
            } else {
                plain
            });
        }
        all
    }

    fn role(&self, index: usize, count: usize, text: &str) -> Role {
        let credit = count > 1 && index + 1 == count && text.starts_with(['—', '–']);
        match (
            self.titled && index == 0,
            credit && self.kind == Kind::Display,
        ) {
            (true, _) => Role::Title,
            (_, true) => Role::Credit,
            _ => Role::Body,
        }
    }

    fn voice(&self, role: Role) -> Voice {
        match (role, self.kind) {
            (Role::Title, _) | (Role::Body, Kind::Display) => self.letters.display,
            (Role::Credit, _) | (Role::Body, Kind::Running) => self.letters.text,
        }
    }

    pub(crate) fn is_list(&self) -> bool {
        self.paragraphs
            .iter()
            .filter(|p| marker(&p.text).is_some())
            .count()
            > 1
    }

    /// Whether it is a quotation: between quotation marks, or with its author below.
    pub(crate) fn is_quotation(&self) -> bool {
        let count = self.paragraphs.len();
        let first = self
            .paragraphs
            .first()
            .is_some_and(|p| p.text.starts_with(QUOTES));
        let last = self.paragraphs.last();
        first || last.is_some_and(|p| self.role(count - 1, count, &p.text) == Role::Credit)
    }

    pub(crate) fn blocks(&self) -> Vec<Block> {
        let mut above = 0.0f32;
        let mut blocks: Vec<Block> = Vec::new();
        let count = self.paragraphs.len();
        for (index, clean) in self.paragraphs.iter().enumerate() {
            if clean.text.is_empty() {
                above = 0.75;
                continue;
            }
            let role = self.role(index, count, &clean.text);
            let display = role == Role::Title || self.kind == Kind::Display;
            let voice = self.voice(role);
            let shaped = shape(clean, voice.tracking);
            let close = match (blocks.last().map(|b| b.role), role) {
                (Some(Role::Title), _) => 0.7,
                (_, Role::Credit) => 0.45,
                _ if shaped.hang > 0.0 => 0.35,
                _ if display => 0.0,
                _ => 0.4,
            };
            let above = if blocks.is_empty() {
                0.0
            } else {
                std::mem::take(&mut above).max(close)
            };
            blocks.push(Block {
                shaped,
                voice,
                role,
                display,
                above,
            });
        }
        blocks
    }

    /// The positions where the text may be cut: after each word of every paragraph.
    pub(crate) fn cuts(&self) -> Vec<(usize, usize)> {
        let mut cuts = Vec::new();
        for (index, clean) in self.paragraphs.iter().enumerate() {
            let text = &clean.text;
            let long = text.split(' ').any(|word| word.len() > 40);
            let ends = text
                .char_indices()
                .filter(|(_, c)| long || *c == ' ')
                .map(|(at, _)| at);
            cuts.extend(ends.filter(|&at| at > 0).map(|at| (index, at)));
            if !text.is_empty() {
                cuts.push((index, text.len()));
            }
        }
        cuts
    }

    /// The text up to a cut, followed by an ellipsis.
    pub(crate) fn cut_at(&self, (index, at): (usize, usize)) -> Self {
        let mut paragraphs = self.paragraphs[..index].to_vec();
        let cut = &self.paragraphs[index];
        let face = self
            .voice(self.role(index, self.paragraphs.len(), &cut.text))
            .face;
        paragraphs.push(cut.ellipsis(at, face));
        Self {
            paragraphs,
            ..self.clone()
        }
    }
}
