//! The connected account: its id and a valid access token.

use gateway::{Result, Services};

use crate::publishing::{AccessToken, Connections};

/// The name of the network in connections.
pub(super) const NETWORK: &str = "shortvideo";

/// Returns a valid access token of the account.
///
/// Refuses (404) when no account is connected, or when the account must be connected again.
pub(super) async fn require_access(services: &Services) -> Result<AccessToken> {
    services
        .parts
        .get::<Connections>()
        .access_token(NETWORK)
        .await
}

/// Renews an access token that the provider has just refused.
pub(super) async fn renew_access(
    services: &Services,
    refused: &AccessToken,
) -> Result<AccessToken> {
    let connections = services.parts.get::<Connections>();
    connections
        .access_token_newer_than(NETWORK, refused.version)
        .await
}
