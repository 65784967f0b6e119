//! The knowledge base: its documents and its searches.

mod candidates;
mod chunks;
mod documents;
mod listed;
mod query;
mod typed;
pub mod vectors;

use search::Prepared;

use crate::{Bind, Conn, Result};
use documents::{lock_and_reserve_numbers, set_tags};
use domain::{DocumentId, time::Millis};

pub use candidates::{
    Match, Passage, Source, Statistics, Within, find_similar_terms, load_candidates,
    load_first_passages, load_passages, load_sources, load_statistics,
};
pub use chunks::rebuild_index;
pub use documents::{SKILL_SOURCE, Taken, add, lock_and_read_source, replace};
pub use listed::{Listed, find, list, list_page};
pub use typed::{FoundDocument, find_by_query};
pub use vectors::{EmbeddingProfile, IndexVersion};

/// The result of adding a document.
#[derive(Debug, PartialEq, Eq)]
pub enum Kept {
    /// The document is new and has this many chunks.
    Added(usize),
    /// The text or the tags changed; this many chunks kept their ids.
    Replaced(usize),
    Unchanged,
    /// Not added, because the contained source already has the same text.
    Elsewhere(String),
}

/// Adds a document, or replaces the document of the same source. Unchanged chunks keep their ids.
pub async fn save_document(db: &Conn<'_>, document: Prepared, now: Millis) -> Result<Kept> {
    // This locks the row of totals, which serialises the writers and numbers the chunks.
    let first = lock_and_reserve_numbers(db, document.chunks.len()).await?;
    let known = db
        .fetch_all(
            "SELECT id, source, sha256 FROM knowledge_documents WHERE source = $1 OR sha256 = $2
             ORDER BY source",
            [
                document.source.clone().into(),
                document.sha256.clone().into(),
            ],
        )
        .await?;
    let mut mine = None;
    let mut elsewhere = None;
    for row in known {
        let (source, sha256): (String, String) =
            (row.try_get("", "source")?, row.try_get("", "sha256")?);
        if source == document.source {
            mine = Some((row.try_get::<DocumentId>("", "id")?, sha256));
        } else if !source.starts_with(SKILL_SOURCE) {
            // Skills are published and removed without the operator, so a file with the text of a
            // skill is still added.
            elsewhere = Some(source);
        }
    }
    let Some((id, sha256)) = mine else {
        if let Some(source) = elsewhere.filter(|_| document.once) {
            return Ok(Kept::Elsewhere(source));
        }
        let id = DocumentId::new(now);
        documents::insert(db, &id, first, &document, now).await?;
        return Ok(Kept::Added(document.chunks.len()));
    };
    let retagged = set_tags(db, &id, document.tags.clone()).await?;
    if sha256 == document.sha256 {
        return Ok(match retagged {
            true => Kept::Replaced(document.chunks.len()),
            false => Kept::Unchanged,
        });
    }
    let kept = documents::rewrite_document(db, &id, first, &document, now).await?;
    Ok(Kept::Replaced(kept))
}

/// Removes a document. Returns its source, if it existed.
pub async fn remove(db: &Conn<'_>, id: &DocumentId) -> Result<Option<String>> {
    lock_and_reserve_numbers(db, 0).await?;
    let found = "SELECT source FROM knowledge_documents WHERE id = $1";
    let Some(row) = db.fetch_one(found, [id.value()]).await? else {
        return Ok(None);
    };
    chunks::delete(db, id).await?;
    db.run(
        "DELETE FROM knowledge_tags WHERE document_id = $1",
        [id.value()],
    )
    .await?;
    db.run(
        "DELETE FROM knowledge_documents WHERE id = $1",
        [id.value()],
    )
    .await?;
    Ok(Some(row.try_get("", "source")?))
}

/// Removes the document of a source, if there is one.
pub async fn remove_source(db: &Conn<'_>, source: &str) -> Result<()> {
    let found = "SELECT id FROM knowledge_documents WHERE source = $1";
    if let Some(row) = db.fetch_one(found, [source.into()]).await? {
        remove(db, &row.try_get::<DocumentId>("", "id")?).await?;
    }
    Ok(())
}
