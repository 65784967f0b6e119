use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{INVALID_CREDENTIALS, session_tokens::SessionTokens};
use crate::Passwords;
use crate::{networks, passwords::require_strong, signed_in_at};
use domain::time::{MINUTE, Millis};
use gateway::{Access, Context, Error, Operation, Principal, Result, Spec, Verb};
use store::{accounts, members};

/// The time after sign-in during which a session may change the password without the current password.
const FRESH: Millis = 10 * MINUTE;

/// Troca a própria senha; encerra todas as sessões e devolve uma nova.
///
/// Até 10 minutos depois de entrar, a senha atual é dispensada (o corpo de um cliente GoTrue, só
/// com `password`, basta); depois disso ela é obrigatória, e renovar a sessão não a torna nova.
/// Recusada quando a senha atual não confere ou a nova é fraca. Errar demais a senha atual pede
/// espera, como na entrada. Os tokens pessoais ficam como estão, a menos que `revoke_tokens` peça
/// para revogá-los junto: faça isso quando a senha antiga pode ter vazado.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ChangeMyPassword {
    /// Senha nova: ao menos 12 caracteres.
    #[schemars(length(min = 1, max = 256))]
    password: String,
    /// Senha atual; dispensada até 10 minutos depois de entrar.
    #[schemars(length(min = 1, max = 256))]
    current_password: Option<String>,
    /// Se os tokens pessoais e os endereços de calendário de quem chama são revogados também.
    #[serde(default)]
    revoke_tokens: bool,
    /// Aceito de clientes GoTrue, e ignorado.
    #[serde(rename = "code_challenge")]
    #[schemars(length(max = 256), extend("x-nullable" = true))]
    #[expect(dead_code, reason = "GoTrue clients send it")]
    challenge: Option<String>,
    /// Aceito de clientes GoTrue, e ignorado.
    #[serde(rename = "code_challenge_method")]
    #[schemars(length(max = 256), extend("x-nullable" = true))]
    #[expect(dead_code, reason = "GoTrue clients send it")]
    challenge_method: Option<String>,
}

/// Senha trocada, e a sessão nova.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PasswordChanged {
    #[serde(flatten)]
    session: SessionTokens,
    /// Quantos tokens pessoais foram revogados.
    revoked_tokens: usize,
}

impl Operation for ChangeMyPassword {
    const SPEC: Spec = Spec::new(
        "change_my_password",
        "Trocar minha senha",
        Verb::Put,
        "/auth/v1/user",
    )
    .access(Access::AnySession)
    .fails(&[429])
    .ends_session()
    .extension()
    .outside()
    .unkeyed();
    type Output = PasswordChanged;

    async fn run(self, ctx: &Context<'_>) -> Result<PasswordChanged> {
        let caller = ctx.caller()?;
        let member = &caller.member;
        let entered_at = signed_in_at(&ctx.db(), caller).await?;
        require_strong(&self.password, member)?;
        let stored = accounts::find_password_hash(&ctx.db(), &member.user_id).await?;
        match self.current_password {
            Some(current) => require_current_password(ctx, caller, current, stored.clone()).await?,
            None if entered_at.is_some_and(|at| at + FRESH > ctx.now) => {}
            None => return Err(missing_current_password_error()),
        }
        let hash = Passwords::from_context(ctx).hash(&self.password).await?;
        let tx = ctx.begin().await?;
        let db = tx.conn();
        members::lock_member(&db, &member.id).await?;
        // While Argon2 ran, the session may have ended and the password may have changed.
        signed_in_at(&db, caller).await?;
        if accounts::find_password_hash(&db, &member.user_id).await? != stored {
            return Err(wrong_current_password_error());
        }
        accounts::create_account_if_absent(&db, &member.user_id, ctx.now).await?;
        let session = SessionTokens::open_with_password(ctx, &db, member, &hash).await?;
        let revoked_tokens = if self.revoke_tokens {
            crate::revoke_all_tokens(ctx, &db, &Self::SPEC, &member.id).await?
        } else {
            0
        };
        tx.commit().await?;
        Ok(PasswordChanged {
            session,
            revoked_tokens,
        })
    }
}

async fn require_current_password(
    ctx: &Context<'_>,
    caller: &Principal,
    current: String,
    stored: Option<String>,
) -> Result<()> {
    let account = &caller.member.email;
    networks::admit_password_attempt(ctx, account).await?;
    if !Passwords::from_context(ctx)
        .matches(&current, stored)
        .await?
    {
        let error = wrong_current_password_error();
        ctx.note_refusal("senha atual recusada", error.code);
        return Err(error);
    }
    networks::forget_failures(ctx, account).await?;
    Ok(())
}

fn wrong_current_password_error() -> Error {
    Error::new(INVALID_CREDENTIALS).because("A senha atual não confere.")
}

fn missing_current_password_error() -> Error {
    let message = "é obrigatório: a pessoa entrou há mais de 10 minutos";
    let next = "Envie `current_password` com a senha atual, ou entre de novo e repita em até 10 \
                minutos.";
    Error::invalid_field("current_password", "required", message).with_detail("next", next.into())
}
