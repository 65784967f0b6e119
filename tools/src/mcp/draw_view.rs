use std::sync::Arc;

use futures::future::BoxFuture;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use gateway::{Access, Context, Operation, Result, Spec, Verb};

/// Draws the fragments of the views, injected into the service at startup.
pub trait DrawViews: Send + Sync {
    /// Draws the fragment at this URI as HTML. It calls the operations behind the view with the
    /// rights of the caller.
    ///
    /// Fails with 404 if no view has the URI.
    fn draw_fragment<'a>(
        &'a self,
        ctx: &'a Context<'a>,
        uri: &'a str,
    ) -> BoxFuture<'a, Result<String>>;
}

/// The renderer of the views, shared by all calls.
pub type ViewDrawer = Arc<dyn DrawViews>;

/// Desenha um pedaço de uma visão da Pauta. Só as visões a chamam.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct DrawView {
    /// Endereço do pedaço.
    #[schemars(
        length(min = 12, max = 4000),
        regex(pattern = "^ui://pauta/[a-z]+/[!-~]*$")
    )]
    uri: String,
}

/// O pedaço de uma visão.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ViewDrawn {
    /// HTML, para a visão mostrar.
    html: String,
}

impl Operation for DrawView {
    const SPEC: Spec = Spec::new("draw_view", "Desenhar visão", Verb::Get, "/api/visoes")
        .access(Access::AnyMember)
        .fails(&[404])
        .extension()
        .app_tool()
        .quotes();
    type Output = ViewDrawn;

    async fn run(self, ctx: &Context<'_>) -> Result<ViewDrawn> {
        let drawer = ctx.services.parts.get::<ViewDrawer>();
        let html = drawer.draw_fragment(ctx, &self.uri).await?;
        Ok(ViewDrawn { html })
    }
}
