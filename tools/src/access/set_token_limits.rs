use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    daily_use::{DailyLimits, load_uses},
    token_view::TokenView,
};
use domain::{Capability, MemberId, TokenId};
use gateway::{Access, Context, Error, Operation, Result, Spec, Verb};
use identity::TOKEN;
use store::tokens;

/// Define quantas chamadas e imagens por dia um token pode fazer.
///
/// Substitui os dois limites, que `list_access_members` mostra. Vale em poucos segundos. O dia é o
/// de Brasília.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct SetTokenLimits {
    /// Id do membro.
    #[serde(rename = "memberId")]
    member_id: MemberId,
    /// Identificador público do token.
    #[serde(rename = "tokenId")]
    token_id: TokenId,
    #[serde(flatten)]
    limits: DailyLimits,
}

/// Token com os limites novos.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TokenLimitsSet {
    token: TokenView,
}

impl Operation for SetTokenLimits {
    const SPEC: Spec = Spec::new(
        "set_token_limits",
        "Definir limites de um token",
        Verb::Put,
        "/api/access/members/{memberId}/tokens/{tokenId}/limites",
    )
    .access(Access::Session(Capability::TeamAdmin))
    .about(TOKEN, "tokenId")
    .read_by("list_access_members")
    .fails(&[404])
    .extension()
    .locks_out();
    type Output = TokenLimitsSet;

    async fn run(self, ctx: &Context<'_>) -> Result<TokenLimitsSet> {
        let token = tokens::find_for_member(&ctx.db(), &self.member_id, &self.token_id).await?;
        let token = token.ok_or_else(|| Error::not_found_in("token", "list_access_members"))?;
        self.limits.save(ctx, &token.id).await?;
        let uses = load_uses(ctx, [token.id.as_str()]).await?;
        Ok(TokenLimitsSet {
            token: TokenView::from_token(token, &uses, ctx.now),
        })
    }
}
