//! Areas: the groups of operations in the catalog.
//!
//! An area is a value: `AREA` in the file `area.rs` of its folder. It lists entries
//! (`Entry::for_operation::<O>()`), which contain plain function pointers. Removing an entry removes the
//! operation from the router, MCP, the catalog and OpenAPI.
//!
//! `AREA` has its own file because it depends on the operations of its folder, which depend on
//! `mod.rs`. In `mod.rs` this would be a circular dependency. It is a `static`, so that other
//! crates do not compile the operations again.

use futures::future::BoxFuture;
use store::Db;

use domain::Code;

use super::{Entry, Part, Result, jobs::JobEntry};

/// A group of operations: a section of the catalog and the name of a toolset. Each area is defined
/// in the folder of its operations.
pub struct Area {
    /// The name, in snake_case.
    pub name: &'static str,
    /// A description for users; published, in Portuguese.
    pub description: &'static str,
    /// The error codes that only operations of this area return.
    pub codes: &'static [Code],
    /// The shared state that the operations read from `Parts`. The service does not start without
    /// it.
    pub parts: &'static [Part],
    /// The background work that `/metrics` counts.
    pub counted: Option<Counted>,
    /// The operations, in catalog order.
    pub operations: &'static [Entry],
    /// The routes that are served only over HTTP.
    pub pages: &'static [Entry],
    pub jobs: &'static [JobEntry],
    /// True if the writes of this area announce nothing in the outbox, unless the spec of the
    /// operation sets `announces`.
    pub announces_nothing: bool,
}

/// Background work that `/metrics` counts by state.
#[derive(Clone, Copy)]
pub struct Counted {
    /// The name of the work items, in the plural.
    pub name: &'static str,
    /// Counts the work items in each state.
    pub by_state: CountByState,
}

type CountByState = fn(&Db) -> BoxFuture<'_, Result<Vec<(String, i64)>>>;

impl Area {
    #[must_use]
    pub const fn new(name: &'static str, description: &'static str) -> Self {
        Self {
            name,
            description,
            codes: &[],
            parts: &[],
            counted: None,
            operations: &[],
            pages: &[],
            jobs: &[],
            announces_nothing: false,
        }
    }

    /// Adds the error codes of this area.
    #[must_use]
    pub const fn codes(self, codes: &'static [Code]) -> Self {
        Self { codes, ..self }
    }

    /// Adds the required parts.
    #[must_use]
    pub const fn required_parts(self, parts: &'static [Part]) -> Self {
        Self { parts, ..self }
    }

    /// Adds the background work that `/metrics` counts.
    #[must_use]
    pub const fn counted_work(self, counted: Counted) -> Self {
        Self {
            counted: Some(counted),
            ..self
        }
    }

    #[must_use]
    pub const fn operations(self, operations: &'static [Entry]) -> Self {
        Self { operations, ..self }
    }

    #[must_use]
    pub const fn pages(self, pages: &'static [Entry]) -> Self {
        Self { pages, ..self }
    }

    /// Declares that the writes of this area announce nothing in the outbox, unless the spec of the
    /// operation sets `announces`.
    #[must_use]
    pub const fn announces_nothing(self) -> Self {
        Self {
            announces_nothing: true,
            ..self
        }
    }

    #[must_use]
    pub const fn jobs(self, jobs: &'static [JobEntry]) -> Self {
        Self { jobs, ..self }
    }
}
