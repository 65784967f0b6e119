//! Lists of events in agenda order.

use domain::{Event, channels::is_same_channel, fold_text};
use sea_orm::ConnectionTrait;

use super::{
    read::{fetch, select_statement},
    rows::{Filter, Rows},
    search,
};
use crate::{Conn, Result};

/// Lists at most `probe` events in agenda order.
pub async fn list(db: &Conn<'_>, filter: Filter, probe: i64) -> Result<Vec<Event>> {
    let mut rows = Rows::default();
    if !narrow_to_filter(db, &mut rows, filter, probe).await? {
        return Ok(vec![]);
    }
    let backend = db.get_database_backend();
    let limit = rows.limit(backend, probe);
    let sql = select_statement(backend, &rows, &limit);
    fetch(db, &sql, rows.conditions.values).await
}

/// Restricts the rows to those that a list of at most `probe` events may contain. Returns false if the
/// list is empty.
pub(super) async fn narrow_to_filter(
    db: &Conn<'_>,
    rows: &mut Rows,
    mut filter: Filter,
    probe: i64,
) -> Result<bool> {
    let backend = db.get_database_backend();
    rows.restrict_to_members(filter.visible_to.take(), filter.assigned_to.take());
    rows.restrict_to_statuses(&filter.statuses);
    if let Some(channel) = &filter.channel {
        let spellings = load_spellings(db, channel).await?;
        let of_variants = load_spellings_in(db, "event_variants", channel).await?;
        if spellings.is_empty() && of_variants.is_empty() {
            return Ok(false);
        }
        rows.restrict_to_channel(spellings, of_variants);
    }
    rows.restrict_to_filter(&filter);
    if let Some(tag) = &filter.tag {
        let spellings = load_tag_spellings(db, rows, tag).await?;
        if spellings.is_empty() {
            return Ok(false);
        }
        rows.restrict_to_texts("e.editorial_tag", spellings);
    }
    if let Some(only) = filter.only {
        if only.is_empty() {
            return Ok(false);
        }
        rows.restrict_to_ids(backend, &only)?;
    }
    if let Some(text) = &filter.text {
        let ids = search::find_ids(db, rows, text, probe).await?;
        if ids.is_empty() {
            return Ok(false);
        }
        rows.restrict_to_ids(backend, &ids)?;
    }
    Ok(true)
}

/// Lists the spellings of a tag in these rows.
async fn load_tag_spellings(db: &Conn<'_>, rows: &Rows, tag: &str) -> Result<Vec<String>> {
    let sql = format!(
        "SELECT DISTINCT e.editorial_tag AS name FROM {} WHERE {} AND e.editorial_tag IS NOT NULL",
        rows.source_tables(),
        rows.where_condition(),
    );
    let found = db.fetch_all(&sql, rows.conditions.values.clone()).await?;
    let names = found.iter().map(|row| row.try_get("", "name"));
    let names = names.collect::<Result<Vec<String>, _>>()?.into_iter();
    Ok(names.filter(|name| is_same_text(name, tag)).collect())
}

fn is_same_text(one: &str, other: &str) -> bool {
    fold_text(one.trim()) == fold_text(other.trim())
}

/// Selects the distinct channel names of a table, each by one index lookup.
const CHANNELS: &str = "
WITH RECURSIVE channels (name) AS (
    SELECT min(channel) FROM {table}
    UNION ALL
    SELECT (SELECT min(e.channel) FROM {table} e WHERE e.channel > channels.name)
    FROM channels WHERE channels.name IS NOT NULL)
SELECT name FROM channels WHERE name IS NOT NULL";

/// Lists the spellings of a channel in the stored events.
pub(super) async fn load_spellings(db: &Conn<'_>, channel: &str) -> Result<Vec<String>> {
    load_spellings_in(db, "events", channel).await
}

/// Lists the spellings of a channel in the column `channel` of a table.
async fn load_spellings_in(
    db: &Conn<'_>,
    table: &'static str,
    channel: &str,
) -> Result<Vec<String>> {
    let rows = db
        .fetch_all(&CHANNELS.replace("{table}", table), [])
        .await?;
    let mut names = vec![];
    for row in rows {
        let name: String = row.try_get("", "name")?;
        if is_same_channel(&name, channel) {
            names.push(name);
        }
    }
    Ok(names)
}
