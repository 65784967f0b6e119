//! Webhooks. Their secrets are in the table `secrets`.

mod messages;

use std::collections::HashMap;

pub(crate) use messages::drop_all_pending;
pub use messages::{
    Attempt, Due, Message, MessageFilter, NewMessage, Outcome, Replayed, Sent, delete_before,
    drop_pending, find_next_due, has_received_since, insert_message, list_attempts, list_due,
    list_messages, list_webhooks_with_due, record_attempt, replay_messages, retry_pending,
};

use super::{Bind, Conn, Row};
use crate::Result;
use domain::{Error, MemberId, ProjectId, Revision, WebhookId, WebhookState, time::Millis};

/// The `purpose` of the secret of a webhook in the table `secrets`; the `id` is that of the webhook.
pub const SECRET: &str = "webhook secret";
/// The `purpose` of the secrets that earlier rotations have replaced.
pub const PREVIOUS_SECRETS: &str = "previous webhook secrets";

/// A webhook, without its secret.
#[derive(Debug, Clone)]
pub struct Webhook {
    pub id: WebhookId,
    /// The member whose rights limit the announcements of the webhook.
    pub owner_id: MemberId,
    pub owner_name: String,
    pub url: String,
    pub description: String,
    /// The kinds of announcements that the webhook sends.
    pub kinds: Vec<String>,
    /// If set, the webhook sends only announcements about pieces of this project.
    pub project_id: Option<ProjectId>,
    /// If set, the webhook sends only announcements about pieces of this channel.
    pub channel: Option<String>,
    pub state: WebhookState,
    pub revision: Revision,
    pub created_at: Millis,
    pub state_since: Millis,
    /// Until when earlier secrets sign too.
    pub previous_until: Option<Millis>,
    /// The receiver has asked that nothing is sent before this time. Tests are sent nevertheless.
    pub not_before: Millis,
    /// The webhook sends only rows of the outbox after this position, which was the last one at its
    /// creation.
    pub from_position: i64,
}

const SELECT: &str = "
SELECT w.*, m.name AS owner_name FROM webhooks w JOIN members m ON m.id = w.owner_id";

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
        not_before: row.try_get("", "not_before")?,
        from_position: row.try_get("", "from_position")?,
    })
}

const INSERT: &str = "
INSERT INTO webhooks (id, owner_id, url, description, kinds, project_id, channel, state, revision,
    created_at, state_since, from_position)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)";

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
        webhook.from_position.into(),
    ];
    db.run(INSERT, values).await?;
    Ok(())
}

/// Lists all webhooks, the oldest first.
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

/// Counts the pending messages of each webhook. Webhooks without pending messages are missing.
pub async fn count_waiting(db: &Conn<'_>) -> Result<HashMap<WebhookId, i64>> {
    let sql = "SELECT webhook_id, count(*) AS n FROM webhook_messages WHERE state = 'pendente'
               GROUP BY webhook_id";
    let rows = db.fetch_all(sql, []).await?;
    let counts = rows
        .iter()
        .map(|row| Ok((row.try_get("", "webhook_id")?, row.try_get("", "n")?)));
    counts.collect()
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

/// Stores the URL, the description and the filter of a webhook. Returns `false` if its revision is not
/// `expected`.
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

/// Changes the state of a webhook from `from` to `to`. Returns `false` if its state is not `from`.
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

/// Makes a webhook active, with this owner. Ends a pause.
pub async fn activate(db: &Conn<'_>, id: &WebhookId, owner: &MemberId, now: Millis) -> Result<()> {
    let sql = "UPDATE webhooks SET state = 'ativo', owner_id = $2, state_since = $3,
                   not_before = 0, revision = revision + 1
               WHERE id = $1";
    db.run(sql, [id.value(), owner.value(), now.into()]).await?;
    Ok(())
}

/// Stores the time until which messages are also signed with the previous secrets. Locks the row until
/// the end of the transaction, so that two rotations do not run at the same time.
pub async fn set_end_of_previous_secrets(
    db: &Conn<'_>,
    id: &WebhookId,
    until: Millis,
) -> Result<()> {
    let sql = "UPDATE webhooks SET previous_until = $2, revision = revision + 1 WHERE id = $1";
    db.run(sql, [id.value(), until.into()]).await?;
    Ok(())
}

/// Pauses a webhook until an instant, at the request of the receiver. Keeps a longer pause.
pub async fn defer(db: &Conn<'_>, id: &WebhookId, until: Millis) -> Result<()> {
    let sql = "UPDATE webhooks SET not_before = $2 WHERE id = $1 AND not_before < $2";
    db.run(sql, [id.value(), until.into()]).await?;
    Ok(())
}

/// Ends the pause of a webhook.
pub async fn end_pause(db: &Conn<'_>, id: &WebhookId) -> Result<()> {
    let sql = "UPDATE webhooks SET not_before = 0 WHERE id = $1 AND not_before > 0";
    db.run(sql, [id.value()]).await?;
    Ok(())
}

/// Deletes secrets that no longer sign.
pub async fn delete_previous_secrets(db: &Conn<'_>, now: Millis) -> Result<()> {
    let sql = "DELETE FROM secrets WHERE purpose = $1
               AND id IN (SELECT id FROM webhooks WHERE previous_until <= $2)";
    db.run(sql, [PREVIOUS_SECRETS.into(), now.into()]).await?;
    Ok(())
}

/// Deletes a webhook with its secrets and its messages.
pub async fn delete(db: &Conn<'_>, id: &WebhookId) -> Result<()> {
    let sql = "DELETE FROM secrets WHERE id = $1 AND purpose IN ($2, $3)";
    let values = [id.value(), SECRET.into(), PREVIOUS_SECRETS.into()];
    db.run(sql, values).await?;
    db.run("DELETE FROM webhooks WHERE id = $1", [id.value()])
        .await?;
    Ok(())
}
