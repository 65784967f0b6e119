//! MCP Apps: the views that an agent's host shows beside tool results. They are drawn by the same
//! functions as the console's pages.
//!
//! A view is a static document. The host passes it the result of its tool, and the document asks
//! for fragments, which the service draws from the answer of an operation.
//!
//! A document, such as `ui://pauta/agenda`, never changes within one version of the service, so a
//! host may cache it. It exchanges messages with the host, reads fragments as resources below its
//! own address, and calls tools through the host. The operation behind a fragment is called with
//! the rights of the caller, and has the guard and audit of a tool call. Links in a fragment lead
//! to the console, and the document asks the host to open them (`ui/open-link`). The policy that
//! the document asks for allows images of this service and no requests.

mod agenda;
mod approval;
mod given;

use gateway::Result;
use maud::{DOCTYPE, PreEscaped, html};
use serde_json::Value;

pub use given::Given;

const STYLE: &str = concat!(
    include_str!("../../assets/css/base.css"),
    include_str!("../../assets/css/cards.css"),
    include_str!("../../assets/css/piece.css"),
    include_str!("../../assets/app/app.css"),
);
const SCRIPT: &str = include_str!("../../assets/app/app.js");

/// One view.
#[derive(Debug, Clone, Copy)]
pub struct AppView {
    /// The URI of the document.
    pub uri: &'static str,
    pub name: &'static str,
    pub title: &'static str,
    pub description: &'static str,
    /// The tool whose result it shows.
    pub tool: &'static str,
    /// The operation that answers with the data of its fragments.
    pub operation: &'static str,
    draw: fn(Value, &Given<'_>) -> Result<String>,
}

pub const VIEWS: [AppView; 2] = [
    AppView {
        uri: "ui://pauta/aprovacao",
        name: "aprovacao",
        title: "Aprovação",
        description: "Uma peça que espera decisão, para aprovar ou recusar na conversa.",
        tool: "list_pending_approvals",
        operation: "get_event",
        draw: approval::draw_approval,
    },
    AppView {
        uri: "ui://pauta/agenda",
        name: "agenda",
        title: "Agenda",
        description: "A agenda editorial, por dia.",
        tool: "list_events",
        operation: "list_events",
        draw: agenda::draw_agenda,
    },
];

impl AppView {
    /// The HTML document of the view.
    #[must_use]
    pub fn html_document(&self) -> String {
        let page = html! {
            (DOCTYPE)
            html lang="pt-BR" data-view=(self.name) {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    title { (self.title) " · Pauta" }
                    style { (PreEscaped(STYLE)) }
                }
                body class="app" {
                    main id="conteudo" { p class="soft" { "Carregando…" } }
                    p id="aviso" role="status" {}
                    script type="module" { (PreEscaped(SCRIPT)) }
                }
            }
        };
        page.into_string()
    }

    /// Draws a fragment from the answer of the operation.
    pub fn draw_fragment(&self, answer: Value, context: &Given<'_>) -> Result<String> {
        (self.draw)(answer, context)
    }
}
