use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::PUSH_DEVICE;
use domain::{Capability, PushDeviceId};
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::push;

/// Deixa de mandar avisos a um aparelho seu.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct RemovePushDevice {
    /// Identificador do aparelho.
    #[serde(rename = "deviceId")]
    device_id: PushDeviceId,
}

/// Aparelho removido.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PushDeviceRemoved {
    ok: bool,
    id: PushDeviceId,
}

impl Operation for RemovePushDevice {
    const SPEC: Spec = Spec::new(
        "remove_push_device",
        "Parar de receber avisos em um aparelho",
        Verb::Delete,
        "/api/notificacoes/aparelhos/{deviceId}",
    )
    .access(Access::Session(Capability::TasksView))
    .about(PUSH_DEVICE, "deviceId")
    .fails(&[404])
    .extension();
    type Output = PushDeviceRemoved;

    async fn run(self, ctx: &Context<'_>) -> Result<PushDeviceRemoved> {
        let db = ctx.db();
        let member_id = &ctx.caller()?.member.id;
        let device = push::require_for_member(&db, member_id, &self.device_id).await?;
        push::delete_device(&db, &device.id).await?;
        Ok(PushDeviceRemoved {
            ok: true,
            id: device.id,
        })
    }
}
