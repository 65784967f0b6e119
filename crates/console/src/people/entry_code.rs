//! Signs in with the address that the demo prints. The code in the address works once, so the page
//! only shows a button: a client that prefetches the address does not use up the code.

use gateway::{Content, Context, Entry, InputForm, Page, Reply, Result, Spec, Verb};
use identity::entry_code;
use maud::html;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    area::public_spec,
    forms::{error_notice, with_error_status},
    links, shell,
};

/// The page with the button.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct EntryPage {
    /// O código.
    c: Option<String>,
}

/// The sign-in form.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Enter {
    c: Option<String>,
}

const PATH: &str = "/entrar/codigo";
const PAGE_ROUTE: Spec = public_spec("console_entry_page", "Entrar por endereço", Verb::Get, PATH);
const ROUTE: Spec = public_spec("console_entry", "Entrar com um código", Verb::Post, PATH)
    .takes(InputForm::UrlEncoded)
    .partial(&[303])
    .fails(&[401]);

pub(super) const PAGE: Entry = Entry::for_page::<EntryPage>(
    PAGE_ROUTE,
    "Pergunta se este navegador deve entrar com o código do endereço.",
);
pub(super) const ENTER: Entry =
    Entry::for_page::<Enter>(ROUTE, "Entra com o código, que serve uma vez.");

impl Page for EntryPage {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let body = html! {
            h1 { "Entrar na Pauta" }
            p { "Este endereço entra uma vez, neste navegador." }
            form method="post" action=(links::href_to(ctx.services, PATH)) {
                input type="hidden" name="c" value=(self.c.unwrap_or_default());
                button type="submit" autofocus { "Entrar" }
            }
        };
        Ok(shell::bare_page(ctx.services, "Entrar", &body))
    }
}

impl Page for Enter {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        match entry_code::sign_in_with_code(ctx, self.c.as_deref().unwrap_or_default()).await {
            Ok(cookie) => {
                let to = links::href_to(ctx.services, "/");
                Ok(Reply::new(Content::Redirect(to)).with_header("set-cookie", cookie))
            }
            Err(error) if error.status() == 401 => {
                let body = html! {
                    h1 { "Entrar na Pauta" }
                    (error_notice(&error))
                    p { a class="button" href=(links::href_to(ctx.services, "/entrar")) { "Entrar com a senha" } }
                };
                let page = shell::bare_page(ctx.services, "Entrar", &body);
                Ok(with_error_status(page, &error))
            }
            Err(error) => Err(error),
        }
    }
}
