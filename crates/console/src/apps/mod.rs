//! MCP Apps: the views that an agent's host shows beside tool results. The views are drawn by the same
//! functions as the console's pages.
//!
//! A view is a static document. The host passes the result of the tool to the document, and the document
//! requests fragments, which the service draws from the answers of operations.
//!
//! A document, such as `ui://pauta/agenda`, never changes within one version of the service, so a host
//! may cache it. The document exchanges messages with the host, and calls tools through the host. It
//! reads fragments as resources below its own address, or with the tool `draw_view` if the host does not
//! read resources for views. Both ways run the operation `draw_view`, which calls the operations behind
//! a fragment with the rights of the caller, so these calls have the guard and audit of a tool call.
//! Links in a fragment lead to the console, and the document asks the host to open them
//! (`ui/open-link`). The content security policy of the document allows images of this service and no
//! requests.
//!
//! The style uses the variables, theme and safe areas of the host. Inside the conversation a view
//! is at most 500 pixels high and never scrolls: lists and captions have pages.

mod agenda;
mod approval;
mod fragment;
mod launch;
mod media;

use futures::future::BoxFuture;
use gateway::{Context, Error, Result};
use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::view::View;
use fragment::Fragment;

const STYLE: &str = concat!(
    include_str!("../../assets/css/base.css"),
    include_str!("../../assets/css/cards.css"),
    include_str!("../../assets/css/piece.css"),
    include_str!("../../assets/css/figures.css"),
    include_str!("../../assets/app/app.css"),
);
/// The script that all views share. It exchanges messages with the host.
const COMMON: &str = concat!(
    include_str!("../../assets/app/host.js"),
    include_str!("../../assets/app/pages.js"),
    include_str!("../../assets/app/shown.js"),
);

type Draw = for<'a> fn(&'a Fragment<'a>) -> BoxFuture<'a, Result<Markup>>;

/// One view.
#[derive(Debug, Clone, Copy)]
pub struct AppView {
    /// The URI of the document.
    pub uri: &'static str,
    pub name: &'static str,
    pub title: &'static str,
    pub description: &'static str,
    /// The tools whose results the view shows.
    pub tools: &'static [&'static str],
    /// The operations whose answers contain the data of the view's fragments.
    pub reads: &'static [&'static str],
    script: &'static str,
    draw: Draw,
}

pub const VIEWS: [AppView; 4] = [
    AppView {
        uri: "ui://pauta/aprovacao",
        name: "aprovacao",
        title: "Aprovação",
        description: "Uma peça que espera decisão, para aprovar ou recusar na conversa.",
        tools: &["list_pending_approvals"],
        reads: &["get_event"],
        script: include_str!("../../assets/app/approval.js"),
        draw: |fragment| Box::pin(approval::draw_approval(fragment)),
    },
    AppView {
        uri: "ui://pauta/agenda",
        name: "agenda",
        title: "Agenda",
        description: "A agenda editorial, por dia.",
        tools: &["list_events"],
        reads: &["list_events"],
        script: include_str!("../../assets/app/agenda.js"),
        draw: |fragment| Box::pin(agenda::draw_agenda(fragment)),
    },
    AppView {
        uri: "ui://pauta/midias",
        name: "midias",
        title: "Mídias",
        description: "As mídias guardadas, para escolher, enviar e anexar a uma peça.",
        tools: &["list_media"],
        reads: &["list_media"],
        script: include_str!("../../assets/app/media.js"),
        draw: |fragment| Box::pin(media::draw_media(fragment)),
    },
    AppView {
        uri: "ui://pauta/lancamento",
        name: "lancamento",
        title: "Lançamento",
        description: "Como vai um lançamento: a receita até agora, a meta e o ritmo.",
        tools: &["get_launch_summary", "get_launch_decision_panel"],
        reads: &["get_launch_dashboard", "get_launch_summary"],
        script: include_str!("../../assets/app/launch.js"),
        draw: |fragment| Box::pin(launch::draw_launch(fragment)),
    },
];

impl AppView {
    /// Returns the HTML document of the view.
    #[must_use]
    pub fn html_document(&self) -> String {
        let page = html! {
            (DOCTYPE)
            html lang="pt-BR" data-view=(self.name) {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover";
                    meta name="color-scheme" content="light dark";
                    title { (self.title) " · Pauta" }
                    style { (PreEscaped(STYLE)) }
                }
                body class="app" {
                    main id="conteudo" aria-busy="true" {
                        p class="loading" { "Carregando…" }
                    }
                    div id="paginas" class="pages" hidden {
                        button type="button" class="quiet" data-page="-1" aria-label="Página anterior" { "‹" }
                        span role="status" {}
                        button type="button" class="quiet" data-page="1" aria-label="Próxima página" { "›" }
                    }
                    p id="aviso" role="status" {}
                    button id="ampliar" type="button" class="quiet" hidden { "Tela cheia" }
                    script type="module" { (PreEscaped(COMMON)) (PreEscaped(self.script)) }
                }
            }
        };
        page.into_string()
    }
}

/// Draws the fragment at a URI below the URI of a document, as HTML.
///
/// Fails with 404 if no view has the URI.
pub async fn draw_fragment<'a>(ctx: &'a Context<'a>, uri: &'a str) -> Result<String> {
    let mut views = VIEWS.iter();
    let found = views.find_map(|view| {
        let address = uri.strip_prefix(view.uri)?.strip_prefix('/')?;
        Some((view, address))
    });
    let (view, address) = found.ok_or_else(|| Error::not_found("visão"))?;
    let fragment = Fragment::new(View::for_fragment(ctx)?, address);
    let drawn = (view.draw)(&fragment).await?;
    Ok(drawn.into_string())
}
