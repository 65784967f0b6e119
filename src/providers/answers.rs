//! Functions with which the adapters of networks read responses: the body, headers, and the meaning of a
//! failed request.

use ports::publishing::Trouble;
use reqwest::{RequestBuilder, Response, Url, header};
use tracing::Instrument;

use super::outgoing;

/// Maximum bytes of a response.
const MOST_BYTES: usize = 1_000_000;

/// Sends a request to the API at this base URL. The log names the host and the path.
pub(super) async fn send(
    base: &Url,
    path: &str,
    request: RequestBuilder,
) -> Result<Response, Trouble> {
    let span = tracing::info_span!("provider_request", host = base.host_str(), path);
    let sent = outgoing::send(request).instrument(span).await;
    sent.map_err(|error| to_trouble(&error))
}

/// Sends a request to an upload address. The log does not name its path, which is a secret.
pub(super) async fn send_upload(url: &Url, request: RequestBuilder) -> Result<Response, Trouble> {
    let span = tracing::info_span!("provider_request", host = url.host_str(), path = "upload");
    let sent = outgoing::send_untraced(request).instrument(span).await;
    sent.map_err(|error| to_trouble(&error))
}

pub(super) fn refusal(code: &str, wait: Option<u64>) -> Trouble {
    Trouble::Refused {
        code: code.to_owned(),
        wait,
    }
}

/// Reads the whole body of a response; `None` if it did not arrive or is too long.
pub(super) async fn read_answer(mut answer: Response) -> Option<Vec<u8>> {
    let mut bytes = vec![];
    while let Some(chunk) = answer.chunk().await.ok()? {
        if bytes.len() + chunk.len() > MOST_BYTES {
            return None;
        }
        bytes.extend_from_slice(&chunk);
    }
    Some(bytes)
}

/// Returns a header of a response as text.
pub(super) fn header_text<'a>(answer: &'a Response, name: &str) -> Option<&'a str> {
    answer.headers().get(name)?.to_str().ok()
}

/// Returns the seconds of the header `Retry-After`.
pub(super) fn retry_after(answer: &Response) -> Option<u64> {
    header_text(answer, header::RETRY_AFTER.as_str())?
        .parse()
        .ok()
}

/// Converts an error of a request. After a failed connection, the request was not sent. After any other
/// error, the outcome of the request is unknown.
pub(super) fn to_trouble(error: &reqwest::Error) -> Trouble {
    match error.is_connect() || error.is_builder() {
        true => Trouble::Unreached,
        false => Trouble::Lost,
    }
}

/// Returns the text if it can be stored and shown as a code or id of a network: 1 to 80 letters, digits,
/// `_`, `-` and `.`; otherwise `None`.
pub(super) fn valid_code(text: &str) -> Option<&str> {
    let is_plain = |b: u8| b.is_ascii_alphanumeric() || b"_-.".contains(&b);
    ((1..=80).contains(&text.len()) && text.bytes().all(is_plain)).then_some(text)
}
