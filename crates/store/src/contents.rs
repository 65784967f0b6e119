//! Stored contents: claims on them, and the removal of unreferenced ones.
//!
//! A call that releases the last claim of a content without a row removes the content. So a refusal
//! of one caller never removes what another has just stored, and contents that a killed process
//! left are known and removed later.

use super::Conn;
use crate::Result;
use domain::time::{Millis, SECOND};

/// After this time another process may claim a content whose removal has not finished.
const REMOVAL: Millis = 300 * SECOND;

/// Claims a content before it is written and referred to. `false` while it is being removed.
pub async fn claim(db: &Conn<'_>, sha256: &str, now: Millis) -> Result<bool> {
    let sql = "INSERT INTO contents (sha256, claims, removing, touched_at)
        VALUES ($1, 1, FALSE, $2)
        ON CONFLICT (sha256) DO UPDATE SET claims = contents.claims + 1, removing = FALSE,
            touched_at = excluded.touched_at
        WHERE NOT contents.removing OR contents.touched_at < $3";
    let values = [sha256.into(), now.into(), (now - REMOVAL).into()];
    Ok(db.run(sql, values).await? > 0)
}

/// Releases a claim. `true` when nothing refers to the content and no claim is left: the content is
/// then marked, and the caller must remove it after the commit.
pub async fn release(db: &Conn<'_>, sha256: &str, now: Millis) -> Result<bool> {
    // This locks the row, so that concurrent releases of the same content wait.
    let sql = "UPDATE contents SET claims = claims - 1 WHERE sha256 = $1 AND claims > 0";
    db.run(sql, [sha256.into()]).await?;
    mark(db, sha256, now).await
}

/// Releases claims that a crashed process left behind; otherwise like [`release`].
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

/// Deletes the row of a removed content, unless it was claimed again.
pub async fn forget(db: &Conn<'_>, sha256: &str) -> Result<()> {
    let sql = "DELETE FROM contents WHERE sha256 = $1 AND removing";
    db.run(sql, [sha256.into()]).await?;
    Ok(())
}

/// Makes a content claimable again after its removal failed. The sweep removes it later.
pub async fn spare(db: &Conn<'_>, sha256: &str) -> Result<()> {
    let sql = "UPDATE contents SET removing = FALSE WHERE sha256 = $1 AND removing";
    db.run(sql, [sha256.into()]).await?;
    Ok(())
}

/// Unreferenced contents that have not changed since `before`, oldest first.
pub async fn unused(db: &Conn<'_>, before: Millis, limit: i64) -> Result<Vec<String>> {
    let sql = "SELECT sha256 FROM contents WHERE touched_at < $1
        AND NOT EXISTS (SELECT 1 FROM media WHERE media.sha256 = contents.sha256)
        ORDER BY touched_at LIMIT $2";
    let rows = db.all(sql, [before.into(), limit.into()]).await?;
    let names = rows.iter().map(|row| row.try_get("", "sha256"));
    Ok(names.collect::<Result<_, _>>()?)
}
