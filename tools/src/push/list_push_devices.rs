use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Pushing, device_view::PushDeviceView};
use domain::Capability;
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::push;

/// Lista os aparelhos em que você recebe avisos, do mais novo ao mais antigo.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ListPushDevices {}

/// Os aparelhos; no máximo dez.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PushDevices {
    aparelhos: Vec<PushDeviceView>,
    /// A chave pública desta Pauta, com que um navegador assina (`applicationServerKey`).
    chave: String,
}

impl Operation for ListPushDevices {
    const SPEC: Spec = Spec::new(
        "list_push_devices",
        "Listar aparelhos que recebem avisos",
        Verb::Get,
        "/api/notificacoes/aparelhos",
    )
    .access(Access::Session(Capability::TasksView))
    .extension();
    type Output = PushDevices;

    async fn run(self, ctx: &Context<'_>) -> Result<PushDevices> {
        let services = ctx.services;
        let pushing = services.parts.get::<Pushing>();
        let key = pushing.load_key(&services.db, &services.keys).await?;
        let devices = push::list_devices(&ctx.db(), &ctx.caller()?.member.id).await?;
        Ok(PushDevices {
            aparelhos: devices.into_iter().map(Into::into).collect(),
            chave: key.public_text(),
        })
    }
}
