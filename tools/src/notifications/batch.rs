//! The state that determines the recipients of a batch of outbox rows, read with a few queries.

use std::collections::{HashMap, HashSet};

use domain::{
    Event, EventId, EventStatus, Member, MemberId, PublicationId, RemarkId, VariantId,
    approval::{Approval, Team},
    time::Millis,
    variant::Variant,
};
use gateway::{Resource, Result, Services};
use store::{
    Conn, approvals, approvals::Running, events, members, notifications, notifications::Wishes,
    outbox::OutboxEntry, post_reminders, post_reminders::UnpostedVariant, publications,
    publications::Ending, push, remarks, variants,
};

use crate::{
    announcements::{POST_DUE, POST_DUE_AGAIN, VARIANT, VARIANTS_WAIT},
    approval_rules::{find_approvals_of_changes, load_rules},
    conversation::REMARK,
    due_posts::find_due_post,
    outbox_batch::find_piece_id,
    own_changes::OwnChanges,
    publishing::PUBLICATION,
};

/// A batch of outbox rows, with the state that determines their recipients.
pub(super) struct Batch {
    pub entries: Vec<OutboxEntry>,
    /// The active members.
    pub members: Vec<Member>,
    pub team: Team,
    pub wishes: HashMap<MemberId, Wishes>,
    pub events: HashMap<EventId, Event>,
    pub approvals: HashMap<EventId, Running>,
    pub own_changes: OwnChanges,
    pub publications: HashMap<PublicationId, Ending>,
    /// The members who wrote in the thread of each remark of the batch, by the id of the remark. Removed
    /// remarks are missing.
    pub thread_authors: HashMap<RemarkId, Vec<MemberId>>,
    /// The variants in rows about due posts that still wait to be published by hand.
    pub unposted: Vec<UnpostedVariant>,
    /// The approved pieces, in rows about changed variants, whose changed variants still wait for a
    /// decision. The value is the approval in which they wait, or `None` if everybody with `approve` may
    /// decide.
    pub changed: HashMap<EventId, Option<Approval>>,
    /// The members who have a device that receives notifications.
    pub pushed: HashSet<MemberId>,
}

impl Batch {
    pub async fn load(services: &Services, entries: Vec<OutboxEntry>) -> Result<Self> {
        let db = services.db.reader();
        let members = members::list_active(&db, None, i64::MAX).await?;
        let team = Team::new(members.iter().map(|one| (one.id.clone(), one.role)));
        let published = filter_by_resource(&entries, PUBLICATION);
        let published = published.map(|entry| PublicationId::from(entry.resource_id.as_str()));
        let published: Vec<PublicationId> = published.collect();
        let publications = publications::find_endings(&db, &published).await?;
        let written = filter_by_resource(&entries, REMARK);
        let written: Vec<RemarkId> = written
            .map(|entry| entry.resource_id.as_str().into())
            .collect();
        let of_publications = publications.values();
        let of_publications = of_publications.filter_map(|one| one.event_id.clone());
        let ids: HashSet<EventId> = entries
            .iter()
            .filter_map(find_piece_id)
            .chain(of_publications)
            .collect();
        let events = events::find_all(&db, ids.iter()).await?;
        let is_reminder =
            |entry: &&OutboxEntry| entry.kind == POST_DUE.kind || entry.kind == POST_DUE_AGAIN.kind;
        let due = entries.iter().filter(is_reminder);
        let due = due.filter_map(|entry| entry.facts.get(VARIANT)?.as_str().map(Into::into));
        let due: Vec<VariantId> = due.collect();
        let events: HashMap<EventId, Event> = events
            .into_iter()
            .map(|one| (one.id.clone(), one))
            .collect();
        let now = services.clock.now();
        Ok(Self {
            team,
            members,
            wishes: notifications::load_wishes(&db).await?,
            pushed: push::list_members(&db).await?,
            approvals: approvals::load(&db, ids.iter()).await?,
            own_changes: OwnChanges::load(&db, &entries).await?,
            changed: load_changed(&db, &entries, &events, now).await?,
            events,
            unposted: post_reminders::find_unposted(&db, &due).await?,
            thread_authors: remarks::load_thread_authors(&db, &written).await?,
            publications,
            entries,
        })
    }

    /// Lists the rows about due posts whose post is no longer due. Nobody is notified of these posts.
    pub fn list_obsolete_reminders(&self) -> impl Iterator<Item = &OutboxEntry> {
        let due = self
            .entries
            .iter()
            .filter(|entry| entry.kind == POST_DUE.kind);
        due.filter(|entry| find_due_post(&self.unposted, entry).is_none())
    }
}

/// Loads the approvals of [`Batch::changed`].
async fn load_changed(
    db: &Conn<'_>,
    entries: &[OutboxEntry],
    events: &HashMap<EventId, Event>,
    now: Millis,
) -> Result<HashMap<EventId, Option<Approval>>> {
    let waits = entries
        .iter()
        .filter(|entry| entry.kind == VARIANTS_WAIT.kind);
    let ids: HashSet<EventId> = waits.filter_map(find_piece_id).collect();
    let mut all = variants::load(db, &ids).await?;
    let approved = events
        .values()
        .filter(|one| ids.contains(&one.id) && one.status == EventStatus::Approved);
    let changed = approved.filter_map(|one| {
        let mut undecided = all.remove(&one.id)?;
        undecided.retain(Variant::is_undecided);
        (!undecided.is_empty()).then(|| (one.clone(), undecided))
    });
    let changed: Vec<(Event, Vec<Variant>)> = changed.collect();
    if changed.is_empty() {
        return Ok(HashMap::new());
    }
    let rules = load_rules(db).await?;
    let approvals = find_approvals_of_changes(db, &rules, &changed, now).await?;
    let ids = changed.into_iter().map(|(piece, _)| piece.id);
    Ok(ids.zip(approvals).collect())
}

fn filter_by_resource(
    entries: &[OutboxEntry],
    resource: Resource,
) -> impl Iterator<Item = &OutboxEntry> {
    let entries = entries.iter();
    entries.filter(move |entry| entry.resource_kind == resource.kind)
}
