//! The documents that tell an MCP client how to sign in, readable by pages on other sites, and the
//! text with which a directory of apps verifies the owner of this address.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    ALIAS as ALIAS_PATH, authorize, grants::json_reply, resource, scopes,
    server::AuthorizationServer,
};
use domain::Error;
use gateway::{Access, Content, Context, Entry, OutputForm, Page, Reply, Result, Spec, Verb};

/// The path of the metadata of the MCP endpoint, below the public address.
pub const RESOURCE: &str = "/.well-known/oauth-protected-resource/api/mcp";
/// The path of the metadata of the endpoint's alias.
pub const ALIAS: &str = "/.well-known/oauth-protected-resource/mcp";
/// The path of the metadata of the authorization server.
pub const SERVER: &str = "/.well-known/oauth-authorization-server";

const fn document(name: &'static str, title: &'static str, path: &'static str) -> Spec {
    Spec::new(name, title, Verb::Get, path)
        .access(Access::Public)
        .serves(OutputForm::Document("application/json"))
        .fails(&[500])
        .extension()
}

/// The metadata of the MCP endpoint (RFC 9728).
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GetProtectedResource {}

/// The entry of the route.
pub(super) const GET_PROTECTED_RESOURCE: Entry = Entry::page::<GetProtectedResource>(
    document(
        "get_protected_resource_metadata",
        "Ler os metadados OAuth do endereço MCP",
        RESOURCE,
    )
    .also_at(&["/.well-known/oauth-protected-resource"]),
    "Quem autoriza o uso do endereço MCP, e que escopos existem (RFC 9728).",
);

impl Page for GetProtectedResource {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        Ok(protected(ctx, &resource(&ctx.services.public_url)))
    }
}

/// The metadata of the endpoint's other path: clients require that of the address they use.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GetProtectedAlias {}

/// The entry of the route.
pub(super) const GET_PROTECTED_ALIAS: Entry = Entry::page::<GetProtectedAlias>(
    document(
        "get_protected_alias_metadata",
        "Ler os metadados OAuth do endereço MCP alternativo",
        ALIAS,
    ),
    "Os mesmos metadados para `/mcp`, o outro caminho do endereço MCP (RFC 9728).",
);

impl Page for GetProtectedAlias {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let url = &ctx.services.public_url;
        Ok(protected(ctx, &format!("{url}{ALIAS_PATH}")))
    }
}

fn protected(ctx: &Context<'_>, resource: &str) -> Reply {
    let url = &ctx.services.public_url;
    open(&json!({
        "resource": resource,
        "authorization_servers": [url],
        "scopes_supported": scopes::SUPPORTED,
        "bearer_methods_supported": ["header"],
        "resource_name": "Pauta",
        "resource_documentation": format!("{url}/api/ai/mcp-setup.md"),
    }))
}

/// The metadata of the authorization server (RFC 8414).
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GetAuthorizationServer {}

/// The entry of the route.
pub(super) const GET_AUTHORIZATION_SERVER: Entry = Entry::page::<GetAuthorizationServer>(
    document(
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
            "client_id_metadata_document_supported": authorize::takes_documents(ctx),
            "authorization_response_iss_parameter_supported": true,
            "service_documentation": at("/api/ai/mcp-setup.md"),
        });
        if AuthorizationServer::of(ctx).registers {
            metadata["registration_endpoint"] = at("/register").into();
        }
        Ok(open(&metadata))
    }
}

/// The text with which the ChatGPT directory checks that whoever lists an app has this address.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GetAppsChallenge {}

/// The entry of the route.
pub(super) const GET_APPS_CHALLENGE: Entry = Entry::page::<GetAppsChallenge>(
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
        let text = AuthorizationServer::of(ctx).apps_challenge.clone();
        let text = text.ok_or_else(|| Error::not_found("prova de domínio"))?;
        Ok(Reply::new(Content::Text(text.into())))
    }
}

/// A document that pages of any site may read.
fn open(metadata: &Value) -> Reply {
    json_reply(metadata)
        .header("access-control-allow-origin", "*")
        .header("cache-control", "public, max-age=3600")
}
