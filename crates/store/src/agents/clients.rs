//! OAuth clients: those that registered themselves, and copies of documents that clients publish.

use crate::{Bind, Conn, Result};
use domain::{
    ClientId, Error,
    time::{DAY, Millis},
};

/// How long a client is kept that nobody has allowed anything.
const UNUSED: Millis = 7 * DAY;

/// A client.
#[derive(Debug, Clone)]
pub struct Client {
    /// An id that was given at registration, or the address of the client's document.
    pub id: ClientId,
    /// As it names itself.
    pub name: String,
    pub redirect_uris: Vec<String>,
    /// `none`, `client_secret_post` or `client_secret_basic`.
    pub auth_method: String,
    pub secret_sha256: Option<String>,
    /// Whether it renews its access.
    pub renews: bool,
    pub created_at: Millis,
    /// When the document was fetched; `None` for a client that registered itself.
    pub fetched_at: Option<Millis>,
    /// Until when the copy of the document is used without fetching it again.
    pub fresh_until: Option<Millis>,
}

pub async fn find(db: &Conn<'_>, id: &ClientId) -> Result<Option<Client>> {
    let sql = "SELECT * FROM oauth_clients WHERE id = $1";
    let Some(row) = db.one(sql, [id.value()]).await? else {
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
    }))
}

const SAVE: &str = "
INSERT INTO oauth_clients (id, name, redirect_uris, auth_method, secret_sha256, renews, created_at,
    fetched_at, fresh_until) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
ON CONFLICT (id) DO UPDATE SET name = excluded.name, redirect_uris = excluded.redirect_uris,
    auth_method = excluded.auth_method, renews = excluded.renews,
    fetched_at = excluded.fetched_at, fresh_until = excluded.fresh_until";

/// Stores a client, or the newer copy of its document.
pub async fn save(db: &Conn<'_>, client: &Client) -> Result<()> {
    let values = [
        client.id.value(),
        client.name.as_str().into(),
        serde_json::to_string(&client.redirect_uris)
            .map_err(Error::internal)?
            .into(),
        client.auth_method.as_str().into(),
        client.secret_sha256.as_deref().into(),
        client.renews.into(),
        client.created_at.into(),
        client.fetched_at.into(),
        client.fresh_until.into(),
    ];
    db.run(SAVE, values).await?;
    Ok(())
}

/// How many clients nobody has allowed anything yet.
pub async fn count_unused(db: &Conn<'_>) -> Result<i64> {
    let sql = "SELECT count(*) AS n FROM oauth_clients WHERE used_at IS NULL";
    let row = db.one(sql, []).await?;
    Ok(row.map(|r| r.try_get("", "n")).transpose()?.unwrap_or(0))
}

/// Notes that a member has allowed the client something.
pub async fn used(db: &Conn<'_>, id: &ClientId, now: Millis) -> Result<()> {
    let sql = "UPDATE oauth_clients SET used_at = $2 WHERE id = $1";
    db.run(sql, [id.value(), now.into()]).await?;
    Ok(())
}

/// Deletes clients that nobody has allowed anything for a week.
pub(super) async fn sweep(db: &Conn<'_>, now: Millis) -> Result<()> {
    let sql = "DELETE FROM oauth_clients WHERE used_at IS NULL AND created_at <= $1
               AND (fetched_at IS NULL OR fetched_at <= $1)";
    db.run(sql, [(now - UNUSED).into()]).await?;
    Ok(())
}
