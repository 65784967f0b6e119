//! Lists and counts the pieces in approval that wait for the caller.
//!
//! The pieces are read in batches in the order of the agenda, until the page is full. So the cost of a
//! page depends on the pieces before its end and not on all pieces in approval. The count groups
//! pieces whose approvals are in the same state.

use super::people::People;
use domain::{Event, EventId};
use gateway::{Context, Result};
use store::{
    approvals,
    events::{self, Filter},
};

/// The minimum number of pieces in a batch.
const BATCH: i64 = 50;

/// Lists at most `most` events that match this filter and wait for the caller, in the order of the
/// agenda. The filter must select pieces in approval.
pub(in crate::workflow) async fn list_waiting_for_caller(
    ctx: &Context<'_>,
    mut filter: Filter,
    most: i64,
) -> Result<Vec<Event>> {
    let db = ctx.db();
    if !approvals::any_is_running(&db).await? {
        return Ok(events::list(&db, filter, most).await?);
    }
    let people = People::load(&db).await?;
    let (batch, wanted) = (most.max(BATCH), usize::try_from(most).unwrap_or(0));
    let mut found = vec![];
    loop {
        let rows = events::list(&db, filter.clone(), batch).await?;
        let is_last = i64::try_from(rows.len()).unwrap_or(batch) < batch;
        let last = rows.last();
        filter.after = last.map(|last| (last.agenda_sort_key(), last.id.clone()));
        let others = find_waiting_for_others(ctx, &people, rows.iter().map(|row| &row.id)).await?;
        found.extend(rows.into_iter().filter(|row| !others.contains(&row.id)));
        found.truncate(wanted);
        if is_last || found.len() == wanted {
            return Ok(found);
        }
    }
}

/// Counts the pieces in approval that wait for the caller, up to `most`; `None` if no piece has stages,
/// so that all pieces in approval wait for the caller.
pub(in crate::workflow) async fn count_waiting_for_caller(
    ctx: &Context<'_>,
    most: i64,
) -> Result<Option<i64>> {
    let db = ctx.db();
    if !approvals::any_is_running(&db).await? {
        return Ok(None);
    }
    let team = People::load(&db).await?.team;
    let me = &ctx.caller()?.member.id;
    let mut counted = approvals::count_pieces_without(&db, most).await?;
    for (approval, pieces) in approvals::count_without_stage_votes(&db).await? {
        if approval.waits_for_member(me, &team) {
            counted += pieces;
        }
    }
    for running in approvals::list_with_stage_votes(&db).await? {
        counted += i64::from(running.approval.waits_for_member(me, &team));
    }
    Ok(Some(counted.min(most)))
}

/// Returns the ids of the pieces whose current stage does not wait for the caller.
async fn find_waiting_for_others(
    ctx: &Context<'_>,
    people: &People,
    pieces: impl Iterator<Item = &EventId>,
) -> Result<Vec<EventId>> {
    let me = &ctx.caller()?.member.id;
    let running = approvals::load(&ctx.db(), pieces).await?.into_values();
    let others = running.filter(|one| !one.approval.waits_for_member(me, &people.team));
    Ok(others.map(|one| one.event_id).collect())
}
