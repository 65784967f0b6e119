//! Session families: all tokens issued from one sign-in. Browser sessions of a hosted issuer have
//! families too.

use crate::{
    Bind, Conn, Result,
    agents::codes::{self, Unused},
    members::{self, Member},
    push,
};
use domain::{
    SessionId, UserId,
    time::{DAY, Millis},
};

/// How long a session without a refresh token is kept. A browser cookie is valid for at most 7
/// days.
pub const KEPT: Millis = 30 * DAY;

/// The member of a session, and its family if it has one.
pub struct Session {
    pub member: Member,
    pub family: Option<Family>,
}

/// All tokens issued from one sign-in.
pub struct Family {
    pub revoked: bool,
    /// When the person signed in.
    pub opened_at: Millis,
}

const SESSION: &str = "
SELECT m.*, f.revoked_at AS f_revoked_at, f.created_at AS f_created_at
FROM members m LEFT JOIN session_families f ON f.id = $2 AND f.user_id = m.user_id
WHERE m.user_id = $1";

/// Finds a session with one indexed query, because every request with a session runs it.
pub async fn find_session(
    db: &Conn<'_>,
    user_id: &UserId,
    family_id: Option<&SessionId>,
) -> Result<Option<Session>> {
    let family_id = family_id.map(SessionId::as_str);
    let Some(row) = db
        .fetch_one(SESSION, [user_id.value(), family_id.into()])
        .await?
    else {
        return Ok(None);
    };
    let revoked_at: Option<Millis> = row.try_get("f_", "revoked_at")?;
    let opened_at: Option<Millis> = row.try_get("f_", "created_at")?;
    Ok(Some(Session {
        member: members::read_row(&row, "")?,
        family: opened_at.map(|opened_at| Family {
            revoked: revoked_at.is_some(),
            opened_at,
        }),
    }))
}

/// Ends every session of a person, and deletes the unused codes and the devices that receive
/// notifications. Tokens of a hosted issuer are invalid if they were issued before
/// `sessions_valid_after`; embedded sessions are revoked by family.
pub async fn end_sessions(db: &Conn<'_>, user_id: &UserId, now: Millis) -> Result<()> {
    codes::delete_unused(db, Unused::OfUser(user_id)).await?;
    push::delete_devices_of_user(db, user_id, None).await?;
    let sql = "UPDATE members SET sessions_valid_after = $2 WHERE user_id = $1";
    db.run(sql, [user_id.value(), now.into()]).await?;
    let sql = "UPDATE session_families SET revoked_at = $2
               WHERE user_id = $1 AND revoked_at IS NULL";
    db.run(sql, [user_id.value(), now.into()]).await?;
    Ok(())
}

pub async fn open_family(
    db: &Conn<'_>,
    id: &SessionId,
    user_id: &UserId,
    now: Millis,
) -> Result<()> {
    let sql = "INSERT INTO session_families (id, user_id, created_at) VALUES ($1, $2, $3)";
    db.run(sql, [id.value(), user_id.value(), now.into()])
        .await?;
    Ok(())
}

/// Ends a session, and deletes the unused codes that were authorized in it and the devices that were
/// registered in it.
pub async fn revoke_family(db: &Conn<'_>, id: &SessionId, now: Millis) -> Result<()> {
    codes::delete_unused(db, Unused::OfSession(id)).await?;
    push::delete_devices_of_session(db, id).await?;
    let sql = "UPDATE session_families SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL";
    db.run(sql, [id.value(), now.into()]).await?;
    Ok(())
}

/// Ends every session of a person except `kept`. Deletes the unused codes that were authorized in the
/// ended sessions and the devices that were registered in them.
pub async fn revoke_other_families(
    db: &Conn<'_>,
    user_id: &UserId,
    kept: &SessionId,
    now: Millis,
) -> Result<()> {
    codes::delete_unused(db, Unused::OutsideSession(user_id, kept)).await?;
    push::delete_devices_of_user(db, user_id, Some(kept)).await?;
    let sql = "UPDATE session_families SET revoked_at = $3
               WHERE user_id = $1 AND id <> $2 AND revoked_at IS NULL";
    db.run(sql, [user_id.value(), kept.value(), now.into()])
        .await?;
    Ok(())
}

/// Deletes old sessions without a refresh token.
pub(super) async fn delete_old_sessions(db: &Conn<'_>, now: Millis) -> Result<()> {
    let sql = "DELETE FROM session_families WHERE created_at <= $1 AND NOT EXISTS
               (SELECT 1 FROM refresh_tokens r WHERE r.family_id = session_families.id)";
    db.run(sql, [(now - KEPT).into()]).await?;
    Ok(())
}
