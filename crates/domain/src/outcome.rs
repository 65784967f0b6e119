//! How a call ended, as the audit trail records it.

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
