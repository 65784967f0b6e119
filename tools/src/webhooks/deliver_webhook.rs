//! The job that sends the messages of one webhook.

use std::{sync::Arc, time::Duration};

use serde::{Deserialize, Serialize};

use super::{
    MANAGES,
    message::find_resource,
    secret::{SigningKey, load_signing_keys, sign},
    stopping::stop,
};
use domain::{
    FailedAttempts, Member, WebhookId, WebhookMessageState, WebhookState, random_bytes,
    time::SECOND,
};
use gateway::{
    Result, Services,
    jobs::{Job, JobContext, JobOutcome},
};
use ports::{WebhookAnswer, WebhookSender};
use store::{
    members,
    webhooks::{self, Attempt, Due, Outcome, Webhook},
};

/// Messages of one webhook that are sent at the same time.
const AT_ONCE: i64 = 4;
/// How often a run looks for due messages. Another run sends the rest.
const ROUNDS: usize = 10;
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
    const TIMEOUT: Duration = Duration::from_secs(300);

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
        for _ in 0..ROUNDS {
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
            let due = webhooks::list_due(&db, &webhook.id, now, AT_ONCE).await?;
            if due.is_empty() {
                let next = webhooks::find_next_due(&db, &webhook.id).await?;
                return Ok(next.map_or(JobOutcome::Done, |at| JobOutcome::Again(at.max(now))));
            }
            let delivery = Delivery {
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

/// The messages of one webhook that are sent now.
struct Delivery<'a> {
    ctx: &'a JobContext,
    webhook: Webhook,
    owner: Member,
    keys: Vec<SigningKey>,
}

impl Delivery<'_> {
    fn services(&self) -> &Services {
        self.ctx.services()
    }

    /// Sends a message and stores what came of it. A message about something that the owner may not
    /// see is dropped.
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
            asked: answer.retry_after.map(|seconds| {
                let seconds = i64::try_from(seconds).unwrap_or(i64::MAX);
                seconds.saturating_mul(SECOND)
            }),
        };
        let chance = u32::from_le_bytes(random_bytes());
        let (outcome, ends_in) = match answer.status {
            Ok(200..300) => (Outcome::Ended(WebhookMessageState::Received), None),
            Ok(GONE) => {
                let dropped = Outcome::Ended(WebhookMessageState::Dropped);
                (dropped, Some(WebhookState::Gone))
            }
            _ => match failed.next_attempt(now, chance) {
                Some(at) => (Outcome::Waits(at), None),
                None => (Outcome::Waits(now), Some(WebhookState::Failing)),
            },
        };
        let attempt = Attempt {
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
        let tx = services.db.begin().await?;
        let db = tx.conn();
        let stored = webhooks::record_attempt(&db, &message.id, &attempt, outcome, now).await?;
        if let Some(state) = ends_in
            && stored
        {
            stop(services, &db, &self.webhook, state).await?;
        }
        self.ctx.commit(tx).await
    }
}
