//! A message of a webhook, as operations return it.

use schemars::JsonSchema;
use serde::Serialize;

use domain::{WebhookMessageId, WebhookMessageState, WebhookState, time::Timestamp};
use gateway::Principal;
use store::webhooks::{Attempt, Message, Webhook};

use super::webhook_view::shown_url;

/// Mensagem de um webhook.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MessageView {
    /// O `webhook-id`, igual em todas as tentativas.
    id: WebhookMessageId,
    tipo: String,
    /// De que trata: `event`, `remark`, `publication`, `connection`, `agent` ou `test`.
    recurso: String,
    recurso_id: String,
    criada_em: Timestamp,
    /// `descartada` não é enviada: o destino foi encerrado, ou o responsável já não vê o recurso.
    /// `recusada`: por três dias o destino recebeu outras e esta não, ou um teste falhou.
    estado: WebhookMessageState,
    /// O corpo que é enviado, igual em todas as tentativas.
    corpo: String,
    /// A próxima tentativa; nulo se não espera, se o webhook não está ativo ou se uma mensagem anterior da
    /// mesma peça vem antes.
    proxima: Option<Timestamp>,
    /// As tentativas, na ordem.
    tentativas: Vec<AttemptView>,
}

/// Tentativa de envio.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AttemptView {
    /// Recomeça em 1 num reenvio.
    numero: i64,
    /// O endereço, sem o que vem depois de `?`; sem sessão, só até o host.
    url: String,
    /// O `webhook-timestamp` é este instante, em segundos.
    quando: Timestamp,
    /// O status da resposta; nulo se não houve.
    status: Option<i64>,
    /// O começo da resposta (1 kB); vazio fora de uma sessão.
    resposta: String,
    duracao_ms: i64,
    /// Por que não houve resposta, ou por que não valeu.
    erro: Option<String>,
}

impl MessageView {
    pub(super) fn from_message(
        message: Message,
        attempts: Vec<Attempt>,
        webhook: &Webhook,
        caller: &Principal,
    ) -> Self {
        let is_active = webhook.state == WebhookState::Active;
        let waits = message.state == WebhookMessageState::Pending && is_active && !message.is_held;
        let next = match message.is_test {
            true => message.due_at,
            false => message.due_at.max(webhook.not_before),
        };
        Self {
            id: message.id,
            tipo: message.kind,
            recurso: message.resource_kind,
            recurso_id: message.resource_id,
            criada_em: Timestamp(message.created_at),
            estado: message.state,
            corpo: message.body,
            proxima: waits.then_some(Timestamp(next)),
            tentativas: attempts
                .into_iter()
                .map(|attempt| AttemptView::from_attempt(attempt, caller))
                .collect(),
        }
    }
}

impl AttemptView {
    fn from_attempt(attempt: Attempt, caller: &Principal) -> Self {
        Self {
            numero: attempt.number,
            url: shown_url(&attempt.url, caller),
            quando: Timestamp(attempt.sent_at),
            status: attempt.status,
            resposta: match caller.is_session() {
                true => attempt.answer,
                // The answer of a receiver may contain the path of its URL, which may be a secret.
                false => String::new(),
            },
            duracao_ms: attempt.took_ms,
            erro: attempt.error,
        }
    }
}
