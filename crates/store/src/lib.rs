//! The database: one writer and many readers over SQLite in this process, or a PostgreSQL pool.
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
mod conn;
mod error;
mod migrations;
mod row;
mod sqlite;

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use sea_orm::{
    ConnectOptions, Database, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr,
    TransactionTrait,
};
use tokio::task::coop::consume_budget;

use availability::{Availability, is_constraint, is_lost};
pub use conn::Conn;
pub use error::{Failure, Result};
pub(crate) use row::Row;
use sqlite::{Member, Sqlite};

use domain::{Code, Error};

const POSTGRES_CONNECTIONS: u32 = 16;
/// How long a caller waits for a connection.
const PATIENCE: Duration = Duration::from_secs(10);

/// The store: hands out readers and write transactions.
#[derive(Clone, Debug)]
pub struct Db(Backend);

#[derive(Clone, Debug)]
enum Backend {
    /// A file of ours.
    Sqlite(Arc<Sqlite>),
    Postgres {
        pool: DatabaseConnection,
        server: Availability,
    },
}

/// A write transaction. Dropped without commit it leaves nothing.
#[derive(Debug)]
pub struct Tx {
    open: Open,
    /// A statement failed that may have ended the transaction: SQLite rolls back by itself when
    /// the disk or the memory fails, and what follows would take effect on its own.
    broken: AtomicBool,
}

#[derive(Debug)]
enum Open {
    Sqlite(Mutex<Member>),
    Postgres {
        transaction: DatabaseTransaction,
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
        server.ask().await?;
        let mut options = ConnectOptions::new(url);
        options
            .max_connections(POSTGRES_CONNECTIONS)
            .acquire_timeout(PATIENCE)
            .test_before_acquire(false)
            .sqlx_logging(false);
        let pool = Database::connect(options).await?;
        Ok(Self(Backend::Postgres { pool, server }))
    }

    /// For queries outside a transaction. Over SQLite these connections cannot write.
    #[must_use]
    pub fn reader(&self) -> Conn<'_> {
        Conn::Reader(self)
    }

    /// Begins a write transaction; over SQLite it holds the only writer from the start.
    ///
    /// Whoever answers with what it read in one commits it, also when nothing was written: over
    /// SQLite it may have read what others have not committed yet.
    pub async fn begin(&self) -> Result<Tx> {
        Ok(self.open_transaction().await?)
    }

    async fn open_transaction(&self) -> Result<Tx, DbErr> {
        let open = match &self.0 {
            Backend::Sqlite(file) => Open::Sqlite(Mutex::new(file.begin().await?)),
            Backend::Postgres { pool, server } => Open::Postgres {
                transaction: server.again(|| pool.begin()).await?,
                server: server.clone(),
            },
        };
        Ok(Tx {
            open,
            broken: AtomicBool::new(false),
        })
    }

    /// The pool of a PostgreSQL server.
    fn server_pool(&self) -> Option<&DatabaseConnection> {
        match &self.0 {
            Backend::Postgres { pool, .. } => Some(pool),
            Backend::Sqlite(_) => None,
        }
    }

    fn backend(&self) -> DbBackend {
        match self.0 {
            Backend::Sqlite(_) => DbBackend::Sqlite,
            Backend::Postgres { .. } => DbBackend::Postgres,
        }
    }

    /// Whether the database takes writes: over SQLite one is made, which changes nothing.
    pub async fn require_writable(&self) -> Result<()> {
        let tx = self.begin().await?;
        let conn = tx.conn();
        if self.backend() == DbBackend::Postgres {
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
        match self.0 {
            Backend::Sqlite(file) => {
                file.close().await;
                Ok(())
            }
            Backend::Postgres { pool, .. } => pool.close().await,
        }
    }
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
        self.finish().await.map_err(|error| {
            if is_lost(&error) {
                Error::new(Code::OUTCOME_UNKNOWN).caused_by(error).into()
            } else {
                error.into()
            }
        })
    }

    async fn finish(self) -> Result<(), DbErr> {
        self.require_whole()?;
        match self.open {
            Open::Sqlite(member) => {
                let member = member.into_inner();
                member
                    .unwrap_or_else(PoisonError::into_inner)
                    .commit()
                    .await
            }
            Open::Postgres {
                transaction,
                server,
            } => server.watch(transaction.commit()).await,
        }
    }

    /// Refuses where an earlier statement has broken the transaction.
    fn require_whole(&self) -> Result<(), DbErr> {
        if self.broken.load(Ordering::Relaxed) {
            return Err(broken());
        }
        Ok(())
    }

    fn noting<T>(&self, done: Result<T, DbErr>) -> Result<T, DbErr> {
        if let Err(error) = &done
            && !is_constraint(error)
        {
            self.broken.store(true, Ordering::Relaxed);
        }
        done
    }

    /// Runs a statement in this process.
    async fn here<T>(
        &self,
        member: &Mutex<Member>,
        work: impl FnOnce(&mut Member) -> Result<T, DbErr>,
    ) -> Result<T, DbErr> {
        // Nothing here waits: a loop over many statements must let others have the thread.
        consume_budget().await;
        self.require_whole()?;
        let mut member = member.lock().unwrap_or_else(PoisonError::into_inner);
        self.noting(work(&mut member))
    }

    /// Waits for a statement as long as the server is there.
    async fn there<T>(
        &self,
        server: &Availability,
        work: impl Future<Output = Result<T, DbErr>>,
    ) -> Result<T, DbErr> {
        self.require_whole()?;
        self.noting(server.watch(work).await)
    }
}

fn broken() -> DbErr {
    DbErr::Custom("the transaction was broken by an earlier failure".into())
}
