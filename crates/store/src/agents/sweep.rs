//! Deletion of expired OAuth data.

use super::{clients, codes, tokens};
use crate::{Conn, Result};
use domain::time::Millis;

/// Deletes expired codes and tokens, and clients that were never authorized.
pub async fn sweep(db: &Conn<'_>, now: Millis) -> Result<()> {
    codes::sweep(db, now).await?;
    tokens::sweep(db, now).await?;
    clients::sweep(db, now).await
}
