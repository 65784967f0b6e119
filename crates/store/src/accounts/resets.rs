//! Links with which members set a new password. Only the hash of a link is stored.

use crate::{Bind, Conn, Result, columns};
use domain::{UserId, time::Millis};

/// A valid link.
pub struct Reset {
    pub user_id: UserId,
    pub expires_at: Millis,
}

columns!(Reset {
    user_id,
    expires_at
});

const ISSUE: &str = "
INSERT INTO password_resets (user_id, token_sha256, created_at, expires_at)
VALUES ($1, $2, $3, $4)";

/// Stores a link. Earlier links stay valid. So a person who requests another link for the same account,
/// or an e-mail that arrives late, does not invalidate the link that the member already has.
pub async fn issue_reset(
    db: &Conn<'_>,
    user_id: &UserId,
    token_sha256: &str,
    now: Millis,
    expires_at: Millis,
) -> Result<()> {
    let values = [
        user_id.value(),
        token_sha256.into(),
        now.into(),
        expires_at.into(),
    ];
    db.run(ISSUE, values).await?;
    Ok(())
}

pub async fn find_reset(db: &Conn<'_>, token_sha256: &str) -> Result<Option<Reset>> {
    let sql = "SELECT user_id, expires_at FROM password_resets WHERE token_sha256 = $1";
    let row = db.fetch_one(sql, [token_sha256.into()]).await?;
    Ok(row.map(|row| row.read()).transpose()?)
}

/// Deletes a link. Returns `false` if another caller has already used it. Setting a new password deletes
/// the other links of the account.
pub async fn consume_reset(db: &Conn<'_>, token_sha256: &str) -> Result<bool> {
    let sql = "DELETE FROM password_resets WHERE token_sha256 = $1";
    Ok(db.run(sql, [token_sha256.into()]).await? == 1)
}

/// Deletes the links of an account.
pub async fn delete_resets(db: &Conn<'_>, user_id: &UserId) -> Result<()> {
    let sql = "DELETE FROM password_resets WHERE user_id = $1";
    db.run(sql, [user_id.value()]).await?;
    Ok(())
}

pub(super) async fn delete_expired(db: &Conn<'_>, now: Millis) -> Result<()> {
    let sql = "DELETE FROM password_resets WHERE expires_at <= $1";
    db.run(sql, [now.into()]).await?;
    Ok(())
}
