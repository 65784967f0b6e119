//! The chapters of the table.

use std::fmt;

use serde::{Serialize, Serializer};

/// A chapter of the catalog, and the name of a toolset. Each is defined where its operations are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Area {
    /// snake_case.
    pub name: &'static str,
    /// What it is about, for people; published, in Portuguese.
    pub description: &'static str,
}

impl Area {
    #[must_use]
    pub const fn new(name: &'static str, description: &'static str) -> Self {
        Self { name, description }
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
