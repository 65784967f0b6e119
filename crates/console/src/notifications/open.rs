//! The link of a notification: marks the notification as read and redirects to its page.

use gateway::{Content, Context, Entry, Page, Reply, Result, Spec};
use identity::ReturnPath;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::area::page_spec;

/// The link of a notification.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Open {
    id: Option<String>,
    para: Option<String>,
}

const ROUTE: Spec = page_spec(
    "console_open_notification",
    "Abrir notificação",
    "/notificacoes/abrir",
)
.partial(&[303])
.fails(&[403]);

pub(super) const OPEN: Entry = Entry::for_page::<Open>(
    ROUTE,
    "Marca uma notificação como lida e leva à página dela.",
);

impl Page for Open {
    /// Marks the notification as read and redirects. This GET route needs no protection against links on
    /// other sites: such a link works only if it contains the id of one of the viewer's notifications.
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        if let Some(id) = self.id.filter(|id| !id.is_empty()) {
            let input = json!({ "ids": [id] });
            // The redirect does not depend on whether the notification could be marked as read.
            let _ = ctx.read("mark_notifications_read", input).await;
        }
        let to = ReturnPath::from_text(ctx.services, self.para.as_deref());
        let to = crate::links::href_to(ctx.services, to.as_str());
        Ok(Reply::new(Content::Redirect(to)))
    }
}
