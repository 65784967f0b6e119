use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{DeliverWebhook, MANAGES, WEBHOOK, WEBHOOK_NOT_ACTIVE};
use domain::{
    WebhookId, WebhookMessageId, WebhookState,
    time::{LocalDay, end_of_day, start_of_day},
};
use gateway::{Access, Context, Error, Operation, Result, Spec, Verb, jobs::Job};
use store::webhooks::{self, Replayed};

/// Reenvia uma mensagem de um webhook, ou as de alguns dias, na ordem em que foram feitas.
///
/// Cada uma mantém o `webhook-id`: quem já a recebeu pode ignorá-la. Até 10.000 por vez. Encerra a
/// pausa que o destino pediu.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ReplayWebhookMessages {
    /// Id do webhook.
    #[serde(rename = "webhookId")]
    webhook_id: WebhookId,
    /// A mensagem; ou `de` e `ate`.
    mensagem_id: Option<WebhookMessageId>,
    /// Dia de Brasília.
    de: Option<LocalDay>,
    /// Último dia.
    ate: Option<LocalDay>,
}

/// The maximum number of messages that a call replays.
const MOST_REPLAYED: i64 = 10_000;

/// Mensagens a reenviar.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WebhookMessagesReplayed {
    ok: bool,
    /// Quantas são.
    mensagens: u64,
}

impl Operation for ReplayWebhookMessages {
    const SPEC: Spec = Spec::new(
        "replay_webhook_messages",
        "Reenviar mensagens do webhook",
        Verb::Post,
        "/api/webhooks/{webhookId}/reenvio",
    )
    .access(Access::Member(MANAGES))
    .about(WEBHOOK, "webhookId")
    .fails(&[404, 409])
    .extension()
    .reaches_outside_later()
    .tool();
    type Output = WebhookMessagesReplayed;

    async fn run(self, ctx: &Context<'_>) -> Result<WebhookMessagesReplayed> {
        let (db, id) = (ctx.db(), &self.webhook_id);
        let which = match (&self.mensagem_id, self.de, self.ate) {
            (Some(message), None, None) => Replayed::One(message),
            (None, Some(from), Some(until)) if until < from => {
                let message = "não pode ser um dia anterior a `de`";
                return Err(Error::invalid_field("ate", "minimum", message));
            }
            (None, Some(from), Some(until)) => {
                Replayed::Between(start_of_day(from.0), end_of_day(until.0))
            }
            _ => {
                let message = "vem sozinho, ou então `de` e `ate`";
                return Err(Error::invalid_field("mensagem_id", "required", message));
            }
        };
        let webhook = webhooks::require(&db, id).await?;
        if webhook.state != WebhookState::Active {
            return Err(Error::new(WEBHOOK_NOT_ACTIVE));
        }
        let replayed = webhooks::replay_messages(&db, id, which, MOST_REPLAYED, ctx.now).await?;
        if replayed > MOST_REPLAYED.unsigned_abs() {
            let message =
                format!("são {replayed} mensagens; escolha menos dias (até {MOST_REPLAYED})");
            return Err(Error::invalid_field("ate", "maximum", &message));
        }
        if replayed == 0 && self.mensagem_id.is_some() {
            return Err(Error::not_found_in("mensagem", "list_webhook_messages"));
        }
        // The messages are sent now, even if the receiver has asked for a pause.
        webhooks::end_pause(&db, id).await?;
        let job = DeliverWebhook {
            webhook_id: id.clone(),
        };
        job.enqueue_or_bring_forward(&ctx.services.queue, &db, ctx.now)
            .await?;
        Ok(WebhookMessagesReplayed {
            ok: true,
            mensagens: replayed,
        })
    }
}
