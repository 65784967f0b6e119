//! Parses responses of the TikTok API: data, error codes, and anything else.

use ports::shortvideo::Trouble;
use reqwest::{Response, header};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

/// Maximum bytes of a response.
const MOST_BYTES: usize = 1_000_000;

#[derive(Deserialize)]
struct Envelope {
    #[serde(default)]
    data: Value,
    error: Option<Fault>,
}

#[derive(Deserialize)]
struct Fault {
    code: String,
}

/// The data of a response. An error code in the envelope decides even with status 200.
///
/// After a server error or a response in another format, the outcome is unknown.
pub(super) async fn parse_response<T: DeserializeOwned>(answer: Response) -> Result<T, Trouble> {
    let status = answer.status().as_u16();
    let wait = retry_after(&answer);
    let body = read_body(answer).await;
    let told: Option<Envelope> = body.and_then(|body| serde_json::from_slice(&body).ok());
    let code = told.as_ref().and_then(|told| told.error.as_ref());
    let code = code.and_then(|fault| filter_well_formed(Some(&fault.code)));
    match (status, code) {
        (500.. | 408, _) | (_, Some("internal_error")) => Err(Trouble::Lost),
        (429, _) => Err(to_refusal("rate_limit_exceeded", wait)),
        (200..=299, Some("ok")) => {
            let data = told.map(|told| told.data).unwrap_or_default();
            serde_json::from_value(data).map_err(|_| Trouble::Lost)
        }
        (200..=299, None) => Err(Trouble::Lost),
        (_, Some(code)) if code != "ok" => Err(to_refusal(code, wait)),
        _ => Err(to_refusal(&format!("http_{status}"), wait)),
    }
}

async fn read_body(mut answer: Response) -> Option<Vec<u8>> {
    let mut bytes = vec![];
    while let Some(chunk) = answer.chunk().await.ok()? {
        if bytes.len() + chunk.len() > MOST_BYTES {
            return None;
        }
        bytes.extend_from_slice(&chunk);
    }
    Some(bytes)
}

/// The seconds of the header `Retry-After`.
pub(super) fn retry_after(answer: &Response) -> Option<u64> {
    let value = answer.headers().get(header::RETRY_AFTER)?;
    value.to_str().ok()?.parse().ok()
}

/// After a failed connection, the request was not sent. After any other error, its outcome is
/// unknown.
pub(super) fn to_trouble(error: &reqwest::Error) -> Trouble {
    match error.is_connect() || error.is_builder() {
        true => Trouble::Unreached,
        false => Trouble::Lost,
    }
}

pub(super) fn to_refusal(code: &str, wait: Option<u64>) -> Trouble {
    Trouble::Refused {
        code: code.to_owned(),
        wait,
    }
}

/// Returns a well-formed code or id; `None` for any other text, because the value is shown and
/// stored.
pub(super) fn filter_well_formed(text: Option<&str>) -> Option<&str> {
    text.filter(|text| {
        let plain = |b: u8| b.is_ascii_alphanumeric() || b"_-.".contains(&b);
        (1..=80).contains(&text.len()) && text.bytes().all(plain)
    })
}
