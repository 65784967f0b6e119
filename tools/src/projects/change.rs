//! Checks the references of an operation, applies it to its project, and records it.

use super::{list_project_operations::RecordedOperation, project_view::Changed};
use std::collections::BTreeSet;

use crate::{approval_rules::require_same_rule_with_links, visibility};
use domain::{
    EventId, ItemId, MemberId, ProjectId, Revision, UpdateToken,
    project::{Item, Project, ProjectOperation},
    time::Timestamp,
};
use gateway::{Context, Result};
use serde_json::Value;
use store::{
    members,
    projects::{self, Stored},
};

/// Loads the project if it still has the revision that the caller read.
///
/// Refuses (404) a project that does not exist, and (409) a project that has changed since the caller
/// read it.
pub(super) async fn require_current_project(
    ctx: &Context<'_>,
    id: &ProjectId,
    expected: Revision,
    token: Option<UpdateToken>,
) -> Result<Stored> {
    let db = ctx.db();
    let stored = projects::require(&db, id).await?;
    if stored.revision != expected
        || token.is_some_and(|token| token.instant() != stored.updated_at)
    {
        return Err(projects::load_stale_refusal(&db, &stored.id, expected).await?);
    }
    Ok(stored)
}

/// Applies one operation to the project in memory. Returns the operation in the form for the history,
/// and the changed part of the project; `None` when nothing changed.
pub(super) async fn apply_operation(
    ctx: &Context<'_>,
    stored: &mut Stored,
    operation: ProjectOperation,
) -> Result<Option<(ProjectOperation, Changed)>> {
    let db = ctx.db();
    stored.project.require_referenced(&operation)?;
    require_existing_references(ctx, &stored.project, &operation).await?;
    let mut former = stored.project.reactivated_members(&operation);
    let active = members::lock_active_members(&db, &former).await?;
    former.retain(|id| !active.contains(id));
    let operation = operation.with_new_ids(ctx.now);
    let operation = operation.with_former_members(former.into_iter().collect());
    let touched = stored.project.apply(&operation)?;
    let changed = Changed::load_changed_part(touched, &stored.project, &db).await?;
    Ok(changed.map(|changed| (operation, changed)))
}

/// Removes the notes from an operation in a response, because they are the longest field of a payload.
pub(super) fn remove_notes(operation: &mut Value) {
    if let Some(payload) = operation.get_mut("payload").and_then(Value::as_object_mut) {
        payload.remove("notes");
    }
}

/// Returns the ids of the events that are linked to a project.
pub(super) fn linked_events(stored: &Stored) -> BTreeSet<EventId> {
    stored.project.linked_events().cloned().collect()
}

/// Stores the project and the operation that changed it. `links` are the events that were linked before
/// the operation. Refuses (409) an operation that would apply another approval rule to a submitted
/// piece.
pub(super) async fn save_operation(
    ctx: &Context<'_>,
    stored: &mut Stored,
    operation: &ProjectOperation,
    links: &BTreeSet<EventId>,
) -> Result<RecordedOperation> {
    let now_linked = linked_events(stored);
    let changed = links.symmetric_difference(&now_linked).collect();
    require_same_rule_with_links(ctx, &stored.id, &changed, &now_linked).await?;
    let actor = &ctx.caller()?.member;
    let line = projects::save(&ctx.db(), stored, operation, &actor.id, ctx.now).await?;
    Ok(RecordedOperation {
        id: line.id,
        revision: stored.revision,
        r#type: line.kind,
        payload: line.payload,
        actor_member_id: actor.id.clone(),
        actor_name: Some(actor.name.clone()),
        occurred_at: Timestamp(stored.updated_at),
    })
}

/// Refuses (404) events that the caller may not see, inactive members that the operation would add,
/// and unknown members that it would remove.
async fn require_existing_references(
    ctx: &Context<'_>,
    project: &Project,
    operation: &ProjectOperation,
) -> Result<()> {
    let db = ctx.db();
    match operation {
        ProjectOperation::AddItem {
            assignee_member_ids: Some(ids),
            ..
        } => Ok(members::require_all_active(&db, &ids.0).await?),
        ProjectOperation::AssignItem {
            item_id,
            assignee_member_ids: ids,
        } => {
            let assigned = find_item(project, item_id).map(|item| &item.assignee_member_ids);
            let is_new = |id: &&MemberId| assigned.is_none_or(|ids| !ids.contains(id));
            Ok(members::require_all_active(&db, ids.0.iter().filter(is_new)).await?)
        }
        ProjectOperation::AddMember { member_id } if !project.members.contains(member_id) => {
            Ok(members::require_all_active(&db, [member_id]).await?)
        }
        ProjectOperation::RemoveMember { member_id } if !project.involves_member(member_id) => {
            Ok(members::require(&db, member_id).await.map(drop)?)
        }
        ProjectOperation::LinkEvent { event_id, .. }
        | ProjectOperation::UnlinkEvent { event_id, .. } => {
            visibility::require_event(ctx, event_id).await.map(drop)
        }
        _ => Ok(()),
    }
}

fn find_item<'p>(project: &'p Project, id: &ItemId) -> Option<&'p Item> {
    let (at, place) = project.item_indices(id)?;
    Some(&project.sections[at].items[place])
}
