//! State that areas keep between calls.
//!
//! Each area names the types that it requires. `Gateway::new` fails if one is missing, so an
//! incomplete service does not start.

use std::{
    any::{Any, TypeId, type_name},
    collections::HashMap,
    fmt,
};

/// The state of the areas: at most one value of each type.
#[derive(Default)]
pub struct Parts(HashMap<TypeId, Box<dyn Any + Send + Sync>>);

impl Parts {
    /// Adds a value. It replaces an earlier value of the same type.
    #[must_use]
    pub fn with<T: Send + Sync + 'static>(mut self, part: T) -> Self {
        self.0.insert(TypeId::of::<T>(), Box::new(part));
        self
    }

    /// Returns the value of this type; `None` if the service has none.
    #[must_use]
    pub fn find<T: 'static>(&self) -> Option<&T> {
        self.0.get(&TypeId::of::<T>())?.downcast_ref()
    }

    /// Returns the value of a type that an area requires ([`super::Area::parts`]). `Gateway::new`
    /// checks that the value is present.
    ///
    /// # Panics
    ///
    /// If no area requires the type and the service has no value of it. A test compares the calls
    /// of this method with the required parts.
    #[must_use]
    pub fn get<T: 'static>(&self) -> &T {
        self.find()
            .unwrap_or_else(|| panic!("no area requires {}", type_name::<T>()))
    }
}

/// A type that an area requires in [`Parts`].
#[derive(Clone, Copy)]
pub struct Part {
    pub name: &'static str,
    is_in: fn(&Parts) -> bool,
}

impl Part {
    /// Creates the requirement of the type `T`. `name` is the type's name in the area.
    #[must_use]
    pub const fn of_type<T: 'static>(name: &'static str) -> Self {
        Self {
            name,
            is_in: |parts| parts.find::<T>().is_some(),
        }
    }

    pub(super) fn is_in(self, parts: &Parts) -> bool {
        (self.is_in)(parts)
    }
}

impl fmt::Debug for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for Part {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Part {}

/// The error for a missing part that an area requires.
#[derive(Debug, thiserror::Error)]
#[error("falta a parte `{part}`, de que a área `{area}` precisa")]
pub struct MissingPart {
    pub area: &'static str,
    pub part: &'static str,
}
