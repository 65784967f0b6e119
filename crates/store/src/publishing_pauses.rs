//! The pause of all publications.

use super::{Bind, Conn, columns};
use crate::Result;
use domain::{MemberId, time::Millis};

/// The id of the only row.
const PAUSE: &str = "all";

/// A pause of all publications.
#[derive(Debug, Clone)]
pub struct Pause {
    pub reason: Option<String>,
    pub paused_by: MemberId,
    pub paused_at: Millis,
}

columns!(Pause {
    reason,
    paused_by,
    paused_at,
});

/// Finds the pause; `None` if publishing is not paused.
pub async fn find(db: &Conn<'_>) -> Result<Option<Pause>> {
    let sql = "SELECT reason, paused_by, paused_at FROM publishing_pauses WHERE id = $1";
    let row = db.fetch_one(sql, [PAUSE.into()]).await?;
    Ok(row.map(|row| row.read()).transpose()?)
}

/// Pauses all publications. Keeps an existing pause.
pub async fn pause(db: &Conn<'_>, pause: &Pause) -> Result<()> {
    let sql = "INSERT INTO publishing_pauses (id, reason, paused_by, paused_at)
        VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING";
    let values = [
        PAUSE.into(),
        pause.reason.clone().into(),
        pause.paused_by.value(),
        pause.paused_at.into(),
    ];
    db.run(sql, values).await?;
    Ok(())
}

/// Ends the pause. Returns `false` if publishing was not paused.
pub async fn resume(db: &Conn<'_>) -> Result<bool> {
    let sql = "DELETE FROM publishing_pauses WHERE id = $1";
    Ok(db.run(sql, [PAUSE.into()]).await? == 1)
}
