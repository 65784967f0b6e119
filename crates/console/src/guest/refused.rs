use gateway::{Error, Services};
use maud::html;

use crate::{forms::error_notice, refused::Refused, shell};

/// Answers a refused request of a guest with a page that reveals nothing about the service.
#[must_use]
pub fn answer_guest_refusal(services: &Services, error: &Error) -> Refused {
    let mut headers = shell::page_headers();
    if let Some(seconds) = error.retry_after_seconds() {
        headers.push(("retry-after", seconds.to_string().into()));
    }
    let title = match error.status() {
        401 => "Este link não abre",
        404 => "Não encontrado",
        429 => "Espere um pouco",
        _ => "Não deu certo",
    };
    let body = html! {
        h1 { (title) }
        (error_notice(error))
    };
    Refused {
        status: error.status(),
        headers,
        page: shell::draw_bare_page(services, title, &body).into_string(),
    }
}
