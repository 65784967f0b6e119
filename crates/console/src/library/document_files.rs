//! The forms that send a document to the knowledge base, and the pages that receive these forms.

use gateway::{Context, Entry, Error, InputForm, Page, Reply, Result, Spec};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::{
    area::receiver_spec,
    files::{Upload, call_with_file, file_field},
    forms::{key_field, nonblank_text, redirect_after, refuse_form},
    view::View,
};

/// The path of the list of documents.
pub(super) const PATH: &str = "/conhecimento/documentos";
/// The operation that adds a document.
pub(super) const ADD: &str = "add_knowledge_document";
/// The operation that replaces a document.
const REPLACE: &str = "replace_knowledge_document";
/// The path of the page that receives the file of a replacement.
const REPLACEMENT: &str = "/conhecimento/documentos/troca";
/// The largest document, in bytes.
const LONGEST: u64 = 50_000_000;
const ACCEPTED: &str =
    ".pdf,.md,.markdown,.txt,.text,.html,.htm,application/pdf,text/plain,text/html,text/markdown";

/// The form that adds documents.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct AddDocument {
    #[serde(default)]
    tags: String,
    pedido: Option<String>,
    /// O arquivo.
    #[expect(
        dead_code,
        reason = "the schema requires it; the page passes on what was received"
    )]
    file: Map<String, Value>,
}

impl Upload for AddDocument {
    const OPERATION: &'static str = ADD;
    const LONGEST: u64 = LONGEST;
}

const ADD_ROUTE: Spec = receiver_spec("console_add_document", "Acrescentar um documento", PATH)
    .takes(InputForm::Multipart(file_field::<AddDocument>()))
    .partial(&[303])
    .fails(&[400, 403, 409, 413, 415]);

pub(crate) const ADD_DOCUMENT: Entry = Entry::for_page::<AddDocument>(
    ADD_ROUTE,
    "Recebe um documento e o acrescenta à base de conhecimento.",
);

impl Page for AddDocument {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let fields = json!({ "tags": nonblank_text(&self.tags) });
        let answer = call_with_file(&view, ADD, self.pedido.as_deref(), fields).await;
        Ok(document_reply(&view, ADD, &answer))
    }
}

/// The form that replaces a document.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ReplaceDocument {
    documento_id: String,
    expected_updated_at: String,
    #[serde(default)]
    tags: String,
    pedido: Option<String>,
    /// O arquivo.
    #[expect(
        dead_code,
        reason = "the schema requires it; the page passes on what was received"
    )]
    file: Map<String, Value>,
}

impl Upload for ReplaceDocument {
    const OPERATION: &'static str = REPLACE;
    const LONGEST: u64 = LONGEST;
}

const REPLACE_ROUTE: Spec = receiver_spec(
    "console_replace_document",
    "Trocar um documento",
    REPLACEMENT,
)
.takes(InputForm::Multipart(file_field::<ReplaceDocument>()))
.partial(&[303])
.fails(&[400, 403, 404, 409, 413, 415]);

pub(crate) const REPLACE_DOCUMENT: Entry = Entry::for_page::<ReplaceDocument>(
    REPLACE_ROUTE,
    "Recebe um documento no lugar de outro da base de conhecimento.",
);

impl Page for ReplaceDocument {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let fields = json!({
            "documentoId": self.documento_id,
            "expected_updated_at": self.expected_updated_at,
            "tags": self.tags,
        });
        let answer = call_with_file(&view, REPLACE, self.pedido.as_deref(), fields).await;
        Ok(document_reply(&view, REPLACE, &answer))
    }
}

/// Redirects to the stored document in the list. Refuses the form if the operation failed.
fn document_reply(view: &View<'_>, operation: &str, answer: &Result<Value, Error>) -> Reply {
    match answer {
        Ok(document) => {
            let id = document["id"].as_str().unwrap_or_default();
            redirect_after(view, &format!("{PATH}#documento-{id}"), operation)
        }
        Err(error) => refuse_form(
            view,
            "O documento não entrou na base",
            error,
            &html! { p { a href=(view.href_to(PATH)) { "Voltar aos documentos" } } },
        ),
    }
}

/// Draws the form that adds documents. `None` if the member may not add documents.
pub(super) fn add_form(view: &View<'_>) -> Option<Markup> {
    view.may_call(ADD).then(|| {
        html! {
            details data-module="editor" {
                summary { "Acrescentar documentos" }
                form method="post" action=(view.href_to(PATH)) enctype="multipart/form-data" class="form stack"
                    hx-boost="false" data-upload {
                    (key_field())
                    label class="field" {
                        span { "PDF, Markdown, texto ou página HTML" }
                        input type="file" name="file" required accept=(ACCEPTED);
                        small class="soft" {
                            "PDF até 50 MB, os outros até 5 MB. Só o texto fica na base."
                            span data-several hidden { " Você pode enviar vários de uma vez: escolha, arraste para cá ou cole." }
                        }
                    }
                    ul id="envios-documentos" class="files" data-files hx-preserve aria-label="Arquivos escolhidos" {}
                    div id="etiquetas-do-envio" hx-preserve {
                        (tags_field(&[], "Valem para todos os arquivos deste envio."))
                    }
                    button type="submit" { "Enviar arquivo" }
                    div class="outcome" role="alert" {}
                }
            }
        }
    })
}

/// Draws the form that replaces a document. `None` if the member may not replace this document.
pub(super) fn replace_form(
    view: &View<'_>,
    id: &str,
    updated_at: &str,
    tags: &[String],
) -> Option<Markup> {
    view.may_call(REPLACE).then(|| {
        html! {
            form method="post" action=(view.href_to(REPLACEMENT)) enctype="multipart/form-data" class="form stack"
                hx-boost="false" data-upload="um" {
                (key_field())
                input type="hidden" name="documento_id" value=(id);
                input type="hidden" name="expected_updated_at" value=(updated_at);
                label class="field" {
                    span { "Trocar por um arquivo mais novo" }
                    input type="file" name="file" required accept=(ACCEPTED);
                    small class="soft" { "O nome e o texto dele tomam o lugar dos atuais." }
                }
                ul id={ "troca-" (id) } class="files" data-files hx-preserve aria-label="Arquivo escolhido" {}
                (tags_field(tags, "Se deixar em branco, o documento fica sem etiquetas."))
                button type="submit" { "Trocar" }
                div class="outcome" role="alert" {}
            }
        }
    })
}

fn tags_field(tags: &[String], note: &str) -> Markup {
    html! {
        label class="field" {
            span { "Etiquetas" }
            input name="tags" value=(tags.join(", ")) maxlength="1400" dir="auto";
            small class="soft" { "Separe com vírgulas. " (note) }
        }
    }
}
