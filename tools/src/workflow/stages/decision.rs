//! A decision about a piece that waits in a stage.

use serde_json::{Map, Value, json};

use super::{
    NOT_YOUR_STAGE, OWN_PIECE,
    people::People,
    view::{ApprovalView, GUEST, describe_waiting},
};
use domain::{
    Event, EventStatus, Level, Revision,
    approval::{Decider, DecisionEffect, Entitlement, NotAllowed, Verdict, Voter},
};
use gateway::{Context, Error, Principal, Result};
use store::approvals::{self, Running};

/// The running approval of a piece, for a decision of the caller.
pub(in crate::workflow) struct PendingDecision {
    running: Running,
    people: People,
}

/// Returns the decider of a call: the member, or the guest who acts in the member's name.
fn decider(caller: &Principal) -> Decider<'_> {
    match caller.guest() {
        Some(_) => Decider::Guest {
            invited_by: &caller.member.id,
        },
        None => Decider::Member(&caller.member.id),
    }
}

/// An allowed decision, not stored yet.
pub(in crate::workflow) struct AllowedDecision {
    people: People,
    before: Running,
    after: Running,
    effect: DecisionEffect,
    entitlement: Option<Entitlement>,
}

impl PendingDecision {
    /// Loads the running approval of the piece; `None` if the piece has no running approval, so that
    /// anybody with `approve` may decide it.
    pub async fn load(ctx: &Context<'_>, event: &Event) -> Result<Option<Self>> {
        if event.status != EventStatus::InApproval {
            return Ok(None);
        }
        let db = ctx.db();
        let Some(running) = approvals::find(&db, &event.id).await? else {
            return Ok(None);
        };
        Self::from_running(ctx, running).await.map(Some)
    }

    /// Combines a running approval with the people of the team.
    pub(super) async fn from_running(ctx: &Context<'_>, running: Running) -> Result<Self> {
        let people = People::load(&ctx.db()).await?;
        Ok(Self { running, people })
    }

    /// Returns true if the piece waits in a stage.
    pub fn has_stages(&self) -> bool {
        self.running.approval.current().is_some()
    }

    pub fn view(&self, ctx: &Context<'_>) -> Result<Option<ApprovalView>> {
        let caller = ctx.caller()?;
        Ok(ApprovalView::from_running(
            &self.running,
            &self.people,
            caller,
        ))
    }

    /// Returns true if the caller has already made this approval: in the current stage, or in an earlier
    /// stage. If `expected` names a revision, only the preceding stage counts, and only if the caller
    /// named the same revision there.
    pub fn is_repeated(&self, ctx: &Context<'_>, expected: Option<Revision>) -> Result<bool> {
        let by = decider(ctx.caller()?);
        let approval = &self.running.approval;
        let effect = approval
            .clone()
            .decide(Verdict::Approve, by, &self.people.team, ctx.now);
        if effect == Ok(DecisionEffect::Repeated) {
            return Ok(true);
        }
        Ok(match expected {
            None => (0..approval.stage).any(|stage| approval.has_voted_in(stage, by)),
            Some(expected) => {
                let last = approval.stage.checked_sub(1);
                expected.next() == self.running.revision
                    && last.is_some_and(|stage| approval.has_voted_in(stage, by))
            }
        })
    }

    /// Decides the current stage. Refuses (403) a caller who may not decide it, and the approval by an
    /// author of the piece if the rule forbids it.
    pub fn decide(self, ctx: &Context<'_>, verdict: Verdict) -> Result<AllowedDecision> {
        let caller = ctx.caller()?;
        let by = decider(caller);
        let mut after = self.running.clone();
        let entitlement = after.approval.entitlement(by, &self.people.team);
        if entitlement == Some(Entitlement::Admin) && caller.effective_level() < Level::Admin {
            return Err(self.refuse(NotAllowed::NotDecider));
        }
        let effect = after
            .approval
            .decide(verdict, by, &self.people.team, ctx.now)
            .map_err(|why| self.refuse(why))?;
        Ok(AllowedDecision {
            before: self.running,
            people: self.people,
            after,
            effect,
            entitlement,
        })
    }

    fn refuse(&self, why: NotAllowed) -> Error {
        let waits = describe_waiting(&self.running, &self.people);
        match (why, self.running.approval.current()) {
            (NotAllowed::NotDecider, Some(stage)) => Error::new(NOT_YOUR_STAGE).because(format!(
                "A peça está na etapa “{}” e espera por: {waits}.",
                stage.name
            )),
            (NotAllowed::NotDecider, None) => Error::new(NOT_YOUR_STAGE),
            (NotAllowed::OwnPiece, Some(stage)) => Error::new(OWN_PIECE).because(format!(
                "Você criou ou enviou esta peça, e ninguém aprova a própria. Ela está na etapa \
                 “{}” e espera por: {waits}.",
                stage.name
            )),
            (NotAllowed::OwnPiece, None) => Error::new(OWN_PIECE)
                .because("Você criou ou enviou esta peça, e ninguém aprova a própria."),
        }
    }
}

impl AllowedDecision {
    /// Returns true if the piece stays in approval after this decision.
    pub fn keeps_waiting(&self) -> bool {
        matches!(
            self.effect,
            DecisionEffect::Waits | DecisionEffect::Next | DecisionEffect::Repeated
        )
    }

    /// Returns the names of the people who have already approved the piece, without the caller, as in
    /// `Ana, Bia (convidado)`. Returns `None` if nobody else has approved it.
    pub fn earlier_approvers(&self, caller: &Principal) -> Option<String> {
        let own = Voter::from(decider(caller));
        let votes = self.before.approval.votes.iter().zip(&self.before.names);
        let others = votes.filter(|(vote, _)| vote.voter != own);
        let mut names: Vec<String> = others
            .map(|(vote, name)| match (&vote.voter, name) {
                (Voter::Guest, Some(name)) => format!("{name} ({GUEST})"),
                (_, name) => name.clone().unwrap_or_else(|| GUEST.to_owned()),
            })
            .collect();
        names.sort_unstable();
        names.dedup();
        (!names.is_empty()).then(|| names.join(", "))
    }

    /// Returns the notes about the decision for the history, besides the changed fields.
    pub fn notes(&self, decision: &str) -> Map<String, Value> {
        let note =
            |before: Option<&str>, after: Option<&str>| json!({ "before": before, "after": after });
        let mut notes = Map::new();
        let Some(stage) = self.before.approval.current() else {
            return notes;
        };
        notes.insert("decision".into(), note(None, Some(decision)));
        let next = self.after.approval.current();
        let next = next.filter(|_| self.keeps_waiting());
        let next = next.map(|stage| stage.name.as_str());
        notes.insert("stage".into(), note(Some(&stage.name), next));
        let role = match self.entitlement {
            Some(Entitlement::Admin) => Some("admin"),
            Some(Entitlement::Escalated) => Some("escalada"),
            Some(Entitlement::Substitute) => Some("substituição"),
            Some(Entitlement::Named) | None => None,
        };
        if let Some(role) = role {
            notes.insert("decided_as".into(), note(None, Some(role)));
        }
        notes
    }

    /// Stores the new state of the approval in the transaction that has saved the piece, and returns its
    /// view. Returns `None` if the piece has left the approval, because its approval is already deleted.
    pub async fn store(
        self,
        ctx: &Context<'_>,
        read: &Event,
        saved: &Event,
    ) -> Result<Option<ApprovalView>> {
        if !self.keeps_waiting() {
            return Ok(None);
        }
        let (db, caller) = (ctx.db(), ctx.caller()?);
        let mut running = self.after;
        let approval = &running.approval;
        for vote in approval.votes.iter().skip(running.names.len()) {
            approvals::insert_vote(&db, &saved.id, vote, saved.api_revision).await?;
        }
        if self.effect == DecisionEffect::Next {
            approvals::enter_stage(&db, &saved.id, approval, saved.api_revision).await?;
        }
        let votes = running.approval.votes.len();
        let guest = caller.guest().map(|guest| &guest.name);
        let name = Some(guest.unwrap_or(&caller.member.name).clone());
        running.names.resize(votes, name);
        running.vote_revisions.resize(votes, saved.api_revision);
        if read.description != saved.description {
            running.content_revision = Some(saved.api_revision);
        }
        Ok(ApprovalView::from_running(&running, &self.people, caller))
    }
}
