//! What each mutation changed in an event.

use std::collections::HashMap;

use sea_orm::FromQueryResult;
use serde_json::{Map, Value};

use crate::{Conn, Result};
use domain::{Event, new_id, time::Millis};

/// Who changes an event, through which operation, and why.
#[derive(Clone, Copy)]
pub struct Change<'a> {
    pub actor: &'a str,
    pub action: &'a str,
    pub reason: Option<&'a str>,
}

const INSERT: &str = "
INSERT INTO event_history
    (id, event_id, api_revision, actor_member_id, action, changes, reason, occurred_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";

/// Notes the change that led to `event`.
pub(super) async fn insert(
    db: &Conn<'_>,
    event: &Event,
    change: Change<'_>,
    differences: Map<String, Value>,
) -> Result<()> {
    let values = [
        new_id(event.updated_at).into(),
        event.id.as_str().into(),
        event.api_revision.into(),
        change.actor.into(),
        change.action.into(),
        serde_json::to_string(&differences)?.into(),
        change.reason.into(),
        event.updated_at.into(),
    ];
    db.run(INSERT, values).await?;
    Ok(())
}

/// One recorded change of an event.
#[derive(Debug, FromQueryResult)]
pub struct Recorded {
    pub id: String,
    pub api_revision: i64,
    pub actor_member_id: String,
    pub actor_name: String,
    pub action: String,
    pub changes: String,
    pub reason: Option<String>,
    pub occurred_at: Millis,
}

const SELECT: &str = "
SELECT h.id, h.api_revision, h.actor_member_id, m.name AS actor_name, h.action, h.changes,
       h.reason, h.occurred_at
FROM event_history h JOIN members m ON m.id = h.actor_member_id
WHERE h.event_id = $1 AND {where}
ORDER BY h.api_revision DESC LIMIT $3";

async fn lines(
    db: &Conn<'_>,
    condition: &str,
    values: [sea_orm::Value; 3],
) -> Result<Vec<Recorded>> {
    let rows = db
        .all(&SELECT.replace("{where}", condition), values)
        .await?;
    Ok(rows
        .iter()
        .map(|row| row.read(""))
        .collect::<Result<_, _>>()?)
}

/// Newest first, before the revision `before`, at most `probe`.
pub async fn list(db: &Conn<'_>, event_id: &str, before: i64, probe: i64) -> Result<Vec<Recorded>> {
    let values = [event_id.into(), before.into(), probe.into()];
    lines(db, "h.api_revision < $2", values).await
}

/// The newest ones after the revision `seen`, newest first, at most `most`.
pub async fn since(db: &Conn<'_>, event_id: &str, seen: i64, most: i64) -> Result<Vec<Recorded>> {
    let values = [event_id.into(), seen.into(), most.into()];
    lines(db, "h.api_revision > $2", values).await
}

/// The newest one of an operation.
pub async fn last_of(db: &Conn<'_>, event_id: &str, action: &str) -> Result<Option<Recorded>> {
    let values = [event_id.into(), action.into(), 1i64.into()];
    Ok(lines(db, "h.action = $2", values).await?.pop())
}

/// The reason of the last decision about each of these events, where one was given.
pub async fn refusal_reasons(
    db: &Conn<'_>,
    event_ids: Vec<&str>,
) -> Result<HashMap<String, String>> {
    if event_ids.is_empty() {
        return Ok(HashMap::new());
    }
    let places: Vec<String> = (1..=event_ids.len()).map(|n| format!("${n}")).collect();
    let sql = format!(
        "SELECT h.event_id, h.reason FROM event_history h
         WHERE h.event_id IN ({}) AND h.reason IS NOT NULL AND h.api_revision = (
             SELECT max(d.api_revision) FROM event_history d
             WHERE d.event_id = h.event_id AND d.action = 'decide_approval')",
        places.join(", ")
    );
    let ids: Vec<sea_orm::Value> = event_ids.into_iter().map(Into::into).collect();
    let rows = db.all(&sql, ids).await?;
    rows.iter()
        .map(|row| Ok((row.try_get("", "event_id")?, row.try_get("", "reason")?)))
        .collect()
}

impl Recorded {
    /// The names of the fields that changed.
    pub fn fields(&self) -> Result<Vec<String>> {
        let changes: Map<String, Value> = serde_json::from_str(&self.changes)?;
        Ok(changes.into_iter().map(|(field, _)| field).collect())
    }
}
