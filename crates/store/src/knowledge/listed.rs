//! Lists of the documents in the knowledge base.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::query::{bind_values, fetch_rows};
use crate::{Bind, Conn, Result};
use domain::{DocumentId, time::Millis};

/// The number of documents per query of tags.
const TAGGED: usize = 500;

/// A document without its text.
#[derive(Debug, Deserialize)]
pub struct Listed {
    pub id: DocumentId,
    pub source: String,
    pub title: String,
    pub characters: i64,
    pub updated_at: Millis,
    pub chunks: usize,
    pub tags: Vec<String>,
}

const COLUMNS: &str = "id, source, title, characters, updated_at, chunks";
const SELECT: &str = "SELECT d.id, d.source, d.title, d.characters, d.updated_at,
    (SELECT count(*) FROM knowledge_chunks c WHERE c.document_id = d.id) AS chunks
    FROM knowledge_documents d";

/// Lists all documents, by source.
pub async fn list(db: &Conn<'_>) -> Result<Vec<Listed>> {
    load_listed(db, &format!("{SELECT} ORDER BY d.source"), vec![]).await
}

/// Finds one document.
pub async fn find(db: &Conn<'_>, id: &DocumentId) -> Result<Option<Listed>> {
    let query = format!("{SELECT} WHERE d.id = $1");
    let found = load_listed(db, &query, vec![id.value()]).await?;
    Ok(found.into_iter().next())
}

/// Lists documents, last changed first, after the position `after` (updated_at, id); at most
/// `probe` rows. If `tag` is set, lists only documents with this tag.
pub async fn list_page(
    db: &Conn<'_>,
    tag: Option<&str>,
    after: Option<(Millis, DocumentId)>,
    probe: i64,
) -> Result<Vec<Listed>> {
    let (at, id) = after.map_or((Millis::MAX, None), |(at, id)| (at, Some(id)));
    let mut values = vec![
        at.into(),
        id.map_or_else(|| "".into(), |id| id.value()),
        probe.into(),
    ];
    let mut query =
        format!("{SELECT} WHERE (d.updated_at < $1 OR d.updated_at = $1 AND d.id < $2)");
    if let Some(tag) = tag {
        values.push(tag.into());
        query.push_str(
            " AND EXISTS (SELECT 1 FROM knowledge_tags t WHERE t.document_id = d.id AND t.tag = $4)",
        );
    }
    query.push_str(" ORDER BY d.updated_at DESC, d.id DESC LIMIT $3");
    load_listed(db, &query, values).await
}

async fn load_listed(
    db: &Conn<'_>,
    query: &str,
    values: Vec<sea_orm::Value>,
) -> Result<Vec<Listed>> {
    type Row = (DocumentId, String, String, i64, Millis, usize);
    let found: Vec<Row> = fetch_rows(db, COLUMNS, query, values).await?;
    let mut tags: BTreeMap<DocumentId, Vec<String>> = BTreeMap::new();
    for some in found.chunks(TAGGED) {
        let mut values = vec![];
        let ids = bind_values(&mut values, some.iter().map(|(id, ..)| id.value()));
        let query = format!(
            "SELECT document_id, tag FROM knowledge_tags WHERE document_id IN ({ids})
             ORDER BY document_id, tag"
        );
        let found: Vec<(DocumentId, String)> =
            fetch_rows(db, "document_id, tag", &query, values).await?;
        for (document_id, tag) in found {
            tags.entry(document_id).or_default().push(tag);
        }
    }
    let found = found.into_iter();
    let listed = found.map(
        |(id, source, title, characters, updated_at, chunks)| Listed {
            tags: tags.remove(&id).unwrap_or_default(),
            id,
            source,
            title,
            characters,
            updated_at,
            chunks,
        },
    );
    Ok(listed.collect())
}
