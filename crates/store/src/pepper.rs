//! The encrypted key of the keyed hash of e-mail addresses.

use crate::{Conn, Result};
use domain::{Error, time::Millis};

pub async fn find(db: &Conn<'_>) -> Result<Option<String>> {
    let row = db
        .fetch_one("SELECT sealed FROM email_pepper WHERE id = 1", [])
        .await?;
    Ok(row.map(|row| row.try_get("", "sealed")).transpose()?)
}

/// Stores the encrypted key, unless one is already stored. Returns the stored one.
pub async fn insert_if_absent(db: &Conn<'_>, sealed: &str, now: Millis) -> Result<String> {
    let sql = "INSERT INTO email_pepper (id, sealed, created_at) VALUES (1, $1, $2)
        ON CONFLICT DO NOTHING";
    db.run(sql, [sealed.into(), now.into()]).await?;
    let kept = find(db).await?;
    Ok(kept.ok_or_else(|| Error::internal("the pepper was not stored"))?)
}
