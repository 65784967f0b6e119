//! Messages between the service's instances over PostgreSQL (`LISTEN` and `NOTIFY`).

use sea_orm::sqlx::postgres::PgListener;

use super::{Conn, Db};
use crate::{Result, db::Backend, pool::Counted};
use domain::Error;

/// The maximum length of an announcement, in bytes. PostgreSQL accepts less than 8,000.
pub const LONGEST: usize = 7_000;

/// Sends a text to a channel when the transaction commits. Does nothing on SQLite, which has only
/// one instance.
pub async fn announce(db: &Conn<'_>, channel: &str, text: &str) -> Result<()> {
    if !db.is_sqlite() {
        let values = [channel.into(), text.into()];
        db.run("SELECT pg_notify($1, $2)", values).await?;
    }
    Ok(())
}

/// A subscription to one channel.
#[derive(Debug)]
pub struct Announcements {
    listener: PgListener,
    /// Counts the pool connection held by the listener as in use.
    _wanted: Counted,
}

/// Subscribes to a channel. Returns `None` on SQLite, which has no announcements.
pub async fn listen(db: &Db, channel: &str) -> Result<Option<Announcements>> {
    let Backend::Postgres { pool, server } = &db.0 else {
        return Ok(None);
    };
    let wanted = server.count_caller();
    let mut listener = PgListener::connect_with(pool.get_postgres_connection_pool())
        .await
        .map_err(Error::internal)?;
    listener.listen(channel).await.map_err(Error::internal)?;
    Ok(Some(Announcements {
        listener,
        _wanted: wanted,
    }))
}

impl Announcements {
    /// Waits for the next announcement. Returns `None` after a lost connection: announcements may
    /// have been missed.
    pub async fn next(&mut self) -> Result<Option<String>> {
        let heard = self.listener.try_recv().await.map_err(Error::internal)?;
        Ok(heard.map(|heard| heard.payload().to_owned()))
    }
}
