//! The page that the service worker shows when a page cannot be fetched.

use gateway::{Context, Entry, Page, Reply, Result, Spec, Verb};
use maud::html;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{area::public_spec, shell};

pub(super) const PATH: &str = "/sem-conexao";

/// The page without a connection.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct OfflinePage {}

const ROUTE: Spec = public_spec("console_offline", "Sem conexão", Verb::Get, PATH);

pub(super) const OFFLINE: Entry = Entry::for_page::<OfflinePage>(
    ROUTE,
    "A página que o app mostra quando não há conexão com a Pauta.",
);

impl Page for OfflinePage {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let body = html! {
            h1 { "Sem conexão" }
            p { "Não foi possível chegar à Pauta. Confira a internet deste aparelho." }
            p { "O que já foi salvo continua lá. Sem conexão nada é enviado." }
            // The empty link reloads the current address: the page that could not be fetched.
            p { a class="button" href="" { "Tentar de novo" } }
        };
        Ok(shell::bare_page(ctx.services, "Sem conexão", &body))
    }
}
