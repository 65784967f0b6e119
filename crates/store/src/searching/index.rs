//! Indexes of texts: contentless FTS5 tables on SQLite, `tsvector` on PostgreSQL. The terms are computed
//! in Rust, so that the indexes of both databases contain the same terms.

use std::{borrow::Cow, collections::BTreeSet};

use sea_orm::{ConnectionTrait, DbBackend, Value};
use search::typed::{self, Lookup};

use crate::{Conn, Result, many::bind_rows};

/// A table of texts, each with `number` and `pending`, and the index that contains their terms by
/// `number`.
pub(crate) struct Texts {
    pub table: &'static str,
    /// The primary key, of type TEXT.
    pub keys: &'static [&'static str],
    /// The column with the text; NULL if the text is not stored yet.
    pub text: &'static str,
    pub index: &'static str,
    /// The terms of a text. They consist of letters, digits and characters outside ASCII.
    pub terms: fn(&str) -> BTreeSet<Cow<'_, str>>,
    /// The number of texts that one call of [`index_pending`] indexes.
    pub batch: usize,
}

/// Returns the terms by which a typed search finds a text.
pub(crate) fn query_terms(text: &str) -> BTreeSet<Cow<'_, str>> {
    let terms = typed::index_terms(text).into_iter();
    terms.map(Cow::from).collect()
}

/// Returns the SQL condition that a text matches an index query; `query` is the placeholder of the index
/// query.
pub(crate) fn index_condition(backend: DbBackend, index: &str, query: &str) -> String {
    match backend {
        DbBackend::Postgres => format!("{index}.terms @@ CAST(CAST({query} AS TEXT) AS tsquery)"),
        _ => format!("{index} MATCH {query}"),
    }
}

/// Returns a query, in the syntax of the index, for the texts that match at least one lookup of each
/// list. Terms contain neither quotes nor operators.
pub(crate) fn index_query(backend: DbBackend, lookups: &[Vec<Lookup>]) -> String {
    let one = |lookup: &Lookup| match (backend, lookup) {
        (DbBackend::Postgres, Lookup::Term(term)) => format!("'{term}'"),
        (DbBackend::Postgres, Lookup::Prefix(start)) => format!("'{start}':*"),
        (_, Lookup::Term(term)) => format!("\"{term}\""),
        (_, Lookup::Prefix(start)) => format!("\"{start}\" *"),
    };
    let (and, or) = match backend {
        DbBackend::Postgres => (" & ", " | "),
        _ => (" AND ", " OR "),
    };
    let any = |lookups: &Vec<Lookup>| {
        let each: Vec<String> = lookups.iter().map(one).collect();
        format!("({})", each.join(or))
    };
    lookups.iter().map(any).collect::<Vec<_>>().join(and)
}

/// Returns the terms in the input syntax of the database's index.
fn index_input(backend: DbBackend, terms: BTreeSet<Cow<'_, str>>) -> String {
    let terms: Vec<_> = terms.into_iter().collect();
    match backend {
        DbBackend::Postgres => {
            let quoted: Vec<_> = terms.iter().map(|term| format!("'{term}'")).collect();
            quoted.join(" ")
        }
        _ => terms.join(" "),
    }
}

/// Indexes a batch of pending texts. Returns whether more may be pending.
pub(crate) async fn index_pending(db: &Conn<'_>, texts: &Texts) -> Result<bool> {
    let lock = match db.get_database_backend() {
        // Skips a text that another transaction is writing; its writer marks it pending again.
        DbBackend::Postgres => "FOR UPDATE SKIP LOCKED",
        _ => "",
    };
    let Texts {
        table,
        keys,
        text,
        index,
        batch,
        ..
    } = texts;
    let sql = format!(
        "SELECT {}, number, {text} AS text FROM {table} WHERE pending AND {text} IS NOT NULL
         LIMIT {batch} {lock}",
        keys.join(", ")
    );
    let rows = db.fetch_all(&sql, []).await?;
    if rows.is_empty() {
        return Ok(false);
    }
    let sql = format!("SELECT max(number) AS last FROM {table}");
    let last = db.fetch_one(&sql, []).await?;
    let last = last.map(|row| row.try_get::<Option<i64>>("", "last"));
    let mut last = last.transpose()?.flatten().unwrap_or(0);
    let (mut indexed, mut places, mut values, mut pending) = (vec![], vec![], vec![], vec![]);
    for row in &rows {
        let number = match row.try_get::<Option<i64>>("", "number")? {
            Some(number) => {
                indexed.push(number);
                number
            }
            None => {
                last += 1;
                last
            }
        };
        let mut place = vec![];
        for key in *keys {
            values.push(Value::from(row.try_get::<String>("", key)?));
            place.push(format!("${}", values.len()));
        }
        values.push(number.into());
        place.push(format!("${}", values.len()));
        places.push(format!("({})", place.join(", ")));
        pending.push((number, row.try_get::<String>("", "text")?));
    }
    if !indexed.is_empty() {
        let (places, values) = bind_rows(indexed.into_iter().map(|number| [number.into()]));
        let sql = format!("DELETE FROM {index} WHERE rowid IN (VALUES {places})");
        db.run(&sql, values).await?;
    }
    insert_terms(db, texts, pending).await?;
    let is_same = keys
        .iter()
        .map(|key| format!("{table}.{key} = indexed.{key}"));
    let sql = format!(
        "WITH indexed ({keys}, number) AS (VALUES {places})
         UPDATE {table} SET pending = FALSE, number = indexed.number
         FROM indexed WHERE {is_same}",
        keys = keys.join(", "),
        places = places.join(", "),
        is_same = is_same.collect::<Vec<_>>().join(" AND "),
    );
    db.run(&sql, values).await?;
    Ok(rows.len() == *batch)
}

/// Fills the empty index of a database into which the texts were copied.
pub(crate) async fn rebuild(db: &Conn<'_>, texts: &Texts) -> Result<()> {
    let mut after = 0;
    loop {
        let Texts {
            table, text, batch, ..
        } = texts;
        let sql = format!(
            "SELECT number, {text} AS text FROM {table}
             WHERE number > $1 AND {text} IS NOT NULL ORDER BY number LIMIT {batch}"
        );
        let mut found = vec![];
        for row in db.fetch_all(&sql, [after.into()]).await? {
            after = row.try_get("", "number")?;
            found.push((after, row.try_get::<String>("", "text")?));
        }
        if found.is_empty() {
            return Ok(());
        }
        insert_terms(db, texts, found).await?;
    }
}

async fn insert_terms(db: &Conn<'_>, texts: &Texts, found: Vec<(i64, String)>) -> Result<()> {
    let backend = db.get_database_backend();
    let rows = found.iter().map(|(number, text)| -> [Value; 2] {
        let terms = index_input(backend, (texts.terms)(text));
        [(*number).into(), terms.into()]
    });
    let (mut places, values) = bind_rows(rows);
    if backend == DbBackend::Postgres {
        let row = |n: usize| {
            format!(
                "(${}, CAST(CAST(${} AS TEXT) AS tsvector))",
                2 * n + 1,
                2 * n + 2
            )
        };
        places = (0..found.len()).map(row).collect::<Vec<_>>().join(", ");
    }
    let sql = format!("INSERT INTO {} (rowid, terms) VALUES {places}", texts.index);
    db.run(&sql, values).await?;
    Ok(())
}
