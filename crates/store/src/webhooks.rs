//! Webhooks. Their secrets are in the table `secrets`.

mod messages;

pub use messages::{
    Attempt, Due, Message, MessageFilter, NewMessage, Outcome, Replayed, delete_before,
    delete_messages_of, drop_pending, find_next_due, insert_message, list_attempts, list_due,
    list_messages, list_webhooks_with_due, record_attempt, replay_messages, retry_pending,
};

use super::{Bind, Conn, Row};
use crate::Result;
use domain::{Error, MemberId, ProjectId, Revision, WebhookId, WebhookState, time::Millis};

/// The `purpose` of the secret of a webhook in the table `secrets`; the `id` is that of the webhook.
pub const SECRET: &str = "webhook secret";
/// The `purpose` of the secret before the last rotation.
pub const PREVIOUS_SECRET: &str = "previous webhook secret";

/// A webhook, without its secret.
#[derive(Debug, Clone)]
pub struct Webhook {
    pub id: WebhookId,
    /// The member with whose rights it tells what happens.
    pub owner_id: MemberId,
    pub owner_name: String,
    pub url: String,
    pub description: String,
    /// The kinds of announcements that it sends.
    pub kinds: Vec<String>,
    /// If set, it sends only what concerns pieces of this project.
    pub project_id: Option<ProjectId>,
    /// If set, it sends only what concerns pieces of this channel.
    pub channel: Option<String>,
    pub state: WebhookState,
    pub revision: Revision,
    pub created_at: Millis,
    pub state_since: Millis,
    /// Until when the secret before the last rotation signs too.
    pub previous_until: Option<Millis>,
    /// How many messages wait.
    pub waiting: i64,
}

const SELECT: &str = "
SELECT w.*, m.name AS owner_name,
    (SELECT count(*) FROM webhook_messages p
     WHERE p.webhook_id = w.id AND p.state = 'pendente') AS waiting
FROM webhooks w JOIN members m ON m.id = w.owner_id";

fn read_webhook(row: &Row) -> Result<Webhook> {
    let (state, kinds): (String, String) = (row.try_get("", "state")?, row.try_get("", "kinds")?);
    let project_id: Option<String> = row.try_get("", "project_id")?;
    Ok(Webhook {
        id: row.try_get("", "id")?,
        owner_id: row.try_get("", "owner_id")?,
        owner_name: row.try_get("", "owner_name")?,
        url: row.try_get("", "url")?,
        description: row.try_get("", "description")?,
        kinds: serde_json::from_str(&kinds)?,
        project_id: project_id.and_then(ProjectId::from_stored),
        channel: row.try_get("", "channel")?,
        state: state.parse().map_err(Error::internal)?,
        revision: Revision::new(row.try_get("", "revision")?),
        created_at: row.try_get("", "created_at")?,
        state_since: row.try_get("", "state_since")?,
        previous_until: row.try_get("", "previous_until")?,
        waiting: row.try_get("", "waiting")?,
    })
}

const INSERT: &str = "
INSERT INTO webhooks (id, owner_id, url, description, kinds, project_id, channel, state, revision,
    created_at, state_since)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";

pub async fn insert(db: &Conn<'_>, webhook: &Webhook) -> Result<()> {
    let values = [
        webhook.id.value(),
        webhook.owner_id.value(),
        webhook.url.as_str().into(),
        webhook.description.as_str().into(),
        serde_json::to_string(&webhook.kinds)?.into(),
        webhook
            .project_id
            .as_ref()
            .map(|id| id.as_str().to_owned())
            .into(),
        webhook.channel.clone().into(),
        webhook.state.as_str().into(),
        webhook.revision.get().into(),
        webhook.created_at.into(),
        webhook.state_since.into(),
    ];
    db.run(INSERT, values).await?;
    Ok(())
}

/// All webhooks, the oldest first.
pub async fn list(db: &Conn<'_>) -> Result<Vec<Webhook>> {
    let sql = format!("{SELECT} ORDER BY w.created_at, w.id");
    let rows = db.fetch_all(&sql, []).await?;
    rows.iter().map(read_webhook).collect()
}

pub async fn find(db: &Conn<'_>, id: &WebhookId) -> Result<Option<Webhook>> {
    let sql = format!("{SELECT} WHERE w.id = $1");
    let row = db.fetch_one(&sql, [id.value()]).await?;
    row.as_ref().map(read_webhook).transpose()
}

/// Finds a webhook. Returns an error (404) if there is none.
pub async fn require(db: &Conn<'_>, id: &WebhookId) -> Result<Webhook> {
    let found = find(db, id).await?;
    Ok(found.ok_or_else(|| Error::not_found_in("webhook", "list_webhooks"))?)
}

pub async fn count(db: &Conn<'_>) -> Result<i64> {
    let row = db
        .fetch_one("SELECT count(*) AS n FROM webhooks", [])
        .await?;
    let n = row.map(|row| row.try_get("", "n")).transpose()?;
    Ok(n.unwrap_or_default())
}

const UPDATE: &str = "
UPDATE webhooks SET url = $1, description = $2, kinds = $3, project_id = $4, channel = $5,
    revision = revision + 1
WHERE id = $6 AND revision = $7";

/// Stores what a webhook sends and where. Returns `false` if its revision is another one.
pub async fn update(db: &Conn<'_>, webhook: &Webhook, expected: Revision) -> Result<bool> {
    let values = [
        webhook.url.as_str().into(),
        webhook.description.as_str().into(),
        serde_json::to_string(&webhook.kinds)?.into(),
        webhook
            .project_id
            .as_ref()
            .map(|id| id.as_str().to_owned())
            .into(),
        webhook.channel.clone().into(),
        webhook.id.value(),
        expected.get().into(),
    ];
    Ok(db.run(UPDATE, values).await? == 1)
}

/// Sets the state of a webhook that is in another one. Returns `false` if it is not in `from`.
pub async fn set_state(
    db: &Conn<'_>,
    id: &WebhookId,
    from: WebhookState,
    to: WebhookState,
    now: Millis,
) -> Result<bool> {
    let sql = "UPDATE webhooks SET state = $3, state_since = $4, revision = revision + 1
               WHERE id = $1 AND state = $2";
    let values = [
        id.value(),
        from.as_str().into(),
        to.as_str().into(),
        now.into(),
    ];
    Ok(db.run(sql, values).await? == 1)
}

/// Makes a webhook active, with this owner.
pub async fn activate(db: &Conn<'_>, id: &WebhookId, owner: &MemberId, now: Millis) -> Result<()> {
    let sql = "UPDATE webhooks SET state = 'ativo', owner_id = $2, state_since = $3,
                   revision = revision + 1
               WHERE id = $1";
    db.run(sql, [id.value(), owner.value(), now.into()]).await?;
    Ok(())
}

/// Stores until when the previous secret signs. The row is locked until the end of the transaction,
/// so that two rotations happen one after the other.
pub async fn set_previous_until(db: &Conn<'_>, id: &WebhookId, until: Millis) -> Result<()> {
    let sql = "UPDATE webhooks SET previous_until = $2, revision = revision + 1 WHERE id = $1";
    db.run(sql, [id.value(), until.into()]).await?;
    Ok(())
}

/// Deletes secrets that no longer sign.
pub async fn delete_previous_secrets(db: &Conn<'_>, now: Millis) -> Result<()> {
    let sql = "DELETE FROM secrets WHERE purpose = $1
               AND id IN (SELECT id FROM webhooks WHERE previous_until <= $2)";
    db.run(sql, [PREVIOUS_SECRET.into(), now.into()]).await?;
    Ok(())
}

/// Deletes a webhook with its secrets. Its messages must be deleted before.
pub async fn delete(db: &Conn<'_>, id: &WebhookId) -> Result<()> {
    let sql = "DELETE FROM secrets WHERE id = $1 AND purpose IN ($2, $3)";
    let values = [id.value(), SECRET.into(), PREVIOUS_SECRET.into()];
    db.run(sql, values).await?;
    db.run("DELETE FROM webhooks WHERE id = $1", [id.value()])
        .await?;
    Ok(())
}
