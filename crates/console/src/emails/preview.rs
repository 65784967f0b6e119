//! Serves the HTML of a draft for a sandboxed frame.

use gateway::{Content, Context, Entry, Page, Reply, Result, Spec};
use schemars::JsonSchema;
use serde::Deserialize;

use super::reading::read_draft;
use crate::{area::page, view::View};

/// The route of the HTML.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Preview {
    id: String,
}

/// The sandbox has no scripts, forms or origin. It loads styles and images only.
const POLICY: &str = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src https: data:; frame-ancestors 'self'";

const ROUTE: Spec = page(
    "console_email_preview",
    "Prévia de e-mail",
    "/emails/{id}/previa",
)
.fails(&[400, 403, 404]);

pub(crate) const PREVIEW: Entry = Entry::page::<Preview>(
    ROUTE,
    "O HTML de um rascunho, isolado, para a moldura da prévia.",
);

impl Page for Preview {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::of(ctx).await?;
        let draft_page = read_draft(&view, &self.id, None, None).await?;
        Ok(Reply::new(Content::Text(draft_page.draft.html.into()))
            .header("content-security-policy", POLICY)
            .header("referrer-policy", "no-referrer")
            .header("cache-control", "no-store"))
    }
}
