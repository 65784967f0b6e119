//! Lists the approved pieces with changed variants that wait for the caller.
//!
//! A changed variant is decided by the members who may decide the last stage of the rule that applies to
//! its piece. The rule may depend on the projects of the piece and on the authors of the variants, so
//! the pieces are read in batches in the order of the agenda, like the pieces in approval.

use super::people::People;
use crate::{
    approval_rules::{find_approvals_of_changes, load_rules},
    workflow::{awaiting::Awaiting, filter_page},
};
use domain::{Event, EventStatus, variant::Variant};
use gateway::{Context, Result};
use store::{
    events::{self, Filter},
    variants,
};

/// The minimum number of pieces in a batch when rules must be checked.
const BATCH: i64 = 50;
/// The maximum number of pieces that are read, because each page of the console counts the waiting
/// pieces.
const MOST_READ: i64 = 500;

/// Lists at most `most` pieces that the caller may see and that wait for the caller or, depending on
/// `whose`, for anybody. The pieces are in the order of the agenda, each with its undecided variants. At
/// most [`MOST_READ`] pieces are read; later pieces are missing.
pub(in crate::workflow) async fn list_changed_for_caller(
    ctx: &Context<'_>,
    whose: Awaiting,
    most: i64,
) -> Result<Vec<(Event, Vec<Variant>)>> {
    let db = ctx.db();
    let mut filter = filter_page(ctx, undecided_filter(), None)?;
    let rules = match whose {
        Awaiting::Me => Some(load_rules(&db).await?).filter(|rules| !rules.is_empty()),
        Awaiting::Everyone => None,
    };
    let batch = match rules {
        Some(_) => most.max(BATCH),
        None => most,
    };
    let wanted = usize::try_from(most).unwrap_or(0);
    let (mut people, mut found, mut read) = (None, vec![], 0);
    loop {
        let rows = events::list(&db, filter.clone(), batch).await?;
        let count = i64::try_from(rows.len()).unwrap_or(batch);
        read += count;
        let is_last = count < batch || read >= MOST_READ;
        let last = rows.last();
        filter.after = last.map(|last| (last.agenda_sort_key(), last.id.clone()));
        let mut all = variants::load(&db, rows.iter().map(|row| &row.id)).await?;
        let pieces = rows.into_iter().map(|row| {
            let mut undecided = all.remove(&row.id).unwrap_or_default();
            undecided.retain(Variant::is_undecided);
            (row, undecided)
        });
        let mut pieces: Vec<_> = pieces.collect();
        if let (Some(rules), false) = (&rules, pieces.is_empty()) {
            let team = match &people {
                Some(People { team, .. }) => team,
                None => &people.insert(People::load(&db).await?).team,
            };
            let me = &ctx.caller()?.member.id;
            let approvals = find_approvals_of_changes(&db, rules, &pieces, ctx.now).await?;
            let mut approvals = approvals.into_iter();
            pieces.retain(|_| {
                let approval = approvals.next().flatten();
                approval.is_none_or(|approval| approval.waits_for_member(me, team))
            });
        }
        found.append(&mut pieces);
        found.truncate(wanted);
        if is_last || found.len() == wanted {
            return Ok(found);
        }
    }
}

/// Counts the pieces that wait for the caller, up to `most`. `most` is the number of pieces with changed
/// variants that the caller may see, or a limit.
pub(in crate::workflow) async fn count_changed_for_caller(
    ctx: &Context<'_>,
    most: i64,
) -> Result<i64> {
    if load_rules(&ctx.db()).await?.is_empty() {
        return Ok(most);
    }
    let waiting = list_changed_for_caller(ctx, Awaiting::Me, most).await?;
    Ok(i64::try_from(waiting.len()).unwrap_or(most))
}

fn undecided_filter() -> Filter {
    Filter {
        statuses: vec![EventStatus::Approved],
        with_undecided_variants: true,
        ..Filter::default()
    }
}
