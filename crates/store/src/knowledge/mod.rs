//! The knowledge base: its documents and its searches.

mod candidates;
mod chunks;
mod listed;
mod query;
mod typed;
pub mod vectors;

use std::collections::BTreeMap;

use search::Prepared;

use crate::{Bind, Conn, Result};
use domain::{DocumentId, Error, time::Millis};

pub use candidates::{
    Match, Passage, Source, Statistics, Within, find_similar_terms, load_candidates,
    load_first_passages, load_passages, load_sources, load_statistics,
};
pub use chunks::rebuild_index;
pub use listed::{Listed, list, list_page};
pub use typed::{FoundDocument, find_typed};
pub use vectors::{EmbeddingProfile, IndexVersion};

/// The prefix of the sources of published skills. These documents also have the tag `skill`.
pub const SKILL_SOURCE: &str = "skill:";

/// The result of adding a document.
#[derive(Debug, PartialEq, Eq)]
pub enum Kept {
    /// The document is new and has this many chunks.
    Added(usize),
    /// The text or the tags changed; this many chunks kept their ids.
    Replaced(usize),
    Unchanged,
    /// The source that already has the same text.
    Elsewhere(String),
}

/// Adds a document, or replaces the document of the same source. Unchanged chunks keep their ids.
pub async fn put(db: &Conn<'_>, document: Prepared, now: Millis) -> Result<Kept> {
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
            // skill is not redundant.
            elsewhere = Some(source);
        }
    }
    let Some((id, sha256)) = mine else {
        if let Some(source) = elsewhere.filter(|_| document.once) {
            return Ok(Kept::Elsewhere(source));
        }
        let id = DocumentId::new(now);
        let values = [
            id.value(),
            document.source.into(),
            document.title.into(),
            document.sha256.into(),
            document.characters.into(),
            now.into(),
        ];
        let insert = "INSERT INTO knowledge_documents
            (id, source, title, sha256, characters, created_at, updated_at)
            VALUES ($1, $2, $3, $4, $5, $6, $6)";
        db.run(insert, values).await?;
        set_tags(db, &id, document.tags).await?;
        let added = document.chunks.len();
        chunks::insert(db, &id, first, document.chunks, BTreeMap::new(), now).await?;
        return Ok(Kept::Added(added));
    };
    let retagged = set_tags(db, &id, document.tags).await?;
    if sha256 == document.sha256 {
        return Ok(match retagged {
            true => Kept::Replaced(document.chunks.len()),
            false => Kept::Unchanged,
        });
    }
    let values = [
        document.title.into(),
        document.sha256.into(),
        document.characters.into(),
        now.into(),
        id.value(),
    ];
    let update = "UPDATE knowledge_documents
        SET title = $1, sha256 = $2, characters = $3, updated_at = $4 WHERE id = $5";
    db.run(update, values).await?;
    let ids = chunks::delete(db, &id).await?;
    let kept = chunks::insert(db, &id, first, document.chunks, ids, now).await?;
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

/// Excludes other writers and reserves numbers for the chunks. Returns the first number.
async fn lock_and_reserve_numbers(db: &Conn<'_>, chunks: usize) -> Result<i64> {
    let chunks = i64::try_from(chunks).map_err(Error::internal)?;
    let sql = "UPDATE knowledge_totals SET last_seq = last_seq + $1 RETURNING last_seq";
    let row = db.fetch_one(sql, [chunks.into()]).await?;
    let row = row.ok_or_else(|| Error::internal("the totals of the knowledge base are missing"))?;
    Ok(row.try_get::<i64>("", "last_seq")? - chunks + 1)
}

/// Sets the tags, unless `tags` is `None`. Returns whether they changed.
async fn set_tags(db: &Conn<'_>, id: &DocumentId, tags: Option<Vec<String>>) -> Result<bool> {
    let Some(mut tags) = tags else {
        return Ok(false);
    };
    tags.sort();
    tags.dedup();
    let old = "SELECT tag FROM knowledge_tags WHERE document_id = $1 ORDER BY tag";
    let old = db.fetch_all(old, [id.value()]).await?;
    let mut old: Vec<String> = old
        .iter()
        .map(|r| r.try_get("", "tag"))
        .collect::<Result<_, _>>()?;
    old.sort();
    if old == tags {
        return Ok(false);
    }
    db.run(
        "DELETE FROM knowledge_tags WHERE document_id = $1",
        [id.value()],
    )
    .await?;
    for tag in tags {
        let insert = "INSERT INTO knowledge_tags (document_id, tag) VALUES ($1, $2)";
        db.run(insert, [id.value(), tag.into()]).await?;
    }
    Ok(true)
}
