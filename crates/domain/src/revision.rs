//! The compare-and-set token of events and projects.

use std::{borrow::Cow, fmt};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A revision: the number of changes made to an event or a project so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Revision(i64);

impl Revision {
    /// The revision of a new event or project.
    pub const FIRST: Self = Self(1);
    /// A revision greater than all others.
    pub const MAX: Self = Self(i64::MAX);

    #[must_use]
    pub const fn new(number: i64) -> Self {
        Self(number)
    }

    #[must_use]
    pub const fn get(self) -> i64 {
        self.0
    }

    /// Returns the revision that the next change creates.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0 + 1)
    }

    /// Returns the revision before this one.
    #[must_use]
    pub const fn previous(self) -> Self {
        Self(self.0 - 1)
    }

    /// Returns the number of changes since an earlier revision; 0 if that revision is later.
    #[must_use]
    pub fn changes_since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0).max(0)
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl From<Revision> for Value {
    fn from(revision: Revision) -> Self {
        revision.0.into()
    }
}

impl JsonSchema for Revision {
    fn schema_name() -> Cow<'static, str> {
        "Revision".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        i64::json_schema(generator)
    }
}
