//! How the audit trail tells that a call ended.

use crate::text_enum;

text_enum! {
    /// How a call ended.
    pub enum Outcome {
        Allowed = "allowed",
        Denied = "denied",
        Succeeded = "succeeded",
        Failed = "failed",
    }
}
