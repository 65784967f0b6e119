//! The state that decides who is told of the rows of a batch, read with a few queries.

use std::collections::{HashMap, HashSet};

use super::{
    concerns,
    recipients::{Candidate, Told, find_candidates},
};
use domain::{
    Choices, Event, EventId, Member, MemberId, PublicationId, Revision, approval::Team,
    time::Millis,
};
use gateway::{Resource, Result, Services};
use store::{
    Conn, approvals, approvals::Running, events, history, history::FieldChanges, members,
    notifications, outbox::OutboxEntry, publications, publications::Publication,
};

use crate::{publishing::PUBLICATION, visibility::EVENT};

/// The rows of a batch, and what they are about.
pub(super) struct Batch {
    entries: Vec<OutboxEntry>,
    /// The active members.
    pub members: Vec<Member>,
    pub team: Team,
    choices: HashMap<MemberId, Choices>,
    pub events: HashMap<EventId, Event>,
    pub approvals: HashMap<EventId, Running>,
    changes: HashMap<(EventId, Revision), (Millis, FieldChanges)>,
    pub publications: HashMap<String, Publication>,
}

impl Batch {
    pub async fn load(services: &Services, entries: Vec<OutboxEntry>) -> Result<Self> {
        let db = services.db.reader();
        let members = members::list_active(&db, None, i64::MAX).await?;
        let team = Team::new(members.iter().map(|one| (one.id.clone(), one.role)));
        let mut publications = HashMap::new();
        for entry in of_kind(&entries, PUBLICATION) {
            let id = PublicationId::from(entry.resource_id.as_str());
            if let Some(found) = publications::find(&db, &id).await? {
                publications.insert(entry.resource_id.clone(), found);
            }
        }
        let of_publications = publications.values();
        let of_publications = of_publications.filter_map(|one| one.event_id.clone());
        let ids: HashSet<EventId> = entries
            .iter()
            .filter_map(event_id)
            .chain(of_publications)
            .collect();
        let revisions = of_kind(&entries, EVENT).filter_map(|entry| {
            let revision = entry.revision?;
            Some((EventId::from(entry.resource_id.as_str()), revision))
        });
        let events = events::find_all(&db, ids.iter()).await?;
        Ok(Self {
            team,
            members,
            choices: notifications::load_choices(&db).await?,
            approvals: approvals::load(&db, ids.iter()).await?,
            changes: history::load_changes_at(&db, &revisions.collect()).await?,
            events: events
                .into_iter()
                .map(|one| (one.id.clone(), one))
                .collect(),
            publications,
            entries,
        })
    }

    /// Whom to tell what. Members who have left, who may not see the resource or who do not want to
    /// be told are left out.
    pub async fn find_told(&self, db: &Conn<'_>) -> Result<Vec<Told>> {
        let mut seen = Seen::default();
        let mut told = vec![];
        // A call that found its change already made announces the same revision again.
        let mut announced = HashSet::new();
        for entry in &self.entries {
            if let Some(revision) = entry.revision
                && !announced.insert((&entry.kind, &entry.resource_id, revision))
            {
                continue;
            }
            for candidate in find_candidates(self, entry) {
                let Some(member) = self.find_wanting(&candidate, entry) else {
                    continue;
                };
                if seen.sees(db, member, &candidate).await? {
                    told.push(Told::new(candidate, entry));
                }
            }
        }
        Ok(told)
    }

    /// The active member, if they want to be told and have not done it themselves.
    fn find_wanting(&self, candidate: &Candidate, entry: &OutboxEntry) -> Option<&Member> {
        let mut members = self.members.iter();
        let member = members.find(|member| member.id == candidate.member_id)?;
        let is_own = entry.actor_id.as_ref() == Some(&member.id) && entry.auth_method == "session";
        let choices = self.choices.get(&member.id);
        let wants = choices.is_none_or(|choices| choices.wants(candidate.kind));
        (wants && !is_own && concerns(candidate.kind, member)).then_some(member)
    }

    /// What the row's own call has changed in the piece; `None` if it changed nothing.
    pub fn changes_of(&self, entry: &OutboxEntry) -> Option<&FieldChanges> {
        let key = (EventId::from(entry.resource_id.as_str()), entry.revision?);
        let (at, changes) = self.changes.get(&key)?;
        (*at == entry.occurred_at).then_some(changes)
    }
}

fn of_kind(entries: &[OutboxEntry], resource: Resource) -> impl Iterator<Item = &OutboxEntry> {
    let entries = entries.iter();
    entries.filter(move |entry| entry.resource_kind == resource.kind)
}

/// The piece that the row is about, or that contains its resource.
fn event_id(entry: &OutboxEntry) -> Option<EventId> {
    if entry.resource_kind == EVENT.kind {
        return Some(entry.resource_id.as_str().into());
    }
    Some(entry.facts.get("event_id")?.as_str()?.into())
}

/// Who sees which resource, asked once per batch.
#[derive(Default)]
struct Seen(HashMap<(&'static str, String, MemberId), bool>);

impl Seen {
    async fn sees(
        &mut self,
        db: &Conn<'_>,
        member: &Member,
        candidate: &Candidate,
    ) -> Result<bool> {
        let resource = candidate.resource;
        let key = (resource.kind, candidate.id.clone(), member.id.clone());
        if let Some(seen) = self.0.get(&key) {
            return Ok(*seen);
        }
        let seen = resource.is_visible_to(*db, member, &candidate.id).await?;
        self.0.insert(key, seen);
        Ok(seen)
    }
}
