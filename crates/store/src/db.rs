//! The store, over SQLite or PostgreSQL.

use std::sync::Arc;

use sea_orm::{
    ConnectOptions, ConnectionTrait, Database, DatabaseConnection, DbBackend, DbErr,
    TransactionTrait, Value,
};

use crate::{
    Result,
    availability::{Availability, POSTGRES_CONNECTIONS},
    pool::PoolUse,
    sqlite::{CONNECTION_TIMEOUT, Sqlite},
    tx::{Open, SqliteTx, Tx},
};

/// A cache of 64 MiB, and a checkpoint after 64 MiB of WAL.
const WIDE_CACHE: &str = "PRAGMA cache_size = -65536; PRAGMA wal_autocheckpoint = 16384";

/// The store: hands out readers and write transactions.
#[derive(Clone, Debug)]
pub struct Db(pub(crate) Backend);

#[derive(Clone, Debug)]
pub(crate) enum Backend {
    /// The embedded file.
    Sqlite(Arc<Sqlite>),
    Postgres {
        pool: DatabaseConnection,
        server: Availability,
    },
}

impl Db {
    /// Opens `sqlite://path` (created when absent, WAL) or `postgres://…`.
    pub async fn open(url: &str) -> Result<Self, DbErr> {
        if url.starts_with("sqlite:") {
            return Ok(Self(Backend::Sqlite(Arc::new(Sqlite::open(url).await?))));
        }
        let server = Availability::of(url)?;
        server.meet().await?;
        let mut options = ConnectOptions::new(url);
        options
            .max_connections(POSTGRES_CONNECTIONS)
            .acquire_timeout(CONNECTION_TIMEOUT)
            .test_before_acquire(false)
            .sqlx_logging(false);
        let pool = Database::connect(options).await?;
        Ok(Self(Backend::Postgres { pool, server }))
    }

    /// Begins a write transaction. Over SQLite it waits for the single writer only at its first
    /// statement, so that others can write while the caller prepares it.
    ///
    /// A caller whose answer contains data read in the transaction must commit it, even without
    /// writes: over SQLite the data may include uncommitted changes of others.
    pub async fn begin(&self) -> Result<Tx> {
        Ok(self.open_transaction().await?)
    }

    /// Enlarges the page cache of the SQLite writer, for work on many rows in random order. With
    /// the default cache the same pages are read repeatedly. Checkpoints of the WAL become rarer,
    /// because the same pages are written many times.
    pub async fn widen_cache(&self) -> Result<()> {
        if self.backend() == DbBackend::Sqlite {
            let tx = self.begin().await?;
            tx.conn().execute_unprepared(WIDE_CACHE).await?;
            tx.commit().await?;
        }
        Ok(())
    }

    pub(crate) async fn open_transaction(&self) -> Result<Tx, DbErr> {
        let open = match &self.0 {
            Backend::Sqlite(file) => Open::Sqlite(SqliteTx::of(file.clone())),
            Backend::Postgres { pool, server } => Open::Postgres {
                _wanted: server.want(),
                transaction: server.again(|| pool.begin()).await?,
                server: server.clone(),
            },
        };
        Ok(Tx::of(open))
    }

    /// Runs a statement that does not change the embedded database, on a blocking thread.
    pub(crate) async fn run_long(&self, sql: &str, values: Vec<Value>) -> Result<(), DbErr> {
        match &self.0 {
            Backend::Sqlite(file) => file.run_long(sql, values).await,
            Backend::Postgres { .. } => Err(DbErr::Custom("this is no SQLite database".into())),
        }
    }

    /// Whether this is the file of a single process, and not a server shared by instances.
    #[must_use]
    pub fn is_embedded(&self) -> bool {
        matches!(self.0, Backend::Sqlite(_))
    }

    pub(crate) fn backend(&self) -> DbBackend {
        match self.0 {
            Backend::Sqlite(_) => DbBackend::Sqlite,
            Backend::Postgres { .. } => DbBackend::Postgres,
        }
    }

    /// The location of the database server as `host:port/name`; `None` for the embedded file.
    #[must_use]
    pub fn server_place(&self) -> Option<String> {
        match &self.0 {
            Backend::Postgres { server, .. } => Some(server.place()),
            Backend::Sqlite(_) => None,
        }
    }

    pub async fn close(self) -> Result<(), DbErr> {
        match self.0 {
            Backend::Sqlite(file) => {
                file.close().await;
                Ok(())
            }
            Backend::Postgres { pool, .. } => pool.close().await,
        }
    }
}

impl Db {
    /// The current usage of the connections.
    #[must_use]
    pub fn pool_use(&self) -> PoolUse {
        match &self.0 {
            Backend::Sqlite(file) => file.pool_use(),
            Backend::Postgres { pool, server } => {
                let pool = pool.get_postgres_connection_pool();
                let open = usize::try_from(pool.size()).unwrap_or(usize::MAX);
                let in_use = open.saturating_sub(pool.num_idle());
                PoolUse {
                    open,
                    in_use,
                    // A caller that needs a connection either holds one or waits.
                    waiting: server.wanted().saturating_sub(in_use),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_writer_and_those_who_wait_for_it_are_counted() {
        let name = format!("pauta-store-{}-pool", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).expect("a folder");
        let url = format!("sqlite://{}", folder.join("a.db").display());
        let db = Db::open(&url).await.expect("opens");
        let counts = |db: &Db| {
            let found = db.pool_use();
            (found.in_use, found.waiting)
        };
        assert_eq!(counts(&db), (0, 0));
        let first = db.begin().await.expect("begins");
        let run = "CREATE TABLE t (id INTEGER)";
        first.conn().run(run, []).await.expect("writes");
        assert_eq!(counts(&db), (1, 0));
        let other = db.clone();
        let waits = tokio::spawn(async move {
            let second = other.begin().await.expect("begins");
            let insert = "INSERT INTO t VALUES (1)";
            second.conn().run(insert, []).await.expect("writes");
            second.commit().await.expect("commits");
        });
        while counts(&db) != (1, 1) {
            tokio::task::yield_now().await;
        }
        first.commit().await.expect("commits");
        waits.await.expect("no panic");
        db.reader()
            .all("SELECT id FROM t", [])
            .await
            .expect("reads");
        let found = db.pool_use();
        assert_eq!((found.in_use, found.waiting), (0, 0));
        assert_eq!(found.open, 2, "a reader and the writer");
        db.close().await.expect("closes");
        std::fs::remove_dir_all(&folder).expect("it was there");
    }
}
