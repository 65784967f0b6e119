//! Events for which media are being made. The row of a process that died ends with its lease.

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

/// Whether media are being made for the event.
pub async fn any_of(db: &Conn<'_>, event_id: &EventId, now: Millis) -> Result<bool> {
    let sql = "SELECT 1 AS one FROM media_jobs WHERE event_id = $1 AND lease_until > $2 LIMIT 1";
    Ok(db.one(sql, [event_id.value(), now.into()]).await?.is_some())
}

/// Deletes the rows whose lease has ended.
pub async fn sweep(db: &Conn<'_>, now: Millis) -> Result<()> {
    db.run(
        "DELETE FROM media_jobs WHERE lease_until <= $1",
        [now.into()],
    )
    .await?;
    Ok(())
}
