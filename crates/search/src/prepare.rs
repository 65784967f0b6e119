//! Prepares a document for the index: splits it into chunks, hashes and stems them. This is CPU
//! work and belongs on a blocking thread.

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
    /// The hash of the document's title and text, and of the version of the stemming.
    pub sha256: String,
    pub characters: i64,
    /// True if the document is not stored when another source already has the same text.
    pub once: bool,
    /// The tags of the document. `None` keeps the stored tags.
    pub tags: Option<Vec<String>>,
    pub chunks: Vec<PreparedChunk>,
}

/// One chunk with its stems, separated by spaces.
#[derive(Debug, Clone)]
pub struct PreparedChunk {
    pub title: String,
    pub text: String,
    pub starts_at: i64,
    /// The hash of title and text. An unchanged chunk keeps its id by this hash.
    pub sha256: String,
    pub title_terms: String,
    pub terms: String,
}

/// Splits and stems a document. Returns `None` if the document contains no searchable word.
#[must_use]
pub fn prepare_for_index(
    source: &str,
    name: &str,
    document: &Document,
    tags: Option<Vec<String>>,
) -> Option<Prepared> {
    let title = document.title.as_deref().unwrap_or(name).replace('\0', " ");
    let chunks: Vec<PreparedChunk> = chunk::split_into_chunks(document, &title)
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
                starts_at: to_i64(chunk.starts_at),
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
    // The hash does not cover the file name, so a copy of the same text under another name has the
    // same hash.
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
        characters: to_i64(document.count_characters()),
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

fn to_i64(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
