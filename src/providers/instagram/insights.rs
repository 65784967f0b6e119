//! The figures of posts.
//!
//! <https://developers.facebook.com/documentation/instagram-platform/reference/instagram-media/insights>,
//! read on 2026-11-28:
//! - Figures that do not exist or are not available are left out, and are not 0. They may be 48 hours
//!   old. Albums have figures as a whole only.
//! - A story has figures for 24 hours, and none below five viewers: code 10 with "Not enough viewers".
//!   The same code without these words is a missing permission.
//! - `impressions` and `plays` are gone since April 2025.
//!
//! The API has refused `shares` of images, though the page lists it
//! (<https://github.com/exileum/meta-mcp/pull/174>), so a metric that a refusal names is left out and the
//! others are asked for again.

use async_trait::async_trait;
use ports::{
    figures::{Figures, PostFigures, Unavailable},
    publishing::{Account, Placement},
};
use serde::Deserialize;
use serde_json::Value;
use tracing::Instrument;

use super::{Instagram, answer::well_formed};
use crate::providers::{
    answers::{read_answer, retry_after},
    outgoing,
};

const POST: &[&str] = &["reach", "views", "likes", "comments", "shares", "saved"];
const STORY: &[&str] = &["reach", "views", "shares"];
/// Requests for one reading, each with fewer metrics.
const REQUESTS: usize = 3;
/// Larger numbers are not taken for figures.
const MOST: i64 = 1_000_000_000_000;

#[async_trait]
impl PostFigures for Instagram {
    fn scope(&self) -> &'static str {
        "instagram_business_manage_insights"
    }

    async fn fetch_figures(
        &self,
        account: Account<'_>,
        post_id: &str,
        placement: Placement,
    ) -> Result<Figures, Unavailable> {
        let post_id = well_formed(post_id).ok_or(Unavailable::Refused)?;
        let mut metrics = match placement {
            Placement::Story => STORY.to_vec(),
            Placement::Feed | Placement::Reel => POST.to_vec(),
        };
        for _ in 0..REQUESTS {
            match self.ask(account, post_id, &metrics).await? {
                Answered::Figures(figures) if figures.is_empty() => {
                    return Err(Unavailable::NotYet);
                }
                Answered::Figures(figures) => return Ok(figures),
                Answered::Unsupported(message) => {
                    let before = metrics.len();
                    metrics.retain(|metric| !names(&message, metric));
                    if metrics.len() == before || metrics.is_empty() {
                        return Err(Unavailable::Refused);
                    }
                }
            }
        }
        Err(Unavailable::Refused)
    }
}

enum Answered {
    Figures(Figures),
    /// The post has not all of these metrics, says this message.
    Unsupported(String),
}

impl Instagram {
    async fn ask(
        &self,
        account: Account<'_>,
        post_id: &str,
        metrics: &[&str],
    ) -> Result<Answered, Unavailable> {
        let url = self.endpoint_url(&format!("{post_id}/insights"));
        let mut url = url.map_err(|_| Unavailable::Unreached)?;
        url.query_pairs_mut()
            .append_pair("metric", &metrics.join(","));
        let (host, path) = (url.host_str().unwrap_or_default(), url.path());
        let span = tracing::info_span!("provider_request", host, path);
        let request = self.client.get(url.clone()).timeout(self.timeout);
        let request = request.bearer_auth(account.token);
        async {
            let sent = outgoing::send(request).await;
            let answer = sent.map_err(|_| Unavailable::Unreached)?;
            let (status, wait) = (answer.status().as_u16(), retry_after(&answer));
            let bytes = read_answer(answer).await.ok_or(Unavailable::Unreached)?;
            parse(status, &bytes, wait)
        }
        .instrument(span)
        .await
    }
}

#[derive(Deserialize)]
struct Fault {
    #[serde(default)]
    code: i64,
    #[serde(default)]
    error_subcode: i64,
    #[serde(default)]
    message: String,
    #[serde(default)]
    is_transient: bool,
}

fn parse(status: u16, bytes: &[u8], wait: Option<u64>) -> Result<Answered, Unavailable> {
    let value: Option<Value> = serde_json::from_slice(bytes).ok();
    let fault = value.as_ref().and_then(|value| value.get("error"));
    if let Some(fault) = fault.and_then(|fault| Fault::deserialize(fault).ok()) {
        return match status {
            429 => Err(Unavailable::Busy { wait }),
            _ => judge(fault, wait),
        };
    }
    match (status, value) {
        (200..=299, Some(value)) => match value["data"].as_array() {
            Some(data) => Ok(Answered::Figures(read_figures(data))),
            None => Err(Unavailable::Unreached),
        },
        (429, _) => Err(Unavailable::Busy { wait }),
        (401, _) => Err(Unavailable::TokenRefused),
        _ => Err(Unavailable::Unreached),
    }
}

fn judge(fault: Fault, wait: Option<u64>) -> Result<Answered, Unavailable> {
    let message = fault.message.to_lowercase();
    Err(match (fault.code, fault.error_subcode) {
        _ if message.contains("not enough viewers") => Unavailable::TooFewViewers,
        _ if fault.is_transient => Unavailable::Unreached,
        (4 | 17 | 32 | 613 | 80_002, _) => Unavailable::Busy { wait },
        (190 | 102, _) => Unavailable::TokenRefused,
        (10 | 3 | 200..=299, _) => Unavailable::NoPermission,
        (100, 33) => Unavailable::Gone,
        (100, 0) => return Ok(Answered::Unsupported(message)),
        (1 | 2, 0) => Unavailable::Unreached,
        _ => Unavailable::Refused,
    })
}

/// True if the message has the metric as a word.
fn names(message: &str, metric: &str) -> bool {
    let mut words = message.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.any(|word| word == metric)
}

/// The figures of a response: each has a list of values with one, or one total.
fn read_figures(data: &[Value]) -> Figures {
    let read = |name: &str| {
        let found = data.iter().find(|metric| metric["name"] == name)?;
        let value = &found["values"][0]["value"];
        let value = value.as_i64().or(found["total_value"]["value"].as_i64());
        value.filter(|value| (0..=MOST).contains(value))
    };
    Figures {
        reach: read("reach"),
        views: read("views"),
        likes: read("likes"),
        comments: read("comments"),
        shares: read("shares"),
        saves: read("saved"),
        clicks: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unavailable(status: u16, body: &str) -> Option<Unavailable> {
        parse(status, body.as_bytes(), Some(7)).err()
    }

    fn error(code: i64, subcode: i64, message: &str) -> String {
        serde_json::json!({ "error": { "code": code, "error_subcode": subcode, "message": message } })
            .to_string()
    }

    #[test]
    fn a_missing_or_impossible_figure_is_not_zero() {
        let body = r#"{"data":[
            {"name":"reach","period":"lifetime","values":[{"value":0}]},
            {"name":"views","total_value":{"value":12}},
            {"name":"likes","values":[{"value":-3}]},
            {"name":"comments","values":[]},
            {"name":"shares","values":[{"value":"9"}]},
            {"name":"saved","values":[{"value":1e30}]}]}"#;
        let Ok(Answered::Figures(figures)) = parse(200, body.as_bytes(), None) else {
            panic!("figures");
        };
        let expected = Figures {
            reach: Some(0),
            views: Some(12),
            ..Figures::default()
        };
        assert_eq!(figures, expected);
    }

    #[test]
    fn each_refusal_has_its_meaning() {
        let few = error(
            10,
            0,
            "(#10) Not enough viewers for the media to show insights",
        );
        assert_eq!(unavailable(400, &few), Some(Unavailable::TooFewViewers));
        let few = error(
            100,
            0,
            "(#100) Not enough viewers for the media to show insights",
        );
        assert_eq!(unavailable(400, &few), Some(Unavailable::TooFewViewers));
        for (code, subcode, expected) in [
            (10, 0, Unavailable::NoPermission),
            (200, 0, Unavailable::NoPermission),
            (100, 33, Unavailable::Gone),
            (190, 463, Unavailable::TokenRefused),
            (4, 0, Unavailable::Busy { wait: Some(7) }),
            (1, 0, Unavailable::Unreached),
            (100, 2_108_006, Unavailable::Refused),
            (9, 0, Unavailable::Refused),
        ] {
            let body = error(code, subcode, "…");
            assert_eq!(unavailable(400, &body), Some(expected), "{code}/{subcode}");
        }
        for body in ["", "<html>", "[]", "{}", "{\"data\":3}"] {
            assert_eq!(
                unavailable(200, body),
                Some(Unavailable::Unreached),
                "{body}"
            );
        }
        assert_eq!(
            unavailable(429, ""),
            Some(Unavailable::Busy { wait: Some(7) })
        );
        let unsupported = error(100, 0, "(#100) The metric shares is not supported");
        let answered = parse(400, unsupported.as_bytes(), None);
        let Ok(Answered::Unsupported(message)) = answered else {
            panic!("a message");
        };
        assert!(names(&message, "shares") && !names(&message, "share"));
    }
}
