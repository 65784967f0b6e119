//! State that areas keep between calls.

use std::{
    any::{Any, TypeId, type_name},
    collections::HashMap,
};

/// Values of the areas, at most one of each type.
#[derive(Default)]
pub struct Parts(HashMap<TypeId, Box<dyn Any + Send + Sync>>);

impl Parts {
    /// Adds a value. It replaces an earlier one of its type.
    #[must_use]
    pub fn with<T: Send + Sync + 'static>(mut self, part: T) -> Self {
        self.0.insert(TypeId::of::<T>(), Box::new(part));
        self
    }

    /// The value of this type, if the service has one.
    #[must_use]
    pub fn find<T: 'static>(&self) -> Option<&T> {
        self.0.get(&TypeId::of::<T>())?.downcast_ref()
    }

    /// The value of this type.
    ///
    /// # Panics
    ///
    /// When the service was assembled without it.
    #[must_use]
    pub fn get<T: 'static>(&self) -> &T {
        self.find()
            .unwrap_or_else(|| panic!("the service has no {}", type_name::<T>()))
    }
}
