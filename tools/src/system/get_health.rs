use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::publishing::Connections;
use gateway::{Access, Context, Operation, Result, Spec, Verb};

/// Diz que o serviço responde, e quais redes sociais estão registradas.
///
/// Um 200 confirma só que o processo responde, não que cada provedor externo está disponível.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GetHealth {}

/// Estado do processo.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Health {
    ok: bool,
    /// Nome do serviço.
    service: &'static str,
    /// Redes sociais registradas.
    providers: Vec<&'static str>,
}

impl Operation for GetHealth {
    const SPEC: Spec = Spec::new(
        "get_health",
        "Verificar se o serviço responde",
        Verb::Get,
        "/api/health",
    )
    .access(Access::Public);
    type Output = Health;

    async fn run(self, ctx: &Context<'_>) -> Result<Health> {
        let connections = ctx.services.parts.get::<Connections>();
        Ok(Health {
            ok: true,
            service: "pauta",
            providers: connections
                .networks()
                .map(|network| network.name())
                .collect(),
        })
    }
}
