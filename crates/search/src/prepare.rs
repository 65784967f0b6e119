//! A document made ready for the index: cut, hashed, stemmed. All of it is arithmetic and belongs
//! on a thread that may block.

use sha2::{Digest, Sha256};

use super::{
    Document, chunk,
    words::{self, stems},
};

/// A document that is ready to be kept.
#[derive(Debug, Clone)]
pub struct Prepared {
    pub source: String,
    pub title: String,
    /// Of its own title, its text and the way its words are stemmed.
    pub sha256: String,
    pub characters: i64,
    /// Whether the same text from another source makes it needless.
    pub once: bool,
    /// `None` keeps the tags that the source has.
    pub tags: Option<Vec<String>>,
    pub chunks: Vec<PreparedChunk>,
}

/// One chunk with its stems, separated by spaces.
#[derive(Debug, Clone)]
pub struct PreparedChunk {
    pub title: String,
    pub text: String,
    pub starts_at: i64,
    /// Of its title and text: by it a chunk keeps its id.
    pub sha256: String,
    pub title_terms: String,
    pub terms: String,
}

/// Cuts and stems a document; `None` when it has no word to be found by.
#[must_use]
pub fn prepare(
    source: &str,
    name: &str,
    document: &Document,
    tags: Option<Vec<String>>,
) -> Option<Prepared> {
    let title = document.title.as_deref().unwrap_or(name).replace('\0', " ");
    let chunks: Vec<PreparedChunk> = chunk::cut(document, &title)
        .into_iter()
        .map(|chunk| {
            let (title, text) = (
                chunk.title.replace('\0', " "),
                chunk.text.replace('\0', " "),
            );
            let joined = |text: &str| stems(text).collect::<Vec<_>>().join(" ");
            PreparedChunk {
                sha256: sha256(&[&title, &text]),
                title_terms: joined(&title),
                terms: joined(&text),
                starts_at: whole(chunk.starts_at),
                title,
                text,
            }
        })
        .filter(|chunk| !chunk.terms.is_empty())
        .collect();
    if chunks.is_empty() {
        return None;
    }
    let version = words::VERSION.to_string();
    // A name is not content: a copy of a file under another one says nothing new.
    let mut parts = vec![version.as_str(), document.title.as_deref().unwrap_or("")];
    for chunk in &chunks {
        parts.push(chunk.title.strip_prefix(&title).unwrap_or(&chunk.title));
        parts.push(&chunk.text);
    }
    let sha256 = sha256(&parts);
    Some(Prepared {
        source: source.to_owned(),
        sha256,
        title,
        characters: whole(document.characters()),
        once: true,
        tags,
        chunks,
    })
}

fn sha256(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part.as_bytes());
        hash.update([0]);
    }
    hash.finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

fn whole(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
