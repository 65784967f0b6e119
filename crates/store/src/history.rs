//! What each mutation changed in an event.

use serde_json::{Map, Value};

use crate::{Bind, Conn, Result, columns};
use domain::{Event, EventChangeId, EventId, MemberId, Revision, time::Millis};

/// Who changes an event, through which operation, and why.
#[derive(Clone, Copy)]
pub struct Change<'a> {
    pub actor: &'a MemberId,
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
        String::from(EventChangeId::new(event.updated_at)).into(),
        event.id.value(),
        event.api_revision.value(),
        change.actor.value(),
        change.action.into(),
        serde_json::to_string(&differences)?.into(),
        change.reason.into(),
        event.updated_at.into(),
    ];
    db.run(INSERT, values).await?;
    Ok(())
}

/// One recorded change of an event.
#[derive(Debug)]
pub struct Recorded {
    pub id: EventChangeId,
    pub api_revision: Revision,
    pub actor_member_id: MemberId,
    pub actor_name: String,
    pub action: String,
    pub changes: String,
    pub reason: Option<String>,
    pub occurred_at: Millis,
}

columns!(Recorded {
    id,
    api_revision,
    actor_member_id,
    actor_name,
    action,
    changes,
    reason,
    occurred_at,
});

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
pub async fn list(
    db: &Conn<'_>,
    event_id: &EventId,
    before: Revision,
    probe: i64,
) -> Result<Vec<Recorded>> {
    let values = [event_id.value(), before.value(), probe.into()];
    lines(db, "h.api_revision < $2", values).await
}

/// The newest ones after the revision `seen`, newest first, at most `most`.
pub async fn since(
    db: &Conn<'_>,
    event_id: &EventId,
    seen: Revision,
    most: i64,
) -> Result<Vec<Recorded>> {
    let values = [event_id.value(), seen.value(), most.into()];
    lines(db, "h.api_revision > $2", values).await
}

/// The newest one of an operation.
pub async fn last_of(db: &Conn<'_>, event_id: &EventId, action: &str) -> Result<Option<Recorded>> {
    let values = [event_id.value(), action.into(), 1i64.into()];
    Ok(lines(db, "h.action = $2", values).await?.pop())
}

impl Recorded {
    /// The names of the fields that changed.
    pub fn fields(&self) -> Result<Vec<String>> {
        let changes: Map<String, Value> = serde_json::from_str(&self.changes)?;
        Ok(changes.into_iter().map(|(field, _)| field).collect())
    }
}
