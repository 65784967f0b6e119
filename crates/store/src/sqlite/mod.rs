//! SQLite in this process: statements run on the caller's thread.
//!
//! Readers are connections that cannot write. There is a single writer. Its transactions begin with
//! `BEGIN IMMEDIATE` and may share a commit (`writer.rs`).
//!
//! No statement is handed over to another thread unless it is long. While another process holds a
//! lock, a statement is retried for 5 seconds, with pauses in which the thread serves others
//! (`wait.rs`).
//!
//! SQLite is compiled in with the flags of `.cargo/config.toml`. They leave out memory statistics
//! and checks of arguments, and keep up to 128 KiB of changed pages in memory, from which a
//! statement or a savepoint is undone. `Conn::insert` writes many rows by one statement that SQLite
//! need not be able to undo (`OR FAIL`): an error breaks its `Tx`.

mod connection;
mod decode;
mod error;
mod readers;
mod statement;
#[cfg(test)]
mod tests;
mod wait;
mod writer;

use std::sync::Arc;

use sea_orm::{DbErr, Value};

use connection::File;
pub(crate) use error::broken;
use error::told;
use readers::Readers;
pub(crate) use statement::{Cell, Found, InOrder, Typed};
pub(crate) use wait::CONNECTION_TIMEOUT;
use wait::while_busy;
pub(crate) use writer::Participant;
use writer::Writer;

use crate::{pool::PoolUse, row::SqliteRow};

/// An open database file.
#[derive(Debug)]
pub(crate) struct Sqlite {
    readers: Readers,
    writer: Arc<Writer>,
}

impl Sqlite {
    /// Opens the file of `url`, and creates it if it is absent.
    pub async fn open(url: &str) -> Result<Self, DbErr> {
        let file = Arc::new(File::of(url)?);
        // The writer creates the file and sets WAL mode.
        let first = while_busy(|| file.make()).await.map_err(told)?;
        Ok(Self {
            readers: Readers::of(file.clone()),
            writer: Arc::new(Writer::of(file, first)),
        })
    }

    /// Runs a query; returns at most `most` rows.
    pub async fn fetch<F: Found>(
        &self,
        sql: &str,
        values: Vec<Value>,
        most: usize,
    ) -> Result<Vec<F>, DbErr> {
        self.readers.fetch(sql, values, most).await
    }

    /// Runs a statement once, without a time limit, on a connection that cannot write to the file.
    pub async fn run_long(&self, sql: &str, values: Vec<Value>) -> Result<(), DbErr> {
        let run = self
            .readers
            .fetch_long::<SqliteRow>(sql, values, usize::MAX);
        run.await.map(drop)
    }

    /// Begins a write transaction.
    pub async fn begin(&self) -> Result<Participant, DbErr> {
        self.writer.begin().await
    }

    /// The current usage of the readers and the writer.
    pub fn pool_use(&self) -> PoolUse {
        let readers = self.readers.pool_use();
        PoolUse {
            open: readers.open + 1,
            in_use: readers.in_use + usize::from(self.writer.is_taken()),
            waiting: readers.waiting + self.writer.waiting(),
        }
    }

    /// Closes all idle connections.
    pub async fn close(&self) {
        self.readers.close();
        self.writer.close().await;
    }
}
