//! SQLite in this process: statements run on the caller's thread.
//!
//! Readers are connections that cannot write. There is a single writer, whose transactions begin
//! with `BEGIN IMMEDIATE` and may share a commit (`writer.rs`).
//!
//! Only long statements run on another thread. While another process holds a lock, a statement is
//! retried for 5 seconds, with pauses in which the thread runs other tasks (`wait.rs`).
//!
//! SQLite is compiled into the binary with the flags of `.cargo/config.toml`. They disable memory
//! statistics and checks of arguments, and keep up to 128 KiB of changed pages in memory, from
//! which SQLite rolls back a statement or a savepoint. `Conn::insert` inserts many rows by one
//! statement with `OR FAIL`. After an error SQLite does not roll back that statement; instead the
//! error breaks the `Tx`.

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
pub(crate) use error::broken_transaction_error;
use error::to_db_err;
use readers::Readers;
pub(crate) use statement::{Cell, Found, InOrder, Typed};
pub(crate) use wait::CONNECTION_TIMEOUT;
use wait::retry_while_busy;
pub(crate) use writer::Participant;
use writer::Writer;

use crate::{pool::PoolUse, row::Row};

/// An open database file.
#[derive(Debug)]
pub(crate) struct Sqlite {
    readers: Readers,
    writer: Arc<Writer>,
}

impl Sqlite {
    /// Opens the file of `url`, and creates it if it is absent.
    pub async fn open(url: &str) -> Result<Self, DbErr> {
        let file = Arc::new(File::parse(url)?);
        // The writer creates the file and sets WAL mode.
        let first = retry_while_busy(|| file.open_first())
            .await
            .map_err(to_db_err)?;
        Ok(Self {
            readers: Readers::new(file.clone()),
            writer: Arc::new(Writer::new(file, first)),
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
        let run = self.readers.fetch_long::<Row>(sql, values, usize::MAX);
        run.await.map(drop)
    }

    /// Begins a write transaction.
    pub async fn begin(&self) -> Result<Participant, DbErr> {
        self.writer.begin().await
    }

    /// Returns the number of open, used and awaited connections.
    pub fn pool_use(&self) -> PoolUse {
        let readers = self.readers.pool_use();
        PoolUse {
            open: readers.open + 1,
            in_use: readers.in_use + usize::from(self.writer.is_taken()),
            waiting: readers.waiting + self.writer.waiting_count(),
        }
    }

    /// Closes all idle connections.
    pub async fn close(&self) {
        self.readers.close();
        self.writer.close().await;
    }
}
