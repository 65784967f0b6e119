//! Requests to the API of a provider: refusals, lost answers and results to fetch.
//!
//! Redirects are only followed to the result of a video, and each one is checked in the same way as
//! an address. A refusal of a provider frees the key; only an answer that was lost after the
//! request was sent leaves it `OUTCOME_UNKNOWN`. The error text of a provider is never passed on,
//! only its code.

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

use super::foreign;
use crate::config::ProviderAccount;

/// Maximum bytes of an answer: an image of 25 MB in base64, or the embeddings of a batch.
const MOST_BYTES: usize = 36_000_000;
/// The longest pause while a result arrives.
const PAUSE: Duration = Duration::from_secs(30);
/// The maximum number of redirects to a result.
const MOST_HOPS: usize = 3;

/// Why a request failed.
pub(super) struct Failure {
    pub kind: FailureKind,
    pub error: Error,
}

/// The possible effect of a failed request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FailureKind {
    /// The provider did not receive the request.
    Unsent,
    /// The provider refused the request with this status.
    Refused(u16),
    /// There was no answer, or it could not be read.
    Lost,
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

/// The names of the settings of an API, for the operator.
#[derive(Debug, Clone, Copy)]
pub(super) struct Settings {
    pub base: &'static str,
    pub key: &'static str,
    pub model: &'static str,
}

/// One API of an account.
pub(super) struct Api {
    client: Client,
    pub base: Url,
    /// Sent with each request to the base URL, and nowhere else.
    headers: HeaderMap,
    /// The product of the API, as error messages name it: `imagens`.
    what: &'static str,
    settings: Settings,
}

/// How an account authenticates, in headers.
pub(super) fn bearer(key: &str) -> anyhow::Result<HeaderMap> {
    header("authorization", &format!("Bearer {key}"))
}

/// One header with a secret.
pub(super) fn header(name: &'static str, secret: &str) -> anyhow::Result<HeaderMap> {
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
            client: foreign::client().build()?,
            base: account.base.clone(),
            headers,
            what,
            settings,
        })
    }

    /// An API of OpenAI, or of a compatible server.
    pub fn openai(
        account: &ProviderAccount,
        what: &'static str,
        model_setting: &'static str,
    ) -> anyhow::Result<Self> {
        let settings = Settings {
            base: "PAUTA_OPENAI_BASE_URL (sem /v1)",
            key: "PAUTA_OPENAI_API_KEY",
            model: model_setting,
        };
        Self::new(account, bearer(&account.key)?, what, settings)
    }

    /// Posts a request and returns the body of the answer.
    pub async fn post(&self, path: &str, request: &Value) -> Result<Bytes, Failure> {
        let request = self.request(Method::POST, path).json(request);
        self.send(request).instrument(self.span(path)).await
    }

    pub async fn get(&self, path: &str) -> Result<Bytes, Failure> {
        let request = self.request(Method::GET, path);
        self.send(request).instrument(self.span(path)).await
    }

    /// A request to a path of the API.
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client
            .request(method, self.endpoint(path))
            .headers(self.headers.clone())
    }

    pub fn span(&self, path: &str) -> Span {
        let host = self.base.host_str();
        tracing::info_span!("provider_request", host, path)
    }

    /// Sends a request with a timeout, and parses its answer. `path` is written to the log.
    pub async fn ask<T: DeserializeOwned>(
        &self,
        path: &str,
        request: RequestBuilder,
        within: Duration,
    ) -> Result<T, Failure> {
        let body = self.send_within(path, request, within).await?;
        serde_json::from_slice(&body).map_err(|_| self.unreadable("a resposta não é a esperada"))
    }

    /// The same, without parsing the answer.
    pub async fn send_within(
        &self,
        path: &str,
        request: RequestBuilder,
        within: Duration,
    ) -> Result<Bytes, Failure> {
        let sent = self.send(request).instrument(self.span(path));
        let asked = timeout(within, sent).await;
        asked.unwrap_or_else(|_| Err(self.lost_answer()))
    }

    /// The body of an answer.
    async fn send(&self, request: RequestBuilder) -> Result<Bytes, Failure> {
        let answer = request.send().await.map_err(|error| self.failed(&error))?;
        if !answer.status().is_success() {
            return Err(self.refusal(answer).await);
        }
        self.body(answer).await
    }

    fn endpoint(&self, path: &str) -> Url {
        self.base
            .join(path)
            .expect("the base ends in a slash, and the path is plain")
    }

    /// The whole body, up to the maximum size.
    pub async fn body(&self, mut answer: Response) -> Result<Bytes, Failure> {
        let mut bytes = vec![];
        while let Some(chunk) = answer.chunk().await.map_err(|error| self.failed(&error))? {
            if bytes.len() + chunk.len() > MOST_BYTES {
                return Err(self.unreadable("a resposta é grande demais"));
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(bytes.into())
    }

    /// A request that was never sent certainly had no effect. Any other request without an answer
    /// may have had one.
    fn failed(&self, error: &reqwest::Error) -> Failure {
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
                    .with("next", next.into()),
            };
        }
        self.lost_answer()
    }

    /// The request was sent, and no answer came.
    pub fn lost_answer(&self) -> Failure {
        Failure {
            kind: FailureKind::Lost,
            error: self.broken_off(),
        }
    }

    /// The answer to the request does not follow the API.
    pub fn unreadable(&self, fault: &str) -> Failure {
        Failure {
            kind: FailureKind::Lost,
            error: self.malformed(fault),
        }
    }

    /// The request was sent, and its outcome is unknown.
    pub fn broken_off(&self) -> Error {
        let what = self.what;
        Error::new(Code::PROVIDER_TIMEOUT)
            .because(format!("O provedor de {what} não respondeu até o fim."))
    }

    /// An answer that does not follow the API.
    pub fn malformed(&self, fault: &str) -> Error {
        malformed(self.what, fault)
    }

    /// Fetches a URL from an answer of the provider: on its own origin, or on a public host over
    /// https. Each redirect must meet the same rule. With `with_key`, the provider's own origin
    /// gets the credential, and no other host does.
    pub async fn fetch(&self, url: &str, with_key: bool) -> Result<Response> {
        let invalid = || self.malformed("o endereço do resultado é inválido");
        let mut url = Url::parse(url).map_err(|_| invalid())?;
        for _ in 0..=MOST_HOPS {
            let answer = self.fetch_once(&url, with_key).await?;
            if !answer.status().is_redirection() {
                return Ok(answer);
            }
            let location = answer.headers().get(header::LOCATION);
            let location = location.and_then(|value| value.to_str().ok());
            url = location
                .and_then(|location| url.join(location).ok())
                .ok_or_else(invalid)?;
        }
        Err(self.malformed("o endereço do resultado leva sempre a outro"))
    }

    /// The same, without following redirects.
    pub async fn fetch_once(&self, url: &Url, with_key: bool) -> Result<Response> {
        let request = if url.origin() == self.base.origin() {
            let request = self.client.get(url.clone());
            Some(match with_key {
                true => request.headers(self.headers.clone()),
                false => request,
            })
        } else {
            let client = foreign::client_for(url).await;
            client.map(|client| client.get(url.clone()))
        };
        let request =
            request.ok_or_else(|| self.malformed("o endereço do resultado não é público"))?;
        let sent = timeout(PAUSE, request.send()).await;
        sent.map_err(|_| self.broken_off())?
            .map_err(|error| self.failed(&error).error)
    }

    /// The body of an answer as it arrives.
    pub fn stream(&self, answer: Response) -> ByteStream {
        let what = self.what;
        let parts = futures::stream::unfold(Some(answer), move |answer| async move {
            let mut answer = answer?;
            match timeout(PAUSE, answer.chunk()).await {
                Ok(Ok(None)) => None,
                Ok(Ok(Some(part))) => Some((Ok(part), Some(answer))),
                Ok(Err(_)) | Err(_) => {
                    let broken = malformed(what, "o resultado não chegou inteiro");
                    Some((Err(broken), None))
                }
            }
        });
        parts.boxed()
    }

    /// The provider's refusal, with its code but without its message, which may quote the key.
    async fn refusal(&self, answer: Response) -> Failure {
        let status = answer.status().as_u16();
        let wait = answer.headers().get(header::RETRY_AFTER);
        let wait = wait.and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
        let body = self.body(answer).await.unwrap_or_else(|_| Bytes::new());
        let told = serde_json::from_slice::<Value>(&body).unwrap_or_default();
        let code = code_of(&told).unwrap_or_else(|| status.to_string());
        let mut error = self.refused(&code, status);
        if let Some(seconds) = wait {
            error = error.retry_after(seconds);
        }
        Failure {
            kind: FailureKind::Refused(status),
            error,
        }
    }

    /// The error for a refusal with this code.
    pub fn refused(&self, code: &str, status: u16) -> Error {
        let (message, remedy) = meaning(code, status);
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
            .with("provider_code", code.into());
        match next {
            Some(next) => error.with("next", next.into()),
            None => error,
        }
    }

    /// The error for a model that the provider does not list.
    pub fn unknown_model(&self, model: &str) -> Error {
        Error::new(Code::PROVIDER_FAILED)
            .because(format!(
                "O provedor de {} não oferece o modelo {model}.",
                self.what
            ))
            .with("next", format!("Confira {}.", self.settings.model).into())
    }
}

/// The code in the body of a refusal: `code`, `type` or, from Google, `status`.
fn code_of(body: &Value) -> Option<String> {
    // Google wraps the errors of some calls in a list.
    let error = body.get(0).unwrap_or(body).get("error")?;
    let named = ["code", "status", "type"];
    let code = named.iter().find_map(|name| error.get(name)?.as_str());
    code.filter(|code| is_plain(code)).map(str::to_owned)
}

/// Whether a text is safe to show as a code. Sentences are not, because they may quote a secret.
pub(super) fn is_plain(code: &str) -> bool {
    let letter = |b: u8| b.is_ascii_alphanumeric() || b"_-.".contains(&b);
    (1..=80).contains(&code.len()) && code.bytes().all(letter)
}

/// The next step after a refusal.
enum Remedy {
    Wait,
    Say(&'static str),
    CheckKey,
    CheckModel,
}

/// The meaning of a refusal, and the next step.
fn meaning(code: &str, status: u16) -> (&'static str, Remedy) {
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
