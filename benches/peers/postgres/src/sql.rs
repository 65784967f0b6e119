//! The statements, prepared once for each connection.

use anyhow::Result;
use tokio_postgres::{Client, Statement};

pub struct Statements {
    pub presented: Statement,
    pub events: Statement,
    pub assignees: Statement,
    pub media: Statement,
    pub before: Statement,
    pub begin: Statement,
    pub update: Statement,
    pub revision: Statement,
    pub searched: Statement,
    pub history: Statement,
    pub audit: Statement,
    pub commit: Statement,
    pub whole: Statement,
}

impl Statements {
    pub async fn prepare(client: &Client) -> Result<Self> {
        Ok(Self {
            presented: client.prepare(PRESENTED).await?,
            events: client.prepare(EVENTS).await?,
            assignees: client.prepare(ASSIGNEES).await?,
            media: client.prepare(MEDIA).await?,
            before: client.prepare(BEFORE).await?,
            begin: client.prepare("BEGIN").await?,
            update: client.prepare(UPDATE).await?,
            revision: client.prepare(REVISION).await?,
            searched: client.prepare(SEARCHED).await?,
            history: client.prepare(HISTORY).await?,
            audit: client.prepare(AUDIT).await?,
            commit: client.prepare("COMMIT").await?,
            whole: client.prepare(WHOLE).await?,
        })
    }
}

const PRESENTED: &str = "
SELECT t.id, t.secret_sha256, t.scopes, t.expires_at, t.revoked_at,
       m.id, m.user_id, m.role, m.api_access_level, m.active
FROM personal_tokens t JOIN members m ON m.id = t.member_id
WHERE t.prefix = $1";

/// $1: null, or the member whose events to list; $2 and $3: the cursor; $4: the limit.
const EVENTS: &str = "
SELECT e.id, e.api_revision, e.clickup_id, e.title, e.channel, e.status, e.description,
       e.briefing, e.due_at, e.agenda_at, e.editorial_tag, e.created_by, c.name, e.created_at,
       e.updated_at
FROM events e JOIN members c ON c.id = e.created_by
WHERE e.status = 'em aprovação' AND (e.agenda_at, e.id) > ($2, $3)
  AND ($1::text IS NULL OR e.created_by = $1 OR EXISTS (
      SELECT 1 FROM event_assignees v WHERE v.event_id = e.id AND v.member_id = $1))
ORDER BY e.agenda_at, e.id LIMIT $4::bigint";

const ASSIGNEES: &str = "
SELECT a.event_id, m.id, m.name
FROM event_assignees a JOIN members m ON m.id = a.member_id
WHERE a.event_id = ANY($1)
ORDER BY a.event_id, a.position";

const MEDIA: &str = "
SELECT x.event_id, x.media_id, x.slide_index, x.kind, x.alt, x.media_type
FROM event_media x
WHERE x.event_id = ANY($1)
ORDER BY x.event_id, x.slide_index";

/// $2: null, or the member who must have created the event or be assigned to it.
const BEFORE: &str = "
SELECT e.api_revision, e.title, e.status, e.description, e.editorial_tag
FROM events e
WHERE e.id = $1 AND ($2::text IS NULL OR e.created_by = $2 OR EXISTS (
    SELECT 1 FROM event_assignees v WHERE v.event_id = e.id AND v.member_id = $2))";

const UPDATE: &str = "
UPDATE events SET api_revision = api_revision + 1, status = $3, description = $4,
    updated_at = $5
WHERE id = $1 AND api_revision = $2";

const REVISION: &str = "SELECT api_revision FROM events WHERE id = $1";

const SEARCHED: &str = "UPDATE event_texts SET searched = $2, pending = TRUE WHERE event_id = $1";

const HISTORY: &str = "
INSERT INTO event_history
    (id, event_id, api_revision, actor_member_id, action, changes, occurred_at)
VALUES ($1, $2, $3, $4, 'save_draft', $5, $6)";

const AUDIT: &str = "
INSERT INTO audit_events (id, occurred_at, request_id, actor_member_id, actor_user_id, token_id,
    auth_method, capability, action, resource_type, resource_id, outcome, status_code, metadata)
VALUES ($1, $2, $3, $4, $5, $6, 'personal_token', 'draft_save', 'save_draft', 'event', $7,
    'succeeded', 200, '{\"door\":\"rest\"}')";

/// The whole draft in one statement. $6: the searchable text, or null if it does not change.
const WHOLE: &str = "
WITH updated AS (
    UPDATE events SET api_revision = api_revision + 1, status = $3, description = $4,
        updated_at = $5
    WHERE id = $1 AND api_revision = $2 RETURNING id),
searched AS (
    UPDATE event_texts SET searched = $6, pending = TRUE
    FROM updated WHERE event_id = updated.id AND $6::text IS NOT NULL),
history AS (
    INSERT INTO event_history
        (id, event_id, api_revision, actor_member_id, action, changes, occurred_at)
    SELECT $7, id, $2 + 1, $8, 'save_draft', $9, $5 FROM updated)
INSERT INTO audit_events (id, occurred_at, request_id, actor_member_id, actor_user_id, token_id,
    auth_method, capability, action, resource_type, resource_id, outcome, status_code, metadata)
SELECT $10, $5, $11, $8, $12, $13, 'personal_token', 'draft_save', 'save_draft', 'event', id,
    'succeeded', 200, '{\"door\":\"rest\"}' FROM updated";
