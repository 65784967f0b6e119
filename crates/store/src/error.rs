//! The error type of the store.

use domain::{Code, Error};
use sea_orm::DbErr;

use crate::driver::{Cause, is_unavailable};

pub type Result<T, E = Failure> = std::result::Result<T, E>;

/// An error for the caller of an operation: a refusal, or a database error as `UNAVAILABLE` or
/// `INTERNAL`.
#[derive(Debug)]
pub struct Failure(pub Error);

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Failure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source()
    }
}

impl From<DbErr> for Failure {
    fn from(error: DbErr) -> Self {
        if is_unavailable(&error) {
            let refused = Error::new(Code::UNAVAILABLE).with_retry_after(1);
            return Self(refused.caused_by(Cause(error)));
        }
        Self(Error::internal(Cause(error)))
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        Self(error.into())
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self(error)
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        failure.0
    }
}
