use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::SessionKeys;
use gateway::{Access, Context, Operation, Result, Spec, Verb};

/// Publica as chaves que conferem as sessões deste serviço (JWK Set, RFC 7517).
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ListSessionKeys {}

/// Chaves públicas.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct SessionKeySet {
    /// Uma JWK por chave.
    keys: Vec<Map<String, Value>>,
}

impl Operation for ListSessionKeys {
    const SPEC: Spec = Spec::new(
        "list_session_keys",
        "Ler chaves das sessões",
        Verb::Get,
        "/auth/v1/.well-known/jwks.json",
    )
    .access(Access::Public)
    .extension();
    type Output = SessionKeySet;

    async fn run(self, ctx: &Context<'_>) -> Result<SessionKeySet> {
        let set = serde_json::to_value(ctx.services.parts.get::<SessionKeys>().public_key_set())?;
        Ok(serde_json::from_value(set)?)
    }
}
