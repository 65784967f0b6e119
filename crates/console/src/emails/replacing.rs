//! The find-and-replace tab of a draft.

use gateway::{Code, Context, Entry, Error, InputForm, Page, Reply, Result, Spec};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{
    frame::{Tab, draw_page},
    reading::{DraftPage, read_draft},
};
use crate::{
    area::receiver_spec,
    forms::{keyed_input, page_form, redirect_after, refuse_form, unix_lines, with_error_status},
    links::percent_encode,
    shell,
    view::View,
};

/// The form that replaces a text.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Replace {
    id: String,
    procurar: Option<String>,
    trocar_por: Option<String>,
    /// `true` troca todas as ocorrências.
    todas: Option<String>,
    /// O `updated_at` que foi lido.
    lido: Option<String>,
    /// A chave de idempotência deste envio.
    pedido: Option<String>,
}

const ROUTE: Spec = receiver_spec(
    "console_replace_in_email_draft",
    "Trocar um trecho",
    "/emails/{id}/trocar",
)
.takes(InputForm::UrlEncoded)
.partial(&[303])
.fails(&[400, 403, 404, 409, 413])
.body_limit(3_000_000);

pub(crate) const REPLACE: Entry = Entry::for_page::<Replace>(
    ROUTE,
    "Troca um trecho de um rascunho; mostra onde ele está se não é único ou o rascunho mudou.",
);

const OPERATION: &str = "replace_in_email_draft";
/// The maximum length of a search text, in characters.
const LONGEST: usize = 1000;

/// The texts that the viewer typed.
#[derive(Default)]
struct SentTexts<'a> {
    search: &'a str,
    /// The passage to replace.
    piece: &'a str,
    with: &'a str,
    all: bool,
}

/// Draws the tab: the search, its occurrences, and the form that replaces an occurrence.
pub(super) fn draw_replace_tab(
    view: &View<'_>,
    draft_page: &DraftPage,
    search: Option<&str>,
) -> Markup {
    let search = search.unwrap_or_default();
    // If the text occurs only once, the form is filled with the exact HTML of this occurrence.
    let only = match draft_page.ocorrencias.as_ref() {
        Some(occurrences) if occurrences.total == 1 => occurrences.trechos.first(),
        _ => None,
    };
    let sent = SentTexts {
        search,
        piece: only.and_then(|p| p.procurar.as_deref()).unwrap_or(search),
        ..SentTexts::default()
    };
    draw_tab_with_texts(view, draft_page, &sent, None)
}

fn draw_tab_with_texts(
    view: &View<'_>,
    draft_page: &DraftPage,
    sent: &SentTexts<'_>,
    notice: Option<&str>,
) -> Markup {
    let path = format!("/emails/{}", percent_encode(&draft_page.draft.template_id));
    html! {
        @if let Some(notice) = notice { p class="notice wait" role="alert" { (notice) } }
        form method="get" action=(view.href_to(&path)) role="search" class="row compare" {
            input type="hidden" name="aba" value="trocar";
            label class="field wide" {
                span { "Localizar no e-mail ou no HTML" }
                input type="search" name="busca" value=(sent.search) maxlength=(LONGEST) required dir="auto";
            }
            button type="submit" class="quiet" { "Localizar" }
        }
        @if let Some(occurrences) = &draft_page.ocorrencias {
            section aria-labelledby="ocorrencias" {
                h2 id="ocorrencias" {
                    @match occurrences.total {
                        0 => "Não aparece no e-mail nem no HTML",
                        1 => "Aparece uma vez",
                        total => { "Aparece " (total) " vezes" }
                    }
                }
                @if occurrences.total > occurrences.trechos.len() {
                    p class="soft" { (occurrences.trechos.len()) " nesta página:" }
                }
                ol class="found" {
                    @for passage in &occurrences.trechos {
                        li class="mono" dir="auto" { (mark_occurrence(&passage.trecho, passage.procurar.as_deref())) }
                    }
                }
                @let next = format!("{path}?aba=trocar&busca={}&", percent_encode(sent.search));
                (shell::next_page_link(view, &next, occurrences.next_cursor.as_deref()))
            }
        }
        @if view.may_call(OPERATION) { (replace_form(view, draft_page, sent)) }
    }
}

fn replace_form(view: &View<'_>, draft_page: &DraftPage, sent: &SentTexts<'_>) -> Markup {
    let (id, read) = (&draft_page.draft.template_id, &draft_page.draft.updated_at);
    let fields = html! {
        input type="hidden" name="lido" value=(read);
        label class="field" {
            span { "Trocar o trecho" }
            textarea name="procurar" id=(format!("procurar-{read}-{}", sent.piece.len())) rows="3" class="mono" required spellcheck="false" dir="auto" { "\n" (sent.piece) }
            small { "Exatamente como está no HTML, com maiúsculas, espaços e acentos." }
        }
        label class="field" {
            span { "por" }
            textarea name="trocar_por" id=(format!("trocar-{read}")) rows="3" class="mono" spellcheck="false" dir="auto" { "\n" (sent.with) }
            small { "Vazio apaga o trecho." }
        }
        label class="choice" {
            input type="checkbox" name="todas" value="true" checked[sent.all];
            span { "Trocar todas as ocorrências" }
        }
        button type="submit" { "Trocar" }
    };
    html! {
        h2 { "Trocar" }
        (page_form(view, &format!("/emails/{}/trocar", percent_encode(id)), &fields))
    }
}

/// Draws a passage with the occurrence marked.
fn mark_occurrence(passage: &str, piece: Option<&str>) -> Markup {
    let Some(piece) = piece.filter(|piece| !piece.is_empty()) else {
        return html! { (passage) };
    };
    html! {
        @for (at, plain) in passage.split(piece).enumerate() {
            @if at > 0 { mark { (piece) } }
            (plain)
        }
    }
}

impl Page for Replace {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let search = unix_lines(&self.procurar.unwrap_or_default());
        let with = unix_lines(&self.trocar_por.unwrap_or_default());
        let written = SentTexts {
            search: &search,
            piece: &search,
            with: &with,
            all: self.todas.as_deref() == Some("true"),
        };
        let fields = json!({
            "templateId": self.id, "procurar": search, "trocar_por": with, "todas": written.all,
            "expected_updated_at": self.lido,
        });
        let input = keyed_input(self.pedido.as_deref(), fields).await?;
        let Err(error) = ctx.call(OPERATION, input).await else {
            let back = format!("/emails/{}?aba=trocar", percent_encode(&self.id));
            return Ok(redirect_after(&view, &back, OPERATION));
        };
        let Some(notice) = next_step_advice(&error) else {
            return Ok(refuse_form(&view, "Nada foi trocado", &error, &html! {}));
        };
        let shown_search = (search.chars().count() <= LONGEST).then_some(search.as_str());
        let draft_page = read_draft(&view, &self.id, shown_search, None).await?;
        let content = draw_tab_with_texts(&view, &draft_page, &written, Some(&notice));
        let page = draw_page(&view, &draft_page.draft, Tab::Replace, &content);
        let place = format!("/emails/{}?aba=trocar", percent_encode(&self.id));
        Ok(
            with_error_status(shell::reading_page(&view, &self.id, &page), &error)
                .with_header("hx-push-url", view.href_to(&place)),
        )
    }
}

/// Returns the next step for the viewer. `None` if the error already names the next step.
fn next_step_advice(error: &Error) -> Option<String> {
    let step = match error.code.as_str() {
        code if code == Code::STALE_REVISION.as_str() => {
            "O rascunho mudou enquanto você escrevia. Abaixo está onde o trecho aparece agora: confira e troque de novo."
        }
        "TEXT_NOT_FOUND" => {
            "O trecho não está exatamente assim no HTML. Abaixo está marcado onde o texto aparece: copie-o dali, com o código HTML que houver no meio."
        }
        "TEXT_NOT_UNIQUE" => {
            "O trecho aparece mais de uma vez. Aumente-o até ser único, ou marque “Trocar todas as ocorrências”."
        }
        _ => return None,
    };
    Some(format!("{step} Nada foi trocado."))
}
