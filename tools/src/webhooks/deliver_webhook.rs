//! The job that sends the messages of one webhook.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use futures::{FutureExt, StreamExt, stream::FuturesUnordered};
use serde::{Deserialize, Serialize};
use tokio::time::timeout;

use super::{
    MANAGES,
    message::{TEST, find_resource},
    secret::{SigningKey, load_signing_keys, sign},
    stopping::{announce_trouble, stop},
};
use crate::due_posts::is_message_current;
use domain::{
    FailedAttempts, LONGEST_ASKED, Member, WebhookId, WebhookMessageId, WebhookMessageState,
    WebhookState, random_bytes, read_retry_after, time::SECOND,
};
use gateway::{
    Result, Services,
    jobs::{Job, JobContext, JobOutcome},
};
use ports::{WebhookAnswer, WebhookSender};
use store::{
    Conn, members,
    webhooks::{self, Attempt, Due, Outcome, Sent, Webhook},
};

/// The maximum number of messages of one webhook that are sent at the same time.
const AT_ONCE: usize = 4;
/// The maximum number of due messages in one query. It covers the messages in flight, which are still
/// due, and one message for each free slot.
const MOST_READ: i64 = 4;
/// The time after which a run begins no further message. Another run sends the rest, so that webhooks
/// take turns.
const RUN: Duration = Duration::from_secs(20);
/// The interval at which a run with a free slot looks for messages that have become due.
const LOOK_AGAIN: Duration = Duration::from_secs(1);
/// The status with which a receiver states that it wants no further messages.
const GONE: u16 = 410;

/// The sender of messages.
pub type WebhookDelivery = Arc<dyn WebhookSender>;

/// Sends the due messages of a webhook. At most one run is active for each webhook.
#[derive(Serialize, Deserialize)]
pub struct DeliverWebhook {
    pub webhook_id: WebhookId,
}

impl Job for DeliverWebhook {
    const NAME: &'static str = "deliver_webhook";
    const TIMEOUT: Duration = Duration::from_secs(120);
    // The limit keeps workers free for other jobs when receivers are slow.
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

/// The result of a search for messages to send.
enum Work<'a> {
    /// Messages to send now. None of them is in flight.
    Messages(Arc<Sending<'a>>, Vec<Due>),
    /// No message to begin. The job ends with this outcome when no message is in flight.
    Nothing(JobOutcome),
}

impl DeliverWebhook {
    /// Sends the due messages, up to `AT_ONCE` at the same time. A slot that becomes free is refilled at
    /// once, and while a slot is free the run looks for due messages each second. So a slow message
    /// blocks only one slot.
    async fn deliver(&self, ctx: &JobContext) -> Result<JobOutcome> {
        let begun = Instant::now();
        let mut sending = FuturesUnordered::new();
        let mut in_flight: Vec<WebhookMessageId> = vec![];
        let mut failed = None;
        loop {
            let mut outcome = JobOutcome::Again(ctx.services().clock.now());
            let begins = begun.elapsed() < RUN && !ctx.is_stopping() && failed.is_none();
            if begins {
                match self.find_work(ctx, &in_flight).await {
                    Ok(Work::Messages(delivery, due)) => {
                        for message in due {
                            in_flight.push(message.id.clone());
                            let delivery = delivery.clone();
                            sending.push(async move {
                                let sent = delivery.send(&message).await;
                                (message.id, sent)
                            });
                        }
                    }
                    Ok(Work::Nothing(next)) => outcome = next,
                    Err(error) => failed = Some(error),
                }
            }
            // All messages are awaited, because the outcome of each must be stored even if another
            // message fails.
            let first = match in_flight.len() < AT_ONCE && begins {
                true => timeout(LOOK_AGAIN, sending.next()).await,
                false => Ok(sending.next().await),
            };
            let first = match first {
                Ok(Some(first)) => first,
                Ok(None) => return failed.map_or(Ok(outcome), Err),
                // A message may have become due meanwhile.
                Err(_) => continue,
            };
            let mut ended = vec![first];
            while let Some(Some(another)) = sending.next().now_or_never() {
                ended.push(another);
            }
            for (id, sent) in ended {
                in_flight.retain(|other| *other != id);
                failed = failed.or(sent.err());
            }
        }
    }

    /// Reads the current state of the webhook, and the due messages that are not in flight. Pauses the
    /// webhook if its owner may no longer own it.
    async fn find_work<'a>(
        &self,
        ctx: &'a JobContext,
        in_flight: &[WebhookMessageId],
    ) -> Result<Work<'a>> {
        let services = ctx.services();
        let db = services.db.reader();
        let now = services.clock.now();
        let found = webhooks::find(&db, &self.webhook_id).await?;
        let active = found.filter(|webhook| webhook.state == WebhookState::Active);
        let Some(webhook) = active else {
            return Ok(Work::Nothing(JobOutcome::Done));
        };
        let owner = members::find(&db, &webhook.owner_id).await?;
        let Some(owner) = owner.filter(may_own) else {
            // A message in flight may hold the write connection, so the webhook is paused only when no
            // message is in flight.
            if !in_flight.is_empty() {
                return Ok(Work::Nothing(JobOutcome::Again(now)));
            }
            let tx = services.db.begin().await?;
            stop(services, &tx.conn(), &webhook, WebhookState::Ownerless).await?;
            ctx.commit(tx).await?;
            return Ok(Work::Nothing(JobOutcome::Done));
        };
        let sent = match webhook.not_before > now {
            true => Sent::Tests,
            false => Sent::All,
        };
        // A message in flight is still due, and holds back the later messages of its piece.
        let mut due = webhooks::list_due(&db, &webhook.id, sent, now, MOST_READ).await?;
        due.retain(|message| !in_flight.contains(&message.id));
        due.truncate(AT_ONCE - in_flight.len());
        if due.is_empty() {
            let next = webhooks::find_next_due(&db, &webhook.id).await?;
            let earliest = now.max(webhook.not_before);
            let next = next.map_or(JobOutcome::Done, |at| JobOutcome::Again(at.max(earliest)));
            return Ok(Work::Nothing(next));
        }
        let delivery = Sending {
            ctx,
            keys: load_signing_keys(&db, &services.keys, &webhook, now).await?,
            webhook,
            owner,
        };
        Ok(Work::Messages(Arc::new(delivery), due))
    }
}

/// Returns true if the member may own a webhook.
fn may_own(member: &Member) -> bool {
    member.active && member.session_capabilities().contains(MANAGES)
}

/// A webhook with its owner and its signing keys, for sending its messages.
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

    /// Sends a message and stores the outcome. Drops a message about a resource that the owner may not
    /// see, and a reminder of a post that is no longer due.
    async fn send(&self, message: &Due) -> Result<()> {
        let services = self.services();
        if !self.may_be_sent(message).await? {
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

    async fn may_be_sent(&self, message: &Due) -> Result<bool> {
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

    /// Stores an attempt and updates the message and the webhook according to the answer.
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
            // The webhook was deleted meanwhile.
            return Ok(());
        };
        let has_moved = current.url != self.webhook.url;
        let retried = failed.next_attempt(now, u32::from_le_bytes(random_bytes()));
        let (outcome, stops) = match (answer.status, retried) {
            (Ok(200..300), _) => (Outcome::Ended(WebhookMessageState::Received), None),
            // The answer came from the previous address of the webhook.
            _ if has_moved => (Outcome::Waits(now), None),
            (Ok(GONE), _) => {
                let dropped = Outcome::Ended(WebhookMessageState::Dropped);
                (dropped, Some(WebhookState::Gone))
            }
            // A failed test is not retried: a person sees its result and can start another test.
            _ if message.kind == TEST => (Outcome::Ended(WebhookMessageState::Refused), None),
            (_, Some(at)) => (Outcome::Waits(at), None),
            (_, None) => end_unreceived_message(&db, &self.webhook.id, &failed, now).await?,
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
        let asked = failed.asked.filter(|_| !has_moved);
        if let Some(pause) = asked.filter(|_| matches!(outcome, Outcome::Waits(_))) {
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

/// Returns the outcome of a message that was not received for three days. If the receiver accepted other
/// messages meanwhile, the message is ended as refused, so that it does not hold back later messages
/// forever. Otherwise the webhook is paused.
async fn end_unreceived_message(
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

/// Removes the query from a URL.
fn without_query(url: &str) -> &str {
    url.split_once('?').map_or(url, |(path, _)| path)
}
