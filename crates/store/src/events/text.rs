//! The searchable text of events, and its index.
//!
//! A search finds a text anywhere, also inside words. So the terms of a text are the substrings of
//! up to [`LONGEST`] characters that start at each letter of its words, and its signs. If a search
//! text contains a word of at least [`LONGEST`] characters, every match has all terms of that
//! length of the word; for a shorter word, every match has a term that begins with the word. The
//! index returns candidates, and the search then compares their texts.
//!
//! A write marks its text `pending`, and a job indexes many texts at once. A search also reads the
//! pending texts, so that it always finds the latest text.
//!
//! Texts are folded in Rust, so that both databases search alike.

use std::{borrow::Cow, cmp::Reverse, collections::BTreeSet};

use domain::Event;
use sea_orm::{ConnectionTrait, DbBackend, Value};

use crate::{Bind, Conn, Result, fold::fold, many::bind_rows};

/// The maximum number of characters of a term.
const LONGEST: usize = 4;

/// The maximum number of words of a search text to look up in the index, and of terms of each word.
const WORDS: usize = 3;
const TERMS: usize = 12;

/// Number of texts that one call of [`index_pending`] indexes.
const BATCH: usize = 200;

const INSERT: &str = "
INSERT INTO event_texts (searched, event_id, pending) VALUES ($1, $2, TRUE)";
const UPDATE: &str = "
UPDATE event_texts SET searched = $1, pending = TRUE WHERE event_id = $2";

pub(super) async fn insert(db: &Conn<'_>, event: &Event) -> Result<()> {
    db.run(INSERT, [searchable_text(event).into(), event.id.value()])
        .await?;
    Ok(())
}

pub(super) async fn update(db: &Conn<'_>, event: &Event) -> Result<()> {
    db.run(UPDATE, [searchable_text(event).into(), event.id.value()])
        .await?;
    Ok(())
}

fn searchable_text(event: &Event) -> String {
    let parts = [
        Some(&event.title),
        event.description.as_ref(),
        event.editorial_tag.as_ref(),
    ];
    let parts: Vec<&str> = parts.into_iter().flatten().map(String::as_str).collect();
    fold(&parts.join("\n"))
}

/// The words and the signs of a folded text.
fn tokens(folded: &str) -> impl Iterator<Item = &str> {
    let mut rest = folded;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c.is_control());
        let first = rest.chars().next()?;
        let length = if first.is_alphanumeric() {
            rest.find(|c: char| !c.is_alphanumeric())
        } else {
            Some(first.len_utf8())
        };
        let (token, next) = rest.split_at(length.unwrap_or(rest.len()));
        rest = next;
        Some(token)
    })
}

/// The index term with which a token starts.
///
/// ASCII signs have a meaning in the query syntax of both indexes, so they are replaced by their
/// full-width forms.
fn term(token: &str) -> Cow<'_, str> {
    if let [sign @ b'!'..=b'~'] = token.as_bytes()
        && sign.is_ascii_punctuation()
    {
        let wide = char::from_u32(0xFEE0 + u32::from(*sign));
        return wide.map(String::from).unwrap_or_default().into();
    }
    let end = token.char_indices().nth(LONGEST);
    token[..end.map_or(token.len(), |(at, _)| at)].into()
}

/// The terms that start at each character of a token.
fn terms_of(token: &str) -> impl Iterator<Item = Cow<'_, str>> {
    token.char_indices().map(|(at, _)| term(&token[at..]))
}

fn terms(folded: &str) -> BTreeSet<Cow<'_, str>> {
    tokens(folded).flat_map(terms_of).collect()
}

/// A term that the index has for every text that contains the search text.
pub(super) enum Sought<'a> {
    Term(Cow<'a, str>),
    /// The prefix of a term.
    Start(Cow<'a, str>),
}

/// The terms to look up in the index: those of the longest words, which are usually the rarest.
pub(super) fn required_terms(folded: &str) -> Vec<Sought<'_>> {
    let words = tokens(folded).map(|word| (word.chars().count(), word));
    let mut words: Vec<(usize, &str)> = words.collect();
    words.sort_by_key(|(length, _)| Reverse(*length));
    // A short word occurs in so many texts that reading them costs more than the word excludes.
    if words.first().is_some_and(|(length, _)| *length >= LONGEST) {
        words.retain(|(length, _)| *length >= LONGEST);
    }
    let mut sought = vec![];
    for (length, word) in words.into_iter().take(WORDS) {
        match (length + 1).checked_sub(LONGEST) {
            None | Some(0) => sought.push(Sought::Start(term(word))),
            Some(whole) => sought.extend(terms_of(word).take(whole.min(TERMS)).map(Sought::Term)),
        }
    }
    sought
}

/// The terms of a text in the input syntax of the database's index.
fn index_input(backend: DbBackend, folded: &str) -> String {
    let terms: Vec<_> = terms(folded).into_iter().collect();
    match backend {
        DbBackend::Postgres => {
            let quoted: Vec<_> = terms.iter().map(|term| format!("'{term}'")).collect();
            quoted.join(" ")
        }
        _ => terms.join(" "),
    }
}

/// Indexes a batch of pending texts. Returns whether more may be pending.
pub async fn index_pending(db: &Conn<'_>) -> Result<bool> {
    let lock = match db.get_database_backend() {
        // Skips a text that another transaction is writing; its writer marks it pending again.
        DbBackend::Postgres => "FOR UPDATE SKIP LOCKED",
        _ => "",
    };
    let sql = format!(
        "SELECT event_id, number, searched FROM event_texts WHERE pending LIMIT {BATCH} {lock}"
    );
    let rows = db.fetch_all(&sql, []).await?;
    let Some(last) = db
        .fetch_one("SELECT max(number) AS last FROM event_texts", [])
        .await?
    else {
        return Ok(false);
    };
    let mut last = last.try_get::<Option<i64>>("", "last")?.unwrap_or(0);
    let (mut indexed, mut numbers, mut texts) = (vec![], vec![], vec![]);
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
        numbers.push([row.try_get::<String>("", "event_id")?.into(), number.into()]);
        texts.push((number, row.try_get::<String>("", "searched")?));
    }
    if texts.is_empty() {
        return Ok(false);
    }
    if !indexed.is_empty() {
        let (places, values) = bind_rows(indexed.into_iter().map(|number| [number.into()]));
        let sql = format!("DELETE FROM event_index WHERE rowid IN (VALUES {places})");
        db.run(&sql, values).await?;
    }
    write_index(db, texts).await?;
    let (places, values) = bind_rows(numbers);
    let sql = format!(
        "WITH indexed (event_id, number) AS (VALUES {places})
         UPDATE event_texts SET pending = FALSE, number = indexed.number
         FROM indexed WHERE event_texts.event_id = indexed.event_id"
    );
    db.run(&sql, values).await?;
    Ok(rows.len() == BATCH)
}

/// Fills the empty index of a database into which the texts were copied.
pub async fn rebuild_index(db: &Conn<'_>) -> Result<()> {
    let mut after = 0;
    loop {
        let sql = format!(
            "SELECT number, searched FROM event_texts
             WHERE number > $1 ORDER BY number LIMIT {BATCH}"
        );
        let mut texts = vec![];
        for row in db.fetch_all(&sql, [after.into()]).await? {
            after = row.try_get("", "number")?;
            texts.push((after, row.try_get::<String>("", "searched")?));
        }
        if texts.is_empty() {
            return Ok(());
        }
        write_index(db, texts).await?;
    }
}

async fn write_index(db: &Conn<'_>, texts: Vec<(i64, String)>) -> Result<()> {
    let backend = db.get_database_backend();
    let rows = texts.iter().map(|(number, text)| -> [Value; 2] {
        [(*number).into(), index_input(backend, text).into()]
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
        places = (0..texts.len()).map(row).collect::<Vec<_>>().join(", ");
    }
    let sql = format!("INSERT INTO event_index (rowid, terms) VALUES {places}");
    db.run(&sql, values).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_the_required_terms_of_each_of_its_parts() {
        let text = fold("Pão-de-queijo às 9h: R$ 78,50 ☕\n#receitadefamília 100%");
        let terms = terms(&text);
        for (from, _) in text.char_indices() {
            for to in from + 1..=text.len() {
                let Some(part) = text.get(from..to) else {
                    continue;
                };
                for sought in required_terms(part) {
                    let (sought, is_found) = match sought {
                        Sought::Term(sought) => (sought.clone(), terms.contains(&sought)),
                        Sought::Start(start) => (
                            start.clone(),
                            terms.iter().any(|term| term.starts_with(&*start)),
                        ),
                    };
                    assert!(is_found, "{part:?}: {sought:?}");
                }
            }
        }
    }

    #[test]
    fn terms_contain_no_index_syntax() {
        let signs: String = (' '..='~').collect();
        for term in terms(&signs) {
            assert!(
                term.chars().all(|c| c.is_alphanumeric() || !c.is_ascii()),
                "{term}"
            );
        }
    }
}
