//! The page of one draft: preview, HTML, and find and replace.

use gateway::{Context, Entry, Page, Reply, Result, Spec};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{
    editor,
    frame::{Tab, draw_page},
    reading::{Draft, read_draft},
    replacing,
};
use crate::{area::page, links::encoded, shell, view::View};

/// The page of a draft.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct DraftPage {
    id: String,
    /// `previa`, `html` ou `trocar`.
    aba: Option<String>,
    /// `celular`, ou a largura da página.
    largura: Option<String>,
    /// Texto a achar no e-mail.
    busca: Option<String>,
    /// A página das ocorrências.
    cursor: Option<String>,
}

const ROUTE: Spec =
    page("console_email_draft", "Rascunho de e-mail", "/emails/{id}").fails(&[400, 403, 404]);

pub(crate) const DRAFT: Entry = Entry::page::<DraftPage>(
    ROUTE,
    "Um rascunho de e-mail: prévia, HTML, localizar e trocar.",
);

impl Page for DraftPage {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::of(ctx).await?;
        let may_edit = view.may_call("put_email_draft");
        let tab = match self.aba.as_deref() {
            Some("html") => Tab::Html,
            Some("trocar") => Tab::Replace,
            _ => Tab::Preview,
        };
        let search = self
            .busca
            .as_deref()
            .filter(|text| !text.is_empty() && tab == Tab::Replace);
        let cursor = self.cursor.as_deref().filter(|_| search.is_some());
        let draft_page = read_draft(&view, &self.id, search, cursor).await?;
        let content = match tab {
            Tab::Preview => preview(
                &view,
                &draft_page.draft,
                self.largura.as_deref() == Some("celular"),
            ),
            Tab::Html if may_edit => editor::of(&view, &draft_page.draft),
            Tab::Html => html! {
                p class="soft" { "Só leitura: quem edita é da criação em diante." }
                pre class="document" dir="auto" tabindex="0" { (draft_page.draft.html) }
            },
            Tab::Replace => replacing::tab(&view, &draft_page, search),
        };
        let page = draw_page(&view, &draft_page.draft, tab, &content);
        Ok(shell::reading_page(&view, &self.id, &page))
    }
}

fn preview(view: &View<'_>, draft: &Draft, is_narrow: bool) -> Markup {
    let path = format!("/emails/{}", encoded(&draft.template_id));
    html! {
        div class="row" role="group" aria-label="Largura da prévia" {
            a class="chip" href=(view.at(&path)) aria-current=[(!is_narrow).then_some("true")] { "Computador" }
            a class="chip" href=(view.at(&format!("{path}?largura=celular"))) aria-current=[is_narrow.then_some("true")] { "Celular" }
        }
        iframe class=(if is_narrow { "preview phone" } else { "preview" }) sandbox="" referrerpolicy="no-referrer"
            src=(view.at(&format!("{path}/previa"))) title=(format!("Prévia de {}", draft.template_id)) {}
        p class="soft" { "Como o leitor de e-mail o mostra, sem scripts; links e formulários não funcionam aqui." }
        @if !draft.metadata.is_empty() {
            h2 { "Metadados" }
            dl class="facts" {
                @for (name, value) in &draft.metadata {
                    dt dir="auto" { (name) }
                    dd dir="auto" {
                        @match value {
                            Value::String(text) => (text),
                            other => code { (other) },
                        }
                    }
                }
            }
        }
    }
}
