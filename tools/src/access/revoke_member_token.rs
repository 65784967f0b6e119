use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    daily_use::load_uses,
    token_view::{TokenRevoked, TokenView},
};
use domain::{Capability, MemberId, TokenId};
use gateway::{Access, Context, Error, Operation, Result, Spec, Verb};
use identity::TOKEN;
use store::tokens;

/// Revoga um token pessoal de um membro, e só ele.
///
/// Os metadados e a auditoria ficam. Repetir não muda mais nada.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct RevokeMemberToken {
    /// Id do membro.
    #[serde(rename = "memberId")]
    member_id: MemberId,
    /// Identificador público do token.
    #[serde(rename = "tokenId")]
    token_id: TokenId,
}

impl Operation for RevokeMemberToken {
    const SPEC: Spec = Spec::new(
        "revoke_member_token",
        "Revogar token de um membro",
        Verb::Delete,
        "/api/access/members/{memberId}/tokens/{tokenId}",
    )
    .access(Access::Session(Capability::TeamAdmin))
    .about(TOKEN, "tokenId")
    .locks_out()
    .fails(&[404]);
    type Output = TokenRevoked;

    async fn run(self, ctx: &Context<'_>) -> Result<TokenRevoked> {
        revoke_token(ctx, &self.member_id, &self.token_id).await
    }
}

/// Revokes the token. Refuses (404) a token that does not belong to the member.
pub(super) async fn revoke_token(
    ctx: &Context<'_>,
    member_id: &MemberId,
    token_id: &TokenId,
) -> Result<TokenRevoked> {
    let db = ctx.db();
    tokens::revoke(&db, member_id, token_id, ctx.now).await?;
    let token = tokens::find_for_member(&db, member_id, token_id)
        .await?
        .ok_or_else(|| Error::not_found_in("token", "list_access_members"))?;
    let uses = load_uses(ctx, [token_id.as_str()]).await?;
    Ok(TokenRevoked {
        ok: true,
        token: TokenView::from_token(token, &uses, ctx.now),
    })
}
