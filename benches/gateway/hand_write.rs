//! `POST /api/draft`, by hand.

use axum::{
    body::Bytes,
    extract::State,
    http::{HeaderMap, header},
    response::IntoResponse,
};
use serde::Deserialize;
use serde_json::{Map, json};
use sqlx::Row;

use crate::{
    data::fold,
    hand::{App, Refused, authorize, now},
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

/// $2: null, or the member who must have created the event or be assigned to it.
const BEFORE: &str = "
SELECT e.api_revision, e.title, e.status, e.description, e.editorial_tag
FROM events e
WHERE e.id = $1 AND ($2 IS NULL OR e.created_by = $2 OR EXISTS (
    SELECT 1 FROM event_assignees v WHERE v.event_id = e.id AND v.member_id = $2))";

const UPDATE: &str = "
UPDATE events SET api_revision = api_revision + 1, status = $3, description = $4,
    search_text = $5, updated_at = $6
WHERE id = $1 AND api_revision = $2";

const HISTORY: &str = "
INSERT INTO event_history
    (id, event_id, api_revision, actor_member_id, action, changes, occurred_at)
VALUES ($1, $2, $3, $4, 'save_draft', $5, $6)";

const AUDIT: &str = "
INSERT INTO audit_events (id, occurred_at, request_id, actor_member_id, actor_user_id, token_id,
    auth_method, capability, action, resource_type, resource_id, outcome, status_code, metadata)
VALUES ($1, $2, $3, $4, $5, $6, 'personal_token', 'draft_save', 'save_draft', 'event', $7,
    'succeeded', 200, '{\"door\":\"rest\"}')";

/// Saves a draft over the revision that the caller read.
///
/// The checks read before the transaction, from the readers. The condition of the update on the revision
/// shows whether they still hold.
pub async fn write(
    State(app): State<App>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<impl IntoResponse, Refused> {
    let mut db = app.reader.acquire().await?;
    let caller = authorize(&mut db, &headers, "draft_save", "criador").await?;
    let input: Input =
        serde_json::from_slice(&body).map_err(|e| Refused::Invalid(e.to_string()))?;
    let long = |caption: &String| caption.chars().count() > 20_000;
    if input.expected_revision < 0 || input.caption.as_ref().is_some_and(long) {
        return Err(Refused::Invalid("out of bounds".into()));
    }
    let before = sqlx::query(BEFORE)
        .bind(&input.event_id)
        .bind((!caller.sees_all_events).then_some(&caller.member_id))
        .fetch_optional(&mut *db)
        .await?
        .ok_or(Refused::NotFound)?;
    drop(db);
    let revision: i64 = before.try_get(0)?;
    if revision != input.expected_revision {
        return Err(Refused::Stale(revision));
    }
    let (title, old_status): (&str, &str) = (before.try_get(1)?, before.try_get(2)?);
    if !["a fazer", "em progresso", "processing", "recusado"].contains(&old_status) {
        return Err(Refused::NotEditable(old_status.into()));
    }
    let old: Option<&str> = before.try_get(3)?;
    let new = input.caption.as_deref().or(old);
    let status = input.status.as_str();
    let parts = [Some(title), new, before.try_get(4)?];
    let search_text = fold(&parts.into_iter().flatten().collect::<Vec<_>>().join("\n"));
    let mut changes = Map::new();
    if old != new {
        changes.insert("description".into(), json!({ "before": old, "after": new }));
    }
    if old_status != status {
        let change = json!({ "before": old_status, "after": status });
        changes.insert("status".into(), change);
    }
    let changes = serde_json::to_string(&changes)?;
    let now = now();

    let mut tx = app.writer.begin_with("BEGIN IMMEDIATE").await?;
    let updated = sqlx::query(UPDATE)
        .bind(&input.event_id)
        .bind(revision)
        .bind(status)
        .bind(new)
        .bind(search_text)
        .bind(now)
        .execute(&mut *tx)
        .await?;
    if updated.rows_affected() == 0 {
        let current = sqlx::query_scalar("SELECT api_revision FROM events WHERE id = $1")
            .bind(&input.event_id)
            .fetch_one(&mut *tx)
            .await?;
        return Err(Refused::Stale(current));
    }
    sqlx::query(HISTORY)
        .bind(id(now))
        .bind(&input.event_id)
        .bind(revision + 1)
        .bind(&caller.member_id)
        .bind(changes)
        .bind(now)
        .execute(&mut *tx)
        .await?;
    sqlx::query(AUDIT)
        .bind(id(now))
        .bind(now)
        .bind(id(now))
        .bind(&caller.member_id)
        .bind(&caller.user_id)
        .bind(&caller.token_id)
        .bind(&input.event_id)
        .execute(&mut *tx)
        .await?;
    tx.commit().await?;

    let answer = json!({ "ok": true, "status": status, "api_revision": revision + 1 });
    Ok((
        [(header::CONTENT_TYPE, "application/json")],
        serde_json::to_vec(&answer)?,
    ))
}

/// A new UUIDv7.
fn id(now: i64) -> String {
    let mut random = [0; 10];
    getrandom::fill(&mut random).expect("the operating system provides randomness");
    uuid::Builder::from_unix_timestamp_millis(now.cast_unsigned(), &random)
        .into_uuid()
        .to_string()
}
