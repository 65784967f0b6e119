//! The job that sends the messages of one webhook.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize};

use super::{
    MANAGES,
    message::{TEST, find_resource},
    secret::{SigningKey, load_signing_keys, sign},
    stopping::{announce_trouble, stop},
};
use crate::due_posts::is_message_current;
use domain::{
    FailedAttempts, LONGEST_ASKED, Member, WebhookId, WebhookMessageState, WebhookState,
    random_bytes, read_retry_after, time::SECOND,
};
use gateway::{
    Result, Services,
    jobs::{Job, JobContext, JobOutcome},
};
use ports::{WebhookAnswer, WebhookSender};
use store::{
    Conn, members,
    webhooks::{self, Attempt, Due, Outcome, Webhook},
};

/// Messages of one webhook that are sent at the same time.
const AT_ONCE: i64 = 4;
/// After this time another run sends the rest, so that webhooks take turns.
const RUN: Duration = Duration::from_secs(20);
/// The status with which a receiver says that it wants no more messages.
const GONE: u16 = 410;

/// The sender of messages.
pub type WebhookDelivery = Arc<dyn WebhookSender>;

/// Sends the messages of a webhook that are due. At most one runs for each webhook.
#[derive(Serialize, Deserialize)]
pub struct DeliverWebhook {
    pub webhook_id: WebhookId,
}

impl Job for DeliverWebhook {
    const NAME: &'static str = "deliver_webhook";
    const TIMEOUT: Duration = Duration::from_secs(120);
    // Slow receivers leave room for other jobs.
    const MOST_AT_ONCE: usize = 6;

    fn dedupe_key(&self) -> Option<String> {
        Some(self.webhook_id.to_string())
    }

    async fn run(self, ctx: &JobContext) -> JobOutcome {
        let delivered = self.deliver(ctx).await;
        let now = ctx.services().clock.now();
        delivered.unwrap_or_else(|error| JobOutcome::from_result(Err::<(), _>(error), now))
    }
}

impl DeliverWebhook {
    async fn deliver(&self, ctx: &JobContext) -> Result<JobOutcome> {
        let services = ctx.services();
        let db = services.db.reader();
        let begun = Instant::now();
        while begun.elapsed() < RUN {
            let now = services.clock.now();
            if ctx.is_stopping() {
                return Ok(JobOutcome::Again(now));
            }
            let found = webhooks::find(&db, &self.webhook_id).await?;
            let active = found.filter(|webhook| webhook.state == WebhookState::Active);
            let Some(webhook) = active else {
                return Ok(JobOutcome::Done);
            };
            let owner = members::find(&db, &webhook.owner_id).await?;
            let Some(owner) = owner.filter(may_own) else {
                let tx = services.db.begin().await?;
                stop(services, &tx.conn(), &webhook, WebhookState::Ownerless).await?;
                ctx.commit(tx).await?;
                return Ok(JobOutcome::Done);
            };
            if webhook.not_before > now {
                return Ok(JobOutcome::Again(webhook.not_before));
            }
            let due = webhooks::list_due(&db, &webhook.id, now, AT_ONCE).await?;
            if due.is_empty() {
                let next = webhooks::find_next_due(&db, &webhook.id).await?;
                return Ok(next.map_or(JobOutcome::Done, |at| JobOutcome::Again(at.max(now))));
            }
            let delivery = Sending {
                ctx,
                keys: load_signing_keys(&db, &services.keys, &webhook, now).await?,
                webhook,
                owner,
            };
            // Each message is awaited, because what is known of one must be stored even if another
            // one fails.
            let sending = due.iter().map(|message| delivery.send(message));
            for sent in futures::future::join_all(sending).await {
                sent?;
            }
        }
        Ok(JobOutcome::Again(services.clock.now()))
    }
}

/// True if the member may own a webhook.
fn may_own(member: &Member) -> bool {
    member.active && member.session_capabilities().contains(MANAGES)
}

/// The webhook whose messages are sent.
struct Sending<'a> {
    ctx: &'a JobContext,
    webhook: Webhook,
    owner: Member,
    keys: Vec<SigningKey>,
}

impl Sending<'_> {
    fn services(&self) -> &Services {
        self.ctx.services()
    }

    /// Sends a message and stores what came of it. A message about something that the owner may not
    /// see, or that reminds of a post that is not due any more, is dropped.
    async fn send(&self, message: &Due) -> Result<()> {
        let services = self.services();
        if !self.may_be_told(message).await? {
            let tx = services.db.begin().await?;
            let now = services.clock.now();
            webhooks::drop_pending(&tx.conn(), &self.webhook.id, Some(&message.id), now).await?;
            return self.ctx.commit(tx).await;
        }
        let sent_at = services.clock.now();
        let (id, seconds) = (message.id.as_str(), sent_at / SECOND);
        let headers = [
            ("webhook-id", id.to_owned()),
            ("webhook-timestamp", seconds.to_string()),
            (
                "webhook-signature",
                sign(&self.keys, id, seconds, &message.body)?,
            ),
        ];
        let sender = services.parts.get::<WebhookDelivery>();
        let body = message.body.clone();
        let answer = sender.send(&self.webhook.url, &headers, body).await;
        self.store_answer(message, sent_at, answer).await
    }

    async fn may_be_told(&self, message: &Due) -> Result<bool> {
        let db = self.services().db.reader();
        if !is_message_current(&db, &message.kind, &message.body).await? {
            return Ok(false);
        }
        match find_resource(&message.resource_kind) {
            Some(resource) => {
                resource
                    .is_visible_to(db, &self.owner, &message.resource_id)
                    .await
            }
            None => Ok(true),
        }
    }

    /// Stores an attempt, and what it means for the message and the webhook.
    async fn store_answer(&self, message: &Due, sent_at: i64, answer: WebhookAnswer) -> Result<()> {
        let services = self.services();
        let now = services.clock.now();
        let failed = FailedAttempts {
            count: message.attempts + 1,
            first_at: message.first_attempt_at.unwrap_or(sent_at),
            asked: answer
                .retry_after
                .and_then(|text| read_retry_after(&text, now)),
        };
        let tx = services.db.begin().await?;
        let db = tx.conn();
        let Some(current) = webhooks::find(&db, &self.webhook.id).await? else {
            // It was deleted meanwhile.
            return Ok(());
        };
        let has_moved = current.url != self.webhook.url;
        let retried = failed.next_attempt(now, u32::from_le_bytes(random_bytes()));
        let (outcome, stops) = match (answer.status, retried) {
            (Ok(200..300), _) => (Outcome::Ended(WebhookMessageState::Received), None),
            // The answer is that of the earlier address.
            _ if has_moved => (Outcome::Waits(now), None),
            (Ok(GONE), _) => {
                let dropped = Outcome::Ended(WebhookMessageState::Dropped);
                (dropped, Some(WebhookState::Gone))
            }
            // A person looks at the result of a test, and can send another one.
            _ if message.kind == TEST => (Outcome::Ended(WebhookMessageState::Refused), None),
            (_, Some(at)) => (Outcome::Waits(at), None),
            (_, None) => give_up(&db, &self.webhook.id, &failed, now).await?,
        };
        let attempt = Attempt {
            url: without_query(&self.webhook.url).to_owned(),
            number: failed.count,
            sent_at,
            status: answer.status.ok().map(i64::from),
            answer: answer.body,
            took_ms: i64::try_from(answer.took.as_millis()).unwrap_or(i64::MAX),
            error: match answer.status {
                Ok(300..400) => Some("redirecionamentos não são seguidos".to_owned()),
                Ok(_) => None,
                Err(why) => Some(why.to_owned()),
            },
        };
        let changed = webhooks::record_attempt(&db, &message.id, &attempt, outcome, now).await?;
        if let Some(pause) = failed
            .asked
            .filter(|_| matches!(outcome, Outcome::Waits(_)))
        {
            webhooks::defer(&db, &self.webhook.id, now + pause.min(LONGEST_ASKED)).await?;
        }
        if changed && let Some(state) = stops {
            stop(services, &db, &self.webhook, state).await?;
        }
        let is_refused = matches!(outcome, Outcome::Ended(WebhookMessageState::Refused));
        if changed && is_refused && message.kind != TEST {
            announce_trouble(
                services,
                &db,
                &self.webhook,
                WebhookMessageState::Refused.as_str(),
            )
            .await?;
        }
        self.ctx.commit(tx).await
    }
}

/// What becomes of a message that was not received for three days. If the receiver took other messages
/// meanwhile, only this one ends, so that it does not hold back the rest forever.
async fn give_up(
    db: &Conn<'_>,
    webhook: &WebhookId,
    failed: &FailedAttempts,
    now: i64,
) -> Result<(Outcome, Option<WebhookState>)> {
    let others = webhooks::has_received_since(db, webhook, failed.first_at).await?;
    Ok(match others {
        true => (Outcome::Ended(WebhookMessageState::Refused), None),
        false => (Outcome::Waits(now), Some(WebhookState::Failing)),
    })
}

/// The URL without its query.
fn without_query(url: &str) -> &str {
    url.split_once('?').map_or(url, |(path, _)| path)
}
