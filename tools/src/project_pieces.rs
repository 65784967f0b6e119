//! The pieces of a project.

use domain::{EventId, ProjectId, project::ProjectStatus};
use gateway::Result;
use store::{Conn, projects};

/// Loads the ids of the events that the items of an active project link, without duplicates. The list
/// is empty if the project does not exist or is not active.
pub(crate) async fn load_project_event_ids(db: &Conn<'_>, id: &ProjectId) -> Result<Vec<EventId>> {
    let Some(stored) = projects::find(db, id).await? else {
        return Ok(vec![]);
    };
    if stored.project.status != ProjectStatus::Active {
        return Ok(vec![]);
    }
    let sections = stored.project.sections.into_iter();
    let items = sections.flat_map(|section| section.items);
    let mut ids: Vec<EventId> = items.flat_map(|item| item.event_ids).collect();
    ids.sort_unstable();
    ids.dedup();
    Ok(ids)
}
