//! Availability of a PostgreSQL server.
//!
//! The server is checked when a statement takes longer than half a second, and when a connection
//! was lost. A check that times out counts as passed if a statement of another caller succeeded
//! meanwhile, because such a server is only busy. While the server is unavailable, calls fail
//! immediately. A read, or the begin of a transaction, is retried if only its connection was lost.
//!
//! If the address names several servers, sessions are opened with the server that was used last, as long
//! as it accepts writes, and otherwise with the next server that does. Sessions of the former server are
//! not used again, and calls that wait for the former server fail, because it may never answer.

use std::{
    sync::{
        Arc, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use sea_orm::{DbErr, RuntimeErr};

use super::{
    connection::{Connection, READ_ONLY},
    options::Options,
};
use crate::{
    driver::{DriverError, is_connection_lost},
    pool::{Count, Counted},
};

/// The maximum number of sessions of an instance.
pub(super) const CONNECTIONS: usize = 16;
/// How long a statement runs before the server's availability is checked.
const ASK_AFTER: Duration = Duration::from_millis(500);
/// The timeout of an availability check. It also covers the TLS handshake with a busy server.
const ANSWER: Duration = Duration::from_secs(2);
/// How long the result of an availability check is valid.
const PAUSE: Duration = Duration::from_millis(500);
/// The timeout of the first connection attempt.
const FIRST: Duration = Duration::from_secs(3);
/// The error message for a malformed URL. It must not quote the URL, because the URL contains the
/// password.
const MALFORMED: &str = "PAUTA_DATABASE_URL não está bem formado: ele é \
    postgres://usuário:senha@servidor:5432/banco, e os caracteres / @ : ? # % da senha vão \
    codificados como %2F %40 %3A %3F %23 %25 (percent-encoding)";

/// The result of the last availability check, shared by all callers.
#[derive(Clone, Debug)]
pub(crate) struct Availability(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    options: Options,
    /// The index of the server in use.
    current: AtomicUsize,
    known: std::sync::Mutex<Known>,
    /// The number of statements that succeeded.
    succeeded: AtomicU64,
    /// Callers that hold a connection of the pool or wait for one.
    wanted: Count,
    /// Locked during a check, so that only one check runs at a time.
    turn: tokio::sync::Mutex<()>,
}

/// The last known state of the server.
#[derive(Clone, Copy, Debug)]
struct Known {
    there: bool,
    asked: Option<Instant>,
}

impl Known {
    fn is_fresh(self) -> bool {
        self.asked.is_some_and(|asked| asked.elapsed() < PAUSE)
    }

    fn to_result(self) -> Result<(), DbErr> {
        if self.there {
            Ok(())
        } else {
            Err(unavailable_error())
        }
    }
}

impl Availability {
    pub(super) fn parse(url: &str) -> Result<Self, DbErr> {
        let malformed = || DbErr::Conn(RuntimeErr::Internal(MALFORMED.into()));
        // The driver logs unknown parameters. If the password has an unescaped reserved character,
        // a part of the password may be parsed as such a parameter.
        if has_unescaped_password(url) {
            return Err(malformed());
        }
        let options = Options::parse(url).ok_or_else(malformed)?;
        let known = Known {
            there: true,
            asked: None,
        };
        Ok(Self(Arc::new(Inner {
            options,
            current: AtomicUsize::default(),
            known: std::sync::Mutex::new(known),
            succeeded: AtomicU64::default(),
            wanted: Count::default(),
            turn: tokio::sync::Mutex::default(),
        })))
    }

    pub(super) fn options(&self) -> &Options {
        &self.0.options
    }

    /// Opens and closes one connection, to check at startup that the server is usable.
    pub(super) async fn connect_once(&self) -> Result<(), DbErr> {
        let (connection, _) = self.open_session(FIRST).await?;
        connection.close().await;
        Ok(())
    }

    /// Opens a session and returns the index of its server. Each server has the time `within` to answer,
    /// because a server may accept the connection and then send nothing.
    pub(super) async fn open_session(
        &self,
        within: Duration,
    ) -> Result<(Connection, usize), DriverError> {
        let Inner {
            options, current, ..
        } = &*self.0;
        let count = options.servers.len();
        let first = self.current_server();
        let mut refused = vec![];
        for at in (first..count).chain(0..first) {
            let server = &options.servers[at];
            let opened = tokio::time::timeout(within, Connection::open(options, server)).await;
            let late = |_| Err(DriverError::Io(std::io::ErrorKind::TimedOut.into()));
            match opened.unwrap_or_else(late) {
                Ok(connection) => {
                    if current.swap(at, Ordering::Relaxed) != at {
                        tracing::warn!(servidor = %server, "o servidor do banco de dados mudou");
                    }
                    return Ok((connection, at));
                }
                Err(error) if count == 1 => return Err(error),
                Err(error) => refused.push((server.to_string(), error)),
            }
        }
        Err(DriverError::NoServer(refused))
    }

    /// Returns the index of the server in use.
    pub(super) fn current_server(&self) -> usize {
        self.0.current.load(Ordering::Relaxed)
    }

    /// Counts a caller that needs a pool connection, until the returned guard is dropped.
    pub(super) fn count_caller(&self) -> Counted {
        self.0.wanted.enter()
    }

    pub(super) fn caller_count(&self) -> usize {
        self.0.wanted.get()
    }

    fn last_known_state(&self) -> Known {
        *self.0.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns an error immediately while the server is unavailable.
    async fn require_available(&self) -> Result<(), DbErr> {
        if self.last_known_state().there {
            return Ok(());
        }
        self.check_server().await
    }

    /// Checks the server, unless the last check is recent. While another caller checks, returns the
    /// last known state.
    pub(super) async fn check_server(&self) -> Result<(), DbErr> {
        let known = self.last_known_state();
        let Ok(_turn) = self.0.turn.try_lock() else {
            return known.to_result();
        };
        if known.is_fresh() {
            return known.to_result();
        }
        let succeeded = || self.0.succeeded.load(Ordering::Relaxed);
        let before = succeeded();
        let there = match self.open_session(ANSWER).await {
            Ok(_) => true,
            Err(error) => is_answering(&error).unwrap_or_else(|| succeeded() > before),
        };
        if there != known.there {
            tracing::warn!(there, "o servidor do banco de dados saiu do ar ou voltou");
        }
        let found = Known {
            there,
            asked: Some(Instant::now()),
        };
        *self.0.known.lock().unwrap_or_else(PoisonError::into_inner) = found;
        found.to_result()
    }

    /// Runs the work, but fails as soon as a check finds the server unavailable, or finds that
    /// another server is in use now.
    pub(crate) async fn run_while_available<T>(
        &self,
        work: impl Future<Output = Result<T, DbErr>>,
    ) -> Result<T, DbErr> {
        let mut work = std::pin::pin!(work);
        let server = self.current_server();
        loop {
            if let Ok(done) = tokio::time::timeout(ASK_AFTER, &mut work).await {
                if done.is_ok() {
                    self.0.succeeded.fetch_add(1, Ordering::Relaxed);
                }
                return done;
            }
            self.check_server().await?;
            if self.current_server() != server {
                return Err(unavailable_error());
            }
        }
    }

    /// Runs work that may be repeated. Repeats it on another connection if its connection was lost, for
    /// example because the server closed an idle connection.
    pub(super) async fn retry<T, F>(&self, work: impl Fn() -> F) -> Result<T, DbErr>
    where
        F: Future<Output = Result<T, DbErr>>,
    {
        self.require_available().await?;
        for _ in 0..CONNECTIONS {
            match self.run_while_available(work()).await {
                Err(error) if is_connection_lost(&error) => self.check_server().await?,
                done => return done,
            }
        }
        self.run_while_available(work()).await
    }
}

/// Returns whether the password in the URL has an unescaped reserved character. Such a character ends
/// the authority of the URL early, so that an `@` follows the authority.
fn has_unescaped_password(url: &str) -> bool {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let after = &rest[end..];
    let query = after.find(['?', '#']).unwrap_or(after.len());
    let (path, query) = after.split_at(query);
    let name = query.split('=').next().unwrap_or_default();
    path.contains('@') || name.contains('@')
}

/// Returns whether a server that refused a session is available, for example because it only has no free
/// connection. Returns `None` if the server sent nothing in time.
fn is_answering(error: &DriverError) -> Option<bool> {
    match error {
        DriverError::Server { code, .. } => Some(!code.starts_with("57P") && code != READ_ONLY),
        DriverError::Io(error) if error.kind() == std::io::ErrorKind::TimedOut => None,
        DriverError::NoServer(refused) => {
            let answers = refused.iter().map(|(_, error)| is_answering(error));
            // One available server is enough. Otherwise a server that sent nothing in time makes the
            // result `None`, because that server may be in use.
            answers.max_by_key(|answer| answer.map_or(1, |answers| 2 * u8::from(answers)))?
        }
        _ => Some(false),
    }
}

fn unavailable_error() -> DbErr {
    DriverError::Io(std::io::ErrorKind::NotConnected.into()).into()
}
