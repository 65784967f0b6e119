//! The connected account: its id and a valid access token.

use gateway::{Result, Services};

use crate::publishing::{AccessToken, Connections};

/// The name of the network in connections.
const NETWORK: &str = "shortvideo";

/// A valid access to the account.
///
/// Refused (404) when no account is connected, or it must be connected again.
pub(super) async fn access(services: &Services) -> Result<AccessToken> {
    services
        .parts
        .get::<Connections>()
        .access_token(NETWORK)
        .await
}

/// A new access that replaces one whose token the provider has just refused.
pub(super) async fn renewed(services: &Services, refused: &AccessToken) -> Result<AccessToken> {
    let connections = services.parts.get::<Connections>();
    connections.newer_than(NETWORK, refused.version).await
}
