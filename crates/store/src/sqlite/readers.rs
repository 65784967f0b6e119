//! Connections that cannot write.
//!
//! A read runs on the thread of its caller for so many steps of SQLite's machine, which is a few
//! milliseconds. One that takes longer is interrupted and started again on a thread for blocking
//! work, so that it never holds a thread that serves others; of those few run at a time. A read that
//! nobody waits for any more is interrupted too.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicI64, Ordering},
};

use rusqlite::{Connection, Result};
use sea_orm::{DbErr, Value};
use tokio::{
    sync::Semaphore,
    task::{coop::consume_budget, spawn_blocking},
};

use super::{
    connection::File,
    error::{is_interrupted, leaves_sound, told},
    in_time,
    statement::fetch,
    while_busy,
};
use crate::row::SqliteRow;

/// Steps between two looks at what is left.
const STRIDE: i32 = 1_000;
/// Strides that a read may take on the thread of its caller.
const INLINE: i64 = 100;
/// Long reads at a time.
const LONG: usize = 4;

/// The connections that are free.
#[derive(Debug)]
pub(super) struct Readers {
    pool: Arc<Pool>,
    long: Arc<Semaphore>,
}

#[derive(Debug)]
struct Pool {
    file: Arc<File>,
    free: Mutex<Vec<Reader>>,
}

#[derive(Debug)]
struct Reader {
    connection: Connection,
    /// Strides that are left to the statement that runs.
    left: Arc<AtomicI64>,
}

/// Ends the read that runs when nobody waits for it any more.
struct Interest(Arc<AtomicI64>);

impl Drop for Interest {
    fn drop(&mut self) {
        self.0.store(0, Ordering::Relaxed);
    }
}

impl Readers {
    pub fn of(file: Arc<File>) -> Self {
        let free = Mutex::default();
        Self {
            pool: Arc::new(Pool { file, free }),
            long: Arc::new(Semaphore::new(LONG)),
        }
    }

    pub async fn fetch(
        &self,
        sql: &str,
        values: Vec<Value>,
        most: usize,
    ) -> Result<Vec<SqliteRow>, DbErr> {
        // Nothing below waits: a loop over many reads must let others have the thread.
        consume_budget().await;
        let read = || {
            let reader = self.pool.take()?;
            reader.left.store(INLINE, Ordering::Relaxed);
            let found = fetch(&reader.connection, sql, &values, most);
            self.pool.give(reader, found.as_ref().err());
            found
        };
        match while_busy(read).await {
            Err(error) if is_interrupted(&error) => self.fetch_long(sql, values, most).await,
            done => done.map_err(told),
        }
    }

    async fn fetch_long(
        &self,
        sql: &str,
        values: Vec<Value>,
        most: usize,
    ) -> Result<Vec<SqliteRow>, DbErr> {
        let place = in_time(self.long.clone().acquire_owned()).await?;
        let reader = while_busy(|| self.pool.take()).await.map_err(told)?;
        reader.left.store(i64::MAX, Ordering::Relaxed);
        let _interest = Interest(reader.left.clone());
        let (pool, sql) = (self.pool.clone(), sql.to_owned());
        let read = spawn_blocking(move || {
            let found = fetch(&reader.connection, &sql, &values, most);
            pool.give(reader, found.as_ref().err());
            drop(place);
            found
        });
        let found = read
            .await
            .map_err(|error| DbErr::Custom(error.to_string()))?;
        found.map_err(told)
    }

    pub fn close(&self) {
        self.pool.free().clear();
    }
}

impl Pool {
    fn free(&self) -> std::sync::MutexGuard<'_, Vec<Reader>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self) -> Result<Reader> {
        if let Some(reader) = self.free().pop() {
            return Ok(reader);
        }
        let connection = self.file.reader()?;
        let left = Arc::new(AtomicI64::new(0));
        let counted = left.clone();
        let spent = move || counted.fetch_sub(1, Ordering::Relaxed) <= 0;
        connection.progress_handler(STRIDE, Some(spent))?;
        Ok(Reader { connection, left })
    }

    /// Takes a connection back, unless its failure puts it in doubt.
    fn give(&self, reader: Reader, failure: Option<&rusqlite::Error>) {
        if failure.is_none_or(|error| leaves_sound(error) || is_interrupted(error)) {
            self.free().push(reader);
        }
    }
}
