//! Write transactions, over either database.
//!
//! SQLite may roll back by itself when the disk or the memory fails. A statement that failed for
//! anything but a constraint therefore breaks its `Tx`, which then refuses every further statement
//! and the commit. On PostgreSQL any failed statement does, because the server answers the commit
//! of such a transaction with a rollback.
//!
//! A caller that answers with what it read inside a transaction commits it, because it may have
//! read what others had not committed yet.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use sea_orm::{DatabaseTransaction, DbErr};
use tokio::{sync::OnceCell, task::coop::consume_budget};

use crate::{
    Result,
    availability::{Availability, is_constraint, is_lost},
    pool::Counted,
    sqlite::{Participant, Sqlite, broken},
};
use domain::{Code, Error};

/// A write transaction. Dropped without a commit, it changes nothing.
#[derive(Debug)]
pub struct Tx {
    pub(crate) open: Open,
    /// Set when a failed statement may have ended the transaction. SQLite rolls back on its own
    /// when the disk or the memory fails; later statements would then each take effect on their
    /// own.
    broken: AtomicBool,
}

#[derive(Debug)]
pub(crate) enum Open {
    Sqlite(SqliteTx),
    Postgres {
        /// Counts the connection of the pool that the transaction holds.
        _wanted: Counted,
        transaction: DatabaseTransaction,
        server: Availability,
    },
}

/// A transaction of SQLite. It waits for the writer only at its first statement.
#[derive(Debug)]
pub(crate) struct SqliteTx {
    file: Arc<Sqlite>,
    participant: OnceCell<Mutex<Participant>>,
}

impl SqliteTx {
    pub fn of(file: Arc<Sqlite>) -> Self {
        Self {
            file,
            participant: OnceCell::new(),
        }
    }

    /// Waits for the writer.
    pub async fn begin(&self) -> Result<&Mutex<Participant>, DbErr> {
        let begin = async || self.file.begin().await.map(Mutex::new);
        self.participant.get_or_try_init(begin).await
    }
}

impl Tx {
    pub(crate) fn of(open: Open) -> Self {
        Self {
            open,
            broken: AtomicBool::new(false),
        }
    }

    /// Commits. After `Ok` the changes are durable.
    ///
    /// Refused with `OUTCOME_UNKNOWN` when the connection to the server is lost during the commit.
    pub async fn commit(self) -> Result<()> {
        self.finish().await.map_err(|error| {
            if is_lost(&error) {
                Error::new(Code::OUTCOME_UNKNOWN).caused_by(error).into()
            } else {
                error.into()
            }
        })
    }

    /// How long this transaction has held the writer of SQLite, if other callers wait.
    #[must_use]
    pub fn keeps_waiting(&self) -> Option<Duration> {
        let Open::Sqlite(open) = &self.open else {
            return None;
        };
        let participant = open.participant.get()?.lock();
        participant
            .unwrap_or_else(PoisonError::into_inner)
            .keeps_waiting()
    }

    pub(crate) async fn finish(self) -> Result<(), DbErr> {
        self.require_whole()?;
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
            Open::Postgres {
                transaction,
                server,
                _wanted,
            } => server.watch(transaction.commit()).await,
        }
    }

    /// Refuses if an earlier statement has broken the transaction.
    pub(crate) fn require_whole(&self) -> Result<(), DbErr> {
        if self.broken.load(Ordering::Relaxed) {
            return Err(broken());
        }
        Ok(())
    }

    pub(crate) fn noting<T>(&self, done: Result<T, DbErr>) -> Result<T, DbErr> {
        if let Err(error) = &done
            && !is_constraint(error)
        {
            self.break_off();
        }
        done
    }

    /// Breaks the transaction: all later statements and the commit are refused.
    pub(crate) fn break_off(&self) {
        self.broken.store(true, Ordering::Relaxed);
    }

    /// Runs a statement on SQLite, in this process.
    pub(crate) async fn here<T>(
        &self,
        open: &SqliteTx,
        work: impl FnOnce(&mut Participant) -> Result<T, DbErr>,
    ) -> Result<T, DbErr> {
        // Nothing below waits, so this lets other tasks run between many statements.
        consume_budget().await;
        self.require_whole()?;
        let participant = self.noting(open.begin().await)?;
        let mut participant = participant.lock().unwrap_or_else(PoisonError::into_inner);
        self.noting(work(&mut participant))
    }

    /// Runs a statement on the server, and fails as soon as the server is unavailable.
    pub(crate) async fn there<T>(
        &self,
        server: &Availability,
        work: impl Future<Output = Result<T, DbErr>>,
    ) -> Result<T, DbErr> {
        self.require_whole()?;
        let done = server.watch(work).await;
        if done.is_err() {
            // PostgreSQL answers the commit of a failed transaction with a rollback, which the
            // driver does not report as an error.
            self.break_off();
        }
        done
    }
}
