//! A device, as operations return it. No answer contains its endpoint or keys.

use schemars::JsonSchema;
use serde::Serialize;

use domain::{PushDeviceId, time::Timestamp};
use store::push::PushDevice;

/// Aparelho que recebe avisos.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PushDeviceView {
    id: PushDeviceId,
    nome: String,
    criado_em: Timestamp,
    /// O último aviso que o serviço do navegador aceitou.
    ultimo_aviso_em: Option<Timestamp>,
}

impl PushDeviceView {
    pub(super) fn id(&self) -> &str {
        self.id.as_str()
    }
}

impl From<PushDevice> for PushDeviceView {
    fn from(device: PushDevice) -> Self {
        Self {
            id: device.id,
            nome: device.name,
            criado_em: Timestamp(device.created_at),
            ultimo_aviso_em: device.received_at.map(Timestamp),
        }
    }
}
