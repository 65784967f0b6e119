//! Code that the video providers share.

use base64::{Engine, engine::general_purpose::STANDARD};
use bytes::Bytes;
use domain::Aspect;
use gateway::{Code, Error, Result};
use ports::{ByteStream, FirstFrame, NotSubmitted};
use reqwest::Response;

use super::{
    api::{Api, Failure, FailureKind, is_showable_code},
    pictures,
};

/// The name of the product of these providers in error messages.
pub(super) const WHAT: &str = "vídeos";

/// Returns the width and height of a video.
pub(super) fn pixel_size(aspect: Aspect) -> (u32, u32) {
    match aspect {
        Aspect::Landscape => (1280, 720),
        Aspect::Portrait | Aspect::Square => (720, 1280),
    }
}

/// Converts a failure to the outcome of a submission.
pub(super) fn to_not_submitted(Failure { kind, error }: Failure) -> NotSubmitted {
    match kind {
        FailureKind::Unsent => NotSubmitted::Later(error),
        FailureKind::Refused(429) if !is_out_of_credit(&error) => NotSubmitted::Later(error),
        FailureKind::Refused(408 | 500..) | FailureKind::Lost => {
            NotSubmitted::Unknown(unconfirmed_error(&error))
        }
        FailureKind::Refused(_) => NotSubmitted::Refused(error),
    }
}

fn is_out_of_credit(error: &Error) -> bool {
    let code = provider_code(error).unwrap_or_default();
    ["insufficient_quota", "billing_hard_limit_reached"].contains(&&*code)
}

fn provider_code(error: &Error) -> Option<String> {
    let details = error.body().details?;
    details.get("provider_code")?.as_str().map(str::to_owned)
}

fn unconfirmed_error(error: &Error) -> Error {
    let unknown = Error::new(Code::OUTCOME_UNKNOWN)
        .because("O provedor de vídeos não confirmou o pedido: talvez o vídeo esteja sendo feito.")
        .with_detail(
            "next",
            "Confira na conta do provedor antes de pedir de novo: o vídeo pode ter sido cobrado."
                .into(),
        );
    match provider_code(error) {
        Some(code) => unknown.with_detail("provider_code", code.into()),
        None => unknown,
    }
}

/// Validates the id of a submitted video. If it cannot be part of a path, the outcome is unknown,
/// because the status of the video cannot be requested.
pub(super) fn require_valid_id(id: String) -> Result<String, NotSubmitted> {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"_-.~=:".contains(&b);
    let fits = (1..=400).contains(&id.len()) && id.bytes().all(plain) && !id.starts_with('.');
    match fits {
        true => Ok(id),
        false => {
            let odd = Error::new(Code::PROVIDER_FAILED);
            Err(NotSubmitted::Unknown(unconfirmed_error(&odd)))
        }
    }
}

/// Returns the error for a video that the provider failed to generate, with the provider's code.
pub(super) fn generation_error(code: Option<&str>) -> Error {
    let code = code.filter(|code| is_showable_code(code));
    let lower = code.unwrap_or_default().to_lowercase();
    let judged = [
        "moderation",
        "policy",
        "safety",
        "sentinel",
        "prohibited",
        "blocked",
    ];
    let (message, next) = if judged.iter().any(|word| lower.contains(word)) {
        (
            "O provedor de vídeos recusou o conteúdo do pedido.",
            "Reescreva o `prompt`, ou troque a imagem; repetir igual não adianta.",
        )
    } else {
        (
            "O provedor de vídeos não conseguiu fazer o vídeo.",
            "Peça de novo; se persistir, mude o `prompt`.",
        )
    };
    let error = Error::new(Code::PROVIDER_FAILED)
        .because(message)
        .with_detail("next", next.into());
    match code {
        Some(code) => error.with_detail("provider_code", code.into()),
        None => error,
    }
}

/// Converts "not found" to `None`.
pub(super) fn none_if_unknown<T>(asked: Result<T, Failure>) -> Result<Option<T>> {
    match asked {
        Ok(told) => Ok(Some(told)),
        Err(Failure {
            kind: FailureKind::Refused(404 | 410),
            ..
        }) => Ok(None),
        Err(failure) => Err(failure.error),
    }
}

/// Converts the response to a cancel request. A video that no longer runs counts as cancelled.
pub(super) fn accept_already_ended(asked: Result<Bytes, Failure>) -> Result<()> {
    match asked {
        Ok(_) => Ok(()),
        // The video has ended or is unknown, or the provider cannot cancel it.
        Err(Failure {
            kind: FailureKind::Refused(400 | 404 | 405 | 409 | 410 | 422),
            ..
        }) => Ok(()),
        Err(failure) => Err(failure.error),
    }
}

/// Streams the downloaded video.
pub(super) fn stream_result(api: &Api, answer: Response) -> Result<ByteStream> {
    match answer.status().as_u16() {
        200 => Ok(api.stream_body(answer)),
        401 | 403 | 404 | 410 => Err(api.malformed_error("o vídeo não está mais no endereço dele")),
        _ => Err(api.malformed_error("o vídeo não pôde ser baixado")),
    }
}

/// Encodes the first frame, as a JPEG of exactly this size.
pub(super) async fn encode_first_frame(
    first: Option<FirstFrame>,
    size: (u32, u32),
) -> Result<Option<Bytes>, NotSubmitted> {
    let Some(FirstFrame { bytes }) = first else {
        return Ok(None);
    };
    let drawn = pictures::run_blocking(move || {
        pictures::encode_picture(&pictures::decode_image(&bytes)?.crop_to_size(size))
    });
    let drawn = drawn.await.map_err(NotSubmitted::Refused)?;
    Ok(Some(drawn.bytes))
}

pub(super) fn encode_base64(bytes: &Bytes) -> String {
    STANDARD.encode(bytes)
}
