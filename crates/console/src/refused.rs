//! The page for a request that is refused.

use std::borrow::Cow;

use gateway::{Error, Origin, Principal, Services};
use maud::{Markup, html};

use crate::{forms::error_notice, links, shell};

/// The answer to a refused request.
pub struct Refused {
    pub status: u16,
    pub headers: Vec<(&'static str, Cow<'static, str>)>,
    pub page: String,
}

/// Answers a refused request for a page. A visitor without a session is redirected to the sign-in page
/// and, after signing in, back to the requested page.
#[must_use]
pub fn answer_refusal(
    services: &Services,
    origin: &Origin,
    caller: Option<&Principal>,
    error: Error,
) -> Refused {
    let head = &origin.head;
    let mut headers = shell::page_headers();
    if error.status() == 401 && caller.is_none() {
        if head.partial {
            // Only the notice is replaced, so the page keeps the typed texts. The notice offers to sign
            // in.
            headers.push(("hx-retarget", "#sessao".into()));
            headers.push(("hx-reswap", "innerHTML".into()));
            headers.push(("hx-push-url", "false".into()));
            return Refused {
                status: 401,
                headers,
                page: signed_out_notice(services).into_string(),
            };
        }
        let address = links::percent_encode(&head.address);
        headers.push((
            "location",
            links::href_to(services, &format!("/entrar?volta={address}")).into(),
        ));
        return Refused {
            status: 303,
            headers,
            page: String::new(),
        };
    }
    if let Some(seconds) = error.retry_after_seconds() {
        headers.push(("retry-after", seconds.to_string().into()));
    }
    let title = match error.status() {
        403 => "Sem permissão",
        404 => "Não encontrado",
        _ => "Não deu certo",
    };
    let body = html! {
        h1 { (title) }
        (error_notice(&error))
        @if error.status() == 404 {
            p { "Pode ter sido apagado, ou o endereço está incompleto." }
        }
        p { a href=(links::href_to(services, "/")) { "Voltar ao início" } }
    };
    Refused {
        status: error.status(),
        headers,
        page: shell::draw_bare_page(services, title, &body).into_string(),
    }
}

/// Draws a notice with a link that opens the sign-in page in another tab.
fn signed_out_notice(services: &Services) -> Markup {
    html! {
        div class="notice bad" {
            p { strong { "Sua sessão terminou." } " O que você digitou continua aqui." }
            p {
                a href=(links::href_to(services, "/entrar")) target="_blank" { "Entre em outra aba" }
                " e envie de novo."
            }
        }
    }
}
