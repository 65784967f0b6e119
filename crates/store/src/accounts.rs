//! Embedded accounts (passwords, invitations, signing keys) and sessions.

mod resets;
mod sessions;

pub use resets::{Reset, consume_reset, delete_resets, find_reset, issue_reset};
pub use sessions::{
    Family, KEPT as SESSIONS_KEPT, Session, end_sessions, find_session, open_family, revoke_family,
    revoke_other_families,
};

use entity::{account, signing_key};
use sea_orm::{EntityTrait, QueryOrder};

use super::{
    Bind, Conn, columns, known_networks,
    members::{self, Member},
};
use crate::Result;
use domain::{SessionId, UserId, time::Millis};
use ports::Invitation;

pub async fn list_signing_keys(db: &Conn<'_>) -> Result<Vec<signing_key::Model>> {
    let query = signing_key::Entity::find().order_by_asc(signing_key::Column::CreatedAt);
    Ok(query.all(db).await?)
}

const FIRST_KEY: &str = "
INSERT INTO signing_keys (kid, sealed_private_key, public_jwk, created_at)
SELECT $1, $2, $3, $4 FROM team WHERE id = 1 AND NOT EXISTS (SELECT 1 FROM signing_keys)";

/// Stores the installation's first signing key, unless another instance has already stored one.
pub async fn insert_first_signing_key(
    db: &Conn<'_>,
    kid: &str,
    sealed: &str,
    jwk: &str,
    now: Millis,
) -> Result<()> {
    super::members::lock_team(db).await?;
    db.run(
        FIRST_KEY,
        [kid.into(), sealed.into(), jwk.into(), now.into()],
    )
    .await?;
    Ok(())
}

/// Replaces the encrypted private key if it still equals `from`. Returns whether the key was
/// replaced.
pub async fn reseal_signing_key(db: &Conn<'_>, kid: &str, from: &str, to: &str) -> Result<bool> {
    let sql = "UPDATE signing_keys SET sealed_private_key = $1
               WHERE kid = $2 AND sealed_private_key = $3";
    Ok(db.run(sql, [to, kid, from].map(Into::into)).await? > 0)
}

/// Creates the account if it does not exist.
pub async fn create_account_if_absent(db: &Conn<'_>, user_id: &UserId, now: Millis) -> Result<()> {
    let sql = "INSERT INTO accounts (user_id, password_hash, updated_at) VALUES ($1, NULL, $2)
               ON CONFLICT (user_id) DO NOTHING";
    db.run(sql, [user_id.value(), now.into()]).await?;
    Ok(())
}

pub async fn find_password_hash(db: &Conn<'_>, user_id: &UserId) -> Result<Option<String>> {
    let row = account::Entity::find_by_id(user_id.as_str())
        .one(db)
        .await?;
    Ok(row.and_then(|row| row.password_hash))
}

/// A member with the hash of their password.
pub struct Credentials {
    pub member: Member,
    password_hash: Option<String>,
}

impl Credentials {
    /// Returns the password hash to verify a sign-in against; `None` for former members.
    #[must_use]
    pub fn usable_hash(&self) -> Option<String> {
        self.password_hash.clone().filter(|_| self.member.active)
    }
}

const CREDENTIALS: &str = "
SELECT m.*, a.password_hash AS a_password_hash
FROM members m LEFT JOIN accounts a ON a.user_id = m.user_id
WHERE m.email = $1";

/// Finds an account by e-mail with one indexed query, so that existing and missing accounts take
/// the same time.
pub async fn find_credentials(db: &Conn<'_>, email: &str) -> Result<Option<Credentials>> {
    let Some(row) = db.fetch_one(CREDENTIALS, [email.into()]).await? else {
        return Ok(None);
    };
    Ok(Some(Credentials {
        password_hash: row.try_get("a_", "password_hash")?,
        member: members::read_row(&row, "")?,
    }))
}

/// Sets or removes the password. Deletes the open invitation, the link to reset the password and the
/// known networks of the account.
pub async fn set_password(
    db: &Conn<'_>,
    user_id: &UserId,
    hash: Option<&str>,
    now: Millis,
) -> Result<()> {
    let sql = "UPDATE accounts SET password_hash = $2, updated_at = $3 WHERE user_id = $1";
    db.run(sql, [user_id.value(), hash.into(), now.into()])
        .await?;
    db.run("DELETE FROM invites WHERE user_id = $1", [user_id.value()])
        .await?;
    delete_resets(db, user_id).await?;
    known_networks::delete_all(db, user_id).await
}

/// Stores an invitation and invalidates an earlier one.
pub async fn issue_invite(
    db: &Conn<'_>,
    user_id: &UserId,
    invitation: &Invitation,
    now: Millis,
) -> Result<()> {
    db.run("DELETE FROM invites WHERE user_id = $1", [user_id.value()])
        .await?;
    let sql = "INSERT INTO invites (token_sha256, user_id, created_at, expires_at)
               VALUES ($1, $2, $3, $4)";
    let values = [
        invitation.token_sha256.as_str().into(),
        user_id.value(),
        now.into(),
        invitation.expires_at.into(),
    ];
    db.run(sql, values).await?;
    Ok(())
}

/// An invitation that may be redeemed.
pub struct Invite {
    pub user_id: UserId,
    pub expires_at: Millis,
}

columns!(Invite {
    user_id,
    expires_at
});

pub async fn find_invite(db: &Conn<'_>, token_sha256: &str) -> Result<Option<Invite>> {
    let sql = "SELECT user_id, expires_at FROM invites WHERE token_sha256 = $1";
    let row = db.fetch_one(sql, [token_sha256.into()]).await?;
    Ok(row.map(|row| row.read()).transpose()?)
}

/// Deletes an invitation. Returns `false` if another caller has already used it.
pub async fn consume_invite(db: &Conn<'_>, token_sha256: &str) -> Result<bool> {
    let sql = "DELETE FROM invites WHERE token_sha256 = $1";
    Ok(db.run(sql, [token_sha256.into()]).await? == 1)
}

pub async fn insert_refresh_token(
    db: &Conn<'_>,
    token_sha256: &str,
    family_id: &SessionId,
    now: Millis,
    expires_at: Millis,
) -> Result<()> {
    let sql = "INSERT INTO refresh_tokens (token_sha256, family_id, created_at, expires_at)
               VALUES ($1, $2, $3, $4)";
    db.run(
        sql,
        [
            token_sha256.into(),
            family_id.value(),
            now.into(),
            expires_at.into(),
        ],
    )
    .await?;
    Ok(())
}

/// A stored refresh token, with the session family that it belongs to.
pub struct Refresh {
    pub family_id: SessionId,
    pub user_id: UserId,
    pub expires_at: Millis,
    pub used_at: Option<Millis>,
    pub family_revoked: bool,
}

const REFRESH: &str = "
SELECT r.family_id, r.expires_at, r.used_at, f.user_id AS f_user_id, f.revoked_at AS f_revoked_at
FROM refresh_tokens r JOIN session_families f ON f.id = r.family_id
WHERE r.token_sha256 = $1";

pub async fn find_refresh_token(db: &Conn<'_>, token_sha256: &str) -> Result<Option<Refresh>> {
    let Some(row) = db.fetch_one(REFRESH, [token_sha256.into()]).await? else {
        return Ok(None);
    };
    let revoked_at: Option<Millis> = row.try_get("f_", "revoked_at")?;
    Ok(Some(Refresh {
        family_id: row.try_get("", "family_id")?,
        expires_at: row.try_get("", "expires_at")?,
        used_at: row.try_get("", "used_at")?,
        user_id: row.try_get("f_", "user_id")?,
        family_revoked: revoked_at.is_some(),
    }))
}

/// Marks a refresh token as used. Returns `false` if it was used before.
pub async fn mark_refresh_token_used(
    db: &Conn<'_>,
    token_sha256: &str,
    now: Millis,
) -> Result<bool> {
    let sql = "UPDATE refresh_tokens SET used_at = $2
               WHERE token_sha256 = $1 AND used_at IS NULL";
    Ok(db.run(sql, [token_sha256.into(), now.into()]).await? == 1)
}

/// Deletes expired refresh tokens, invitations and known networks, and old sessions without a
/// refresh token.
pub async fn delete_expired(db: &Conn<'_>, now: Millis) -> Result<()> {
    db.run(
        "DELETE FROM refresh_tokens WHERE expires_at <= $1",
        [now.into()],
    )
    .await?;
    sessions::delete_old_sessions(db, now).await?;
    db.run("DELETE FROM invites WHERE expires_at <= $1", [now.into()])
        .await?;
    resets::delete_expired(db, now).await?;
    known_networks::delete_expired(db, now).await
}
