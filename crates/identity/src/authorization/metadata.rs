//! OAuth metadata documents, which describe to an MCP client how to sign in, and the text with which the
//! ChatGPT app directory verifies the owner of this domain.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    ALIAS as ALIAS_PATH, PRIVACY_PATH, authorize, grants::json_reply, mcp_endpoint_url, scopes,
    server::AuthorizationServer,
};
use domain::Error;
use gateway::{Access, Content, Context, Entry, OutputForm, Page, Reply, Result, Spec, Verb};

/// The path of the protected resource metadata (RFC 9728) of the MCP endpoint, below the public
/// URL.
pub const RESOURCE: &str = "/.well-known/oauth-protected-resource/api/mcp";
/// The path of the protected resource metadata (RFC 9728) of the alias `/mcp`.
pub const ALIAS: &str = "/.well-known/oauth-protected-resource/mcp";
/// The path of the authorization server metadata (RFC 8414).
pub const SERVER: &str = "/.well-known/oauth-authorization-server";

const fn metadata_route(name: &'static str, title: &'static str, path: &'static str) -> Spec {
    Spec::new(name, title, Verb::Get, path)
        .access(Access::Public)
        .serves(OutputForm::Document("application/json"))
        .fails(&[500])
        .extension()
}

/// The protected resource metadata of the MCP endpoint (RFC 9728).
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GetProtectedResource {}

/// The table entry of the route.
pub(super) const GET_PROTECTED_RESOURCE: Entry = Entry::for_page::<GetProtectedResource>(
    metadata_route(
        "get_protected_resource_metadata",
        "Ler os metadados OAuth do endereço MCP",
        RESOURCE,
    )
    .also_at(&["/.well-known/oauth-protected-resource"]),
    "Quem autoriza o uso do endereço MCP, e que escopos existem (RFC 9728).",
);

impl Page for GetProtectedResource {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        Ok(resource_metadata(
            ctx,
            &mcp_endpoint_url(&ctx.services.public_url),
        ))
    }
}

/// The protected resource metadata of the alias of the MCP endpoint. Clients require the metadata
/// to name the URL that they use.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GetProtectedAlias {}

/// The table entry of the route.
pub(super) const GET_PROTECTED_ALIAS: Entry = Entry::for_page::<GetProtectedAlias>(
    metadata_route(
        "get_protected_alias_metadata",
        "Ler os metadados OAuth do endereço MCP alternativo",
        ALIAS,
    ),
    "Os mesmos metadados para `/mcp`, o outro caminho do endereço MCP (RFC 9728).",
);

impl Page for GetProtectedAlias {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let url = &ctx.services.public_url;
        Ok(resource_metadata(ctx, &format!("{url}{ALIAS_PATH}")))
    }
}

fn resource_metadata(ctx: &Context<'_>, resource: &str) -> Reply {
    let url = &ctx.services.public_url;
    cross_origin_reply(&json!({
        "resource": resource,
        "authorization_servers": [url],
        "scopes_supported": scopes::SUPPORTED,
        "bearer_methods_supported": ["header"],
        "resource_name": "Pauta",
        "resource_documentation": format!("{url}/api/ai/mcp-setup.md"),
        "resource_policy_uri": format!("{url}{PRIVACY_PATH}"),
    }))
}

/// The authorization server metadata (RFC 8414).
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GetAuthorizationServer {}

/// The table entry of the route.
pub(super) const GET_AUTHORIZATION_SERVER: Entry = Entry::for_page::<GetAuthorizationServer>(
    metadata_route(
        "get_authorization_server_metadata",
        "Ler os metadados do servidor de autorização",
        SERVER,
    )
    .also_at(&[
        "/.well-known/oauth-authorization-server/api/mcp",
        "/.well-known/oauth-authorization-server/mcp",
    ]),
    "Os endereços e as regras do servidor de autorização (RFC 8414).",
);

impl Page for GetAuthorizationServer {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let url = &ctx.services.public_url;
        let at = |path: &str| format!("{url}{path}");
        let known = scopes::SUPPORTED.iter().copied();
        let scopes: Vec<&str> = known.chain(["offline_access"]).collect();
        let mut metadata = json!({
            "issuer": url,
            "authorization_endpoint": at("/authorize"),
            "token_endpoint": at("/token"),
            "revocation_endpoint": at("/revoke"),
            "scopes_supported": scopes,
            "response_types_supported": ["code"],
            "response_modes_supported": ["query"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported":
                ["none", "client_secret_post", "client_secret_basic"],
            "revocation_endpoint_auth_methods_supported":
                ["none", "client_secret_post", "client_secret_basic"],
            "client_id_metadata_document_supported": authorize::accepts_documents(ctx),
            "authorization_response_iss_parameter_supported": true,
            "service_documentation": at("/api/ai/mcp-setup.md"),
            "op_policy_uri": at(PRIVACY_PATH),
        });
        if AuthorizationServer::from_context(ctx).registers {
            metadata["registration_endpoint"] = at("/register").into();
        }
        Ok(cross_origin_reply(&metadata))
    }
}

/// The text with which the ChatGPT app directory verifies that the owner of an app controls this
/// domain.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GetAppsChallenge {}

/// The table entry of the route.
pub(super) const GET_APPS_CHALLENGE: Entry = Entry::for_page::<GetAppsChallenge>(
    Spec::new(
        "get_apps_challenge",
        "Ler a prova de domínio do diretório do ChatGPT",
        Verb::Get,
        "/.well-known/openai-apps-challenge",
    )
    .access(Access::Public)
    .serves(OutputForm::Document("text/plain"))
    .fails(&[404, 500])
    .extension(),
    "O texto que `PAUTA_OPENAI_APPS_CHALLENGE` configura, com que o diretório do ChatGPT confere de quem \
     é este endereço.",
);

impl Page for GetAppsChallenge {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let text = AuthorizationServer::from_context(ctx)
            .apps_challenge
            .clone();
        let text = text.ok_or_else(|| Error::not_found("prova de domínio"))?;
        Ok(Reply::new(Content::Text(text.into())))
    }
}

/// Returns a reply that pages of any site may read.
fn cross_origin_reply(metadata: &Value) -> Reply {
    json_reply(metadata)
        .with_header("access-control-allow-origin", "*")
        .with_header("cache-control", "public, max-age=3600")
}
