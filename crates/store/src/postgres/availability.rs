//! Availability of a PostgreSQL server, and the classes of database errors.
//!
//! The server is checked when a statement takes longer than half a second, and when a connection
//! was lost. While the server is unavailable, calls fail immediately. A read, or the begin of a
//! transaction, is retried if only its connection was lost.

use std::{
    sync::{Arc, PoisonError},
    time::{Duration, Instant},
};

use sea_orm::{
    DbErr, RuntimeErr,
    sqlx::{
        self, ConnectOptions, Connection,
        postgres::{PgConnectOptions, PgConnection},
    },
};

use crate::pool::{Count, Counted};

/// The maximum number of connections of an instance to a PostgreSQL server.
pub(super) const POSTGRES_CONNECTIONS: u32 = 16;
/// How long a statement runs before the server's availability is checked.
const ASK_AFTER: Duration = Duration::from_millis(500);
/// The timeout of an availability check.
const ANSWER: Duration = Duration::from_millis(800);
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
pub(super) struct Availability(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    options: PgConnectOptions,
    known: std::sync::Mutex<Known>,
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
        let options: PgConnectOptions = url.parse().map_err(|_: sqlx::Error| malformed())?;
        let known = Known {
            there: true,
            asked: None,
        };
        Ok(Self(Arc::new(Inner {
            options: options.disable_statement_logging(),
            known: std::sync::Mutex::new(known),
            wanted: Count::default(),
            turn: tokio::sync::Mutex::default(),
        })))
    }

    /// The address and database name of the server, without the credentials.
    pub(super) fn server_location(&self) -> String {
        let options = &self.0.options;
        let database = options.get_database().unwrap_or(options.get_username());
        match options.get_socket() {
            Some(socket) => format!("{}/{database}", socket.display()),
            None => format!("{}:{}/{database}", options.get_host(), options.get_port()),
        }
    }

    /// Opens and closes one connection. The error explains why the server is unusable.
    pub(super) async fn connect_once(&self) -> Result<(), DbErr> {
        let met = async {
            PgConnection::connect_with(&self.0.options)
                .await?
                .close()
                .await
        };
        let late = |_| Err(sqlx::Error::Io(std::io::ErrorKind::TimedOut.into()));
        let met = tokio::time::timeout(FIRST, met).await.unwrap_or_else(late);
        met.map_err(|error| DbErr::Conn(RuntimeErr::SqlxError(error.into())))
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
        let answered = tokio::time::timeout(ANSWER, is_answering(&self.0.options)).await;
        let there = matches!(answered, Ok(true));
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

    /// Runs the work, but fails as soon as a check finds the server unavailable.
    pub(super) async fn run_while_available<T>(
        &self,
        work: impl Future<Output = Result<T, DbErr>>,
    ) -> Result<T, DbErr> {
        let mut work = std::pin::pin!(work);
        loop {
            if let Ok(done) = tokio::time::timeout(ASK_AFTER, &mut work).await {
                return done;
            }
            self.check_server().await?;
        }
    }

    /// Runs work that may be repeated. Retries on another connection if the connection was lost,
    /// for example because the server closed an idle one.
    pub(super) async fn retry<T, F>(&self, work: impl Fn() -> F) -> Result<T, DbErr>
    where
        F: Future<Output = Result<T, DbErr>>,
    {
        self.require_available().await?;
        for _ in 0..POSTGRES_CONNECTIONS {
            match self.run_while_available(work()).await {
                Err(error) if is_connection_lost(&error) => self.check_server().await?,
                done => return done,
            }
        }
        self.run_while_available(work()).await
    }
}

/// Whether the password in the URL has an unescaped reserved character. Such a character ends the
/// authority of the URL early, so that an `@` follows the authority.
fn has_unescaped_password(url: &str) -> bool {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let after = &rest[end..];
    let query = after.find(['?', '#']).unwrap_or(after.len());
    let (path, query) = after.split_at(query);
    let name = query.split('=').next().unwrap_or_default();
    path.contains('@') || name.contains('@')
}

/// Whether the server answers a connection attempt. A server without a free connection counts as
/// available.
async fn is_answering(options: &PgConnectOptions) -> bool {
    match PgConnection::connect_with(options).await {
        Ok(connection) => connection.close().await.is_ok(),
        Err(sqlx::Error::Database(refusal)) => {
            refusal.code().is_some_and(|code| !code.starts_with("57P"))
        }
        Err(_) => false,
    }
}

fn unavailable_error() -> DbErr {
    DbErr::Conn(RuntimeErr::SqlxError(Arc::new(sqlx::Error::Io(
        std::io::ErrorKind::NotConnected.into(),
    ))))
}

fn driver_error(error: &DbErr) -> Option<&sqlx::Error> {
    match error {
        DbErr::Conn(RuntimeErr::SqlxError(error))
        | DbErr::Exec(RuntimeErr::SqlxError(error))
        | DbErr::Query(RuntimeErr::SqlxError(error)) => Some(error),
        _ => None,
    }
}

/// Whether the error is a lost connection, after which the outcome is unknown.
pub(super) fn is_connection_lost(error: &DbErr) -> bool {
    match driver_error(error) {
        Some(sqlx::Error::Io(_) | sqlx::Error::Protocol(_) | sqlx::Error::WorkerCrashed) => true,
        // The server is shutting down, or an administrator terminated this connection.
        Some(sqlx::Error::Database(error)) => {
            error.code().is_some_and(|code| code.starts_with("57P"))
        }
        _ => false,
    }
}

/// Whether the error is a violated unique constraint.
pub(super) fn is_unique_violation(error: &DbErr) -> bool {
    matches!(driver_error(error), Some(sqlx::Error::Database(error)) if error.is_unique_violation())
}

/// Whether the error is a violated constraint. On SQLite the transaction can continue after it.
pub(super) fn is_constraint_violation(error: &DbErr) -> bool {
    match driver_error(error) {
        Some(sqlx::Error::Database(error)) => error.kind() != sqlx::error::ErrorKind::Other,
        _ => false,
    }
}

/// Whether the error means that the database is temporarily unavailable: it is unreachable, its
/// disk is full or broken, it rejects writes, or it has no free connection or memory.
#[must_use]
pub fn is_unavailable(error: &DbErr) -> bool {
    /// The primary result codes BUSY, LOCKED, NOMEM, READONLY, IOERR, FULL, CANTOPEN and PROTOCOL.
    const SQLITE: [u32; 8] = [5, 6, 7, 8, 10, 13, 14, 15];
    if is_connection_lost(error) || matches!(error, DbErr::ConnectionAcquire(_)) {
        return true;
    }
    match driver_error(error) {
        Some(sqlx::Error::PoolTimedOut | sqlx::Error::PoolClosed | sqlx::Error::BeginFailed) => {
            true
        }
        Some(sqlx::Error::Database(error)) => match error.code() {
            // The error classes of connections, resources (such as a full disk) and system errors,
            // and the code of a read-only server.
            Some(code) if code.len() == 5 => {
                ["08", "53", "58"]
                    .iter()
                    .any(|class| code.starts_with(class))
                    || code == "25006"
            }
            Some(code) => code
                .parse()
                .is_ok_and(|code: u32| SQLITE.contains(&(code & 0xff))),
            None => false,
        },
        _ => false,
    }
}
