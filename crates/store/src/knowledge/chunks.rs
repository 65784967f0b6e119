//! The chunks of documents with their index and word counts, which change together.

use std::collections::BTreeMap;

use sea_orm::Value;
use search::PreparedChunk;

use super::query::{bind_values, fetch_rows, is_postgres};
use crate::{Bind, Conn, Result};
use domain::{ChunkId, DocumentId, time::Millis};

/// The number of rows per statement.
const BATCH: usize = 100;

/// Inserts the chunks of a document that has none yet, numbered from `first`. `ids` contains the
/// ids of deleted chunks by hash; a chunk with the same hash reuses one of them. Returns the number
/// of reused ids.
pub(super) async fn insert(
    db: &Conn<'_>,
    document_id: &DocumentId,
    first: i64,
    chunks: &[PreparedChunk],
    mut ids: BTreeMap<String, Vec<ChunkId>>,
    now: Millis,
) -> Result<usize> {
    let mut counts = Counts::default();
    let mut kept = 0;
    for chunk in chunks {
        counts.add(&chunk.title_terms, &chunk.terms, 1);
    }
    let mut number = first;
    for batch in chunks.chunks(BATCH) {
        let (mut values, mut lines) = (vec![], vec![]);
        let (mut index, mut index_lines) = (vec![], vec![]);
        for chunk in batch {
            let id = ids.get_mut(&chunk.sha256).and_then(Vec::pop);
            kept += usize::from(id.is_some());
            let row: [Value; 10] = [
                number.into(),
                String::from(id.unwrap_or_else(|| ChunkId::new(now))).into(),
                document_id.value(),
                (number - first).into(),
                chunk.starts_at.into(),
                chunk.title.as_str().into(),
                chunk.text.as_str().into(),
                chunk.sha256.as_str().into(),
                chunk.title_terms.as_str().into(),
                chunk.terms.as_str().into(),
            ];
            lines.push(format!("({})", bind_values(&mut values, row)));
            index.push(number.into());
            let seq = index.len();
            if is_postgres(db) {
                index.push(to_tsvector(&chunk.title_terms, &chunk.terms).into());
                index_lines.push(format!(
                    "(${seq}, CAST(CAST(${} AS TEXT) AS tsvector))",
                    seq + 1
                ));
            } else {
                let terms = [chunk.title_terms.as_str(), chunk.terms.as_str()];
                index_lines.push(format!("(${seq}, {})", bind_values(&mut index, terms)));
            }
            number += 1;
        }
        let lines = lines.join(", ");
        let sql = format!(
            "INSERT INTO knowledge_chunks (seq, id, document_id, position, starts_at, title, text,
             sha256, title_terms, terms) VALUES {lines}"
        );
        db.run(&sql, values).await?;
        let fields = if is_postgres(db) {
            "terms"
        } else {
            "title_terms, terms"
        };
        let lines = index_lines.join(", ");
        let sql = format!("INSERT INTO knowledge_index (rowid, {fields}) VALUES {lines}");
        db.run(&sql, index).await?;
    }
    counts.save(db).await?;
    Ok(kept)
}

/// Returns the `tsvector` text of the stems, with their positions. A gap in the positions separates
/// title and text, so that no phrase matches across the two.
fn to_tsvector(title_terms: &str, terms: &str) -> String {
    let title = title_terms.split(' ').filter(|term| !term.is_empty());
    let titles = title.clone().count();
    let text = terms.split(' ').filter(|term| !term.is_empty());
    let placed = title.enumerate().map(|(at, term)| (at + 1, term, "A"));
    let placed = placed.chain(
        text.enumerate()
            .map(|(at, term)| (titles + 10 + at, term, "")),
    );
    let lexemes = placed.map(|(at, term, weight)| format!("'{term}':{at}{weight}"));
    lexemes.collect::<Vec<_>>().join(" ")
}

/// Fills the PostgreSQL index after the chunks were copied without it.
pub async fn rebuild_index(db: &Conn<'_>) -> Result<()> {
    let mut after = 0;
    loop {
        let sql = "SELECT seq, title_terms, terms FROM knowledge_chunks
            WHERE seq > $1 ORDER BY seq LIMIT 256";
        let rows = db.fetch_all(sql, [after.into()]).await?;
        if rows.is_empty() {
            return Ok(());
        }
        let (mut values, mut lines) = (vec![], vec![]);
        for row in rows {
            after = row.try_get::<i64>("", "seq")?;
            let title_terms: String = row.try_get("", "title_terms")?;
            let terms: String = row.try_get("", "terms")?;
            values.push(after.into());
            values.push(to_tsvector(&title_terms, &terms).into());
            let (seq, terms) = (values.len() - 1, values.len());
            lines.push(format!(
                "(${seq}, CAST(CAST(${terms} AS TEXT) AS tsvector))"
            ));
        }
        let lines = lines.join(", ");
        let sql = format!("INSERT INTO knowledge_index (rowid, terms) VALUES {lines}");
        db.run(&sql, values).await?;
    }
}

/// Deletes the chunks of a document. Returns their ids by hash.
pub(super) async fn delete(
    db: &Conn<'_>,
    document_id: &DocumentId,
) -> Result<BTreeMap<String, Vec<ChunkId>>> {
    let query = "SELECT id, sha256, title_terms, terms FROM knowledge_chunks
        WHERE document_id = $1 ORDER BY position DESC";
    type Row = (ChunkId, String, String, String);
    let columns = "id, sha256, title_terms, terms";
    let old: Vec<Row> = fetch_rows(db, columns, query, vec![document_id.value()]).await?;
    let mut counts = Counts::default();
    let mut ids: BTreeMap<String, Vec<ChunkId>> = BTreeMap::new();
    for (id, sha256, title_terms, terms) in old {
        counts.add(&title_terms, &terms, -1);
        ids.entry(sha256).or_default().push(id);
    }
    let index = "DELETE FROM knowledge_index WHERE rowid IN
        (SELECT seq FROM knowledge_chunks WHERE document_id = $1)";
    db.run(index, [document_id.value()]).await?;
    let chunks = "DELETE FROM knowledge_chunks WHERE document_id = $1";
    db.run(chunks, [document_id.value()]).await?;
    counts.save(db).await?;
    Ok(ids)
}

/// Changes of the knowledge base's word counts.
#[derive(Default)]
struct Counts {
    chunks: i64,
    words: i64,
    terms: BTreeMap<String, i64>,
}

impl Counts {
    fn add(&mut self, title_terms: &str, terms: &str, by: i64) {
        let split = |text: &'_ str| -> Vec<String> {
            let terms = text.split(' ').filter(|term| !term.is_empty());
            terms.map(str::to_owned).collect()
        };
        let text = split(terms);
        self.chunks += by;
        self.words += by * i64::try_from(text.len()).unwrap_or(0);
        let mut distinct = split(title_terms);
        distinct.extend(text);
        distinct.sort_unstable();
        distinct.dedup();
        for term in distinct {
            *self.terms.entry(term).or_default() += by;
        }
    }

    async fn save(self, db: &Conn<'_>) -> Result<()> {
        let totals = "UPDATE knowledge_totals SET chunks = chunks + $1, words = words + $2";
        db.run(totals, [self.chunks.into(), self.words.into()])
            .await?;
        let terms: Vec<(String, i64)> = self.terms.into_iter().collect();
        for batch in terms.chunks(BATCH) {
            let mut values = vec![];
            let mut lines = vec![];
            for (term, by) in batch {
                let row: [Value; 2] = [term.as_str().into(), (*by).into()];
                lines.push(format!("({})", bind_values(&mut values, row)));
            }
            let sql = format!(
                "INSERT INTO knowledge_terms (term, chunks) VALUES {} ON CONFLICT (term)
                 DO UPDATE SET chunks = knowledge_terms.chunks + excluded.chunks",
                lines.join(", ")
            );
            db.run(&sql, values).await?;
            let mut values = vec![];
            let fewer = batch.iter().filter(|(_, by)| *by < 0);
            let names = bind_values(&mut values, fewer.map(|(term, _)| term.as_str()));
            if !values.is_empty() {
                let gone =
                    format!("DELETE FROM knowledge_terms WHERE chunks <= 0 AND term IN ({names})");
                db.run(&gone, values).await?;
            }
        }
        Ok(())
    }
}
