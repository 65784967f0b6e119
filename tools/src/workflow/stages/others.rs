//! The pieces that do not wait for the caller.

use super::people::People;
use domain::EventId;
use gateway::{Context, Result};
use store::approvals;

/// The pieces in approval whose current stage waits for others.
pub(in crate::workflow) async fn list_waiting_for_others(
    ctx: &Context<'_>,
) -> Result<Vec<EventId>> {
    let running = approvals::load_all(&ctx.db()).await?;
    if running.is_empty() {
        return Ok(vec![]);
    }
    let me = &ctx.caller()?.member.id;
    let people = People::load(&ctx.db()).await?;
    let others = running.into_iter();
    let others = others.filter(|one| !one.approval.waits_for_member(me, &people.team));
    Ok(others.map(|one| one.event_id).collect())
}
