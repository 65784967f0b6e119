//! Creates and saves drafts.

use gateway::{
    Context, Entry, Error, Input, InputForm, Page, Registered, Reply, Result, SMALL_INPUT, Spec,
};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{
    preview::TYPED_PATH,
    reading::{Draft, read_draft},
};
use crate::{
    area::{page_spec, receiver_spec},
    forms::{
        Conflict, form_or_hint, is_stale, page_form, parse_json, redirect_after, refuse_form,
        unix_lines, with_key,
    },
    links::percent_encode,
    shell, text,
    view::{View, input_without_nulls},
};

/// The page with the form of a new draft.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct NewDraft {}

/// The form of a draft.
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

const NEW: Spec =
    page_spec("console_new_email_draft", "Novo rascunho", "/novo-email").fails(&[403]);
const SAVE: Spec = receiver_spec(
    "console_save_email_draft",
    "Salvar rascunho de e-mail",
    "/emails",
)
.takes(InputForm::UrlEncoded)
.partial(&[303])
.fails(&[400, 403, 404, 409, 413])
.body_limit(24_000_000);

pub(crate) const NEW_DRAFT: Entry =
    Entry::for_page::<NewDraft>(NEW, "O formulário de um rascunho de e-mail novo.");
pub(crate) const SAVE_DRAFT: Entry = Entry::for_page::<SaveDraft>(
    SAVE,
    "Salva um rascunho de e-mail; mostra as duas versões se ele mudou antes.",
);

const OPERATION: &str = "put_email_draft";

/// The fields of the form of a draft.
struct Written<'a> {
    name: &'a str,
    html: &'a str,
    metadata: &'a str,
    /// The `updated_at` of the version that this form replaces; empty for a new draft.
    read: &'a str,
}

impl Page for NewDraft {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        view.require_call(OPERATION)?;
        let written = Written {
            name: "",
            html: "",
            metadata: "",
            read: "",
        };
        let body = html! {
            h1 { "Novo rascunho" }
            (draft_form(&view, &written, "Criar"))
        };
        Ok(shell::reading_page(&view, "Novo rascunho", &body))
    }
}

/// Draws the form of a stored draft.
pub(super) fn stored_draft_form(view: &View<'_>, draft: &Draft) -> Markup {
    let written = Written {
        name: &draft.template_id,
        html: &draft.html,
        metadata: &pretty_metadata(&draft.metadata),
        read: &draft.updated_at,
    };
    draft_form(view, &written, "Salvar")
}

fn pretty_metadata(metadata: &Map<String, Value>) -> String {
    serde_json::to_string_pretty(metadata).unwrap_or_default()
}

fn draft_form(view: &View<'_>, written: &Written<'_>, label: &str) -> Markup {
    let fields = html! {
        input type="hidden" name="lido" value=(written.read);
        @if written.read.is_empty() {
            label class="field" {
                span { "Nome" }
                input name="nome" value=(written.name) required maxlength="200" pattern="[A-Za-z0-9._:~\\-]+" autocomplete="off";
                small { "Use letras sem acento, números e os sinais . _ : ~ - (exemplo: newsletter-novembro)." }
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
        div class="row" {
            button type="submit" { (label) }
            button type="submit" class="quiet" formaction=(view.href_to(TYPED_PATH)) formtarget="como-fica" data-show { "Ver como fica" }
        }
    };
    let stored = (!written.read.is_empty() && !written.name.is_empty())
        .then(|| view.href_to(&format!("/emails/{}/previa", percent_encode(written.name))));
    html! {
        div class="beside" data-module="mail" {
            (page_form(view, "/emails", &fields))
            section aria-labelledby="como-fica" {
                h2 id="como-fica" { "Como fica" }
                iframe class="preview" name="como-fica" sandbox="" referrerpolicy="no-referrer" src=[stored]
                    title="O e-mail como está escrito" {}
                p class="soft" { "Sem scripts e sem as imagens de outros servidores." }
            }
        }
    }
}

impl Page for SaveDraft {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let name = self.nome.unwrap_or_default();
        let html = unix_lines(&self.html.unwrap_or_default());
        let metadata = unix_lines(&self.metadados.unwrap_or_default());
        let read = self.lido.unwrap_or_default();
        let written = Written {
            name: &name,
            html: &html,
            metadata: &metadata,
            read: &read,
        };
        let operation = view.get_operation(OPERATION)?;
        let outcome = match written.build_input(self.pedido.as_deref(), operation).await {
            Ok(input) => ctx.call(OPERATION, input).await,
            Err(error) => Err(error),
        };
        match outcome {
            Ok(_) => Ok(redirect_after(
                &view,
                &format!("/emails/{}", percent_encode(&name)),
                OPERATION,
            )),
            Err(error) if is_stale(&error) => conflict_reply(&view, &written).await,
            // The draft has been deleted in the meantime. The form with the sent text can create it
            // again.
            Err(error) if error.status() == 404 => {
                let anew = Written {
                    read: "",
                    ..written
                };
                let editor = form_or_hint(anew.long_texts(), || {
                    draft_form(&view, &anew, "Criar de novo")
                });
                Ok(refuse_form(
                    &view,
                    "O rascunho não existe mais",
                    &error,
                    &editor,
                ))
            }
            Err(error) => {
                let editor = form_or_hint(written.long_texts(), || {
                    draft_form(&view, &written, "Salvar")
                });
                Ok(refuse_form(
                    &view,
                    "O rascunho não foi salvo",
                    &error,
                    &editor,
                ))
            }
        }
    }
}

impl Written<'_> {
    fn long_texts(&self) -> [&str; 2] {
        [self.html, self.metadata]
    }

    async fn build_input(&self, key: Option<&str>, operation: &Registered) -> Result<Input> {
        let mut metadata = None;
        if !self.metadata.trim().is_empty() {
            let is_large = self.metadata.len() > SMALL_INPUT;
            let most = operation.spec.values;
            let (read, _) = parse_json("metadados", self.metadata, most, is_large).await?;
            if !read.is_object() {
                let message = "deve ser um objeto JSON";
                return Err(Error::invalid_field("metadados", "type", message));
            }
            metadata = Some(read);
        }
        let mut input = input_without_nulls(json!({
            "templateId": self.name, "html": self.html, "metadata": metadata,
        }));
        // A null `expected_updated_at` creates a draft instead of replacing one.
        let read = (!self.read.is_empty()).then_some(self.read);
        input.insert("expected_updated_at".into(), read.into());
        with_key(input, key).await
    }
}

async fn conflict_reply(view: &View<'_>, written: &Written<'_>) -> Result<Reply> {
    let stored = read_draft(view, written.name, None, None).await?.draft;
    let mine = Written {
        read: &stored.updated_at,
        ..*written
    };
    let by = html! {
        @if let Some(name) = &stored.updated_by_name { (name) " o salvou em " } @else { "Ele foi salvo em " }
        (text::time_tag(&stored.updated_at)) "."
    };
    let conflict = Conflict {
        what: "o rascunho",
        by,
        stored: &stored.html,
        mine: written.html,
        again: form_or_hint(mine.long_texts(), || {
            draft_form(view, &mine, "Salvar a minha por cima")
        }),
        keep: format!("/emails/{}", percent_encode(written.name)),
    };
    conflict.choice_page(view).await
}
