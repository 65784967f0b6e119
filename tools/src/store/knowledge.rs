//! The knowledge base: what is in it, and what a search asks of it.
//!
//! Searches are answered as one row of JSON, whose parts are read here: over SQLite each row costs
//! a hand-over between threads.

use std::collections::BTreeMap;

use sea_orm::{ConnectionTrait, DbBackend, Value};
use serde::{Deserialize, de::DeserializeOwned};

use super::Conn;
use crate::{
    domain::{new_id, time::Millis},
    knowledge::{Prepared, PreparedChunk},
    registry::{Error, Result},
};

/// Chunks that are ranked; the index chooses them.
const CANDIDATES: i64 = 400;
/// Rows of one statement.
const BATCH: usize = 100;

/// A document as the operator sees it.
#[derive(Debug, Deserialize)]
pub struct Listed {
    pub id: String,
    pub source: String,
    pub title: String,
    pub characters: i64,
    pub updated_at: Millis,
    pub chunks: i64,
    pub tags: Vec<String>,
}

/// What became of a document that was put.
#[derive(Debug, PartialEq, Eq)]
pub enum Kept {
    /// New, with this many chunks.
    Added(usize),
    /// Another text or other tags than before; this many chunks kept their ids.
    Replaced(usize),
    Unchanged,
    /// The same text is there already, from this source.
    Elsewhere(String),
}

/// The size of the base.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Totals {
    pub chunks: i64,
    pub words: i64,
}

/// What a ranking needs to know of the words that were asked for.
#[derive(Debug, Default)]
pub struct Statistics {
    pub totals: Totals,
    /// Term → chunks that hold it.
    pub terms: BTreeMap<String, i64>,
}

impl Statistics {
    /// The term, when the base has it.
    #[must_use]
    pub fn of(&self, term: &str) -> Option<(&String, i64)> {
        self.terms
            .get_key_value(term)
            .map(|(term, chunks)| (term, *chunks))
    }
}

/// What a chunk must hold to be ranked: letters and digits only.
#[derive(Debug, Clone, Default)]
pub struct Match {
    /// Any of them; without effect where there are phrases.
    pub any: Vec<String>,
    /// Each of them.
    pub phrases: Vec<Vec<String>>,
}

/// A chunk to be ranked.
#[derive(Debug, Clone, Deserialize)]
pub struct Candidate {
    pub seq: i64,
    pub document_id: String,
    pub title_terms: String,
    pub terms: String,
}

/// A chunk with what a citation says of it.
#[derive(Debug, Clone, Deserialize)]
pub struct Passage {
    pub seq: i64,
    pub id: String,
    pub document_id: String,
    pub title: String,
    pub text: String,
    pub source: String,
}

/// Rows of `columns` of a query, as JSON arrays in one row.
async fn rows<T: DeserializeOwned>(
    db: &Conn<'_>,
    columns: &str,
    query: &str,
    values: Vec<Value>,
) -> Result<Vec<T>> {
    let sql = if is_postgres(db) {
        format!("SELECT json_agg(json_build_array({columns}))::text AS found FROM ({query}) page")
    } else {
        format!("SELECT json_group_array(json_array({columns})) AS found FROM ({query}) page")
    };
    let row = db.one(&sql, values).await?;
    let found = row
        .map(|row| row.try_get::<Option<String>>("", "found"))
        .transpose()?;
    match found.flatten() {
        Some(json) => Ok(serde_json::from_str(&json)?),
        None => Ok(vec![]),
    }
}

fn is_postgres(db: &Conn<'_>) -> bool {
    db.get_database_backend() == DbBackend::Postgres
}

/// `$n, $n+1, …` for the values that are pushed.
fn bind<V: Into<Value>>(values: &mut Vec<Value>, more: impl IntoIterator<Item = V>) -> String {
    let mut names = vec![];
    for value in more {
        values.push(value.into());
        names.push(format!("${}", values.len()));
    }
    names.join(", ")
}

/// How common the terms are, and up to `completions` terms with each beginning.
pub async fn statistics(
    db: &Conn<'_>,
    exact: &[String],
    starts: &[String],
    completions: usize,
) -> Result<Statistics> {
    let mut values = vec![];
    let names = bind(&mut values, exact.iter().cloned());
    let mut query = format!(
        "SELECT term, chunks FROM knowledge_terms WHERE term IN ({names})
         UNION ALL SELECT '' AS term, chunks FROM knowledge_totals
         UNION ALL SELECT ' ' AS term, words AS chunks FROM knowledge_totals"
    );
    for start in starts {
        // Terms are letters and digits in ASCII, which all stand before this brace.
        let range = bind(&mut values, [start.clone(), format!("{start}{{")]);
        let (from, until) = range.split_once(", ").unwrap_or_default();
        query.push_str(&format!(
            " UNION ALL SELECT term, chunks FROM (SELECT term, chunks FROM knowledge_terms
              WHERE term >= {from} AND term < {until}
              ORDER BY chunks DESC, term LIMIT {completions}) completed"
        ));
    }
    let found: Vec<(String, i64)> = rows(db, "term, chunks", &query, values).await?;
    let mut terms: BTreeMap<String, i64> = found.into_iter().collect();
    let totals = Totals {
        chunks: terms.remove("").unwrap_or(0),
        words: terms.remove(" ").unwrap_or(0),
    };
    Ok(Statistics { totals, terms })
}

/// Terms with the first letter and about the length of each of the words, commonest first.
pub async fn similar(db: &Conn<'_>, words: &[&str]) -> Result<Vec<(String, i64)>> {
    let mut values = vec![];
    let mut conditions = vec![];
    for word in words {
        let first = &word[..1];
        let range = bind(&mut values, [first.to_owned(), format!("{first}{{")]);
        let (from, until) = range.split_once(", ").unwrap_or_default();
        let (short, long) = (word.len().saturating_sub(2), word.len() + 2);
        conditions.push(format!(
            "(term >= {from} AND term < {until} AND length(term) BETWEEN {short} AND {long})"
        ));
    }
    let query = format!(
        "SELECT term, chunks FROM knowledge_terms WHERE {} ORDER BY chunks DESC, term LIMIT 5000",
        conditions.join(" OR ")
    );
    rows(db, "term, chunks", &query, values).await
}

/// The chunks that match best in the eyes of the index, of documents with any of the tags.
pub async fn candidates(db: &Conn<'_>, wanted: &Match, tags: &[String]) -> Result<Vec<Candidate>> {
    let mut values: Vec<Value> = vec![match_expression(is_postgres(db), wanted).into()];
    let mut tagged = String::new();
    if !tags.is_empty() {
        let tags = bind(&mut values, tags.iter().cloned());
        tagged = format!(
            "AND knowledge_index.rowid IN (SELECT c.seq FROM knowledge_chunks c
                 JOIN knowledge_tags t ON t.document_id = c.document_id WHERE t.tag IN ({tags}))"
        );
    }
    let best = if is_postgres(db) {
        format!(
            "SELECT rowid AS seq FROM knowledge_index,
             (SELECT CAST(CAST($1 AS TEXT) AS tsquery) AS wanted) asked
             WHERE terms @@ wanted {tagged}
             ORDER BY ts_rank(terms, wanted) DESC, rowid LIMIT {CANDIDATES}"
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
    rows(db, "seq, document_id, title_terms, terms", &query, values).await
}

/// The match in the words of FTS5 or of `tsquery`; terms are quoted in both, and hold no quote.
fn match_expression(postgres: bool, wanted: &Match) -> String {
    let join = |terms: &[String], quote: char, with: &str| {
        let quoted = terms.iter().map(|term| format!("{quote}{term}{quote}"));
        quoted.collect::<Vec<_>>().join(with)
    };
    let (quote, or, and, next) = if postgres {
        ('\'', " | ", " & ", " <-> ")
    } else {
        ('"', " OR ", " AND ", " + ")
    };
    if wanted.phrases.is_empty() {
        return join(&wanted.any, quote, or);
    }
    let phrases = wanted
        .phrases
        .iter()
        .map(|phrase| format!("({})", join(phrase, quote, next)));
    phrases.collect::<Vec<_>>().join(and)
}

/// What the citations say, by number of chunk.
pub async fn passages(db: &Conn<'_>, seqs: &[i64]) -> Result<BTreeMap<i64, Passage>> {
    if seqs.is_empty() {
        return Ok(BTreeMap::new());
    }
    let mut values = vec![];
    let names = bind(&mut values, seqs.iter().copied());
    let query = format!(
        "SELECT c.seq, c.id, c.document_id, c.title, c.text, d.source FROM knowledge_chunks c
         JOIN knowledge_documents d ON d.id = c.document_id WHERE c.seq IN ({names})"
    );
    let columns = "seq, id, document_id, title, text, source";
    let found: Vec<Passage> = rows(db, columns, &query, values).await?;
    Ok(found
        .into_iter()
        .map(|passage| (passage.seq, passage))
        .collect())
}

/// Every document, by source.
pub async fn list(db: &Conn<'_>) -> Result<Vec<Listed>> {
    let query = "SELECT d.id, d.source, d.title, d.characters, d.updated_at,
        (SELECT count(*) FROM knowledge_chunks c WHERE c.document_id = d.id) AS chunks
        FROM knowledge_documents d ORDER BY d.source";
    let columns = "id, source, title, characters, updated_at, chunks";
    type Row = (String, String, String, i64, Millis, i64);
    let found: Vec<Row> = rows(db, columns, query, vec![]).await?;
    let query = "SELECT document_id, tag FROM knowledge_tags ORDER BY document_id, tag";
    let mut tags: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (document_id, tag) in
        rows::<(String, String)>(db, "document_id, tag", query, vec![]).await?
    {
        tags.entry(document_id).or_default().push(tag);
    }
    let listed =
        found.into_iter().map(
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

/// Adds a document, or replaces what its source had; chunks that did not change keep their ids.
pub async fn put(db: &Conn<'_>, document: Prepared, now: Millis) -> Result<Kept> {
    // Writers queue on this row; it also numbers their chunks.
    let first = reserve(db, document.chunks.len()).await?;
    let known = db
        .all(
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
            mine = Some((row.try_get::<String>("", "id")?, sha256));
        } else {
            elsewhere = Some(source);
        }
    }
    let Some((id, sha256)) = mine else {
        if let Some(source) = elsewhere.filter(|_| document.once) {
            return Ok(Kept::Elsewhere(source));
        }
        let id = new_id(now);
        let values = [
            id.clone().into(),
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
        write(db, &id, first, document.chunks, BTreeMap::new(), now).await?;
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
        id.clone().into(),
    ];
    let update = "UPDATE knowledge_documents
        SET title = $1, sha256 = $2, characters = $3, updated_at = $4 WHERE id = $5";
    db.run(update, values).await?;
    let ids = erase(db, &id).await?;
    let kept = document
        .chunks
        .iter()
        .filter(|chunk| ids.contains_key(&chunk.sha256));
    let kept = kept.count();
    write(db, &id, first, document.chunks, ids, now).await?;
    Ok(Kept::Replaced(kept))
}

/// Takes a document out of the base; its source, when there was one.
pub async fn remove(db: &Conn<'_>, id: &str) -> Result<Option<String>> {
    reserve(db, 0).await?;
    let found = "SELECT source FROM knowledge_documents WHERE id = $1";
    let Some(row) = db.one(found, [id.into()]).await? else {
        return Ok(None);
    };
    erase(db, id).await?;
    db.run(
        "DELETE FROM knowledge_tags WHERE document_id = $1",
        [id.into()],
    )
    .await?;
    db.run("DELETE FROM knowledge_documents WHERE id = $1", [id.into()])
        .await?;
    Ok(Some(row.try_get("", "source")?))
}

/// The same by its source, if the base has it.
pub async fn remove_source(db: &Conn<'_>, source: &str) -> Result<()> {
    let found = "SELECT id FROM knowledge_documents WHERE source = $1";
    if let Some(row) = db.one(found, [source.into()]).await? {
        remove(db, &row.try_get::<String>("", "id")?).await?;
    }
    Ok(())
}

/// Takes numbers for chunks, and the lock of the writers; the answer is the first of them.
async fn reserve(db: &Conn<'_>, chunks: usize) -> Result<i64> {
    let chunks = i64::try_from(chunks).map_err(Error::internal)?;
    let sql = "UPDATE knowledge_totals SET last_seq = last_seq + $1 RETURNING last_seq";
    let row = db.one(sql, [chunks.into()]).await?;
    let row = row.ok_or_else(|| Error::internal("the totals of the knowledge base are missing"))?;
    Ok(row.try_get::<i64>("", "last_seq")? - chunks + 1)
}

/// Sets the tags, where any are given; whether that changed them.
async fn set_tags(db: &Conn<'_>, id: &str, tags: Option<Vec<String>>) -> Result<bool> {
    let Some(mut tags) = tags else {
        return Ok(false);
    };
    tags.sort();
    tags.dedup();
    let old = "SELECT tag FROM knowledge_tags WHERE document_id = $1 ORDER BY tag";
    let old = db.all(old, [id.into()]).await?;
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
        [id.into()],
    )
    .await?;
    for tag in tags {
        let insert = "INSERT INTO knowledge_tags (document_id, tag) VALUES ($1, $2)";
        db.run(insert, [id.into(), tag.into()]).await?;
    }
    Ok(true)
}

/// Writes the chunks of a document that has none, numbered from `first`.
async fn write(
    db: &Conn<'_>,
    document_id: &str,
    first: i64,
    chunks: Vec<PreparedChunk>,
    mut ids: BTreeMap<String, Vec<String>>,
    now: Millis,
) -> Result<()> {
    let mut counts = Counts::default();
    for chunk in &chunks {
        counts.add(&chunk.title_terms, &chunk.terms, 1);
    }
    let mut number = first;
    for batch in chunks.chunks(BATCH) {
        let (mut values, mut lines) = (vec![], vec![]);
        let (mut index, mut index_lines) = (vec![], vec![]);
        for chunk in batch {
            let id = ids.get_mut(&chunk.sha256).and_then(Vec::pop);
            let row: [Value; 10] = [
                number.into(),
                id.unwrap_or_else(|| new_id(now)).into(),
                document_id.into(),
                (number - first).into(),
                chunk.starts_at.into(),
                chunk.title.as_str().into(),
                chunk.text.as_str().into(),
                chunk.sha256.as_str().into(),
                chunk.title_terms.as_str().into(),
                chunk.terms.as_str().into(),
            ];
            lines.push(format!("({})", bind(&mut values, row)));
            index.push(number.into());
            let seq = index.len();
            if is_postgres(db) {
                index.push(vector(chunk).into());
                index_lines.push(format!(
                    "(${seq}, CAST(CAST(${} AS TEXT) AS tsvector))",
                    seq + 1
                ));
            } else {
                let terms = [chunk.title_terms.as_str(), chunk.terms.as_str()];
                index_lines.push(format!("(${seq}, {})", bind(&mut index, terms)));
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
    counts.save(db).await
}

/// The stems with their positions; those of the text begin far enough from those of the title that
/// no phrase spans both.
fn vector(chunk: &PreparedChunk) -> String {
    let title = chunk.title_terms.split(' ').filter(|term| !term.is_empty());
    let titles = title.clone().count();
    let text = chunk.terms.split(' ').filter(|term| !term.is_empty());
    let placed = title.enumerate().map(|(at, term)| (at + 1, term, "A"));
    let placed = placed.chain(
        text.enumerate()
            .map(|(at, term)| (titles + 10 + at, term, "")),
    );
    let lexemes = placed.map(|(at, term, weight)| format!("'{term}':{at}{weight}"));
    lexemes.collect::<Vec<_>>().join(" ")
}

/// Takes the chunks of a document away; the ids that they had, by their hash.
async fn erase(db: &Conn<'_>, document_id: &str) -> Result<BTreeMap<String, Vec<String>>> {
    let query = "SELECT id, sha256, title_terms, terms FROM knowledge_chunks
        WHERE document_id = $1 ORDER BY position DESC";
    type Row = (String, String, String, String);
    let columns = "id, sha256, title_terms, terms";
    let old: Vec<Row> = rows(db, columns, query, vec![document_id.into()]).await?;
    let mut counts = Counts::default();
    let mut ids: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (id, sha256, title_terms, terms) in old {
        counts.add(&title_terms, &terms, -1);
        ids.entry(sha256).or_default().push(id);
    }
    let index = "DELETE FROM knowledge_index WHERE rowid IN
        (SELECT seq FROM knowledge_chunks WHERE document_id = $1)";
    db.run(index, [document_id.into()]).await?;
    let chunks = "DELETE FROM knowledge_chunks WHERE document_id = $1";
    db.run(chunks, [document_id.into()]).await?;
    counts.save(db).await?;
    Ok(ids)
}

/// By how much the counts of the base change.
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
                lines.push(format!("({})", bind(&mut values, row)));
            }
            let sql = format!(
                "INSERT INTO knowledge_terms (term, chunks) VALUES {} ON CONFLICT (term)
                 DO UPDATE SET chunks = knowledge_terms.chunks + excluded.chunks",
                lines.join(", ")
            );
            db.run(&sql, values).await?;
        }
        db.run("DELETE FROM knowledge_terms WHERE chunks <= 0", [])
            .await?;
        Ok(())
    }
}
