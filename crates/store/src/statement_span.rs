//! The spans of statements, for traces: one for each transaction, and one for each statement outside a
//! transaction.
//!
//! The spans have the level `trace`, so they are not logged. Where traces are not exported, opening a
//! span costs only a check of the level. The spans contain neither SQL nor values.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use tracing::{Span, field::Empty};

/// The tracing target of the spans of statements.
pub const STATEMENTS: &str = "store::statements";

#[derive(Debug, Clone, Copy)]
pub(crate) enum System {
    Sqlite,
    Postgres,
}

impl System {
    /// Returns the name of the database system in the conventions of OpenTelemetry.
    fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::Postgres => "postgresql",
        }
    }
}

/// Opens the span of a query outside a transaction.
pub(crate) fn open_read_span(system: System) -> Span {
    tracing::trace_span!(target: STATEMENTS, "database", system = system.name(), group = "read")
}

/// Opens the span of a writing statement outside a transaction.
pub(crate) fn open_write_span(system: System) -> Span {
    tracing::trace_span!(target: STATEMENTS, "database", system = system.name(), group = "write")
}

/// The span of a transaction, which counts its statements.
#[derive(Debug, Clone)]
pub(crate) struct StatementSpan(Option<Arc<Counted>>);

#[derive(Debug)]
struct Counted {
    span: Span,
    statements: AtomicU64,
}

impl StatementSpan {
    pub fn open_for_transaction(system: System) -> Self {
        let span = tracing::trace_span!(
            target: STATEMENTS,
            "database",
            system = system.name(),
            group = "transaction",
            statements = Empty,
            outcome = Empty
        );
        Self((!span.is_disabled()).then(|| {
            Arc::new(Counted {
                span,
                statements: AtomicU64::new(0),
            })
        }))
    }

    pub fn count_statement(&self) {
        if let Some(counted) = &self.0 {
            counted.statements.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub fn note_commit(&self) {
        if let Some(counted) = &self.0 {
            counted.span.record("outcome", "committed");
        }
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        let statements = self.statements.load(Ordering::Relaxed);
        self.span.record("statements", statements);
    }
}
