//! Offboarding in projects: removes a former member from projects and from open items.

use domain::{
    MemberId, ProjectId,
    project::{PROJECT_ARCHIVED, ProjectOperation},
    time::Millis,
};
use gateway::{Code, Result};
use store::{Conn, projects};

/// The maximum number of retries of a stale write. After these retries, offboarding fails and is
/// retried as a whole.
const TRIES: usize = 50;

/// Removes the member from all projects that are not archived, and from the open items of these
/// projects. Each changed project gets one line of history.
///
/// The caller must have locked the row of the member, who is no longer active, so that no other call
/// can assign the member at the same time.
pub(crate) async fn remove_former_member(
    db: &Conn<'_>,
    member_id: &MemberId,
    actor: &MemberId,
    now: Millis,
) -> Result<()> {
    let operation = ProjectOperation::RemoveMember {
        member_id: member_id.clone(),
    };
    for id in projects::list_mentioning(db, member_id).await? {
        let mut tries = 0..TRIES;
        loop {
            match apply_removal(db, &id, &operation, actor, now).await {
                Err(error) if error.code == Code::STALE_REVISION && tries.next().is_some() => {}
                // The project was archived meanwhile. Archived projects do not change.
                Err(error) if error.code == PROJECT_ARCHIVED => break,
                ended => {
                    ended?;
                    break;
                }
            }
        }
    }
    Ok(())
}

async fn apply_removal(
    db: &Conn<'_>,
    id: &ProjectId,
    operation: &ProjectOperation,
    actor: &MemberId,
    now: Millis,
) -> Result<()> {
    let mut stored = projects::require(db, id).await?;
    if stored.project.apply(operation)? != domain::project::Touched::Nothing {
        projects::save(db, &mut stored, operation, actor, now).await?;
    }
    Ok(())
}
