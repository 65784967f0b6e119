//! What the endpoint hands to the handler in the extensions of a request, past the protocol library.

use std::sync::{Arc, Mutex, PoisonError};

use gateway::{Error, Spec};

use super::message::ENVELOPE;
use crate::intake::Given;

/// The arguments of a call as they came, for the gateway to parse once the caller may call.
#[derive(Clone, Default)]
pub(super) struct Arguments(Arc<Mutex<Option<Given>>>);

impl Arguments {
    pub(super) fn new(given: Option<Given>) -> Self {
        Self(Arc::new(Mutex::new(given)))
    }

    pub(super) fn take(&self) -> Option<Given> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// The size of a message, which the limit of the operation it calls is held against.
#[derive(Clone, Copy)]
pub(super) struct MessageSize(pub(super) usize);

impl MessageSize {
    /// Refuses (413) a message whose arguments cannot fit into a body of this operation.
    pub(super) fn require(self, spec: &Spec) -> Result<(), Error> {
        if self.0 > spec.body_limit + ENVELOPE {
            return Err(spec.too_large());
        }
        Ok(())
    }
}
