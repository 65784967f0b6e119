//! Finds documents for the search over everything, by the index of their chunks.

use std::{cmp::Reverse, collections::BTreeMap};

use domain::{DocumentId, time::Millis};
use search::typed::Typed;

use super::query::is_postgres;
use crate::{
    Conn, Result,
    conditions::Conditions,
    searching::index::{index_condition, index_query},
};
use sea_orm::ConnectionTrait;

/// The maximum number of chunks that the index returns.
const MOST_CHUNKS: usize = 1_000;
/// The number of documents to compare per requested document. Some found documents do not match the
/// typed words, because the index contains only stems.
const COMPARED: usize = 4;

/// A document, with a chunk that contains all words.
#[derive(Debug)]
pub struct FoundDocument {
    pub id: DocumentId,
    pub source: String,
    pub title: String,
    pub updated_at: Millis,
    pub chunk: String,
}

/// Finds documents with a chunk that, together with the titles above it, contains all words.
/// Documents with all words in the title come first, then the others; both groups are sorted by
/// last change.
pub async fn find_by_query(
    db: &Conn<'_>,
    typed: &Typed,
    most: usize,
) -> Result<Vec<FoundDocument>> {
    let lookup = typed.stem_lookup();
    if lookup.is_empty() || most == 0 {
        return Ok(vec![]);
    }
    let backend = db.get_database_backend();
    let mut query = Conditions::default();
    let terms = query.bind(index_query(backend, &lookup));
    let is_indexed = index_condition(backend, "knowledge_index", &terms);
    // SQLite reads the index in row order without sorting. PostgreSQL would sort all matches.
    let order = match is_postgres(db) {
        true => "",
        false => "ORDER BY rowid DESC",
    };
    let sql = format!(
        "WITH found AS MATERIALIZED (
            SELECT rowid AS seq FROM knowledge_index WHERE {is_indexed} {order}
            LIMIT {MOST_CHUNKS}),
         documents AS MATERIALIZED (
            SELECT c.document_id, min(c.seq) AS seq
            FROM found CROSS JOIN knowledge_chunks c WHERE c.seq = found.seq
            GROUP BY c.document_id)
         SELECT d.id, d.source, d.title, d.updated_at, c.title AS chunk_title, c.text AS chunk
         FROM documents CROSS JOIN knowledge_documents d CROSS JOIN knowledge_chunks c
         WHERE d.id = documents.document_id AND c.seq = documents.seq
         ORDER BY d.updated_at DESC, d.id DESC LIMIT {}",
        most.saturating_mul(COMPARED),
    );
    let mut found: BTreeMap<_, FoundDocument> = BTreeMap::new();
    for row in db.fetch_all(&sql, query.values).await? {
        let document = FoundDocument {
            id: row.try_get("", "id")?,
            source: row.try_get("", "source")?,
            title: row.try_get("", "title")?,
            updated_at: row.try_get("", "updated_at")?,
            chunk: row.try_get("", "chunk")?,
        };
        let chunk_title: String = row.try_get("", "chunk_title")?;
        let text = format!("{}\n{chunk_title}\n{}", document.title, document.chunk);
        if let Some(place) = typed.find_place(&text) {
            let key = Reverse((place, document.updated_at, document.id.as_str().to_owned()));
            found.insert(key, document);
        }
    }
    Ok(found.into_values().take(most).collect())
}
