//! The outcome of a call, as recorded in the audit trail.

use crate::text_enum;

text_enum! {
    /// The outcome of a call.
    pub enum Outcome {
        Allowed = "allowed",
        Denied = "denied",
        Succeeded = "succeeded",
        Failed = "failed",
    }
}
