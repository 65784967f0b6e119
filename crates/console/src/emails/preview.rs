//! Serves the HTML of a draft, stored or typed, for a sandboxed frame.
//!
//! Like a mail reader, the frame loads no image of another host until the viewer asks for it, because
//! the request for an image reveals to its host who opened the page.

use gateway::{Content, Context, Entry, InputForm, Page, Reply, Result, Spec};
use schemars::JsonSchema;
use serde::Deserialize;

use super::reading::read_draft;
use crate::{
    area::{page_spec, receiver_spec},
    view::View,
};

/// The route of the HTML.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Preview {
    id: String,
    /// `de-fora` mostra também as imagens de outros servidores.
    imagens: Option<String>,
}

/// The HTML that the viewer is typing.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct TypedPreview {
    #[serde(default)]
    html: String,
}

/// The sandbox allows no scripts and no forms, and has an opaque origin. It loads only styles and
/// embedded images.
const POLICY: &str =
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'";
/// The sandbox policy that also allows images of other hosts.
const POLICY_WITH_IMAGES: &str = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src https: data:; frame-ancestors 'self'";

const ROUTE: Spec = page_spec(
    "console_email_preview",
    "Prévia de e-mail",
    "/emails/{id}/previa",
)
.fails(&[400, 403, 404]);

pub(crate) const PREVIEW: Entry = Entry::for_page::<Preview>(
    ROUTE,
    "O HTML de um rascunho, isolado, para a moldura da prévia.",
);

const TYPED_ROUTE: Spec = receiver_spec(
    "console_email_typed_preview",
    "Prévia do e-mail em edição",
    TYPED_PATH,
)
.takes(InputForm::UrlEncoded)
.fails(&[400, 403, 413])
.body_limit(24_000_000);

/// The path that serves the preview of typed HTML.
pub(super) const TYPED_PATH: &str = "/previa-de-email";

pub(crate) const TYPED_PREVIEW: Entry = Entry::for_page::<TypedPreview>(
    TYPED_ROUTE,
    "O HTML em edição, isolado, para o quadro ao lado.",
);

impl Page for TypedPreview {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        view.require_call("put_email_draft")?;
        Ok(framed_reply(self.html, POLICY))
    }
}

/// Replies with HTML for a frame of the console.
fn framed_reply(html: String, policy: &'static str) -> Reply {
    Reply::new(Content::Text(html.into()))
        .with_header("content-security-policy", policy)
        .with_header("referrer-policy", "no-referrer")
        .with_header("cache-control", "no-store")
}

impl Page for Preview {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let draft_page = read_draft(&view, &self.id, None, None).await?;
        let policy = if self.imagens.as_deref() == Some("de-fora") {
            POLICY_WITH_IMAGES
        } else {
            POLICY
        };
        Ok(framed_reply(draft_page.draft.html, policy))
    }
}
