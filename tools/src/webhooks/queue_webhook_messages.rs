//! The job that makes the messages of webhooks from the outbox.

use std::{
    collections::{HashMap, HashSet, hash_map::Entry},
    time::Duration,
};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{DeliverWebhook, message::body_of_entry};
use crate::{
    announcements::SENT_BY_WEBHOOKS, outbox_batch::read_batch,
    project_pieces::load_project_event_ids, publishing::PUBLICATION, visibility::EVENT,
};
use domain::{EventId, ProjectId, PublicationId, WebhookId, WebhookMessageId, WebhookState};
use gateway::{
    Result, Services,
    jobs::{Job, JobContext, JobOutcome, Schedule},
};
use store::{
    Conn,
    events::{self, Event, is_same_channel},
    outbox::{self, OutboxEntry},
    publications,
    webhooks::{self, NewMessage, Webhook},
};

/// The name of this reader of the outbox.
const READER: &str = "webhooks";

/// Makes messages from the rows of the outbox. The messages of a batch commit together with the
/// position of the reader and under the lease of the job, so each row makes one message of a webhook.
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
                Ok(false) => return JobOutcome::from_result(send_due(ctx).await, now),
                Err(error) => return JobOutcome::from_result(Err::<(), _>(error), now),
            }
        }
    }
}

/// Reads a batch of the outbox and makes its messages. Returns `false` if there was none.
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
    let wanted = find_wanted(&db, &sending, &read.entries).await?;
    let now = services.clock.now();
    let tx = services.db.begin().await?;
    let db = tx.conn();
    if outbox::lock_progress(&db, READER).await? != read.before {
        // Another worker has read this batch.
        return Ok(true);
    }
    let mut ids = HashSet::new();
    for (webhook, entry) in wanted {
        let new = NewMessage {
            webhook_id: &webhook.id,
            position: entry.position,
            kind: &entry.kind,
            resource_kind: &entry.resource_kind,
            resource_id: &entry.resource_id,
            body: &body_of_entry(entry, &services.public_url),
        };
        webhooks::insert_message(&db, &WebhookMessageId::new(now), &new, now).await?;
        if webhook.state == WebhookState::Active {
            ids.insert(&webhook.id);
        }
    }
    for id in ids {
        enqueue_delivery(services, &db, id).await?;
    }
    outbox::save_progress(&db, READER, read.last).await?;
    ctx.commit(tx).await?;
    Ok(true)
}

/// Enqueues the delivery of webhooks whose job was lost.
async fn send_due(ctx: &JobContext) -> Result<()> {
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

/// Which webhook sends which rows, in the order of the rows.
async fn find_wanted<'a>(
    db: &Conn<'_>,
    sending: &'a [Webhook],
    entries: &'a [OutboxEntry],
) -> Result<Vec<(&'a Webhook, &'a OutboxEntry)>> {
    let mut wanted = vec![];
    if sending.is_empty() {
        return Ok(wanted);
    }
    let mut pieces = Pieces::default();
    // A call that found its change already made announces the same revision again.
    let mut announced = HashSet::new();
    for entry in entries {
        let again = |revision| !announced.insert((&entry.kind, &entry.resource_id, revision));
        if !SENT_BY_WEBHOOKS.contains(&entry.kind.as_str()) || entry.revision.is_some_and(again) {
            continue;
        }
        for webhook in sending {
            if webhook.kinds.contains(&entry.kind)
                && pieces.match_filter(db, webhook, entry).await?
            {
                wanted.push((webhook, entry));
            }
        }
    }
    Ok(wanted)
}

/// The pieces of the rows and of projects, each read once per batch.
#[derive(Default)]
struct Pieces {
    of_rows: HashMap<i64, Option<Event>>,
    of_projects: HashMap<ProjectId, Vec<EventId>>,
}

impl Pieces {
    /// True if the row is about a piece of the project and the channel of the webhook.
    async fn match_filter(
        &mut self,
        db: &Conn<'_>,
        webhook: &Webhook,
        entry: &OutboxEntry,
    ) -> Result<bool> {
        if webhook.project_id.is_none() && webhook.channel.is_none() {
            return Ok(true);
        }
        if let Entry::Vacant(unread) = self.of_rows.entry(entry.position) {
            let found = match find_event_id(db, entry).await? {
                Some(id) => events::find(db, &id).await?,
                None => None,
            };
            unread.insert(found);
        }
        if let Some(project_id) = &webhook.project_id
            && let Entry::Vacant(unread) = self.of_projects.entry(project_id.clone())
        {
            unread.insert(load_project_event_ids(db, project_id).await?);
        }
        let Some(Some(event)) = self.of_rows.get(&entry.position) else {
            return Ok(false);
        };
        let channel = webhook.channel.as_ref();
        let project = webhook.project_id.as_ref();
        let of_project = |id: &ProjectId| {
            self.of_projects
                .get(id)
                .is_some_and(|ids| ids.contains(&event.id))
        };
        Ok(
            channel.is_none_or(|channel| is_same_channel(channel, &event.channel))
                && project.is_none_or(of_project),
        )
    }
}

/// The piece that the row is about, or that contains its resource.
async fn find_event_id(db: &Conn<'_>, entry: &OutboxEntry) -> Result<Option<EventId>> {
    if entry.resource_kind == EVENT.kind {
        return Ok(Some(entry.resource_id.as_str().into()));
    }
    if entry.resource_kind == PUBLICATION.kind {
        let id = PublicationId::from(entry.resource_id.as_str());
        let found = publications::find(db, &id).await?;
        return Ok(found.and_then(|publication| publication.event_id));
    }
    let id = entry.facts.get("event_id").and_then(Value::as_str);
    Ok(id.map(Into::into))
}
