//! What each mutation changed in an event.

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

/// One line of an event's history.
#[derive(Debug, FromQueryResult)]
pub struct Line {
    pub id: String,
    pub api_revision: i64,
    pub actor_member_id: String,
    pub actor_name: String,
    pub action: String,
    pub changes: String,
    pub reason: Option<String>,
    pub occurred_at: Millis,
}

const LIST: &str = "
SELECT h.id, h.api_revision, h.actor_member_id, m.name AS actor_name, h.action, h.changes,
       h.reason, h.occurred_at
FROM event_history h JOIN members m ON m.id = h.actor_member_id
WHERE h.event_id = $1 AND h.api_revision < $2
ORDER BY h.api_revision DESC LIMIT $3";

/// Newest first, before the revision `before`, at most `probe`.
pub async fn list(db: &Conn<'_>, event_id: &str, before: i64, probe: i64) -> Result<Vec<Line>> {
    let rows = db
        .all(LIST, [event_id.into(), before.into(), probe.into()])
        .await?;
    Ok(rows
        .iter()
        .map(|row| row.read(""))
        .collect::<Result<_, _>>()?)
}
