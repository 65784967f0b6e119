//! Connections to social networks.

use crate::text_enum;

text_enum! {
    /// The state of a connection.
    pub enum ConnectionStatus {
        Active = "active",
        /// The network no longer accepts its tokens.
        Expired = "expired",
        /// Disconnected by the team.
        Revoked = "revoked",
    }
}
