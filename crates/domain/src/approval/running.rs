//! The state machine of a submitted piece.
//!
//! Decided here:
//!
//! - With [`Quorum::All`], each listed member, each member with the role and one guest must
//!   approve. Members who left the team, whose role no longer approves, or whose own piece it is,
//!   do not count.
//! - If no listed member and nobody with the role of a stage can approve, leads and admins may
//!   decide it.
//! - An admin may always decide. The approval of a substitute, of a member to whom the stage was
//!   escalated or of an admin whom the stage does not name completes the stage alone. The approval of
//!   an admin whom it names counts like that of any other.
//! - If the last member who was still awaited leaves the team, all needed approvals are there, but
//!   nobody decides. Then any of them who approves again completes the stage.
//! - Who may not approve may still refuse: an author who is a decider withdraws the piece that way.
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
    /// Whether the passing of the deadline was handled.
    pub is_overdue: bool,
    /// The approvals of all stages so far, oldest first.
    pub votes: Vec<Vote>,
}

/// Why a member may decide a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entitlement {
    /// The stage names the member, their role or guests.
    Named,
    /// The stage was escalated to the member.
    Escalated,
    /// A lead or admin decides, because no decider of the stage is left.
    Substitute,
    Admin,
}

/// What a decision did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecisionEffect {
    Refused,
    /// The same person has approved this stage already; nothing changed.
    Repeated,
    /// The stage waits for others.
    Waits,
    /// The piece waits in the next stage.
    Next,
    /// The last stage is approved.
    Complete,
}

/// Why a decision is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotAllowed {
    NotDecider,
    OwnPiece,
}

/// For whom a piece waits.
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
        begun.enter(0, now);
        begun
    }

    /// The approval of a piece whose stages all approved it, except that the last one decides again.
    #[must_use]
    pub fn at_last_stage(plan: Plan, now: Millis) -> Self {
        let mut begun = Self::begin(plan, now);
        begun.stage = begun.plan.stages.len().saturating_sub(1);
        begun
    }

    /// The current stage; `None` if the plan has no stages.
    #[must_use]
    pub fn current(&self) -> Option<&Stage> {
        self.plan.stages.get(self.stage)
    }

    /// Why this person may decide the current stage; `None` if they may not.
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

    /// True if the piece waits for a guest with a link of this member: in a stage that says so, or
    /// without stages. After a guest has approved, it waits for guests again only if nobody else is
    /// missing.
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
    /// The person may not decide this stage, or may not approve their own piece.
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
                stage.quorum == Quorum::All && !self.missing(stage, team).is_empty()
            });
        if waits {
            return Ok(if repeats {
                DecisionEffect::Repeated
            } else {
                DecisionEffect::Waits
            });
        }
        if self.stage + 1 < self.plan.stages.len() {
            self.enter(self.stage + 1, now);
            return Ok(DecisionEffect::Next);
        }
        Ok(DecisionEffect::Complete)
    }

    /// The people for whom the current stage waits: its deciders who have not approved it and,
    /// after the deadline, the members to notify. Empty without stages.
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
            let missing = self.missing(stage, team);
            let all = if missing.is_empty() {
                self.needed(stage, team)
            } else {
                missing
            };
            waiting.extend(all.into_iter().map(|voter| match voter {
                Voter::Member(id) => AwaitedDecider::Member(id),
                Voter::Guest => AwaitedDecider::Guest,
            }));
        } else {
            let able = stage.members.iter().filter(|id| self.is_able(id, team));
            waiting.extend(able.cloned().map(AwaitedDecider::Member));
            waiting.extend(stage.role.map(AwaitedDecider::Role));
            waiting.extend(stage.guests.then_some(AwaitedDecider::Guest));
        }
        if self.is_overdue && stage.when_overdue != WhenOverdue::Hold {
            for id in stage.notify.iter().filter(|id| self.is_able(id, team)) {
                let one = AwaitedDecider::Member(id.clone());
                if !waiting.contains(&one) {
                    waiting.push(one);
                }
            }
        }
        waiting
    }

    /// True if the current stage waits for this member. Without stages it waits for everyone who may
    /// approve the piece. If it waits for guests only, everyone who may approve the piece is reminded
    /// of it, because they are who invites guests.
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
        self.is_able(id, team) && awaited.iter().any(is_awaited)
    }

    fn enter(&mut self, stage: usize, now: Millis) {
        self.stage = stage;
        self.entered_at = now;
        self.is_overdue = false;
        let hours = self.current().and_then(|stage| stage.hours);
        self.due_at = hours.map(|hours| add_working_hours(now, hours));
    }

    /// True if this member can approve the piece.
    fn is_able(&self, id: &MemberId, team: &Team) -> bool {
        team.role_of(id).is_some() && !self.plan.barred.contains(id)
    }

    /// The people who must approve a stage that needs all.
    fn needed(&self, stage: &Stage, team: &Team) -> BTreeSet<Voter> {
        let of_role = stage.role.into_iter().flat_map(|role| team.with_role(role));
        let members = stage.members.iter().chain(of_role);
        let able = members.filter(|id| self.is_able(id, team));
        let guests = stage.guests.then_some(Voter::Guest);
        able.cloned().map(Voter::Member).chain(guests).collect()
    }

    fn missing(&self, stage: &Stage, team: &Team) -> BTreeSet<Voter> {
        let mut needed = self.needed(stage, team);
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
        names_people && !people.any(|id| self.is_able(id, team))
    }
}

#[cfg(test)]
mod tests;
