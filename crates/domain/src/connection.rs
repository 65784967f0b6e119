//! Connections to accounts at social networks.

use crate::text_enum;

text_enum! {
    /// The state of a connection.
    pub enum ConnectionStatus {
        Active = "active",
        /// The network no longer accepts the tokens of the connection.
        Expired = "expired",
        /// The team disconnected the account.
        Revoked = "revoked",
    }
}
