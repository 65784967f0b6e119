//! Forms that replace a whole text, and the choice between both versions after a conflict.

use domain::random_text;
use gateway::{Content, Error, Reply, Result, offload};
use maud::{Markup, html};
use serde_json::Value;

use crate::{diff, links::encoded, refused, shell, text, view::View};

/// The input without the fields that are null.
pub(crate) fn given(mut input: Value) -> Value {
    if let Value::Object(fields) = &mut input {
        fields.retain(|_, value| !value.is_null());
    }
    input
}

/// A text from a form, in which browsers end lines with CR LF.
pub(crate) fn typed(text: Option<String>) -> String {
    text.unwrap_or_default().replace("\r\n", "\n")
}

/// A moment, for people and for machines.
pub(crate) fn when(iso: &str) -> Markup {
    html! { time datetime=(iso) { (text::moment_of(iso)) } }
}

/// Where a list goes on; `path` already has a query or ends with `?`.
pub(crate) fn more(view: &View<'_>, path: &str, cursor: Option<&str>) -> Markup {
    html! {
        @if let Some(cursor) = cursor {
            p { a class="button quiet" href=(view.at(&format!("{path}cursor={}", encoded(cursor)))) { "Mostrar mais" } }
        }
    }
}

/// A form of a page with a receiver of its own. It carries a key, so that sending it twice is done once;
/// under a name that the gateway leaves to the receiver.
pub(crate) fn form(view: &View<'_>, path: &str, fields: &Markup) -> Markup {
    html! {
        form method="post" action=(view.at(path)) class="form stack" {
            input type="hidden" name="pedido" value=(random_text::<18>());
            (fields)
            div class="outcome" role="alert" {}
        }
    }
}

/// Leads on after an operation.
pub(crate) fn done(view: &View<'_>, path: &str, operation: &str) -> Reply {
    let mark = if path.contains('?') { '&' } else { '?' };
    let to = format!("{path}{mark}feito={operation}");
    Reply::new(Content::Redirect(view.at(&to)))
}

/// A page of texts, lists and forms.
pub(crate) fn page(view: &View<'_>, title: &str, body: &Markup) -> Reply {
    shell::page(view, title, &html! { div class="reading" { (body) } })
}

/// What is wrong: beside the form, where a script sent it; otherwise with the form, as it was typed.
pub(crate) fn rejected(view: &View<'_>, title: &str, error: &Error, form: &Markup) -> Reply {
    if view.ctx.origin.head.partial {
        return refused::beside(error);
    }
    let body = html! {
        h1 { (title) }
        (refused::notice(error))
        (form)
    };
    page(view, title, &body).status(error.status())
}

/// The longest texts of a form, in bytes, that a page gives back.
const LONGEST_GIVEN_BACK: usize = 1_000_000;

/// Whether what a form sent is short enough for a page to give it back.
pub(crate) fn can_be_given_back<'t>(texts: impl IntoIterator<Item = &'t str>) -> bool {
    let bytes: usize = texts.into_iter().map(str::len).sum();
    bytes <= LONGEST_GIVEN_BACK
}

/// The form with what was sent; for longer texts, where they still are.
pub(crate) fn given_back<'t>(
    texts: impl IntoIterator<Item = &'t str>,
    form: impl FnOnce() -> Markup,
) -> Markup {
    if can_be_given_back(texts) {
        return form();
    }
    html! {
        p {
            "O que você enviou é longo demais para voltar nesta página. Volte à anterior: o que você digitou "
            "continua lá."
        }
    }
}

/// Two versions of one text.
pub(crate) struct Conflict<'a> {
    /// What it is about: `a skill`, `o rascunho`.
    pub what: &'a str,
    /// Who wrote the stored version, which one it is, and when.
    pub by: Markup,
    pub stored: &'a str,
    pub mine: &'a str,
    /// The form that writes over the stored version, with what was typed.
    pub again: Markup,
    /// Where the stored version is.
    pub keep: String,
}

impl Conflict<'_> {
    /// Shows both versions, and lets the person choose.
    pub async fn reply(self, view: &View<'_>) -> Result<Reply> {
        let (stored, mine) = (self.stored.to_owned(), self.mine.to_owned());
        let difference = if can_be_given_back([&*stored, &*mine]) {
            offload(move || diff::hunks(&stored, &mine)).await?
        } else {
            html! { p class="soft" { "Os textos são longos demais para serem comparados aqui." } }
        };
        let title = "Alguém gravou antes";
        let body = html! {
            h1 { (title) }
            div class="notice wait" role="alert" {
                p { strong { "Enquanto você escrevia, " (self.what) " mudou." } " " (self.by) }
                p { "Nada foi gravado por cima, e o que você escreveu está aqui. Escolha com qual versão ficar." }
            }
            div class="versions" {
                section aria-labelledby="gravada" {
                    h2 id="gravada" { "A versão gravada" }
                    pre class="document" dir="auto" tabindex="0" { (self.stored) }
                    p { a class="button quiet" href=(view.at(&self.keep)) { "Ficar com a gravada" } }
                }
                section aria-labelledby="sua" {
                    h2 id="sua" { "A sua versão" }
                    (self.again)
                }
            }
            section aria-labelledby="diferenca" {
                h2 id="diferenca" { "Da gravada para a sua" }
                (difference)
            }
        };
        Ok(page(view, title, &body).status(409))
    }
}
