//! Areas: the groups of operations in the catalog.

use std::fmt;

use domain::Code;
use serde::{Serialize, Serializer};

use super::Part;

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
}

impl Area {
    #[must_use]
    pub const fn new(name: &'static str, description: &'static str) -> Self {
        Self {
            name,
            description,
            codes: &[],
            parts: &[],
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
