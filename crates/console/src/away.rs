//! The pages for a database that is away and for a session that has ended: what happened, and how it goes on
//! without a word being lost.

use std::borrow::Cow;

use gateway::{Error, Origin, Services};
use maud::{Markup, html};

use crate::{links, refused::Refused, shell};

/// After how many seconds the page asks again.
const AGAIN: u64 = 5;

/// A form that was sent meanwhile.
pub enum Sent {
    /// Its fields, in their order.
    Fields(Vec<(String, String)>),
    /// It was too large to be kept, or had a file.
    Unkept,
}

impl Sent {
    /// Whether there is nothing in it to lose.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::Fields(fields) if fields.is_empty())
    }
}

/// Says that the database is away. A page asks again by itself. A form comes back with what was typed, to
/// be sent again with the same key; it must be known to come from a page of this service.
#[must_use]
pub fn away(services: &Services, origin: &Origin, error: &Error, sent: Option<Sent>) -> Refused {
    let asked = &origin.head;
    let mut headers = shell::headers();
    let wait = error.wait().unwrap_or(1);
    headers.push(("retry-after", wait.to_string().into()));
    let page = if asked.partial {
        // The page, and what was typed into it, stays.
        headers.push(("hx-retarget", "#sessao".into()));
        headers.push(("hx-reswap", "innerHTML".into()));
        headers.push(("hx-push-url", "false".into()));
        notice(sent.is_some())
    } else {
        if sent.is_none() {
            let header = Cow::from(wait.max(AGAIN).to_string());
            headers.push(("refresh", header));
        }
        let title = "Fora do ar por um momento";
        let address = links::at(services, &asked.address);
        let body = html! {
            h1 { (title) }
            @match sent {
                None => (waiting(&address)),
                Some(Sent::Fields(fields)) => (again(&happened(), "Envie de novo em alguns segundos.", &address, &fields)),
                Some(Sent::Unkept) => (back(&happened(), "em alguns segundos")),
            }
        };
        shell::bare(services, title, &body)
    };
    Refused {
        status: error.status(),
        headers,
        page: page.into_string(),
    }
}

fn happened() -> Markup {
    html! { strong { "O banco de dados da Pauta não responde agora." } " O que já foi gravado continua guardado." }
}

fn notice(sent: bool) -> Markup {
    html! {
        div class="notice bad" {
            p { (happened()) }
            p {
                "O que você digitou continua nesta página. "
                @if sent { "Envie de novo em alguns segundos: nada é feito duas vezes." }
                @else { "Tente de novo em alguns segundos." }
            }
        }
    }
}

fn waiting(address: &str) -> Markup {
    html! {
        div class="notice bad" role="alert" {
            p { (happened()) }
            p { "Esta página tenta de novo sozinha, a cada " (AGAIN) " segundos." }
        }
        p { a class="button" href=(address) { "Tentar agora" } }
    }
}

/// Gives a form back that was sent after its session had ended. It must be known to come from a page of
/// this service.
#[must_use]
pub fn signed_out(services: &Services, origin: &Origin, sent: &Sent) -> Refused {
    let title = "Sua sessão terminou";
    let ended = html! { strong { (title) "." } };
    let enter = links::at(services, "/entrar");
    let address = links::at(services, &origin.head.address);
    let body = html! {
        h1 { (title) }
        @match sent {
            Sent::Fields(fields) => (again(&ended, "Entre e envie de novo.", &address, fields)),
            Sent::Unkept => (back(&ended, "depois de entrar em outra aba")),
        }
        p { a class="button quiet" href=(enter) target="_blank" { "Entrar em outra aba" } }
    };
    Refused {
        status: 401,
        headers: shell::headers(),
        page: shell::bare(services, title, &body).into_string(),
    }
}

fn again(why: &Markup, next: &str, address: &str, fields: &[(String, String)]) -> Markup {
    let has_key = fields.iter().any(|(name, _)| KEYS.contains(&name.as_str()));
    let typed = |(name, value): &&(String, String)| {
        !name.starts_with('_')
            && !KEYS.contains(&name.as_str())
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
                @if is_secret(name) {
                    label class="field" {
                        span { @if name.contains("codigo") { "Código, de novo" } @else { "Senha, de novo" } }
                        input type="password" name=(name) required autocomplete="off";
                    }
                } @else {
                    input type="hidden" name=(name) value=(value);
                }
            }
            button type="submit" { "Enviar de novo" }
        }
        @if fields.iter().any(|field| typed(&field)) {
            details {
                summary { "O que você enviou" }
                @for (name, value) in fields.iter().filter(typed) {
                    p class="soft" { (name.trim_end_matches('!').trim_end_matches(":json")) }
                    pre class="document" dir="auto" tabindex="0" { (value) }
                }
            }
        }
    }
}

fn back(why: &Markup, when: &str) -> Markup {
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

/// Fields that a form has for itself.
const KEYS: [&str; 3] = ["idempotency_key", "pedido", "expected_revision"];

/// A secret is not written into a page.
fn is_secret(name: &str) -> bool {
    ["senha", "password", "codigo"]
        .iter()
        .any(|word| name.contains(word))
}
