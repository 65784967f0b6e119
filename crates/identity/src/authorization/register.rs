use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{
    INVALID_CLIENT_METADATA, INVALID_REDIRECT_URI, document, grants::json_reply, redirect,
    server::AuthorizationServer,
};
use domain::{
    Error, random_text, sha256_hex,
    time::{MINUTE, Millis, SECOND},
};
use gateway::{Access, Code, Context, Entry, OutputForm, Page, Reply, Result, Spec, Verb};
use store::agents::clients::{self, Client};

/// Maximum number of registered clients that no member has authorized. Beyond it the oldest are
/// deleted, but only after their users have had time to sign in.
const MOST_UNUSED: i64 = 1_000;
const TIME_TO_ALLOW: Millis = 10 * MINUTE;

/// The dynamic registration of a client (RFC 7591).
#[derive(Debug, Deserialize, JsonSchema)]
pub struct RegisterClient {
    /// Nome do cliente, como aparece à pessoa.
    #[schemars(length(max = 500))]
    client_name: Option<String>,
    /// Para onde as autorizações voltam: https, http em localhost, ou o endereço de um aplicativo
    /// conhecido. Os que não são aceitos ficam de fora do registro.
    #[schemars(length(max = 20), inner(length(max = 1000)))]
    redirect_uris: Option<Vec<String>>,
    /// `authorization_code` e `refresh_token`.
    #[schemars(length(max = 20), inner(length(max = 100)))]
    grant_types: Option<Vec<String>>,
    /// `none` (padrão), `client_secret_post` ou `client_secret_basic`.
    #[schemars(length(max = 100))]
    token_endpoint_auth_method: Option<String>,
    /// `native` ou `web`.
    #[schemars(length(max = 100))]
    application_type: Option<String>,
}

const ROUTE: Spec = Spec::new(
    "register_agent_client",
    "Registrar um cliente OAuth",
    Verb::Post,
    "/register",
)
.access(Access::Public)
.serves(OutputForm::Document("application/json"))
.oauth_errors()
.partial(&[201])
.fails(&[400, 404, 413, 415, 429, 500, 503])
.extension()
.outside()
.unkeyed();

/// The table entry of the endpoint.
pub(super) const REGISTER_CLIENT: Entry = Entry::for_page::<RegisterClient>(
    ROUTE,
    "Registra um cliente OAuth que não publica um documento próprio (RFC 7591). O registro não dá acesso \
     a nada, e é apagado se em 7 dias ninguém permitir \
     nada ao cliente, ou antes, se houver registros demais.",
);

impl Page for RegisterClient {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let server = AuthorizationServer::from_context(ctx);
        if !server.registers {
            return Err(Error::new(Code::NOT_FOUND)
                .because("Esta instalação não registra clientes por conta própria."));
        }
        // RFC 7591 lets a server register fewer URIs than requested if the response says so.
        // Applications send the URIs of all their versions and systems together, so one unknown URI
        // must not keep out a client that uses another.
        let mut addresses = self.redirect_uris.unwrap_or_default();
        addresses.retain(|uri| redirect::is_registrable_uri(uri));
        if addresses.is_empty() || addresses.len() > document::MOST_ADDRESSES {
            return Err(Error::new(INVALID_REDIRECT_URI));
        }
        let unacceptable = |what: &'static str| Error::new(INVALID_CLIENT_METADATA).because(what);
        let method = self.token_endpoint_auth_method;
        let method = method.unwrap_or_else(|| "none".into());
        let has_secret = match method.as_str() {
            "none" => false,
            "client_secret_post" | "client_secret_basic" => true,
            _ => {
                return Err(unacceptable(
                    "`token_endpoint_auth_method` deve ser none, client_secret_post ou \
                     client_secret_basic.",
                ));
            }
        };
        let grants = self.grant_types;
        let begins = |types: &Vec<String>| types.iter().any(|name| name == "authorization_code");
        if grants.as_ref().is_some_and(|types| !begins(types)) {
            return Err(unacceptable("`grant_types` deve ter authorization_code."));
        }
        server.admit_registration(ctx).await?;
        let name = document::visible_name(self.client_name.as_deref().unwrap_or_default());
        let secret = has_secret.then(random_text::<32>);
        let client = Client {
            id: random_text::<16>().into(),
            name: name.unwrap_or_else(|| "Aplicativo sem nome".into()),
            redirect_uris: addresses,
            auth_method: method,
            secret_sha256: secret.as_ref().map(|secret| sha256_hex(secret.as_bytes())),
            renews: document::allows_renewal(grants.as_deref()),
            created_at: ctx.now,
            fetched_at: None,
            fresh_until: None,
            used_at: None,
        };
        let tx = ctx.begin().await?;
        let db = tx.conn();
        if !clients::evict_unused_clients(&db, MOST_UNUSED, ctx.now - TIME_TO_ALLOW).await? {
            let wait = TIME_TO_ALLOW / SECOND;
            return Err(Error::new(Code::RATE_LIMITED).with_retry_after(wait.unsigned_abs()));
        }
        clients::save(&db, &client).await?;
        tx.commit().await?;
        let grant_types: &[&str] = match client.renews {
            true => &["authorization_code", "refresh_token"],
            false => &["authorization_code"],
        };
        let mut answer = json!({
            "client_id": client.id,
            "client_id_issued_at": ctx.now / SECOND,
            "client_name": client.name,
            "redirect_uris": client.redirect_uris,
            "grant_types": grant_types,
            "response_types": ["code"],
            "token_endpoint_auth_method": client.auth_method,
        });
        if let Some(kind) = self.application_type {
            answer["application_type"] = kind.into();
        }
        if let Some(secret) = secret {
            answer["client_secret"] = secret.into();
            answer["client_secret_expires_at"] = 0.into();
        }
        Ok(json_reply(&answer).with_status(201))
    }
}
