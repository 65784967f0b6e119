//! The reason why a caller lacks a capability.

use super::{Capability, text_enum};

text_enum! {
    /// What lacks the capability: the credential, the API level or the role. Each has a different
    /// remedy.
    pub enum Lack {
        Token = "token",
        Agent = "agent",
        ApiLevel = "api_level",
        Role = "role",
    }
}

impl Lack {
    /// Returns the explanation for the user and the agent (Portuguese).
    #[must_use]
    pub fn message(self, capability: Capability) -> String {
        let label = capability.label();
        match self {
            Lack::Token => format!(
                "Este token foi criado sem a permissão `{capability}`: crie um novo e marque “{label}”."
            ),
            Lack::Agent => format!(
                "Este agente não recebeu a permissão `{capability}`: conecte-o de novo e marque “{label}”."
            ),
            Lack::ApiLevel => format!(
                "O nível de API da pessoa não alcança a permissão `{capability}`, que o papel dela tem: \
                 um admin da equipe pode aumentar o nível."
            ),
            Lack::Role => format!(
                "Falta a permissão `{capability}` para esta operação; têm-na: `{}`.",
                capability.granting_roles().join("`, `")
            ),
        }
    }

    /// Returns what the user can do next (Portuguese).
    #[must_use]
    pub const fn advice(self) -> &'static str {
        match self {
            Lack::Token => {
                "Não contorne: diga à pessoa que crie outro token no console, com a permissão marcada. \
                 `get_me` mostra o que esta credencial pode fazer."
            }
            Lack::Agent => {
                "Não contorne: diga à pessoa que conecte este agente de novo e marque a permissão. \
                 `get_me` mostra o que esta credencial pode fazer."
            }
            Lack::ApiLevel => {
                "Não contorne: diga à pessoa que um admin da equipe define o nível dela em \
                 `update_member_api_access`. `get_me` mostra o que esta credencial pode fazer."
            }
            Lack::Role => {
                "Não contorne: diga à pessoa qual permissão falta e que um admin da equipe a dá. `get_me` \
                 mostra o que esta credencial pode fazer."
            }
        }
    }
}
