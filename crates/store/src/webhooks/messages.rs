//! The messages of webhooks, and the attempts to send them.

use crate::{Bind, Conn, Result, Row, conditions::Conditions};
use domain::{
    Error, WebhookId, WebhookMessageId, WebhookMessageState as State, random_text, time::Millis,
};

/// The number of messages deleted per call.
const DELETED: i64 = 1_000;

/// A message to insert.
#[derive(Debug)]
pub struct NewMessage<'a> {
    pub webhook_id: &'a WebhookId,
    /// The position of the message's row of the outbox; 0 for a test.
    pub position: i64,
    pub kind: &'a str,
    pub resource_kind: &'a str,
    pub resource_id: &'a str,
    /// Messages with the same key are sent in the order of their positions.
    pub order_key: &'a str,
    /// The body, exactly as it is sent.
    pub body: &'a str,
}

const INSERT: &str = "
INSERT INTO webhook_messages (id, webhook_id, position, kind, resource_kind, resource_id,
    order_key, body, created_at, state, attempts, due_at)
SELECT $1, w.id, CAST($3 AS BIGINT), $4, $5, $6, $7, $8, CAST($9 AS BIGINT), 'pendente', 0,
    CAST($9 AS BIGINT)
FROM webhooks w WHERE w.id = $2 AND w.state <> 'encerrado'
ON CONFLICT (webhook_id, position) WHERE position > 0 DO NOTHING";

/// Inserts a message, unless the webhook is ended or already has a message for this row of the outbox.
pub async fn insert_message(
    db: &Conn<'_>,
    id: &WebhookMessageId,
    new: &NewMessage<'_>,
    now: Millis,
) -> Result<()> {
    let values = [
        id.value(),
        new.webhook_id.value(),
        new.position.into(),
        new.kind.into(),
        new.resource_kind.into(),
        new.resource_id.into(),
        new.order_key.into(),
        new.body.into(),
        now.into(),
    ];
    Ok(db.run_later(INSERT, values).await?)
}

/// A message that is due now.
#[derive(Debug, Clone)]
pub struct Due {
    pub id: WebhookMessageId,
    pub kind: String,
    pub resource_kind: String,
    pub resource_id: String,
    pub body: String,
    pub attempts: i64,
    pub first_attempt_at: Option<Millis>,
}

/// The condition that an earlier message with the same key, which must be sent before `m`, is pending.
const IS_HELD: &str = "EXISTS (
    SELECT 1 FROM webhook_messages e
    WHERE e.webhook_id = m.webhook_id AND e.order_key = m.order_key AND e.position < m.position
        AND e.state = 'pendente')";

/// The messages of a webhook that may be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sent {
    All,
    /// Only tests, because the receiver has asked for a pause.
    Tests,
}

/// Lists the due messages of a webhook. Lists at most one message for each key of the order: the
/// earliest.
pub async fn list_due(
    db: &Conn<'_>,
    webhook: &WebhookId,
    sent: Sent,
    now: Millis,
    most: i64,
) -> Result<Vec<Due>> {
    let only = match sent {
        Sent::All => "",
        Sent::Tests => "AND m.position = 0",
    };
    let sql = format!(
        "SELECT m.id, m.kind, m.resource_kind, m.resource_id, m.body, m.attempts,
            m.first_attempt_at
         FROM webhook_messages m
         WHERE m.webhook_id = $1 AND m.state = 'pendente' AND m.due_at <= $2 {only} AND NOT {IS_HELD}
         ORDER BY m.due_at, m.position LIMIT $3"
    );
    let values = [webhook.value(), now.into(), most.into()];
    let rows = db.fetch_all(&sql, values).await?;
    let due = rows.iter().map(|row| {
        Ok(Due {
            id: row.try_get("", "id")?,
            kind: row.try_get("", "kind")?,
            resource_kind: row.try_get("", "resource_kind")?,
            resource_id: row.try_get("", "resource_id")?,
            body: row.try_get("", "body")?,
            attempts: row.try_get("", "attempts")?,
            first_attempt_at: row.try_get("", "first_attempt_at")?,
        })
    });
    due.collect()
}

/// Finds when the next message of a webhook is due; `None` if no message is pending.
pub async fn find_next_due(db: &Conn<'_>, webhook: &WebhookId) -> Result<Option<Millis>> {
    let sql = format!(
        "SELECT min(m.due_at) AS due_at FROM webhook_messages m
         WHERE m.webhook_id = $1 AND m.state = 'pendente' AND NOT {IS_HELD}"
    );
    let row = db.fetch_one(&sql, [webhook.value()]).await?;
    Ok(row
        .map(|row| row.try_get("", "due_at"))
        .transpose()?
        .flatten())
}

/// Lists the active webhooks with a due message.
pub async fn list_webhooks_with_due(db: &Conn<'_>, now: Millis) -> Result<Vec<WebhookId>> {
    let sql = format!(
        "SELECT w.id FROM webhooks w WHERE w.state = 'ativo' AND EXISTS (
            SELECT 1 FROM webhook_messages m
            WHERE m.webhook_id = w.id AND m.state = 'pendente' AND m.due_at <= $1
                AND (w.not_before <= $1 OR m.position = 0) AND NOT {IS_HELD})
         ORDER BY w.id"
    );
    let rows = db.fetch_all(&sql, [now.into()]).await?;
    let ids = rows.iter().map(|row| row.try_get("", "id"));
    Ok(ids.collect::<Result<_, _>>()?)
}

/// An attempt to send a message.
#[derive(Debug)]
pub struct Attempt {
    /// The URL without its query, because the query may contain a secret of the receiver.
    pub url: String,
    /// The number of the attempt, counted from 1.
    pub number: i64,
    pub sent_at: Millis,
    /// The HTTP status of the answer; `None` without an answer.
    pub status: Option<i64>,
    /// The beginning of the body of the answer.
    pub answer: String,
    pub took_ms: i64,
    /// Why the receiver did not answer, or why its answer is a failure.
    pub error: Option<String>,
}

/// The outcome of an attempt to send a message.
#[derive(Debug, Clone, Copy)]
pub enum Outcome {
    /// The message has this final state and is not sent again.
    Ended(State),
    /// The message is not sent again before this time.
    Waits(Millis),
}

const RECORD: &str = "
UPDATE webhook_messages SET attempts = $2, state = $3, due_at = $4, ended_at = $5,
    first_attempt_at = COALESCE(first_attempt_at, $6)
WHERE id = $1 AND state = 'pendente' AND attempts = $7";

const INSERT_ATTEMPT: &str = "
INSERT INTO webhook_attempts (id, message_id, attempt, sent_at, status, answer, took_ms, error, url)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";

/// Stores an attempt in the log, and its outcome in the message. Returns `false` and changes only the
/// log if the message is no longer pending, or its attempts were reset meanwhile.
pub async fn record_attempt(
    db: &Conn<'_>,
    message: &WebhookMessageId,
    attempt: &Attempt,
    outcome: Outcome,
    now: Millis,
) -> Result<bool> {
    let (state, due_at, ended_at) = match outcome {
        Outcome::Ended(state) => (state, now, Some(now)),
        Outcome::Waits(until) => (State::Pending, until, None),
    };
    let values = [
        message.value(),
        attempt.number.into(),
        state.as_str().into(),
        due_at.into(),
        ended_at.into(),
        attempt.sent_at.into(),
        (attempt.number - 1).into(),
    ];
    let changed = db.run(RECORD, values).await? == 1;
    let values = [
        // The ids sort by time, so that the attempts of a message are listed in their order.
        format!(
            "{:015}-{:04}-{}",
            attempt.sent_at,
            attempt.number,
            random_text::<9>()
        )
        .into(),
        message.value(),
        attempt.number.into(),
        attempt.sent_at.into(),
        attempt.status.into(),
        attempt.answer.as_str().into(),
        attempt.took_ms.into(),
        attempt.error.clone().into(),
        attempt.url.as_str().into(),
    ];
    db.run(INSERT_ATTEMPT, values).await?;
    Ok(changed)
}

/// Returns whether the receiver of a webhook has accepted a message, tests excluded, at or after an
/// instant.
pub async fn has_received_since(db: &Conn<'_>, webhook: &WebhookId, since: Millis) -> Result<bool> {
    let sql = "SELECT 1 AS found FROM webhook_messages
               WHERE webhook_id = $1 AND state = 'recebida' AND position > 0 AND ended_at >= $2
               LIMIT 1";
    let found = db.fetch_one(sql, [webhook.value(), since.into()]).await?;
    Ok(found.is_some())
}

/// Drops a pending message, or all pending messages of the webhook if `message` is `None`.
pub async fn drop_pending(
    db: &Conn<'_>,
    webhook: &WebhookId,
    message: Option<&WebhookMessageId>,
    now: Millis,
) -> Result<()> {
    let sql = "UPDATE webhook_messages SET state = 'descartada', ended_at = $2
               WHERE webhook_id = $1 AND state = 'pendente' AND ($3 = '' OR id = $3)";
    let message = message.map_or("", WebhookMessageId::as_str);
    db.run(sql, [webhook.value(), now.into(), message.into()])
        .await?;
    Ok(())
}

/// Drops all pending messages of all webhooks.
pub async fn drop_all_pending(db: &Conn<'_>, now: Millis) -> Result<()> {
    let sql = "UPDATE webhook_messages SET state = 'descartada', ended_at = $1
               WHERE state = 'pendente'";
    db.run(sql, [now.into()]).await?;
    Ok(())
}

/// Makes the pending messages of a webhook due now, and resets their attempts.
pub async fn retry_pending(db: &Conn<'_>, webhook: &WebhookId, now: Millis) -> Result<()> {
    let sql = "UPDATE webhook_messages SET attempts = 0, first_attempt_at = NULL, due_at = $2
               WHERE webhook_id = $1 AND state = 'pendente'";
    db.run(sql, [webhook.value(), now.into()]).await?;
    Ok(())
}

/// The messages to send again.
#[derive(Debug)]
pub enum Replayed<'a> {
    One(&'a WebhookMessageId),
    /// The messages created at or after the first instant and before the second one.
    Between(Millis, Millis),
}

/// Makes messages pending and due now, regardless of their states. Returns the number of selected
/// messages. If more than `most` messages are selected, changes nothing.
pub async fn replay_messages(
    db: &Conn<'_>,
    webhook: &WebhookId,
    which: Replayed<'_>,
    most: i64,
    now: Millis,
) -> Result<u64> {
    let mut query = Conditions::default();
    let webhook = query.bind(webhook.value());
    query.and(&format!("a.webhook_id = {webhook}"));
    match which {
        Replayed::One(id) => {
            let id = query.bind(id.value());
            query.and(&format!("a.id = {id}"));
        }
        Replayed::Between(from, until) => {
            let (from, until) = (query.bind(from), query.bind(until));
            query.and(&format!(
                "a.created_at >= {from} AND a.created_at < {until}"
            ));
        }
    }
    let count = format!(
        "SELECT count(*) AS n FROM webhook_messages a WHERE {}",
        query.text
    );
    let row = db.fetch_one(&count, query.values.clone()).await?;
    let count: Option<i64> = row.map(|row| row.try_get("", "n")).transpose()?;
    let count = count.unwrap_or_default();
    if count > most {
        return Ok(count.unsigned_abs());
    }
    let now = query.bind(now);
    let sql = format!(
        "UPDATE webhook_messages SET state = 'pendente', attempts = 0, first_attempt_at = NULL,
            due_at = {now}, ended_at = NULL
         WHERE id IN (SELECT a.id FROM webhook_messages a WHERE {})",
        query.text
    );
    Ok(db.run(&sql, query.values).await?)
}

/// A message in the log.
#[derive(Debug)]
pub struct Message {
    pub id: WebhookMessageId,
    pub kind: String,
    pub resource_kind: String,
    pub resource_id: String,
    pub created_at: Millis,
    pub state: State,
    pub body: String,
    pub due_at: Millis,
    /// True if the message is a test. A test does not wait for earlier messages.
    pub is_test: bool,
    /// True if an earlier message with the same key, which must be sent first, is pending.
    pub is_held: bool,
}

/// The filter of the log of a webhook.
#[derive(Debug, Default)]
pub struct MessageFilter {
    pub state: Option<State>,
    /// Only messages before this position (created_at, id).
    pub before: Option<(Millis, WebhookMessageId)>,
}

/// Lists the messages of a webhook, the newest first; at most `limit`.
pub async fn list_messages(
    db: &Conn<'_>,
    webhook: &WebhookId,
    filter: &MessageFilter,
    limit: i64,
) -> Result<Vec<Message>> {
    let mut query = Conditions::default();
    let id = query.bind(webhook.value());
    query.and(&format!("webhook_id = {id}"));
    if let Some(state) = filter.state {
        let state = query.bind(state.as_str());
        query.and(&format!("state = {state}"));
    }
    if let Some((created_at, id)) = &filter.before {
        let (created_at, id) = (query.bind(*created_at), query.bind(id.value()));
        query.and(&format!("(created_at, id) < ({created_at}, {id})"));
    }
    let limit = query.bind(limit);
    let sql = format!(
        "SELECT m.*, (m.state = 'pendente' AND {IS_HELD}) AS is_held
         FROM webhook_messages m WHERE {} ORDER BY m.created_at DESC, m.id DESC LIMIT {limit}",
        query.text
    );
    let rows = db.fetch_all(&sql, query.values).await?;
    rows.iter().map(read_message).collect()
}

fn read_message(row: &Row) -> Result<Message> {
    let state: String = row.try_get("", "state")?;
    Ok(Message {
        id: row.try_get("", "id")?,
        kind: row.try_get("", "kind")?,
        resource_kind: row.try_get("", "resource_kind")?,
        resource_id: row.try_get("", "resource_id")?,
        created_at: row.try_get("", "created_at")?,
        state: state.parse().map_err(Error::internal)?,
        body: row.try_get("", "body")?,
        due_at: row.try_get("", "due_at")?,
        is_test: row.try_get::<i64>("", "position")? == 0,
        is_held: row.try_get("", "is_held")?,
    })
}

/// Lists the attempts to send these messages, each with the id of its message, in the order of the
/// attempts.
pub async fn list_attempts(
    db: &Conn<'_>,
    messages: &[Message],
) -> Result<Vec<(WebhookMessageId, Attempt)>> {
    if messages.is_empty() {
        return Ok(vec![]);
    }
    let places: Vec<String> = (1..=messages.len()).map(|n| format!("${n}")).collect();
    let sql = format!(
        "SELECT * FROM webhook_attempts WHERE message_id IN ({}) ORDER BY message_id, id",
        places.join(", ")
    );
    let ids = messages.iter().map(|message| message.id.value());
    let rows = db.fetch_all(&sql, ids).await?;
    let attempts = rows.iter().map(|row| {
        let attempt = Attempt {
            url: row.try_get("", "url")?,
            number: row.try_get("", "attempt")?,
            sent_at: row.try_get("", "sent_at")?,
            status: row.try_get("", "status")?,
            answer: row.try_get("", "answer")?,
            took_ms: row.try_get("", "took_ms")?,
            error: row.try_get("", "error")?,
        };
        Ok((row.try_get("", "message_id")?, attempt))
    });
    attempts.collect()
}

/// Deletes messages created before an instant, with their attempts; at most 1,000. Returns whether more
/// may remain.
pub async fn delete_before(db: &Conn<'_>, before: Millis) -> Result<bool> {
    let old = "SELECT o.id FROM webhook_messages o WHERE o.created_at < $1
               ORDER BY o.created_at, o.id LIMIT $2";
    let messages = format!("DELETE FROM webhook_messages WHERE id IN ({old})");
    let deleted = db.run(&messages, [before.into(), DELETED.into()]).await?;
    Ok(deleted >= DELETED.unsigned_abs())
}
