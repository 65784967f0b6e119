use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use subtle::ConstantTimeEq;

use super::{
    clients,
    grants::{self, json_reply},
};
use domain::{AgentSecret, sha256_hex};
use gateway::{
    Access, Context, Entry, InputForm, Outcome, OutputForm, Page, Reply, Result, Spec, Verb,
};
use store::{
    agents::{self, Agent, tokens},
    members,
};

/// A request to revoke a token (RFC 7009).
#[derive(Debug, Deserialize, JsonSchema)]
pub struct RevokeToken {
    /// O token de acesso ou de renovação.
    #[schemars(length(max = 200))]
    token: Option<String>,
    /// Identificação do cliente; dispensada com HTTP Basic.
    #[schemars(length(max = 500))]
    client_id: Option<String>,
    /// Segredo do cliente, se ele tem um.
    #[schemars(length(max = 200))]
    client_secret: Option<String>,
}

const ROUTE: Spec = Spec::new(
    "revoke_agent_token",
    "Revogar um token de agente",
    Verb::Post,
    "/revoke",
)
.access(Access::Public)
.takes(InputForm::UrlEncoded)
.serves(OutputForm::Document("application/json"))
.oauth_errors()
.fails(&[400, 401, 413, 415, 500, 503])
.extension()
.outside()
.unkeyed();

/// The table entry of the endpoint.
pub(super) const REVOKE_TOKEN: Entry = Entry::for_page::<RevokeToken>(
    ROUTE,
    "Encerra o acesso de um agente, pelo token de acesso ou pelo de renovação (RFC 7009). Um token que não \
     é conhecido, ou é de outro cliente, responde o mesmo e nada muda.",
);

impl Page for RevokeToken {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let (id, secret) = (self.client_id.as_deref(), self.client_secret.as_deref());
        let client = clients::authenticate_client(ctx, id, secret).await?;
        let token = self.token.unwrap_or_default();
        let agent = find_agent(ctx, &token).await?;
        let agent = agent.filter(|agent| agent.client_id == client.id);
        if let Some(agent) = agent.filter(|agent| agent.revoked_at.is_none()) {
            let tx = ctx.begin().await?;
            let db = tx.conn();
            let member = members::require(&db, &agent.member_id).await?;
            if agents::revoke(&db, &agent.id, ctx.now).await? {
                grants::insert_audit_row(ctx, &db, ROUTE.name, &agent, &member, Outcome::Succeeded)
                    .await?;
            }
            tx.commit().await?;
        }
        Ok(json_reply(&json!({})))
    }
}

/// Finds the agent to which an access or refresh token belongs.
async fn find_agent(ctx: &Context<'_>, token: &str) -> Result<Option<Agent>> {
    let db = ctx.services.db.reader();
    if let Some(secret) = AgentSecret::parse(token) {
        let found = tokens::find_by_prefix(&db, secret.prefix()).await?;
        let digest = secret.digest();
        let matches = |stored: &str| bool::from(digest.as_bytes().ct_eq(stored.as_bytes()));
        let found = found.filter(|found| matches(&found.secret_sha256));
        return Ok(found.map(|found| found.agent));
    }
    match tokens::find_refresh_token(&db, &sha256_hex(token.as_bytes())).await? {
        Some(refresh) => Ok(agents::find(&db, &refresh.agent_id).await?),
        None => Ok(None),
    }
}
