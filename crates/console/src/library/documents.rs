//! The documents of the knowledge base, and the forms that add, replace and remove a document.

use gateway::{Context, Entry, Page, Reply, Result, Spec};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{
    document_files::{self, PATH},
    knowledge,
};
use crate::{
    area::page_spec, forms::operation_form, links::percent_encode, shell, text, view::View,
};

/// The page with the list of documents.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Documents {
    /// Só documentos com esta etiqueta.
    etiqueta: Option<String>,
    cursor: Option<String>,
}

const ROUTE: Spec = page_spec("console_knowledge_documents", "Documentos", PATH).fails(&[400, 403]);

pub(crate) const DOCUMENTS: Entry =
    Entry::for_page::<Documents>(ROUTE, "Os documentos da base de conhecimento da equipe.");

#[derive(Deserialize)]
struct Listed {
    documentos: Vec<Document>,
    next_cursor: Option<String>,
}

#[derive(Deserialize)]
struct Document {
    id: String,
    titulo: String,
    fonte: String,
    /// The name of the skill, if the document is a published skill.
    skill: Option<String>,
    tags: Vec<String>,
    caracteres: i64,
    trechos: i64,
    updated_at: String,
}

impl Page for Documents {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let filled = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
        let (tag, cursor) = (filled(self.etiqueta), filled(self.cursor));
        let input = json!({ "tag": tag, "cursor": cursor, "limit": 50 });
        let answer: Listed = view.read("list_knowledge_documents", input).await?;
        let path = match &tag {
            Some(tag) => format!("/conhecimento/documentos?etiqueta={}&", percent_encode(tag)),
            None => "/conhecimento/documentos?".into(),
        };
        let body = html! {
            h1 { "Documentos" }
            (knowledge::draw_tabs(&view, true))
            @if let Some(form) = document_files::add_form(&view) { (form) }
            @if let Some(tag) = &tag {
                p {
                    "Só com a etiqueta " span class="badge" dir="auto" { (tag) } " "
                    a href=(view.href_to(PATH)) { "Mostrar todos" }
                }
            }
            @if answer.documentos.is_empty() {
                p class="empty" {
                    @if tag.is_some() { "Nenhum documento com esta etiqueta." }
                    @else { "A base ainda não tem documentos." }
                }
            } @else {
                ul class="plain-list" data-list {
                    @for document in &answer.documentos { (document_card(&view, document)) }
                }
            }
            (shell::next_page_link(&view, &path, answer.next_cursor.as_deref()))
            (draw_instructions(&view))
        };
        Ok(shell::reading_page(&view, "Documentos", &body))
    }
}

fn document_card(view: &View<'_>, document: &Document) -> Markup {
    let tagged = |tag: &str| view.href_to(&format!("{PATH}?etiqueta={}", percent_encode(tag)));
    html! {
        li class="card" id=(format!("documento-{}", document.id)) data-item tabindex="-1" {
            h2 dir="auto" { (document.titulo) }
            p class="soft" {
                "Fonte: " (knowledge::draw_source(view, &document.fonte)) br;
                (text::format_count(document.caracteres))
                @if document.caracteres == 1 { " caractere em " } @else { " caracteres em " }
                (text::format_count(document.trechos))
                @if document.trechos == 1 { " trecho" } @else { " trechos" }
                ", mudou em " (text::time_tag(&document.updated_at))
            }
            @if !document.tags.is_empty() {
                p class="row" {
                    @for tag in &document.tags { a class="chip" href=(tagged(tag)) dir="auto" { (tag) } }
                }
            }
            @if document.skill.is_none() { (change_forms(view, document)) }
        }
    }
}

/// Draws the forms that replace and remove a document. Omits a form that the member may not use.
fn change_forms(view: &View<'_>, document: &Document) -> Markup {
    let Document {
        id,
        updated_at,
        tags,
        ..
    } = document;
    let replace = document_files::replace_form(view, id, updated_at, tags);
    let remove = view.may_call(REMOVE).then(|| remove_form(view, document));
    html! {
        @if replace.is_some() || remove.is_some() {
            details {
                summary { "Trocar ou tirar" span class="sr" { " " (document.titulo) } }
                @if let Some(form) = replace { (form) }
                @if let Some(form) = remove { (form) }
            }
        }
    }
}

/// The operation that removes a document.
const REMOVE: &str = "remove_knowledge_document";

fn remove_form(view: &View<'_>, document: &Document) -> Markup {
    operation_form(
        view,
        REMOVE,
        PATH,
        &html! {
            input type="hidden" name="documentoId" value=(document.id);
            input type="hidden" name="expected_updated_at" value=(document.updated_at);
            p { "Tirado da base, nem as pesquisas nem os agentes encontram o texto dele. Não há como desfazer." }
            button type="submit" class="danger" { "Tirar da base" }
        },
    )
}

/// Explains the other ways for documents to enter the knowledge base.
fn draw_instructions(view: &View<'_>) -> Markup {
    html! {
        section aria-labelledby="como" {
            h2 id="como" { "Como entram os documentos" }
            p { "Uma skill publicada entra sozinha, e a versão nova toma o lugar da anterior." }
            @if !view.may_call(document_files::ADD) {
                p { "Arquivos são acrescentados aqui por um admin da equipe." }
            }
            p {
                "De uma pasta inteira, quem opera o serviço usa, na máquina dele, "
                code { "pauta knowledge add PASTA --tag cursos" } "."
            }
        }
    }
}
