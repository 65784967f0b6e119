//! The documents of the knowledge base.

use gateway::{Context, Entry, Page, Reply, Result, Spec};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::knowledge;
use crate::{area::page, links::encoded, shell, text, view::View};

/// The page with the list of documents.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Documents {
    /// Só documentos com esta etiqueta.
    etiqueta: Option<String>,
    cursor: Option<String>,
}

const ROUTE: Spec = page(
    "console_knowledge_documents",
    "Documentos",
    "/conhecimento/documentos",
)
.fails(&[400, 403]);

pub(crate) const DOCUMENTS: Entry =
    Entry::page::<Documents>(ROUTE, "Os documentos da base de conhecimento da equipe.");

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
    tags: Vec<String>,
    caracteres: i64,
    trechos: i64,
    updated_at: String,
}

impl Page for Documents {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::of(ctx).await?;
        let filled = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
        let (tag, cursor) = (filled(self.etiqueta), filled(self.cursor));
        let input = json!({ "tag": tag, "cursor": cursor, "limit": 50 });
        let answer: Listed = view.read("list_knowledge_documents", input).await?;
        let path = match &tag {
            Some(tag) => format!("/conhecimento/documentos?etiqueta={}&", encoded(tag)),
            None => "/conhecimento/documentos?".into(),
        };
        let body = html! {
            h1 { "Documentos" }
            (knowledge::tabs(&view, true))
            @if let Some(tag) = &tag {
                p {
                    "Só com a etiqueta " span class="badge" dir="auto" { (tag) } " "
                    a href=(view.at("/conhecimento/documentos")) { "Mostrar todos" }
                }
            }
            @if answer.documentos.is_empty() {
                p class="empty" {
                    @if tag.is_some() { "Nenhum documento com esta etiqueta." }
                    @else { "A base ainda não tem documentos." }
                }
            } @else {
                ul class="plain-list" data-list {
                    @for document in &answer.documentos { (card(&view, document)) }
                }
            }
            (shell::next_page_link(&view, &path, answer.next_cursor.as_deref()))
            (instructions())
        };
        Ok(shell::reading_page(&view, "Documentos", &body))
    }
}

fn card(view: &View<'_>, document: &Document) -> Markup {
    let tagged = |tag: &str| {
        view.at(&format!(
            "/conhecimento/documentos?etiqueta={}",
            encoded(tag)
        ))
    };
    html! {
        li class="card" id=(format!("documento-{}", document.id)) data-item tabindex="-1" {
            h2 dir="auto" { (document.titulo) }
            p class="soft" {
                "Fonte: " (knowledge::source(view, &document.fonte)) br;
                (text::count(document.caracteres)) " caracteres em " (text::count(document.trechos))
                @if document.trechos == 1 { " trecho" } @else { " trechos" }
                ", mudou " (text::time_tag(&document.updated_at))
            }
            @if !document.tags.is_empty() {
                p class="row" {
                    @for tag in &document.tags { a class="chip" href=(tagged(tag)) dir="auto" { (tag) } }
                }
            }
        }
    }
}

/// Explains how documents are added and removed.
fn instructions() -> Markup {
    let commands = [
        (
            "pauta knowledge add PASTA --tag cursos",
            "Acrescenta os arquivos Markdown, texto, HTML e PDF da pasta. De um arquivo que mudou, fica o texto novo.",
        ),
        ("pauta knowledge list", "Mostra os documentos com os ids."),
        ("pauta knowledge remove ID", "Tira um documento."),
    ];
    html! {
        section aria-labelledby="como" {
            h2 id="como" { "Acrescentar, trocar e tirar" }
            p { "Uma skill publicada entra sozinha, e a versão nova toma o lugar da anterior. Arquivos entram por quem opera o serviço, na máquina dele:" }
            dl {
                @for (command, effect) in commands {
                    dt { code { (command) } }
                    dd { (effect) }
                }
            }
        }
    }
}
