use schemars::JsonSchema;
use serde::Deserialize;

use super::{insert_audit_row, session_tokens::SessionTokens};
use crate::Passwords;
use crate::passwords::require_strong;
use domain::sha256_hex;
use gateway::{Access, Code, Context, Error, Operation, Outcome, Result, Spec, Verb};
use store::{accounts, members};

/// Resgata um convite ou uma redefinição de senha: define a senha e abre a primeira sessão.
///
/// O token está no link do convite, depois de `#`, e vale uma vez. Uma senha fraca é recusada e
/// não gasta o convite.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct RedeemInvite {
    /// Token do convite.
    #[schemars(length(min = 1, max = 256))]
    token: String,
    /// Senha nova: ao menos 12 caracteres.
    #[schemars(length(min = 1, max = 256))]
    password: String,
}

impl Operation for RedeemInvite {
    const SPEC: Spec = Spec::new(
        "redeem_invite",
        "Resgatar convite",
        Verb::Post,
        "/auth/v1/verify",
    )
    .access(Access::Public)
    .fails(&[401])
    .extension()
    .outside()
    .unkeyed();
    type Output = SessionTokens;

    async fn run(self, ctx: &Context<'_>) -> Result<SessionTokens> {
        run(ctx, &self.token, &self.password).await
    }
}

/// Sets the password of the invited person and begins their first session.
///
/// Fails with 401 if the invitation is unknown, used, expired or of an inactive member, and with
/// 400 if the password is weak.
pub(crate) async fn run(ctx: &Context<'_>, token: &str, password: &str) -> Result<SessionTokens> {
    let redeemed = redeem(ctx, token, password).await;
    redeemed.inspect_err(|error| {
        if error.status() == 401 {
            ctx.note_refusal("convite recusado", error.code);
        }
    })
}

async fn redeem(ctx: &Context<'_>, token: &str, password: &str) -> Result<SessionTokens> {
    let digest = sha256_hex(token.as_bytes());
    let invite = accounts::find_invite(&ctx.db(), &digest).await?;
    let invite = invite.filter(|i| i.expires_at > ctx.now);
    let user_id = invite.ok_or_else(invalid_invitation_error)?.user_id;
    let member = members::find_by_user(&ctx.db(), &user_id).await?;
    let member = member.ok_or_else(invalid_invitation_error)?;
    require_strong(password, &member)?;
    let hash = Passwords::from_context(ctx).hash(password).await?;
    let tx = ctx.begin().await?;
    let db = tx.conn();
    members::lock_member(&db, &member.id).await?;
    let member = members::require(&db, &member.id).await?;
    if !member.active || !accounts::consume_invite(&db, &digest).await? {
        return Err(invalid_invitation_error());
    }
    let tokens = SessionTokens::open_with_password(ctx, &db, &member, &hash).await?;
    let action = RedeemInvite::SPEC.name;
    insert_audit_row(ctx, &db, action, Some(&member), Outcome::Succeeded).await?;
    tx.commit().await?;
    Ok(tokens)
}

fn invalid_invitation_error() -> Error {
    Error::new(Code::UNAUTHENTICATED)
        .because("O convite não vale mais.")
        .with_detail("next", "Peça um convite novo a um admin da equipe.".into())
}
