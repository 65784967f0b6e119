//! Maps the provider's error codes to errors of this service.
//!
//! The provider's codes:
//! <https://developers.tiktok.com/doc/content-posting-api-reference-direct-post> and
//! <https://developers.tiktok.com/doc/content-posting-api-reference-get-video-status>.

use gateway::{Code, Error};
use ports::shortvideo::Trouble;

use crate::publishing::{ACCOUNT_DISCONNECTED, MEDIA_REJECTED, PUBLISHING_REFUSED};

/// The provider's code for too many calls.
const TOO_MANY: &str = "rate_limit_exceeded";

/// The service's error for a code of the provider.
#[derive(Debug, Clone, Copy)]
pub(super) struct Meaning {
    pub code: Code,
    pub message: &'static str,
    pub next: &'static str,
}

/// Returns `Some` if the provider's rate limit is reached. The inner value is the number of seconds to
/// wait, if the provider sent it.
#[expect(
    clippy::option_option,
    reason = "outer: limited; inner: the wait, if sent"
)]
pub(super) fn rate_limit_wait(trouble: &Trouble) -> Option<Option<u64>> {
    match trouble {
        Trouble::Refused { code, wait } if code == TOO_MANY => Some(*wait),
        _ => None,
    }
}

/// Returns true if the provider has refused the access token. Providers may refuse a token before it
/// expires.
pub(super) fn is_stale_token(trouble: &Trouble) -> bool {
    matches!(trouble, Trouble::Refused { code, .. } if code == "access_token_invalid")
}

/// Maps an error code of the provider to an error of this service.
pub(super) fn map_provider_code(provider_code: &str) -> Meaning {
    let meaning = |code, message, next| Meaning {
        code,
        message,
        next,
    };
    match provider_code {
        TOO_MANY => meaning(
            Code::RATE_LIMITED,
            "O TikTok limita as chamadas por minuto desta conta; nada foi publicado.",
            "Espere e publique de novo.",
        ),
        "internal" | "unreachable" => meaning(
            Code::PROVIDER_FAILED,
            "O TikTok falhou, e nada foi publicado.",
            "Espere alguns minutos e publique de novo.",
        ),
        "access_token_invalid" | "access_token_expired" | "auth_removed" | "http_401" => meaning(
            ACCOUNT_DISCONNECTED,
            "O TikTok não aceita mais a autorização da conta; nada foi publicado.",
            RECONNECT,
        ),
        "scope_not_authorized" | "scope_permission_missed" => meaning(
            ACCOUNT_DISCONNECTED,
            "A conta do TikTok foi conectada sem a permissão de publicar; nada foi publicado.",
            RECONNECT,
        ),
        "photo_pull_failed" | "video_pull_failed" => meaning(
            MEDIA_REJECTED,
            "O TikTok não conseguiu buscar as mídias no endereço público do serviço.",
            "Peça a quem opera o serviço que confira se PAUTA_PUBLIC_URL responde pela internet; \
             depois publique de novo.",
        ),
        "file_format_check_failed" => meaning(
            MEDIA_REJECTED,
            "O TikTok recusou o formato da mídia.",
            "Envie fotos em JPEG, PNG ou WebP e vídeos MP4 ou MOV com H.264, e publique de novo.",
        ),
        "duration_check_failed" => meaning(
            MEDIA_REJECTED,
            "O TikTok recusou a duração do vídeo.",
            "Corte o vídeo para o limite de `get_shortvideo_creator_info` e publique de novo.",
        ),
        "frame_rate_check_failed" => meaning(
            MEDIA_REJECTED,
            "O TikTok recusou os quadros por segundo do vídeo.",
            "Exporte o vídeo com 23 a 60 quadros por segundo e publique de novo.",
        ),
        "picture_size_check_failed" => meaning(
            MEDIA_REJECTED,
            "O TikTok recusou o tamanho da imagem ou do vídeo.",
            "Use lados de 360 a 4096 pixels e publique de novo.",
        ),
        code if code.ends_with("_check_failed") || code.starts_with("upload_") => meaning(
            MEDIA_REJECTED,
            "O TikTok recusou a mídia, e nada foi publicado.",
            "Corrija ou troque a mídia e publique de novo.",
        ),
        "invalid_file_upload" => meaning(
            MEDIA_REJECTED,
            "O TikTok recusou o arquivo do vídeo.",
            "Exporte o vídeo de novo em MP4 com H.264 e publique.",
        ),
        "privacy_level_option_mismatch" => meaning(
            PUBLISHING_REFUSED,
            "A conta do TikTok não oferece mais esta privacidade; nada foi publicado.",
            "Leia `get_shortvideo_creator_info` e escolha outro `privacy_level`.",
        ),
        "unaudited_client_can_only_post_to_private_accounts" => meaning(
            PUBLISHING_REFUSED,
            "O aplicativo ainda não foi auditado pelo TikTok e só publica em contas privadas.",
            "Torne a conta privada no TikTok ou peça a quem opera o serviço a auditoria do \
             aplicativo.",
        ),
        "url_ownership_unverified" => meaning(
            PUBLISHING_REFUSED,
            "O TikTok não conhece o endereço público do serviço; nada foi publicado.",
            "Peça a quem opera o serviço que verifique o prefixo de PAUTA_PUBLIC_URL no portal de \
             desenvolvedores do TikTok.",
        ),
        "reached_active_user_cap" => meaning(
            PUBLISHING_REFUSED,
            "O aplicativo atingiu o limite diário de contas do TikTok; nada foi publicado.",
            "Publique amanhã; repetir hoje não adianta.",
        ),
        "publish_cancelled" => meaning(
            PUBLISHING_REFUSED,
            "A publicação foi cancelada no TikTok.",
            "Pergunte a quem usa a conta antes de publicar de novo.",
        ),
        code if code.starts_with("spam_risk") => meaning(
            PUBLISHING_REFUSED,
            "O TikTok barrou a conta por publicar demais ou por risco de spam.",
            "Pare por hoje e diga à pessoa; insistir prolonga o bloqueio.",
        ),
        _ => meaning(
            PUBLISHING_REFUSED,
            "O TikTok recusou a publicação.",
            "Não repita igual; diga à pessoa o código em `provider_code`.",
        ),
    }
}

const RECONNECT: &str = "Peça a um admin da equipe que conecte a conta de novo (`connections`).";

/// Builds the error for a failed call that has not published anything.
pub(super) fn trouble_to_error(trouble: &Trouble) -> Error {
    let (code, wait) = match trouble {
        Trouble::Refused { code, wait } => (code.as_str(), *wait),
        Trouble::Unreached | Trouble::Lost => ("unreachable", None),
    };
    let meaning = map_provider_code(code);
    let error = Error::new(meaning.code)
        .because(meaning.message)
        .with_detail("provider_code", code.into())
        .with_detail("next", meaning.next.into());
    match (meaning.code, wait) {
        (_, Some(seconds)) => error.with_retry_after(seconds),
        (Code::RATE_LIMITED, None) => error.with_retry_after(60),
        _ => error,
    }
}
