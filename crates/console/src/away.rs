//! The pages for a database outage and for an expired session. They return the form that was sent,
//! so that no typed text is lost.
//!
//! The service keeps the text of a form, up to 1 MB, until the form has been answered
//! (`src/http/form.rs`), so that these pages can return the text. A request without a valid session gets
//! its form back only if this service signed the cookie of the request, and only up to 16 kB. The forms
//! of all other visitors are not read.

use std::borrow::Cow;

use gateway::{Error, Origin, Services};
use maud::{Markup, html};

use crate::{forms::is_secret, links, refused::Refused, shell};

/// The shortest interval at which a page retries, in seconds.
const AGAIN: u64 = 5;

/// A form that was sent during the outage, or after the session expired.
pub enum Sent {
    /// The fields of the form, in the order of the request.
    Fields(Vec<(String, String)>),
    /// The form was too large to be kept, or contained a file.
    Unkept,
}

impl Sent {
    /// Returns true if the form has no fields.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::Fields(fields) if fields.is_empty())
    }
}

/// Answers a request during a database outage. A page without a form retries by itself. A form is
/// returned with its fields and its idempotency key, so that it can be sent again. The caller must have
/// checked that the form came from a page of this service.
#[must_use]
pub fn answer_outage(
    services: &Services,
    origin: &Origin,
    error: &Error,
    sent: Option<Sent>,
) -> Refused {
    let asked = &origin.head;
    let mut headers = shell::page_headers();
    let wait = error.retry_after_seconds().unwrap_or(1);
    headers.push(("retry-after", wait.to_string().into()));
    let page = if asked.partial {
        // The page and the typed texts stay, because only the notice is replaced.
        headers.push(("hx-retarget", "#sessao".into()));
        headers.push(("hx-reswap", "innerHTML".into()));
        headers.push(("hx-push-url", "false".into()));
        outage_notice(sent.is_some())
    } else {
        if sent.is_none() {
            let header = Cow::from(wait.max(AGAIN).to_string());
            headers.push(("refresh", header));
        }
        let title = "Fora do ar por um momento";
        let address = links::href_to(services, &asked.address);
        let body = html! {
            h1 { (title) }
            @match sent {
                None => (retry_notice(&address)),
                Some(Sent::Fields(fields)) => (returned_form(&outage_text(), "Envie de novo em alguns segundos.", &address, &fields)),
                Some(Sent::Unkept) => (go_back_notice(&outage_text(), "em alguns segundos")),
            }
        };
        shell::draw_bare_page(services, title, &body)
    };
    Refused {
        status: error.status(),
        headers,
        page: page.into_string(),
    }
}

fn outage_text() -> Markup {
    html! { strong { "O banco de dados da Pauta não responde agora." } " O que já foi gravado continua guardado." }
}

fn outage_notice(sent: bool) -> Markup {
    html! {
        div class="notice bad" {
            p { (outage_text()) }
            p {
                "O que você digitou continua nesta página. "
                @if sent { "Envie de novo em alguns segundos: nada é feito duas vezes." }
                @else { "Tente de novo em alguns segundos." }
            }
        }
    }
}

fn retry_notice(address: &str) -> Markup {
    html! {
        div class="notice bad" role="alert" {
            p { (outage_text()) }
            p { "Esta página tenta de novo sozinha, a cada " (AGAIN) " segundos." }
        }
        p { a class="button" href=(address) { "Tentar agora" } }
    }
}

/// Answers a form that was sent after its session expired: returns the form, so that it can be sent
/// again. The caller must have checked that the form came from a page of this service.
#[must_use]
pub fn answer_expired_session(services: &Services, origin: &Origin, sent: &Sent) -> Refused {
    let title = "Sua sessão terminou";
    let ended = html! { strong { (title) "." } };
    let enter = links::href_to(services, "/entrar");
    let address = links::href_to(services, &origin.head.address);
    let body = html! {
        h1 { (title) }
        @match sent {
            Sent::Fields(fields) => (returned_form(&ended, "Entre e envie de novo.", &address, fields)),
            Sent::Unkept => (go_back_notice(&ended, "depois de entrar em outra aba")),
        }
        p { a class="button quiet" href=(enter) target="_blank" { "Entrar em outra aba" } }
    };
    Refused {
        status: 401,
        headers: shell::page_headers(),
        page: shell::draw_bare_page(services, title, &body).into_string(),
    }
}

fn returned_form(why: &Markup, next: &str, address: &str, fields: &[(String, String)]) -> Markup {
    let has_key = fields
        .iter()
        .any(|(name, _)| HIDDEN_FIELDS.contains(&name.as_str()));
    let is_text = |(name, value): &&(String, String)| {
        !name.starts_with('_')
            && !HIDDEN_FIELDS.contains(&name.as_str())
            && !is_secret(name)
            && !value.is_empty()
    };
    html! {
        div class="notice bad" role="alert" {
            p { (why) }
            p {
                "O que você enviou ainda não foi gravado, e está aqui inteiro. " (next)
                @if has_key { " O pedido leva a mesma chave: nada é feito duas vezes." }
            }
        }
        form method="post" action=(address) class="form stack" {
            @for (name, value) in fields {
                @if is_secret(name) && !value.is_empty() {
                    label class="field" {
                        span { (secret_label(name)) ", de novo" }
                        input type="password" name=(name) required autocomplete="off";
                    }
                } @else {
                    input type="hidden" name=(name) value=(value);
                }
            }
            button type="submit" { "Enviar de novo" }
        }
        @if fields.iter().any(|field| is_text(&field)) {
            details {
                summary { "O que você enviou" }
                @for (name, value) in fields.iter().filter(is_text) {
                    p class="soft" { (name.trim_end_matches('!').trim_end_matches(":json")) }
                    pre class="document" dir="auto" tabindex="0" { (value) }
                }
            }
        }
    }
}

fn secret_label(name: &str) -> &'static str {
    if name.contains("codigo") {
        "Código"
    } else if name.contains("token") {
        "Token"
    } else {
        "Senha"
    }
}

fn go_back_notice(why: &Markup, when: &str) -> Markup {
    html! {
        div class="notice bad" role="alert" {
            p { (why) }
            p {
                "O que você enviou não foi gravado. Volte à página anterior, onde o que você digitou continua, e envie \
                 de novo " (when) "."
            }
        }
    }
}

/// Hidden fields that the page does not list among the texts that the person sent.
const HIDDEN_FIELDS: [&str; 3] = ["idempotency_key", "pedido", "expected_revision"];
