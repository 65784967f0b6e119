//! Documents as paragraphs with headings.

use std::sync::Arc;

/// A document before it is split into chunks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// The title contained in the document.
    pub title: Option<String>,
    pub paragraphs: Vec<Paragraph>,
}

/// A paragraph, a list or a block of code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paragraph {
    /// The headings above the paragraph, outermost first.
    pub headings: Arc<[String]>,
    pub text: String,
    /// The number of characters before the paragraph in the document.
    pub starts_at: usize,
}

impl Document {
    /// Parses plain text; empty lines separate paragraphs.
    #[must_use]
    pub fn from_text(text: &str) -> Self {
        let mut builder = Builder::default();
        for line in split_lines(text) {
            builder.push_line(line);
        }
        builder.finish()
    }

    /// Inserts a paragraph at the start, under the headings of the first paragraph.
    #[must_use]
    pub fn prepend_paragraph(mut self, text: String) -> Self {
        let first = self.paragraphs.first();
        let headings = first
            .map(|first| first.headings.clone())
            .unwrap_or_default();
        let paragraph = Paragraph {
            headings,
            text,
            starts_at: 0,
        };
        self.paragraphs.insert(0, paragraph);
        self
    }

    /// Returns the number of characters in all paragraphs.
    #[must_use]
    pub fn count_characters(&self) -> usize {
        self.paragraphs.iter().map(|p| p.text.chars().count()).sum()
    }
}

fn split_lines(text: &str) -> impl Iterator<Item = &str> {
    text.strip_prefix('\u{feff}').unwrap_or(text).split('\n')
}

/// Collects lines and blocks into paragraphs.
#[derive(Default)]
pub(super) struct Builder {
    title: Option<String>,
    /// The level and text of each open heading, outermost first.
    headings: Vec<(usize, String)>,
    path: Arc<[String]>,
    open: String,
    starts_at: usize,
    pub(super) read: usize,
    paragraphs: Vec<Paragraph>,
}

impl Builder {
    pub(super) fn set_title(&mut self, title: &str) {
        let title = to_heading_line(title);
        if self.title.is_none() && !title.is_empty() {
            self.title = Some(title);
        }
    }

    pub(super) fn push_heading(&mut self, level: usize, text: &str) {
        self.end_paragraph();
        let text = to_heading_line(text);
        self.headings.retain(|(outer, _)| *outer < level);
        if !text.is_empty() {
            if level == 1 {
                self.set_title(&text);
            }
            self.headings.push((level, text));
        }
        self.path = self.headings.iter().map(|(_, text)| text.clone()).collect();
    }

    /// Adds a complete paragraph that starts at the current position.
    pub(super) fn push_block(&mut self, text: &str) {
        self.starts_at = self.read;
        self.open.push_str(text);
        self.end_paragraph();
    }

    pub(super) fn push_line(&mut self, line: &str) {
        let text = line.trim_end();
        if text.trim_start().is_empty() {
            self.end_paragraph();
        } else {
            if self.open.is_empty() {
                self.starts_at = self.read;
            } else {
                self.open.push('\n');
            }
            self.open.push_str(text);
        }
        self.read += line.chars().count() + 1;
    }

    pub(super) fn end_paragraph(&mut self) {
        let text = std::mem::take(&mut self.open);
        if !text.is_empty() {
            self.paragraphs.push(Paragraph {
                headings: self.path.clone(),
                text,
                starts_at: self.starts_at,
            });
        }
    }

    pub(super) fn finish(mut self) -> Document {
        self.end_paragraph();
        Document {
            title: self.title,
            paragraphs: self.paragraphs,
        }
    }
}

/// Returns a heading on one line, truncated to 200 characters.
fn to_heading_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().take(200).collect()
}
