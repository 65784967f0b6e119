//! The job that creates the messages of webhooks from the outbox.

use std::{
    collections::{BTreeSet, HashMap, HashSet, hash_map::Entry},
    time::Duration,
};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{DeliverWebhook, message::body_of_entry};
use crate::{
    announcements::{PIECE_CREATED, POST_CHANNEL, SENT_BY_WEBHOOKS},
    outbox_batch::{find_piece_id, read_batch},
    own_changes::OwnChanges,
    project_pieces::load_project_event_ids,
    visibility::EVENT,
};
use domain::{
    EventId, ProjectId, WebhookId, WebhookMessageId, WebhookState, channels::is_same_channel,
};
use gateway::{
    Result, Services,
    jobs::{Job, JobContext, JobOutcome, Schedule},
};
use store::{
    Conn, events,
    outbox::{self, OutboxEntry},
    variants,
    webhooks::{self, NewMessage, Webhook},
};

/// The name of this reader of the outbox.
const READER: &str = "webhooks";

/// Creates messages from the rows of the outbox. The messages of a batch commit together with the
/// progress of this reader and under the lease of the job, so each row creates at most one message per
/// webhook.
#[derive(Serialize, Deserialize)]
pub struct QueueWebhookMessages;

impl Job for QueueWebhookMessages {
    const NAME: &'static str = "queue_webhook_messages";
    const TIMEOUT: Duration = Duration::from_secs(300);
    const READS_OUTBOX: bool = true;

    fn schedule(_: &Services) -> Schedule<Self> {
        Schedule::Every(Duration::from_secs(60), Self)
    }

    async fn run(self, ctx: &JobContext) -> JobOutcome {
        let services = ctx.services();
        loop {
            let now = services.clock.now();
            if ctx.is_stopping() {
                return JobOutcome::Again(now);
            }
            match queue_batch(ctx).await {
                Ok(true) => {}
                Ok(false) => return JobOutcome::from_result(enqueue_due(ctx).await, now),
                Err(error) => return JobOutcome::from_result(Err::<(), _>(error), now),
            }
        }
    }
}

/// Reads a batch of the outbox and creates its messages. Returns `false` if the outbox had no new rows.
async fn queue_batch(ctx: &JobContext) -> Result<bool> {
    let services = ctx.services();
    let Some(read) = read_batch(ctx, READER).await? else {
        return Ok(false);
    };
    let db = services.db.reader();
    let all = webhooks::list(&db).await?.into_iter();
    let sending: Vec<Webhook> = all
        .filter(|webhook| webhook.state != WebhookState::Gone)
        .collect();
    let batch = Batch::load(&db, &sending, &read.entries).await?;
    let now = services.clock.now();
    let tx = services.db.begin().await?;
    let db = tx.conn();
    if outbox::lock_progress(&db, READER).await? != read.before {
        // Another worker has read this batch.
        return Ok(true);
    }
    // The set is sorted, so that two workers enqueue the same jobs in the same order and do not deadlock.
    let mut ids = BTreeSet::new();
    for entry in batch.sent_entries() {
        let changes = batch.own_changes.find_changes(entry);
        let body = body_of_entry(entry, changes, &services.public_url);
        for webhook in sending.iter().filter(|one| batch.is_wanted(one, entry)) {
            let new = NewMessage {
                webhook_id: &webhook.id,
                position: entry.position,
                kind: &entry.kind,
                resource_kind: &entry.resource_kind,
                resource_id: &entry.resource_id,
                order_key: &batch.order_key(entry),
                body: &body,
            };
            webhooks::insert_message(&db, &WebhookMessageId::new(now), &new, now).await?;
            if webhook.state == WebhookState::Active {
                ids.insert(&webhook.id);
            }
        }
    }
    for id in ids {
        enqueue_delivery(services, &db, id).await?;
    }
    outbox::save_progress(&db, READER, read.last).await?;
    ctx.commit(tx).await?;
    Ok(true)
}

/// Enqueues the delivery of webhooks with due messages, in case their job was lost.
async fn enqueue_due(ctx: &JobContext) -> Result<()> {
    let services = ctx.services();
    let due = webhooks::list_webhooks_with_due(&services.db.reader(), services.clock.now()).await?;
    if due.is_empty() {
        return Ok(());
    }
    let tx = services.db.begin().await?;
    for id in &due {
        enqueue_delivery(services, &tx.conn(), id).await?;
    }
    ctx.commit(tx).await
}

async fn enqueue_delivery(services: &Services, db: &Conn<'_>, id: &WebhookId) -> Result<()> {
    let job = DeliverWebhook {
        webhook_id: id.clone(),
    };
    let now = services.clock.now();
    job.enqueue_or_bring_forward(&services.queue, db, now).await
}

/// The rows of a batch with the data for the filters and the bodies, read with a few queries.
struct Batch<'a> {
    entries: &'a [OutboxEntry],
    own_changes: OwnChanges,
    /// The pieces that the rows are about, by the positions of the rows.
    pieces: HashMap<i64, EventId>,
    /// For each piece, its own channel and the channels of its variants. Empty if no webhook filters by
    /// channel.
    channels: HashMap<EventId, Vec<String>>,
    projects: HashMap<ProjectId, HashSet<EventId>>,
}

impl<'a> Batch<'a> {
    async fn load(db: &Conn<'_>, webhooks: &[Webhook], entries: &'a [OutboxEntry]) -> Result<Self> {
        let pieces = entries.iter();
        let pieces = pieces.filter_map(|entry| Some((entry.position, find_piece_id(entry)?)));
        let pieces: HashMap<_, _> = pieces.collect();
        let mut channels = HashMap::new();
        if webhooks.iter().any(|one| one.channel.is_some()) {
            let ids: HashSet<&EventId> = pieces.values().collect();
            let mut variants = variants::load(db, ids.iter().copied()).await?;
            for event in events::find_all(db, ids.into_iter()).await? {
                let variants = variants.remove(&event.id).unwrap_or_default().into_iter();
                let all = variants.map(|variant| variant.channel);
                channels.insert(event.id, all.chain([event.channel]).collect());
            }
        }
        let mut projects = HashMap::new();
        for id in webhooks.iter().filter_map(|one| one.project_id.as_ref()) {
            if let Entry::Vacant(unread) = projects.entry(id.clone()) {
                let ids = load_project_event_ids(db, id).await?;
                unread.insert(ids.into_iter().collect());
            }
        }
        Ok(Self {
            entries,
            own_changes: OwnChanges::load(db, entries).await?,
            pieces,
            channels,
            projects,
        })
    }

    /// Returns the rows that webhooks send. Omits rows of calls that changed nothing, because the piece
    /// already had the values.
    fn sent_entries(&self) -> impl Iterator<Item = &'a OutboxEntry> {
        self.entries.iter().filter(|entry| {
            let is_change = entry.resource_kind == EVENT.kind
                && entry.revision.is_some()
                && entry.kind != PIECE_CREATED.kind;
            SENT_BY_WEBHOOKS.contains(&entry.kind.as_str())
                && (!is_change || self.own_changes.find_changes(entry).is_some())
        })
    }

    /// Returns true if the webhook sends rows of this kind, the row is newer than the webhook, and the
    /// row matches the filters of the webhook.
    fn is_wanted(&self, webhook: &Webhook, entry: &OutboxEntry) -> bool {
        let id = self.pieces.get(&entry.position);
        let of_channel = |channel: &String| {
            let is_same = |other: &str| is_same_channel(channel, other);
            match entry.facts.get(POST_CHANNEL).and_then(Value::as_str) {
                Some(only) => is_same(only),
                None => self.list_channels(entry).into_iter().any(is_same),
            }
        };
        let of_project = |project: &ProjectId| {
            let ids = self.projects.get(project).zip(id);
            ids.is_some_and(|(ids, id)| ids.contains(id))
        };
        webhook.kinds.contains(&entry.kind)
            && webhook.from_position < entry.position
            && webhook.channel.as_ref().is_none_or(of_channel)
            && webhook.project_id.as_ref().is_none_or(of_project)
    }

    /// Lists the channels of the piece that a row is about, and the channels that the piece had before
    /// the change.
    fn list_channels(&self, entry: &OutboxEntry) -> Vec<&str> {
        let piece = self.pieces.get(&entry.position);
        let now = piece.and_then(|id| self.channels.get(id));
        let now = now.into_iter().flatten().map(String::as_str);
        let changes = self
            .own_changes
            .find_changes(entry)
            .map(|changes| &changes.0);
        let before = |field| changes.and_then(|changes| changes.get(field)?.get("before"));
        let removed = before("variantes").and_then(Value::as_array);
        let removed = removed.into_iter().flatten();
        let removed = removed.filter_map(|variant| variant.get("canal")?.as_str());
        let earlier = before("channel").and_then(Value::as_str);
        now.chain(removed).chain(earlier).collect()
    }

    /// Returns the order key of a row. Messages with the same key are sent in their order; rows about
    /// the same piece have the same key.
    fn order_key(&self, entry: &OutboxEntry) -> String {
        match self.pieces.get(&entry.position) {
            Some(id) => format!("{}:{id}", EVENT.kind),
            None => format!("{}:{}", entry.resource_kind, entry.resource_id),
        }
    }
}
