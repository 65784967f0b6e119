//! `PUT /auth/v1/user` (extension)

use schemars::JsonSchema;
use serde::Deserialize;

use super::session_tokens::SessionTokens;
use crate::{
    identity::{networks, passwords::require_strong},
    registry::{Access, Area, Code, Context, Error, Operation, Result, Spec, Verb},
    store::{accounts, members},
};

/// Troca a própria senha; encerra todas as sessões e devolve uma nova.
///
/// Recusada quando a senha atual não confere ou a nova é fraca. Errar demais a senha atual pede
/// espera, como na entrada.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ChangeMyPassword {
    /// Senha nova: ao menos 12 caracteres.
    #[schemars(length(min = 1, max = 256))]
    password: String,
    /// Senha atual.
    #[schemars(length(min = 1, max = 256))]
    current_password: String,
}

impl Operation for ChangeMyPassword {
    const SPEC: Spec = Spec::new(
        "change_my_password",
        "Trocar minha senha",
        Verb::Put,
        "/auth/v1/user",
    )
    .area(Area::Auth)
    .access(Access::AnySession)
    .fails(&[429])
    .ends_session()
    .extension()
    .outside()
    .unkeyed();
    type Output = SessionTokens;

    async fn run(self, ctx: &Context<'_>) -> Result<SessionTokens> {
        let member = &ctx.caller()?.member;
        let passwords = &ctx.services.passwords;
        require_strong(&self.password, member)?;
        networks::admit(ctx, &member.email).await?;
        let stored = accounts::password_hash(&ctx.db(), &member.user_id).await?;
        let matches = passwords.matches(&self.current_password, stored.clone());
        if !matches.await? {
            return Err(refused());
        }
        networks::succeeded(ctx, &member.email);
        let hash = passwords.hash(&self.password).await?;
        let tx = ctx.begin().await?;
        let db = tx.conn();
        members::queue_for_member(&db, &member.id).await?;
        // The password judged above may have been changed, or taken away, while Argon2 ran.
        if accounts::password_hash(&db, &member.user_id).await? != stored {
            return Err(refused());
        }
        accounts::set_password(&db, &member.user_id, Some(&hash), ctx.now).await?;
        accounts::end_sessions(&db, &member.user_id, ctx.now).await?;
        let tokens = SessionTokens::open(ctx, &db, member).await?;
        tx.commit().await?;
        Ok(tokens)
    }
}

fn refused() -> Error {
    Error::new(Code::InvalidCredentials).because("A senha atual não confere.")
}
