//! The history of changes to events.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::{Bind, Conn, Read, Result, columns};
use domain::{Event, EventChangeId, EventId, MemberId, Revision, time::Millis};

/// The actor, the operation and the reason of a change.
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

/// Records the change that produced `event`.
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
        serde_json::to_string(&pack_changes(differences))?.into(),
        change.reason.into(),
        event.updated_at.into(),
    ];
    Ok(db.run_later(INSERT, values).await?)
}

/// The changed fields as `{field: {before, after}}`.
#[derive(Debug)]
pub struct FieldChanges(pub Map<String, Value>);

impl Read for FieldChanges {
    type Raw = String;

    fn raw_from_value(value: &sea_orm::Value) -> Option<String> {
        String::raw_from_value(value)
    }

    fn from_raw(raw: String) -> Option<Self> {
        serde_json::from_str(&raw)
            .ok()
            .map(unpack_changes)
            .map(Self)
    }
}

/// One recorded change of an event.
#[derive(Debug)]
pub struct RecordedChange {
    pub id: EventChangeId,
    pub api_revision: Revision,
    pub actor_member_id: MemberId,
    /// The name of the member. If a guest acted in the name of the member, the name of the guest.
    pub actor_name: String,
    /// True if a guest acted.
    pub by_guest: bool,
    /// The agent or token that the actor called through; `None` for a session.
    pub agent: Option<String>,
    pub action: String,
    pub changes: FieldChanges,
    pub reason: Option<String>,
    pub occurred_at: Millis,
}

columns!(RecordedChange {
    id,
    api_revision,
    actor_member_id,
    actor_name,
    by_guest,
    agent,
    action,
    changes,
    reason,
    occurred_at,
});

/// Joins the link `w` of the guest who made the change `h`, if a guest made it.
pub(crate) const GUEST_LINK: &str = "LEFT JOIN guest_links w ON w.id =
    (SELECT g.token_id FROM audit_events g
     WHERE g.actor_member_id = h.actor_member_id AND g.occurred_at = h.occurred_at
       AND g.auth_method = 'guest' AND g.resource_id = h.event_id AND g.outcome = 'succeeded'
     ORDER BY g.id LIMIT 1)";

const SELECT: &str = "
SELECT h.id, h.api_revision, h.actor_member_id, COALESCE(w.guest_name, m.name) AS actor_name,
       w.id IS NOT NULL AS by_guest, h.action, h.changes, h.reason, h.occurred_at,
       (SELECT COALESCE(g.client_name, t.label)
        FROM audit_events a
        LEFT JOIN agents g ON g.id = a.token_id
        LEFT JOIN personal_tokens t ON t.id = a.token_id
        WHERE a.actor_member_id = h.actor_member_id AND a.occurred_at = h.occurred_at
          AND a.action IN (h.action, h.action || 's') AND a.outcome = 'succeeded'
          AND a.token_id IS NOT NULL
        ORDER BY a.id LIMIT 1) AS agent
FROM event_history h JOIN members m ON m.id = h.actor_member_id
{guest_link}
WHERE h.event_id = $1 AND {where}
ORDER BY h.api_revision DESC LIMIT $3";

async fn load_changes(
    db: &Conn<'_>,
    condition: &str,
    values: [sea_orm::Value; 3],
) -> Result<Vec<RecordedChange>> {
    let sql = SELECT
        .replace("{guest_link}", GUEST_LINK)
        .replace("{where}", condition);
    let rows = db.fetch_all(&sql, values).await?;
    Ok(rows
        .iter()
        .map(crate::Row::read)
        .collect::<Result<_, _>>()?)
}

/// Lists the changes before the revision `before`, newest first; at most `probe` rows.
pub async fn list(
    db: &Conn<'_>,
    event_id: &EventId,
    before: Revision,
    probe: i64,
) -> Result<Vec<RecordedChange>> {
    let values = [event_id.value(), before.value(), probe.into()];
    load_changes(db, "h.api_revision < $2", values).await
}

/// Lists the changes after the revision `seen`, newest first; at most `most` rows.
pub async fn list_since(
    db: &Conn<'_>,
    event_id: &EventId,
    seen: Revision,
    most: i64,
) -> Result<Vec<RecordedChange>> {
    let values = [event_id.value(), seen.value(), most.into()];
    load_changes(db, "h.api_revision > $2", values).await
}

/// Finds the newest change made by an operation.
pub async fn find_last_by_operation(
    db: &Conn<'_>,
    event_id: &EventId,
    action: &str,
) -> Result<Option<RecordedChange>> {
    let values = [event_id.value(), action.into(), 1i64.into()];
    Ok(load_changes(db, "h.action = $2", values).await?.pop())
}

/// The fields that describe the state of an event and contain no content.
const STATE: [&str; 7] = [
    "channel",
    "decided_as",
    "decision",
    "due_at",
    "stage",
    "status",
    "title",
];

/// Identifies a change by its event, its author and its instant.
pub type ChangedAt = (EventId, MemberId, Millis);

/// Loads the changes of the state fields of events, with the revisions that the changes made. The keys
/// come from audit rows of the same changes.
pub async fn load_state_changes(
    db: &Conn<'_>,
    changes: &HashSet<ChangedAt>,
) -> Result<HashMap<ChangedAt, (Revision, FieldChanges)>> {
    if changes.is_empty() {
        return Ok(HashMap::new());
    }
    let places = |from: usize| {
        let places: Vec<String> = (from..from + changes.len())
            .map(|n| format!("${n}"))
            .collect();
        places.join(", ")
    };
    let sql = format!(
        "SELECT event_id, actor_member_id, occurred_at, api_revision, changes FROM event_history
         WHERE event_id IN ({}) AND occurred_at IN ({})",
        places(1),
        places(1 + changes.len())
    );
    let ids = changes.iter().map(|(id, ..)| id.value());
    let instants = changes.iter().map(|(.., at)| (*at).into());
    let rows = db.fetch_all(&sql, ids.chain(instants)).await?;
    rows.iter()
        .map(|row| {
            let at = (
                row.try_get("", "event_id")?,
                row.try_get("", "actor_member_id")?,
                row.try_get("", "occurred_at")?,
            );
            let mut changes: FieldChanges = row.try_get("", "changes")?;
            changes.0.retain(|field, _| STATE.contains(&field.as_str()));
            Ok((at, (row.try_get("", "api_revision")?, changes)))
        })
        .collect()
}

/// Loads when the changes with these revisions were made, and which fields they changed.
pub async fn load_changes_at(
    db: &Conn<'_>,
    revisions: &HashSet<(EventId, Revision)>,
) -> Result<HashMap<(EventId, Revision), (Millis, FieldChanges)>> {
    if revisions.is_empty() {
        return Ok(HashMap::new());
    }
    let mut values: Vec<sea_orm::Value> = vec![];
    let mut places = vec![];
    for (id, revision) in revisions {
        values.extend([id.value(), revision.value()]);
        places.push(format!("(${}, ${})", values.len() - 1, values.len()));
    }
    let sql = format!(
        "SELECT event_id, api_revision, occurred_at, changes FROM event_history
         WHERE (event_id, api_revision) IN (VALUES {})",
        places.join(", ")
    );
    let rows = db.fetch_all(&sql, values).await?;
    let changes = rows.iter().map(|row| {
        let key = (
            row.try_get("", "event_id")?,
            row.try_get("", "api_revision")?,
        );
        let at = row.try_get("", "occurred_at")?;
        Ok((key, (at, row.try_get("", "changes")?)))
    });
    changes.collect()
}

const CAPTION_CHANGE: &str = "
SELECT changes FROM event_history
WHERE event_id = $1 AND api_revision > $2 AND changes LIKE '%\"description\":{%'
ORDER BY api_revision LIMIT 1";

/// Finds the caption before its first change after a revision; `None` if the caption has not changed
/// since that revision.
async fn caption_before_change(
    db: &Conn<'_>,
    event_id: &EventId,
    revision: Revision,
) -> Result<Option<Option<String>>> {
    let values = [event_id.value(), revision.value()];
    let Some(row) = db.fetch_one(CAPTION_CHANGE, values).await? else {
        return Ok(None);
    };
    let changes: Value = serde_json::from_str(&row.try_get::<String>("", "changes")?)?;
    let before = changes["description"]["before"].as_str();
    Ok(Some(before.map(str::to_owned)))
}

/// Finds the caption that an event had at a revision. The revision must not be later than the current
/// one.
pub async fn caption_at(
    db: &Conn<'_>,
    event: &Event,
    revision: Revision,
) -> Result<Option<String>> {
    if revision == event.api_revision {
        return Ok(event.description.clone());
    }
    let changed = caption_before_change(db, &event.id, revision).await?;
    Ok(changed.unwrap_or_else(|| event.description.clone()))
}

/// Loads the reason of the last approval decision on each event. Events whose last decision has no
/// reason are missing.
pub async fn load_refusal_reasons(
    db: &Conn<'_>,
    event_ids: Vec<&EventId>,
) -> Result<HashMap<EventId, String>> {
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
    let ids: Vec<sea_orm::Value> = event_ids.into_iter().map(Bind::value).collect();
    let rows = db.fetch_all(&sql, ids).await?;
    rows.iter()
        .map(|row| Ok((row.try_get("", "event_id")?, row.try_get("", "reason")?)))
        .collect()
}

impl RecordedChange {
    /// Returns the names of the fields that changed.
    #[must_use]
    pub fn changed_fields(&self) -> Vec<&str> {
        self.changes.0.keys().map(String::as_str).collect()
    }
}

/// Edited texts longer than this many bytes are stored as a difference.
const LONG: usize = 256;

/// The difference between two long texts: the number of unchanged bytes at the start and at the
/// end, and the new text between them.
#[derive(Serialize, Deserialize)]
struct Edit(usize, usize, String);

impl Edit {
    fn between(before: &str, after: &str) -> Self {
        let start = common_prefix_length(before.chars(), after.chars());
        let [old, new] = [&before[start..], &after[start..]];
        let end = common_prefix_length(old.chars().rev(), new.chars().rev());
        Self(start, end, new[..new.len() - end].to_owned())
    }

    fn apply(&self, before: &str) -> Option<String> {
        let start = before.get(..self.0)?;
        let end = before.get(before.len().checked_sub(self.1)?..)?;
        Some([start, &self.2, end].concat())
    }
}

/// Returns the length in bytes of the characters that both iterators have in common at the start.
fn common_prefix_length(
    one: impl Iterator<Item = char>,
    other: impl Iterator<Item = char>,
) -> usize {
    let same = one.zip(other).take_while(|(one, other)| one == other);
    same.map(|(c, _)| c.len_utf8()).sum()
}

/// Returns the stored form of changes: for a long edited text, `edit` replaces `after`.
fn pack_changes(mut changes: Map<String, Value>) -> Map<String, Value> {
    for change in changes.values_mut() {
        let (Some(before), Some(after)) = (change["before"].as_str(), change["after"].as_str())
        else {
            continue;
        };
        if before.len().min(after.len()) > LONG {
            let edit = Edit::between(before, after);
            *change = json!({ "before": before, "edit": edit });
        }
    }
    changes
}

/// Restores changes from their stored form. Also accepts the uncompressed form of earlier versions.
fn unpack_changes(mut changes: Map<String, Value>) -> Map<String, Value> {
    for change in changes.values_mut() {
        let edit = change.get("edit").map(Edit::deserialize);
        let (Some(Ok(edit)), Some(before)) = (edit, change["before"].as_str()) else {
            continue;
        };
        *change = json!({ "before": before, "after": edit.apply(before) });
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pack_stores_an_edited_text_once_and_unpack_restores_both_versions() {
        let long = "Pão de mandioca à moda da casa. ".repeat(20);
        for after in [
            long.replacen("casa", "avó", 1),
            format!("{long}Já saiu do forno."),
            format!("Olá! {long}"),
            long[..300].to_owned(),
            "ção".repeat(200),
            format!("{long}{long}"),
        ] {
            let mut changes = Map::new();
            let change = json!({ "before": long, "after": after });
            changes.insert("description".into(), change);
            let stored = pack_changes(changes.clone());
            assert!(stored["description"].get("after").is_none());
            assert_eq!(unpack_changes(stored), changes);
        }
    }

    #[test]
    fn a_small_edit_is_stored_in_few_bytes() {
        let long = "Pão de mandioca à moda da casa. ".repeat(20);
        let Edit(start, end, text) = Edit::between(&long, &long.replacen("casa", "avó", 1));
        assert_eq!((text.as_str(), start + end), ("avó", long.len() - 4));
    }

    #[test]
    fn applying_an_edit_to_another_text_does_not_panic() {
        for edit in [Edit(9, 9, String::new()), Edit(1, 0, String::new())] {
            assert_eq!(edit.apply("ção"), None);
        }
    }
}
