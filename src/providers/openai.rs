//! What the OpenAI API says when it says no, or nothing.
//!
//! <https://platform.openai.com/docs/guides/error-codes>

use bytes::Bytes;
use reqwest::{Response, header};
use serde::Deserialize;
use tools::registry::{Code, Error, Result};

/// Bytes of an answer: an image of 25 MB in base64, and its envelope.
const MOST_BYTES: usize = 36_000_000;

const UNREACHABLE: &str = "Tente de novo mais tarde; se persistir, peça a quem opera o serviço que \
                           confira PAUTA_OPENAI_BASE_URL e a rede.";

/// The whole body, within bounds.
pub(super) async fn read(mut answer: Response) -> Result<Bytes> {
    let mut bytes = vec![];
    while let Some(chunk) = answer.chunk().await.map_err(|error| lost(&error))? {
        if bytes.len() + chunk.len() > MOST_BYTES {
            return Err(nonsense("a resposta é grande demais"));
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes.into())
}

/// A call without an answer may have had its effect: only one that was never sent certainly had
/// none.
pub(super) fn lost(error: &reqwest::Error) -> Error {
    if error.is_connect() || error.is_builder() {
        return Error::new(Code::ProviderFailed)
            .because("O provedor de imagens não responde.")
            .with("next", UNREACHABLE.into());
    }
    broken_off()
}

/// The call was sent, and what became of it is not known.
pub(super) fn broken_off() -> Error {
    Error::new(Code::ProviderTimeout).because("O provedor de imagens não respondeu até o fim.")
}

/// An answer that is not what the API promises.
pub(super) fn nonsense(what: &str) -> Error {
    Error::new(Code::ProviderFailed).because(format!("O provedor de imagens falhou: {what}."))
}

#[derive(Deserialize)]
struct Refusal {
    error: Detail,
}

#[derive(Deserialize)]
struct Detail {
    code: Option<String>,
    r#type: Option<String>,
}

/// The provider's own refusal, with its code. Its message is left out: it may quote the key.
pub(super) async fn refusal(answer: Response) -> Error {
    let status = answer.status().as_u16();
    let wait = answer.headers().get(header::RETRY_AFTER);
    let wait = wait.and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    let body = read(answer).await.unwrap_or_default();
    let told = serde_json::from_slice::<Refusal>(&body).ok();
    let plain = |code: &String| {
        let letter = |b: u8| b.is_ascii_alphanumeric() || b"_-.".contains(&b);
        (1..=80).contains(&code.len()) && code.bytes().all(letter)
    };
    let code = told.and_then(|told| told.error.code.or(told.error.r#type));
    let code = code.filter(plain).unwrap_or_else(|| status.to_string());
    let (message, next) = meaning(&code, status);
    let mut error = Error::new(Code::ProviderFailed)
        .because(message)
        .with("provider_code", code.into());
    if let Some(next) = next {
        error = error.with("next", next.into());
    }
    match wait {
        Some(seconds) => error.retry_after(seconds),
        None => error,
    }
}

/// What a refusal means, and what to do about it where waiting does not help.
fn meaning(code: &str, status: u16) -> (&'static str, Option<&'static str>) {
    match (code, status) {
        ("moderation_blocked" | "content_policy_violation" | "image_generation_user_error", _) => (
            "O provedor de imagens recusou o conteúdo do pedido.",
            Some("Reescreva o `prompt`; repetir igual não adianta."),
        ),
        ("insufficient_quota" | "billing_hard_limit_reached", _) => (
            "A conta no provedor de imagens está sem crédito.",
            Some("Peça a quem opera o serviço que confira a conta; repetir não adianta."),
        ),
        (_, 429) => (
            "O provedor de imagens está limitando os pedidos.",
            Some("Espere e tente de novo."),
        ),
        (_, 401) => (
            "O provedor de imagens não aceitou a chave do serviço.",
            Some("Peça a quem opera o serviço que confira PAUTA_OPENAI_API_KEY."),
        ),
        (_, 403) => (
            "O provedor de imagens não permite isto à chave do serviço.",
            Some("Peça a quem opera o serviço que confira as permissões da chave e da conta."),
        ),
        ("model_not_found", _) | (_, 300..=399 | 404 | 405) => (
            "O provedor de imagens não conhece o modelo ou o endereço.",
            Some(
                "Peça a quem opera o serviço que confira PAUTA_OPENAI_BASE_URL (sem /v1) e \
                 PAUTA_OPENAI_IMAGE_MODEL.",
            ),
        ),
        (_, 500..) => ("O provedor de imagens está com falha.", None),
        _ => (
            "O provedor de imagens recusou o pedido.",
            Some("Confira o pedido; repetir igual não deve adiantar."),
        ),
    }
}
