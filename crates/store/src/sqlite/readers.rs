//! Connections that cannot write.
//!
//! A read runs on the caller's thread for a few milliseconds. A longer read is interrupted and
//! restarted on a blocking thread, so that it does not block other tasks. Only a few long reads run
//! at a time, to keep one processor free. The next execution of the same statement starts on a
//! blocking thread immediately. If the caller of a read is cancelled, the read is interrupted.
//!
//! A statement uses a connection only while it runs, so there are never more readers than running
//! threads. On the caller's thread a read may take 3 ms (10,000 steps of SQLite's virtual machine
//! are always allowed, more than 100,000 never) and return 4 MiB of text. The number of concurrent
//! long reads is the number of processors minus one, at least one and at most four. No statement
//! has to be classified as long in advance.

use std::{
    collections::HashSet,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use rusqlite::{Connection, Result};
use sea_orm::{DbErr, Value};
use tokio::{
    sync::Semaphore,
    task::{coop::consume_budget, spawn_blocking},
};

use crate::pool::{Count, Counted, PoolUse};

use super::{
    connection::File,
    error::{is_interrupted, is_statement_failure, to_db_err},
    statement::Found,
    wait::{retry_while_busy, with_timeout},
};

/// A stride: the number of steps of SQLite's virtual machine between two checks of the limits.
const STRIDE: i32 = 1_000;
/// The maximum number of strides of a read on the caller's thread.
const INLINE: i64 = 100;
/// The maximum time of a read on the caller's thread.
const LENGTH: Duration = Duration::from_millis(3);
/// The number of strides without a time limit, so that a short read does not fail on a busy
/// processor.
const SHORT: i64 = 10;
/// The maximum bytes of text that a read on the caller's thread may return.
const ROOM: usize = 4 << 20;
/// The maximum number of concurrent long reads.
const LONG: usize = 4;
/// The maximum number of statements remembered as long.
const REMEMBERED: usize = 64;

/// The pool of reading connections.
#[derive(Debug)]
pub(super) struct Readers {
    pool: Arc<Pool>,
    long: Arc<Semaphore>,
    /// The number of callers that wait to run a long read.
    waiting: Count,
    known: Known,
}

/// The statements whose last execution was long.
#[derive(Debug, Default)]
struct Known {
    statements: Mutex<HashSet<String>>,
    any: AtomicBool,
}

impl Known {
    fn contains(&self, sql: &str) -> bool {
        self.any.load(Ordering::Relaxed) && self.lock_statements().contains(sql)
    }

    fn remember_length(&self, sql: &str, is_long: bool) {
        let mut statements = self.lock_statements();
        if !is_long {
            statements.remove(sql);
        } else if !statements.contains(sql) && statements.len() < REMEMBERED {
            statements.insert(sql.to_owned());
        }
        self.any.store(!statements.is_empty(), Ordering::Relaxed);
    }

    fn lock_statements(&self) -> MutexGuard<'_, HashSet<String>> {
        self.statements
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Debug)]
struct Pool {
    file: Arc<File>,
    free: Mutex<Vec<Reader>>,
    open: Count,
}

#[derive(Debug)]
struct Reader {
    connection: Connection,
    allowance: Arc<Allowance>,
    _open: Counted,
}

/// The remaining limits of the running statement.
#[derive(Debug)]
struct Allowance {
    strides: AtomicI64,
    /// The deadline, in microseconds since `opened`.
    until: AtomicU64,
    opened: Instant,
}

impl Allowance {
    fn exhausted() -> Self {
        Self {
            strides: AtomicI64::new(0),
            until: AtomicU64::new(0),
            opened: Instant::now(),
        }
    }

    fn elapsed_micros(&self) -> u64 {
        u64::try_from(self.opened.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    fn limit_short_read(&self) {
        let length = u64::try_from(LENGTH.as_micros()).unwrap_or(u64::MAX);
        self.until
            .store(self.elapsed_micros() + length, Ordering::Relaxed);
        self.strides.store(INLINE, Ordering::Relaxed);
    }

    fn unlimit_strides(&self) {
        self.strides.store(i64::MAX, Ordering::Relaxed);
    }

    /// Counts a stride. Returns whether the read has exceeded a limit.
    fn count_stride(&self) -> bool {
        let left = self.strides.fetch_sub(1, Ordering::Relaxed);
        left <= 0
            || (left <= INLINE - SHORT
                && self.elapsed_micros() > self.until.load(Ordering::Relaxed))
    }
}

/// Interrupts the running read on drop. A cancelled caller drops it while the read is running.
struct Interest(Arc<Allowance>);

impl Drop for Interest {
    fn drop(&mut self) {
        self.0.strides.store(0, Ordering::Relaxed);
    }
}

impl Readers {
    pub fn new(file: Arc<File>) -> Self {
        let (free, open) = (Mutex::default(), Count::default());
        let processors = thread::available_parallelism().map_or(1, usize::from);
        let long = processors.saturating_sub(1).clamp(1, LONG);
        Self {
            pool: Arc::new(Pool { file, free, open }),
            long: Arc::new(Semaphore::new(long)),
            waiting: Count::default(),
            known: Known::default(),
        }
    }

    pub async fn fetch<F: Found>(
        &self,
        sql: &str,
        values: Vec<Value>,
        most: usize,
    ) -> Result<Vec<F>, DbErr> {
        // A short read does not yield to the runtime. So this call yields after many reads, and other
        // tasks can run.
        consume_budget().await;
        if self.known.contains(sql) {
            return self.fetch_long(sql, values, most).await;
        }
        let read = || {
            let reader = self.pool.take_or_open_reader()?;
            reader.allowance.limit_short_read();
            let found = F::fetch(&reader.connection, sql, &values, most, ROOM);
            self.pool.return_reader(reader, found.as_ref().err());
            found
        };
        match retry_while_busy(read).await {
            Err(error) if is_interrupted(&error) => self.fetch_long(sql, values, most).await,
            done => done.map_err(to_db_err),
        }
    }

    pub async fn fetch_long<F: Found>(
        &self,
        sql: &str,
        values: Vec<Value>,
        most: usize,
    ) -> Result<Vec<F>, DbErr> {
        let waiting = self.waiting.enter();
        let place = with_timeout(self.long.clone().acquire_owned()).await?;
        drop(waiting);
        let reader = retry_while_busy(|| self.pool.take_or_open_reader())
            .await
            .map_err(to_db_err)?;
        reader.allowance.unlimit_strides();
        let interest = Interest(reader.allowance.clone());
        let text = sql.to_owned();
        let read = spawn_blocking(move || {
            let begun = Instant::now();
            let found = F::fetch(&reader.connection, &text, &values, most, usize::MAX);
            drop(place);
            (reader, found, begun.elapsed())
        });
        let (reader, found, taken) = read
            .await
            .map_err(|error| DbErr::Custom(error.to_string()))?;
        drop(interest);
        self.known.remember_length(sql, taken > LENGTH);
        self.pool.return_reader(reader, found.as_ref().err());
        found.map_err(to_db_err)
    }

    /// Returns the number of open, used and awaited connections.
    pub fn pool_use(&self) -> PoolUse {
        let free = self.pool.lock_free().len();
        let open = self.pool.open.get();
        PoolUse {
            open,
            in_use: open.saturating_sub(free),
            waiting: self.waiting.get(),
        }
    }

    pub fn close(&self) {
        self.pool.lock_free().clear();
    }
}

impl Pool {
    fn lock_free(&self) -> MutexGuard<'_, Vec<Reader>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take_or_open_reader(&self) -> Result<Reader> {
        if let Some(reader) = self.lock_free().pop() {
            return Ok(reader);
        }
        let connection = self.file.open_reader()?;
        let allowance = Arc::new(Allowance::exhausted());
        let taken = allowance.clone();
        connection.progress_handler(STRIDE, Some(move || taken.count_stride()))?;
        Ok(Reader {
            connection,
            allowance,
            _open: self.open.enter(),
        })
    }

    /// Returns a connection to the pool, unless the error leaves its state uncertain.
    fn return_reader(&self, reader: Reader, failure: Option<&rusqlite::Error>) {
        if failure.is_none_or(|error| is_statement_failure(error) || is_interrupted(error)) {
            self.lock_free().push(reader);
        }
    }
}
