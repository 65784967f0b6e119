//! Attempts within windows of time, counted by all instances together.
//!
//! A subject is a keyed hash, for example of an e-mail address or a network. Its window begins with
//! the first attempt, and its count restarts after the window.

use std::collections::HashMap;

use domain::time::Millis;

use super::Conn;
use crate::{Result, conditions::Conditions};

/// The attempts of a subject in its current window.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Count {
    pub since: Millis,
    pub made: i64,
}

/// Loads the attempts of these subjects in windows that began after `cut`, in the order of the subjects.
pub async fn load(db: &Conn<'_>, subjects: &[String], cut: Millis) -> Result<Vec<Count>> {
    let mut query = Conditions::default();
    let (cut, among) = (query.bind(cut), bind_each(subjects, &mut query));
    let sql = format!(
        "SELECT subject, since, made FROM attempts WHERE since > {cut} AND subject IN ({among})"
    );
    fetch_counts_for_subjects(db, &sql, query, subjects).await
}

/// Adds attempts of each subject. Returns the resulting counts. A window that these attempts open begins
/// at `since`.
pub async fn add(
    db: &Conn<'_>,
    made: &[(String, i64)],
    cut: Millis,
    since: Millis,
) -> Result<Vec<Count>> {
    // The order in which rows are locked, see `row_lock`.
    let mut sorted: Vec<&(String, i64)> = made.iter().collect();
    sorted.sort_unstable();
    let mut query = Conditions::default();
    let (cut, since) = (query.bind(cut), query.bind(since));
    let rows: Vec<String> = sorted
        .into_iter()
        .map(|(subject, made)| {
            let (subject, made) = (query.bind(subject.as_str()), query.bind(*made));
            format!("({subject}, {since}, {made})")
        })
        .collect();
    let sql = format!(
        "INSERT INTO attempts (subject, since, made) VALUES {}
         ON CONFLICT (subject) DO UPDATE SET
            made = CASE WHEN attempts.since > {cut} THEN attempts.made ELSE 0 END + excluded.made,
            since = CASE WHEN attempts.since > {cut} THEN attempts.since ELSE excluded.since END
         RETURNING subject, since, made",
        rows.join(", ")
    );
    let subjects: Vec<String> = made.iter().map(|(subject, _)| subject.clone()).collect();
    fetch_counts_for_subjects(db, &sql, query, &subjects).await
}

/// Deletes the count of the subject `own`, and subtracts it from the counts of `others`. Returns the
/// deleted count.
pub async fn forget(db: &Conn<'_>, own: &str, others: &[String]) -> Result<i64> {
    let mut query = Conditions::default();
    let subjects: Vec<String> = others.iter().cloned().chain([own.to_owned()]).collect();
    let among = bind_each(&subjects, &mut query);
    let sql = format!(
        "SELECT subject, since, made FROM attempts WHERE subject IN ({among})
         ORDER BY subject {}",
        row_lock(db)
    );
    let counts = fetch_counts_for_subjects(db, &sql, query, &subjects).await?;
    // A row that was inserted after the SELECT is not locked, and counts a later attempt.
    let own_count = counts.last().copied().unwrap_or_default();
    if own_count.made == 0 {
        return Ok(0);
    }
    let sql = "DELETE FROM attempts WHERE subject = $1";
    db.run(sql, [own.into()]).await?;
    let mut query = Conditions::default();
    let (made, among) = (query.bind(own_count.made), bind_each(others, &mut query));
    let sql = format!(
        "UPDATE attempts SET made = CASE WHEN made > {made} THEN made - {made} ELSE 0 END
         WHERE subject IN ({among})"
    );
    db.run(&sql, query.values).await?;
    Ok(own_count.made)
}

/// Deletes the counts of windows that began before an instant.
pub async fn delete_expired(db: &Conn<'_>, cut: Millis) -> Result<()> {
    let sql = format!(
        "DELETE FROM attempts WHERE subject IN (
            SELECT subject FROM attempts WHERE since <= $1 ORDER BY subject {})",
        row_lock(db)
    );
    db.run(&sql, [cut.into()]).await?;
    Ok(())
}

/// Returns the clause that locks the selected rows. Every transaction locks rows in the order of their
/// subjects, which prevents deadlocks.
fn row_lock(db: &Conn<'_>) -> &'static str {
    if db.is_sqlite() { "" } else { "FOR UPDATE" }
}

fn bind_each(subjects: &[String], query: &mut Conditions) -> String {
    let placeholders = subjects.iter().map(|subject| query.bind(subject.as_str()));
    placeholders.collect::<Vec<_>>().join(", ")
}

async fn fetch_counts_for_subjects(
    db: &Conn<'_>,
    sql: &str,
    query: Conditions,
    subjects: &[String],
) -> Result<Vec<Count>> {
    let mut counts = HashMap::new();
    for row in db.fetch_all(sql, query.values).await? {
        let count = Count {
            since: row.try_get("", "since")?,
            made: row.try_get("", "made")?,
        };
        counts.insert(row.try_get::<String>("", "subject")?, count);
    }
    let found = subjects.iter().map(|subject| counts.get(subject));
    Ok(found
        .map(|count| count.copied().unwrap_or_default())
        .collect())
}
