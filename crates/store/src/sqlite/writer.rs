//! The connection that writes, and commits that several transactions share (group commit).
//!
//! A transaction that ends while another caller waits for the writer stays uncommitted: the next
//! one continues in the same transaction of SQLite, under a savepoint. When nobody waits, the last
//! one commits for all of them, with one sync of the disk. Each caller is answered only after that
//! commit, and all of them are refused when it fails.
//!
//! If it is in doubt whether the transaction of a connection is still open, the connection is
//! closed, which rolls back all transactions that shared it. None of them has been acknowledged.
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

/// Maximum transactions that share a commit.
const GROUP: usize = 64;
/// No transaction joins one that began longer ago.
const AGE: Duration = Duration::from_millis(20);
/// After a commit that took longer, the next one waits for the disk on a thread for blocking work.
const SLOW: Duration = Duration::from_millis(1);

type Outcome = Result<(), DbErr>;

/// The writer, and how many callers wait for it.
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
    /// `None` after a connection in doubt was closed.
    connection: Option<Connection>,
    /// The callers whose transactions have ended and are not committed yet.
    group: Vec<oneshot::Sender<Outcome>>,
    begun: Instant,
}

/// The right to use the writer. When it is dropped and nobody waits, what is uncommitted is
/// committed.
#[derive(Debug)]
struct Turn {
    writer: Arc<Writer>,
    state: Option<OwnedMutexGuard<State>>,
}

/// A turn whose transaction has ended. It is committed when this is dropped: on a thread for blocking
/// work, or where it stands when the runtime is shutting down and takes no more of that work.
struct Committing {
    turn: Turn,
    /// `None` once the outcome is sent.
    answer: Option<oneshot::Sender<Outcome>>,
}

/// The transaction of one caller. Dropped without a commit, it is rolled back.
#[derive(Debug)]
pub(crate) struct Participant {
    turn: Turn,
    /// Whether it continues in the transaction of others.
    joined: bool,
    ended: bool,
    begun: Instant,
}

/// A caller that waits for the writer.
struct Waiting<'a>(&'a Writer);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::SeqCst);
        // Others may have left their commit to this caller, which was cancelled.
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

    /// How many callers wait for the writer.
    pub fn waiting(&self) -> usize {
        self.waiting.load(Ordering::SeqCst)
    }

    /// Whether a transaction is open.
    pub fn is_taken(&self) -> bool {
        self.state.try_lock().is_err()
    }

    /// Commits what was left to a caller that was cancelled.
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

    /// Commits the open transaction for all that share it.
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
        // The caller may begin its next transaction at once.
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
        // The waiting caller may have been cancelled before it saw that.
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

    /// Whether another transaction may be added before the commit.
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

    /// Closes the connection, which rolls back, and refuses all callers that shared its
    /// transaction.
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

    /// Inserts rows; how many were inserted or changed.
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
        // SQLite may have rolled back by itself. Later statements would then commit one by one.
        let sound = leaves_sound(&error) && !connection.is_autocommit();
        let error = told(error);
        if !sound {
            state.throw_away(&error);
        }
        Err(error)
    }

    /// How long it has kept the writer, if others wait for it.
    pub fn keeps_waiting(&self) -> Option<Duration> {
        self.turn.writer.is_awaited().then(|| self.begun.elapsed())
    }

    /// Commits, alone or with others. After `Ok` the changes are synced to disk.
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
                // Its threads for blocking work are gone.
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
