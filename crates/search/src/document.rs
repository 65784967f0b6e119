//! Documents as paragraphs with headings.

use std::sync::Arc;

/// A document before it is split into chunks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// The title that the document itself contains.
    pub title: Option<String>,
    pub paragraphs: Vec<Paragraph>,
}

/// A paragraph, a list or a block of code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paragraph {
    /// The headings above the paragraph, outermost first.
    pub headings: Arc<[String]>,
    pub text: String,
    /// Number of characters before the paragraph in the document.
    pub starts_at: usize,
}

impl Document {
    /// Reads plain text; empty lines separate paragraphs.
    #[must_use]
    pub fn text(text: &str) -> Self {
        let mut builder = Builder::default();
        for line in lines(text) {
            builder.line(line);
        }
        builder.done()
    }

    /// Prepends a paragraph, under the headings of the first one.
    #[must_use]
    pub fn after(mut self, text: String) -> Self {
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

    /// Number of characters in all paragraphs.
    #[must_use]
    pub fn characters(&self) -> usize {
        self.paragraphs.iter().map(|p| p.text.chars().count()).sum()
    }
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.strip_prefix('\u{feff}').unwrap_or(text).split('\n')
}

/// Collects lines and blocks into paragraphs.
#[derive(Default)]
pub(super) struct Builder {
    title: Option<String>,
    /// (level, text), outermost first.
    headings: Vec<(usize, String)>,
    path: Arc<[String]>,
    open: String,
    starts_at: usize,
    pub(super) read: usize,
    paragraphs: Vec<Paragraph>,
}

impl Builder {
    pub(super) fn title(&mut self, title: &str) {
        let title = one_line(title);
        if self.title.is_none() && !title.is_empty() {
            self.title = Some(title);
        }
    }

    pub(super) fn heading(&mut self, level: usize, text: &str) {
        self.end_paragraph();
        let text = one_line(text);
        self.headings.retain(|(outer, _)| *outer < level);
        if !text.is_empty() {
            if level == 1 {
                self.title(&text);
            }
            self.headings.push((level, text));
        }
        self.path = self.headings.iter().map(|(_, text)| text.clone()).collect();
    }

    /// Adds a complete paragraph that starts at the current position.
    pub(super) fn block(&mut self, text: &str) {
        self.starts_at = self.read;
        self.open.push_str(text);
        self.end_paragraph();
    }

    pub(super) fn line(&mut self, line: &str) {
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

    pub(super) fn done(mut self) -> Document {
        self.end_paragraph();
        Document {
            title: self.title,
            paragraphs: self.paragraphs,
        }
    }
}

/// A heading on one line, truncated to 200 characters.
fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().take(200).collect()
}
