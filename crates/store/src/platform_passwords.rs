//! Platforms that have a password, and who set it. The password itself is in the table `secrets`.

use super::{Bind, Conn, columns};
use crate::Result;
use domain::{MemberId, PlatformId, time::Millis};

/// A platform's password, and when and by whom it was set.
#[derive(Debug)]
pub struct PlatformPassword {
    pub updated_at: Millis,
    pub updated_by: MemberId,
    pub updated_by_name: String,
    /// The encrypted password.
    pub sealed: String,
}

columns!(PlatformPassword {
    updated_at,
    updated_by,
    updated_by_name,
    sealed,
});

const FIND: &str = "
SELECT p.updated_at, p.updated_by, m.name AS updated_by_name, s.sealed
FROM platform_passwords p
JOIN members m ON m.id = p.updated_by
JOIN secrets s ON s.purpose = $1 AND s.id = p.platform_id
WHERE p.platform_id = $2";

/// Finds the password of a platform; `purpose` is the purpose of its encryption.
pub async fn find(
    db: &Conn<'_>,
    purpose: &str,
    id: &PlatformId,
) -> Result<Option<PlatformPassword>> {
    let row = db.fetch_one(FIND, [purpose.into(), id.value()]).await?;
    Ok(row.map(|row| row.read()).transpose()?)
}

/// A platform with a password.
#[derive(Debug)]
pub struct Listed {
    pub platform_id: PlatformId,
    pub updated_at: Millis,
    pub updated_by: MemberId,
    pub updated_by_name: String,
}

columns!(Listed {
    platform_id,
    updated_at,
    updated_by,
    updated_by_name,
});

const LIST: &str = "
SELECT p.platform_id, p.updated_at, p.updated_by, m.name AS updated_by_name
FROM platform_passwords p
JOIN members m ON m.id = p.updated_by
WHERE p.platform_id > $1
ORDER BY p.platform_id
LIMIT $2";

/// Lists the platforms with a password by name, after `after`; at most `probe` rows.
pub async fn list(db: &Conn<'_>, after: Option<PlatformId>, probe: i64) -> Result<Vec<Listed>> {
    // Every name sorts after the empty text.
    let after = after.unwrap_or_default();
    let rows = db.fetch_all(LIST, [after.value(), probe.into()]).await?;
    rows.iter().map(|row| Ok(row.read()?)).collect()
}

const PUT: &str = "
INSERT INTO platform_passwords (platform_id, updated_at, updated_by) VALUES ($1, $2, $3)
ON CONFLICT (platform_id) DO UPDATE SET updated_at = excluded.updated_at,
    updated_by = excluded.updated_by";

pub async fn save_update(db: &Conn<'_>, id: &PlatformId, by: &MemberId, now: Millis) -> Result<()> {
    db.run(PUT, [id.value(), now.into(), by.value()]).await?;
    Ok(())
}

/// Deletes a password. Returns whether there was one.
pub async fn delete(db: &Conn<'_>, id: &PlatformId) -> Result<bool> {
    let sql = "DELETE FROM platform_passwords WHERE platform_id = $1";
    Ok(db.run(sql, [id.value()]).await? > 0)
}
