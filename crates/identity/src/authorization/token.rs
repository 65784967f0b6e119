use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Map;
use subtle::ConstantTimeEq;

use super::{
    AGENT, AGENT_CONNECTED, CONNECTED_BY, INVALID_CLIENT, INVALID_GRANT, INVALID_TARGET,
    UNSUPPORTED_GRANT_TYPE,
    authorize::is_own_resource,
    clients,
    grants::{self, Pair, invalid_grant},
    mcp_endpoint_url, redirect, refresh,
};
use domain::{AgentId, Error, sha256_base64url, sha256_hex};
use gateway::{
    Access, Context, Entry, InputForm, Outcome, OutputForm, Page, Reply, Result, Spec, Verb,
};
use store::{
    Conn, accounts,
    agents::{
        self, Agent,
        clients::Client,
        codes::{self, AuthorizationCode},
    },
    members::{self, Member},
};

/// A token request.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct IssueToken {
    /// `authorization_code` ou `refresh_token`.
    #[schemars(length(max = 100))]
    grant_type: Option<String>,
    /// Identificação do cliente; dispensada com HTTP Basic.
    #[schemars(length(max = 500))]
    client_id: Option<String>,
    /// Segredo do cliente, se ele tem um.
    #[schemars(length(max = 200))]
    client_secret: Option<String>,
    /// O código que a página de autorização devolveu.
    #[schemars(length(max = 200))]
    code: Option<String>,
    /// O mesmo endereço da autorização.
    #[schemars(length(max = 1000))]
    redirect_uri: Option<String>,
    /// O texto de que veio o desafio PKCE.
    #[schemars(length(max = 200))]
    code_verifier: Option<String>,
    /// O último token de renovação recebido.
    #[schemars(length(max = 200))]
    refresh_token: Option<String>,
    /// Endereço MCP desta Pauta; dispensado na renovação.
    #[schemars(length(max = 1000))]
    resource: Option<String>,
}

const ROUTE: Spec = Spec::new(
    "issue_agent_token",
    "Trocar um código por tokens de agente",
    Verb::Post,
    "/token",
)
.access(Access::Public)
.takes(InputForm::UrlEncoded)
.serves(OutputForm::Document("application/json"))
.oauth_errors()
.fails(&[400, 401, 413, 415, 500, 503])
.extension()
.outside()
.unkeyed()
.announces(&[AGENT_CONNECTED]);

/// The table entry of the endpoint.
pub(super) const ISSUE_TOKEN: Entry = Entry::for_page::<IssueToken>(
    ROUTE,
    "Troca um código de autorização, ou um token de renovação, por um token de acesso de 24 horas que \
     só vale no endereço MCP (RFC 6749, com PKCE e RFC 8707). Cada token de renovação vale uma troca; \
     repeti-la em até 10 segundos devolve os mesmos tokens, e depois disso encerra o acesso inteiro.",
);

impl Page for IssueToken {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let issued = self.issue_tokens(ctx).await;
        issued.inspect_err(|error| {
            if [INVALID_CLIENT, INVALID_GRANT].contains(&error.code) {
                ctx.note_refusal("pedido de token de agente recusado", error.code);
            }
        })
    }
}

impl IssueToken {
    async fn issue_tokens(self, ctx: &Context<'_>) -> Result<Reply> {
        let (id, secret) = (self.client_id.as_deref(), self.client_secret.as_deref());
        let client = clients::authenticate_client(ctx, id, secret).await?;
        let ours = is_own_resource(self.resource.as_deref(), &ctx.services.public_url);
        match self.grant_type.as_deref() {
            Some("authorization_code") => {
                let code = require_parameter("code", self.code)?;
                let verifier = require_parameter("code_verifier", self.code_verifier)?;
                let redirect_uri = require_parameter("redirect_uri", self.redirect_uri)?;
                if !ours {
                    return Err(Error::new(INVALID_TARGET));
                }
                exchange_code(ctx, &client, &code, &verifier, &redirect_uri).await
            }
            Some("refresh_token") => {
                let token = require_parameter("refresh_token", self.refresh_token)?;
                if self.resource.is_some() && !ours {
                    return Err(Error::new(INVALID_TARGET));
                }
                refresh::run(ctx, &client, &token).await
            }
            _ => Err(Error::new(UNSUPPORTED_GRANT_TYPE)),
        }
    }
}

fn require_parameter(name: &str, value: Option<String>) -> Result<String> {
    let value = value.filter(|value| !value.is_empty());
    value.ok_or_else(|| Error::invalid_field(name, "required", "é obrigatório"))
}

/// Exchanges an authorization code for tokens.
///
/// Fails with 400 if the code is unknown, expired, or was issued for another client, redirect URI
/// or PKCE verifier; also if the session that authorized it has ended, or the member may no longer
/// grant any of its capabilities. A second use of a code revokes the agent that the first use
/// created.
async fn exchange_code(
    ctx: &Context<'_>,
    client: &Client,
    code: &str,
    verifier: &str,
    redirect_uri: &str,
) -> Result<Reply> {
    let digest = sha256_hex(code.as_bytes());
    // A read connection checks the code first, so that unauthenticated requests do not occupy the
    // writer.
    let found = codes::find(&ctx.services.db.reader(), &digest).await?;
    let found = found.ok_or_else(invalid_grant)?;
    require_matching_request(&found, client, verifier, redirect_uri)?;
    let tx = ctx.begin().await?;
    let db = tx.conn();
    // The member is locked first, so that an operation that ends the member's access also deletes
    // this code, or revokes the agent that the code creates.
    members::lock_member(&db, &found.member_id).await?;
    let agent_id = AgentId::new(ctx.now);
    let first = codes::consume_code(&db, &digest, &agent_id, ctx.now).await?;
    let found = codes::find(&db, &digest).await?.ok_or_else(invalid_grant)?;
    let member = members::require(&db, &found.member_id).await?;
    if !first {
        if let Some(agent_id) = &found.agent_id
            && let Some(agent) = agents::find(&db, agent_id).await?
        {
            grants::revoke_replayed(ctx, &db, &agent, &member).await?;
            tx.commit().await?;
        }
        return Err(invalid_grant());
    }
    if !is_exchangeable(ctx, &db, &found, &member).await? {
        return Err(invalid_grant());
    }
    let agent = Agent {
        id: agent_id,
        member_id: found.member_id,
        client_id: client.id.clone(),
        client_name: client.name.clone(),
        redirect_host: redirect::display_host(&found.redirect_uri),
        scopes: found.scopes,
        resource: found.resource,
        created_at: ctx.now,
        expires_at: found.agent_expires_at,
        last_used_at: None,
        revoked_at: None,
    };
    agents::insert(&db, &agent).await?;
    if let Some(replaced) = &found.replaces {
        grants::revoke_replaced(ctx, &db, replaced, &agent, &member).await?;
    }
    let pair = Pair::new(client);
    pair.store_access(ctx, &db, &agent).await?;
    pair.store_refresh(&db, &agent).await?;
    grants::insert_audit_row(ctx, &db, ROUTE.name, &agent, &member, Outcome::Succeeded).await?;
    let owner = Map::from_iter([(CONNECTED_BY.to_owned(), member.id.as_str().into())]);
    let resource = (AGENT, agent.id.as_str());
    AGENT_CONNECTED
        .record(ctx.services, &db, resource, owner)
        .await?;
    tx.commit().await?;
    Ok(pair.into_reply(ctx, &agent))
}

/// True if a code may still be exchanged.
async fn is_exchangeable(
    ctx: &Context<'_>,
    db: &Conn<'_>,
    code: &AuthorizationCode,
    member: &Member,
) -> Result<bool> {
    let session = accounts::find_session(db, &member.user_id, code.family_id.as_ref()).await?;
    let family = session.and_then(|session| session.family);
    let usable = code.scopes.intersection(member.token_capabilities());
    Ok(code.expires_at > ctx.now
        && code.resource == mcp_endpoint_url(&ctx.services.public_url)
        && member.active
        && family.is_some_and(|family| !family.revoked)
        && !usable.is_empty())
}

fn require_matching_request(
    code: &AuthorizationCode,
    client: &Client,
    verifier: &str,
    redirect_uri: &str,
) -> Result<()> {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-._~".contains(&b);
    let well_formed = (43..=128).contains(&verifier.len()) && verifier.bytes().all(plain);
    let challenge = sha256_base64url(verifier.as_bytes());
    let matches = bool::from(challenge.as_bytes().ct_eq(code.challenge.as_bytes()));
    let same = code.client_id == client.id && code.redirect_uri == redirect_uri;
    if well_formed && matches && same {
        Ok(())
    } else {
        Err(invalid_grant())
    }
}
