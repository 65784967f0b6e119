//! Lists of events in agenda order.

use domain::Event;
use sea_orm::ConnectionTrait;

use super::{
    read::{fetch, select_statement},
    rows::{Filter, Rows},
    search,
};
use crate::{Conn, Result, fold::fold_text};

/// Lists at most `probe` events in agenda order.
pub async fn list(db: &Conn<'_>, mut filter: Filter, probe: i64) -> Result<Vec<Event>> {
    let mut rows = Rows::default();
    rows.restrict_to_members(filter.visible_to.take(), filter.assigned_to.take());
    rows.restrict_to_statuses(&filter.statuses);
    if let Some(channel) = &filter.channel {
        let spellings = load_spellings(db, channel).await?;
        if spellings.is_empty() {
            return Ok(vec![]);
        }
        let query = &mut rows.conditions;
        let spellings: Vec<_> = spellings.into_iter().map(|s| query.bind(s)).collect();
        query.and(&format!("e.channel IN ({})", spellings.join(", ")));
    }
    rows.restrict_to_filter(&filter);
    if let Some(text) = &filter.text {
        let ids = search::find_ids(db, &rows, text, probe).await?;
        if ids.is_empty() {
            return Ok(vec![]);
        }
        rows.restrict_to_ids(ids);
    }
    let backend = db.get_database_backend();
    let limit = rows.limit(backend, probe);
    let sql = select_statement(backend, &rows, &limit);
    fetch(db, &sql, rows.conditions.values).await
}

/// Whether two names denote the same channel, regardless of case and accents.
#[must_use]
pub fn is_same_channel(one: &str, other: &str) -> bool {
    fold_text(one.trim()) == fold_text(other.trim())
}

/// Selects the distinct channel names, each by one index lookup.
const CHANNELS: &str = "
WITH RECURSIVE channels (name) AS (
    SELECT min(channel) FROM events
    UNION ALL
    SELECT (SELECT min(e.channel) FROM events e WHERE e.channel > channels.name)
    FROM channels WHERE channels.name IS NOT NULL)
SELECT name FROM channels WHERE name IS NOT NULL";

/// Lists the spellings of a channel in the stored events.
pub(super) async fn load_spellings(db: &Conn<'_>, channel: &str) -> Result<Vec<String>> {
    let rows = db.fetch_all(CHANNELS, []).await?;
    let mut names = vec![];
    for row in rows {
        let name: String = row.try_get("", "name")?;
        if is_same_channel(&name, channel) {
            names.push(name);
        }
    }
    Ok(names)
}
