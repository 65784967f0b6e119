//! Values that the endpoint passes to the handler in the extensions of a request, around the
//! protocol library.

use std::sync::{Arc, Mutex, PoisonError};

use gateway::{Error, Spec};

use super::message::ENVELOPE;
use crate::intake::Given;

/// The unparsed arguments of a call. The gateway parses them once the caller is authorized.
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

/// The size of a message, compared with the limit of the called operation.
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
