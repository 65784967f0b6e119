//! Messages to the devices of members by Web Push: their states, and for how long they are sent.

use crate::{
    text_enum,
    time::{DAY, Millis},
};

text_enum! {
    /// The state of a message to a device. Only a pending one is sent.
    pub enum PushState {
        /// The message waits for its first or next attempt.
        Pending = "pendente",
        /// An instance talks to the push service.
        Sending = "enviando",
        /// The push service has accepted the message.
        Sent = "enviado",
        /// The push service has refused the message.
        Refused = "recusado",
        /// The push service did not accept the message in time.
        Expired = "vencido",
        /// The reason for the message had ended before it was sent.
        Dropped = "descartado",
        /// The push service may have accepted the message, so the message is never sent again.
        Unknown = "incerto",
    }
}

/// The time after a notification during which its message is sent, and during which the push
/// service keeps the message for a device that is off.
pub const PUSH_LIFETIME: Millis = DAY;
