//! The database: one writer and many readers over SQLite, or a PostgreSQL pool.
//!
//! Queries live here, one file per aggregate. SQL text keeps to what both databases read alike,
//! with `$n` placeholders.

pub mod accounts;
pub mod audit;
pub mod config;
pub mod contents;
pub mod email_drafts;
pub mod events;
pub mod history;
pub mod idempotency;
pub mod knowledge;
pub mod known_networks;
pub mod media;
pub mod media_jobs;
pub mod members;
pub mod projects;
pub mod skills;
pub mod tokens;

use std::time::Duration;

use async_trait::async_trait;
use sea_orm::{
    ConnectOptions, ConnectionTrait, Database, DatabaseConnection, DatabaseTransaction, DbBackend,
    DbErr, ExecResult, QueryResult, SqliteTransactionMode, Statement, TransactionOptions,
    TransactionTrait, Value, sqlx::sqlite,
};

/// Readers beside the one SQLite writer; the machine rarely runs more at once.
const SQLITE_READERS: u32 = 4;
const POSTGRES_CONNECTIONS: u32 = 16;

/// The store: hands out readers and write transactions.
#[derive(Clone, Debug)]
pub struct Db {
    writer: DatabaseConnection,
    reader: DatabaseConnection,
}

/// A write transaction. Dropped without commit it leaves nothing.
#[derive(Debug)]
pub struct Tx(DatabaseTransaction);

/// What a query runs on: the readers, or an open transaction.
#[derive(Clone, Copy, Debug)]
pub enum Conn<'a> {
    Reader(&'a DatabaseConnection),
    Tx(&'a DatabaseTransaction),
}

impl Db {
    /// Opens `sqlite://path` (created when absent, WAL) or `postgres://…`.
    pub async fn open(url: &str) -> Result<Self, DbErr> {
        if url.starts_with("sqlite:") {
            // Two pools on one file: the writer makes the file and sets it to WAL first.
            let writer = Database::connect(sqlite_options(url, 1, false)).await?;
            let reader = Database::connect(sqlite_options(url, SQLITE_READERS, true)).await?;
            return Ok(Self { writer, reader });
        }
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
        })
    }

    /// For queries outside a transaction. Over SQLite these connections cannot write.
    #[must_use]
    pub fn reader(&self) -> Conn<'_> {
        Conn::Reader(&self.reader)
    }

    /// Begins a write transaction; over SQLite it holds the only writer from the start.
    pub async fn begin(&self) -> Result<Tx, DbErr> {
        let sqlite_transaction_mode = (self.writer.get_database_backend() == DbBackend::Sqlite)
            .then_some(SqliteTransactionMode::Immediate);
        let options = TransactionOptions {
            sqlite_transaction_mode,
            ..Default::default()
        };
        self.writer.begin_with_options(options).await.map(Tx)
    }

    /// The connection that migrations run on.
    #[must_use]
    pub fn for_migration(&self) -> &DatabaseConnection {
        &self.writer
    }

    /// Whether the database answers.
    pub async fn ping(&self) -> Result<(), DbErr> {
        self.reader.ping().await
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
                .synchronous(sqlite::SqliteSynchronous::Normal)
                .statement_cache_capacity(256);
            if read_only {
                sqlx.pragma("query_only", "ON")
            } else {
                sqlx.journal_mode(sqlite::SqliteJournalMode::Wal)
            }
        });
    options
}

impl Tx {
    #[must_use]
    pub fn conn(&self) -> Conn<'_> {
        Conn::Tx(&self.0)
    }

    pub async fn commit(self) -> Result<(), DbErr> {
        self.0.commit().await
    }
}

#[async_trait]
impl ConnectionTrait for Conn<'_> {
    fn get_database_backend(&self) -> DbBackend {
        match self {
            Conn::Reader(db) => db.get_database_backend(),
            Conn::Tx(db) => db.get_database_backend(),
        }
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        match self {
            Conn::Reader(db) => db.execute_raw(statement).await,
            Conn::Tx(db) => db.execute_raw(statement).await,
        }
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        match self {
            Conn::Reader(db) => db.execute_unprepared(sql).await,
            Conn::Tx(db) => db.execute_unprepared(sql).await,
        }
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        match self {
            Conn::Reader(db) => db.query_one_raw(statement).await,
            Conn::Tx(db) => db.query_one_raw(statement).await,
        }
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        match self {
            Conn::Reader(db) => db.query_all_raw(statement).await,
            Conn::Tx(db) => db.query_all_raw(statement).await,
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
