use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use domain::{SessionId, text_enum};
use gateway::{Access, Context, Credential, Operation, Result, Spec, Verb};
use store::accounts;

text_enum! {
    /// The sessions of the caller that a sign-out ends.
    pub enum SignOutScope {
        Local = "local",
        Others = "others",
        Global = "global",
    }
}

impl SignOutScope {
    fn local() -> Self {
        Self::Local
    }
}

/// Encerra sessões de quem chama; vale a partir do próximo pedido.
///
/// Os tokens pessoais não mudam.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct SignOut {
    /// `local` encerra esta sessão, `others` as outras, `global` todas.
    #[serde(default = "SignOutScope::local")]
    scope: SignOutScope,
}

/// Sessões encerradas.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SignedOut {
    ok: bool,
}

impl Operation for SignOut {
    const SPEC: Spec = Spec::new("sign_out", "Sair", Verb::Post, "/auth/v1/logout")
        .access(Access::AnySession)
        .query(&["scope"])
        .ends_session()
        .extension()
        .unkeyed()
        .idempotent();
    type Output = SignedOut;

    async fn run(self, ctx: &Context<'_>) -> Result<SignedOut> {
        let caller = ctx.caller()?;
        let user_id = &caller.member.user_id;
        let family = match &caller.credential {
            Credential::Session { family_id } => family_id.as_ref(),
            Credential::Token { .. } | Credential::Agent { .. } | Credential::Guest(_) => None,
        };
        let none = SessionId::default();
        let family = family.unwrap_or(&none);
        match self.scope {
            SignOutScope::Local => accounts::revoke_family(&ctx.db(), family, ctx.now).await?,
            SignOutScope::Others => {
                accounts::revoke_other_families(&ctx.db(), user_id, family, ctx.now).await?;
            }
            SignOutScope::Global => accounts::end_sessions(&ctx.db(), user_id, ctx.now).await?,
        }
        Ok(SignedOut { ok: true })
    }
}
