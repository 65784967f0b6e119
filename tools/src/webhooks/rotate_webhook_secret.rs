use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{MANAGES, WEBHOOK, secret, webhook_view::WebhookView};
use domain::WebhookId;
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::webhooks;

/// Troca o segredo de um webhook. Cada segredo trocado ainda assina por 24 horas.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct RotateWebhookSecret {
    /// Id do webhook.
    #[serde(rename = "webhookId")]
    webhook_id: WebhookId,
}

/// Segredo trocado.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WebhookSecretRotated {
    ok: bool,
    /// O segredo novo: guarde agora, não aparece de novo.
    segredo: String,
    webhook: WebhookView,
}

impl Operation for RotateWebhookSecret {
    const SPEC: Spec = Spec::new(
        "rotate_webhook_secret",
        "Trocar segredo do webhook",
        Verb::Post,
        "/api/webhooks/{webhookId}/segredo",
    )
    .access(Access::Session(MANAGES))
    .about(WEBHOOK, "webhookId")
    .fails(&[404])
    .extension()
    .unkeyed();
    type Output = WebhookSecretRotated;

    async fn run(self, ctx: &Context<'_>) -> Result<WebhookSecretRotated> {
        let (db, id, keys) = (ctx.db(), &self.webhook_id, &ctx.services.keys);
        webhooks::require(&db, id).await?;
        let text = secret::rotate(&db, keys, id, ctx.now).await?;
        let webhook = webhooks::require(&db, id).await?;
        Ok(WebhookSecretRotated {
            ok: true,
            segredo: text,
            webhook: WebhookView::load(ctx, webhook).await?,
        })
    }
}
