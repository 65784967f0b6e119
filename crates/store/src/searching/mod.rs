//! The search over everything: the texts of resources and their indexes.
//!
//! Each resource has a text, whose first line is its title: events in `event_texts`, other resources in
//! `search_texts`. A write stores the text in its own transaction and marks it `pending`. A job indexes
//! many texts at once. A search also reads up to [`find::MOST_PENDING`] pending texts without the index,
//! so that it finds recent changes.
//!
//! The knowledge base has its own index (`knowledge/typed.rs`). Members and skills are few, so a search
//! reads and compares their names.

pub(crate) mod find;
pub(crate) mod index;

use domain::time::Millis;

use self::{
    find::Source,
    index::{Texts, query_terms},
};
use crate::{Conn, Result, conditions::Conditions};

pub use find::Hit;

/// A kind of resource with rows in `search_texts`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Project,
    EmailDraft,
    Media,
}

impl Kind {
    pub(crate) const ALL: [Self; 3] = [Self::Project, Self::EmailDraft, Self::Media];

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Project => "projeto",
            Self::EmailDraft => "email",
            Self::Media => "midia",
        }
    }
}

/// The maximum length of a text in bytes; the rest is not searched.
const MOST_BYTES: usize = 100_000;

pub(crate) const TEXTS: Texts = Texts {
    table: "search_texts",
    keys: &["kind", "id"],
    text: "text",
    index: "search_index",
    terms: query_terms,
    batch: 100,
};

/// Joins the title and the other texts of a resource. The title becomes the first line.
#[must_use]
pub fn join_text<'a>(title: &str, texts: impl IntoIterator<Item = &'a str>) -> String {
    let mut joined = title.split_whitespace().collect::<Vec<_>>().join(" ");
    for text in texts {
        if joined.len() > MOST_BYTES {
            break;
        }
        joined.push('\n');
        joined.push_str(text);
    }
    let end = (0..=MOST_BYTES.min(joined.len())).rev();
    let end = end.into_iter().find(|end| joined.is_char_boundary(*end));
    joined.truncate(end.unwrap_or(0));
    // PostgreSQL cannot store NUL.
    joined.replace('\0', " ")
}

const PUT: &str = "
INSERT INTO search_texts (kind, id, changed_at, text, pending) VALUES ($1, $2, $3, $4, TRUE)
ON CONFLICT (kind, id) DO UPDATE SET
    pending = search_texts.pending OR search_texts.text IS DISTINCT FROM excluded.text,
    changed_at = excluded.changed_at,
    text = excluded.text";

/// Stores the text of a resource. Marks it for indexing only if it has changed.
pub(crate) async fn save_text(
    db: &Conn<'_>,
    kind: Kind,
    id: &str,
    changed_at: Millis,
    text: String,
) -> Result<()> {
    let values = [
        kind.as_str().into(),
        id.into(),
        changed_at.into(),
        text.into(),
    ];
    Ok(db.run_later(PUT, values).await?)
}

/// Deletes the text of a resource.
pub(crate) async fn delete_text(db: &Conn<'_>, kind: Kind, id: &str) -> Result<()> {
    // The number may be reused, so its index entry is deleted too.
    let index = "DELETE FROM search_index WHERE rowid IN (
        SELECT number FROM search_texts WHERE kind = $1 AND id = $2 AND number IS NOT NULL)";
    db.run(index, [kind.as_str().into(), id.into()]).await?;
    let text = "DELETE FROM search_texts WHERE kind = $1 AND id = $2";
    db.run(text, [kind.as_str().into(), id.into()]).await?;
    Ok(())
}

/// Indexes a batch of pending texts. Returns whether more may be pending.
pub async fn index_pending(db: &Conn<'_>) -> Result<bool> {
    index::index_pending(db, &TEXTS).await
}

/// Fills the empty index of a database into which the texts were copied.
pub async fn rebuild_index(db: &Conn<'_>) -> Result<()> {
    index::rebuild(db, &TEXTS).await
}

/// A resource that a search found, with its text.
#[derive(Debug)]
pub struct FoundText {
    pub id: String,
    pub changed_at: Millis,
    pub text: String,
}

/// A table joined to `search_texts`, and the conditions that join and filter its rows.
#[derive(Default)]
pub(crate) struct Joined {
    pub table: &'static str,
    pub conditions: Conditions,
}

/// Finds resources of a kind: first those with all words in the title, then the others, each by
/// last change.
pub(crate) async fn find_texts(
    db: &Conn<'_>,
    kind: Kind,
    typed: &search::typed::Typed,
    joined: Joined,
    most: usize,
) -> Result<Vec<FoundText>> {
    let mut conditions = joined.conditions;
    let kind_name = conditions.bind(kind.as_str());
    conditions.and(&format!("t.kind = {kind_name} AND t.text IS NOT NULL"));
    let from = match joined.table {
        "" => "search_texts t".to_owned(),
        table => format!("search_texts t CROSS JOIN {table}"),
    };
    let source = Source {
        texts: &TEXTS,
        along: from.clone(),
        beyond: from,
        conditions,
        id: "t.id",
        at: "t.changed_at",
        recent: "t.changed_at",
        regions: &["TRUE"],
    };
    let hits = find::find_hits(db, &source, typed, most).await?;
    load_texts(db, kind, hits).await
}

/// Loads the texts of hits, in their order.
async fn load_texts(db: &Conn<'_>, kind: Kind, hits: Vec<Hit>) -> Result<Vec<FoundText>> {
    if hits.is_empty() {
        return Ok(vec![]);
    }
    let mut query = Conditions::default();
    let kind = query.bind(kind.as_str());
    let ids: Vec<String> = hits.iter().map(|hit| query.bind(hit.id.as_str())).collect();
    let sql = format!(
        "SELECT id, changed_at, text FROM search_texts WHERE kind = {kind} AND id IN ({})",
        ids.join(", ")
    );
    let mut found = vec![];
    for row in db.fetch_all(&sql, query.values).await? {
        found.push(FoundText {
            id: row.try_get("", "id")?,
            changed_at: row.try_get("", "changed_at")?,
            text: row.try_get("", "text")?,
        });
    }
    found.sort_by_key(|found| hits.iter().position(|hit| hit.id == found.id));
    Ok(found)
}
