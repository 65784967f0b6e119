use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{DeliverWebhook, MANAGES, WEBHOOK, webhook_view::WebhookView};
use domain::{WebhookId, WebhookState};
use gateway::{Access, Context, Operation, Result, Spec, Verb, jobs::Job};
use store::webhooks;

/// Retoma um webhook pausado ou encerrado. Quem retoma passa a ser o responsável, e o que espera é
/// enviado já.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ResumeWebhook {
    /// Id do webhook.
    #[serde(rename = "webhookId")]
    webhook_id: WebhookId,
}

/// Webhook ativo.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WebhookResumed {
    ok: bool,
    webhook: WebhookView,
}

impl Operation for ResumeWebhook {
    const SPEC: Spec = Spec::new(
        "resume_webhook",
        "Retomar webhook",
        Verb::Post,
        "/api/webhooks/{webhookId}/retomada",
    )
    .access(Access::Session(MANAGES))
    .about(WEBHOOK, "webhookId")
    .idempotent()
    .fails(&[404])
    .extension();
    type Output = WebhookResumed;

    async fn run(self, ctx: &Context<'_>) -> Result<WebhookResumed> {
        let (db, id) = (ctx.db(), &self.webhook_id);
        let webhook = webhooks::require(&db, id).await?;
        if webhook.state != WebhookState::Active {
            let owner = &ctx.caller()?.member.id;
            webhooks::activate(&db, id, owner, ctx.now).await?;
            webhooks::retry_pending(&db, id, ctx.now).await?;
            let job = DeliverWebhook {
                webhook_id: id.clone(),
            };
            job.enqueue_or_bring_forward(&ctx.services.queue, &db, ctx.now)
                .await?;
        }
        let webhook = webhooks::require(&db, id).await?;
        Ok(WebhookResumed {
            ok: true,
            webhook: WebhookView::load(ctx, webhook).await?,
        })
    }
}
