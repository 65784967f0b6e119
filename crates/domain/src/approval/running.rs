//! The state machine of a submitted piece.
//!
//! It applies these rules:
//!
//! - With [`Quorum::All`], each listed member, each member with the role and one guest must
//!   approve. Members who have left the team, whose role may no longer approve, or who are authors
//!   of the piece do not count.
//! - If no listed member and nobody with the role of a stage can approve, leads and admins may
//!   decide it.
//! - An admin may always decide. One approval completes the stage if it comes from a substitute,
//!   from a member to whom the stage was escalated, or from an admin whom the stage does not name.
//!   The approval of an admin whom the stage names counts like the approval of any other decider.
//! - If the last member whose approval was missing leaves the team, all needed approvals exist, but
//!   no decision completes the stage. Then the stage is complete as soon as one of the members who
//!   have approved approves again.
//! - A decider who may not approve the piece may still refuse it. So an author who is a decider can
//!   withdraw the piece.
//! - A guest decides in the name of the member who made the link, so an author's own link does not
//!   approve the piece either.

use std::collections::BTreeSet;

use super::{
    plan::{Plan, Quorum, Stage, WhenOverdue},
    team::{Decider, Team, Voter},
};
use crate::{
    MemberId, Role,
    time::{Millis, add_working_hours},
};

/// The kind of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Approve,
    Refuse,
}

/// One approval of a stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vote {
    pub stage: usize,
    pub voter: Voter,
    pub decided_at: Millis,
}

/// The running approval of a submitted piece.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approval {
    pub plan: Plan,
    /// The index of the current stage.
    pub stage: usize,
    pub entered_at: Millis,
    pub due_at: Option<Millis>,
    /// True if the service has handled the passing of the deadline.
    pub is_overdue: bool,
    /// The approvals that were given in all stages, oldest first.
    pub votes: Vec<Vote>,
}

/// The reason why a member may decide a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entitlement {
    /// The stage names the member, their role or guests.
    Named,
    /// The stage was escalated to the member.
    Escalated,
    /// A lead or admin decides, because no member whom the stage names can approve the piece.
    Substitute,
    Admin,
}

/// The effect of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecisionEffect {
    Refused,
    /// The same person has approved this stage already; nothing changed.
    Repeated,
    /// The stage waits for further approvals.
    Waits,
    /// The stage is approved, and the piece waits in the next stage.
    Next,
    /// The last stage is approved.
    Complete,
}

/// The reason why a decision is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotAllowed {
    NotDecider,
    OwnPiece,
}

/// A member, a role or the guests, for whose decision a piece waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AwaitedDecider {
    Member(MemberId),
    Role(Role),
    Guest,
}

impl Approval {
    #[must_use]
    pub fn begin(plan: Plan, now: Millis) -> Self {
        let mut begun = Self {
            plan,
            stage: 0,
            entered_at: now,
            due_at: None,
            is_overdue: false,
            votes: vec![],
        };
        begun.enter_stage(0, now);
        begun
    }

    /// Creates the approval of a piece that waits for another decision of its last stage. All
    /// earlier stages count as approved.
    #[must_use]
    pub fn at_last_stage(plan: Plan, now: Millis) -> Self {
        let mut begun = Self::begin(plan, now);
        begun.stage = begun.plan.stages.len().saturating_sub(1);
        begun
    }

    /// Returns the current stage; `None` if the plan has no stages.
    #[must_use]
    pub fn current(&self) -> Option<&Stage> {
        self.plan.stages.get(self.stage)
    }

    /// Returns the reason why this person may decide the current stage; `None` if this person may
    /// not.
    #[must_use]
    pub fn entitlement(&self, by: Decider<'_>, team: &Team) -> Option<Entitlement> {
        let Some(stage) = self.current() else {
            return match by {
                Decider::Member(id) => team.role_of(id).map(|_| Entitlement::Named),
                Decider::Guest { .. } => Some(Entitlement::Named),
            };
        };
        let Decider::Member(id) = by else {
            return stage.guests.then_some(Entitlement::Named);
        };
        let role = team.role_of(id)?;
        if stage.members.contains(id) || stage.role == Some(role) {
            return Some(Entitlement::Named);
        }
        if self.is_overdue
            && stage.when_overdue == WhenOverdue::Escalate
            && stage.notify.contains(id)
        {
            return Some(Entitlement::Escalated);
        }
        if self.is_vacant(stage, team) {
            return Some(Entitlement::Substitute);
        }
        (role == Role::Admin).then_some(Entitlement::Admin)
    }

    /// True if the piece waits for a guest with a link that this member made: guests are deciders
    /// of the current stage, or the plan has no stages. After a guest has approved a stage, the
    /// stage waits for guests again only if no other approval is missing.
    #[must_use]
    pub fn waits_for_guests(&self, invited_by: &MemberId, team: &Team) -> bool {
        let awaits = match self.current() {
            None => true,
            Some(_) => self.waits_for(team).contains(&AwaitedDecider::Guest),
        };
        awaits && !self.plan.barred.contains(invited_by)
    }

    #[must_use]
    pub fn is_decider(&self, by: Decider<'_>, team: &Team) -> bool {
        self.entitlement(by, team).is_some()
    }

    /// True if this person has approved the current stage.
    #[must_use]
    pub fn has_voted(&self, by: Decider<'_>) -> bool {
        self.has_voted_in(self.stage, by)
    }

    /// True if this person has approved the stage with this index.
    #[must_use]
    pub fn has_voted_in(&self, stage: usize, by: Decider<'_>) -> bool {
        let voter = Voter::from(by);
        let mut votes = self.votes.iter();
        votes.any(|vote| vote.stage == stage && vote.voter == voter)
    }

    /// Decides the current stage.
    ///
    /// # Errors
    ///
    /// If the person may not decide this stage, or would approve their own piece.
    pub fn decide(
        &mut self,
        verdict: Verdict,
        by: Decider<'_>,
        team: &Team,
        now: Millis,
    ) -> Result<DecisionEffect, NotAllowed> {
        let entitlement = self.entitlement(by, team).ok_or(NotAllowed::NotDecider)?;
        if verdict == Verdict::Refuse {
            return Ok(DecisionEffect::Refused);
        }
        if self.plan.barred.contains(by.member()) {
            return Err(NotAllowed::OwnPiece);
        }
        let repeats = self.has_voted(by);
        if !repeats {
            self.votes.push(Vote {
                stage: self.stage,
                voter: by.into(),
                decided_at: now,
            });
        }
        let waits = entitlement == Entitlement::Named
            && self.current().is_some_and(|stage| {
                stage.quorum == Quorum::All && !self.find_missing_voters(stage, team).is_empty()
            });
        if waits {
            return Ok(if repeats {
                DecisionEffect::Repeated
            } else {
                DecisionEffect::Waits
            });
        }
        if self.stage + 1 < self.plan.stages.len() {
            self.enter_stage(self.stage + 1, now);
            return Ok(DecisionEffect::Next);
        }
        Ok(DecisionEffect::Complete)
    }

    /// Returns the people for whom the current stage waits: its deciders who have not approved it
    /// and, after the deadline, the members to notify. The list is empty if the plan has no stages.
    #[must_use]
    pub fn waits_for(&self, team: &Team) -> Vec<AwaitedDecider> {
        let Some(stage) = self.current() else {
            return vec![];
        };
        let mut waiting = vec![];
        if self.is_vacant(stage, team) {
            waiting.extend([
                AwaitedDecider::Role(Role::Lider),
                AwaitedDecider::Role(Role::Admin),
            ]);
            waiting.extend(stage.guests.then_some(AwaitedDecider::Guest));
        } else if stage.quorum == Quorum::All {
            let missing = self.find_missing_voters(stage, team);
            let all = if missing.is_empty() {
                self.find_needed_voters(stage, team)
            } else {
                missing
            };
            waiting.extend(all.into_iter().map(|voter| match voter {
                Voter::Member(id) => AwaitedDecider::Member(id),
                Voter::Guest => AwaitedDecider::Guest,
            }));
        } else {
            let able = stage.members.iter().filter(|id| self.can_approve(id, team));
            waiting.extend(able.cloned().map(AwaitedDecider::Member));
            waiting.extend(stage.role.map(AwaitedDecider::Role));
            waiting.extend(stage.guests.then_some(AwaitedDecider::Guest));
        }
        if self.is_overdue && stage.when_overdue != WhenOverdue::Hold {
            for id in stage.notify.iter().filter(|id| self.can_approve(id, team)) {
                let one = AwaitedDecider::Member(id.clone());
                if !waiting.contains(&one) {
                    waiting.push(one);
                }
            }
        }
        waiting
    }

    /// True if the current stage waits for this member. A plan without stages waits for everyone
    /// who may approve the piece. A stage that waits only for guests also waits for everyone who
    /// may approve the piece, because these members invite the guests.
    #[must_use]
    pub fn waits_for_member(&self, id: &MemberId, team: &Team) -> bool {
        if self.current().is_none() {
            return !self.plan.barred.contains(id);
        }
        let role = team.role_of(id);
        let awaited = self.waits_for(team);
        let is_awaited = |one: &AwaitedDecider| match one {
            AwaitedDecider::Member(awaited) => awaited == id,
            AwaitedDecider::Role(awaited) => role == Some(*awaited),
            AwaitedDecider::Guest => awaited.iter().all(|other| *other == AwaitedDecider::Guest),
        };
        self.can_approve(id, team) && awaited.iter().any(is_awaited)
    }

    fn enter_stage(&mut self, stage: usize, now: Millis) {
        self.stage = stage;
        self.entered_at = now;
        self.is_overdue = false;
        let hours = self.current().and_then(|stage| stage.hours);
        self.due_at = hours.map(|hours| add_working_hours(now, hours));
    }

    /// True if this member can approve the piece.
    fn can_approve(&self, id: &MemberId, team: &Team) -> bool {
        team.role_of(id).is_some() && !self.plan.barred.contains(id)
    }

    /// Returns the people who must approve a stage with [`Quorum::All`].
    fn find_needed_voters(&self, stage: &Stage, team: &Team) -> BTreeSet<Voter> {
        let of_role = stage.role.into_iter().flat_map(|role| team.with_role(role));
        let members = stage.members.iter().chain(of_role);
        let able = members.filter(|id| self.can_approve(id, team));
        let guests = stage.guests.then_some(Voter::Guest);
        able.cloned().map(Voter::Member).chain(guests).collect()
    }

    fn find_missing_voters(&self, stage: &Stage, team: &Team) -> BTreeSet<Voter> {
        let mut needed = self.find_needed_voters(stage, team);
        for vote in self.votes.iter().filter(|vote| vote.stage == self.stage) {
            needed.remove(&vote.voter);
        }
        needed
    }

    /// True if the stage names members or a role, and none of them can approve.
    fn is_vacant(&self, stage: &Stage, team: &Team) -> bool {
        let names_people = !stage.members.is_empty() || stage.role.is_some();
        let of_role = stage.role.into_iter().flat_map(|role| team.with_role(role));
        let mut people = stage.members.iter().chain(of_role);
        names_people && !people.any(|id| self.can_approve(id, team))
    }
}

#[cfg(test)]
mod tests;
