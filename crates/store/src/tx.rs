//! Write transactions, over either database.
//!
//! SQLite may roll back on its own when the disk or the memory fails. So a statement that fails for
//! any reason but a constraint breaks its `Tx`: all later statements and the commit fail. On
//! PostgreSQL every failed statement breaks the `Tx`, because the server answers the commit of such
//! a transaction with a rollback. A statement that was run with `Conn::run_later` may fail only at
//! the commit.
//!
//! A caller that returns data read in a transaction must commit it, because the data may include
//! uncommitted changes of other callers.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use sea_orm::DbErr;
use tokio::{sync::OnceCell, task::coop::consume_budget};

use crate::{
    Result,
    driver::{is_connection_lost, is_constraint_violation},
    postgres::Transaction,
    sqlite::{Participant, Sqlite, broken_transaction_error},
    statement_span::{StatementSpan, System},
};
use domain::{Code, Error};

/// A write transaction. It is rolled back if it is dropped without a commit.
#[derive(Debug)]
pub struct Tx {
    pub(crate) open: Open,
    /// Set when a failed statement may have ended the transaction. SQLite rolls back on its own when the
    /// disk or the memory fails; each later statement would then be committed separately.
    broken: AtomicBool,
    /// The span stays open until the end of the transaction.
    span: StatementSpan,
}

#[derive(Debug)]
pub(crate) enum Open {
    Sqlite(SqliteTx),
    Postgres(Box<Transaction>),
}

/// A transaction of SQLite. It waits for the writer only at its first statement.
#[derive(Debug)]
pub(crate) struct SqliteTx {
    file: Arc<Sqlite>,
    participant: OnceCell<Mutex<Participant>>,
}

impl SqliteTx {
    pub fn new(file: Arc<Sqlite>) -> Self {
        Self {
            file,
            participant: OnceCell::new(),
        }
    }

    /// Begins the transaction at the first call, after waiting for the writer.
    pub async fn begin(&self) -> Result<&Mutex<Participant>, DbErr> {
        let begin = async || self.file.begin().await.map(Mutex::new);
        self.participant.get_or_try_init(begin).await
    }
}

impl Tx {
    pub(crate) fn new(open: Open) -> Self {
        let system = match open {
            Open::Sqlite(_) => System::Sqlite,
            Open::Postgres(_) => System::Postgres,
        };
        Self {
            open,
            broken: AtomicBool::new(false),
            span: StatementSpan::open_for_transaction(system),
        }
    }

    /// Commits. After `Ok` the changes are durable.
    ///
    /// Returns `OUTCOME_UNKNOWN` if the connection to the server is lost during the commit.
    pub async fn commit(self) -> Result<()> {
        let span = self.span.clone();
        let done = self.commit_on_database().await;
        if done.is_ok() {
            span.note_commit();
        }
        done.map_err(|error| {
            if is_connection_lost(&error) {
                Error::new(Code::OUTCOME_UNKNOWN).caused_by(error).into()
            } else {
                error.into()
            }
        })
    }

    /// Returns how long this transaction has held the SQLite writer; `None` if no other caller waits.
    #[must_use]
    pub fn time_blocking_others(&self) -> Option<Duration> {
        let Open::Sqlite(open) = &self.open else {
            return None;
        };
        let participant = open.participant.get()?.lock();
        participant
            .unwrap_or_else(PoisonError::into_inner)
            .time_blocking_others()
    }

    pub(crate) async fn commit_on_database(self) -> Result<(), DbErr> {
        self.require_unbroken()?;
        match self.open {
            Open::Sqlite(open) => match open.participant.into_inner() {
                Some(participant) => {
                    let participant = participant.into_inner();
                    participant
                        .unwrap_or_else(PoisonError::into_inner)
                        .commit()
                        .await
                }
                // The transaction ran no statement.
                None => Ok(()),
            },
            Open::Postgres(open) => Box::pin(open.commit()).await,
        }
    }

    /// Returns an error if an earlier statement has broken the transaction.
    pub(crate) fn require_unbroken(&self) -> Result<(), DbErr> {
        if self.broken.load(Ordering::Relaxed) {
            return Err(broken_transaction_error());
        }
        Ok(())
    }

    pub(crate) fn mark_broken_on_error<T>(&self, done: Result<T, DbErr>) -> Result<T, DbErr> {
        if let Err(error) = &done
            && !is_constraint_violation(error)
        {
            self.mark_broken();
        }
        done
    }

    /// Marks the transaction as broken: all later statements and the commit fail.
    pub(crate) fn mark_broken(&self) {
        self.broken.store(true, Ordering::Relaxed);
    }

    /// Runs a statement on SQLite, in this process.
    pub(crate) async fn run_on_sqlite<T>(
        &self,
        open: &SqliteTx,
        work: impl FnOnce(&mut Participant) -> Result<T, DbErr>,
    ) -> Result<T, DbErr> {
        self.span.count_statement();
        // Nothing below yields. This call lets other tasks run between many statements.
        consume_budget().await;
        self.require_unbroken()?;
        let participant = self.mark_broken_on_error(open.begin().await)?;
        let mut participant = participant.lock().unwrap_or_else(PoisonError::into_inner);
        self.mark_broken_on_error(work(&mut participant))
    }

    /// Runs a statement on the server.
    pub(crate) async fn run_on_server<T>(
        &self,
        work: impl Future<Output = Result<T, DbErr>>,
    ) -> Result<T, DbErr> {
        self.span.count_statement();
        self.require_unbroken()?;
        let mut statement = Statement {
            tx: self,
            succeeded: false,
        };
        let done = work.await;
        statement.succeeded = done.is_ok();
        done
    }
}

/// A statement that runs on the server. Unless it succeeds, it breaks the transaction: the server
/// refuses all statements after a failed one, and the effect of a cancelled statement is unknown.
struct Statement<'t> {
    tx: &'t Tx,
    succeeded: bool,
}

impl Drop for Statement<'_> {
    fn drop(&mut self) {
        if !self.succeeded {
            self.tx.mark_broken();
        }
    }
}
