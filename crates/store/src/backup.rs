//! Copies of the whole database, into a file or into another database.

use std::path::Path;

use crate::{Conn, Db, Result, mails, outbox, push, webhooks};
use domain::{Error, time::Millis};

mod transfer;

pub use transfer::{Moved, find_occupied_table, transfer};

/// Copies a consistent snapshot of the embedded database into an empty or absent file. Transactions
/// may write during the copy.
pub async fn copy_into(db: &Db, file: &Path) -> Result<()> {
    let file = file
        .to_str()
        .ok_or_else(|| Error::internal("o caminho não é UTF-8 válido"))?;
    db.run_long("VACUUM INTO $1", vec![file.into()]).await?;
    Ok(())
}

/// Ends every e-mail, every message to a device and every message of a webhook in a copy of the SQLite
/// database, and deletes the rows of the outbox that at least one reader has not read. So a service that
/// runs on the copy does not send what the original has sent. Skips tables that a copy of an earlier
/// version does not have.
pub async fn end_unsent_messages(db: &Db, now: Millis) -> Result<()> {
    let tx = db.begin().await?;
    if has_table(&tx.conn(), "mails").await? {
        mails::end_all(&tx.conn(), now).await?;
    }
    if has_table(&tx.conn(), "push_messages").await? {
        push::end_all(&tx.conn(), now).await?;
    }
    if has_table(&tx.conn(), "webhook_messages").await? {
        webhooks::drop_all_pending(&tx.conn(), now).await?;
    }
    if has_table(&tx.conn(), "outbox_progress").await? {
        outbox::delete_unread(&tx.conn()).await?;
    }
    tx.commit().await
}

async fn has_table(db: &Conn<'_>, name: &str) -> Result<bool> {
    let sql = "SELECT 1 AS found FROM sqlite_master WHERE type = 'table' AND name = $1";
    Ok(db.fetch_one(sql, [name.into()]).await?.is_some())
}

/// The stored bytes of a medium.
pub struct Content {
    pub sha256: String,
    pub bytes: i64,
}

/// Returns the contents of all media, without duplicates.
pub async fn list_contents(db: &Conn<'_>) -> Result<Vec<Content>> {
    let sql = "SELECT sha256, max(bytes) AS bytes FROM media GROUP BY sha256 ORDER BY sha256";
    let rows = db.fetch_all(sql, []).await?;
    let contents = rows.iter().map(|row| {
        Ok(Content {
            sha256: row.try_get("", "sha256")?,
            bytes: row.try_get("", "bytes")?,
        })
    });
    contents.collect()
}
