//! The job that creates notifications from the rows of the outbox.

use std::{
    collections::{BTreeSet, HashMap},
    time::Duration,
};

use serde::{Deserialize, Serialize};

use super::{
    AREA_NAME, INBOX, SEND_PUSHES, batch::Batch, merging, recipients::Told,
    telling::find_notifications,
};
use crate::{due_posts::forget_reminder, outbox_batch::read_batch};
use domain::{MemberId, time::Millis};
use gateway::{
    Result, Services,
    jobs::{Job, JobContext, JobOutcome, Schedule},
};
use store::{
    notifications::{self, NewNotification, Wishes},
    outbox,
};

/// The name under which this job stores its position in the outbox.
const READER: &str = "notifications";
/// Maximum number of members in one mark for open pages.
const NAMED: usize = 16;

/// Notifies members of the changes in the outbox. The notifications of a batch commit together with the
/// position of the reader and under the lease of the job, so each row is processed once.
#[derive(Serialize, Deserialize)]
pub struct MakeNotifications;

impl Job for MakeNotifications {
    const NAME: &'static str = "make_notifications";
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
            match process_batch(ctx).await {
                Ok(true) => {}
                Ok(false) => return JobOutcome::Done,
                Err(error) => return JobOutcome::from_result(Err::<(), _>(error), now),
            }
        }
    }
}

/// Reads a batch of the outbox and stores its notifications. Returns `false` if the outbox has no new
/// rows.
async fn process_batch(ctx: &JobContext) -> Result<bool> {
    let services = ctx.services();
    let db = services.db.reader();
    let Some(read) = read_batch(ctx, READER).await? else {
        return Ok(false);
    };
    // The following reads may take long, so no transaction is open yet.
    let batch = Batch::load(services, read.entries).await?;
    let told = find_notifications(&batch, &db).await?;
    let tx = services.db.begin().await?;
    let db = tx.conn();
    if outbox::lock_progress(&db, READER).await? != read.before {
        // Another worker has processed this batch.
        return Ok(true);
    }
    let mails = identity::mail::is_configured(services);
    let is_pushed = store_notifications(&db, &told, &batch, mails).await?;
    if is_pushed {
        let now = services.clock.now();
        SEND_PUSHES
            .enqueue_or_bring_forward(&services.queue, &db, now)
            .await?;
    }
    for entry in batch.list_obsolete_reminders() {
        forget_reminder(&db, entry).await?;
    }
    outbox::save_progress(&db, READER, read.last).await?;
    ctx.commit(tx).await?;
    mark_inboxes(services, &told);
    Ok(true)
}

/// Stores the notifications, with the times at which they are pushed to devices and, if `mails` is true,
/// sent by e-mail. Returns true if a notification is to be pushed.
async fn store_notifications(
    db: &store::Conn<'_>,
    told: &[Told],
    batch: &Batch,
    mails: bool,
) -> Result<bool> {
    let Some(first) = told.iter().map(|one| one.occurred_at).min() else {
        return Ok(false);
    };
    let mut is_pushed = false;
    let members: BTreeSet<&MemberId> = told.iter().map(|one| &one.member_id).collect();
    let since: Millis = first - merging::WINDOW;
    let mut recent: HashMap<_, Vec<_>> = HashMap::new();
    for one in notifications::load_recent(db, &members, since).await? {
        let key = (one.member_id.clone(), one.kind.clone());
        recent.entry(key).or_default().push(one);
    }
    for ((member, kind), told) in merging::group_by_member_and_kind(told) {
        let key = (member.clone(), kind.as_str().to_owned());
        let recent = recent.remove(&key).unwrap_or_default();
        for (id, mut new) in merging::plan_notifications(&told, &recent) {
            new.mail_due_at = mails.then(|| mail_time(batch, &new)).flatten();
            new.push_due_at = push_time(batch, &new, id.is_some());
            new.is_listed = is_listed(batch, &new);
            is_pushed |= new.push_due_at.is_some();
            match id {
                Some(id) => notifications::merge(db, &id, &new).await?,
                None if reaches_member(&new) => notifications::insert(db, &new).await?,
                None => {}
            }
        }
    }
    Ok(is_pushed)
}

/// True if the member wants notifications of this kind in the list.
fn is_listed(batch: &Batch, new: &NewNotification) -> bool {
    let wishes = batch.wishes.get(&new.member_id);
    wishes.is_none_or(|wishes| wishes.choices.wants_listed(new.kind))
}

/// True if the member gets the notification in the list, by e-mail or on a device.
fn reaches_member(new: &NewNotification) -> bool {
    new.is_listed || new.mail_due_at.is_some() || new.push_due_at.is_some()
}

/// Returns when a notification is pushed to the devices of its member; `None` if the member has no
/// device or does not want pushes of this kind. If a change is added to an existing notification, the
/// push waits until the merge window of the notification has passed.
fn push_time(batch: &Batch, new: &NewNotification, is_added: bool) -> Option<Millis> {
    let by_default = Wishes::default();
    let wishes = batch.wishes.get(&new.member_id).unwrap_or(&by_default);
    let wanted = wishes.choices.wants_push(new.kind) && batch.pushed.contains(&new.member_id);
    let earliest = match is_added && !new.kind.is_for_now() {
        true => new.begun_at + merging::WINDOW,
        false => new.occurred_at,
    };
    wanted.then_some(earliest)
}

/// Returns when a notification is sent by e-mail; `None` if its member does not want e-mails of this
/// kind.
fn mail_time(batch: &Batch, new: &NewNotification) -> Option<Millis> {
    let by_default = Wishes::default();
    let wishes = batch.wishes.get(&new.member_id).unwrap_or(&by_default);
    let wanted = wishes.choices.wants_email(new.kind);
    if new.kind.is_for_now() {
        return wanted.then_some(new.occurred_at);
    }
    // A digest is sent once a day, so it does not wait for the merge window.
    let earliest = match wishes.times.digest {
        Some(_) => new.begun_at,
        None => new.begun_at + merging::WINDOW,
    };
    wanted.then(|| wishes.times.next_time(earliest))
}

/// Makes the open pages of these members reload their notifications.
fn mark_inboxes(services: &Services, told: &[Told]) {
    let members: BTreeSet<&MemberId> = told.iter().map(|one| &one.member_id).collect();
    let members: Vec<String> = members.into_iter().map(ToString::to_string).collect();
    for some in members.chunks(NAMED) {
        let changes = &services.changes;
        changes.mark_resources(AREA_NAME, INBOX, some.to_vec());
    }
}
