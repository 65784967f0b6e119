//! Finds the approval rule that applies to a piece, and refuses changes after which a different rule
//! would apply.

use std::collections::BTreeSet;

use domain::{
    Event, EventId, EventStatus, MemberId, ProjectId,
    approval::{Approval, PieceFacts, Plan, Rules},
    channels::is_same_channel,
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

/// Loads the current approval rules. An invalid stored value, from before values were checked, counts as
/// no rules.
pub(crate) async fn load_rules(db: &Conn<'_>) -> Result<Rules> {
    let Some(value) = config::find_current_value(db, Rules::KEY).await? else {
        return Ok(Rules::default());
    };
    let reading = Rules::parse_rules(&serde_json::from_str(&value)?);
    if reading.faults.is_empty() {
        return Ok(reading.rules);
    }
    tracing::warn!("a configuração `aprovacao` é inválida e não vale");
    Ok(Rules::default())
}

/// Refuses (409) to link events to a project or to unlink them from it, if a different approval rule
/// would then apply to one of these events that is in approval or approved. The database still contains
/// the earlier links of the project; `links` are its new links.
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
    // Locks the events, so that a concurrent submission happens either before or after this change.
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

/// Returns the projects that the rules name.
fn named_projects(rules: &Rules) -> BTreeSet<ProjectId> {
    let named = rules.rules.iter().flat_map(|rule| &rule.projects);
    named.cloned().collect()
}

/// Finds the approval plan of a piece; `None` if no rule applies to the piece.
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

/// Finds the approvals in which the changed variants of these approved pieces wait, in the order of the
/// pieces. Each approval is at the last stage of the plan of its piece. `None` means that no rule
/// applies to the piece, so everybody with `approve` may decide.
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

/// Finds the approval plans of these pieces, in the order of the pieces. Each piece is given with its
/// authors.
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

/// Finds the approval plan of a piece that is linked to the projects `linked`; `None` if no rule
/// applies. `linked` needs only the projects that the rules name.
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
    rules.plan_for(piece, authors, is_same_channel)
}
