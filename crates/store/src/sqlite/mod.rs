//! SQLite in this process: statements run on the thread of their caller.
//!
//! Readers are connections that cannot write. There is one writer, whose transactions begin
//! immediate and may share a commit (`writer.rs`).

mod connection;
mod decode;
mod error;
mod readers;
mod statement;
#[cfg(test)]
mod tests;
mod writer;

use std::{future::Future, sync::Arc, time::Duration};

use rusqlite::Result;
use sea_orm::{DbErr, Value};
use tokio::time::Instant;

use connection::File;
use error::{is_busy, told};
use readers::Readers;
pub(crate) use statement::{Found, Typed};
pub(crate) use writer::Member;
use writer::Writer;

/// For how long a statement is tried again while another process is in its way.
const BUSY: Duration = Duration::from_secs(5);
/// Between the first two tries; doubled up to the longest.
const PAUSE: Duration = Duration::from_millis(1);
const LONGEST_PAUSE: Duration = Duration::from_millis(50);

/// An open database file.
#[derive(Debug)]
pub(crate) struct Sqlite {
    readers: Readers,
    writer: Arc<Writer>,
}

impl Sqlite {
    /// Opens the file that `url` names, made when it is absent.
    pub async fn open(url: &str) -> Result<Self, DbErr> {
        let file = Arc::new(File::of(url)?);
        // The writer makes the file and sets it to WAL.
        let first = while_busy(|| file.make()).await.map_err(told)?;
        Ok(Self {
            readers: Readers::of(file.clone()),
            writer: Arc::new(Writer::of(file, first)),
        })
    }

    /// What a query finds, at most so many rows.
    pub async fn fetch<F: Found>(
        &self,
        sql: &str,
        values: Vec<Value>,
        most: usize,
    ) -> Result<Vec<F>, DbErr> {
        self.readers.fetch(sql, values, most).await
    }

    /// Begins a write transaction.
    pub async fn begin(&self) -> Result<Member, DbErr> {
        self.writer.begin().await
    }

    /// Closes every connection that is not in use.
    pub async fn close(&self) {
        self.readers.close();
        self.writer.close().await;
    }
}

/// Tries again as long as another process is in the way. Nothing waits inside SQLite, which would
/// hold a thread that serves others.
async fn while_busy<T>(mut attempt: impl FnMut() -> Result<T>) -> Result<T> {
    let begun = Instant::now();
    let mut pause = PAUSE;
    loop {
        match attempt() {
            Err(error) if is_busy(&error) && begun.elapsed() < BUSY => {
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
            done => return done,
        }
    }
}

/// Waits for a place at most as long as anybody waits for a connection.
async fn in_time<T>(place: impl Future<Output = T>) -> Result<T, DbErr> {
    let waited = tokio::time::timeout(crate::PATIENCE, place).await;
    waited.map_err(|_| DbErr::ConnectionAcquire(sea_orm::ConnAcquireErr::Timeout))
}
