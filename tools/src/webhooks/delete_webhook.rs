use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{MANAGES, WEBHOOK};
use domain::WebhookId;
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::webhooks;

/// Apaga um webhook, com o registro e o que espera.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct DeleteWebhook {
    /// Id do webhook.
    #[serde(rename = "webhookId")]
    webhook_id: WebhookId,
}

/// Webhook apagado.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WebhookDeleted {
    ok: bool,
    id: WebhookId,
}

impl Operation for DeleteWebhook {
    const SPEC: Spec = Spec::new(
        "delete_webhook",
        "Apagar webhook",
        Verb::Delete,
        "/api/webhooks/{webhookId}",
    )
    .access(Access::Session(MANAGES))
    .about(WEBHOOK, "webhookId")
    .fails(&[404])
    .extension();
    type Output = WebhookDeleted;

    async fn run(self, ctx: &Context<'_>) -> Result<WebhookDeleted> {
        let db = ctx.db();
        let webhook = webhooks::require(&db, &self.webhook_id).await?;
        webhooks::delete(&db, &webhook.id).await?;
        Ok(WebhookDeleted {
            ok: true,
            id: webhook.id,
        })
    }
}
