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
use crate::{
    area::page_spec, links::percent_encode, piece::remarks::draft_remarks_section, shell,
    view::View,
};

/// The page of a draft.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct DraftPage {
    id: String,
    /// `previa`, `html` ou `trocar`.
    aba: Option<String>,
    /// `celular`, ou a largura da página.
    largura: Option<String>,
    /// `de-fora` mostra também as imagens de outros servidores.
    imagens: Option<String>,
    /// Texto a achar no e-mail.
    busca: Option<String>,
    /// A página das ocorrências.
    cursor: Option<String>,
}

const ROUTE: Spec =
    page_spec("console_email_draft", "Rascunho de e-mail", "/emails/{id}").fails(&[400, 403, 404]);

pub(crate) const DRAFT: Entry = Entry::for_page::<DraftPage>(
    ROUTE,
    "Um rascunho de e-mail: prévia, HTML, localizar e trocar.",
);

impl Page for DraftPage {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
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
            Tab::Preview => draw_preview(
                &view,
                &draft_page.draft,
                self.largura.as_deref() == Some("celular"),
                self.imagens.as_deref() == Some("de-fora"),
            ),
            Tab::Html if may_edit => editor::stored_draft_form(&view, &draft_page.draft),
            Tab::Html => html! {
                p class="soft" { "Só leitura: quem edita é da criação em diante." }
                pre class="document" dir="auto" tabindex="0" { (draft_page.draft.html) }
            },
            Tab::Replace => replacing::draw_replace_tab(&view, &draft_page, search),
        };
        let remarks = match tab {
            Tab::Preview => draft_remarks_section(&view, &self.id).await?,
            Tab::Html | Tab::Replace => html! {},
        };
        let content = html! { (content) (remarks) };
        let page = draw_page(&view, &draft_page.draft, tab, &content);
        Ok(shell::reading_page(&view, &self.id, &page))
    }
}

fn draw_preview(view: &View<'_>, draft: &Draft, is_narrow: bool, has_images: bool) -> Markup {
    let path = format!("/emails/{}", percent_encode(&draft.template_id));
    let at = |is_narrow: bool, has_images: bool| {
        let width = is_narrow.then_some("largura=celular");
        let images = has_images.then_some("imagens=de-fora");
        let query: Vec<&str> = width.into_iter().chain(images).collect();
        let mark = if query.is_empty() { "" } else { "?" };
        view.href_to(&format!("{path}{mark}{}", query.join("&")))
    };
    let images = if has_images { "?imagens=de-fora" } else { "" };
    html! {
        div class="row" role="group" aria-label="Largura da prévia" {
            a class="chip" href=(at(false, has_images)) aria-current=[(!is_narrow).then_some("true")] { "Computador" }
            a class="chip" href=(at(true, has_images)) aria-current=[is_narrow.then_some("true")] { "Celular" }
            @if has_images {
                a href=(at(is_narrow, false)) { "Esconder as imagens externas" }
            } @else {
                a href=(at(is_narrow, true)) { "Mostrar as imagens externas" }
            }
        }
        iframe class=(if is_narrow { "preview phone" } else { "preview" }) sandbox="" referrerpolicy="no-referrer"
            src=(view.href_to(&format!("{path}/previa{images}"))) title=(format!("Prévia de {}", draft.template_id)) {}
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
