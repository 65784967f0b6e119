//! Messages between the service's instances over PostgreSQL (`LISTEN` and `NOTIFY`).

use super::{Conn, Db};
use crate::{Result, db::Backend, postgres::Listener};

/// The maximum length of an announcement, in bytes. PostgreSQL accepts less than 8,000.
pub const LONGEST: usize = 7_000;

/// Sends a text to a channel when the transaction commits. Does nothing on SQLite, which has only
/// one instance.
pub async fn announce(db: &Conn<'_>, channel: &str, text: &str) -> Result<()> {
    if !db.is_sqlite() {
        let values = [channel.into(), text.into()];
        db.run_later("SELECT pg_notify($1, $2)", values).await?;
    }
    Ok(())
}

/// A subscription to one channel. It holds a connection.
#[derive(Debug)]
pub struct Announcements(Listener);

/// Subscribes to a channel. Returns `None` on SQLite, which has no announcements.
pub async fn listen(db: &Db, channel: &str) -> Result<Option<Announcements>> {
    match &db.0 {
        Backend::Postgres(server) => {
            Ok(Some(Announcements(Box::pin(server.listen(channel)).await?)))
        }
        Backend::Sqlite(_) => Ok(None),
    }
}

impl Announcements {
    /// Waits for the next announcement. Returns `None` after a lost connection: announcements may
    /// have been missed.
    pub async fn next(&mut self) -> Result<Option<String>> {
        Ok(Box::pin(self.0.next()).await?)
    }
}
