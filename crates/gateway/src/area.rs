//! Areas: the groups of operations in the catalog.

use std::fmt;

use futures::future::BoxFuture;
use store::Db;

use domain::Code;
use serde::{Serialize, Serializer};

use super::{Part, Result};

/// A group of operations: a section of the catalog and the name of a toolset. Each area is defined
/// beside its operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Area {
    /// snake_case.
    pub name: &'static str,
    /// A description for people; published, in Portuguese.
    pub description: &'static str,
    /// The error codes that only its operations return.
    pub codes: &'static [Code],
    /// The values that its operations take from `Parts`. The service does not start without them.
    pub parts: &'static [Part],
    /// What `/metrics` counts of it.
    pub counted: Option<Counted>,
}

/// Work of an area that `/metrics` counts by state.
#[derive(Clone, Copy)]
pub struct Counted {
    /// What it is, in the plural.
    pub name: &'static str,
    /// How many there are in each state.
    pub by_state: CountByState,
}

type CountByState = fn(&Db) -> BoxFuture<'_, Result<Vec<(String, i64)>>>;

/// Names are unique.
impl PartialEq for Counted {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Counted {}

impl fmt::Debug for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl Area {
    #[must_use]
    pub const fn new(name: &'static str, description: &'static str) -> Self {
        Self {
            name,
            description,
            codes: &[],
            parts: &[],
            counted: None,
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

    /// Adds what `/metrics` counts.
    #[must_use]
    pub const fn counted(self, counted: Counted) -> Self {
        Self {
            counted: Some(counted),
            ..self
        }
    }
}

impl fmt::Display for Area {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl Serialize for Area {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name)
    }
}
