//! Deletion of expired OAuth data.

use super::{clients, codes, tokens};
use crate::{Conn, Result};
use domain::time::Millis;

/// Deletes expired codes and tokens, and clients that were never authorized.
pub async fn delete_expired(db: &Conn<'_>, now: Millis) -> Result<()> {
    codes::delete_expired_codes(db, now).await?;
    tokens::delete_expired_tokens(db, now).await?;
    clients::delete_unused_clients(db, now).await
}
