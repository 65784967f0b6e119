//! Contents in the storage: which are claimed, and which nothing refers to.
//!
//! A call that releases the last claim of a content without a row removes the content. So a refusal
//! of one caller never removes what another has just stored, and contents that a killed process
//! left are known and removed later.

use super::Conn;
use crate::Result;
use domain::time::{Millis, SECOND};

/// How long a removal may take before another process may claim the content.
const REMOVAL: Millis = 300 * SECOND;

/// Says that the content is about to be written and referred to. `false` while it is being
/// removed.
pub async fn claim(db: &Conn<'_>, sha256: &str, now: Millis) -> Result<bool> {
    let sql = "INSERT INTO contents (sha256, claims, removing, touched_at)
        VALUES ($1, 1, FALSE, $2)
        ON CONFLICT (sha256) DO UPDATE SET claims = contents.claims + 1, removing = FALSE,
            touched_at = excluded.touched_at
        WHERE NOT contents.removing OR contents.touched_at < $3";
    let values = [sha256.into(), now.into(), (now - REMOVAL).into()];
    Ok(db.run(sql, values).await? > 0)
}

/// Ends a claim. `true` when nothing refers to the content and nobody claims it: it is
/// then marked, and the caller's to remove once this is committed.
pub async fn release(db: &Conn<'_>, sha256: &str, now: Millis) -> Result<bool> {
    // This locks the row, so that others who release the same content wait.
    let sql = "UPDATE contents SET claims = claims - 1 WHERE sha256 = $1 AND claims > 0";
    db.run(sql, [sha256.into()]).await?;
    mark(db, sha256, now).await
}

/// The same for claims that were never released because their process died.
pub async fn reclaim(db: &Conn<'_>, sha256: &str, now: Millis, before: Millis) -> Result<bool> {
    let sql = "UPDATE contents SET claims = 0 WHERE sha256 = $1 AND touched_at < $2";
    if db.run(sql, [sha256.into(), before.into()]).await? == 0 {
        return Ok(false);
    }
    mark(db, sha256, now).await
}

async fn mark(db: &Conn<'_>, sha256: &str, now: Millis) -> Result<bool> {
    let sql = "UPDATE contents SET removing = TRUE, touched_at = $2
        WHERE sha256 = $1 AND claims = 0
        AND NOT EXISTS (SELECT 1 FROM media WHERE media.sha256 = $1)";
    Ok(db.run(sql, [sha256.into(), now.into()]).await? > 0)
}

/// Deletes the row of a content that was removed from the storage, unless it was claimed again.
pub async fn forget(db: &Conn<'_>, sha256: &str) -> Result<()> {
    let sql = "DELETE FROM contents WHERE sha256 = $1 AND removing";
    db.run(sql, [sha256.into()]).await?;
    Ok(())
}

/// Marks a content that could not be removed as claimable again. The sweep removes it later.
pub async fn spare(db: &Conn<'_>, sha256: &str) -> Result<()> {
    let sql = "UPDATE contents SET removing = FALSE WHERE sha256 = $1 AND removing";
    db.run(sql, [sha256.into()]).await?;
    Ok(())
}

/// Contents that nothing refers to and that have not changed since `before`, oldest first.
pub async fn unused(db: &Conn<'_>, before: Millis, limit: i64) -> Result<Vec<String>> {
    let sql = "SELECT sha256 FROM contents WHERE touched_at < $1
        AND NOT EXISTS (SELECT 1 FROM media WHERE media.sha256 = contents.sha256)
        ORDER BY touched_at LIMIT $2";
    let rows = db.all(sql, [before.into(), limit.into()]).await?;
    let names = rows.iter().map(|row| row.try_get("", "sha256"));
    Ok(names.collect::<Result<_, _>>()?)
}
