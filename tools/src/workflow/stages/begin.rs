//! Begins the approval of a submitted piece, and refuses later changes that would apply another rule to
//! the piece.

use std::collections::BTreeSet;

use super::decision::PendingDecision;
use crate::approval_rules::{RULE_WOULD_CHANGE, find_plan, is_submitted, load_rules};
use domain::{
    Event, MemberId,
    approval::{Approval, Verdict},
};
use gateway::{Context, Error, Result};
use store::approvals::{self, Running};

/// Stores the approval of a piece that the caller has just submitted, if a rule applies to the piece.
pub(in crate::workflow) async fn begin_approval(ctx: &Context<'_>, event: &Event) -> Result<()> {
    let rules = load_rules(&ctx.db()).await?;
    let authors = [&event.created_by, &ctx.caller()?.member.id];
    let authors = authors.into_iter().cloned().collect();
    let Some(plan) = find_plan(ctx, &rules, event, authors).await? else {
        return Ok(());
    };
    let approval = Approval::begin(plan, ctx.now);
    Ok(approvals::insert(&ctx.db(), &event.id, &approval, event.api_revision).await?)
}

/// Refuses (403) a caller who may not decide the last stage of the rule that applies to a piece. Also
/// refuses the approval by an author if the rule forbids it. Without a rule everybody with `approve` may
/// decide.
///
/// A changed variant of an approved piece needs only the last stage, because the stages have already
/// approved the rest of the piece.
pub(in crate::workflow) async fn require_last_decider(
    ctx: &Context<'_>,
    event: &Event,
    authors: BTreeSet<MemberId>,
    verdict: Verdict,
) -> Result<()> {
    let rules = load_rules(&ctx.db()).await?;
    let Some(plan) = find_plan(ctx, &rules, event, authors).await? else {
        return Ok(());
    };
    let approval = Approval::at_last_stage(plan, ctx.now);
    let running = Running {
        event_id: event.id.clone(),
        approval,
        revision: event.api_revision,
        content_revision: Some(event.api_revision),
        names: vec![],
        vote_revisions: vec![],
    };
    PendingDecision::from_running(ctx, running)
        .await?
        .decide(ctx, verdict)?;
    Ok(())
}

/// Refuses (409) a change of channel or tag of a submitted or approved piece if another rule would apply
/// to the piece afterwards: the stages of that rule would not have decided about it.
pub(in crate::workflow) async fn require_same_rule(
    ctx: &Context<'_>,
    before: &Event,
    after: &Event,
) -> Result<()> {
    let decides_rule = |event: &Event| (event.channel.clone(), event.editorial_tag.clone());
    if !is_submitted(after) || decides_rule(before) == decides_rule(after) {
        return Ok(());
    }
    let rules = load_rules(&ctx.db()).await?;
    let one = find_plan(ctx, &rules, before, BTreeSet::new()).await?;
    let other = find_plan(ctx, &rules, after, BTreeSet::new()).await?;
    match one == other {
        true => Ok(()),
        false => Err(Error::new(RULE_WOULD_CHANGE)),
    }
}
