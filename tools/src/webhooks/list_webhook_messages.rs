use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{MANAGES, WEBHOOK, message_view::MessageView};
use domain::{Cursor, Limit, ListPage, WebhookId, WebhookMessageId, WebhookMessageState};
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::webhooks::{self, Attempt, MessageFilter};

/// Lista as mensagens de um webhook nos últimos 30 dias, da mais nova à mais antiga, com as
/// tentativas de cada uma.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ListWebhookMessages {
    /// Id do webhook.
    #[serde(rename = "webhookId")]
    webhook_id: WebhookId,
    /// Só neste estado.
    estado: Option<WebhookMessageState>,
    /// Por página.
    #[serde(default)]
    limit: Limit,
    /// O `next_cursor` anterior.
    cursor: Option<Cursor>,
}

/// Uma página de mensagens.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WebhookMessages {
    mensagens: Vec<MessageView>,
    /// Para pedir a próxima página; nulo na última.
    next_cursor: Option<String>,
}

impl Operation for ListWebhookMessages {
    const SPEC: Spec = Spec::new(
        "list_webhook_messages",
        "Listar mensagens do webhook",
        Verb::Get,
        "/api/webhooks/{webhookId}/mensagens",
    )
    .access(Access::Member(MANAGES))
    .about(WEBHOOK, "webhookId")
    .fails(&[404])
    .extension()
    .tool()
    .quotes();
    type Output = WebhookMessages;

    async fn run(self, ctx: &Context<'_>) -> Result<WebhookMessages> {
        let db = ctx.db();
        let webhook = webhooks::require(&db, &self.webhook_id).await?;
        let before = self.cursor.as_ref().map(Cursor::decode_position);
        let filter = MessageFilter {
            state: self.estado,
            before: before.transpose()?,
        };
        let limit = self.limit.fetch_limit();
        let rows = webhooks::list_messages(&db, &self.webhook_id, &filter, limit).await?;
        let page = ListPage::from_fetched_rows(rows, self.limit, |message| {
            (message.created_at, message.id.clone())
        });
        let mut attempts: HashMap<WebhookMessageId, Vec<Attempt>> = HashMap::new();
        for (id, attempt) in webhooks::list_attempts(&db, &page.rows).await? {
            attempts.entry(id).or_default().push(attempt);
        }
        let caller = ctx.caller()?;
        let page = page.map(|message| {
            let attempts = attempts.remove(&message.id).unwrap_or_default();
            MessageView::from_message(message, attempts, &webhook, caller)
        });
        Ok(WebhookMessages {
            mensagens: page.rows,
            next_cursor: page.next_cursor,
        })
    }
}
