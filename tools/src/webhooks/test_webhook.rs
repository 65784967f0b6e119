use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    DeliverWebhook, MANAGES, WEBHOOK, WEBHOOK_NOT_ACTIVE,
    message::{TEST, body_of_test},
};
use domain::{WebhookId, WebhookMessageId, WebhookState};
use gateway::{Access, Context, Error, Operation, Result, Spec, Verb, jobs::Job};
use store::webhooks::{self, NewMessage};

/// Envia a um webhook uma mensagem de teste, de tipo `test`. O resultado aparece no registro.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct TestWebhook {
    /// Id do webhook.
    #[serde(rename = "webhookId")]
    webhook_id: WebhookId,
}

/// Teste a caminho.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WebhookTested {
    ok: bool,
    /// A mensagem no registro (`list_webhook_messages`).
    mensagem_id: WebhookMessageId,
}

impl Operation for TestWebhook {
    const SPEC: Spec = Spec::new(
        "test_webhook",
        "Testar webhook",
        Verb::Post,
        "/api/webhooks/{webhookId}/teste",
    )
    .access(Access::Member(MANAGES))
    .about(WEBHOOK, "webhookId")
    .fails(&[404, 409])
    .extension()
    .reaches_outside_later()
    .tool();
    type Output = WebhookTested;

    async fn run(self, ctx: &Context<'_>) -> Result<WebhookTested> {
        let db = ctx.db();
        let webhook = webhooks::require(&db, &self.webhook_id).await?;
        if webhook.state != WebhookState::Active {
            return Err(Error::new(WEBHOOK_NOT_ACTIVE));
        }
        let id = WebhookMessageId::new(ctx.now);
        let message = NewMessage {
            webhook_id: &webhook.id,
            position: 0,
            kind: TEST,
            resource_kind: TEST,
            resource_id: id.as_str(),
            // No other message has this key, so a test waits for no other message.
            order_key: id.as_str(),
            body: &body_of_test(webhook.id.as_str(), ctx.now),
        };
        webhooks::insert_message(&db, &id, &message, ctx.now).await?;
        let job = DeliverWebhook {
            webhook_id: webhook.id,
        };
        job.enqueue_or_bring_forward(&ctx.services.queue, &db, ctx.now)
            .await?;
        Ok(WebhookTested {
            ok: true,
            mensagem_id: id,
        })
    }
}
