use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    DeliverWebhook, MANAGES, WEBHOOK, hints, kinds::SentKind, settings::Settings,
    webhook_view::WebhookView,
};
use domain::{ProjectId, Revision, VISIBLE, WebhookId};
use gateway::{Access, Context, Error, Operation, Result, Spec, Verb, jobs::Job};
use store::webhooks::{self, Webhook};

/// Substitui o que um webhook envia e para onde. O que já espera também vai para um
/// endereço novo, e já.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct UpdateWebhook {
    /// Id do webhook.
    #[serde(rename = "webhookId")]
    webhook_id: WebhookId,
    /// A `revision` lida.
    #[schemars(range(min = 1, max = 9007199254740991i64))]
    expected_revision: Revision,
    /// O endereço que recebe as mensagens (POST): https, na internet pública.
    #[schemars(length(min = 1, max = 2000), regex(pattern = *VISIBLE))]
    url: String,
    /// De que avisar.
    #[schemars(length(min = 1, max = 32), extend("uniqueItems" = true))]
    tipos: Vec<SentKind>,
    /// Para que serve.
    #[schemars(length(min = 1, max = 200), regex(pattern = *VISIBLE))]
    descricao: String,
    /// Só o que é de peças deste projeto.
    project_id: Option<ProjectId>,
    /// Só o que é de peças que vão a este canal.
    #[schemars(length(min = 1, max = 80), regex(pattern = *VISIBLE))]
    channel: Option<String>,
}

/// Webhook depois da mudança.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WebhookUpdated {
    ok: bool,
    webhook: WebhookView,
}

impl Operation for UpdateWebhook {
    const SPEC: Spec = Spec::new(
        "update_webhook",
        "Mudar webhook",
        Verb::Put,
        "/api/webhooks/{webhookId}",
    )
    .access(Access::Session(MANAGES))
    .about(WEBHOOK, "webhookId")
    .read_by("list_webhooks")
    .fails(&[404, 409])
    .extension()
    .hints(hints::SETTINGS);
    type Output = WebhookUpdated;

    async fn run(self, ctx: &Context<'_>) -> Result<WebhookUpdated> {
        let db = ctx.db();
        let current = webhooks::require(&db, &self.webhook_id).await?;
        if current.revision != self.expected_revision {
            return Err(Error::stale_revision(current.revision));
        }
        let settings = Settings::check(
            ctx,
            self.url,
            &self.tipos,
            &self.descricao,
            self.project_id,
            self.channel,
        );
        let settings = settings.await?;
        let has_moved = settings.url != current.url;
        let changed = Webhook {
            url: settings.url,
            kinds: settings.kinds,
            description: settings.description,
            project_id: settings.project_id,
            channel: settings.channel,
            ..current
        };
        let stored = webhooks::update(&db, &changed, self.expected_revision).await?;
        if stored && has_moved {
            // The answers of the previous address do not apply to the new address.
            webhooks::end_pause(&db, &self.webhook_id).await?;
            webhooks::retry_pending(&db, &self.webhook_id, ctx.now).await?;
            let job = DeliverWebhook {
                webhook_id: self.webhook_id.clone(),
            };
            job.enqueue_or_bring_forward(&ctx.services.queue, &db, ctx.now)
                .await?;
        }
        let current = webhooks::require(&db, &self.webhook_id).await?;
        match stored {
            true => Ok(WebhookUpdated {
                ok: true,
                webhook: WebhookView::load(ctx, current).await?,
            }),
            false => Err(Error::stale_revision(current.revision)),
        }
    }
}
