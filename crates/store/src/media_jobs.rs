//! Events for which media are being generated. The row left by a crashed process expires with its
//! lease.

use super::{Bind, Conn};
use crate::Result;
use domain::{EventId, MediaJobId, time::Millis};

pub async fn insert(
    db: &Conn<'_>,
    id: &MediaJobId,
    event_id: &EventId,
    lease_until: Millis,
) -> Result<()> {
    let sql = "INSERT INTO media_jobs (id, event_id, lease_until) VALUES ($1, $2, $3)";
    db.run(sql, [id.value(), event_id.value(), lease_until.into()])
        .await?;
    Ok(())
}

pub async fn delete(db: &Conn<'_>, id: &MediaJobId) -> Result<()> {
    db.run("DELETE FROM media_jobs WHERE id = $1", [id.value()])
        .await?;
    Ok(())
}

const ANY: &str = "
SELECT 1 AS one FROM media_jobs WHERE event_id = $1 AND lease_until > $2
UNION ALL SELECT 1 AS one FROM videos WHERE event_id = $1
    AND state IN ('queued', 'submitting', 'in_progress', 'storing')
LIMIT 1";

/// Returns whether images or videos are being generated for the event.
pub async fn is_any_job_running(db: &Conn<'_>, event_id: &EventId, now: Millis) -> Result<bool> {
    Ok(db
        .fetch_one(ANY, [event_id.value(), now.into()])
        .await?
        .is_some())
}

/// Deletes rows with an expired lease.
pub async fn delete_expired(db: &Conn<'_>, now: Millis) -> Result<()> {
    db.run(
        "DELETE FROM media_jobs WHERE lease_until <= $1",
        [now.into()],
    )
    .await?;
    Ok(())
}
