//! Splits documents into chunks, the unit that a search returns and an agent reads.
//!
//! A chunk contains text under one heading where possible. Short neighbours under the same parent
//! heading are joined. Long sections are split between sentences, and the last sentence of a chunk
//! is repeated in the next chunk.

use super::document::{Document, Paragraph};

/// The target length of a chunk, in characters.
const TARGET: usize = 1_000;
/// The maximum length of a chunk, in characters.
const MOST: usize = 1_200;
/// A section shorter than this, in characters, is joined with its neighbour.
const SHORT: usize = 350;
/// The longest sentence that is repeated in the next chunk, in characters.
const OVERLAP: usize = 160;

/// A chunk of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// The titles of the document and of the headings above the chunk.
    pub title: String,
    pub text: String,
    /// The number of characters before the chunk in the document.
    pub starts_at: usize,
}

/// Splits a document into chunks.
#[must_use]
pub fn split_into_chunks(document: &Document, title: &str) -> Vec<Chunk> {
    let mut cutter = Cutter {
        title,
        open: None,
        done: vec![],
    };
    for paragraph in &document.paragraphs {
        for (part, starts_at) in split_paragraph(paragraph) {
            cutter.add_part(&paragraph.headings, part, starts_at);
        }
    }
    cutter.close_chunk();
    cutter.done
}

struct Cutter<'d> {
    title: &'d str,
    open: Option<Open<'d>>,
    done: Vec<Chunk>,
}

/// A chunk to which sections may still be added.
struct Open<'d> {
    /// The headings of the chunk's first section, and those of the section added last.
    headings: &'d [String],
    last: &'d [String],
    names: Vec<&'d str>,
    text: String,
    length: usize,
    starts_at: usize,
}

impl<'d> Cutter<'d> {
    fn add_part(&mut self, headings: &'d [String], part: &str, starts_at: usize) {
        let length = part.chars().count();
        if let Some(open) = &mut self.open {
            let own = open.unshared_headings(headings);
            let added = own
                .iter()
                .map(|name| name.chars().count() + 2)
                .sum::<usize>()
                + length
                + 2;
            let room = open.length + added <= if headings == open.last { MOST } else { TARGET };
            let grows = headings == open.last && open.length + length / 2 <= TARGET;
            if room && (grows || (headings != open.last && open.can_join(headings))) {
                open.append_section(headings, part, added);
                return;
            }
        }
        let before = self.close_chunk();
        let repeated = before
            .filter(|(last, _)| *last == headings)
            .map(|(_, sentence)| sentence)
            .filter(|sentence| sentence.chars().count() + 1 + length <= MOST);
        let text = match &repeated {
            Some(sentence) => format!("{sentence} {part}"),
            None => part.to_owned(),
        };
        self.open = Some(Open {
            headings,
            last: headings,
            names: vec![],
            length: text.chars().count(),
            text,
            starts_at,
        });
    }

    /// Completes the open chunk. Returns the headings of its last section, and its last sentence,
    /// which the next chunk may repeat.
    fn close_chunk(&mut self) -> Option<(&'d [String], String)> {
        let open = self.open.take()?;
        let mut names: Vec<&str> = vec![self.title];
        let headings = open.headings.iter().map(String::as_str);
        names.extend(headings.filter(|name| *name != self.title));
        let mut title = names.join(" › ");
        for name in &open.names {
            title.push_str(" / ");
            title.push_str(name);
        }
        let sentence = sentences(&open.text).last().map(|s| s.trim().to_owned());
        self.done.push(Chunk {
            title: title.chars().take(400).collect(),
            text: open.text,
            starts_at: open.starts_at,
        });
        let sentence = sentence.filter(|s| s.chars().count() <= OVERLAP)?;
        Some((open.last, sentence))
    }
}

impl<'d> Open<'d> {
    /// True if a section can join the open chunk: it is a sibling or a child of the section added
    /// last, and the chunk is short.
    fn can_join(&self, headings: &[String]) -> bool {
        fn parent(path: &[String]) -> Option<&[String]> {
            path.split_last().map(|(_, parent)| parent)
        }
        let near = parent(headings) == parent(self.last) || headings.starts_with(self.last);
        near && self.length < SHORT
    }

    /// Returns the headings of a section, without the leading headings that it shares with the section
    /// added last.
    fn unshared_headings(&self, headings: &'d [String]) -> &'d [String] {
        let common = headings.iter().zip(self.last);
        &headings[common.take_while(|(one, other)| one == other).count()..]
    }

    /// Appends a section, or a part of one, under its headings.
    fn append_section(&mut self, headings: &'d [String], part: &str, length: usize) {
        self.text.push_str("\n\n");
        self.length += length;
        for name in self.unshared_headings(headings) {
            self.text.push_str(name);
            let ends = name.ends_with([':', '.', '!', '?', '…']);
            self.text.push_str(if ends { "\n" } else { ":\n" });
        }
        if headings != self.last {
            self.names.extend(headings.last().map(String::as_str));
            self.last = headings;
        }
        self.text.push_str(part);
    }
}

/// Splits a paragraph between sentences if it is too long. Returns each part with its position in
/// the document.
fn split_paragraph(paragraph: &Paragraph) -> Vec<(&str, usize)> {
    let text = paragraph.text.as_str();
    if text.chars().count() <= MOST {
        return vec![(text, paragraph.starts_at)];
    }
    let mut parts = vec![];
    let (mut start, mut end, mut length) = (0, 0, 0);
    let mut starts_at = paragraph.starts_at;
    for sentence in
        sentences(text).flat_map(|sentence| split_at_words(sentence, MOST - OVERLAP - 2))
    {
        let more = sentence.chars().count();
        if length > 0 && length + more > TARGET - OVERLAP {
            parts.push((text[start..end].trim(), starts_at));
            starts_at += length;
            (start, length) = (end, 0);
        }
        end += sentence.len();
        length += more;
    }
    parts.push((text[start..end].trim(), starts_at));
    parts.retain(|(part, _)| !part.is_empty());
    parts
}

/// Splits a text into sentences, each with the white space that follows it.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut letters = rest.char_indices().peekable();
        let mut end = rest.len();
        while let Some((_, letter)) = letters.next() {
            let stops = matches!(letter, '.' | '!' | '?' | '…' | '\n');
            let Some((at, space)) = letters.peek().copied() else {
                break;
            };
            if letter == '\n' || (stops && space.is_whitespace()) {
                let after = rest[at..].find(|c: char| !c.is_whitespace());
                end = after.map_or(rest.len(), |after| at + after);
                break;
            }
        }
        let (sentence, after) = rest.split_at(end);
        rest = after;
        Some(sentence)
    })
}

/// Splits a text into pieces of at most `most` characters, between words where possible.
fn split_at_words(text: &str, most: usize) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let hard = rest
            .char_indices()
            .nth(most)
            .map_or(rest.len(), |(at, _)| at);
        let end = if hard == rest.len() {
            hard
        } else {
            let space = rest[..hard]
                .char_indices()
                .rev()
                .find(|(_, c)| c.is_whitespace());
            space.map_or(hard, |(at, space)| at + space.len_utf8())
        };
        let (piece, after) = rest.split_at(end);
        rest = after;
        Some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunks(markdown: &str) -> Vec<Chunk> {
        split_into_chunks(&Document::from_markdown(markdown), "Guia")
    }

    #[test]
    fn short_neighbours_are_joined_and_keep_their_headings_in_place() {
        let found = chunks("# Guia\n## Um\nPrimeiro.\n## Dois\nSegundo.\n# Outro\nTerceiro.");
        let actual: Vec<_> = found
            .iter()
            .map(|c| (c.title.as_str(), c.text.as_str()))
            .collect();
        let expected = [
            ("Guia › Um / Dois", "Primeiro.\n\nDois:\nSegundo."),
            ("Guia › Outro", "Terceiro."),
        ];
        assert_eq!(actual, expected);
    }

    #[test]
    fn long_sections_are_cut_between_sentences_and_overlap_by_one() {
        let text: String = (0..80)
            .map(|n| format!("Esta é a frase de número {n}. "))
            .collect();
        let found = chunks(&format!("# Guia\n\n{text}"));
        assert!(found.len() > 2);
        for pair in found.windows(2) {
            let last = sentences(&pair[0].text).last().expect("a sentence");
            assert!(pair[1].text.starts_with(last.trim()), "{pair:?}");
        }
        for chunk in &found {
            assert!(
                chunk.text.ends_with('.') && chunk.text.starts_with("Esta"),
                "{chunk:?}"
            );
            assert!((400..=MOST).contains(&chunk.text.chars().count()));
        }
    }

    #[test]
    fn no_chunk_exceeds_the_limit_and_no_text_is_lost() {
        let texts = [
            "x".repeat(5_000),
            "🎉".repeat(3_000),
            "palavra ".repeat(900),
            "a.\n".repeat(2_000),
            format!("{}\n\n{}", "b ".repeat(600), "c. ".repeat(600)),
        ];
        for text in texts {
            let document = Document::from_text(&text);
            let found = split_into_chunks(&document, "T");
            let solid = |text: &str| text.chars().filter(|c| !c.is_whitespace()).count();
            let sum: usize = found.iter().map(|c| solid(&c.text)).sum();
            assert!(sum >= solid(&text), "{sum}");
            assert!(
                found
                    .iter()
                    .all(|c| c.text.chars().count() <= MOST && !c.text.is_empty())
            );
        }
        assert!(split_into_chunks(&Document::from_text(" \n \n"), "T").is_empty());
    }

    #[test]
    fn a_change_in_one_section_leaves_the_others_as_they_are() {
        let body = "Frase com algum tamanho para encher a seção. ".repeat(12);
        let chunks_with = |word: &str| {
            chunks(&format!(
                "# Guia\n## A\n{body}\n## B\n{word} {body}\n## C\n{body}"
            ))
        };
        let (before, after) = (chunks_with("antes"), chunks_with("depois"));
        let same = before
            .iter()
            .filter(|c| after.iter().any(|d| d.text == c.text && d.title == c.title));
        assert_eq!(same.count(), before.len() - 1);
    }
}
