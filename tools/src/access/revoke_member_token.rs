//! `DELETE /api/access/members/{memberId}/tokens/{tokenId}`

use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    RevokeMyToken,
    token_view::{TokenRevoked, TokenView},
};
use crate::{
    domain::{Capability, MemberId, TokenId},
    registry::{Access, Area, AuditRow, Context, Error, Operation, Outcome, Result, Spec, Verb},
    store::{Conn, audit, tokens},
};

/// Revoga um token pessoal de um membro, e só ele.
///
/// Os metadados e a auditoria ficam. Repetir não muda mais nada.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct RevokeMemberToken {
    /// Identificador do membro.
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
    .area(Area::Access)
    .access(Access::Session(Capability::TeamAdmin))
    .about("token", "tokenId")
    .locks_out()
    .fails(&[404]);
    type Output = TokenRevoked;

    async fn run(self, ctx: &Context<'_>) -> Result<TokenRevoked> {
        revoke(ctx, self.member_id.as_str(), &self.token_id).await
    }
}

/// Revokes the token if it is that member's, else 404.
pub(super) async fn revoke(
    ctx: &Context<'_>,
    member_id: &str,
    token_id: &TokenId,
) -> Result<TokenRevoked> {
    let db = ctx.db();
    tokens::revoke(&db, member_id, token_id.as_str(), ctx.now).await?;
    let token = tokens::find_of(&db, member_id, token_id.as_str())
        .await?
        .ok_or_else(|| Error::not_found("token"))?;
    Ok(TokenRevoked {
        ok: true,
        token: TokenView::of(token, ctx.now),
    })
}

/// Revokes every active token of a member as a part of `cause`, with a row of the audit trail for
/// each; the answer is how many there were.
pub(crate) async fn revoke_all_of(
    ctx: &Context<'_>,
    db: &Conn<'_>,
    cause: &Spec,
    member_id: &str,
) -> Result<usize> {
    let caller = ctx.caller()?;
    let spec = if caller.member.id == member_id {
        RevokeMyToken::SPEC
    } else {
        RevokeMemberToken::SPEC
    };
    let revoked = tokens::revoke_all(db, member_id, ctx.now).await?;
    for id in &revoked {
        let mut row = AuditRow::of(&spec, caller, ctx.origin, ctx.now);
        row.resource_id = Some(id.clone());
        row.capability = cause.access.capabilities().first().map(|c| c.as_str());
        row.metadata.insert("cause".into(), cause.name.into());
        audit::insert(db, row.ended(Outcome::Succeeded, spec.success)).await?;
    }
    Ok(revoked.len())
}
