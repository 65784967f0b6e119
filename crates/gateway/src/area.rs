//! Areas: the groups of operations in the catalog.
//!
//! An area is a value: `AREA` in the file `area.rs` of its folder. It lists entries
//! (`Entry::of::<O>()`), which hold plain function pointers. An operation whose entry is removed is
//! gone from the router, MCP, the catalog and OpenAPI.
//!
//! `AREA` has a file of its own because it uses every operation beside it, and these use what
//! `mod.rs` defines. In `mod.rs` the two would form a circle. It is a `static`, so that no other
//! crate compiles its operations again.

use futures::future::BoxFuture;
use store::Db;

use domain::Code;

use super::{Entry, Part, Result, jobs::JobEntry};

/// A group of operations: a section of the catalog and the name of a toolset. Each area is defined
/// in the same place as its operations.
pub struct Area {
    /// The name, in snake_case.
    pub name: &'static str,
    /// A description for people; published, in Portuguese.
    pub description: &'static str,
    /// The error codes that only operations of this area return.
    pub codes: &'static [Code],
    /// The values that the operations take from `Parts`. The service does not start without them.
    pub parts: &'static [Part],
    /// The work of the area that `/metrics` counts.
    pub counted: Option<Counted>,
    /// The operations, in the order of the catalog.
    pub operations: &'static [Entry],
    /// The routes that are available only over HTTP.
    pub pages: &'static [Entry],
    pub jobs: &'static [JobEntry],
}

/// Work of an area that `/metrics` counts by state.
#[derive(Clone, Copy)]
pub struct Counted {
    /// The name of the work, in the plural.
    pub name: &'static str,
    /// Counts the work in each state.
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
        }
    }

    /// Adds the area's own error codes.
    #[must_use]
    pub const fn codes(self, codes: &'static [Code]) -> Self {
        Self { codes, ..self }
    }

    /// Adds the parts that the area requires.
    #[must_use]
    pub const fn parts(self, parts: &'static [Part]) -> Self {
        Self { parts, ..self }
    }

    /// Adds the work that `/metrics` counts.
    #[must_use]
    pub const fn counted(self, counted: Counted) -> Self {
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

    #[must_use]
    pub const fn jobs(self, jobs: &'static [JobEntry]) -> Self {
        Self { jobs, ..self }
    }
}
