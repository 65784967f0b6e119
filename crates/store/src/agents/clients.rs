//! OAuth clients: dynamically registered clients, and cached client metadata documents.

use sea_orm::Value;

use crate::{Bind, Conn, Result};
use domain::{
    ClientId, Error,
    time::{DAY, Millis},
};

/// How long a client without any authorization is kept.
const UNUSED: Millis = 7 * DAY;

/// An OAuth client.
#[derive(Debug, Clone)]
pub struct Client {
    /// The id assigned at registration, or the URL of the client's metadata document.
    pub id: ClientId,
    /// The name in the client's own metadata.
    pub name: String,
    pub redirect_uris: Vec<String>,
    /// The token endpoint authentication: `none`, `client_secret_post` or `client_secret_basic`.
    pub auth_method: String,
    pub secret_sha256: Option<String>,
    /// Whether the client uses refresh tokens.
    pub renews: bool,
    pub created_at: Millis,
    /// When the metadata document was fetched; `None` for a dynamically registered client.
    pub fetched_at: Option<Millis>,
    /// Until when the cached metadata document may be used.
    pub fresh_until: Option<Millis>,
    /// When a member last authorized the client.
    pub used_at: Option<Millis>,
}

impl Client {
    /// Returns whether the cached document may still be used.
    #[must_use]
    pub fn is_fresh(&self, now: Millis) -> bool {
        self.fresh_until.is_some_and(|until| until > now)
    }

    fn column_values(&self) -> Result<[Value; 10]> {
        Ok([
            self.id.value(),
            self.name.as_str().into(),
            serde_json::to_string(&self.redirect_uris)
                .map_err(Error::internal)?
                .into(),
            self.auth_method.as_str().into(),
            self.secret_sha256.as_deref().into(),
            self.renews.into(),
            self.created_at.into(),
            self.fetched_at.into(),
            self.fresh_until.into(),
            self.used_at.into(),
        ])
    }
}

pub async fn find(db: &Conn<'_>, id: &ClientId) -> Result<Option<Client>> {
    let sql = "SELECT * FROM oauth_clients WHERE id = $1";
    let Some(row) = db.fetch_one(sql, [id.value()]).await? else {
        return Ok(None);
    };
    let redirect_uris: String = row.try_get("", "redirect_uris")?;
    Ok(Some(Client {
        id: row.try_get("", "id")?,
        name: row.try_get("", "name")?,
        redirect_uris: serde_json::from_str(&redirect_uris)?,
        auth_method: row.try_get("", "auth_method")?,
        secret_sha256: row.try_get("", "secret_sha256")?,
        renews: row.try_get("", "renews")?,
        created_at: row.try_get("", "created_at")?,
        fetched_at: row.try_get("", "fetched_at")?,
        fresh_until: row.try_get("", "fresh_until")?,
        used_at: row.try_get("", "used_at")?,
    }))
}

const SAVE: &str = "
INSERT INTO oauth_clients (id, name, redirect_uris, auth_method, secret_sha256, renews, created_at,
    fetched_at, fresh_until, used_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
ON CONFLICT (id) DO UPDATE SET name = excluded.name, redirect_uris = excluded.redirect_uris,
    auth_method = excluded.auth_method, renews = excluded.renews,
    fetched_at = excluded.fetched_at, fresh_until = excluded.fresh_until,
    used_at = excluded.used_at";

/// Inserts or updates a client.
pub async fn save(db: &Conn<'_>, client: &Client) -> Result<()> {
    db.run(SAVE, client.column_values()?).await?;
    Ok(())
}

/// Records that a member authorizes the client. Inserts the client if it is not stored yet or was
/// deleted.
pub async fn record_authorization(db: &Conn<'_>, client: &Client, now: Millis) -> Result<()> {
    let used = Client {
        used_at: Some(now),
        ..client.clone()
    };
    save(db, &used).await
}

const REFRESH: &str = "
UPDATE oauth_clients SET name = $2, redirect_uris = $3, renews = $4, fetched_at = $5, fresh_until = $6
WHERE id = $1";

/// Updates the cached metadata document, if the client is stored.
pub async fn update_document(db: &Conn<'_>, client: &Client) -> Result<()> {
    let [
        id,
        name,
        redirect_uris,
        _,
        _,
        renews,
        _,
        fetched_at,
        fresh_until,
        _,
    ] = client.column_values()?;
    let values = [id, name, redirect_uris, renews, fetched_at, fresh_until];
    db.run(REFRESH, values).await?;
    Ok(())
}

/// The number of clients that an eviction deletes beyond the excess, so that the next registrations need
/// no eviction.
const AT_ONCE: i64 = 10;

/// The maximum number of evictions per registration.
const EVICTIONS: usize = 3;

const EVICT: &str = "
DELETE FROM oauth_clients WHERE id IN (SELECT id FROM oauth_clients
    WHERE used_at IS NULL AND fetched_at IS NULL AND created_at <= $1
    ORDER BY created_at, id LIMIT $2)";

/// Makes room for one more unauthorized client by deleting the oldest ones created at or before
/// `before`. `most` is the maximum number of these clients. Returns `false` if there is still no
/// room.
pub async fn evict_unused_clients(db: &Conn<'_>, most: i64, before: Millis) -> Result<bool> {
    // A concurrent caller may have deleted the same clients and registered others.
    for _ in 0..EVICTIONS {
        let excess = count_unused(db).await? - most;
        if excess < 0 {
            return Ok(true);
        }
        db.run(EVICT, [before.into(), (excess + AT_ONCE).into()])
            .await?;
    }
    Ok(count_unused(db).await? < most)
}

/// Returns the number of registered clients that nobody has authorized.
async fn count_unused(db: &Conn<'_>) -> Result<i64> {
    let sql = "SELECT count(*) AS n FROM oauth_clients
               WHERE used_at IS NULL AND fetched_at IS NULL";
    let row = db.fetch_one(sql, []).await?;
    Ok(row.map(|r| r.try_get("", "n")).transpose()?.unwrap_or(0))
}

/// Deletes clients that nobody has authorized within a week of their registration or of the last
/// fetch of their metadata document.
pub(super) async fn delete_unused_clients(db: &Conn<'_>, now: Millis) -> Result<()> {
    let sql = "DELETE FROM oauth_clients WHERE used_at IS NULL AND created_at <= $1
               AND (fetched_at IS NULL OR fetched_at <= $1)";
    db.run(sql, [(now - UNUSED).into()]).await?;
    Ok(())
}
