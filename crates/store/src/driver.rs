//! Errors of both database drivers, and their classes.
//!
//! `DbErr` of sea-orm has no variant for a driver outside sqlx. The variant `TryIntoErr` can carry
//! any error, so a [`DriverError`] travels in it; [`driver_error`] takes it out again.

use std::{fmt, io, sync::Arc};

use rusqlite::ffi;
use sea_orm::DbErr;

/// An error of a database driver.
#[derive(Debug)]
pub(crate) enum DriverError {
    /// SQLite failed: its extended result code (`sqlite.org/rescode.html`) and message.
    Sqlite { code: i32, message: String },
    /// The PostgreSQL server refused: its SQLSTATE (Appendix A of its manual) and message.
    Server { code: String, message: String },
    /// The connection to the server failed or was lost.
    Io(io::Error),
    /// None of several servers opened a session. Contains each server and its error.
    NoServer(Vec<(String, DriverError)>),
    /// The TLS handshake with the server failed.
    Tls(String),
    /// The server sent a message that the protocol does not allow at this point.
    Protocol(&'static str),
    /// The caller of an earlier statement of the session was cancelled before the reply came.
    Abandoned,
    /// A value cannot be sent or read.
    Value(String),
}

impl DriverError {
    fn is_unique_violation(&self) -> bool {
        match self {
            Self::Sqlite { code, .. } => [
                ffi::SQLITE_CONSTRAINT_UNIQUE,
                ffi::SQLITE_CONSTRAINT_PRIMARYKEY,
                ffi::SQLITE_CONSTRAINT_ROWID,
            ]
            .contains(code),
            Self::Server { code, .. } => code == "23505",
            _ => false,
        }
    }

    fn is_constraint_violation(&self) -> bool {
        match self {
            Self::Sqlite { code, .. } => {
                self.is_unique_violation()
                    || [
                        ffi::SQLITE_CONSTRAINT_FOREIGNKEY,
                        ffi::SQLITE_CONSTRAINT_NOTNULL,
                        ffi::SQLITE_CONSTRAINT_CHECK,
                    ]
                    .contains(code)
            }
            Self::Server { code, .. } => {
                ["23505", "23503", "23502", "23514", "23P01"].contains(&code.as_str())
            }
            _ => false,
        }
    }

    fn is_connection_lost(&self) -> bool {
        match self {
            Self::Io(_) | Self::Protocol(_) => true,
            // The server is shutting down, or an administrator terminated this connection.
            Self::Server { code, .. } => code.starts_with("57P"),
            Self::NoServer(refused) => refused.iter().all(|(_, error)| error.is_connection_lost()),
            _ => false,
        }
    }

    fn is_unavailable(&self) -> bool {
        /// The primary result codes BUSY, LOCKED, NOMEM, READONLY, IOERR, FULL, CANTOPEN and
        /// PROTOCOL.
        const SQLITE: [i32; 8] = [5, 6, 7, 8, 10, 13, 14, 15];
        match self {
            Self::Sqlite { code, .. } => SQLITE.contains(&(code & 0xff)),
            // The error classes of connections, resources (such as a full disk) and system errors,
            // and the code of a read-only server.
            Self::Server { code, .. } => {
                self.is_connection_lost()
                    || ["08", "53", "58"]
                        .iter()
                        .any(|class| code.starts_with(class))
                    || code == "25006"
            }
            Self::NoServer(refused) => refused.iter().all(|(_, error)| error.is_unavailable()),
            _ => self.is_connection_lost(),
        }
    }
}

impl fmt::Display for DriverError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite { code, message } => write!(f, "(code: {code}) {message}"),
            Self::Server { code, message } => write!(f, "{message} ({code})"),
            Self::Io(error) => error.fmt(f),
            Self::NoServer(refused) => {
                for (at, (server, error)) in refused.iter().enumerate() {
                    let comma = if at == 0 { "" } else { "; " };
                    write!(f, "{comma}{server}: {error}")?;
                }
                Ok(())
            }
            Self::Tls(text) | Self::Value(text) => f.write_str(text),
            Self::Protocol(text) => f.write_str(text),
            Self::Abandoned => f.write_str("the session still awaits a reply"),
        }
    }
}

impl std::error::Error for DriverError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            _ => None,
        }
    }
}

impl From<io::Error> for DriverError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<DriverError> for DbErr {
    fn from(error: DriverError) -> Self {
        Self::TryIntoErr {
            from: "SQL",
            into: "a result",
            source: Arc::new(error),
        }
    }
}

/// Returns the error of the driver, if the driver failed.
pub(crate) fn driver_error(error: &DbErr) -> Option<&DriverError> {
    match error {
        DbErr::TryIntoErr { source, .. } => source.downcast_ref(),
        _ => None,
    }
}

/// Returns whether the error is a lost connection, after which the outcome is unknown.
pub(crate) fn is_connection_lost(error: &DbErr) -> bool {
    driver_error(error).is_some_and(DriverError::is_connection_lost)
}

/// Returns whether the error is a violated unique constraint.
pub(crate) fn is_unique_violation(error: &DbErr) -> bool {
    driver_error(error).is_some_and(DriverError::is_unique_violation)
}

/// Returns whether the error is a violated constraint. On SQLite the transaction can continue after it.
pub(crate) fn is_constraint_violation(error: &DbErr) -> bool {
    driver_error(error).is_some_and(DriverError::is_constraint_violation)
}

/// Returns whether the error means that the database is temporarily unavailable: it is unreachable, its
/// disk is full or broken, it rejects writes, or it has no free connection or memory.
pub(crate) fn is_unavailable(error: &DbErr) -> bool {
    matches!(error, DbErr::ConnectionAcquire(_))
        || driver_error(error).is_some_and(DriverError::is_unavailable)
}

/// A database error as the cause of an error of an operation. Displays the text of the driver's error.
#[derive(Debug)]
pub(crate) struct Cause(pub DbErr);

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match driver_error(&self.0) {
            Some(error) => error.fmt(f),
            None => self.0.fmt(f),
        }
    }
}

impl std::error::Error for Cause {}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(code: &str) -> DbErr {
        let (code, message) = (code.to_owned(), "refused".to_owned());
        DriverError::Server { code, message }.into()
    }

    #[test]
    fn errors_of_the_server_have_the_class_of_their_code() {
        assert!(is_unique_violation(&server("23505")));
        for code in ["23505", "23503", "23502", "23514", "23P01"] {
            assert!(is_constraint_violation(&server(code)), "{code}");
            assert!(!is_unavailable(&server(code)), "{code}");
        }
        for code in ["57P01", "57P02", "57P03"] {
            assert!(is_connection_lost(&server(code)), "{code}");
        }
        for code in ["57P01", "08006", "53100", "53300", "58030", "25006"] {
            assert!(is_unavailable(&server(code)), "{code}");
        }
        for code in ["42P01", "25P02", "40001", "57014"] {
            assert!(!is_unavailable(&server(code)), "{code}");
            assert!(!is_constraint_violation(&server(code)), "{code}");
        }
        let refused = io::Error::from(io::ErrorKind::ConnectionRefused);
        assert!(is_connection_lost(&DriverError::Io(refused).into()));
    }
}
