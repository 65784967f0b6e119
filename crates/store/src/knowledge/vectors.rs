//! Embedding vectors of the chunks.

use std::collections::{HashMap, HashSet};

use sea_orm::Value;
use search::Vector;
use serde::Deserialize;

use super::query::{bind_values, fetch_rows};
use crate::{Conn, Result};
use domain::{
    DocumentId, Error,
    time::{DAY, Millis},
};

/// The model and the dimensions of vectors. Only vectors with the same profile are comparable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbeddingProfile {
    pub model: String,
    pub dimensions: i64,
}

/// A value that changes whenever the knowledge base or its vectors change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexVersion {
    last_seq: i64,
    chunks: i64,
    vectors: i64,
}

/// The text of a chunk without a vector.
#[derive(Debug, Deserialize)]
pub struct Bare {
    pub seq: i64,
    pub sha256: String,
    pub title: String,
    pub text: String,
}

/// A chunk whose text has a vector.
#[derive(Debug, Deserialize)]
pub struct Placed {
    pub seq: i64,
    pub document_id: DocumentId,
    pub sha256: String,
}

pub async fn load_version(db: &Conn<'_>) -> Result<IndexVersion> {
    let sql = "SELECT t.last_seq, t.chunks, e.version
        FROM knowledge_totals t CROSS JOIN knowledge_embedding e";
    let row = db.fetch_one(sql, []).await?;
    let row = row.ok_or_else(|| Error::internal("faltam os totais da base de conhecimento"))?;
    Ok(IndexVersion {
        last_seq: row.try_get("", "last_seq")?,
        chunks: row.try_get("", "chunks")?,
        vectors: row.try_get("", "version")?,
    })
}

/// Lists the texts of chunks that have no vector, without duplicates, after the chunk number
/// `after`; at most `limit`.
pub async fn list_chunks_without_vector(
    db: &Conn<'_>,
    profile: &EmbeddingProfile,
    after: i64,
    limit: usize,
) -> Result<Vec<Bare>> {
    let query = format!(
        "SELECT c.seq, c.sha256, c.title, c.text FROM knowledge_chunks c
         WHERE c.seq > $3 AND NOT EXISTS (SELECT 1 FROM knowledge_vectors v
          WHERE v.sha256 = c.sha256 AND v.model = $1 AND v.dimensions = $2)
         ORDER BY c.seq LIMIT {limit}"
    );
    let mut values = profile_values(profile);
    values.push(after.into());
    let mut found: Vec<Bare> = fetch_rows(db, "seq, sha256, title, text", &query, values).await?;
    let mut seen = HashSet::new();
    found.retain(|bare| seen.insert(bare.sha256.clone()));
    Ok(found)
}

/// Stores vectors by the hash of their text. `None` marks a text that the model refuses.
pub async fn save_vectors(
    db: &Conn<'_>,
    profile: &EmbeddingProfile,
    vectors: Vec<(String, Option<Vector>)>,
    now: Millis,
) -> Result<()> {
    let (mut values, mut lines) = (vec![], vec![]);
    for (sha256, vector) in vectors {
        let vector = vector.map_or_else(String::new, |vector| vector.encode());
        let row: [Value; 5] = [
            sha256.into(),
            profile.model.as_str().into(),
            profile.dimensions.into(),
            vector.into(),
            now.into(),
        ];
        lines.push(format!("({})", bind_values(&mut values, row)));
    }
    let sql = format!(
        "INSERT INTO knowledge_vectors (sha256, model, dimensions, vector, created_at)
         VALUES {} ON CONFLICT DO NOTHING",
        lines.join(", ")
    );
    db.run(&sql, values).await?;
    db.run("UPDATE knowledge_embedding SET version = version + 1", [])
        .await?;
    Ok(())
}

/// Lists all chunks whose text has a vector.
pub async fn list_chunks_with_vector(
    db: &Conn<'_>,
    profile: &EmbeddingProfile,
) -> Result<Vec<Placed>> {
    let query = "SELECT c.seq, c.document_id, c.sha256 FROM knowledge_chunks c
        JOIN knowledge_vectors v ON v.sha256 = c.sha256
        WHERE v.model = $1 AND v.dimensions = $2 AND v.vector <> '' ORDER BY c.seq";
    fetch_rows(
        db,
        "seq, document_id, sha256",
        query,
        profile_values(profile),
    )
    .await
}

/// Loads the vectors of these texts.
pub async fn load_vectors(
    db: &Conn<'_>,
    profile: &EmbeddingProfile,
    contents: &[&str],
) -> Result<HashMap<String, Vector>> {
    let mut values = profile_values(profile);
    let names = bind_values(&mut values, contents.iter().copied());
    let query = format!(
        "SELECT sha256, vector FROM knowledge_vectors
         WHERE model = $1 AND dimensions = $2 AND sha256 IN ({names})"
    );
    let found: Vec<(String, String)> = fetch_rows(db, "sha256, vector", &query, values).await?;
    let read = found.into_iter().map(|(sha256, text)| {
        let vector =
            Vector::decode(&text).ok_or_else(|| Error::internal("um vetor está danificado"));
        Ok((sha256, vector?))
    });
    read.collect()
}

/// Lists the documents with any of the tags.
pub async fn list_tagged_documents(db: &Conn<'_>, tags: &[String]) -> Result<HashSet<DocumentId>> {
    let mut values = vec![];
    let names = bind_values(&mut values, tags.iter().cloned());
    let query = format!("SELECT DISTINCT document_id FROM knowledge_tags WHERE tag IN ({names})");
    let found: Vec<(DocumentId,)> = fetch_rows(db, "document_id", &query, values).await?;
    Ok(found.into_iter().map(|(id,)| id).collect())
}

/// Deletes the vectors of removed texts. Also deletes vectors of other models that are older than a
/// day, once the current model has a vector older than a day. So an instance that still uses a
/// former model does not delete the recent vectors of a new one.
pub async fn delete_unused_vectors(
    db: &Conn<'_>,
    current: Option<&EmbeddingProfile>,
    now: Millis,
) -> Result<()> {
    let gone = "DELETE FROM knowledge_vectors
        WHERE sha256 NOT IN (SELECT sha256 FROM knowledge_chunks)";
    db.run(gone, []).await?;
    if let Some(profile) = current {
        let former = "DELETE FROM knowledge_vectors
            WHERE NOT (model = $1 AND dimensions = $2) AND created_at <= $3 AND EXISTS (SELECT 1 FROM knowledge_vectors v
             WHERE v.model = $1 AND v.dimensions = $2 AND v.created_at <= $3)";
        let mut values = profile_values(profile);
        values.push((now - DAY).into());
        db.run(former, values).await?;
    }
    Ok(())
}

fn profile_values(profile: &EmbeddingProfile) -> Vec<Value> {
    vec![profile.model.as_str().into(), profile.dimensions.into()]
}
