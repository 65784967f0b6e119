//! The store, over either database.

use std::sync::Arc;

use sea_orm::{
    ConnectOptions, ConnectionTrait, Database, DatabaseConnection, DbBackend, DbErr,
    TransactionTrait, Value,
};

use crate::{
    Result,
    availability::{Availability, POSTGRES_CONNECTIONS},
    sqlite::{CONNECTION_TIMEOUT, Sqlite},
    tx::{Open, SqliteTx, Tx},
};

/// 64 MiB each.
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

    /// Begins a write transaction. Over SQLite it waits for the only writer at its first statement, and
    /// others write while the caller prepares it.
    ///
    /// A caller that answers with what it read in the transaction commits it, even if it wrote
    /// nothing: over SQLite it may have read what others have not committed yet.
    pub async fn begin(&self) -> Result<Tx> {
        Ok(self.open_transaction().await?)
    }

    /// Gives the writer of SQLite more memory for pages, for work over many rows in any order. Without
    /// it they are read again and again. The WAL is copied into the file more seldom, because the same
    /// pages are written many times.
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
                transaction: server.again(|| pool.begin()).await?,
                server: server.clone(),
            },
        };
        Ok(Tx::of(open))
    }

    /// Runs a statement that does not change the embedded database, on a thread for blocking work.
    pub(crate) async fn run_long(&self, sql: &str, values: Vec<Value>) -> Result<(), DbErr> {
        match &self.0 {
            Backend::Sqlite(file) => file.run_long(sql, values).await,
            Backend::Postgres { .. } => Err(DbErr::Custom("this is no SQLite database".into())),
        }
    }

    /// The pool of a PostgreSQL server.
    pub(crate) fn server_pool(&self) -> Option<&DatabaseConnection> {
        match &self.0 {
            Backend::Postgres { pool, .. } => Some(pool),
            Backend::Sqlite(_) => None,
        }
    }

    /// Whether this is the file of one process, and not a server of several instances.
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

    /// Where the server of the database is, as `host:port/name`; `None` for the embedded file.
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
