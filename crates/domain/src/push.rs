//! Messages to the devices of members by Web Push: their states, and for how long they are sent.

use crate::{
    text_enum,
    time::{DAY, Millis},
};

text_enum! {
    /// The state of a message to a device. Only a pending one is sent.
    pub enum PushState {
        /// It waits, or will be tried again.
        Pending = "pendente",
        /// An instance talks to the push service.
        Sending = "enviando",
        /// The push service has accepted it.
        Sent = "enviado",
        /// The push service has refused it.
        Refused = "recusado",
        /// It was not accepted in time.
        Expired = "vencido",
        /// There was no more reason to send it.
        Dropped = "descartado",
        /// The push service may have accepted it. It is never sent again.
        Unknown = "incerto",
    }
}

/// How long after the notification a message is still sent, and how long the push service keeps it for
/// a device that is off.
pub const PUSH_LIFETIME: Millis = DAY;
