//! Documents as paragraphs under their headings.

use super::html;

/// A document before it is cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// Its own title, if it has one.
    pub title: Option<String>,
    pub paragraphs: Vec<Paragraph>,
}

/// A paragraph, a list or a block of code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paragraph {
    /// From the outermost heading to the nearest.
    pub headings: Vec<String>,
    pub text: String,
    /// Characters before it in the document.
    pub starts_at: usize,
}

impl Document {
    /// Plain text: paragraphs between empty lines.
    #[must_use]
    pub fn text(text: &str) -> Self {
        let mut builder = Builder::default();
        for line in lines(text) {
            builder.line(line);
        }
        builder.done()
    }

    /// Markdown: the first heading of the first level is its title.
    #[must_use]
    pub fn markdown(text: &str) -> Self {
        let mut builder = Builder::default();
        let mut fence = None;
        for line in without_front_matter(text, &mut builder) {
            let plain = line.trim();
            let mark = ["```", "~~~"]
                .into_iter()
                .find(|mark| plain.starts_with(mark));
            match (fence, mark) {
                (None, Some(_)) => fence = mark,
                (Some(open), Some(mark)) if open == mark => fence = None,
                _ => {}
            }
            match heading(line).filter(|_| fence.is_none()) {
                Some((level, text)) => builder.heading(level, text, line),
                None => builder.line(line),
            }
        }
        builder.done()
    }

    /// HTML: what a person would read of it.
    #[must_use]
    pub fn html(text: &str) -> Self {
        html::read(text)
    }

    /// The document with one paragraph more, the first under its first heading.
    #[must_use]
    pub fn after(mut self, text: String) -> Self {
        let first = self.paragraphs.first();
        let headings = first.map_or_else(Vec::new, |first| first.headings.clone());
        let paragraph = Paragraph {
            headings,
            text,
            starts_at: 0,
        };
        self.paragraphs.insert(0, paragraph);
        self
    }

    /// Characters of its text.
    #[must_use]
    pub fn characters(&self) -> usize {
        self.paragraphs.iter().map(|p| p.text.chars().count()).sum()
    }
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.strip_prefix('\u{feff}').unwrap_or(text).split('\n')
}

/// `## Title ##` → (2, `Title`).
fn heading(line: &str) -> Option<(usize, &str)> {
    let line = line.trim_end();
    let level = line.bytes().take_while(|b| *b == b'#').count();
    let text = line.get(level..)?;
    let is_heading = (1..=6).contains(&level) && (text.is_empty() || text.starts_with([' ', '\t']));
    is_heading.then(|| (level, text.trim().trim_end_matches('#').trim_end()))
}

/// The lines after the front matter, whose title is taken.
fn without_front_matter<'t>(text: &'t str, builder: &mut Builder) -> Vec<&'t str> {
    let all: Vec<&str> = lines(text).collect();
    let end = all.iter().skip(1).position(|line| line.trim_end() == "---");
    match end.filter(|_| all[0].trim_end() == "---") {
        Some(end) => {
            let (front, rest) = all.split_at(end + 2);
            let title = front.iter().find_map(|line| line.strip_prefix("title:"));
            builder.title = title
                .map(|title| title.trim().trim_matches(['"', '\'']).to_owned())
                .filter(|title| !title.is_empty());
            builder.read = front.iter().map(|line| line.chars().count() + 1).sum();
            rest.to_vec()
        }
        None => all,
    }
}

/// Gathers lines into paragraphs.
#[derive(Default)]
pub(super) struct Builder {
    title: Option<String>,
    /// (level, text), outermost first.
    headings: Vec<(usize, String)>,
    open: String,
    starts_at: usize,
    read: usize,
    paragraphs: Vec<Paragraph>,
}

impl Builder {
    pub(super) fn title(&mut self, title: &str) {
        let title = one_line(title);
        if self.title.is_none() && !title.is_empty() {
            self.title = Some(title);
        }
    }

    pub(super) fn heading(&mut self, level: usize, text: &str, line: &str) {
        self.end_paragraph();
        let text = one_line(text);
        self.headings.retain(|(outer, _)| *outer < level);
        if !text.is_empty() {
            if level == 1 && self.title.is_none() {
                self.title = Some(text.clone());
            }
            self.headings.push((level, text));
        }
        self.read += line.chars().count() + 1;
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
            let headings = self.headings.iter().map(|(_, text)| text.clone());
            self.paragraphs.push(Paragraph {
                headings: headings.collect(),
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

/// Without line breaks, and short enough to stand over a text.
fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_keeps_the_path_of_headings() {
        let text = "---\ntitle: \"Guia\"\n---\n# Arroz\n\nIntro.\n\n## Água ##\nDuas xícaras.\n\n```\n# não é título\n```\n### Sal\n- um\n- dois\n## Fogo\nBaixo.";
        let document = Document::markdown(text);
        assert_eq!(document.title.as_deref(), Some("Guia"));
        let told: Vec<_> = document
            .paragraphs
            .iter()
            .map(|p| (p.headings.join("/"), p.text.as_str()))
            .collect();
        let expected = [
            ("Arroz", "Intro."),
            ("Arroz/Água", "Duas xícaras."),
            ("Arroz/Água", "```\n# não é título\n```"),
            ("Arroz/Água/Sal", "- um\n- dois"),
            ("Arroz/Fogo", "Baixo."),
        ];
        assert_eq!(told, expected.map(|(path, text)| (path.to_owned(), text)));
        for paragraph in &document.paragraphs {
            let at: String = text.chars().skip(paragraph.starts_at).collect();
            assert!(at.starts_with(&paragraph.text), "{paragraph:?}");
        }
    }

    #[test]
    fn plain_text_has_paragraphs_and_no_title() {
        let document = Document::text("\u{feff}Um\r\ndois\r\n\r\n \r\n# Três");
        assert_eq!(document.title, None);
        let texts: Vec<_> = document
            .paragraphs
            .iter()
            .map(|p| p.text.as_str())
            .collect();
        assert_eq!(texts, ["Um\ndois", "# Três"]);
    }
}
