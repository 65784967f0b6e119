//! The job that makes notifications from the outbox.

use std::{
    collections::{BTreeSet, HashMap},
    time::Duration,
};

use serde::{Deserialize, Serialize};

use super::{
    AREA_NAME, INBOX, SEND_PUSHES, batch::Batch, merging, recipients::Told, telling::find_told,
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

/// The name of this reader of the outbox.
const READER: &str = "notifications";
/// Members that one mark for open pages names.
const NAMED: usize = 16;

/// Tells members of the changes in the outbox. The notifications of a batch commit together with the
/// position of the reader and under the lease of the job, so each row is told once.
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
            match tell_batch(ctx).await {
                Ok(true) => {}
                Ok(false) => return JobOutcome::Done,
                Err(error) => return JobOutcome::from_result(Err::<(), _>(error), now),
            }
        }
    }
}

/// Reads a batch of the outbox and tells its changes. Returns `false` if there was none.
async fn tell_batch(ctx: &JobContext) -> Result<bool> {
    let services = ctx.services();
    let db = services.db.reader();
    let Some(read) = read_batch(ctx, READER).await? else {
        return Ok(false);
    };
    // What follows reads only, and may take long: no transaction is open.
    let batch = Batch::load(services, read.entries).await?;
    let told = find_told(&batch, &db).await?;
    let tx = services.db.begin().await?;
    let db = tx.conn();
    if outbox::lock_progress(&db, READER).await? != read.before {
        // Another worker has told this batch.
        return Ok(true);
    }
    let mails = identity::mail::is_configured(services);
    let is_pushed = store_told(&db, &told, &batch, mails).await?;
    if is_pushed {
        let now = services.clock.now();
        SEND_PUSHES
            .enqueue_or_bring_forward(&services.queue, &db, now)
            .await?;
    }
    for entry in batch.untold_posts() {
        forget_reminder(&db, entry).await?;
    }
    outbox::save_progress(&db, READER, read.last).await?;
    ctx.commit(tx).await?;
    mark_inboxes(services, &told);
    Ok(true)
}

/// Stores the notifications. Those that a member wants on their devices are to be pushed, and with
/// `mails` those that a member wants by e-mail are to be sent. Returns whether some are to be pushed.
async fn store_told(
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
    for ((member, kind), told) in merging::group(told) {
        let key = (member.clone(), kind.as_str().to_owned());
        let recent = recent.remove(&key).unwrap_or_default();
        for (id, mut new) in merging::plan(&told, &recent) {
            new.mail_due_at = mails.then(|| mail_time(batch, &new)).flatten();
            new.push_due_at = push_time(batch, &new, id.is_some());
            new.is_listed = is_listed(batch, &new);
            is_pushed |= new.push_due_at.is_some();
            match id {
                Some(id) => notifications::merge(db, &id, &new).await?,
                None if is_sent(&new) => notifications::insert(db, &new).await?,
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

/// False for a notification that the member would find nowhere.
fn is_sent(new: &NewNotification) -> bool {
    new.is_listed || new.mail_due_at.is_some() || new.push_due_at.is_some()
}

/// When a notification is pushed to the devices of its member; `None` if the member has none or does not
/// want that. A change that is added to a notification waits until its window has passed.
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

/// When a notification is sent by e-mail; `None` if its member does not want that.
fn mail_time(batch: &Batch, new: &NewNotification) -> Option<Millis> {
    let by_default = Wishes::default();
    let wishes = batch.wishes.get(&new.member_id).unwrap_or(&by_default);
    let wanted = wishes.choices.wants_email(new.kind);
    if new.kind.is_for_now() {
        return wanted.then_some(new.occurred_at);
    }
    // A digest has one time a day, so it need not wait for the window.
    let earliest = match wishes.times.digest {
        Some(_) => new.begun_at,
        None => new.begun_at + merging::WINDOW,
    };
    wanted.then(|| wishes.times.next_time(earliest))
}

/// Makes the open pages of these members look again.
fn mark_inboxes(services: &Services, told: &[Told]) {
    let members: BTreeSet<&MemberId> = told.iter().map(|one| &one.member_id).collect();
    let members: Vec<String> = members.into_iter().map(ToString::to_string).collect();
    for some in members.chunks(NAMED) {
        let changes = &services.changes;
        changes.mark_resources(AREA_NAME, INBOX, some.to_vec());
    }
}
