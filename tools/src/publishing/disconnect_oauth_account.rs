use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CONNECTION, Connections, provider_name::ProviderName};
use domain::{Capability, Error};
use gateway::{Access, Code, Context, Operation, Result, Spec, Verb};
use store::{
    connections::{self, TOKENS},
    secrets,
};

/// Desconecta a conta da equipe em uma rede social.
///
/// A Pauta apaga a credencial e pede à rede que a revogue. Se a rede não responde, a conta fica
/// desconectada mesmo assim, e `avisos` diz o que fazer nela.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct DisconnectOauthAccount {
    /// Rede conectada.
    provider: ProviderName,
}

/// Conta desconectada.
#[derive(Debug, Serialize, JsonSchema)]
pub struct OauthAccountDisconnected {
    ok: bool,
    /// O que falta fazer na própria rede.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    avisos: Vec<String>,
}

impl Operation for DisconnectOauthAccount {
    const SPEC: Spec = Spec::new(
        "disconnect_o_auth_account",
        "Desconectar uma rede social",
        Verb::Post,
        "/oauth/{provider}/disconnect",
    )
    .access(Access::Session(Capability::Connections))
    .about(CONNECTION, "provider")
    .fails(&[404])
    .needs_provider(Code::NOT_FOUND)
    .outside()
    .destructive()
    .announces_nothing();
    type Output = OauthAccountDisconnected;

    async fn run(self, ctx: &Context<'_>) -> Result<OauthAccountDisconnected> {
        let known = ctx.services.parts.get::<Connections>();
        let network = known.require_network(&self.provider.0)?;
        let (name, title) = (network.name(), network.title());
        let tx = ctx.begin().await?;
        let db = tx.conn();
        if !connections::mark_revoked(&db, name).await? {
            let next = format!("{title} não está conectado; não há o que desconectar.");
            return Err(Error::not_found("conexão").with_detail("next", next.into()));
        }
        let before = connections::find(&db, name).await?;
        let tokens = before
            .map(|before| known.decrypt_tokens(&before))
            .transpose()?;
        secrets::delete(&db, TOKENS, name).await?;
        tx.commit().await?;
        let revoked = match tokens.flatten() {
            Some(tokens) => matches!(network.revoke_tokens(&tokens).await, Ok(true)),
            None => false,
        };
        let advice = format!(
            "A conta está desconectada daqui, mas {title} não confirmou a revogação: retire o acesso \
             da Pauta nas configurações da própria conta."
        );
        Ok(OauthAccountDisconnected {
            ok: true,
            avisos: if revoked { vec![] } else { vec![advice] },
        })
    }
}
