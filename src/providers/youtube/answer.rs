//! Parses responses of the YouTube Data API: data, the reason of an error, and anything else.
//!
//! <https://developers.google.com/youtube/v3/docs/errors>, read on 2026-11-28: an error is `{"error":
//! {"code", "message", "errors": [{"domain", "reason", …}]}}`. A request had no effect if its response
//! has such an error and a status from 400 to 499.

use ports::publishing::Trouble;
use reqwest::Response;
use serde::{Deserialize, de::DeserializeOwned};

use crate::providers::answers::{read_answer, refusal, retry_after, valid_code};

/// The pause after a channel has reached its limit of uploads, in seconds. The limit applies to any 24
/// hours, so the service does not know when the next upload is possible. In contrast, the quota of the
/// application is reset at midnight Pacific time.
const CHANNEL_PAUSE: u64 = 900;

/// The progress of an upload.
pub(super) enum Progress {
    /// This many bytes have arrived.
    Received(u64),
    /// The upload is complete, and has made the video with this id.
    Done(String),
    /// The session has expired or cannot be continued.
    Gone,
}

#[derive(Deserialize)]
struct Envelope {
    error: Fault,
}

#[derive(Deserialize)]
struct Fault {
    #[serde(default)]
    errors: Vec<Detail>,
}

#[derive(Deserialize)]
struct Detail {
    reason: String,
}

/// Parses the data of a response.
pub(super) async fn parse_response<T: DeserializeOwned>(answer: Response) -> Result<T, Trouble> {
    let status = answer.status().as_u16();
    if !(200..=299).contains(&status) {
        return Err(parse_refusal(answer).await);
    }
    let body = read_answer(answer).await.ok_or(Trouble::Lost)?;
    serde_json::from_slice(&body).map_err(|_| Trouble::Lost)
}

/// Reads the reason of an unsuccessful response.
pub(super) async fn parse_refusal(answer: Response) -> Trouble {
    let status = answer.status().as_u16();
    let wait = retry_after(&answer);
    let body = read_answer(answer).await.unwrap_or_default();
    let envelope: Option<Envelope> = serde_json::from_slice(&body).ok();
    let is_refusal = (400..=499).contains(&status) && status != 408;
    let Some(envelope) = envelope.filter(|_| is_refusal) else {
        // A status without an error object comes from a proxy, so the request may have had an effect.
        return match status {
            401 => refusal("http_401", wait),
            _ => Trouble::Lost,
        };
    };
    let reason = envelope.error.errors.into_iter().next();
    let reason = reason.and_then(|detail| valid_code(&detail.reason).map(str::to_owned));
    let code = reason.unwrap_or_else(|| format!("http_{status}"));
    let is_of_channel = code == "uploadLimitExceeded";
    refusal(&code, wait.or(is_of_channel.then_some(CHANNEL_PAUSE)))
}

/// Returns the number of bytes that a resumable session has received, from the header `Range:
/// bytes=0-n`. Without the header, the number is 0.
pub(super) fn received_bytes(range: Option<&str>) -> u64 {
    let last = range.and_then(|range| range.rsplit('-').next()?.trim().parse::<u64>().ok());
    last.map_or(0, |last| last + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_range_of_a_session_says_how_many_bytes_arrived() {
        assert_eq!(received_bytes(None), 0);
        assert_eq!(received_bytes(Some("bytes=0-0")), 1);
        assert_eq!(received_bytes(Some("bytes=0-999999")), 1_000_000);
        assert_eq!(received_bytes(Some("0-262143")), 262_144);
        assert_eq!(received_bytes(Some("nonsense")), 0);
    }
}
