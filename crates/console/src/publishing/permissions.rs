//! What the permissions of an account are for.

use maud::{Markup, html};

/// The permissions that a connection to a network asks for, all at once.
struct Asked {
    network: &'static str,
    /// The name of each permission, and what it is for.
    permissions: &'static [(&'static str, &'static str)],
    /// The permission to read results, which connections from before it was asked for lack.
    results: Option<&'static str>,
}

const ASKED: [Asked; 4] = [
    Asked {
        network: "instagram",
        permissions: &[
            ("instagram_business_basic", "saber qual é a conta"),
            (
                "instagram_business_content_publish",
                "publicar na hora marcada",
            ),
            (
                "instagram_business_manage_comments",
                "escrever o primeiro comentário",
            ),
            (INSTAGRAM_RESULTS, "ler o que cada post deu"),
        ],
        results: Some(INSTAGRAM_RESULTS),
    },
    Asked {
        network: "shortvideo",
        permissions: &[
            ("user.info.basic", "saber qual é a conta"),
            ("video.publish", "publicar na hora marcada"),
            ("video.upload", "enviar os vídeos"),
            (TIKTOK_RESULTS, "ler o que cada post deu"),
        ],
        results: Some(TIKTOK_RESULTS),
    },
    Asked {
        network: "youtube",
        permissions: &[
            (
                "https://www.googleapis.com/auth/youtube.upload",
                "enviar os vídeos",
            ),
            (
                "https://www.googleapis.com/auth/youtube.readonly",
                "saber qual é o canal e ler o que cada vídeo deu",
            ),
            (
                "https://www.googleapis.com/auth/youtube.force-ssl",
                "publicar o vídeo na hora marcada, escrever o primeiro comentário e apagar o envio que não serve mais",
            ),
        ],
        results: None,
    },
    Asked {
        network: "linkedin",
        permissions: &[
            ("openid", "saber qual é a conta"),
            ("profile", "saber o nome da conta"),
            ("w_member_social", "publicar na hora marcada"),
        ],
        results: None,
    },
];

const INSTAGRAM_RESULTS: &str = "instagram_business_manage_insights";
const TIKTOK_RESULTS: &str = "video.list";

fn find_asked(network: &str) -> Option<&'static Asked> {
    ASKED.iter().find(|asked| asked.network == network)
}

/// What this permission of a network is for, if the page knows it.
pub(super) fn purpose_of(network: &str, permission: &str) -> Option<&'static str> {
    let mut known = find_asked(network)?.permissions.iter();
    known
        .find(|(name, _)| *name == permission)
        .map(|(_, purpose)| *purpose)
}

/// What a connection to this network will ask for, and why.
pub(super) fn draw_asked(network: &str) -> Markup {
    html! {
        @if let Some(asked) = find_asked(network) {
            details {
                summary { "O que a conexão pede" }
                ul { @for (_, purpose) in asked.permissions { li { (purpose) } } }
            }
        }
    }
}

/// Says that an account was connected without a permission that is asked for today.
pub(super) fn draw_missing(network: &str, given: &[String]) -> Markup {
    let results = find_asked(network).and_then(|asked| asked.results);
    let misses = results.is_some_and(|results| !given.iter().any(|one| one == results));
    html! {
        @if misses {
            p class="notice wait" {
                "A conta não deu permissão para ler resultados; conecte de novo. As publicações continuam."
            }
        }
    }
}
