//! Reads the outbox for jobs: in batches, in the order of the commits.

use domain::EventId;
use gateway::{Result, jobs::JobContext};
use store::outbox::{self, OutboxEntry};

use crate::visibility::EVENT;

/// The maximum number of outbox rows in a batch.
const BATCH: i64 = 250;

/// A batch of outbox rows that a reader has not read yet.
pub(crate) struct OutboxBatch {
    pub entries: Vec<OutboxEntry>,
    /// The position of the reader before these rows.
    pub before: i64,
    /// The position of the last row.
    pub last: i64,
}

/// Reads the next batch for a reader; `None` if no rows are left. No transaction is open afterwards, so
/// the reader must lock its progress and compare it with `before` when it writes.
pub(crate) async fn read_batch(ctx: &JobContext, reader: &str) -> Result<Option<OutboxBatch>> {
    let services = ctx.services();
    let db = services.db.reader();
    if outbox::has_unordered(&db).await? {
        let tx = services.db.begin().await?;
        outbox::assign_positions(&tx.conn(), BATCH).await?;
        ctx.commit(tx).await?;
    }
    let before = outbox::find_progress(&db, reader).await?;
    let entries = outbox::list_after(&db, before, BATCH).await?;
    let last = entries.last().map(|entry| entry.position);
    Ok(last.map(|last| OutboxBatch {
        entries,
        before,
        last,
    }))
}

/// Returns the id of the piece that the row is about, or that contains the resource of the row.
pub(crate) fn find_piece_id(entry: &OutboxEntry) -> Option<EventId> {
    match entry.resource_kind == EVENT.kind {
        true => Some(entry.resource_id.as_str().into()),
        false => Some(entry.facts.get("event_id")?.as_str()?.into()),
    }
}
