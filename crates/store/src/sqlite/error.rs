//! Converts errors of SQLite to those of sea-orm.

use rusqlite::{Error, ErrorCode, ffi};
use sea_orm::{DbErr, RuntimeErr};

use crate::driver::DriverError;

/// Converts an error of SQLite to one of sea-orm.
pub(super) fn to_db_err(error: Error) -> DbErr {
    let (cause, message) = match error {
        Error::SqliteFailure(cause, message) => (cause, message),
        Error::SqlInputError { error, msg, .. } => (error, Some(msg)),
        other => return DbErr::Query(RuntimeErr::Internal(other.to_string())),
    };
    let error = DriverError::Sqlite {
        code: cause.extended_code,
        message: message.unwrap_or_else(|| cause.to_string()),
    };
    error.into()
}

/// Returns whether another process holds a lock that the statement needs.
pub(super) fn is_busy(error: &Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
    )
}

/// Returns whether the statement was interrupted by this driver.
pub(super) fn is_interrupted(error: &Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted)
}

/// Returns whether only the statement failed, so that the connection is still usable.
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

/// Returns the error for a statement or commit in a transaction that an earlier failure has ended.
pub(crate) fn broken_transaction_error() -> DbErr {
    DbErr::Custom("the transaction was broken by an earlier failure".into())
}
