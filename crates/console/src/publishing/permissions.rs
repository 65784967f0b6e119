//! Explains the permissions that a connection to a network requests.

use maud::{Markup, html};

/// The permissions that a connection to a network requests.
struct Asked {
    network: &'static str,
    /// The name of each permission, and its purpose.
    permissions: &'static [(&'static str, &'static str)],
    /// The permission to read results. Older connections lack it, because they were made before the
    /// service requested it.
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

fn find_requested_permissions(network: &str) -> Option<&'static Asked> {
    ASKED.iter().find(|asked| asked.network == network)
}

/// Returns the purpose of a network's permission. `None` if the permission is not in the table.
pub(super) fn permission_purpose(network: &str, permission: &str) -> Option<&'static str> {
    let mut known = find_requested_permissions(network)?.permissions.iter();
    known
        .find(|(name, _)| *name == permission)
        .map(|(_, purpose)| *purpose)
}

/// Draws the purposes of the permissions that a connection to this network will request.
pub(super) fn draw_requested_permissions(network: &str) -> Markup {
    html! {
        @if let Some(asked) = find_requested_permissions(network) {
            details {
                summary { "O que a conexão pede" }
                ul { @for (_, purpose) in asked.permissions { li { (purpose) } } }
            }
        }
    }
}

/// Draws a notice if an account was connected without the permission to read results.
pub(super) fn draw_missing_permission_notice(network: &str, given: &[String]) -> Markup {
    let results = find_requested_permissions(network).and_then(|asked| asked.results);
    let misses = results.is_some_and(|results| !given.iter().any(|one| one == results));
    html! {
        @if misses {
            p class="notice wait" {
                "A conta não deu permissão para ler resultados; conecte de novo. As publicações continuam."
            }
        }
    }
}
