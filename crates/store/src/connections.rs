//! Connections to social networks, at most one per network. Their tokens are in the table
//! `secrets`.

use super::{Bind, Conn, Row};
use crate::Result;
use domain::{ConnectionStatus, Error, MemberId, time::Millis};

/// The `purpose` of connection tokens in the table `secrets`; their `id` is the network's name.
pub const TOKENS: &str = "connection tokens";

/// A connection with its encrypted tokens.
#[derive(Debug, Clone)]
pub struct Connection {
    /// The name of the social network, as in URLs.
    pub provider: String,
    /// The id of the account at the network.
    pub account_id: String,
    pub display_name: String,
    pub avatar_url: Option<String>,
    pub scopes: Vec<String>,
    pub connected_by: MemberId,
    pub connected_by_name: String,
    pub connected_at: Millis,
    pub status: ConnectionStatus,
    /// Increases with each change of the tokens.
    pub version: i64,
    /// Until when the access token is valid.
    pub expires_at: Millis,
    /// Until when the tokens can be renewed, if the network says so. For tokens that cannot be
    /// renewed, this is the expiry of the access token.
    pub renewable_until: Option<Millis>,
    /// When the next renewal is due.
    pub renew_at: Millis,
    /// Failed renewals since the last success.
    pub failures: i64,
    /// The code of the last failure.
    pub last_error: Option<String>,
    /// When the claim on the current renewal expires.
    pub renewal_until: Millis,
    /// The encrypted tokens.
    pub sealed: Option<String>,
}

fn read_row(row: &Row) -> Result<Connection> {
    let scopes: String = row.try_get("", "scopes")?;
    let status: String = row.try_get("", "status")?;
    Ok(Connection {
        provider: row.try_get("", "provider")?,
        account_id: row.try_get("", "account_id")?,
        display_name: row.try_get("", "display_name")?,
        avatar_url: row.try_get("", "avatar_url")?,
        scopes: serde_json::from_str(&scopes).map_err(Error::internal)?,
        connected_by: row.try_get("", "connected_by")?,
        connected_by_name: row.try_get("", "connected_by_name")?,
        connected_at: row.try_get("", "connected_at")?,
        status: status.parse().map_err(Error::internal)?,
        version: row.try_get("", "version")?,
        expires_at: row.try_get("", "expires_at")?,
        renewable_until: row.try_get("", "renewable_until")?,
        renew_at: row.try_get("", "renew_at")?,
        failures: row.try_get("", "failures")?,
        last_error: row.try_get("", "last_error")?,
        renewal_until: row.try_get("", "renewal_until")?,
        sealed: row.try_get("", "sealed")?,
    })
}

/// Reads a connection with its tokens in one statement, so that both have the same version.
const SELECT: &str = "
SELECT c.*, m.name AS connected_by_name, s.sealed
FROM connections c JOIN members m ON m.id = c.connected_by
LEFT JOIN secrets s ON s.purpose = 'connection tokens' AND s.id = c.provider";

/// Returns all connections, including revoked ones, by network.
pub async fn list(db: &Conn<'_>) -> Result<Vec<Connection>> {
    let rows = db
        .fetch_all(&format!("{SELECT} ORDER BY c.provider"), [])
        .await?;
    rows.iter().map(read_row).collect()
}

/// Returns the networks with a valid connection.
pub async fn list_active(db: &Conn<'_>) -> Result<Vec<String>> {
    let sql = "SELECT provider FROM connections WHERE status = $1 ORDER BY provider";
    let active = ConnectionStatus::Active.as_str();
    let rows = db.fetch_all(sql, [active.into()]).await?;
    let names = rows.iter().map(|row| Ok(row.try_get("", "provider")?));
    names.collect()
}

pub async fn find(db: &Conn<'_>, provider: &str) -> Result<Option<Connection>> {
    let sql = format!("{SELECT} WHERE c.provider = $1");
    let row = db.fetch_one(&sql, [provider.into()]).await?;
    row.as_ref().map(read_row).transpose()
}

/// The account that a member connects.
#[derive(Debug)]
pub struct Connected<'a> {
    pub provider: &'a str,
    pub account_id: &'a str,
    pub display_name: &'a str,
    pub avatar_url: Option<&'a str>,
    pub by: &'a MemberId,
}

/// The validity of a connection's tokens.
#[derive(Debug)]
pub struct Validity<'a> {
    pub scopes: &'a [String],
    pub expires_at: Millis,
    pub renewable_until: Option<Millis>,
    pub renew_at: Millis,
}

const CONNECT: &str = "
INSERT INTO connections (provider, account_id, display_name, avatar_url, scopes, connected_by,
    connected_at, status, version, expires_at, renewable_until, renew_at, failures, renewal_until)
VALUES ($1, $2, $3, $4, $5, $6, $7, 'active', 1, $8, $9, $10, 0, 0)
ON CONFLICT (provider) DO UPDATE SET account_id = excluded.account_id,
    display_name = excluded.display_name, avatar_url = excluded.avatar_url,
    scopes = excluded.scopes, connected_by = excluded.connected_by,
    connected_at = excluded.connected_at, status = 'active', version = connections.version + 1,
    expires_at = excluded.expires_at, renewable_until = excluded.renewable_until,
    renew_at = excluded.renew_at, failures = 0, last_error = NULL, renewal = NULL,
    renewal_until = 0, ending_announced = NULL";

/// Stores a connection; replaces an existing one. A running renewal of the previous tokens then has
/// no effect.
pub async fn save_connection(
    db: &Conn<'_>,
    connected: &Connected<'_>,
    validity: &Validity<'_>,
    now: Millis,
) -> Result<()> {
    let values = [
        connected.provider.into(),
        connected.account_id.into(),
        connected.display_name.into(),
        connected.avatar_url.into(),
        serde_json::to_string(validity.scopes)
            .map_err(Error::internal)?
            .into(),
        connected.by.value(),
        now.into(),
        validity.expires_at.into(),
        validity.renewable_until.into(),
        validity.renew_at.into(),
    ];
    db.run(CONNECT, values).await?;
    Ok(())
}

/// A caller's claim to renew the tokens of a connection.
#[derive(Debug, Clone)]
pub struct Renewal<'a> {
    pub provider: &'a str,
    /// A unique id of the claim, chosen by the caller.
    pub id: &'a str,
}

/// Claims the renewal of this version of the tokens. Returns `false` if the version has changed or
/// another caller holds the claim.
pub async fn claim_renewal(
    db: &Conn<'_>,
    renewal: &Renewal<'_>,
    version: i64,
    now: Millis,
    until: Millis,
) -> Result<bool> {
    let sql = "UPDATE connections SET renewal = $1, renewal_until = $2
               WHERE provider = $3 AND version = $4 AND status = 'active' AND renewal_until <= $5";
    let values = [
        renewal.id.into(),
        until.into(),
        renewal.provider.into(),
        version.into(),
        now.into(),
    ];
    Ok(db.run(sql, values).await? > 0)
}

const RENEWED: &str = "
UPDATE connections SET version = version + 1, scopes = $1, expires_at = $2, renewable_until = $3,
    renew_at = $4, failures = 0, last_error = NULL, renewal = NULL, renewal_until = 0
WHERE provider = $5 AND renewal = $6 AND status = 'active'";

/// Records a successful renewal. Writes nothing and returns `false` if the claim was lost.
pub async fn complete_renewal(
    db: &Conn<'_>,
    renewal: &Renewal<'_>,
    validity: &Validity<'_>,
) -> Result<bool> {
    let values = [
        serde_json::to_string(validity.scopes)
            .map_err(Error::internal)?
            .into(),
        validity.expires_at.into(),
        validity.renewable_until.into(),
        validity.renew_at.into(),
        renewal.provider.into(),
        renewal.id.into(),
    ];
    Ok(db.run(RENEWED, values).await? > 0)
}

/// Records a failed renewal and ends the claim. The tokens stay; the next attempt is due at
/// `renew_at`.
pub async fn record_failed_renewal(
    db: &Conn<'_>,
    renewal: &Renewal<'_>,
    error: &str,
    renew_at: Millis,
) -> Result<()> {
    let sql = "UPDATE connections SET failures = failures + 1, last_error = $1, renew_at = $2,
                   renewal = NULL, renewal_until = 0
               WHERE provider = $3 AND renewal = $4";
    let values = [
        error.into(),
        renew_at.into(),
        renewal.provider.into(),
        renewal.id.into(),
    ];
    db.run(sql, values).await?;
    Ok(())
}

/// Marks a connection as expired after the network rejected the renewal permanently.
pub async fn mark_expired(db: &Conn<'_>, renewal: &Renewal<'_>, error: &str) -> Result<bool> {
    let sql = "UPDATE connections SET status = 'expired', version = version + 1, last_error = $1,
                   renewal = NULL, renewal_until = 0
               WHERE provider = $2 AND renewal = $3 AND status = 'active'";
    let values = [error.into(), renewal.provider.into(), renewal.id.into()];
    Ok(db.run(sql, values).await? > 0)
}

/// Marks a connection as revoked. The caller must delete the tokens.
pub async fn mark_revoked(db: &Conn<'_>, provider: &str) -> Result<bool> {
    let sql = "UPDATE connections SET status = 'revoked', version = version + 1,
                   renewal = NULL, renewal_until = 0, failures = 0, last_error = NULL
               WHERE provider = $1 AND status <> 'revoked'";
    Ok(db.run(sql, [provider.into()]).await? > 0)
}

/// Returns the networks whose tokens are due to be renewed.
pub async fn list_due(db: &Conn<'_>, now: Millis) -> Result<Vec<String>> {
    let sql = "SELECT provider FROM connections WHERE status = 'active' AND renew_at <= $1
               ORDER BY provider";
    let rows = db.fetch_all(sql, [now.into()]).await?;
    Ok(rows
        .iter()
        .map(|row| row.try_get("", "provider"))
        .collect::<Result<_, _>>()?)
}

/// A connection whose end must be announced.
#[derive(Debug)]
pub struct Ending {
    pub provider: String,
    /// When the connection ends; `None` if it has already ended.
    pub until: Option<Millis>,
}

const TAKE_ENDING: &str = "
UPDATE connections SET ending_announced = renewable_until
WHERE status = 'active' AND renewable_until > $1 AND renewable_until <= $2
    AND (ending_announced IS NULL OR ending_announced <> renewable_until)
RETURNING provider, renewable_until";

/// Marks ended connections as announced. The value 0 is safe, because no connection is renewable until
/// 1970.
const TAKE_ENDED: &str = "
UPDATE connections SET ending_announced = 0
WHERE (status = 'expired' OR status = 'active' AND renewable_until <= $1)
    AND (ending_announced IS NULL OR ending_announced <> 0)
RETURNING provider, CAST(NULL AS BIGINT) AS renewable_until";

const HAS_ENDING: &str = "
SELECT 1 AS one FROM connections
WHERE status = 'active' AND renewable_until > $1 AND renewable_until <= $2
        AND (ending_announced IS NULL OR ending_announced <> renewable_until)
    OR (status = 'expired' OR status = 'active' AND renewable_until <= $1)
        AND (ending_announced IS NULL OR ending_announced <> 0)";

/// Marks the connections that have ended, or that a person must renew before `soon`, as announced, and
/// returns them. Each connection is returned once, even to competing callers.
pub async fn take_ending(db: &Conn<'_>, now: Millis, soon: Millis) -> Result<Vec<Ending>> {
    let mut rows = db.fetch_all(TAKE_ENDING, [now.into(), soon.into()]).await?;
    rows.extend(db.fetch_all(TAKE_ENDED, [now.into()]).await?);
    let endings = rows.iter().map(|row| {
        Ok(Ending {
            provider: row.try_get("", "provider")?,
            until: row.try_get("", "renewable_until")?,
        })
    });
    endings.collect()
}

/// True if [`take_ending`] would return a connection.
pub async fn has_ending(db: &Conn<'_>, now: Millis, soon: Millis) -> Result<bool> {
    let found = db.fetch_one(HAS_ENDING, [now.into(), soon.into()]).await?;
    Ok(found.is_some())
}
