//! A webhook in answers.

use schemars::JsonSchema;
use serde::Serialize;

use super::kinds::SentKind;
use domain::{
    MemberId, ProjectId, Revision, WebhookId, WebhookState,
    time::{Millis, Timestamp},
};
use store::webhooks::Webhook;

/// Webhook, sem o segredo.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WebhookView {
    id: WebhookId,
    /// A enviar em `expected_revision`.
    revision: Revision,
    url: String,
    descricao: String,
    tipos: Vec<SentKind>,
    project_id: Option<ProjectId>,
    channel: Option<String>,
    /// Só um ativo envia. `pausado_por_falhas`: uma mensagem falhou por três dias.
    /// `pausado_sem_responsavel`: o responsável saiu ou já não administra webhooks. `encerrado`: o
    /// destino respondeu 410.
    estado: WebhookState,
    /// Desde quando.
    estado_desde: Timestamp,
    /// Com os direitos de quem ele avisa.
    responsavel: Owner,
    /// Mensagens que esperam.
    #[schemars(range(min = 0))]
    esperando: i64,
    /// Até quando o segredo anterior também assina; nulo se não assina mais.
    segredo_anterior_ate: Option<Timestamp>,
    criado_em: Timestamp,
}

/// O membro com cujos direitos o webhook avisa.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Owner {
    id: MemberId,
    nome: String,
}

impl WebhookView {
    pub(super) fn from_webhook(webhook: Webhook, now: Millis) -> Self {
        let kinds = webhook.kinds.iter();
        Self {
            tipos: kinds.filter_map(|kind| SentKind::find(kind)).collect(),
            id: webhook.id,
            revision: webhook.revision,
            url: webhook.url,
            descricao: webhook.description,
            project_id: webhook.project_id,
            channel: webhook.channel,
            estado: webhook.state,
            estado_desde: Timestamp(webhook.state_since),
            responsavel: Owner {
                id: webhook.owner_id,
                nome: webhook.owner_name,
            },
            esperando: webhook.waiting,
            segredo_anterior_ate: webhook
                .previous_until
                .filter(|until| now < *until)
                .map(Timestamp),
            criado_em: Timestamp(webhook.created_at),
        }
    }

    pub(super) fn id(&self) -> &str {
        self.id.as_str()
    }
}
