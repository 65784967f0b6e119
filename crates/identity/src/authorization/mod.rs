//! The authorization server of this service's own MCP endpoint (OAuth 2.1).
//!
//! A client identifies itself, a member signs in and decides what the agent may do, and the client
//! exchanges a code for tokens that are valid only at the MCP endpoint. The authorization server
//! and the resource server are one process with one database, so tokens are opaque and a revocation
//! takes effect with the next request.
//!
//! The routes are pages of the operation table. Access tokens are hashed like personal tokens and pass
//! the same guard: their scopes, limited by the API level and the role, are read on every request. The
//! tokens are bound to the MCP endpoint (`Authenticator::authenticate` receives the interface) and to
//! the public URL.
//!
//! An error is redirected only to a client that a member has authorized. Otherwise anybody could
//! register a redirect URI and have browsers redirected to it by this service. The pages contain no
//! scripts.
//!
//! Every operation that revokes tokens, agents and sessions also deletes unused codes
//! (`agents::codes::delete_unused` of the store), because a code can still be exchanged for a token. The
//! error for a missing capability names its cause (`domain::Lack`): the token or the agent if the member
//! could have granted the capability, otherwise the API level, otherwise the role.

mod applications;
mod area;
mod at_issuer;
mod authorize;
mod browser;
mod clients;
mod consent;
mod copies;
mod decide;
mod document;
mod error_text;
mod fetching;
mod grants;
mod metadata;
mod offer;
mod pages;
mod password;
mod pattern;
mod pinned;
mod redirect;
mod refresh;
mod register;
mod request;
mod revoke;
mod scopes;
mod server;
mod sign_in;
mod token;
mod turns;
mod workdays;

pub use crate::audience::{ALIAS, PRIVACY_PATH, mcp_endpoint_url};
pub use area::AREA;
pub use at_issuer::AtIssuer;
pub use error_text::error_description;
pub use metadata::{
    ALIAS as ALIAS_METADATA, RESOURCE as RESOURCE_METADATA, SERVER as SERVER_METADATA,
};
pub use scopes::{capability_label, challenge_scope as challenged_scopes};
pub use server::{AuthorizationServer, Trust};
pub use workdays::{WORKDAYS, Workday};

use crate::tokens::may_see_all_credentials;
use domain::{AgentId, Code, Error, Member, Result};
use gateway::{Announcement, Resource};
use store::{Conn, agents};

/// The error codes of the authorization server.
const CODES: &[Code] = &[
    INVALID_CLIENT,
    INVALID_GRANT,
    INVALID_TARGET,
    INVALID_REDIRECT_URI,
    INVALID_CLIENT_METADATA,
    UNSUPPORTED_GRANT_TYPE,
    AUTHORIZATION_REFUSED,
];

/// A connected agent. Its owner and the admins see it, and are notified of its changes.
pub const AGENT: Resource = Resource::new("agent")
    .with_visibility(|db, member, id| {
        Box::pin(async move {
            match sees_agent(&db, member, id).await? {
                true => Ok(()),
                false => Err(Error::new(Code::NOT_FOUND)),
            }
        })
    })
    .with_audience(|db, member, id| Box::pin(async move { sees_agent(&db, member, id).await }));

async fn sees_agent(db: &Conn<'_>, member: &Member, id: &str) -> Result<bool> {
    let id = AgentId::from(id);
    Ok(may_see_all_credentials(member)
        || agents::find_for_member(db, &member.id, &id)
            .await?
            .is_some())
}

/// An agent was connected to a member's account.
pub const AGENT_CONNECTED: Announcement = Announcement::new("agent_connected");
/// The fact with the id of the member who connected the agent.
pub const CONNECTED_BY: &str = "member_id";

const INVALID_CLIENT: Code = Code::new(
    "INVALID_CLIENT",
    401,
    "O cliente OAuth não é conhecido ou não se identificou.",
)
.with_next_step("Registre o cliente de novo em `/register`.");

const INVALID_GRANT: Code = Code::new(
    "INVALID_GRANT",
    400,
    "O código ou o token de renovação não vale.",
)
.with_next_step("Comece de novo em `/authorize`.");

const INVALID_TARGET: Code = Code::new(
    "INVALID_TARGET",
    400,
    "O `resource` pedido não é o endereço MCP desta Pauta.",
);

const INVALID_REDIRECT_URI: Code = Code::new(
    "INVALID_REDIRECT_URI",
    400,
    "Um endereço de retorno não é aceito.",
)
.with_next_step("Use https, ou http em localhost.");

const INVALID_CLIENT_METADATA: Code = Code::new(
    "INVALID_CLIENT_METADATA",
    400,
    "Os dados do cliente OAuth não são aceitos.",
);

const UNSUPPORTED_GRANT_TYPE: Code = Code::new(
    "UNSUPPORTED_GRANT_TYPE",
    400,
    "`grant_type` deve ser `authorization_code` ou `refresh_token`.",
);

const AUTHORIZATION_REFUSED: Code = Code::new(
    "AUTHORIZATION_REFUSED",
    400,
    "O pedido de autorização não pode ser atendido.",
);

/// Returns the `error` field of an OAuth error response (RFC 6749, section 5.2).
#[must_use]
pub fn error_code(error: &Error) -> String {
    let code = error.code;
    let own = CODES.contains(&code) && code != AUTHORIZATION_REFUSED;
    match (own, error.status()) {
        (true, _) => code.as_str().to_ascii_lowercase(),
        (false, 401) => "invalid_client".into(),
        (false, 429 | 503) => "temporarily_unavailable".into(),
        (false, 500..) => "server_error".into(),
        _ => "invalid_request".into(),
    }
}
