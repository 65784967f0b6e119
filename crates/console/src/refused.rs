//! Pages and notices that say what is wrong and what to do next.

use std::borrow::Cow;

use gateway::{Code, Content, Error, Origin, Principal, Reply, Services};
use maud::{Markup, html};
use serde_json::Value;

use crate::{links, shell, view::View};

/// The answer to a request that is refused.
pub struct Refused {
    pub status: u16,
    pub headers: Vec<(&'static str, Cow<'static, str>)>,
    pub page: String,
}

/// Says why a page is refused. A visitor who is not signed in is redirected to the sign-in page, and from there back.
#[must_use]
pub fn refused(
    services: &Services,
    origin: &Origin,
    caller: Option<&Principal>,
    error: Error,
) -> Refused {
    let head = &origin.head;
    let mut headers = shell::headers();
    if error.status() == 401 && caller.is_none() {
        if head.partial {
            // The page keeps what was typed; its script offers to sign in.
            headers.push(("hx-retarget", "#sessao".into()));
            headers.push(("hx-reswap", "innerHTML".into()));
            headers.push(("hx-push-url", "false".into()));
            return Refused {
                status: 401,
                headers,
                page: signed_out(services).into_string(),
            };
        }
        let address = links::encoded(&head.address);
        headers.push((
            "location",
            links::at(services, &format!("/entrar?volta={address}")).into(),
        ));
        return Refused {
            status: 303,
            headers,
            page: String::new(),
        };
    }
    if let Some(seconds) = error.wait() {
        headers.push(("retry-after", seconds.to_string().into()));
    }
    let title = match error.status() {
        403 => "Sem permissão",
        404 => "Não encontrado",
        _ => "Não deu certo",
    };
    let body = html! {
        h1 { (title) }
        (notice(&error))
        @if error.status() == 404 {
            p { "Pode ter sido apagado, ou o endereço está incompleto." }
        }
        p { a href=(links::at(services, "/")) { "Voltar à agenda" } }
    };
    Refused {
        status: error.status(),
        headers,
        page: shell::bare(services, title, &body).into_string(),
    }
}

/// What is wrong, in a few lines.
pub(crate) fn notice(error: &Error) -> Markup {
    let details = error.body().details.unwrap_or_default();
    let faults = details.get("fields").and_then(Value::as_array);
    let next = details.get("next").and_then(Value::as_str);
    // Which operation lists what was not found is advice for agents.
    let next = next.filter(|_| error.status() != 404);
    html! {
        div class="notice bad" {
            @match faults {
                Some(faults) => {
                    @for fault in faults {
                        p {
                            strong { (fault["field"].as_str().unwrap_or_default()) }
                            " " (fault["message"].as_str().unwrap_or_default())
                        }
                    }
                }
                None => p { strong { (error.message()) } }
            }
            @if let Some(next) = next { p { (next) } }
            @if error.status() == 403 && error.code != Code::NOT_A_MEMBER {
                p { "Quem pode mudar isso é um admin da equipe, em “Equipe”." }
            }
        }
    }
}

/// What is wrong, for the place of the form that a script sent.
pub(crate) fn beside(error: &Error) -> Reply {
    waiting(
        Reply::new(Content::Text(notice(error).into_string().into())),
        error,
    )
    .status(error.status())
    .header("hx-retarget", "find .outcome")
    .header("hx-reswap", "innerHTML")
    .header("hx-push-url", "false")
}

/// What was refused: beside the form, where a script asks; otherwise on a page with the form again.
pub(crate) fn again(view: &View<'_>, title: &str, error: &Error, form: &Markup) -> Reply {
    if view.ctx.origin.head.partial {
        return beside(error);
    }
    let body = html! {
        h1 { (title) }
        (notice(error))
        (form)
    };
    waiting(shell::page(view, title, &body), error).status(error.status())
}

/// Says after which time to ask again, where the error does.
fn waiting(reply: Reply, error: &Error) -> Reply {
    match error.wait() {
        Some(seconds) => reply.header("retry-after", seconds.to_string()),
        None => reply,
    }
}

/// Offers to sign in without leaving the page.
fn signed_out(services: &Services) -> Markup {
    html! {
        div class="notice bad" {
            p { strong { "Sua sessão terminou." } " O que você digitou continua aqui." }
            p {
                a href=(links::at(services, "/entrar")) target="_blank" { "Entre em outra aba" }
                " e envie de novo."
            }
        }
    }
}
