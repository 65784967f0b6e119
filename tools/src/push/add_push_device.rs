use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    MOST_DEVICES, PUSH_DEVICE, Pushing, TOO_MANY_PUSH_DEVICES,
    device_view::PushDeviceView,
    subscription::{Subscription, save},
};
use domain::{Capability, PushDeviceId, VISIBLE, sha256_hex, visible_line};
use gateway::{Access, Code, Context, Credential, Error, Operation, Result, Spec, Verb};
use identity::signed_in_at;
use store::{
    members,
    push::{self, PushDevice},
};

/// Passa a mandar avisos a um navegador, pela assinatura que ele criou (`PushSubscription`).
///
/// O navegador passa a ser de quem chama. Repetir atualiza o aparelho.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct AddPushDevice {
    /// O endereço do serviço de push: https, da internet pública.
    #[schemars(length(min = 12, max = 2000), regex(pattern = *VISIBLE))]
    endpoint: String,
    /// A chave pública do navegador (65 bytes em base64url).
    #[schemars(regex(pattern = "^[A-Za-z0-9_-]{87}$"))]
    p256dh: String,
    /// O segredo do navegador (16 bytes em base64url).
    #[schemars(regex(pattern = "^[A-Za-z0-9_-]{22}$"))]
    auth: String,
    /// Como o aparelho aparece na lista.
    #[schemars(length(min = 1, max = 60), regex(pattern = *VISIBLE))]
    nome: String,
    /// O endereço que esta assinatura substitui: sem um aparelho seu com ele, 404.
    #[schemars(length(min = 12, max = 2000), regex(pattern = *VISIBLE))]
    anterior: Option<String>,
}

/// Aparelho registrado.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PushDeviceAdded {
    ok: bool,
    aparelho: PushDeviceView,
}

impl Operation for AddPushDevice {
    const SPEC: Spec = Spec::new(
        "add_push_device",
        "Receber avisos neste aparelho",
        Verb::Post,
        "/api/notificacoes/aparelhos",
    )
    .access(Access::Session(Capability::TasksView))
    .makes(PUSH_DEVICE)
    .fails(&[404, 409])
    .extension()
    .unkeyed()
    .idempotent();
    type Output = PushDeviceAdded;

    fn affected_ids(output: &PushDeviceAdded) -> Vec<&str> {
        vec![output.aparelho.id()]
    }

    async fn run(self, ctx: &Context<'_>) -> Result<PushDeviceAdded> {
        let services = ctx.services;
        let sender = &services.parts.get::<Pushing>().sender;
        sender.check_endpoint(&self.endpoint)?;
        let subscription = Subscription::parse(&self.endpoint, &self.p256dh, &self.auth)?;
        let caller = ctx.caller()?;
        let member_id = &caller.member.id;
        let db = ctx.db();
        // The lock makes calls count the devices one after the other, and the member cannot leave during
        // the call.
        members::lock_member(&db, member_id).await?;
        if !members::require(&db, member_id).await?.active {
            return Err(Error::new(Code::NOT_A_MEMBER));
        }
        signed_in_at(&db, caller).await?;
        let endpoint_sha256 = hash_endpoint(&self.endpoint);
        let mut replaced = push::find_by_endpoint(&db, &endpoint_sha256).await?;
        if let Some(device) = &replaced
            && device.member_id != *member_id
        {
            push::delete_device(&db, &device.id).await?;
            replaced = None;
        }
        if let Some(earlier) = &self.anterior {
            let found = push::find_by_endpoint(&db, &hash_endpoint(earlier)).await?;
            let found = found.filter(|device| device.member_id == *member_id);
            let found =
                found.ok_or_else(|| Error::not_found_in("aparelho", "list_push_devices"))?;
            // If another device of the member already has the new endpoint, that device is deleted.
            if let Some(other) = replaced.filter(|other| other.id != found.id) {
                push::delete_device(&db, &other.id).await?;
            }
            replaced = Some(found);
        }
        let session_id = match &caller.credential {
            Credential::Session { family_id } => family_id.clone(),
            Credential::Token { .. } | Credential::Agent { .. } | Credential::Guest(_) => None,
        };
        let name = visible_line(&self.nome);
        let device = match replaced {
            Some(device) => {
                let device = PushDevice {
                    session_id,
                    name,
                    renewed_at: ctx.now,
                    ..device
                };
                push::update_device(&db, &device, &endpoint_sha256).await?;
                device
            }
            None => {
                if push::list_devices(&db, member_id).await?.len() >= MOST_DEVICES {
                    return Err(Error::new(TOO_MANY_PUSH_DEVICES));
                }
                let device = PushDevice {
                    id: PushDeviceId::new(ctx.now),
                    member_id: member_id.clone(),
                    session_id,
                    name,
                    created_at: ctx.now,
                    renewed_at: ctx.now,
                    received_at: None,
                };
                if !push::insert_device(&db, &device, &endpoint_sha256).await? {
                    // Another member is registering the same browser at the same time.
                    return Err(Error::new(Code::UNAVAILABLE));
                }
                device
            }
        };
        save(&db, &services.keys, &device.id, &subscription).await?;
        Ok(PushDeviceAdded {
            ok: true,
            aparelho: device.into(),
        })
    }
}

/// Returns the hash under which a device is found by its endpoint.
pub(super) fn hash_endpoint(endpoint: &str) -> String {
    sha256_hex(endpoint.as_bytes())
}
