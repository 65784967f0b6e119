//! Connections to social networks, by OAuth 2.0.
//!
//! All secrets are in the table `secrets`, encrypted with a key ring
//! (`crates/gateway/src/keyring.rs`). `shortvideo/` contains the publications that a caller requests,
//! `scheduled/` the publications of approved variants, and `by_hand/` the posts that a person publishes.
//! `results/` reads the figures of published posts.

mod area;
pub(crate) mod by_hand;
mod call_counters;
mod callback_page;
mod complete_oauth_connection;
mod connections;
mod disconnect_oauth_account;
mod get_oauth_status_page;
mod html;
mod list_connected_accounts;
mod provider_name;
mod public_url;
mod publications;
mod renew_connections;
pub mod results;
pub mod scheduled;
pub mod shortvideo;
mod start_oauth_connection;
mod state;

pub use area::{AREA, FOR_CONSOLE};
pub use complete_oauth_connection::COMPLETE_OAUTH_CONNECTION;
pub use connections::{AccessToken, CONNECT_AT, Connections};
pub use disconnect_oauth_account::DisconnectOauthAccount;
pub use get_oauth_status_page::GET_OAUTH_STATUS_PAGE;
pub use list_connected_accounts::ListConnectedAccounts;
pub use publications::{
    ACCOUNT_DISCONNECTED, ALREADY_PUBLISHED, COUNTED, MEDIA_REJECTED, PUBLICATION,
    PUBLICATION_CODES, PUBLICATION_OPEN, PUBLICATION_STATE, PUBLISHING_PAUSED, PUBLISHING_REFUSED,
    UPLOAD_EXPIRED,
};
pub use renew_connections::RenewConnections;
pub use start_oauth_connection::StartOauthConnection;

use domain::Capability;
use gateway::{Code, Error, Resource};

/// The resource kind of connections. The id of a connection is the name of its network.
pub(crate) const CONNECTION: Resource =
    Resource::new("connection").with_visibility(|_, member, _| {
        Box::pin(async move {
            let capabilities = member.session_capabilities();
            match capabilities.contains(Capability::ConnectionsView) {
                true => Ok(()),
                false => Err(Error::not_found_in("conexão", "list_connected_accounts")),
            }
        })
    });

pub const OAUTH_STATE_INVALID: Code = Code::new(
    "OAUTH_STATE_INVALID",
    400,
    "Este pedido de conexão não vale: venceu, já foi usado ou começou em outro navegador.",
)
.with_next_step(
    "Comece a conexão de novo, e abra o endereço no mesmo navegador em até 10 minutos.",
);
