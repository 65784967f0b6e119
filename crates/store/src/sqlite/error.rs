//! Converts errors of SQLite to those of sqlx and sea-orm.

use std::{borrow::Cow, sync::Arc};

use rusqlite::{Error, ErrorCode, ffi};
use sea_orm::{
    DbErr, RuntimeErr,
    sqlx::error::{DatabaseError, ErrorKind},
};

/// An error of SQLite: its extended result code (`sqlite.org/rescode.html`) and message.
#[derive(Debug)]
struct SqliteError {
    code: i32,
    message: String,
}

impl std::fmt::Display for SqliteError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "(code: {}) {}", self.code, self.message)
    }
}

impl std::error::Error for SqliteError {}

impl DatabaseError for SqliteError {
    fn message(&self) -> &str {
        &self.message
    }

    fn code(&self) -> Option<Cow<'_, str>> {
        Some(self.code.to_string().into())
    }

    fn as_error(&self) -> &(dyn std::error::Error + Send + Sync + 'static) {
        self
    }

    fn as_error_mut(&mut self) -> &mut (dyn std::error::Error + Send + Sync + 'static) {
        self
    }

    fn into_error(self: Box<Self>) -> Box<dyn std::error::Error + Send + Sync + 'static> {
        self
    }

    fn kind(&self) -> ErrorKind {
        match self.code {
            ffi::SQLITE_CONSTRAINT_UNIQUE
            | ffi::SQLITE_CONSTRAINT_PRIMARYKEY
            | ffi::SQLITE_CONSTRAINT_ROWID => ErrorKind::UniqueViolation,
            ffi::SQLITE_CONSTRAINT_FOREIGNKEY => ErrorKind::ForeignKeyViolation,
            ffi::SQLITE_CONSTRAINT_NOTNULL => ErrorKind::NotNullViolation,
            ffi::SQLITE_CONSTRAINT_CHECK => ErrorKind::CheckViolation,
            _ => ErrorKind::Other,
        }
    }
}

/// Converts an error of SQLite to one of sea-orm.
pub(super) fn to_db_err(error: Error) -> DbErr {
    let (cause, message) = match error {
        Error::SqliteFailure(cause, message) => (cause, message),
        Error::SqlInputError { error, msg, .. } => (error, Some(msg)),
        other => return DbErr::Query(RuntimeErr::Internal(other.to_string())),
    };
    let error = SqliteError {
        code: cause.extended_code,
        message: message.unwrap_or_else(|| cause.to_string()),
    };
    DbErr::Query(RuntimeErr::SqlxError(Arc::new(error.into())))
}

/// Whether another process holds a lock that the statement needs.
pub(super) fn is_busy(error: &Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
    )
}

/// Whether the statement was interrupted by this driver.
pub(super) fn is_interrupted(error: &Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted)
}

/// Whether only the statement failed, so that the connection is still usable.
pub(super) fn is_statement_failure(error: &Error) -> bool {
    match error {
        Error::SqlInputError { .. } => true,
        Error::SqliteFailure(cause, _) => matches!(
            cause.extended_code & 0xff,
            ffi::SQLITE_ERROR
                | ffi::SQLITE_CONSTRAINT
                | ffi::SQLITE_MISMATCH
                | ffi::SQLITE_TOOBIG
                | ffi::SQLITE_RANGE
        ),
        // A value could not be bound or read.
        _ => true,
    }
}

/// The error for a statement or commit in a transaction that an earlier failure has ended.
pub(crate) fn broken_transaction_error() -> DbErr {
    DbErr::Custom("the transaction was broken by an earlier failure".into())
}
