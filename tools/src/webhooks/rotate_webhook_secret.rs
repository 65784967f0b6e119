use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    MANAGES, WEBHOOK,
    secret::{self, new_secret},
    webhook_view::WebhookView,
};
use domain::{WebhookId, time::DAY};
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::webhooks::{self, PREVIOUS_SECRET, SECRET};

/// Troca o segredo de um webhook. Por 24 horas o anterior também assina; o de antes dele, não.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct RotateWebhookSecret {
    /// Identificador do webhook.
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
        webhooks::set_previous_until(&db, id, ctx.now + DAY).await?;
        if let Some(current) = secret::load(&db, keys, SECRET, id).await? {
            secret::save(&db, keys, PREVIOUS_SECRET, id, &current).await?;
        }
        let text = new_secret();
        secret::save(&db, keys, SECRET, id, text.as_bytes()).await?;
        let webhook = webhooks::require(&db, id).await?;
        Ok(WebhookSecretRotated {
            ok: true,
            segredo: text,
            webhook: WebhookView::from_webhook(webhook, ctx.now),
        })
    }
}
