//! The job that sends messages to devices.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{
    Pushing,
    add_push_device::hash_endpoint,
    compose::{Message, compose},
    encryption::encrypt,
    queueing::{push_times, queue_due_messages},
    subscription::{self, Subscription},
};
use crate::notifications::SEND_PUSHES;
use domain::{
    FailedAttempts, PUSH_LIFETIME, PushState, random_bytes, read_retry_after,
    time::{MINUTE, Millis, SECOND},
};
use gateway::{
    Result, Services,
    jobs::{Job, JobContext, JobOutcome},
};
use ports::{PushAnswer, PushRequest};
use store::{
    members, notifications,
    push::{self, Due, Outcome},
};

/// The number of messages that are sent at the same time.
const AT_ONCE: i64 = 8;
/// The maximum number of batches in one run. Another run sends the rest.
const ROUNDS: usize = 8;
/// The pause before the next attempt for a message that could not be prepared.
const PAUSE: Millis = 10 * MINUTE;

/// Creates the messages of the notifications that are due, and sends the messages that are due. At most
/// one run is active across all instances.
#[derive(Serialize, Deserialize)]
pub struct SendPushes;

impl Job for SendPushes {
    const NAME: &'static str = SEND_PUSHES.0;
    const TIMEOUT: Duration = Duration::from_secs(300);

    fn dedupe_key(&self) -> Option<String> {
        Some(Self::NAME.to_owned())
    }

    async fn run(self, ctx: &JobContext) -> JobOutcome {
        let sent = send_due(ctx).await;
        let now = ctx.services().clock.now();
        sent.unwrap_or_else(|error| JobOutcome::from_result(Err::<(), _>(error), now))
    }
}

async fn send_due(ctx: &JobContext) -> Result<JobOutcome> {
    let services = ctx.services();
    let db = services.db.reader();
    while !ctx.is_stopping() && queue_due_messages(ctx).await? {}
    for _ in 0..ROUNDS {
        let now = services.clock.now();
        if ctx.is_stopping() {
            return Ok(JobOutcome::Again(now));
        }
        let due = push::list_due(&db, now, AT_ONCE).await?;
        if due.is_empty() {
            let messages = push::find_next_due(&db).await?;
            let notifications = notifications::find_next_push_time(&db).await?;
            let next = messages.into_iter().chain(notifications).min();
            return Ok(next.map_or(JobOutcome::Done, |at| JobOutcome::Again(at.max(now))));
        }
        // All messages are awaited, because the outcome of each must be stored even if another message
        // fails.
        let sending = due.iter().map(|message| send(ctx, message));
        let sent = futures::future::join_all(sending).await;
        for (message, sent) in due.iter().zip(sent) {
            if let Err(error) = sent {
                postpone(ctx, message, &error).await?;
            }
        }
    }
    Ok(JobOutcome::Again(services.clock.now()))
}

/// Postpones a message that could not be prepared, so that it does not block other messages. Does
/// nothing if the message was already marked as being sent.
async fn postpone(ctx: &JobContext, message: &Due, error: &gateway::Error) -> Result<()> {
    let services = ctx.services();
    tracing::warn!(
        push_message_id = message.id.as_str(),
        code = error.code.as_str(),
        "um aviso a um aparelho não pôde ser preparado"
    );
    let tx = services.db.begin().await?;
    let until = services.clock.now() + PAUSE;
    push::postpone_without_attempt(&tx.conn(), message, until).await?;
    ctx.commit(tx).await
}

/// The decision about a message.
enum Prepared {
    Send(Subscription, Message),
    /// The message may not be sent before this time.
    Wait(Millis),
    /// The message is ended in this state without being sent.
    End(PushState),
}

/// Marks a message, sends it and stores the outcome.
async fn send(ctx: &JobContext, due: &Due) -> Result<()> {
    let services = ctx.services();
    let now = services.clock.now();
    let pushing = services.parts.get::<Pushing>();
    let (subscription, message) = match prepare(services, due, now).await? {
        Prepared::Send(subscription, message) => (subscription, message),
        Prepared::End(state) => return end(ctx, due, state, now).await,
        Prepared::Wait(until) => {
            let tx = services.db.begin().await?;
            push::postpone_without_attempt(&tx.conn(), due, until).await?;
            return ctx.commit(tx).await;
        }
    };
    let key = pushing.load_key(&services.db, &services.keys).await?;
    let endpoint = &subscription.endpoint;
    let left = (due.created_at + PUSH_LIFETIME - now).max(0) / SECOND;
    let request = PushRequest {
        headers: vec![
            (
                "authorization",
                key.authorize(endpoint, &pushing.contact, now)?,
            ),
            ("content-encoding", "aes128gcm".to_owned()),
            ("content-type", "application/octet-stream".to_owned()),
            ("ttl", left.to_string()),
            ("urgency", message.urgency.to_owned()),
            ("topic", message.topic),
        ],
        body: encrypt(&message.payload, &subscription.receiver()?)?,
        endpoint: subscription.endpoint,
    };
    let endpoint_sha256 = hash_endpoint(&request.endpoint);
    let tx = services.db.begin().await?;
    if !push::begin_sending(&tx.conn(), due, now).await? {
        return Ok(());
    }
    ctx.commit(tx).await?;
    let answer = pushing.sender.send(request).await;
    store_answer(services, (due, endpoint_sha256), answer).await
}

async fn end(ctx: &JobContext, due: &Due, state: PushState, now: Millis) -> Result<()> {
    let tx = ctx.services().db.begin().await?;
    push::end_pending(&tx.conn(), due, state, now).await?;
    ctx.commit(tx).await
}

/// Decides from the current state whether a message is sent, and composes its content.
async fn prepare(services: &Services, due: &Due, now: Millis) -> Result<Prepared> {
    let db = services.db.reader();
    if due.created_at + PUSH_LIFETIME <= now {
        return Ok(Prepared::End(PushState::Expired));
    }
    let dropped = Ok(Prepared::End(PushState::Dropped));
    let member = members::find(&db, &due.member_id).await?;
    let Some(member) = member.filter(|member| member.active) else {
        return dropped;
    };
    let settings = notifications::find_settings(&db, &member.id).await?;
    let Some(message) = compose(services, &db, &member, &due.push_id).await? else {
        return dropped;
    };
    let time = push_times(settings.wishes.times).next_time(now);
    if time > now && !message.is_for_now {
        return Ok(Prepared::Wait(time));
    }
    match subscription::load(&db, &services.keys, &due.device_id).await? {
        Some(subscription) => Ok(Prepared::Send(subscription, message)),
        None => dropped,
    }
}

/// Stores the outcome of an attempt. It is stored even if another instance holds the job now, because
/// only the attempt that marked the message can store an outcome.
async fn store_answer(
    services: &Services,
    (due, endpoint_sha256): (&Due, String),
    answer: PushAnswer,
) -> Result<()> {
    let now = services.clock.now();
    let (status, asked) = match &answer {
        PushAnswer::Status {
            status,
            retry_after,
        } => (Some(*status), retry_after.as_deref()),
        PushAnswer::NotReached | PushAnswer::Unknown => (None, None),
    };
    let tx = services.db.begin().await?;
    let db = tx.conn();
    let outcome = match answer {
        PushAnswer::Unknown => Outcome::Ended(PushState::Unknown),
        PushAnswer::NotReached => schedule_retry(due, None, now),
        PushAnswer::Status { status, .. } => match status {
            200..300 => {
                push::set_received(&db, &due.device_id, now).await?;
                Outcome::Ended(PushState::Sent)
            }
            // The push service no longer knows the endpoint. If the device has got a new endpoint since,
            // the message is retried there.
            404 | 410 => {
                if push::delete_device_at(&db, &due.device_id, &endpoint_sha256).await? {
                    return Ok(tx.commit().await?);
                }
                schedule_retry(due, None, now)
            }
            429 | 500.. => {
                schedule_retry(due, asked.and_then(|text| read_retry_after(text, now)), now)
            }
            _ => Outcome::Ended(PushState::Refused),
        },
    };
    if outcome == Outcome::Ended(PushState::Refused) {
        tracing::warn!(
            push_message_id = due.id.as_str(),
            status,
            "o serviço de push recusou um aviso"
        );
    }
    push::record_outcome(&db, due, outcome, status, now).await?;
    Ok(tx.commit().await?)
}

/// Returns the time of the next attempt for a message, or the end of the message if this time is after
/// its lifetime.
fn schedule_retry(due: &Due, asked: Option<Millis>, now: Millis) -> Outcome {
    let failed = FailedAttempts {
        count: due.attempts + 1,
        first_at: due.first_attempt_at.unwrap_or(now),
        asked,
    };
    let next = failed.next_attempt(now, u32::from_le_bytes(random_bytes()));
    let next = next.filter(|at| *at < due.created_at + PUSH_LIFETIME);
    next.map_or(Outcome::Ended(PushState::Expired), Outcome::Waits)
}
