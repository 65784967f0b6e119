//! OAuth flows that members have started to connect a social network. Each can be completed only
//! once.

use super::{Bind, Conn, columns};
use crate::Result;
use domain::{MemberId, time::Millis};

/// A started OAuth flow.
#[derive(Debug, Clone)]
pub struct Begun {
    pub state_sha256: String,
    pub provider: String,
    pub member_id: MemberId,
    /// The hash of the cookie in the browser that started the flow.
    pub cookie_sha256: String,
    pub expires_at: Millis,
}

columns!(Begun {
    state_sha256,
    provider,
    member_id,
    cookie_sha256,
    expires_at,
});

const INSERT: &str = "
INSERT INTO oauth_states (state_sha256, provider, member_id, cookie_sha256, expires_at)
VALUES ($1, $2, $3, $4, $5)";

/// Stores a started flow. Replaces an earlier flow of the same member and network, which can then no
/// longer be completed.
pub async fn save_flow(db: &Conn<'_>, begun: &Begun) -> Result<()> {
    let sql = "DELETE FROM oauth_states WHERE member_id = $1 AND provider = $2";
    let provider = begun.provider.as_str();
    db.run(sql, [begun.member_id.value(), provider.into()])
        .await?;
    let values = [
        begun.state_sha256.as_str().into(),
        provider.into(),
        begun.member_id.value(),
        begun.cookie_sha256.as_str().into(),
        begun.expires_at.into(),
    ];
    db.run(INSERT, values).await?;
    Ok(())
}

pub async fn find(db: &Conn<'_>, state_sha256: &str) -> Result<Option<Begun>> {
    let sql = "SELECT * FROM oauth_states WHERE state_sha256 = $1";
    let row = db.fetch_one(sql, [state_sha256.into()]).await?;
    Ok(row.map(|row| row.read()).transpose()?)
}

/// Deletes a flow, so that it can be completed only once. Returns `false` if the flow was already
/// completed.
pub async fn consume_flow(db: &Conn<'_>, state_sha256: &str) -> Result<bool> {
    let sql = "DELETE FROM oauth_states WHERE state_sha256 = $1";
    Ok(db.run(sql, [state_sha256.into()]).await? > 0)
}

/// Deletes expired flows.
pub async fn delete_expired(db: &Conn<'_>, now: Millis) -> Result<()> {
    let sql = "DELETE FROM oauth_states WHERE expires_at < $1";
    db.run(sql, [now.into()]).await?;
    Ok(())
}
