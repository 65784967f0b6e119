use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{MANAGES, WEBHOOK, webhook_view::WebhookView};
use domain::{WebhookId, WebhookState};
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::webhooks;

/// Pausa um webhook ativo. As mensagens ficam guardadas por até 30 dias, para a retomada.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct PauseWebhook {
    /// Id do webhook.
    #[serde(rename = "webhookId")]
    webhook_id: WebhookId,
}

/// Webhook que não está ativo.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WebhookPaused {
    ok: bool,
    webhook: WebhookView,
}

impl Operation for PauseWebhook {
    const SPEC: Spec = Spec::new(
        "pause_webhook",
        "Pausar webhook",
        Verb::Post,
        "/api/webhooks/{webhookId}/pausa",
    )
    .access(Access::Member(MANAGES))
    .about(WEBHOOK, "webhookId")
    .idempotent()
    .fails(&[404])
    .extension()
    .tool();
    type Output = WebhookPaused;

    async fn run(self, ctx: &Context<'_>) -> Result<WebhookPaused> {
        let (db, id) = (ctx.db(), &self.webhook_id);
        webhooks::require(&db, id).await?;
        let (active, paused) = (WebhookState::Active, WebhookState::Paused);
        webhooks::set_state(&db, id, active, paused, ctx.now).await?;
        let webhook = webhooks::require(&db, id).await?;
        Ok(WebhookPaused {
            ok: true,
            webhook: WebhookView::load(ctx, webhook).await?.without_path(),
        })
    }
}
