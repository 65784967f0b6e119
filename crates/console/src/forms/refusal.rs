//! Answers a refused form.

use gateway::{Code, Content, Error, Reply};
use maud::{Markup, html};
use serde_json::Value;

use super::{
    field_names::field_in_words,
    for_people::{fault_in_words, message_in_words, next_step},
};
use crate::{shell, view::View};

/// Draws the message of an error and the next step.
pub(crate) fn error_notice(error: &Error) -> Markup {
    let details = error.body().details.unwrap_or_default();
    let faults = details.get("fields").and_then(Value::as_array);
    html! {
        div class="notice bad" {
            @match faults {
                Some(faults) => {
                    @for fault in faults {
                        @let [field, message] = ["field", "message"].map(|key| fault[key].as_str().unwrap_or_default());
                        p { strong { (field_in_words(field)) } " " (fault_in_words(field, message)) }
                    }
                }
                None => p { strong { (message_in_words(error)) } }
            }
            @if let Some(next) = next_step(error) { p { (next) } }
            @if [Code::CAPABILITY_REQUIRED, Code::API_ACCESS_DISABLED].contains(&error.code) {
                p { "Quem pode mudar isso é um admin da equipe, em “Equipe”." }
            }
        }
    }
}

/// Sets the status and `Retry-After` of an error on the page that shows the error.
pub(crate) fn with_error_status(page: Reply, error: &Error) -> Reply {
    let page = page.with_status(error.status());
    match error.retry_after_seconds() {
        Some(seconds) => page.with_header("retry-after", seconds.to_string()),
        None => page,
    }
}

/// Replies with the notice only. The script shows the notice beside the form.
pub(crate) fn notice_reply(error: &Error) -> Reply {
    let text = error_notice(error).into_string();
    with_error_status(Reply::new(Content::Text(text.into())), error)
        .with_header("hx-retarget", "find .outcome")
        .with_header("hx-reswap", "innerHTML")
        .with_header("hx-push-url", "false")
}

/// Refuses a form. If a script sent the form, the notice is shown beside the form, otherwise on a page
/// that contains the form again.
pub(crate) fn refuse_form(view: &View<'_>, title: &str, error: &Error, form: &Markup) -> Reply {
    if view.ctx.origin.head.partial {
        return notice_reply(error);
    }
    let body = html! {
        h1 { (title) }
        (error_notice(error))
        (form)
    };
    with_error_status(shell::reading_page(view, title, &body), error)
}

/// The maximum size of the texts of a form that a page returns, in bytes.
const LONGEST_RETURNED: usize = 1_000_000;

/// Returns true if the texts of a form are short enough for a page that returns the form.
pub(crate) fn fits_page<'t>(texts: impl IntoIterator<Item = &'t str>) -> bool {
    let bytes: usize = texts.into_iter().map(str::len).sum();
    bytes <= LONGEST_RETURNED
}

/// Draws the form with the texts that were sent. If the texts are too long, draws a hint to go back to
/// the previous page, which still contains the texts.
pub(crate) fn form_or_hint<'t>(
    texts: impl IntoIterator<Item = &'t str>,
    form: impl FnOnce() -> Markup,
) -> Markup {
    if fits_page(texts) {
        return form();
    }
    html! {
        p {
            "O que você enviou é longo demais para voltar nesta página. Volte à anterior: o que você digitou "
            "continua lá."
        }
    }
}

/// Returns true if a write was refused because another person wrote first.
pub(crate) fn is_stale(error: &Error) -> bool {
    error.code == Code::STALE_REVISION
}
