use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{MANAGES, webhook_view::WebhookView};
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::webhooks;

/// Lista os webhooks, do mais antigo ao mais novo. Não mostra segredos.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ListWebhooks {}

/// Todos os webhooks.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Webhooks {
    webhooks: Vec<WebhookView>,
}

impl Operation for ListWebhooks {
    const SPEC: Spec = Spec::new(
        "list_webhooks",
        "Listar webhooks",
        Verb::Get,
        "/api/webhooks",
    )
    .access(Access::Member(MANAGES))
    .extension()
    .tool()
    .quotes();
    type Output = Webhooks;

    async fn run(self, ctx: &Context<'_>) -> Result<Webhooks> {
        let all = webhooks::list(&ctx.db()).await?;
        Ok(Webhooks {
            webhooks: WebhookView::load_all(ctx, all).await?,
        })
    }
}
