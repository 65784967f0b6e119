//! A document prepared for the index: cut, hashed and stemmed. All of this is computation and belongs
//! on a blocking thread.

use sha2::{Digest, Sha256};

use super::{
    Document, chunk,
    words::{self, stems},
};

/// A document that is ready to be stored.
#[derive(Debug, Clone)]
pub struct Prepared {
    pub source: String,
    pub title: String,
    /// Hash of its own title, its text and the version of the stemming.
    pub sha256: String,
    pub characters: i64,
    /// Whether it is skipped when another source already has the same text.
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
    /// Hash of its title and text, by which an unchanged chunk keeps its id.
    pub sha256: String,
    pub title_terms: String,
    pub terms: String,
}

/// Cuts and stems a document; `None` when it has no word that could be searched.
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
    // The name is not content: a copy of a file under another name adds nothing.
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
