//! Parses responses of LinkedIn's versioned APIs: data, error codes, and anything else.
//!
//! <https://learn.microsoft.com/linkedin/shared/api-guide/concepts/error-handling>, read on 2026-11-28:
//! an error is `{"status", "code", "message", "errorDetails": {"inputErrors": [{"code", …}]}}`.

use ports::publishing::Trouble;
use reqwest::Response;
use serde::{Deserialize, de::DeserializeOwned};

use super::super::answers::{read_answer, refusal, retry_after, valid_code};

/// The error code for a duplicate of an existing post. If the response contains the id of the existing
/// post, a colon and the id follow the code.
pub(super) const DUPLICATE: &str = "DUPLICATE_POST";

#[derive(Default, Deserialize)]
struct Fault {
    status: Option<u16>,
    code: Option<String>,
    #[serde(default)]
    message: String,
    #[serde(rename = "errorDetails")]
    details: Option<Details>,
}

#[derive(Deserialize)]
struct Details {
    #[serde(default, rename = "inputErrors")]
    inputs: Vec<InputError>,
}

#[derive(Deserialize)]
struct InputError {
    code: Option<String>,
}

/// Parses the data of a response.
pub(super) async fn parse_response<T: DeserializeOwned>(answer: Response) -> Result<T, Trouble> {
    if !answer.status().is_success() {
        return Err(parse_refusal(answer).await);
    }
    let body = read_answer(answer).await.ok_or(Trouble::Lost)?;
    serde_json::from_slice(&body).map_err(|_| Trouble::Lost)
}

/// Reads why a request failed. Only an error object in the response proves that the request had no
/// effect. A 409 does not prove it, because an earlier attempt of the same request may have succeeded.
pub(super) async fn parse_refusal(answer: Response) -> Trouble {
    let status = answer.status().as_u16();
    let wait = retry_after(&answer);
    let body = read_answer(answer).await.unwrap_or_default();
    let fault: Option<Fault> = serde_json::from_slice(&body).ok();
    let fault = fault.filter(|fault| fault.status.is_some() || fault.code.is_some());
    let is_refusal = (400..=499).contains(&status) && !matches!(status, 408 | 409);
    match fault.filter(|_| is_refusal) {
        Some(fault) => refusal(&fault.to_code(status), wait),
        None => Trouble::Lost,
    }
}

impl Fault {
    fn to_code(&self, status: u16) -> String {
        if matches!(status, 401 | 429) {
            return format!("http_{status}");
        }
        let mut inputs = self.details.iter().flat_map(|details| &details.inputs);
        let input = inputs.find_map(|input| valid_code(input.code.as_deref()?));
        let duplicate = post_id_in(&self.message);
        if input == Some(DUPLICATE) || self.message.contains("Content is a duplicate of") {
            return match duplicate {
                Some(id) => format!("{DUPLICATE}:{id}"),
                None => DUPLICATE.to_owned(),
            };
        }
        let code = input.or(self.code.as_deref().and_then(valid_code));
        code.map_or_else(|| format!("http_{status}"), str::to_owned)
    }
}

/// Finds the id of a post in a text.
fn post_id_in(text: &str) -> Option<&str> {
    let start = text.find("urn:li:")?;
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == ':';
    let end = text[start..].find(|c| !is_part(c));
    validate_post_id(&text[start..end.map_or(text.len(), |end| start + end)])
}

/// Returns the id if it has the form of the id of a post, otherwise `None`.
pub(super) fn validate_post_id(id: &str) -> Option<&str> {
    let number = ["urn:li:share:", "urn:li:ugcPost:", "urn:li:activity:"]
        .iter()
        .find_map(|prefix| id.strip_prefix(prefix))?;
    let is_number = (1..=30).contains(&number.len()) && number.bytes().all(|b| b.is_ascii_digit());
    is_number.then_some(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(status: u16, body: &str) -> String {
        let fault: Fault = serde_json::from_str(body).expect("an error");
        fault.to_code(status)
    }

    #[test]
    fn a_duplicate_error_names_the_existing_post() {
        let body = r#"{"errorDetailType":"com.linkedin.common.error.BadRequest","message":"com.linkedin.content.common.exception.BadRequestResponseException: Content is a duplicate of urn:li:share:7141138937766391808","errorDetails":{"inputErrors":[{"description":"Duplicate post is detected","input":{},"code":"DUPLICATE_POST"}]},"status":422}"#;
        assert_eq!(
            code(422, body),
            "DUPLICATE_POST:urn:li:share:7141138937766391808"
        );
        let unnamed = r#"{"status":422,"message":"Duplicate post is detected","errorDetails":{"inputErrors":[{"code":"DUPLICATE_POST"}]}}"#;
        assert_eq!(code(422, unnamed), "DUPLICATE_POST");
    }

    #[test]
    fn the_code_of_an_input_error_replaces_the_code_of_the_answer() {
        let body = r#"{"status":426,"code":"NONEXISTENT_VERSION","message":"…"}"#;
        assert_eq!(code(426, body), "NONEXISTENT_VERSION");
        let body = r#"{"status":400,"code":"VALIDATION","message":"","errorDetails":{"inputErrors":[{"code":"FIELD_LENGTH_TOO_LONG"}]}}"#;
        assert_eq!(code(400, body), "FIELD_LENGTH_TOO_LONG");
        assert_eq!(
            code(401, r#"{"status":401,"code":"EXPIRED_ACCESS_TOKEN"}"#),
            "http_401"
        );
        assert_eq!(code(403, r#"{"status":403,"message":"x"}"#), "http_403");
    }
}
