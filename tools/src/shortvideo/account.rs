//! The connected account: its id and a valid access token.

use gateway::{Code, Result, Services};

use crate::publishing::{AccessToken, Connections};

/// The network, as connections name it.
const NETWORK: &str = "shortvideo";

pub const ACCOUNT_DISCONNECTED: Code = Code::new(
    "ACCOUNT_DISCONNECTED",
    409,
    "A conta precisa ser conectada de novo.",
)
.next("Peça a um admin da equipe que conecte a conta de novo.");

/// A valid access to the account.
///
/// Refused (404) when none is connected, or it has to be connected again.
pub(super) async fn access(services: &Services) -> Result<AccessToken> {
    services
        .parts
        .get::<Connections>()
        .access_token(NETWORK)
        .await
}

/// The access in place of one whose token the provider has just refused.
pub(super) async fn renewed(services: &Services, refused: &AccessToken) -> Result<AccessToken> {
    let connections = services.parts.get::<Connections>();
    connections.newer_than(NETWORK, refused.version).await
}
