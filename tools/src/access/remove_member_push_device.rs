use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::MEMBER_DEVICE;
use domain::{Capability, MemberId, PushDeviceId};
use gateway::{Access, Code, Context, Error, Operation, Result, Spec, Verb};
use store::push;

/// Deixa de mandar avisos a um aparelho de um membro, que pode registrá-lo de novo.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct RemoveMemberPushDevice {
    /// Id do membro.
    #[serde(rename = "memberId")]
    member_id: MemberId,
    /// Identificador do aparelho.
    #[serde(rename = "deviceId")]
    device_id: PushDeviceId,
}

/// Aparelho removido.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MemberPushDeviceRemoved {
    ok: bool,
    member_id: MemberId,
    id: PushDeviceId,
}

impl Operation for RemoveMemberPushDevice {
    const SPEC: Spec = Spec::new(
        "remove_member_push_device",
        "Remover aparelho de um membro",
        Verb::Delete,
        "/api/access/members/{memberId}/aparelhos/{deviceId}",
    )
    .access(Access::Session(Capability::TeamAdmin))
    .about(MEMBER_DEVICE, "deviceId")
    .fails(&[404])
    .extension();
    type Output = MemberPushDeviceRemoved;

    async fn run(self, ctx: &Context<'_>) -> Result<MemberPushDeviceRemoved> {
        let db = ctx.db();
        let found = push::require_for_member(&db, &self.member_id, &self.device_id).await;
        let device = found.map_err(|failure| match Error::from(failure) {
            error if error.code == Code::NOT_FOUND => {
                Error::not_found_in("aparelho", "list_access_members")
            }
            error => error,
        })?;
        push::delete_device(&db, &device.id).await?;
        Ok(MemberPushDeviceRemoved {
            ok: true,
            member_id: device.member_id,
            id: device.id,
        })
    }
}
