//! HTTP requests to the API of a provider, and downloads of its results.
//!
//! Redirects are followed only for the result of a video; each target is checked like the first
//! URL. If the provider refuses a request, the caller's idempotency key can be used again. Only a
//! response that was lost after the request was sent leads to `OUTCOME_UNKNOWN`. The error text of
//! a provider is never passed on, only its code.

use std::time::Duration;

use bytes::Bytes;
use futures::StreamExt;
use gateway::{Code, Error, Result};
use ports::ByteStream;
use reqwest::{
    Client, Method, RequestBuilder, Response, Url,
    header::{self, HeaderMap, HeaderValue},
};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::time::timeout;
use tracing::{Instrument, Span};

use super::{foreign, outgoing};
use crate::config::ProviderAccount;

/// Maximum bytes of a response: an image of 25 MB in base64, or the embeddings of a batch.
const MOST_BYTES: usize = 36_000_000;
/// The timeout of each chunk of a result.
const PAUSE: Duration = Duration::from_secs(30);
/// The maximum number of redirects to a result.
const MOST_HOPS: usize = 3;

/// Why a request failed.
pub(super) struct Failure {
    pub kind: FailureKind,
    pub error: Error,
}

/// Whether a failed request may have had an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FailureKind {
    /// The provider did not receive the request.
    Unsent,
    /// The provider responded with this error status.
    Refused(u16),
    /// There was no response, or its body could not be parsed.
    Lost,
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        failure.error
    }
}

/// Returns the error for a response that does not match the provider's API.
pub(super) fn malformed_error(what: &str, fault: &str) -> Error {
    Error::new(Code::PROVIDER_FAILED).because(format!("O provedor de {what} falhou: {fault}."))
}

/// The names of an API's settings, as the operator reads them in error messages.
#[derive(Debug, Clone, Copy)]
pub(super) struct Settings {
    pub base: &'static str,
    pub key: &'static str,
    pub model: &'static str,
}

/// A client for one API of a provider account.
pub(super) struct Api {
    client: Client,
    pub base: Url,
    /// Headers of each request to the base URL; other hosts never receive them.
    headers: HeaderMap,
    /// The product of the API in error messages, such as `imagens`.
    what: &'static str,
    settings: Settings,
}

/// Returns the `Authorization` header with this key.
pub(super) fn bearer_header(key: &str) -> anyhow::Result<HeaderMap> {
    secret_header("authorization", &format!("Bearer {key}"))
}

/// Returns a header map with one secret value, which debug output hides.
pub(super) fn secret_header(name: &'static str, secret: &str) -> anyhow::Result<HeaderMap> {
    let mut value = HeaderValue::from_str(secret)?;
    value.set_sensitive(true);
    Ok(HeaderMap::from_iter([(
        header::HeaderName::from_static(name),
        value,
    )]))
}

impl Api {
    pub fn new(
        account: &ProviderAccount,
        headers: HeaderMap,
        what: &'static str,
        settings: Settings,
    ) -> anyhow::Result<Self> {
        Ok(Self {
            client: foreign::client_builder().build()?,
            base: account.base.clone(),
            headers,
            what,
            settings,
        })
    }

    /// Builds the client for OpenAI or a compatible server.
    pub fn for_openai(
        account: &ProviderAccount,
        what: &'static str,
        model_setting: &'static str,
    ) -> anyhow::Result<Self> {
        let settings = Settings {
            base: "PAUTA_OPENAI_BASE_URL (sem /v1)",
            key: "PAUTA_OPENAI_API_KEY",
            model: model_setting,
        };
        Self::new(account, bearer_header(&account.key)?, what, settings)
    }

    /// Posts a request and returns the response body.
    pub async fn post(&self, path: &str, request: &Value) -> Result<Bytes, Failure> {
        let request = self.build_request(Method::POST, path).json(request);
        self.send(request).instrument(self.request_span(path)).await
    }

    pub async fn get(&self, path: &str) -> Result<Bytes, Failure> {
        let request = self.build_request(Method::GET, path);
        self.send(request).instrument(self.request_span(path)).await
    }

    /// Builds a request to a path of the API.
    pub fn build_request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client
            .request(method, self.endpoint_url(path))
            .headers(self.headers.clone())
    }

    pub fn request_span(&self, path: &str) -> Span {
        let host = self.base.host_str();
        tracing::info_span!("provider_request", host, path)
    }

    /// Sends a request and parses the JSON response. `path` is the name of the request in the log.
    pub async fn request_json<T: DeserializeOwned>(
        &self,
        path: &str,
        request: RequestBuilder,
        within: Duration,
    ) -> Result<T, Failure> {
        let body = self.send_within(path, request, within).await?;
        serde_json::from_slice(&body)
            .map_err(|_| self.malformed_failure("a resposta não é a esperada"))
    }

    /// Sends a request and returns the response body; `within` is the timeout.
    pub async fn send_within(
        &self,
        path: &str,
        request: RequestBuilder,
        within: Duration,
    ) -> Result<Bytes, Failure> {
        let sent = self.send(request).instrument(self.request_span(path));
        let asked = timeout(within, sent).await;
        asked.unwrap_or_else(|_| Err(self.lost_response_failure()))
    }

    /// Returns the body of a successful response, or a failure with the provider's error code.
    async fn send(&self, request: RequestBuilder) -> Result<Bytes, Failure> {
        let answer = outgoing::send(request)
            .await
            .map_err(|error| self.to_failure(&error))?;
        if !answer.status().is_success() {
            return Err(self.read_refusal(answer).await);
        }
        self.read_body(answer).await
    }

    fn endpoint_url(&self, path: &str) -> Url {
        self.base
            .join(path)
            .expect("the base ends in a slash, and the path is plain")
    }

    /// Reads the whole body, up to the maximum size.
    pub async fn read_body(&self, mut answer: Response) -> Result<Bytes, Failure> {
        let mut bytes = vec![];
        while let Some(chunk) = answer
            .chunk()
            .await
            .map_err(|error| self.to_failure(&error))?
        {
            if bytes.len() + chunk.len() > MOST_BYTES {
                return Err(self.malformed_failure("a resposta é grande demais"));
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(bytes.into())
    }

    /// Converts an error of a request. A request that was never sent had no effect. Any other request
    /// without a response may have had an effect.
    fn to_failure(&self, error: &reqwest::Error) -> Failure {
        if error.is_connect() || error.is_builder() {
            let next = format!(
                "Tente de novo mais tarde; se persistir, peça a quem opera o serviço que confira {} \
                 e a rede.",
                self.settings.base.trim_end_matches(" (sem /v1)")
            );
            return Failure {
                kind: FailureKind::Unsent,
                error: Error::new(Code::PROVIDER_FAILED)
                    .because(format!("O provedor de {} não responde.", self.what))
                    .with_detail("next", next.into()),
            };
        }
        self.lost_response_failure()
    }

    /// Returns the failure of a request that was sent and got no response.
    pub fn lost_response_failure(&self) -> Failure {
        Failure {
            kind: FailureKind::Lost,
            error: self.timeout_error(),
        }
    }

    /// Returns the failure for a response that does not match the provider's API.
    pub fn malformed_failure(&self, fault: &str) -> Failure {
        Failure {
            kind: FailureKind::Lost,
            error: self.malformed_error(fault),
        }
    }

    /// Returns the error for a response that did not arrive completely.
    pub fn timeout_error(&self) -> Error {
        let what = self.what;
        Error::new(Code::PROVIDER_TIMEOUT)
            .because(format!("O provedor de {what} não respondeu até o fim."))
    }

    /// Returns the error for a response that does not match the provider's API.
    pub fn malformed_error(&self, fault: &str) -> Error {
        malformed_error(self.what, fault)
    }

    /// Downloads a URL from a response. The URL, and the target of each redirect, must be on the
    /// provider's own origin, or on a public host over https. If `with_key` is set, the credential
    /// is sent to the provider's own origin only.
    pub async fn fetch(&self, url: &str, with_key: bool) -> Result<Response> {
        let invalid = || self.malformed_error("o endereço do resultado é inválido");
        let mut url = Url::parse(url).map_err(|_| invalid())?;
        for _ in 0..=MOST_HOPS {
            let answer = self.fetch_without_redirects(&url, with_key).await?;
            if !answer.status().is_redirection() {
                return Ok(answer);
            }
            let location = answer.headers().get(header::LOCATION);
            let location = location.and_then(|value| value.to_str().ok());
            url = location
                .and_then(|location| url.join(location).ok())
                .ok_or_else(invalid)?;
        }
        Err(self.malformed_error("o endereço do resultado leva sempre a outro"))
    }

    /// Downloads a URL like `fetch`, without following redirects.
    pub async fn fetch_without_redirects(&self, url: &Url, with_key: bool) -> Result<Response> {
        let request = if url.origin() == self.base.origin() {
            let request = self.client.get(url.clone());
            Some(match with_key {
                true => request.headers(self.headers.clone()),
                false => request,
            })
        } else {
            let client = foreign::public_client(url).await;
            client.map(|client| client.get(url.clone()))
        };
        let request =
            request.ok_or_else(|| self.malformed_error("o endereço do resultado não é público"))?;
        let sent = timeout(PAUSE, request.send()).await;
        sent.map_err(|_| self.timeout_error())?
            .map_err(|error| self.to_failure(&error).error)
    }

    /// Streams the body of a response.
    pub fn stream_body(&self, answer: Response) -> ByteStream {
        let what = self.what;
        let parts = futures::stream::unfold(Some(answer), move |answer| async move {
            let mut answer = answer?;
            match timeout(PAUSE, answer.chunk()).await {
                Ok(Ok(None)) => None,
                Ok(Ok(Some(part))) => Some((Ok(part), Some(answer))),
                Ok(Err(_)) | Err(_) => {
                    let broken = malformed_error(what, "o resultado não chegou inteiro");
                    Some((Err(broken), None))
                }
            }
        });
        parts.boxed()
    }

    /// Converts an error response to a failure. The failure contains the provider's error code, but not
    /// the message, because the message may quote the key.
    async fn read_refusal(&self, answer: Response) -> Failure {
        let status = answer.status().as_u16();
        let wait = answer.headers().get(header::RETRY_AFTER);
        let wait = wait.and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
        let body = self
            .read_body(answer)
            .await
            .unwrap_or_else(|_| Bytes::new());
        let answer = serde_json::from_slice::<Value>(&body).unwrap_or_default();
        let code = error_code(&answer).unwrap_or_else(|| status.to_string());
        let mut error = self.provider_error(&code, status);
        if let Some(seconds) = wait {
            error = error.with_retry_after(seconds);
        }
        Failure {
            kind: FailureKind::Refused(status),
            error,
        }
    }

    /// Returns the error for a provider error code.
    pub fn provider_error(&self, code: &str, status: u16) -> Error {
        let (message, remedy) = explain_refusal(code, status);
        let Settings { base, key, model } = self.settings;
        let next = match remedy {
            Remedy::Wait => None,
            Remedy::Say(next) => Some(next.to_owned()),
            Remedy::CheckKey => Some(format!("Peça a quem opera o serviço que confira {key}.")),
            Remedy::CheckModel => Some(format!(
                "Peça a quem opera o serviço que confira {base} e {model}."
            )),
        };
        let error = Error::new(Code::PROVIDER_FAILED)
            .because(message.replace("{}", self.what))
            .with_detail("provider_code", code.into());
        match next {
            Some(next) => error.with_detail("next", next.into()),
            None => error,
        }
    }

    /// Returns the error for a model that the provider does not list.
    pub fn unknown_model_error(&self, model: &str) -> Error {
        Error::new(Code::PROVIDER_FAILED)
            .because(format!(
                "O provedor de {} não oferece o modelo {model}.",
                self.what
            ))
            .with_detail("next", format!("Confira {}.", self.settings.model).into())
    }
}

/// Returns the error code of a response body: `code`, `type` or, from Google, `status`.
fn error_code(body: &Value) -> Option<String> {
    // Google wraps some errors in a list.
    let error = body.get(0).unwrap_or(body).get("error")?;
    let named = ["code", "status", "type"];
    let code = named.iter().find_map(|name| error.get(name)?.as_str());
    code.filter(|code| is_showable_code(code))
        .map(str::to_owned)
}

/// Whether a text is an error code that may be shown. Sentences are not, because they may quote a
/// secret.
pub(super) fn is_showable_code(code: &str) -> bool {
    let letter = |b: u8| b.is_ascii_alphanumeric() || b"_-.".contains(&b);
    (1..=80).contains(&code.len()) && code.bytes().all(letter)
}

/// The next step for the user after a provider error.
enum Remedy {
    Wait,
    Say(&'static str),
    CheckKey,
    CheckModel,
}

/// Returns the message for a provider error, and the next step.
fn explain_refusal(code: &str, status: u16) -> (&'static str, Remedy) {
    match (code, status) {
        ("moderation_blocked" | "content_policy_violation" | "image_generation_user_error", _) => (
            "O provedor de {} recusou o conteúdo do pedido.",
            Remedy::Say("Reescreva o `prompt`; repetir igual não adianta."),
        ),
        ("insufficient_quota" | "billing_hard_limit_reached" | "billing_error", _) | (_, 402) => (
            "A conta no provedor de {} está sem crédito.",
            Remedy::Say("Peça a quem opera o serviço que confira a conta; repetir não adianta."),
        ),
        (_, 429) => (
            "O provedor de {} está limitando os pedidos.",
            Remedy::Say("Espere e tente de novo."),
        ),
        (_, 401) => (
            "O provedor de {} não aceitou a chave do serviço.",
            Remedy::CheckKey,
        ),
        (_, 403) => (
            "O provedor de {} não permite isto à chave do serviço.",
            Remedy::Say(
                "Peça a quem opera o serviço que confira as permissões da chave e da conta.",
            ),
        ),
        ("model_not_found", _) | (_, 300..=399 | 404 | 405) => (
            "O provedor de {} não conhece o modelo ou o endereço.",
            Remedy::CheckModel,
        ),
        (_, 500..) => ("O provedor de {} está com falha.", Remedy::Wait),
        _ => (
            "O provedor de {} recusou o pedido.",
            Remedy::Say("Confira o pedido; repetir igual não deve adiantar."),
        ),
    }
}
