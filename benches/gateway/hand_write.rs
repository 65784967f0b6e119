//! `POST /api/draft`, by hand.

use std::sync::PoisonError;

use axum::{
    body::Bytes,
    extract::State,
    http::{HeaderMap, header},
    response::IntoResponse,
};
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};
use serde::Deserialize;
use serde_json::{Map, json};

use crate::{
    data::fold,
    hand::{App, Caller, Refused, authorize, now},
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Input {
    event_id: String,
    expected_revision: i64,
    caption: Option<String>,
    #[serde(default)]
    status: Status,
}

#[derive(Deserialize, Default, Clone, Copy)]
enum Status {
    #[serde(rename = "a fazer")]
    Todo,
    #[default]
    #[serde(rename = "em progresso")]
    InProgress,
    #[serde(rename = "processing")]
    Processing,
}

impl Status {
    fn as_str(self) -> &'static str {
        match self {
            Self::Todo => "a fazer",
            Self::InProgress => "em progresso",
            Self::Processing => "processing",
        }
    }
}

/// ?2: null, or the member who must have created the event or be assigned to it.
const BEFORE: &str = "
SELECT e.api_revision, e.title, e.status, e.description, e.editorial_tag
FROM events e
WHERE e.id = ?1 AND (?2 IS NULL OR e.created_by = ?2 OR EXISTS (
    SELECT 1 FROM event_assignees v WHERE v.event_id = e.id AND v.member_id = ?2))";

const UPDATE: &str = "
UPDATE events SET api_revision = api_revision + 1, status = ?3, description = ?4,
    updated_at = ?5
WHERE id = ?1 AND api_revision = ?2";

const SEARCHED: &str = "UPDATE event_texts SET searched = ?2 WHERE event_id = ?1";

const HISTORY: &str = "
INSERT INTO event_history
    (id, event_id, api_revision, actor_member_id, action, changes, occurred_at)
VALUES (?1, ?2, ?3, ?4, 'save_draft', ?5, ?6)";

const AUDIT: &str = "
INSERT INTO audit_events (id, occurred_at, request_id, actor_member_id, actor_user_id, token_id,
    auth_method, capability, action, resource_type, resource_id, outcome, status_code, metadata)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'personal_token', 'draft_save', 'save_draft', 'event', ?7,
    'succeeded', 200, '{\"door\":\"rest\"}')";

struct Before {
    revision: i64,
    title: String,
    status: String,
    description: Option<String>,
    editorial_tag: Option<String>,
}

/// Saves a draft over the revision that the caller read.
///
/// The checks read before the transaction, from the readers. The condition of the update on the revision
/// shows whether they still hold.
pub async fn write(
    State(app): State<App>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<impl IntoResponse, Refused> {
    let (caller, input, before) = app.read(|db| {
        let caller = authorize(db, &headers, "draft_save", "criador")?;
        let input: Input =
            serde_json::from_slice(&body).map_err(|e| Refused::Invalid(e.to_string()))?;
        let long = |caption: &String| caption.chars().count() > 20_000;
        if input.expected_revision < 0 || input.caption.as_ref().is_some_and(long) {
            return Err(Refused::Invalid("out of bounds".into()));
        }
        let before = before(db, &caller, &input)?;
        Ok((caller, input, before))
    })?;
    let revision = before.revision;
    if revision != input.expected_revision {
        return Err(Refused::Stale(revision));
    }
    if !["a fazer", "em progresso", "processing", "recusado"].contains(&&*before.status) {
        return Err(Refused::NotEditable(before.status));
    }
    let old = before.description.as_deref();
    let new = input.caption.as_deref().or(old);
    let status = input.status.as_str();
    let parts = [Some(&*before.title), new, before.editorial_tag.as_deref()];
    let searched =
        (old != new).then(|| fold(&parts.into_iter().flatten().collect::<Vec<_>>().join("\n")));
    let mut changes = Map::new();
    if old != new {
        changes.insert("description".into(), json!({ "before": old, "after": new }));
    }
    if before.status != status {
        let change = json!({ "before": before.status, "after": status });
        changes.insert("status".into(), change);
    }
    let changes = serde_json::to_string(&changes)?;
    save(
        &app,
        &caller,
        &input.event_id,
        revision,
        (status, new, searched.as_deref()),
        &changes,
    )?;

    let answer = json!({ "ok": true, "status": status, "api_revision": revision + 1 });
    Ok((
        [(header::CONTENT_TYPE, "application/json")],
        serde_json::to_vec(&answer)?,
    ))
}

fn before(db: &Connection, caller: &Caller, input: &Input) -> Result<Before, Refused> {
    let mut before = db.prepare_cached(BEFORE)?;
    let only_of = (!caller.sees_all_events).then_some(&caller.member_id);
    let before = before.query_row(params![input.event_id, only_of], |row| {
        Ok(Before {
            revision: row.get(0)?,
            title: row.get(1)?,
            status: row.get(2)?,
            description: row.get(3)?,
            editorial_tag: row.get(4)?,
        })
    });
    before.optional()?.ok_or(Refused::NotFound)
}

/// Update, history and audit in one transaction. Others wait for it on their threads, which takes
/// less than handing it to another.
fn save(
    app: &App,
    caller: &Caller,
    event_id: &str,
    revision: i64,
    (status, description, searched): (&str, Option<&str>, Option<&str>),
    changes: &str,
) -> Result<(), Refused> {
    let now = now();
    let mut db = app.writer.lock().unwrap_or_else(PoisonError::into_inner);
    let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let updated = tx.prepare_cached(UPDATE)?.execute(params![
        event_id,
        revision,
        status,
        description,
        now
    ])?;
    if updated == 0 {
        let mut current = tx.prepare_cached("SELECT api_revision FROM events WHERE id = ?1")?;
        return Err(Refused::Stale(
            current.query_row([event_id], |row| row.get(0))?,
        ));
    }
    if let Some(searched) = searched {
        tx.prepare_cached(SEARCHED)?
            .execute(params![event_id, searched])?;
    }
    tx.prepare_cached(HISTORY)?.execute(params![
        id(now),
        event_id,
        revision + 1,
        caller.member_id,
        changes,
        now
    ])?;
    tx.prepare_cached(AUDIT)?.execute(params![
        id(now),
        now,
        id(now),
        caller.member_id,
        caller.user_id,
        caller.token_id,
        event_id
    ])?;
    Ok(tx.commit()?)
}

/// A new UUIDv7.
fn id(now: i64) -> String {
    let mut random = [0; 10];
    getrandom::fill(&mut random).expect("the operating system provides randomness");
    uuid::Builder::from_unix_timestamp_millis(now.cast_unsigned(), &random)
        .into_uuid()
        .to_string()
}
