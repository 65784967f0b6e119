//! The pieces in approval that wait for the caller.
//!
//! They are read in batches in the order of the agenda, until there are enough of them, so that a
//! page costs the pieces before its end and not all pieces in approval. Their number is counted by
//! groups of pieces in the same state.

use super::people::People;
use domain::{Event, EventId};
use gateway::{Context, Result};
use store::{
    approvals,
    events::{self, Filter},
};

/// Pieces of a batch whose rows are read whole.
const BATCH: i64 = 50;

/// Lists at most `most` events of this filter that wait for the caller, in the order of the agenda.
/// The filter selects pieces in approval.
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
        let others = find_others(ctx, &people, rows.iter().map(|row| &row.id)).await?;
        found.extend(rows.into_iter().filter(|row| !others.contains(&row.id)));
        found.truncate(wanted);
        if is_last || found.len() == wanted {
            return Ok(found);
        }
    }
}

/// Counts the pieces in approval that wait for the caller, up to `most`; `None` if no piece has
/// stages, so that all of them do.
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
    for (approval, pieces) in approvals::count_untouched(&db).await? {
        if approval.waits_for_member(me, &team) {
            counted += pieces;
        }
    }
    for running in approvals::list_touched(&db).await? {
        counted += i64::from(running.approval.waits_for_member(me, &team));
    }
    Ok(Some(counted.min(most)))
}

/// Those of these pieces whose current stage waits for others.
async fn find_others(
    ctx: &Context<'_>,
    people: &People,
    pieces: impl Iterator<Item = &EventId>,
) -> Result<Vec<EventId>> {
    let me = &ctx.caller()?.member.id;
    let running = approvals::load(&ctx.db(), pieces).await?.into_values();
    let others = running.filter(|one| !one.approval.waits_for_member(me, &people.team));
    Ok(others.map(|one| one.event_id).collect())
}
