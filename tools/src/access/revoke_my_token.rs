use schemars::JsonSchema;
use serde::Deserialize;

use super::{revoke_member_token::revoke_token, token_view::TokenRevoked};
use domain::TokenId;
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use identity::TOKEN;

/// Revoga um token pessoal de quem chama; vale a partir do próximo pedido.
///
/// Repetir não muda mais nada. Um token de outra pessoa não é encontrado.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct RevokeMyToken {
    /// Identificador público do token.
    #[serde(rename = "tokenId")]
    token_id: TokenId,
}

impl Operation for RevokeMyToken {
    const SPEC: Spec = Spec::new(
        "revoke_my_token",
        "Revogar meu token pessoal",
        Verb::Delete,
        "/api/access/tokens/{tokenId}",
    )
    .access(Access::AnySession)
    .about(TOKEN, "tokenId")
    .locks_out()
    .fails(&[404]);
    type Output = TokenRevoked;

    async fn run(self, ctx: &Context<'_>) -> Result<TokenRevoked> {
        revoke_token(ctx, &ctx.caller()?.member.id, &self.token_id).await
    }
}
