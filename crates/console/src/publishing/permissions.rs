//! What the permissions of an account are for.

use maud::{Markup, html};

/// The permissions that a connection asks for, all at once, and what each is for.
const INSTAGRAM: [(&str, &str); 4] = [
    ("instagram_business_basic", "saber qual é a conta"),
    (
        "instagram_business_content_publish",
        "publicar na hora marcada",
    ),
    (
        "instagram_business_manage_comments",
        "escrever o primeiro comentário",
    ),
    (
        "instagram_business_manage_insights",
        "ler o que cada post deu",
    ),
];

/// The permission to read results.
const RESULTS: &str = INSTAGRAM[3].0;

/// What this permission is for, if the page knows it.
pub(super) fn purpose_of(permission: &str) -> Option<&'static str> {
    let mut known = INSTAGRAM.iter();
    known
        .find(|(name, _)| *name == permission)
        .map(|(_, purpose)| *purpose)
}

/// What a connection to this network will ask for, and why.
pub(super) fn draw_asked(network: &str) -> Markup {
    html! {
        @if network == "instagram" {
            details {
                summary { "O que a conexão pede" }
                ul { @for (_, purpose) in INSTAGRAM { li { (purpose) } } }
            }
        }
    }
}

/// Says that an account was connected without a permission that is asked for today.
pub(super) fn draw_missing(network: &str, given: &[String]) -> Markup {
    let misses = network == "instagram" && !given.iter().any(|one| one == RESULTS);
    html! {
        @if misses {
            p class="notice wait" {
                "A conta não deu permissão para ler resultados; conecte de novo. As publicações continuam."
            }
        }
    }
}
