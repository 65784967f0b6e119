//! Determines the recipients of the changes of a batch: the candidates who are active, want the
//! notification, have not made the change themselves and may see the resource now.

use std::collections::{HashMap, HashSet};

use super::{
    batch::Batch,
    recipients::{Candidate, Told, find_candidates},
};
use crate::visibility::EVENT;
use domain::{EventId, Member, MemberId};
use gateway::Result;
use store::{Conn, outbox::OutboxEntry};

/// Finds the notifications of a batch. Leaves out members who have left, who may not see the resource or
/// who do not want notifications of this kind.
pub(super) async fn find_notifications(batch: &Batch, db: &Conn<'_>) -> Result<Vec<Told>> {
    let mut seen = Seen::default();
    let mut told = vec![];
    // A call that found its change already made announces the same revision again. Only the first row of
    // a revision is used.
    let mut announced = HashSet::new();
    for entry in &batch.entries {
        if let Some(revision) = entry.revision
            && !announced.insert((&entry.kind, &entry.resource_id, revision))
        {
            continue;
        }
        for candidate in find_candidates(batch, entry) {
            let Some(member) = find_interested_member(batch, &candidate, entry) else {
                continue;
            };
            if seen.is_visible(batch, db, member, &candidate).await? {
                told.push(Told::new(candidate, entry));
            }
        }
    }
    Ok(told)
}

/// Returns the active member of a candidate, if this member wants the notification and did not make the
/// change in a session.
fn find_interested_member<'b>(
    batch: &'b Batch,
    candidate: &Candidate,
    entry: &OutboxEntry,
) -> Option<&'b Member> {
    let mut members = batch.members.iter();
    let member = members.find(|member| member.id == candidate.member_id)?;
    let is_own = entry.actor_id.as_ref() == Some(&member.id) && entry.auth_method == "session";
    let wishes = batch.wishes.get(&member.id);
    let wants = wishes.is_none_or(|wishes| wishes.choices.wants(candidate.kind));
    (wants && !is_own && candidate.kind.concerns(member)).then_some(member)
}

/// Caches which member may see which resource, for one batch.
#[derive(Default)]
struct Seen(HashMap<(&'static str, String, MemberId), bool>);

impl Seen {
    /// True if the member may see the resource of the candidate. Pieces are taken from the batch and
    /// checked by the rule of [`EVENT`].
    async fn is_visible(
        &mut self,
        batch: &Batch,
        db: &Conn<'_>,
        member: &Member,
        candidate: &Candidate,
    ) -> Result<bool> {
        let resource = candidate.resource;
        if resource.kind == EVENT.kind {
            let event = batch.events.get(&EventId::from(candidate.id.as_str()));
            return Ok(event.is_some_and(|event| event.is_visible_to(member)));
        }
        let key = (resource.kind, candidate.id.clone(), member.id.clone());
        if let Some(seen) = self.0.get(&key) {
            return Ok(*seen);
        }
        let seen = resource.is_visible_to(*db, member, &candidate.id).await?;
        self.0.insert(key, seen);
        Ok(seen)
    }
}
