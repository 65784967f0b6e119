//! The OpenAI API, or a compatible server: requests, refusals and lost answers.
//!
//! <https://platform.openai.com/docs/guides/error-codes>

use bytes::Bytes;
use gateway::{Code, Error, Result};
use reqwest::{Client, RequestBuilder, Response, Url, header};
use serde::Deserialize;
use tracing::{Instrument, Span};

use super::foreign;
use crate::config::OpenAi;

/// Maximum bytes of an answer: an image of 25 MB in base64, or the embeddings of a batch.
const MOST_BYTES: usize = 36_000_000;

const UNREACHABLE: &str = "Tente de novo mais tarde; se persistir, peça a quem opera o serviço que \
                           confira PAUTA_OPENAI_BASE_URL e a rede.";

/// Why there is no answer.
pub(super) struct Failure {
    /// Of the provider's own refusal; `None` when it did not get so far.
    pub status: Option<u16>,
    pub error: Error,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self {
            status: None,
            error,
        }
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        failure.error
    }
}

/// An answer that does not follow the API.
pub(super) fn malformed(what: &str, fault: &str) -> Error {
    Error::new(Code::PROVIDER_FAILED).because(format!("O provedor de {what} falhou: {fault}."))
}

/// One API of an account.
pub(super) struct Api {
    pub client: Client,
    pub account: OpenAi,
    /// What it makes, in the text of its refusals: `imagens`.
    what: &'static str,
    /// The setting of its model.
    model_setting: &'static str,
}

impl Api {
    pub fn new(
        account: OpenAi,
        what: &'static str,
        model_setting: &'static str,
    ) -> anyhow::Result<Self> {
        Ok(Self {
            client: foreign::client().build()?,
            account,
            what,
            model_setting,
        })
    }

    /// The body that answers a request.
    pub async fn post(&self, path: &str, request: &serde_json::Value) -> Result<Bytes, Failure> {
        let request = self.client.post(self.endpoint(path)).json(request);
        self.send(request).instrument(self.span(path)).await
    }

    pub async fn get(&self, path: &str) -> Result<Bytes, Failure> {
        let request = self.client.get(self.endpoint(path));
        self.send(request).instrument(self.span(path)).await
    }

    fn span(&self, path: &str) -> Span {
        let host = self.account.base.host_str();
        tracing::info_span!("provider_request", host, path)
    }

    async fn send(&self, request: RequestBuilder) -> Result<Bytes, Failure> {
        let sent = request.bearer_auth(&self.account.key).send().await;
        let answer = sent.map_err(|error| self.lost(&error))?;
        if !answer.status().is_success() {
            let status = answer.status().as_u16();
            let error = self.refusal(answer).await;
            let status = Some(status);
            return Err(Failure { status, error });
        }
        Ok(self.read(answer).await?)
    }

    fn endpoint(&self, path: &str) -> Url {
        let base = &self.account.base;
        base.join(path)
            .expect("the base ends in a slash, and the path is plain")
    }

    /// The whole body, up to the maximum size.
    pub async fn read(&self, mut answer: Response) -> Result<Bytes> {
        let mut bytes = vec![];
        while let Some(chunk) = answer.chunk().await.map_err(|error| self.lost(&error))? {
            if bytes.len() + chunk.len() > MOST_BYTES {
                return Err(self.malformed("a resposta é grande demais"));
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(bytes.into())
    }

    /// A call without an answer may have had an effect; only one that was never sent certainly had none.
    pub fn lost(&self, error: &reqwest::Error) -> Error {
        if error.is_connect() || error.is_builder() {
            return Error::new(Code::PROVIDER_FAILED)
                .because(format!("O provedor de {} não responde.", self.what))
                .with("next", UNREACHABLE.into());
        }
        self.broken_off()
    }

    /// The call was sent and its outcome is unknown.
    pub fn broken_off(&self) -> Error {
        let what = self.what;
        Error::new(Code::PROVIDER_TIMEOUT)
            .because(format!("O provedor de {what} não respondeu até o fim."))
    }

    /// An answer that does not follow the API.
    pub fn malformed(&self, fault: &str) -> Error {
        malformed(self.what, fault)
    }

    /// The provider's own refusal, with its code but without its message, which may quote the key.
    async fn refusal(&self, answer: Response) -> Error {
        let status = answer.status().as_u16();
        let wait = answer.headers().get(header::RETRY_AFTER);
        let wait = wait.and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
        let body = self.read(answer).await.unwrap_or_default();
        let told = serde_json::from_slice::<Refusal>(&body).ok();
        let plain = |code: &String| {
            let letter = |b: u8| b.is_ascii_alphanumeric() || b"_-.".contains(&b);
            (1..=80).contains(&code.len()) && code.bytes().all(letter)
        };
        let code = told.and_then(|told| told.error.code.or(told.error.r#type));
        let code = code.filter(plain).unwrap_or_else(|| status.to_string());
        let (message, next) = meaning(&code, status);
        let next = match next {
            Some(CHECK_MODEL) => Some(format!("{CHECK_MODEL} {}.", self.model_setting)),
            next => next.map(str::to_owned),
        };
        let mut error = Error::new(Code::PROVIDER_FAILED)
            .because(message.replace("{}", self.what))
            .with("provider_code", code.into());
        if let Some(next) = next {
            error = error.with("next", next.into());
        }
        match wait {
            Some(seconds) => error.retry_after(seconds),
            None => error,
        }
    }
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

/// A sentence that ends in the setting of the model.
const CHECK_MODEL: &str =
    "Peça a quem opera o serviço que confira PAUTA_OPENAI_BASE_URL (sem /v1) e";

/// The meaning of a refusal, and what to do where waiting does not help.
fn meaning(code: &str, status: u16) -> (&'static str, Option<&'static str>) {
    match (code, status) {
        ("moderation_blocked" | "content_policy_violation" | "image_generation_user_error", _) => (
            "O provedor de {} recusou o conteúdo do pedido.",
            Some("Reescreva o `prompt`; repetir igual não adianta."),
        ),
        ("insufficient_quota" | "billing_hard_limit_reached", _) => (
            "A conta no provedor de {} está sem crédito.",
            Some("Peça a quem opera o serviço que confira a conta; repetir não adianta."),
        ),
        (_, 429) => (
            "O provedor de {} está limitando os pedidos.",
            Some("Espere e tente de novo."),
        ),
        (_, 401) => (
            "O provedor de {} não aceitou a chave do serviço.",
            Some("Peça a quem opera o serviço que confira PAUTA_OPENAI_API_KEY."),
        ),
        (_, 403) => (
            "O provedor de {} não permite isto à chave do serviço.",
            Some("Peça a quem opera o serviço que confira as permissões da chave e da conta."),
        ),
        ("model_not_found", _) | (_, 300..=399 | 404 | 405) => (
            "O provedor de {} não conhece o modelo ou o endereço.",
            Some(CHECK_MODEL),
        ),
        (_, 500..) => ("O provedor de {} está com falha.", None),
        _ => (
            "O provedor de {} recusou o pedido.",
            Some("Confira o pedido; repetir igual não deve adiantar."),
        ),
    }
}
