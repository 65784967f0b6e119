//! Parses responses of the Graph API: data, error codes, and anything else.
//!
//! <https://developers.facebook.com/documentation/instagram-platform/instagram-graph-api/reference/error-codes>
//! and <https://developers.facebook.com/docs/graph-api/guides/error-handling>, read on 2026-11-28.
//!
//! An error of `media_publish` does not prove that nothing was posted: code 4 with subcode 2207051 was
//! reported for posts that were online (<https://github.com/gitroomhq/postiz-app/pull/1681>, read on
//! 2026-11-28). So for this request, only the codes in [`PROOFS`] count as refusals.

use ports::publishing::Trouble;
use reqwest::Response;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

use crate::providers::answers::{read_answer, retry_after};

/// The effect of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// The request only reads.
    None,
    /// The request creates an object that nobody else sees, and may be repeated.
    Unseen,
    /// The request has an effect that others see, so an error counts as a refusal only if the error
    /// proves that the request had no effect.
    Public,
}

/// The codes, and pairs of code and subcode, after which nothing was posted: the token or a
/// permission was refused, the parameters are wrong, the quota is used up, or the container cannot
/// be published.
const PROOFS: &[(i64, i64)] = &[
    (190, 0),
    (102, 0),
    (10, 0),
    (200, 0),
    (3, 0),
    (9, 2_207_042),
    (9_007, 2_207_027),
    (24, 2_207_006),
    (25, 2_207_050),
    (-2, 2_207_020),
];

/// The pause before the next attempt to publish a container that was not ready, in seconds. The
/// documentation advises one or two attempts within 30 seconds to 2 minutes.
const NOT_READY: u64 = 30;

#[derive(Deserialize)]
struct Envelope {
    error: Option<Fault>,
}

#[derive(Deserialize)]
struct Fault {
    #[serde(default)]
    code: i64,
    #[serde(default)]
    error_subcode: i64,
    #[serde(default)]
    is_transient: bool,
}

impl Fault {
    /// Returns the code, with the subcode if there is one.
    fn to_code(&self) -> String {
        match self.error_subcode {
            0 => self.code.to_string(),
            subcode => format!("{}_{subcode}", self.code),
        }
    }

    fn is_proof(&self) -> bool {
        let permission = (200..=299).contains(&self.code) && self.error_subcode == 0;
        let listed = PROOFS.iter().any(|(code, subcode)| {
            *code == self.code && (*subcode == 0 || *subcode == self.error_subcode)
        });
        (listed || permission) && !self.is_transient
    }

    /// True if the same request may succeed later.
    fn is_temporary(&self) -> bool {
        let download = [2_207_001, 2_207_003, 2_207_008, 2_207_032];
        self.is_transient
            || matches!(self.code, 1 | 2) && self.error_subcode == 0
            || download.contains(&self.error_subcode)
    }
}

/// Parses the data of a response.
pub(super) async fn parse_response<T: DeserializeOwned>(
    answer: Response,
    effect: Effect,
) -> Result<T, Trouble> {
    let status = answer.status().as_u16();
    let wait = retry_after(&answer);
    let body = read_answer(answer).await;
    let value: Option<Value> = body.and_then(|body| serde_json::from_slice(&body).ok());
    let fault = value
        .as_ref()
        .and_then(|value| Envelope::deserialize(value).ok()?.error);
    let refused = |code: String, wait| Err(Trouble::Refused { code, wait });
    match (status, fault) {
        (200..=299, None) => {
            let data = value.ok_or(Trouble::Lost)?;
            serde_json::from_value(data).map_err(|_| Trouble::Lost)
        }
        (_, Some(fault)) if effect == Effect::Public => match fault.is_proof() {
            true if fault.code == 9_007 => refused(fault.to_code(), wait.or(Some(NOT_READY))),
            true => refused(fault.to_code(), wait),
            false => Err(Trouble::Lost),
        },
        (500.. | 408, _) => Err(Trouble::Lost),
        (_, Some(fault)) if fault.is_temporary() => Err(Trouble::Lost),
        (_, Some(fault)) => refused(fault.to_code(), wait),
        // A refusal without an error object comes from a proxy, so the post may have been made.
        (_, None) if effect == Effect::Public => Err(Trouble::Lost),
        (_, None) => refused(format!("http_{status}"), wait),
    }
}

/// Returns the id if it has the form of an id of the Graph API, otherwise `None`.
pub(super) fn validate_id(id: &str) -> Option<&str> {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"_-".contains(&b);
    ((1..=80).contains(&id.len()) && id.bytes().all(plain)).then_some(id)
}

/// Returns the subcode in the `status` of a container, such as `Error: Media upload has failed with
/// error code 2207026`.
pub(super) fn code_in_text(text: &str) -> String {
    let mut numbers = text.split(|c: char| !c.is_ascii_digit());
    let code = numbers.find(|number| number.len() == 7 && number.starts_with("2207"));
    code.unwrap_or("unknown").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(code: i64, error_subcode: i64, is_transient: bool) -> Fault {
        Fault {
            code,
            error_subcode,
            is_transient,
        }
    }

    #[test]
    fn only_errors_before_the_post_prove_that_nothing_was_posted() {
        for (code, subcode) in [
            (190, 463),
            (10, 0),
            (200, 0),
            (9, 2_207_042),
            (9_007, 2_207_027),
        ] {
            assert!(fault(code, subcode, false).is_proof(), "{code}/{subcode}");
        }
        for (code, subcode) in [
            (4, 2_207_051),
            (4, 0),
            (1, 0),
            (2, 0),
            (-1, 2_207_001),
            (24, 2_207_008),
        ] {
            assert!(!fault(code, subcode, false).is_proof(), "{code}/{subcode}");
        }
        assert!(!fault(190, 0, true).is_proof());
    }

    #[test]
    fn the_subcode_of_a_failed_container_is_read_from_its_text() {
        let text = "Error: Media upload has failed with error code 2207026";
        assert_eq!(code_in_text(text), "2207026");
        assert_eq!(code_in_text("Error"), "unknown");
    }
}
