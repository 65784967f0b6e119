use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
    providers: Vec<String>,
}

impl Operation for GetHealth {
    const SPEC: Spec = Spec::new(
        "get_health",
        "Verificar se o serviço responde",
        Verb::Get,
        "/api/health",
    )
    .area(super::AREA)
    .access(Access::Public);
    type Output = Health;

    async fn run(self, _: &Context<'_>) -> Result<Health> {
        Ok(Health {
            ok: true,
            service: "pauta",
            providers: vec![],
        })
    }
}
