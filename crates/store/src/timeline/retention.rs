//! Deletion of old events.

use domain::{
    first_id,
    time::{DAY, Millis, Month},
};

use super::partitions;
use crate::{Conn, Result, turns::is_postgres};

/// Deletes old data: events before this instant, which must be the start of a month; sessions without a
/// later event; and counted e-mail deliveries. Returns the number of deleted rows and partitions, which
/// is 0 when no old data remains.
///
/// On PostgreSQL the oldest month of events is dropped as a whole. All other deletions are limited
/// to `batch` rows per call.
pub async fn delete_old_data(db: &Conn<'_>, before: Millis, batch: i64) -> Result<u64> {
    let events = if is_postgres(db) {
        drop_oldest_partition(db, Month::from_instant(before)).await?
    } else {
        let sql = "DELETE FROM timeline_events WHERE (session_id, id) IN (
            SELECT session_id, id FROM timeline_events WHERE occurred_at < $1
            ORDER BY occurred_at LIMIT $2)";
        db.run(sql, [before.into(), batch.into()]).await?
    };
    if events > 0 {
        return Ok(events);
    }
    // An event arrives at most one day after its own time. So the events of a session that ended
    // before `before` arrived before `before + DAY`. Ids are ordered by arrival, so the id of the
    // session is smaller than the first id of that instant.
    let arrived = first_id(before + DAY);
    let sql = "DELETE FROM timeline_sessions WHERE id IN (
        SELECT id FROM timeline_sessions WHERE id < $3 AND last_at < $1 ORDER BY id LIMIT $2)";
    let sessions = db
        .run(sql, [before.into(), batch.into(), arrived.into()])
        .await?;
    if sessions > 0 {
        return Ok(sessions);
    }
    let sql = "DELETE FROM email_deliveries WHERE (message_id, position) IN (
        SELECT message_id, position FROM email_deliveries WHERE occurred_at < $1 AND stale = 0
        ORDER BY occurred_at LIMIT $2)";
    Ok(db.run(sql, [before.into(), batch.into()]).await?)
}

async fn drop_oldest_partition(db: &Conn<'_>, kept: Month) -> Result<u64> {
    let Some(month) = partitions::find_oldest_month(db).await? else {
        return Ok(0);
    };
    if month >= kept {
        return Ok(0);
    }
    // `DROP TABLE` waits for running users of the timeline, such as a long import, and later users
    // wait behind it. After this timeout the job tries again.
    db.run("SET LOCAL lock_timeout = '2s'", []).await?;
    let sql = format!("DROP TABLE {}", partitions::partition_name(month));
    db.run(&sql, []).await?;
    Ok(1)
}
