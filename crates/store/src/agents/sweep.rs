//! Deletes what is over.

use super::{clients, codes, tokens};
use crate::{Conn, Result};
use domain::time::Millis;

/// Deletes codes, tokens and unused clients that are over.
pub async fn sweep(db: &Conn<'_>, now: Millis) -> Result<()> {
    codes::sweep(db, now).await?;
    tokens::sweep(db, now).await?;
    clients::sweep(db, now).await
}
