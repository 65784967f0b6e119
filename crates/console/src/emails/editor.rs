//! Creates and saves drafts.

use gateway::{
    Code, Context, Entry, Error, Input, InputForm, Page, Registered, Reply, Result, SMALL_INPUT,
    Spec,
};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::found::{Draft, find};
use crate::{
    area::{page, receiver},
    editing::{self, Conflict, done, form, given, given_back, rejected, typed, when},
    fields,
    links::encoded,
    view::View,
};

/// The form of a new draft.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct NewDraft {}

/// What the form sends.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct SaveDraft {
    nome: Option<String>,
    html: Option<String>,
    metadados: Option<String>,
    /// O `updated_at` que foi lido; vazio em um rascunho novo.
    lido: Option<String>,
    /// A chave de idempotência deste envio.
    pedido: Option<String>,
}

const NEW: Spec = page("console_new_email_draft", "Novo rascunho", "/novo-email").fails(&[403]);
const SAVE: Spec = receiver(
    "console_save_email_draft",
    "Gravar rascunho de e-mail",
    "/emails",
)
.takes(InputForm::UrlEncoded)
.partial(&[303])
.fails(&[400, 403, 404, 409, 413])
.body_limit(24_000_000);

pub(crate) const NEW_DRAFT: Entry =
    Entry::page::<NewDraft>(NEW, "O formulário de um rascunho de e-mail novo.");
pub(crate) const SAVE_DRAFT: Entry = Entry::page::<SaveDraft>(
    SAVE,
    "Grava um rascunho de e-mail; mostra as duas versões se ele mudou antes.",
);

const OPERATION: &str = "put_email_draft";

/// What is saved.
struct Written<'a> {
    name: &'a str,
    html: &'a str,
    metadata: &'a str,
    /// The moment of the version that it replaces; empty for a new draft.
    read: &'a str,
}

impl Page for NewDraft {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::of(ctx)?;
        let operation = view.operation(OPERATION);
        let operation = operation.ok_or_else(|| Error::not_found("operação"))?;
        view.caller.authorize(operation.spec.access)?;
        let written = Written {
            name: "",
            html: "",
            metadata: "",
            read: "",
        };
        let body = html! {
            h1 { "Novo rascunho" }
            (editor(&view, &written, "Criar"))
        };
        Ok(editing::page(&view, "Novo rascunho", &body))
    }
}

/// The form of a draft.
pub(super) fn of(view: &View<'_>, draft: &Draft) -> Markup {
    let written = Written {
        name: &draft.template_id,
        html: &draft.html,
        metadata: &pretty(&draft.metadata),
        read: &draft.updated_at,
    };
    editor(view, &written, "Gravar")
}

fn pretty(metadata: &Map<String, Value>) -> String {
    serde_json::to_string_pretty(metadata).unwrap_or_default()
}

fn editor(view: &View<'_>, written: &Written<'_>, label: &str) -> Markup {
    let fields = html! {
        input type="hidden" name="lido" value=(written.read);
        @if written.read.is_empty() {
            label class="field" {
                span { "Nome" }
                input name="nome" value=(written.name) required maxlength="200" pattern="[A-Za-z0-9._:~\\-]+" autocomplete="off";
                small { "Letras sem acento, números e . _ : ~ -, como newsletter-novembro." }
            }
        } @else {
            input type="hidden" name="nome" value=(written.name);
        }
        label class="field" {
            span { "HTML" }
            textarea name="html" id=(format!("html-{}-{}", written.name, written.read))
                rows="24" class="mono" spellcheck="false" dir="auto" { "\n" (written.html) }
        }
        label class="field" {
            span { "Metadados (um objeto JSON)" }
            textarea name="metadados" id=(format!("metadados-{}-{}", written.name, written.read))
                rows="6" class="mono" spellcheck="false" dir="auto" { "\n" (written.metadata) }
            small { "Como assunto e remetente. Vazio mantém os que há." }
        }
        div class="row" { button type="submit" { (label) } }
    };
    form(view, "/emails", &fields)
}

impl Page for SaveDraft {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::of(ctx)?;
        let name = self.nome.unwrap_or_default();
        let (html, metadata) = (typed(self.html), typed(self.metadados));
        let read = self.lido.unwrap_or_default();
        let written = Written {
            name: &name,
            html: &html,
            metadata: &metadata,
            read: &read,
        };
        let operation = view.operation(OPERATION);
        let operation = operation.ok_or_else(|| Error::not_found("operação"))?;
        let outcome = match written.input(self.pedido.as_deref(), operation).await {
            Ok(input) => ctx.call(OPERATION, input).await,
            Err(error) => Err(error),
        };
        match outcome {
            Ok(_) => Ok(done(
                &view,
                &format!("/emails/{}", encoded(&name)),
                OPERATION,
            )),
            Err(error) if error.code == Code::STALE_REVISION => conflict(&view, &written).await,
            // Somebody has deleted it: what was typed can still make a new one.
            Err(error) if error.status() == 404 => {
                let anew = Written {
                    read: "",
                    ..written
                };
                let editor = given_back(anew.texts(), || editor(&view, &anew, "Criar de novo"));
                Ok(rejected(
                    &view,
                    "O rascunho não existe mais",
                    &error,
                    &editor,
                ))
            }
            Err(error) => {
                let editor = given_back(written.texts(), || editor(&view, &written, "Gravar"));
                Ok(rejected(
                    &view,
                    "O rascunho não foi gravado",
                    &error,
                    &editor,
                ))
            }
        }
    }
}

impl Written<'_> {
    fn texts(&self) -> [&str; 2] {
        [self.html, self.metadata]
    }

    async fn input(&self, key: Option<&str>, operation: &Registered) -> Result<Input> {
        let mut metadata = None;
        if !self.metadata.trim().is_empty() {
            let is_large = self.metadata.len() > SMALL_INPUT;
            let most = operation.spec.values;
            let (read, _) = fields::json("metadados", self.metadata, most, is_large).await?;
            if !read.is_object() {
                let message = "deve ser um objeto JSON";
                return Err(Error::invalid("metadados", "type", message));
            }
            metadata = Some(read);
        }
        let input = json!({
            "templateId": self.name, "html": self.html, "metadata": metadata,
            "idempotency_key": key,
        });
        let Value::Object(mut input) = given(input) else {
            return Err(Error::internal("an input is an object"));
        };
        let read = (!self.read.is_empty()).then_some(self.read);
        input.insert("expected_updated_at".into(), read.into());
        Ok(input)
    }
}

async fn conflict(view: &View<'_>, written: &Written<'_>) -> Result<Reply> {
    let stored = find(view, written.name, None, None).await?.draft;
    let mine = Written {
        read: &stored.updated_at,
        ..*written
    };
    let by = html! {
        @if let Some(name) = &stored.updated_by_name { (name) " gravou " } @else { "Ele foi gravado " }
        (when(&stored.updated_at)) "."
    };
    let conflict = Conflict {
        what: "o rascunho",
        by,
        stored: &stored.html,
        mine: written.html,
        again: given_back(mine.texts(), || {
            editor(view, &mine, "Gravar a minha por cima")
        }),
        keep: format!("/emails/{}", encoded(written.name)),
    };
    conflict.reply(view).await
}
