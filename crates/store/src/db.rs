//! A database: SQLite or PostgreSQL.

use std::sync::Arc;

use sea_orm::{ConnectionTrait, DbBackend, DbErr, Value};

use crate::{
    Result,
    pool::PoolUse,
    postgres::Postgres,
    sqlite::Sqlite,
    tx::{Open, SqliteTx, Tx},
};

/// A page cache of 64 MiB, and a checkpoint after 64 MiB of WAL.
const WIDE_CACHE: &str = "PRAGMA cache_size = -65536; PRAGMA wal_autocheckpoint = 16384";

/// A database, which provides readers and write transactions.
#[derive(Clone, Debug)]
pub struct Db(pub(crate) Backend);

#[derive(Clone, Debug)]
pub(crate) enum Backend {
    /// The embedded database file.
    Sqlite(Arc<Sqlite>),
    Postgres(Postgres),
}

impl Db {
    /// Opens `sqlite://path` (created if absent, in WAL mode) or `postgres://…`.
    pub async fn open(url: &str) -> Result<Self, DbErr> {
        Self::open_with_direct(url, None).await
    }

    /// Opens a database like [`Db::open`]. If the address goes to PgBouncer (`pgbouncer=true`), `direct`
    /// is the address of the server itself, which this process uses for `LISTEN`.
    pub async fn open_with_direct(url: &str, direct: Option<&str>) -> Result<Self, DbErr> {
        if url.starts_with("sqlite:") {
            return Ok(Self(Backend::Sqlite(Arc::new(Sqlite::open(url).await?))));
        }
        let server = Box::pin(Postgres::open(url, direct)).await?;
        Ok(Self(Backend::Postgres(server)))
    }

    /// Begins a write transaction at its first statement. On SQLite that statement waits for the single
    /// writer, on PostgreSQL for a session. Other callers can use the writer or the session until then.
    ///
    /// A caller that returns data read in the transaction must commit it, even without writes: on SQLite
    /// the data may include uncommitted changes of other callers.
    pub async fn begin(&self) -> Result<Tx> {
        Ok(self.open_transaction())
    }

    /// Enlarges the page cache of the SQLite writer, for work on many rows in random order: with
    /// the default cache the same pages are read and written repeatedly. Checkpoints of the WAL
    /// become less frequent for the same reason.
    pub async fn widen_cache(&self) -> Result<()> {
        if self.backend() == DbBackend::Sqlite {
            let tx = self.begin().await?;
            tx.conn().execute_unprepared(WIDE_CACHE).await?;
            tx.commit().await?;
        }
        Ok(())
    }

    pub(crate) fn open_transaction(&self) -> Tx {
        Tx::new(match &self.0 {
            Backend::Sqlite(file) => Open::Sqlite(SqliteTx::new(file.clone())),
            Backend::Postgres(server) => Open::Postgres(Box::new(server.begin())),
        })
    }

    /// Runs a long statement on SQLite, on a blocking thread. The statement must not change the
    /// database.
    pub(crate) async fn run_long(&self, sql: &str, values: Vec<Value>) -> Result<(), DbErr> {
        match &self.0 {
            Backend::Sqlite(file) => file.run_long(sql, values).await,
            Backend::Postgres(_) => Err(DbErr::Custom("the database is not SQLite".into())),
        }
    }

    /// Returns whether the database is the file of a single process, not a server shared by instances.
    #[must_use]
    pub fn is_embedded(&self) -> bool {
        matches!(self.0, Backend::Sqlite(_))
    }

    pub(crate) fn backend(&self) -> DbBackend {
        match self.0 {
            Backend::Sqlite(_) => DbBackend::Sqlite,
            Backend::Postgres(_) => DbBackend::Postgres,
        }
    }

    /// Returns the address of the database server, `host:port/name`; `None` for the embedded file.
    #[must_use]
    pub fn server_location(&self) -> Option<String> {
        match &self.0 {
            Backend::Postgres(server) => Some(server.location()),
            Backend::Sqlite(_) => None,
        }
    }

    pub async fn close(self) -> Result<(), DbErr> {
        match self.0 {
            Backend::Sqlite(file) => file.close().await,
            Backend::Postgres(server) => Box::pin(server.close()).await,
        }
        Ok(())
    }
}

impl Db {
    /// Returns the number of open, used and awaited connections.
    #[must_use]
    pub fn pool_use(&self) -> PoolUse {
        match &self.0 {
            Backend::Sqlite(file) => file.pool_use(),
            Backend::Postgres(server) => server.pool_use(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn pool_use_counts_the_writer_and_its_waiting_callers() {
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
            .fetch_all("SELECT id FROM t", [])
            .await
            .expect("reads");
        let found = db.pool_use();
        assert_eq!((found.in_use, found.waiting), (0, 0));
        assert_eq!(found.open, 2, "a reader and the writer");
        db.close().await.expect("closes");
        std::fs::remove_dir_all(&folder).expect("removes");
    }
}
