//! IP networks from which accounts have signed in, stored by keyed hash.
//!
//! At most 20 networks per account are stored, each for 90 days after a sign-in or renewal from
//! there. Setting a password deletes all of them, because sign-ins with the old password no longer
//! prove anything; a member who sets their own password keeps the network from which they set it.
//! Offboarding deletes all of them too.

use super::{Bind, Conn};
use crate::Result;
use domain::{
    UserId,
    time::{DAY, Millis},
};

/// How long a network stays known after its last use.
pub const LIFETIME: Millis = 90 * DAY;
/// The maximum number of networks per account; beyond it, the least recently used ones are deleted.
const MOST: i64 = 20;

pub async fn is_known_network(db: &Conn<'_>, network_hmac: &str, now: Millis) -> Result<bool> {
    let sql = "SELECT 1 AS found FROM known_networks
               WHERE network_hmac = $1 AND last_seen_at > $2";
    let row = db.fetch_one(sql, [network_hmac.into(), (now - LIFETIME).into()]);
    Ok(row.await?.is_some())
}

const KEEP: &str = "
INSERT INTO known_networks (network_hmac, user_id, last_seen_at) VALUES ($1, $2, $3)
ON CONFLICT (network_hmac) DO UPDATE SET last_seen_at = excluded.last_seen_at";

const DROP_OLDEST: &str = "
DELETE FROM known_networks WHERE user_id = $1 AND network_hmac NOT IN (
    SELECT network_hmac FROM known_networks WHERE user_id = $1
    ORDER BY last_seen_at DESC, network_hmac LIMIT $2)";

/// Stores a network from which the account has just signed in.
pub async fn insert(
    db: &Conn<'_>,
    user_id: &UserId,
    network_hmac: &str,
    now: Millis,
) -> Result<()> {
    db.run(KEEP, [network_hmac.into(), user_id.value(), now.into()])
        .await?;
    db.run(DROP_OLDEST, [user_id.value(), MOST.into()]).await?;
    Ok(())
}

/// Records that a known network is still in use.
pub async fn record_use(db: &Conn<'_>, network_hmac: &str, now: Millis) -> Result<()> {
    let sql = "UPDATE known_networks SET last_seen_at = $2 WHERE network_hmac = $1";
    db.run(sql, [network_hmac.into(), now.into()]).await?;
    Ok(())
}

/// Deletes every network of an account.
pub async fn delete_all(db: &Conn<'_>, user_id: &UserId) -> Result<()> {
    let sql = "DELETE FROM known_networks WHERE user_id = $1";
    db.run(sql, [user_id.value()]).await?;
    Ok(())
}

/// Deletes networks that were not used within [`LIFETIME`].
pub async fn delete_expired(db: &Conn<'_>, now: Millis) -> Result<()> {
    let sql = "DELETE FROM known_networks WHERE last_seen_at <= $1";
    db.run(sql, [(now - LIFETIME).into()]).await?;
    Ok(())
}
