//! The writing connection, and commits shared by several transactions (group commit).
//!
//! If another caller waits for the writer when a transaction ends, the transaction stays uncommitted.
//! The next caller continues in the same SQLite transaction, under a savepoint. When no caller waits,
//! the last transaction commits for all of them, with a single sync of the disk. `commit` returns only
//! after this sync. If the commit fails, it fails for all of them.
//!
//! If the transaction state of the connection is uncertain, the connection is closed. Closing it rolls
//! back all transactions that shared it, none of which has been acknowledged.
//!
//! The connection is in WAL mode with `synchronous=FULL`. At most 64 transactions share a commit,
//! and none joins after 20 ms. A refused or dropped transaction rolls back to its savepoint, which
//! does not affect the others. A caller that is cancelled while it waits commits the transactions
//! that ended before its turn. After a commit of more than 1 ms, the next commit runs on a blocking
//! thread.
//!
//! The state of a connection is uncertain when SQLite has rolled back on its own, when an error is
//! not limited to the statement, or when a `COMMIT` or `ROLLBACK` has failed. All callers that
//! shared its transaction get the error, and the next caller opens a new connection.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use rusqlite::{Connection, Result};
use sea_orm::{DbErr, Value};
use tokio::{
    sync::{Mutex, OwnedMutexGuard, oneshot},
    task::spawn_blocking,
};

use super::{
    connection::File,
    error::{broken_transaction_error, is_statement_failure, to_db_err},
    statement::{Cell, Found, execute, insert},
    wait::{retry_while_busy, with_timeout},
};

/// The maximum number of transactions that share a commit.
const GROUP: usize = 64;
/// The maximum age of a shared transaction that others may still join.
const AGE: Duration = Duration::from_millis(20);
/// After a commit slower than this, the next commit runs on a blocking thread.
const SLOW: Duration = Duration::from_millis(1);

type Outcome = Result<(), DbErr>;

/// The writer, and the number of callers waiting for it.
#[derive(Debug)]
pub(super) struct Writer {
    file: Arc<File>,
    state: Arc<Mutex<State>>,
    waiting: AtomicUsize,
    /// Whether the last commit was slow.
    slow: AtomicBool,
}

#[derive(Debug)]
struct State {
    /// `None` after the connection was closed because its state was uncertain.
    connection: Option<Connection>,
    /// Channels to the callers whose transactions have ended but are not committed yet.
    group: Vec<oneshot::Sender<Outcome>>,
    begun: Instant,
}

/// Exclusive use of the writer. On drop, ended transactions are committed if no other caller waits
/// for the writer.
#[derive(Debug)]
struct Turn {
    writer: Arc<Writer>,
    state: Option<OwnedMutexGuard<State>>,
}

/// A turn whose transaction has ended. Dropping it commits: normally on a blocking thread, or on
/// the current thread if the runtime is shutting down and rejects blocking work.
struct Committing {
    turn: Turn,
    /// `None` once the outcome is sent.
    answer: Option<oneshot::Sender<Outcome>>,
}

/// The transaction of one caller. It is rolled back when dropped without a commit.
#[derive(Debug)]
pub(crate) struct Participant {
    turn: Turn,
    /// Whether this transaction joined the SQLite transaction of earlier callers.
    joined: bool,
    ended: bool,
    begun: Instant,
}

/// A caller that waits for the writer.
struct Waiting<'a>(&'a Writer);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::SeqCst);
        // This caller may have been cancelled after earlier callers left their transactions to it.
        self.0.commit_left_over();
    }
}

impl Writer {
    pub fn new(file: Arc<File>, first: Connection) -> Self {
        let state = State {
            connection: Some(first),
            group: vec![],
            begun: Instant::now(),
        };
        Self {
            file,
            state: Arc::new(Mutex::new(state)),
            waiting: AtomicUsize::new(0),
            slow: AtomicBool::new(false),
        }
    }

    pub async fn begin(self: &Arc<Self>) -> Result<Participant, DbErr> {
        let mut turn = self.acquire_turn().await?;
        let state = turn.state()?;
        let joined = !state.group.is_empty();
        if let Err(error) = retry_while_busy(|| state.begin(&self.file, joined)).await {
            let error = to_db_err(error);
            state.close_connection(&error);
            return Err(error);
        }
        Ok(Participant {
            turn,
            joined,
            ended: false,
            begun: Instant::now(),
        })
    }

    async fn acquire_turn(self: &Arc<Self>) -> Result<Turn, DbErr> {
        let writer = self.clone();
        if let Ok(state) = self.state.clone().try_lock_owned() {
            let state = Some(state);
            return Ok(Turn { writer, state });
        }
        self.waiting.fetch_add(1, Ordering::SeqCst);
        let waiting = Waiting(self);
        let state = Some(with_timeout(self.state.clone().lock_owned()).await?);
        drop(waiting);
        Ok(Turn { writer, state })
    }

    fn has_waiting_callers(&self) -> bool {
        self.waiting_count() > 0
    }

    /// Returns the number of callers waiting for the writer.
    pub fn waiting_count(&self) -> usize {
        self.waiting.load(Ordering::SeqCst)
    }

    /// Returns whether a caller holds the writer.
    pub fn is_taken(&self) -> bool {
        self.state.try_lock().is_err()
    }

    /// Commits the ended transactions if no caller waits for the writer.
    fn commit_left_over(&self) {
        if !self.has_waiting_callers()
            && let Ok(mut state) = self.state.try_lock()
        {
            state.commit_group();
        }
    }

    pub async fn close(&self) {
        let mut state = self.state.lock().await;
        state.commit_group();
        state.connection = None;
    }
}

impl Turn {
    fn state(&mut self) -> Result<&mut State, DbErr> {
        self.state
            .as_deref_mut()
            .ok_or_else(broken_transaction_error)
    }

    fn detach(&mut self) -> Self {
        Self {
            writer: self.writer.clone(),
            state: self.state.take(),
        }
    }

    /// Commits the open SQLite transaction for all transactions that share it.
    async fn commit(mut self) -> Outcome {
        if !self.writer.slow.load(Ordering::Relaxed) {
            return self.commit_on_this_thread();
        }
        let (answer, outcome) = oneshot::channel();
        let committing = Committing {
            turn: self,
            answer: Some(answer),
        };
        drop(spawn_blocking(move || drop(committing)));
        outcome
            .await
            .unwrap_or_else(|_| Err(broken_transaction_error()))
    }

    fn commit_on_this_thread(&mut self) -> Outcome {
        let begun = Instant::now();
        let committed = self.state()?.commit();
        let slow = begun.elapsed() > SLOW;
        self.writer.slow.store(slow, Ordering::Relaxed);
        committed
    }
}

impl Drop for Committing {
    fn drop(&mut self) {
        let outcome = self.turn.commit_on_this_thread();
        // This releases the writer first, so that the caller can begin its next transaction
        // immediately.
        drop(self.turn.detach());
        if let Some(answer) = self.answer.take() {
            // A cancelled caller needs no answer.
            let _ = answer.send(outcome);
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let Some(mut state) = self.state.take() else {
            return;
        };
        if !self.writer.has_waiting_callers() {
            state.commit_group();
        }
        drop(state);
        // The waiting caller may have been cancelled before it noticed the uncommitted
        // transactions.
        self.writer.commit_left_over();
    }
}

impl State {
    fn begin(&mut self, file: &File, joined: bool) -> Result<()> {
        let connection = match &self.connection {
            Some(connection) => connection,
            None => self.connection.insert(file.open_writer()?),
        };
        if joined {
            return run_command(connection, "SAVEPOINT member");
        }
        self.begun = Instant::now();
        run_command(connection, "BEGIN IMMEDIATE")
    }

    /// Returns whether another transaction may join the group before the commit.
    fn may_join(&self) -> bool {
        self.group.len() + 1 < GROUP && self.begun.elapsed() < AGE
    }

    fn commit(&mut self) -> Outcome {
        let connection = self
            .connection
            .as_ref()
            .ok_or_else(broken_transaction_error)?;
        match run_command(connection, "COMMIT") {
            Ok(()) => {
                for member in self.group.drain(..) {
                    // A cancelled caller needs no answer.
                    let _ = member.send(Ok(()));
                }
                Ok(())
            }
            Err(error) => {
                let error = to_db_err(error);
                self.close_connection(&error);
                Err(error)
            }
        }
    }

    fn commit_group(&mut self) {
        if !self.group.is_empty()
            && let Err(error) = self.commit()
        {
            tracing::warn!(%error, "um commit falhou");
        }
    }

    fn roll_back(&mut self, joined: bool) {
        let Some(connection) = &self.connection else {
            return;
        };
        let undone = if joined {
            run_command(connection, "ROLLBACK TO member")
                .and_then(|()| run_command(connection, "RELEASE member"))
        } else {
            run_command(connection, "ROLLBACK")
        };
        if let Err(error) = undone {
            self.close_connection(&to_db_err(error));
        } else if connection.is_autocommit() == joined {
            self.close_connection(&broken_transaction_error());
        }
    }

    /// Closes the connection, which rolls back. All callers that shared its transaction get the
    /// error.
    fn close_connection(&mut self, error: &DbErr) {
        self.connection = None;
        for member in self.group.drain(..) {
            let _ = member.send(Err(error.clone()));
        }
    }
}

fn run_command(connection: &Connection, sql: &str) -> Result<()> {
    connection.prepare_cached(sql)?.raw_execute().map(drop)
}

impl Participant {
    pub fn fetch<F: Found>(
        &mut self,
        sql: &str,
        values: &[Value],
        most: usize,
    ) -> Result<Vec<F>, DbErr> {
        self.run(|connection| F::fetch(connection, sql, values, most, usize::MAX))
    }

    pub fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64, DbErr> {
        self.run(|connection| execute(connection, sql, values))
    }

    /// Inserts rows; returns the number of rows inserted or changed.
    pub fn insert<const N: usize>(
        &mut self,
        parts: (&str, &str),
        rows: &[[Cell<'_>; N]],
    ) -> Result<usize, DbErr> {
        self.run(|connection| insert(connection, parts, rows))
    }

    /// Runs several statements without values.
    pub fn execute_all(&mut self, sql: &str) -> Result<(), DbErr> {
        self.run(|connection| connection.execute_batch(sql))
    }

    fn run<T>(&mut self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T, DbErr> {
        let state = self.turn.state()?;
        let connection = state
            .connection
            .as_ref()
            .ok_or_else(broken_transaction_error)?;
        let error = match work(connection) {
            Ok(done) => return Ok(done),
            Err(error) => error,
        };
        // SQLite may have rolled back on its own. Later statements would then commit one by one.
        let sound = is_statement_failure(&error) && !connection.is_autocommit();
        let error = to_db_err(error);
        if !sound {
            state.close_connection(&error);
        }
        Err(error)
    }

    /// Returns how long this transaction has held the writer; `None` if no other caller waits.
    pub fn time_blocking_others(&self) -> Option<Duration> {
        self.turn
            .writer
            .has_waiting_callers()
            .then(|| self.begun.elapsed())
    }

    /// Commits, alone or in a group. After `Ok` the changes are synced to disk.
    pub async fn commit(mut self) -> Outcome {
        let awaited = self.turn.writer.has_waiting_callers();
        let state = self.turn.state()?;
        if !awaited || !state.may_join() {
            self.ended = true;
            return self.turn.detach().commit().await;
        }
        let connection = state
            .connection
            .as_ref()
            .ok_or_else(broken_transaction_error)?;
        if self.joined
            && let Err(error) = run_command(connection, "RELEASE member")
        {
            let error = to_db_err(error);
            state.close_connection(&error);
            return Err(error);
        }
        let (member, answer) = oneshot::channel();
        state.group.push(member);
        self.ended = true;
        drop(self);
        answer
            .await
            .unwrap_or_else(|_| Err(broken_transaction_error()))
    }
}

impl Drop for Participant {
    fn drop(&mut self) {
        let joined = self.joined;
        if !self.ended
            && let Some(state) = self.turn.state.as_deref_mut()
        {
            state.roll_back(joined);
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::runtime::{Builder, Runtime};

    use super::*;

    fn new_runtime() -> Runtime {
        let mut builder = Builder::new_current_thread();
        builder.enable_time().build().expect("a runtime")
    }

    #[test]
    fn transactions_commit_during_the_shutdown_of_the_runtime() {
        let name = format!("pauta-store-{}-shutdown", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).expect("a folder");
        let file = folder.join("a.db");
        let file = Arc::new(File::parse(&format!("sqlite://{}", file.display())).expect("a file"));
        let first = file.open_first().expect("opens");
        let writer = Arc::new(Writer::new(file, first));
        let begin = |sql: &'static str| {
            let writer = writer.clone();
            async move {
                let mut member = writer.begin().await?;
                member.execute(sql, &[])?;
                Ok::<_, DbErr>(member)
            }
        };
        let ending = new_runtime();
        let member = ending.block_on(begin("CREATE TABLE notes (n INTEGER)"));
        let member = member.expect("begins");
        writer.slow.store(true, Ordering::Relaxed);
        let handle = ending.handle().clone();
        ending.shutdown_background();
        let other = new_runtime();
        other
            .block_on(async {
                // The blocking threads of this runtime are gone.
                let _ending = handle.enter();
                member.commit().await
            })
            .expect("committed");
        let next =
            other.block_on(async { begin("INSERT INTO notes VALUES (1)").await?.commit().await });
        next.expect("the next transaction begins and commits");
        let _ = std::fs::remove_dir_all(&folder);
    }
}
