//! Values that the endpoint passes to the handler through the request extensions, past the protocol
//! library.

use std::sync::{Arc, Mutex, PoisonError};

use gateway::{Error, Spec};

use super::message::ENVELOPE;
use crate::intake::Given;

/// The unparsed arguments of a call. The gateway parses them after it has authorized the caller.
#[derive(Clone, Default)]
pub(super) struct Arguments(Arc<Mutex<Option<Given>>>);

impl Arguments {
    pub(super) fn new(given: Option<Given>) -> Self {
        Self(Arc::new(Mutex::new(given)))
    }

    pub(super) fn take_arguments(&self) -> Option<Given> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Whether the client accepts event streams. The endpoint replaces the `Accept` header, because the
/// protocol library requires both types, so this value records what the client sent.
#[derive(Clone, Copy)]
pub(super) struct AcceptsStream(pub(super) bool);

/// The size of a message in bytes.
#[derive(Clone, Copy)]
pub(super) struct MessageSize(pub(super) usize);

impl MessageSize {
    /// Fails (413) if the arguments exceed the body limit of this operation.
    pub(super) fn require_within_limit(self, spec: &Spec) -> Result<(), Error> {
        if self.0 > spec.body_limit + ENVELOPE {
            return Err(spec.too_large_error());
        }
        Ok(())
    }
}
