//! Begins the approval of a submitted piece.

use std::collections::BTreeSet;

use super::configuration::load_rules;
use domain::{
    Event,
    approval::{Approval, PieceFacts},
};
use gateway::{Context, Result};
use store::{approvals, events, projects};

/// Stores the plan of a piece that the caller has just submitted, if a rule applies to it.
pub(in crate::workflow) async fn begin_approval(ctx: &Context<'_>, event: &Event) -> Result<()> {
    let rules = load_rules(ctx).await?;
    let db = ctx.db();
    let named = rules.rules.iter().flat_map(|rule| &rule.projects);
    let named: BTreeSet<_> = named.cloned().collect();
    let linked = projects::find_linked(&db, &named, &event.id).await?;
    let piece = PieceFacts {
        channel: &event.channel,
        tag: event.editorial_tag.as_deref(),
        projects: &linked,
    };
    let authors = [&event.created_by, &ctx.caller()?.member.id];
    let authors = authors.into_iter().cloned().collect();
    // Tags are compared like channels, regardless of case and accents.
    let Some(plan) = rules.plan_for(piece, authors, events::is_same_channel) else {
        return Ok(());
    };
    let approval = Approval::begin(plan, ctx.now);
    Ok(approvals::insert(&db, &event.id, &approval, event.api_revision).await?)
}
