//! Documents that members add and replace.
//!
//! Each source and each text is in the knowledge base once, except that a skill may have the text of
//! another document. A caller that changes a document passes the `updated_at` that it has read.

use std::collections::BTreeMap;

use search::Prepared;

use super::chunks;
use crate::{Bind, Conn, Result};
use domain::{
    DocumentId, Error,
    time::{Millis, Timestamp},
};

/// The prefix of the sources of published skills. These documents also have the tag `skill`.
pub const SKILL_SOURCE: &str = "skill:";

/// A stored document that already has the source or the text of the document to write.
#[derive(Debug)]
pub struct Taken {
    pub id: DocumentId,
    pub source: String,
    pub same_text: bool,
}

/// Adds a document. If another document has its source or its text, adds nothing and returns that
/// document.
pub async fn add(
    db: &Conn<'_>,
    id: &DocumentId,
    document: &Prepared,
    now: Millis,
) -> Result<Option<Taken>> {
    let first = lock_and_reserve_numbers(db, document.chunks.len()).await?;
    let taken = find_conflicting_document(db, document, id).await?;
    if taken.is_none() {
        insert(db, id, first, document, now).await?;
    }
    Ok(taken)
}

/// Locks the knowledge base against other writers and returns the source of the document.
///
/// Returns an error (404) if the document does not exist, or (409) if it has changed since
/// `expected`.
pub async fn lock_and_read_source(
    db: &Conn<'_>,
    id: &DocumentId,
    expected: Millis,
) -> Result<String> {
    lock_and_reserve_numbers(db, 0).await?;
    let found = "SELECT source, updated_at FROM knowledge_documents WHERE id = $1";
    let Some(row) = db.fetch_one(found, [id.value()]).await? else {
        return Err(Error::not_found_in("documento", "list_knowledge_documents").into());
    };
    let current: Millis = row.try_get("", "updated_at")?;
    if current != expected {
        return Err(Error::stale_revision(Timestamp(current).to_string()).into());
    }
    Ok(row.try_get("", "source")?)
}

/// Replaces the source and the text of a document, and its tags unless they are `None`. If another
/// document has the source or the text, changes nothing and returns that document.
pub async fn replace(
    db: &Conn<'_>,
    id: &DocumentId,
    document: &Prepared,
    now: Millis,
) -> Result<Option<Taken>> {
    let first = lock_and_reserve_numbers(db, document.chunks.len()).await?;
    let taken = find_conflicting_document(db, document, id).await?;
    if taken.is_none() {
        set_tags(db, id, document.tags.clone()).await?;
        rewrite_document(db, id, first, document, now).await?;
    }
    Ok(taken)
}

/// Inserts a document with its chunks, numbered from `first`.
pub(super) async fn insert(
    db: &Conn<'_>,
    id: &DocumentId,
    first: i64,
    document: &Prepared,
    now: Millis,
) -> Result<()> {
    let values = [
        id.value(),
        document.source.as_str().into(),
        document.title.as_str().into(),
        document.sha256.as_str().into(),
        document.characters.into(),
        now.into(),
    ];
    let insert = "INSERT INTO knowledge_documents
        (id, source, title, sha256, characters, created_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $6)";
    db.run(insert, values).await?;
    set_tags(db, id, document.tags.clone()).await?;
    chunks::insert(db, id, first, &document.chunks, BTreeMap::new(), now).await?;
    Ok(())
}

/// Replaces the source and the text of a document. Unchanged chunks keep their ids; returns their
/// number.
pub(super) async fn rewrite_document(
    db: &Conn<'_>,
    id: &DocumentId,
    first: i64,
    document: &Prepared,
    now: Millis,
) -> Result<usize> {
    let values = [
        document.source.as_str().into(),
        document.title.as_str().into(),
        document.sha256.as_str().into(),
        document.characters.into(),
        now.into(),
        id.value(),
    ];
    // The time is also the token for compare-and-set, so it grows with every change.
    let update = "UPDATE knowledge_documents
        SET source = $1, title = $2, sha256 = $3, characters = $4,
            updated_at = CASE WHEN updated_at < $5 THEN $5 ELSE updated_at + 1 END
        WHERE id = $6";
    db.run(update, values).await?;
    let ids = chunks::delete(db, id).await?;
    chunks::insert(db, id, first, &document.chunks, ids, now).await
}

/// Finds a document other than `id` that has the source or the text of `document`.
async fn find_conflicting_document(
    db: &Conn<'_>,
    document: &Prepared,
    id: &DocumentId,
) -> Result<Option<Taken>> {
    let known = "SELECT id, source, sha256 FROM knowledge_documents
        WHERE (source = $1 OR sha256 = $2) AND id <> $3 ORDER BY source";
    let values = [
        document.source.as_str().into(),
        document.sha256.as_str().into(),
        id.value(),
    ];
    let mut found = None;
    for row in db.fetch_all(known, values).await? {
        let (source, sha256): (String, String) =
            (row.try_get("", "source")?, row.try_get("", "sha256")?);
        let has_name = source == document.source;
        // A skill may have the text of a file, because it is published and removed independently of
        // the file.
        if has_name || !source.starts_with(SKILL_SOURCE) {
            let taken = Taken {
                id: row.try_get("", "id")?,
                source,
                same_text: sha256 == document.sha256,
            };
            if has_name {
                return Ok(Some(taken));
            }
            found.get_or_insert(taken);
        }
    }
    Ok(found)
}

/// Locks the knowledge base against other writers and reserves numbers for the chunks. Returns the
/// first number.
pub(super) async fn lock_and_reserve_numbers(db: &Conn<'_>, chunks: usize) -> Result<i64> {
    let chunks = i64::try_from(chunks).map_err(Error::internal)?;
    let sql = "UPDATE knowledge_totals SET last_seq = last_seq + $1 RETURNING last_seq";
    let row = db.fetch_one(sql, [chunks.into()]).await?;
    let row = row.ok_or_else(|| Error::internal("faltam os totais da base de conhecimento"))?;
    Ok(row.try_get::<i64>("", "last_seq")? - chunks + 1)
}

/// Sets the tags, unless `tags` is `None`. Returns whether the tags changed.
pub(super) async fn set_tags(
    db: &Conn<'_>,
    id: &DocumentId,
    tags: Option<Vec<String>>,
) -> Result<bool> {
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
