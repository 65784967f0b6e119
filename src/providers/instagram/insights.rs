//! The figures of posts.
//!
//! <https://developers.facebook.com/documentation/instagram-platform/reference/instagram-media/insights>,
//! read on 2026-11-28:
//! - Figures that do not exist or are not available are missing in the response; they are not 0. Figures
//!   may be 48 hours old. An album has figures as a whole only.
//! - A story has figures for 24 hours, and no figures with fewer than five viewers: code 10 with "Not
//!   enough viewers". Code 10 without these words is a missing permission.
//! - `impressions` and `plays` no longer exist since April 2025.
//!
//! - The metrics of a post depend on its `media_product_type`: `reach`, `views` and `shares` exist for
//!   FEED, REELS and STORY; `likes`, `comments` and `saved` for FEED and REELS.
//!
//! The API has refused `shares` of images, although the page lists this metric
//! (<https://github.com/exileum/meta-mcp/pull/174>). A refusal names the unsupported metric, or lists
//! the valid ones. If a refusal names several metrics, each of them is requested alone, so that the
//! supported ones are not lost.

use async_trait::async_trait;
use ports::{
    figures::{Figures, PostFigures, Unavailable},
    publishing::{Account, Placement},
};
use serde::Deserialize;
use serde_json::Value;
use tracing::Instrument;

use super::{Instagram, answer::validate_id};
use crate::providers::{
    answers::{read_answer, retry_after},
    figures::valid_figure,
    outgoing,
};

const POST: &[&str] = &["reach", "views", "likes", "comments", "shares", "saved"];
const STORY: &[&str] = &["reach", "views", "shares"];
/// The words that precede the list of valid metrics in a refusal.
const VALID: &str = "must be one of the following values";
/// The maximum number of requests with several metrics for one reading.
const REQUESTS: usize = 3;

#[async_trait]
impl PostFigures for Instagram {
    fn scopes(&self) -> &'static [&'static str] {
        &["instagram_business_manage_insights"]
    }

    async fn fetch_figures(
        &self,
        account: Account<'_>,
        post_ids: &[&str],
        placement: Placement,
    ) -> Vec<Result<Figures, Unavailable>> {
        let mut read = vec![];
        for post_id in post_ids {
            read.push(self.fetch_post_figures(account, post_id, placement).await);
        }
        read
    }
}

enum Answered {
    Figures(Figures),
    /// The post does not support all of the requested metrics; contains the message of the refusal.
    Unsupported(String),
}

impl Instagram {
    /// Fetches the figures that one post supports.
    async fn fetch_post_figures(
        &self,
        account: Account<'_>,
        post_id: &str,
        placement: Placement,
    ) -> Result<Figures, Unavailable> {
        let post_id = validate_id(post_id).ok_or(Unavailable::Refused)?;
        let mut metrics = match placement {
            Placement::Story => STORY.to_vec(),
            Placement::Feed | Placement::Reel | Placement::Document => POST.to_vec(),
        };
        let (mut alone, mut read) = (vec![], None);
        for _ in 0..REQUESTS {
            if metrics.is_empty() {
                break;
            }
            match self.request_metrics(account, post_id, &metrics).await? {
                Answered::Figures(figures) => {
                    read = Some(figures);
                    metrics.clear();
                }
                Answered::Unsupported(message) => {
                    let sorted = sort_metrics(&message, &metrics).ok_or(Unavailable::Refused)?;
                    metrics = sorted.kept;
                    alone.extend(sorted.unclear);
                }
            }
        }
        alone.extend(metrics);
        for metric in alone {
            if let Answered::Figures(figures) =
                self.request_metrics(account, post_id, &[metric]).await?
            {
                read = Some(read.unwrap_or_default().or(figures));
            }
        }
        match read {
            None => Err(Unavailable::Refused),
            Some(figures) if figures.is_empty() => Err(Unavailable::NotYet),
            Some(figures) => Ok(figures),
        }
    }

    async fn request_metrics(
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
            _ => interpret_fault(fault, wait),
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

fn interpret_fault(fault: Fault, wait: Option<u64>) -> Result<Answered, Unavailable> {
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

/// The metrics of a refused request, without those that the post does not support.
#[derive(Debug, PartialEq, Eq)]
struct SortedOut<'m> {
    /// The metrics that the post may support.
    kept: Vec<&'m str>,
    /// The metrics that the refusal names together. The post may support some of them.
    unclear: Vec<&'m str>,
}

/// Sorts the metrics of a refused request. `message` is the text of the refusal in lower case; returns
/// `None` if the text names no metric of the request.
fn sort_metrics<'m>(message: &str, metrics: &[&'m str]) -> Option<SortedOut<'m>> {
    let (told, valid) = match message.split_once(VALID) {
        Some((told, valid)) => (told, Some(valid)),
        None => (message, None),
    };
    let split = |by: &str| -> (Vec<&'m str>, Vec<&'m str>) {
        metrics.iter().partition(|metric| has_word(by, metric))
    };
    let (kept, unclear) = match valid.map(split) {
        Some((kept, refused)) if !refused.is_empty() => (kept, vec![]),
        Some((kept, _)) => (vec![], kept),
        None => match split(told) {
            (named, _) if named.is_empty() => return None,
            (named, others) if named.len() == 1 => (others, vec![]),
            (named, others) => (others, named),
        },
    };
    Some(SortedOut { kept, unclear })
}

/// True if the message contains the metric as a whole word.
fn has_word(message: &str, metric: &str) -> bool {
    let mut words = message.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.any(|word| word == metric)
}

/// Reads the figures of a response. Each metric has a list with one value, or one total value.
fn read_figures(data: &[Value]) -> Figures {
    let read = |name: &str| {
        let found = data.iter().find(|metric| metric["name"] == name)?;
        let value = &found["values"][0]["value"];
        let value = value.as_i64().or(found["total_value"]["value"].as_i64());
        value.and_then(valid_figure)
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
    fn each_refusal_is_interpreted() {
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
        assert!(has_word(&message, "shares") && !has_word(&message, "share"));
    }

    #[test]
    fn a_refusal_removes_only_the_unsupported_metrics() {
        let metrics = ["reach", "views", "shares"];
        let sorted = |message: &str| {
            sort_metrics(message, &metrics).map(|sorted| (sorted.kept, sorted.unclear))
        };
        for (message, expected) in [
            (
                "the media insights api does not support the shares metric for this media product type.",
                Some((vec!["reach", "views"], vec![])),
            ),
            (
                "metric[2] must be one of the following values: reach, replies, views",
                Some((vec!["reach", "views"], vec![])),
            ),
            (
                "metric[2] must be one of the following values: reach, shares, views",
                Some((vec![], vec!["reach", "views", "shares"])),
            ),
            (
                "shares is not available here; use reach instead",
                Some((vec!["views"], vec!["reach", "shares"])),
            ),
            ("invalid parameter", None),
        ] {
            assert_eq!(sorted(message), expected, "{message}");
        }
    }
}
