//! The writing connection, and commits shared by several transactions (group commit).
//!
//! If another caller waits for the writer when a transaction ends, the transaction stays
//! uncommitted. The next caller continues in the same SQLite transaction, under a savepoint. When
//! nobody waits, the last one commits for all of them, with a single sync of the disk. Callers are
//! answered only after that commit; if it fails, all of them are refused.
//!
//! If the transaction state of the connection is uncertain, the connection is closed. This rolls
//! back all transactions that shared it, none of which has been acknowledged.
//!
//! The connection is in WAL mode with `synchronous=FULL`. At most 64 transactions share a commit,
//! and none joins after 20 ms. A refused or dropped transaction rolls back to its savepoint, and
//! the others are not affected. A caller that is cancelled while it waits commits what was left to
//! it. After a commit of more than 1 ms, the next one waits for the disk on a thread for blocking
//! work.
//!
//! A connection is in doubt when SQLite left the transaction, when a failure was not that of the
//! statement, and when a `COMMIT` or `ROLLBACK` failed. All callers that shared its transaction are
//! refused, and the next caller opens a new connection.

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
    error::{broken, leaves_sound, told},
    statement::{Cell, Found, execute, insert},
    wait::{in_time, while_busy},
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
    /// Callers whose transactions have ended but are not committed yet.
    group: Vec<oneshot::Sender<Outcome>>,
    begun: Instant,
}

/// The right to use the writer. On drop, uncommitted transactions are committed if nobody waits.
#[derive(Debug)]
struct Turn {
    writer: Arc<Writer>,
    state: Option<OwnedMutexGuard<State>>,
}

/// A turn whose transaction has ended; the commit happens on drop. Normally this is on a blocking
/// thread. If the runtime is shutting down and rejects blocking work, it is on the current thread.
struct Committing {
    turn: Turn,
    /// `None` once the outcome is sent.
    answer: Option<oneshot::Sender<Outcome>>,
}

/// The transaction of one caller. It is rolled back when dropped without a commit.
#[derive(Debug)]
pub(crate) struct Participant {
    turn: Turn,
    /// Whether it continues the SQLite transaction of others.
    joined: bool,
    ended: bool,
    begun: Instant,
}

/// A caller that waits for the writer.
struct Waiting<'a>(&'a Writer);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::SeqCst);
        // This caller may have been cancelled after others left their commit to it.
        self.0.settle();
    }
}

impl Writer {
    pub fn of(file: Arc<File>, first: Connection) -> Self {
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
        let mut turn = self.turn().await?;
        let state = turn.state()?;
        let joined = !state.group.is_empty();
        if let Err(error) = while_busy(|| state.begin(&self.file, joined)).await {
            let error = told(error);
            state.throw_away(&error);
            return Err(error);
        }
        Ok(Participant {
            turn,
            joined,
            ended: false,
            begun: Instant::now(),
        })
    }

    async fn turn(self: &Arc<Self>) -> Result<Turn, DbErr> {
        let writer = self.clone();
        if let Ok(state) = self.state.clone().try_lock_owned() {
            let state = Some(state);
            return Ok(Turn { writer, state });
        }
        self.waiting.fetch_add(1, Ordering::SeqCst);
        let waiting = Waiting(self);
        let state = Some(in_time(self.state.clone().lock_owned()).await?);
        drop(waiting);
        Ok(Turn { writer, state })
    }

    fn is_awaited(&self) -> bool {
        self.waiting() > 0
    }

    /// The number of callers waiting for the writer.
    pub fn waiting(&self) -> usize {
        self.waiting.load(Ordering::SeqCst)
    }

    /// Whether somebody holds the writer.
    pub fn is_taken(&self) -> bool {
        self.state.try_lock().is_err()
    }

    /// Commits transactions that were left to a cancelled caller.
    fn settle(&self) {
        if !self.is_awaited()
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
        self.state.as_deref_mut().ok_or_else(broken)
    }

    fn take(&mut self) -> Self {
        Self {
            writer: self.writer.clone(),
            state: self.state.take(),
        }
    }

    /// Commits the open SQLite transaction for all transactions that share it.
    async fn commit(mut self) -> Outcome {
        if !self.writer.slow.load(Ordering::Relaxed) {
            return self.commit_here();
        }
        let (answer, outcome) = oneshot::channel();
        let committing = Committing {
            turn: self,
            answer: Some(answer),
        };
        drop(spawn_blocking(move || drop(committing)));
        outcome.await.unwrap_or_else(|_| Err(broken()))
    }

    fn commit_here(&mut self) -> Outcome {
        let begun = Instant::now();
        let committed = self.state()?.commit();
        let slow = begun.elapsed() > SLOW;
        self.writer.slow.store(slow, Ordering::Relaxed);
        committed
    }
}

impl Drop for Committing {
    fn drop(&mut self) {
        let outcome = self.turn.commit_here();
        // This frees the writer first, so that the caller can begin its next transaction
        // immediately.
        drop(self.turn.take());
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
        if !self.writer.is_awaited() {
            state.commit_group();
        }
        drop(state);
        // The waiting caller may have been cancelled before it noticed the uncommitted
        // transactions.
        self.writer.settle();
    }
}

impl State {
    fn begin(&mut self, file: &File, joined: bool) -> Result<()> {
        let connection = match &self.connection {
            Some(connection) => connection,
            None => self.connection.insert(file.writer()?),
        };
        if joined {
            return command(connection, "SAVEPOINT member");
        }
        self.begun = Instant::now();
        command(connection, "BEGIN IMMEDIATE")
    }

    /// Whether another transaction may join before the commit.
    fn has_room(&self) -> bool {
        self.group.len() + 1 < GROUP && self.begun.elapsed() < AGE
    }

    fn commit(&mut self) -> Outcome {
        let connection = self.connection.as_ref().ok_or_else(broken)?;
        match command(connection, "COMMIT") {
            Ok(()) => {
                for member in self.group.drain(..) {
                    // A cancelled caller needs no answer.
                    let _ = member.send(Ok(()));
                }
                Ok(())
            }
            Err(error) => {
                let error = told(error);
                self.throw_away(&error);
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
            command(connection, "ROLLBACK TO member")
                .and_then(|()| command(connection, "RELEASE member"))
        } else {
            command(connection, "ROLLBACK")
        };
        if let Err(error) = undone {
            self.throw_away(&told(error));
        } else if connection.is_autocommit() == joined {
            self.throw_away(&broken());
        }
    }

    /// Closes the connection, which rolls back. All callers that shared its transaction are
    /// refused.
    fn throw_away(&mut self, error: &DbErr) {
        self.connection = None;
        for member in self.group.drain(..) {
            let _ = member.send(Err(error.clone()));
        }
    }
}

fn command(connection: &Connection, sql: &str) -> Result<()> {
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
        let connection = state.connection.as_ref().ok_or_else(broken)?;
        let error = match work(connection) {
            Ok(done) => return Ok(done),
            Err(error) => error,
        };
        // SQLite may have rolled back on its own. Later statements would then commit one by one.
        let sound = leaves_sound(&error) && !connection.is_autocommit();
        let error = told(error);
        if !sound {
            state.throw_away(&error);
        }
        Err(error)
    }

    /// How long this transaction has held the writer, if other callers wait.
    pub fn keeps_waiting(&self) -> Option<Duration> {
        self.turn.writer.is_awaited().then(|| self.begun.elapsed())
    }

    /// Commits, alone or together with others. After `Ok` the changes are synced to disk.
    pub async fn commit(mut self) -> Outcome {
        let awaited = self.turn.writer.is_awaited();
        let state = self.turn.state()?;
        if !awaited || !state.has_room() {
            self.ended = true;
            return self.turn.take().commit().await;
        }
        let connection = state.connection.as_ref().ok_or_else(broken)?;
        if self.joined
            && let Err(error) = command(connection, "RELEASE member")
        {
            let error = told(error);
            state.throw_away(&error);
            return Err(error);
        }
        let (member, answer) = oneshot::channel();
        state.group.push(member);
        self.ended = true;
        drop(self);
        answer.await.unwrap_or_else(|_| Err(broken()))
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

    fn runtime() -> Runtime {
        let mut builder = Builder::new_current_thread();
        builder.enable_time().build().expect("a runtime")
    }

    #[test]
    fn a_commit_is_made_while_the_runtime_shuts_down() {
        let name = format!("pauta-store-{}-shutdown", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).expect("a folder");
        let file = folder.join("a.db");
        let file = Arc::new(File::of(&format!("sqlite://{}", file.display())).expect("a file"));
        let first = file.make().expect("opens");
        let writer = Arc::new(Writer::of(file, first));
        let begin = |sql: &'static str| {
            let writer = writer.clone();
            async move {
                let mut member = writer.begin().await?;
                member.execute(sql, &[])?;
                Ok::<_, DbErr>(member)
            }
        };
        let ending = runtime();
        let member = ending.block_on(begin("CREATE TABLE notes (n INTEGER)"));
        let member = member.expect("begins");
        writer.slow.store(true, Ordering::Relaxed);
        let handle = ending.handle().clone();
        ending.shutdown_background();
        let other = runtime();
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
