//! The database: one writer and many readers over SQLite, or a PostgreSQL pool.
//!
//! Queries live here, one file per aggregate. SQL text keeps to what both databases read alike,
//! with `$n` placeholders.

pub mod accounts;
pub mod audit;
pub mod backup;
pub mod config;
pub mod contents;
pub mod email_drafts;
pub mod events;
pub mod history;
pub mod idempotency;
pub mod jobs;
pub mod knowledge;
pub mod known_networks;
pub mod media;
pub mod media_jobs;
pub mod members;
pub mod projects;
pub mod skills;
pub mod tokens;

mod availability;
mod error;

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use async_trait::async_trait;
use sea_orm::{
    ConnectOptions, ConnectionTrait, Database, DatabaseConnection, DatabaseTransaction, DbBackend,
    DbErr, ExecResult, QueryResult, SqliteTransactionMode, Statement, TransactionOptions,
    TransactionTrait, Value,
    sqlx::{Connection, sqlite},
};

use availability::{Availability, is_constraint, is_lost};
pub use error::{Failure, Result};

use domain::{Code, Error};

/// Readers beside the one SQLite writer; the machine rarely runs more at once.
const SQLITE_READERS: u32 = 4;
const POSTGRES_CONNECTIONS: u32 = 16;

/// The store: hands out readers and write transactions.
#[derive(Clone, Debug)]
pub struct Db {
    writer: DatabaseConnection,
    reader: DatabaseConnection,
    /// Whether a PostgreSQL server is there; SQLite is a file of ours.
    server: Option<Availability>,
}

/// A write transaction. Dropped without commit it leaves nothing.
#[derive(Debug)]
pub struct Tx {
    open: DatabaseTransaction,
    server: Option<Availability>,
    /// A statement failed that may have ended the transaction: SQLite rolls back by itself when
    /// the disk or the memory fails, and what follows would take effect on its own.
    broken: AtomicBool,
}

/// What a query runs on: the readers, or an open transaction.
#[derive(Clone, Copy, Debug)]
pub enum Conn<'a> {
    Reader(&'a Db),
    Tx(&'a Tx),
}

impl Db {
    /// Opens `sqlite://path` (created when absent, WAL) or `postgres://…`.
    pub async fn open(url: &str) -> Result<Self, DbErr> {
        if url.starts_with("sqlite:") {
            // Two pools on one file: the writer makes the file and sets it to WAL first.
            let writer = Database::connect(sqlite_options(url, 1, false)).await?;
            let reader = Database::connect(sqlite_options(url, SQLITE_READERS, true)).await?;
            return Ok(Self {
                writer,
                reader,
                server: None,
            });
        }
        let server = Availability::of(url)?;
        server.ask().await?;
        let mut options = ConnectOptions::new(url);
        options
            .max_connections(POSTGRES_CONNECTIONS)
            .acquire_timeout(Duration::from_secs(10))
            .test_before_acquire(false)
            .sqlx_logging(false);
        let pool = Database::connect(options).await?;
        Ok(Self {
            writer: pool.clone(),
            reader: pool,
            server: Some(server),
        })
    }

    /// For queries outside a transaction. Over SQLite these connections cannot write.
    #[must_use]
    pub fn reader(&self) -> Conn<'_> {
        Conn::Reader(self)
    }

    /// Begins a write transaction; over SQLite it holds the only writer from the start.
    pub async fn begin(&self) -> Result<Tx> {
        let sqlite_transaction_mode = (self.writer.get_database_backend() == DbBackend::Sqlite)
            .then_some(SqliteTransactionMode::Immediate);
        let begin = || {
            self.writer.begin_with_options(TransactionOptions {
                sqlite_transaction_mode,
                ..Default::default()
            })
        };
        let open = match &self.server {
            None => begin().await?,
            Some(server) => server.again(begin).await?,
        };
        Ok(Tx {
            open,
            server: self.server.clone(),
            broken: AtomicBool::new(false),
        })
    }

    /// The connection that migrations run on.
    #[must_use]
    pub fn for_migration(&self) -> &DatabaseConnection {
        &self.writer
    }

    /// Whether the database takes writes: over SQLite one is made, which changes nothing.
    pub async fn require_writable(&self) -> Result<()> {
        let tx = self.begin().await?;
        let conn = tx.conn();
        if self.server.is_some() {
            let row = conn.one("SHOW transaction_read_only", []).await?;
            let row = row.ok_or_else(|| Error::internal("no setting was shown"))?;
            if row.try_get::<String>("", "transaction_read_only")? != "off" {
                return Err(Error::internal("the database is read-only").into());
            }
            return Ok(());
        }
        conn.run("UPDATE team SET turn = turn WHERE id = 1", [])
            .await?;
        tx.commit().await
    }

    pub async fn close(self) -> Result<(), DbErr> {
        self.reader.clone().close().await?;
        self.writer.close().await
    }
}

fn sqlite_options(url: &str, connections: u32, read_only: bool) -> ConnectOptions {
    let mut options = ConnectOptions::new(url);
    options
        .max_connections(connections)
        .min_connections(1)
        .acquire_timeout(Duration::from_secs(10))
        .idle_timeout(None::<Duration>)
        .max_lifetime(None::<Duration>)
        .test_before_acquire(false)
        .sqlx_logging(false)
        .map_sqlx_sqlite_opts(move |sqlx| {
            let sqlx = sqlx
                .create_if_missing(!read_only)
                .foreign_keys(true)
                .busy_timeout(Duration::from_secs(5))
                // A commit is on the disk before it is acknowledged: a revocation must not be
                // undone by a power cut.
                .synchronous(sqlite::SqliteSynchronous::Full)
                .statement_cache_capacity(256);
            if read_only {
                sqlx.pragma("query_only", "ON")
            } else {
                sqlx.journal_mode(sqlite::SqliteJournalMode::Wal)
            }
        })
        // Where a rollback failed, the driver believes that the transaction is still open: it would
        // open savepoints from then on, and commit none of them. Such a connection is closed.
        .map_sqlx_sqlite_pool_opts(|pool| {
            pool.after_release(|connection, _| {
                Box::pin(async move {
                    // A rollback may still be in the queue before this.
                    connection.ping().await?;
                    Ok(!connection.is_in_transaction())
                })
            })
        });
    options
}

impl Tx {
    #[must_use]
    pub fn conn(&self) -> Conn<'_> {
        Conn::Tx(self)
    }

    /// Commits; what is `Ok` is kept.
    ///
    /// Refused with `OUTCOME_UNKNOWN` when the server went away over it.
    pub async fn commit(self) -> Result<()> {
        if self.broken.load(Ordering::Relaxed) {
            return Err(broken().into());
        }
        let Some(server) = self.server else {
            return Ok(self.open.commit().await?);
        };
        server.watch(self.open.commit()).await.map_err(|error| {
            if is_lost(&error) {
                Error::new(Code::OUTCOME_UNKNOWN).caused_by(error).into()
            } else {
                error.into()
            }
        })
    }

    /// Runs a statement, unless an earlier one has broken the transaction.
    async fn run<T>(&self, work: impl Future<Output = Result<T, DbErr>>) -> Result<T, DbErr> {
        if self.broken.load(Ordering::Relaxed) {
            return Err(broken());
        }
        let done = match &self.server {
            None => work.await,
            Some(server) => server.watch(work).await,
        };
        if let Err(error) = &done
            && !is_constraint(error)
        {
            self.broken.store(true, Ordering::Relaxed);
        }
        done
    }
}

fn broken() -> DbErr {
    DbErr::Custom("the transaction was broken by an earlier failure".into())
}

#[async_trait]
impl ConnectionTrait for Conn<'_> {
    fn get_database_backend(&self) -> DbBackend {
        match self {
            Conn::Reader(db) => db.reader.get_database_backend(),
            Conn::Tx(tx) => tx.open.get_database_backend(),
        }
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        match self {
            Conn::Reader(db) => db.reader.execute_raw(statement).await,
            Conn::Tx(tx) => tx.run(tx.open.execute_raw(statement)).await,
        }
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        match self {
            Conn::Reader(db) => db.reader.execute_unprepared(sql).await,
            Conn::Tx(tx) => tx.run(tx.open.execute_unprepared(sql)).await,
        }
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        match self {
            Conn::Reader(db) => match &db.server {
                None => db.reader.query_one_raw(statement).await,
                // A read is repeated where its connection was lost.
                Some(server) => {
                    server
                        .again(|| db.reader.query_one_raw(statement.clone()))
                        .await
                }
            },
            Conn::Tx(tx) => tx.run(tx.open.query_one_raw(statement)).await,
        }
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        match self {
            Conn::Reader(db) => match &db.server {
                None => db.reader.query_all_raw(statement).await,
                // A read is repeated where its connection was lost.
                Some(server) => {
                    server
                        .again(|| db.reader.query_all_raw(statement.clone()))
                        .await
                }
            },
            Conn::Tx(tx) => tx.run(tx.open.query_all_raw(statement)).await,
        }
    }
}

impl Conn<'_> {
    fn statement(&self, sql: &str, values: impl IntoIterator<Item = Value>) -> Statement {
        Statement::from_sql_and_values(self.get_database_backend(), sql, values)
    }

    /// Rows changed by constant SQL.
    async fn run(&self, sql: &str, values: impl IntoIterator<Item = Value>) -> Result<u64, DbErr> {
        Ok(self
            .execute_raw(self.statement(sql, values))
            .await?
            .rows_affected())
    }

    async fn one(
        &self,
        sql: &str,
        values: impl IntoIterator<Item = Value>,
    ) -> Result<Option<QueryResult>, DbErr> {
        self.query_one_raw(self.statement(sql, values)).await
    }

    async fn all(
        &self,
        sql: &str,
        values: impl IntoIterator<Item = Value>,
    ) -> Result<Vec<QueryResult>, DbErr> {
        self.query_all_raw(self.statement(sql, values)).await
    }
}
