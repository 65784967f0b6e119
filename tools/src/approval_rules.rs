//! The rules of approval that apply to a piece, and the changes that would apply another one.

use std::collections::BTreeSet;

use domain::{
    Event, EventId, EventStatus, MemberId, ProjectId,
    approval::{Approval, PieceFacts, Plan, Rules},
    time::Millis,
    variant::Variant,
};
use gateway::{Code, Context, Error, Result};
use store::{Conn, config, events, projects};

pub const RULE_WOULD_CHANGE: Code = Code::new(
    "RULE_WOULD_CHANGE",
    409,
    "Com outro canal, tipo ou projeto, a peça passaria por outras etapas de aprovação.",
)
.with_next_step("Reabra a peça com `reopen_event`, mude-a e envie de novo.");

/// The current rules. A value from before the rules existed may be invalid, and counts as none.
pub(crate) async fn load_rules(db: &Conn<'_>) -> Result<Rules> {
    let Some(value) = config::find_current_value(db, Rules::KEY).await? else {
        return Ok(Rules::default());
    };
    let reading = Rules::read(&serde_json::from_str(&value)?);
    if reading.faults.is_empty() {
        return Ok(reading.rules);
    }
    tracing::warn!("a configuração `aprovacao` é inválida e não vale");
    Ok(Rules::default())
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
    let rules = load_rules(&ctx.db()).await?;
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

pub(crate) fn is_submitted(event: &Event) -> bool {
    [EventStatus::InApproval, EventStatus::Approved].contains(&event.status)
}

/// The projects that a rule names.
fn named_projects(rules: &Rules) -> BTreeSet<ProjectId> {
    let named = rules.rules.iter().flat_map(|rule| &rule.projects);
    named.cloned().collect()
}

/// The plan of the rule that applies to a piece, if any does.
pub(crate) async fn find_plan(
    ctx: &Context<'_>,
    rules: &Rules,
    event: &Event,
    authors: BTreeSet<MemberId>,
) -> Result<Option<Plan>> {
    let named = named_projects(rules);
    let linked = projects::find_linked(&ctx.db(), &named, &event.id).await?;
    Ok(find_plan_with(rules, event, authors, &linked))
}

/// The approvals in which the changed variants of these approved pieces wait, in the same order; `None`
/// where no rule applies, so that everybody with `approve` decides. A changed variant is decided by those
/// who decide the last stage.
pub(crate) async fn find_approvals_of_changes(
    db: &Conn<'_>,
    rules: &Rules,
    pieces: &[(Event, Vec<Variant>)],
    now: Millis,
) -> Result<Vec<Option<Approval>>> {
    let with_authors = pieces.iter().map(|(piece, changed)| {
        let authors = changed.iter().map(|variant| variant.changed_by.clone());
        (piece, authors.chain([piece.created_by.clone()]).collect())
    });
    let plans = find_plans(db, rules, with_authors.collect()).await?;
    let plans = plans.into_iter();
    Ok(plans
        .map(|plan| plan.map(|plan| Approval::at_last_stage(plan, now)))
        .collect())
}

/// The plans of these pieces, each with its authors, in the same order.
async fn find_plans(
    db: &Conn<'_>,
    rules: &Rules,
    pieces: Vec<(&Event, BTreeSet<MemberId>)>,
) -> Result<Vec<Option<Plan>>> {
    let ids = pieces.iter().map(|(piece, _)| &piece.id).collect();
    let mut linked = projects::find_all_linked(db, &named_projects(rules), &ids).await?;
    let plans = pieces.into_iter().map(|(piece, authors)| {
        let linked = linked.remove(&piece.id).unwrap_or_default();
        find_plan_with(rules, piece, authors, &linked)
    });
    Ok(plans.collect())
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
