//! Selects the chunks that a search query ranks.

use std::collections::BTreeMap;

use sea_orm::Value;
use search::{
    group::{Term, Totals},
    ranking::Candidate,
};
use serde::Deserialize;

use super::query::{bind_values, fetch_rows, is_postgres};
use crate::{Conn, Result};
use domain::{ChunkId, DocumentId};

/// The maximum number of chunks to rank.
const CANDIDATES: i64 = 400;

/// The word counts needed to rank the results of a search query.
#[derive(Debug, Default)]
pub struct Statistics {
    pub totals: Totals,
    /// Maps a term to the number of chunks that contain it.
    pub terms: BTreeMap<String, i64>,
}

impl Statistics {
    /// Returns the term with its number of chunks, if the knowledge base contains it.
    #[must_use]
    pub fn find_term(&self, stem: &str, closeness: f64) -> Option<Term> {
        let chunks = *self.terms.get(stem)?;
        Some(Term {
            stem: stem.to_owned(),
            chunks,
            closeness,
        })
    }
}

/// The condition for a chunk to be ranked. All terms consist of letters and digits.
#[derive(Debug, Clone, Default)]
pub struct Match {
    /// The chunk must contain at least one of these words; ignored if there are phrases.
    pub any: Vec<String>,
    /// The words of `any` that are so rare that every chunk containing at least one of them is
    /// ranked.
    pub first: Vec<String>,
    /// The chunk must contain each of these phrases.
    pub phrases: Vec<Vec<String>>,
}

/// Restricts a search to some documents. If both `tags` and `documents` are empty, all documents are
/// searched.
#[derive(Debug, Clone, Copy, Default)]
pub struct Within<'a> {
    /// Documents with any of these tags.
    pub tags: &'a [String],
    /// Only these documents.
    pub documents: &'a [DocumentId],
}

impl Within<'_> {
    /// Returns whether all documents are searched.
    #[must_use]
    pub fn is_unrestricted(self) -> bool {
        self.tags.is_empty() && self.documents.is_empty()
    }
}

/// A chunk with the data of a citation.
#[derive(Debug, Clone, Deserialize)]
pub struct Passage {
    pub seq: i64,
    pub id: ChunkId,
    pub document_id: DocumentId,
    pub title: String,
    pub text: String,
    pub source: String,
}

/// Counts the chunks that contain each term. Also returns up to `completions` terms for each
/// prefix.
pub async fn load_statistics(
    db: &Conn<'_>,
    exact: &[String],
    starts: &[String],
    completions: usize,
) -> Result<Statistics> {
    let mut values = vec![];
    let names = bind_values(&mut values, exact.iter().cloned());
    let mut query = format!(
        "SELECT term, chunks FROM knowledge_terms WHERE term IN ({names})
         UNION ALL SELECT '' AS term, chunks FROM knowledge_totals
         UNION ALL SELECT ' ' AS term, words AS chunks FROM knowledge_totals"
    );
    for start in starts {
        // Terms are ASCII letters and digits, all of which sort before this brace.
        let range = bind_values(&mut values, [start.clone(), format!("{start}{{")]);
        let (from, until) = range.split_once(", ").unwrap_or_default();
        query.push_str(&format!(
            " UNION ALL SELECT term, chunks FROM (SELECT term, chunks FROM knowledge_terms
              WHERE term >= {from} AND term < {until}
              ORDER BY chunks DESC, term LIMIT {completions}) completed"
        ));
    }
    let found: Vec<(String, i64)> = fetch_rows(db, "term, chunks", &query, values).await?;
    let mut terms: BTreeMap<String, i64> = found.into_iter().collect();
    let totals = Totals {
        chunks: terms.remove("").unwrap_or(0),
        words: terms.remove(" ").unwrap_or(0),
    };
    Ok(Statistics { totals, terms })
}

/// Finds terms that begin with the same letter as one of the words and have about the same length,
/// most common first.
pub async fn find_similar_terms(db: &Conn<'_>, words: &[String]) -> Result<Vec<(String, i64)>> {
    let mut values = vec![];
    let mut queries = vec![];
    for word in words {
        let first = &word[..1];
        let range = bind_values(&mut values, [first.to_owned(), format!("{first}{{")]);
        let (from, until) = range.split_once(", ").unwrap_or_default();
        let (short, long) = (word.len().saturating_sub(2), word.len() + 2);
        queries.push(format!(
            "SELECT term, chunks FROM (SELECT term, chunks FROM knowledge_terms
             WHERE term >= {from} AND term < {until} AND length(term) BETWEEN {short} AND {long}
             ORDER BY chunks DESC, term LIMIT 2000) alike"
        ));
    }
    let query = format!("{} ORDER BY chunks DESC, term", queries.join(" UNION "));
    fetch_rows(db, "term, chunks", &query, values).await
}

/// Loads the chunks that rank highest in the index of the database.
pub async fn load_candidates(
    db: &Conn<'_>,
    wanted: &Match,
    within: Within<'_>,
) -> Result<Vec<Candidate>> {
    let postgres = is_postgres(db);
    let mut values: Vec<Value> = vec![match_expression(postgres, wanted).into()];
    let mut rare_first = String::new();
    // Unlike `bm25`, `ts_rank` gives rare words no higher weight.
    if postgres && !wanted.first.is_empty() {
        let first = any_term_expression(postgres, &wanted.first);
        let first = bind_values(&mut values, [first]);
        rare_first = format!("terms @@ CAST(CAST({first} AS TEXT) AS tsquery) DESC,");
    }
    let mut tagged = String::new();
    if !within.tags.is_empty() {
        let tags = bind_values(&mut values, within.tags.iter().cloned());
        tagged = format!(
            "AND knowledge_index.rowid IN (SELECT c.seq FROM knowledge_chunks c
                 JOIN knowledge_tags t ON t.document_id = c.document_id WHERE t.tag IN ({tags}))"
        );
    }
    if !within.documents.is_empty() {
        let documents = bind_values(&mut values, within.documents.iter().map(DocumentId::as_str));
        tagged.push_str(&format!(
            " AND knowledge_index.rowid IN (SELECT c.seq FROM knowledge_chunks c
                 WHERE c.document_id IN ({documents}))"
        ));
    }
    let best = if postgres {
        format!(
            "SELECT rowid AS seq FROM knowledge_index,
             (SELECT CAST(CAST($1 AS TEXT) AS tsquery) AS wanted) asked
             WHERE terms @@ wanted {tagged}
             ORDER BY {rare_first} ts_rank(terms, wanted) DESC, rowid LIMIT {CANDIDATES}"
        )
    } else {
        format!(
            "SELECT rowid AS seq FROM knowledge_index WHERE knowledge_index MATCH $1 {tagged}
             ORDER BY bm25(knowledge_index, 2.0, 1.0) LIMIT {CANDIDATES}"
        )
    };
    let query = format!(
        "SELECT c.seq, c.document_id, c.title_terms, c.terms
         FROM ({best}) best JOIN knowledge_chunks c ON c.seq = best.seq"
    );
    fetch_rows(db, "seq, document_id, title_terms, terms", &query, values).await
}

/// Returns the match condition in the syntax of FTS5 or `tsquery`.
fn match_expression(postgres: bool, wanted: &Match) -> String {
    if wanted.phrases.is_empty() {
        return any_term_expression(postgres, &wanted.any);
    }
    let (and, next) = if postgres {
        (" & ", " <-> ")
    } else {
        (" AND ", " + ")
    };
    let phrases = wanted.phrases.iter();
    let phrases = phrases.map(|phrase| format!("({})", quote_terms(postgres, phrase).join(next)));
    phrases.collect::<Vec<_>>().join(and)
}

fn any_term_expression(postgres: bool, terms: &[String]) -> String {
    quote_terms(postgres, terms).join(if postgres { " | " } else { " OR " })
}

/// Quotes terms for FTS5 or `tsquery`. Terms contain no quotes.
fn quote_terms(postgres: bool, terms: &[String]) -> Vec<String> {
    let quote = if postgres { '\'' } else { '"' };
    let quoted = terms.iter().map(|term| format!("{quote}{term}{quote}"));
    quoted.collect()
}

/// Returns the citation data of chunks, by their number.
pub async fn load_passages(db: &Conn<'_>, seqs: &[i64]) -> Result<BTreeMap<i64, Passage>> {
    if seqs.is_empty() {
        return Ok(BTreeMap::new());
    }
    let mut values = vec![];
    let names = bind_values(&mut values, seqs.iter().copied());
    let query = format!(
        "SELECT c.seq, c.id, c.document_id, c.title, c.text, d.source FROM knowledge_chunks c
         JOIN knowledge_documents d ON d.id = c.document_id WHERE c.seq IN ({names})"
    );
    let columns = "seq, id, document_id, title, text, source";
    let found: Vec<Passage> = fetch_rows(db, columns, &query, values).await?;
    Ok(found
        .into_iter()
        .map(|passage| (passage.seq, passage))
        .collect())
}

/// Loads the first chunk of each of these documents.
pub async fn load_first_passages(db: &Conn<'_>, documents: &[DocumentId]) -> Result<Vec<Passage>> {
    if documents.is_empty() {
        return Ok(vec![]);
    }
    let mut values = vec![];
    let names = bind_values(&mut values, documents.iter().map(DocumentId::as_str));
    let query = format!(
        "SELECT min(seq) AS seq FROM knowledge_chunks WHERE document_id IN ({names})
         GROUP BY document_id"
    );
    let first: Vec<(i64,)> = fetch_rows(db, "seq", &query, values).await?;
    let seqs: Vec<i64> = first.into_iter().map(|(seq,)| seq).collect();
    Ok(load_passages(db, &seqs).await?.into_values().collect())
}

/// A document as the source of a citation.
#[derive(Debug, Clone, Deserialize)]
pub struct Source {
    pub id: DocumentId,
    pub title: String,
    pub source: String,
}

/// Loads the sources of these documents, in no particular order. Omits documents that do not exist.
pub async fn load_sources(db: &Conn<'_>, documents: &[DocumentId]) -> Result<Vec<Source>> {
    if documents.is_empty() {
        return Ok(vec![]);
    }
    let mut values = vec![];
    let names = bind_values(&mut values, documents.iter().map(DocumentId::as_str));
    let query = format!("SELECT id, title, source FROM knowledge_documents WHERE id IN ({names})");
    fetch_rows(db, "id, title, source", &query, values).await
}
