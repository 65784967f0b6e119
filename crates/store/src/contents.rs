//! The contents (bytes) of media in the storage: claims on them, and the removal of unreferenced
//! contents.
//!
//! A call that releases the last claim on a content removes the content if no medium refers to it.
//! So a failed call never removes what another call has just stored, and contents left by a killed
//! process are recorded and removed later.

use super::Conn;
use crate::Result;
use domain::time::{Millis, SECOND};

/// The time after which another process may claim a content whose removal has not finished.
const REMOVAL: Millis = 300 * SECOND;

/// Claims a content before its bytes are written. Returns `false` while the content is being
/// removed.
pub async fn claim_content(db: &Conn<'_>, sha256: &str, now: Millis) -> Result<bool> {
    let sql = "INSERT INTO contents (sha256, claims, removing, touched_at)
        VALUES ($1, 1, FALSE, $2)
        ON CONFLICT (sha256) DO UPDATE SET claims = contents.claims + 1, removing = FALSE,
            touched_at = excluded.touched_at
        WHERE NOT contents.removing OR contents.touched_at < $3";
    let values = [sha256.into(), now.into(), (now - REMOVAL).into()];
    Ok(db.run(sql, values).await? > 0)
}

/// Releases a claim. Returns `true` if no medium, no part of an upload and no other claim refers to the
/// content. The content is then marked as being removed, and the caller must remove its bytes after the
/// commit.
pub async fn release_claim(db: &Conn<'_>, sha256: &str, now: Millis) -> Result<bool> {
    // This locks the row, so that concurrent releases of the same content wait.
    let sql = "UPDATE contents SET claims = claims - 1 WHERE sha256 = $1 AND claims > 0";
    db.run(sql, [sha256.into()]).await?;
    mark_removing_if_unused(db, sha256, now).await
}

/// Releases all claims on a content that has not changed since `before`, because the process that held
/// the claims has crashed. Returns `true` in the same case as [`release_claim`].
pub async fn release_abandoned_claims(
    db: &Conn<'_>,
    sha256: &str,
    now: Millis,
    before: Millis,
) -> Result<bool> {
    let sql = "UPDATE contents SET claims = 0 WHERE sha256 = $1 AND touched_at < $2";
    if db.run(sql, [sha256.into(), before.into()]).await? == 0 {
        return Ok(false);
    }
    mark_removing_if_unused(db, sha256, now).await
}

async fn mark_removing_if_unused(db: &Conn<'_>, sha256: &str, now: Millis) -> Result<bool> {
    let sql = "UPDATE contents SET removing = TRUE, touched_at = $2
        WHERE sha256 = $1 AND claims = 0
        AND NOT EXISTS (SELECT 1 FROM media WHERE media.sha256 = $1)
        AND NOT EXISTS (SELECT 1 FROM upload_parts p WHERE p.sha256 = $1)";
    Ok(db.run(sql, [sha256.into(), now.into()]).await? > 0)
}

/// Deletes the row of a content whose bytes were removed, unless the content was claimed again.
pub async fn delete_removed(db: &Conn<'_>, sha256: &str) -> Result<()> {
    let sql = "DELETE FROM contents WHERE sha256 = $1 AND removing";
    db.run(sql, [sha256.into()]).await?;
    Ok(())
}

/// Makes a content claimable again after the removal of its bytes failed. The sweep retries the
/// removal.
pub async fn cancel_removal(db: &Conn<'_>, sha256: &str) -> Result<()> {
    let sql = "UPDATE contents SET removing = FALSE WHERE sha256 = $1 AND removing";
    db.run(sql, [sha256.into()]).await?;
    Ok(())
}

/// Lists unreferenced contents that have not changed since `before`, oldest first.
pub async fn list_unused(db: &Conn<'_>, before: Millis, limit: i64) -> Result<Vec<String>> {
    let sql = "SELECT sha256 FROM contents WHERE touched_at < $1
        AND NOT EXISTS (SELECT 1 FROM media WHERE media.sha256 = contents.sha256)
        AND NOT EXISTS (SELECT 1 FROM upload_parts p WHERE p.sha256 = contents.sha256)
        ORDER BY touched_at LIMIT $2";
    let rows = db.fetch_all(sql, [before.into(), limit.into()]).await?;
    let names = rows.iter().map(|row| row.try_get("", "sha256"));
    Ok(names.collect::<Result<_, _>>()?)
}
