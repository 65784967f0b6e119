//! Parses responses of the TikTok API: data, error codes, and anything else.

use ports::shortvideo::Trouble;
use reqwest::Response;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

use crate::providers::answers::{read_answer, refusal, retry_after, valid_code};

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

/// Parses the data of a response. An error code in the body takes precedence over the status 200.
///
/// After a server error or a response in another format, the outcome is unknown.
pub(super) async fn parse_response<T: DeserializeOwned>(answer: Response) -> Result<T, Trouble> {
    let status = answer.status().as_u16();
    let wait = retry_after(&answer);
    let body = read_answer(answer).await;
    let told: Option<Envelope> = body.and_then(|body| serde_json::from_slice(&body).ok());
    let code = told.as_ref().and_then(|told| told.error.as_ref());
    let code = code.and_then(|fault| valid_code(&fault.code));
    match (status, code) {
        (500.. | 408, _) | (_, Some("internal_error")) => Err(Trouble::Lost),
        (429, _) => Err(refusal("rate_limit_exceeded", wait)),
        (200..=299, Some("ok")) => {
            let data = told.map(|told| told.data).unwrap_or_default();
            serde_json::from_value(data).map_err(|_| Trouble::Lost)
        }
        (200..=299, None) => Err(Trouble::Lost),
        (_, Some(code)) if code != "ok" => Err(refusal(code, wait)),
        _ => Err(refusal(&format!("http_{status}"), wait)),
    }
}
