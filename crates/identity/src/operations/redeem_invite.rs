use schemars::JsonSchema;
use serde::Deserialize;

use super::{insert_audit_row, session_tokens::SessionTokens};
use crate::{Passwords, mail, passwords::require_strong, tokens::revoke_own_tokens};
use domain::{MailKind, UserId, sha256_hex};
use gateway::{Access, Code, Context, Error, Operation, Outcome, Result, Spec, Verb};
use store::{Conn, accounts, members};

/// Resgata um convite ou uma redefinição de senha: define a senha e abre a primeira sessão.
///
/// O token está no link, depois de `#`, e vale uma vez. Uma senha fraca é recusada e não gasta o
/// link. As sessões que a pessoa tinha terminam.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct RedeemInvite {
    /// Token do convite ou da redefinição.
    #[schemars(length(min = 1, max = 256))]
    token: String,
    /// Senha nova: ao menos 12 caracteres.
    #[schemars(length(min = 1, max = 256))]
    password: String,
    /// Se os tokens pessoais e os endereços de calendário da pessoa são revogados também.
    #[serde(default)]
    revoke_tokens: bool,
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
        run(ctx, &self.token, &self.password, self.revoke_tokens).await
    }
}

/// Sets the password of a person who was invited or has forgotten the password, and begins a session.
///
/// Fails with 401 if the link is unknown, used or expired, or belongs to an inactive member, and with
/// 400 if the password is weak.
pub(crate) async fn run(
    ctx: &Context<'_>,
    token: &str,
    password: &str,
    revoke_tokens: bool,
) -> Result<SessionTokens> {
    let redeemed = redeem(ctx, token, password, revoke_tokens).await;
    redeemed.inspect_err(|error| {
        if error.status() == 401 {
            ctx.note_refusal("convite ou link de senha recusado", error.code);
        }
    })
}

/// The purpose of the link that contains the token.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LinkKind {
    Invitation,
    Reset,
}

impl LinkKind {
    /// Returns the action in the audit trail.
    const fn action(self) -> &'static str {
        match self {
            Self::Invitation => RedeemInvite::SPEC.name,
            Self::Reset => "reset_password",
        }
    }

    async fn consume(self, db: &Conn<'_>, digest: &str) -> Result<bool> {
        Ok(match self {
            Self::Invitation => accounts::consume_invite(db, digest).await?,
            Self::Reset => accounts::consume_reset(db, digest).await?,
        })
    }
}

/// Finds the kind and the account of a valid link.
async fn find_link(ctx: &Context<'_>, digest: &str) -> Result<Option<(LinkKind, UserId)>> {
    let invite = accounts::find_invite(&ctx.db(), digest).await?;
    let invite = invite.filter(|invite| invite.expires_at > ctx.now);
    if let Some(invite) = invite {
        return Ok(Some((LinkKind::Invitation, invite.user_id)));
    }
    let reset = accounts::find_reset(&ctx.db(), digest).await?;
    let reset = reset.filter(|reset| reset.expires_at > ctx.now);
    Ok(reset.map(|reset| (LinkKind::Reset, reset.user_id)))
}

async fn redeem(
    ctx: &Context<'_>,
    token: &str,
    password: &str,
    revoke_tokens: bool,
) -> Result<SessionTokens> {
    let digest = sha256_hex(token.as_bytes());
    let link = find_link(ctx, &digest).await?;
    let (kind, user_id) = link.ok_or_else(invalid_link_error)?;
    let member = members::find_by_user(&ctx.db(), &user_id).await?;
    let member = member.ok_or_else(invalid_link_error)?;
    require_strong(password, &member)?;
    let hash = Passwords::from_context(ctx).hash(password).await?;
    let tx = ctx.begin().await?;
    let db = tx.conn();
    members::lock_member(&db, &member.id).await?;
    let member = members::require(&db, &member.id).await?;
    if !member.active || !kind.consume(&db, &digest).await? {
        return Err(invalid_link_error());
    }
    let tokens = SessionTokens::open_with_password(ctx, &db, &member, &hash).await?;
    if revoke_tokens {
        revoke_own_tokens(ctx, &db, kind.action(), &member).await?;
    }
    insert_audit_row(ctx, &db, kind.action(), Some(&member), Outcome::Succeeded).await?;
    if kind == LinkKind::Reset {
        let (changed, to) = (MailKind::PasswordChanged, Some(&member.id));
        mail::queue(ctx.services, &db, changed, to, None, ctx.now).await?;
    }
    tx.commit().await?;
    Ok(tokens)
}

fn invalid_link_error() -> Error {
    Error::new(Code::UNAUTHENTICATED)
        .because("O link não vale mais.")
        .with_detail(
            "next",
            "Peça outro em “Esqueci a senha”, ou um convite novo a um admin.".into(),
        )
}
