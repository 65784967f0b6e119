//! Begins the approval of a submitted piece, and keeps its rule from changing afterwards.

use std::collections::BTreeSet;

use super::{RULE_WOULD_CHANGE, configuration::load_rules};
use domain::{
    Event, EventId, EventStatus, MemberId, ProjectId,
    approval::{Approval, PieceFacts, Plan, Rules},
};
use gateway::{Context, Error, Result};
use store::{approvals, events, projects};

/// Stores the plan of a piece that the caller has just submitted, if a rule applies to it.
pub(in crate::workflow) async fn begin_approval(ctx: &Context<'_>, event: &Event) -> Result<()> {
    let rules = load_rules(ctx).await?;
    let authors = [&event.created_by, &ctx.caller()?.member.id];
    let authors = authors.into_iter().cloned().collect();
    let Some(plan) = find_plan(ctx, &rules, event, authors).await? else {
        return Ok(());
    };
    let approval = Approval::begin(plan, ctx.now);
    Ok(approvals::insert(&ctx.db(), &event.id, &approval, event.api_revision).await?)
}

/// Refuses (409) a change of channel or tag of a submitted or approved piece if another rule would
/// apply to it: its stages would not have been asked.
pub(in crate::workflow) async fn require_same_rule(
    ctx: &Context<'_>,
    before: &Event,
    after: &Event,
) -> Result<()> {
    let decides_rule = |event: &Event| (event.channel.clone(), event.editorial_tag.clone());
    if !is_submitted(after) || decides_rule(before) == decides_rule(after) {
        return Ok(());
    }
    let rules = load_rules(ctx).await?;
    let one = find_plan(ctx, &rules, before, BTreeSet::new()).await?;
    let other = find_plan(ctx, &rules, after, BTreeSet::new()).await?;
    match one == other {
        true => Ok(()),
        false => Err(Error::new(RULE_WOULD_CHANGE)),
    }
}

/// Refuses (409) to link events to a project, or to unlink them from it, if another rule would apply
/// to a submitted or approved one of them. The project has its earlier links in the database;
/// `links` are its new ones.
pub(crate) async fn require_same_rule_with_links(
    ctx: &Context<'_>,
    project_id: &ProjectId,
    changed: &BTreeSet<&EventId>,
    links: &BTreeSet<EventId>,
) -> Result<()> {
    if changed.is_empty() {
        return Ok(());
    }
    let rules = load_rules(ctx).await?;
    let named = named_projects(&rules);
    if !named.contains(project_id) {
        return Ok(());
    }
    let db = ctx.db();
    // A submission at the same time begins before or after this change.
    events::lock_events(&db, changed.iter().copied()).await?;
    let pieces = events::find_all(&db, changed.iter().copied()).await?;
    let mut linked = projects::find_all_linked(&db, &named, changed).await?;
    for piece in pieces.iter().filter(|piece| is_submitted(piece)) {
        let before = linked.remove(&piece.id).unwrap_or_default();
        let mut after = before.clone();
        match links.contains(&piece.id) {
            true => after.insert(project_id.clone()),
            false => after.remove(project_id),
        };
        let plan = |linked| find_plan_with(&rules, piece, BTreeSet::new(), linked);
        if plan(&before) != plan(&after) {
            return Err(
                Error::new(RULE_WOULD_CHANGE).with_detail("event_id", piece.id.as_str().into())
            );
        }
    }
    Ok(())
}

fn is_submitted(event: &Event) -> bool {
    [EventStatus::InApproval, EventStatus::Approved].contains(&event.status)
}

/// The projects that a rule names.
fn named_projects(rules: &Rules) -> BTreeSet<ProjectId> {
    let named = rules.rules.iter().flat_map(|rule| &rule.projects);
    named.cloned().collect()
}

/// The plan of the rule that applies to a piece, if any does.
async fn find_plan(
    ctx: &Context<'_>,
    rules: &Rules,
    event: &Event,
    authors: BTreeSet<MemberId>,
) -> Result<Option<Plan>> {
    let named = named_projects(rules);
    let linked = projects::find_linked(&ctx.db(), &named, &event.id).await?;
    Ok(find_plan_with(rules, event, authors, &linked))
}

/// The same for a piece that is linked to these of the projects that rules name.
fn find_plan_with(
    rules: &Rules,
    event: &Event,
    authors: BTreeSet<MemberId>,
    linked: &BTreeSet<ProjectId>,
) -> Option<Plan> {
    let piece = PieceFacts {
        channel: &event.channel,
        tag: event.editorial_tag.as_deref(),
        projects: linked,
    };
    // Tags are compared like channels, regardless of case and accents.
    rules.plan_for(piece, authors, events::is_same_channel)
}
