//! The structure of a text: its heading, its number, its figure, its price, its list.

use std::ops::Range;

use crate::clean::Clean;
use crate::shape::list_text_start;

/// The role of a part of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// The text itself.
    Body,
    Title,
    /// The number before a heading: «1.».
    Number,
    /// The figure or price that the card is about: «87%», «R$ 297».
    Figure,
    /// Small text around a figure.
    Note,
    /// The author under a quotation: «— Dona Cida».
    Credit,
}

/// A part of a text with one role.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    pub clean: Clean,
    pub role: Role,
    /// True if a blank line precedes the part.
    pub spaced: bool,
    /// True if the part is an item of a list.
    pub item: bool,
}

/// The parts of a text, and the layout that they form.
#[derive(Debug, Clone, Default)]
pub(crate) struct Structure {
    pub parts: Vec<Part>,
    /// True if a heading is above the text.
    pub titled: bool,
    /// True if a figure is separate from the text.
    pub poster: bool,
    pub list: bool,
}

/// The maximum number of characters in a heading without markup.
const TITLE_CHARS: usize = 80;
/// The maximum number of characters of a text that is laid out as a poster.
const POSTER_CHARS: usize = 170;
/// The maximum number of characters in a figure.
const FIGURE_CHARS: usize = 11;
/// Opening quotation marks.
pub(crate) const QUOTES: [char; 4] = ['“', '"', '«', '‘'];

impl Structure {
    /// Creates a structure of plain paragraphs; only lists are recognised.
    pub(crate) fn from_plain_paragraphs(paragraphs: Vec<Clean>) -> Self {
        let mut spaced = false;
        let mut parts = Vec::with_capacity(paragraphs.len());
        for clean in paragraphs {
            if clean.text.is_empty() {
                spaced = true;
                continue;
            }
            parts.push(Part {
                item: list_text_start(&clean.text).is_some(),
                clean,
                role: Role::Body,
                spaced: std::mem::take(&mut spaced),
            });
        }
        let list = parts.iter().filter(|part| part.item).count() > 1;
        for part in &mut parts {
            part.item &= list;
        }
        Self {
            parts,
            list,
            ..Self::default()
        }
    }

    pub(crate) fn from_paragraphs(paragraphs: Vec<Clean>) -> Self {
        let mut found = Self::from_plain_paragraphs(paragraphs);
        found.find_credit();
        if !found.find_figure() && !found.find_price() {
            found.find_number();
            found.find_title();
        }
        found
    }

    fn count_chars(&self, parts: Range<usize>) -> usize {
        let parts = &self.parts[parts];
        parts.iter().map(|p| p.clean.text.chars().count()).sum()
    }

    /// Finds the author under a quotation.
    fn find_credit(&mut self) {
        let quoted = self
            .parts
            .first()
            .is_some_and(|p| p.clean.text.starts_with(QUOTES));
        if let [.., _, last] = self.parts.as_mut_slice()
            && (last.clean.text.starts_with(['—', '–'])
                || quoted && last.clean.text.starts_with("- "))
            && !self.list
        {
            last.role = Role::Credit;
            last.item = false;
        }
    }

    fn fits_poster(&self) -> bool {
        let count = self.parts.len();
        !self.list && count <= 6 && self.count_chars(0..count) <= POSTER_CHARS
    }

    /// Finds a line that is the only figure of the text. The other lines explain the figure.
    fn find_figure(&mut self) -> bool {
        let figures = || {
            self.parts
                .iter()
                .enumerate()
                .filter(|(_, p)| is_figure(&p.clean.text))
        };
        let Some((at, _)) = figures().next() else {
            return false;
        };
        if self.parts.len() < 2 || figures().count() > 1 || !self.fits_poster() {
            return false;
        }
        self.make_poster_around(at);
        true
    }

    /// Finds a price and separates it from the rest of its line.
    fn find_price(&mut self) -> bool {
        let count = self.parts.len();
        let most = if count > 1 { 44 } else { 60 };
        if !self.fits_poster() {
            return false;
        }
        let found = self.parts.iter().enumerate().rev().find_map(|(at, part)| {
            let text = &part.clean.text;
            let short = text.chars().count() <= most && !text.contains(". ");
            price_range(text).filter(|_| short).map(|bytes| (at, bytes))
        });
        let Some((mut at, bytes)) = found else {
            return false;
        };
        let line = self.parts.remove(at);
        let end = line.clean.text.len();
        let pieces = [0..bytes.start, bytes.clone(), bytes.end..end];
        let pieces = pieces.map(|bytes| line.clean.slice(bytes));
        let before = usize::from(!pieces[0].text.is_empty());
        let mut spaced = line.spaced;
        for (n, clean) in pieces
            .into_iter()
            .filter(|piece| !piece.text.is_empty())
            .enumerate()
        {
            let part = Part {
                clean,
                role: Role::Body,
                spaced: std::mem::take(&mut spaced),
                item: false,
            };
            self.parts.insert(at + n, part);
        }
        at += before;
        self.make_poster_around(at);
        // A line such as «Assine por» before the price is not a heading, because it belongs to the
        // price.
        if at == before && before == 1 {
            self.parts[0].role = Role::Note;
        }
        true
    }

    fn make_poster_around(&mut self, figure: usize) {
        self.poster = true;
        for (at, part) in self.parts.iter_mut().enumerate() {
            part.item = false;
            part.role = match at {
                _ if at == figure => Role::Figure,
                0 => Role::Title,
                _ if part.clean.heading => Role::Title,
                _ => Role::Note,
            };
        }
    }

    /// Separates the number («1.») from the first line, unless the text is a list.
    fn find_number(&mut self) {
        let numbered = |part: &Part| part.clean.text.starts_with(|c: char| c.is_ascii_digit());
        if self.list || !self.parts.first().is_some_and(numbered) {
            return;
        }
        let first = &self.parts[0];
        let Some(at) = list_text_start(&first.clean.text) else {
            return;
        };
        let end = first.clean.text.len();
        let (number, rest) = (first.clean.slice(0..at), first.clean.slice(at..end));
        self.parts[0].clean = rest;
        let number = Part {
            clean: number,
            role: Role::Number,
            spaced: false,
            item: false,
        };
        self.parts.insert(0, number);
    }

    /// Marks as title the first line above a longer text or a list, and every line with heading
    /// markup.
    fn find_title(&mut self) {
        let first = self.parts.iter().position(|p| p.role == Role::Body);
        let (Some(first), count) = (first, self.parts.len()) else {
            return;
        };
        let body = first + 1..count;
        if !body.is_empty() {
            for part in &mut self.parts {
                if part.clean.heading && part.role == Role::Body {
                    part.role = Role::Title;
                    self.titled = true;
                }
            }
        }
        if self.titled || body.is_empty() || self.parts[first].item {
            return;
        }
        let heading = &self.parts[first].clean.text;
        let chars = heading.chars().count();
        let next = &self.parts[first + 1];
        let rest = self.count_chars(body.clone());
        let items = self.parts[body.clone()].iter().filter(|p| p.item).count();
        let above_list = self.list && (next.item || items == body.len());
        let sentence_goes_on = next.clean.text.starts_with(char::is_lowercase) && !next.spaced;
        let above_text =
            next.role == Role::Body && rest >= 45 && 10 * rest >= 13 * chars && !sentence_goes_on;
        let is_title =
            chars <= TITLE_CHARS && !heading.ends_with([',', ';']) && (above_list || above_text);
        if is_title {
            self.parts[first].role = Role::Title;
            self.titled = true;
        }
    }
}

/// True if a line is a figure, such as «87%», «3x mais» or «10 mil».
pub(crate) fn is_figure(text: &str) -> bool {
    let signs = ['+', '-', '−', '~', '<', '>', '±'];
    let start = text.trim_start_matches(signs).trim_start();
    let start = ["R$", "US$", "€", "nº "]
        .iter()
        .find_map(|unit| start.strip_prefix(unit))
        .unwrap_or(start);
    start
        .trim_start_matches([' ', '\u{A0}'])
        .starts_with(|c: char| c.is_ascii_digit())
        && text.chars().count() <= FIGURE_CHARS
        && list_text_start(text).is_none()
}

/// Returns the byte range of the last price in a line, with the characters attached to it.
fn price_range(text: &str) -> Option<Range<usize>> {
    let start = text.rfind("R$")?;
    let amount = text[start + 2..].trim_start_matches([' ', '\u{A0}', '\u{202F}']);
    let from = text.len() - amount.len();
    amount.starts_with(|c: char| c.is_ascii_digit()).then(|| {
        let length = amount.find(char::is_whitespace).unwrap_or(amount.len());
        start..from + length
    })
}
