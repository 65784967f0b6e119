//! The figures of videos.
//!
//! <https://developers.google.com/youtube/v3/docs/videos#statistics> and `…/videos/list`, read on
//! 2026-11-28:
//! - one call names up to 50 videos and costs one unit of the quota; its answer omits videos that do not
//!   exist or that the account may not see;
//! - the counts are texts. `likeCount` is missing if ratings are hidden, `commentCount` if comments are
//!   disabled. A missing count is not 0.

use async_trait::async_trait;
use ports::{
    figures::{Figures, PostFigures, Unavailable},
    publishing::{Account, Placement, Trouble},
};
use reqwest::Method;
use serde::Deserialize;

use super::{YouTube, answer::parse_response};
use crate::providers::{
    answers::valid_code,
    figures::{require_any_figure, results_of_posts, valid_figure},
};

/// The maximum number of videos in one call.
const MOST_VIDEOS: usize = 50;

#[derive(Deserialize)]
struct List {
    #[serde(default)]
    items: Vec<Video>,
}

#[derive(Deserialize)]
struct Video {
    id: Option<String>,
    statistics: Option<Statistics>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[derive(Default)]
struct Statistics {
    view_count: Option<serde_json::Value>,
    like_count: Option<serde_json::Value>,
    comment_count: Option<serde_json::Value>,
}

#[async_trait]
impl PostFigures for YouTube {
    fn scopes(&self) -> &'static [&'static str] {
        &[
            "https://www.googleapis.com/auth/youtube.force-ssl",
            "https://www.googleapis.com/auth/youtube.readonly",
        ]
    }

    fn most_at_once(&self) -> usize {
        MOST_VIDEOS
    }

    async fn fetch_figures(
        &self,
        account: Account<'_>,
        post_ids: &[&str],
        _placement: Placement,
    ) -> Vec<Result<Figures, Unavailable>> {
        let ids: Vec<&str> = post_ids.iter().filter_map(|id| valid_code(id)).collect();
        let videos = match ids.is_empty() {
            true => Ok(vec![]),
            false => self.fetch_statistics(account, &ids).await,
        };
        results_of_posts(
            post_ids,
            &videos,
            |video| video.id.as_deref(),
            Video::figures,
        )
    }
}

impl YouTube {
    async fn fetch_statistics(
        &self,
        account: Account<'_>,
        ids: &[&str],
    ) -> Result<Vec<Video>, Unavailable> {
        let path = "youtube/v3/videos";
        let ids = ids.join(",");
        let query = [("part", "statistics"), ("id", ids.as_str())];
        let fetched: Result<List, Trouble> = async {
            let request = self.request(account, Method::GET, path, &query)?;
            parse_response(self.send(path, request).await?).await
        }
        .await;
        fetched.map(|list| list.items).map_err(to_unavailable)
    }
}

impl Video {
    fn figures(&self) -> Result<Figures, Unavailable> {
        let statistics = self.statistics.as_ref().ok_or(Unavailable::NotYet)?;
        require_any_figure(Figures {
            views: read_count(statistics.view_count.as_ref()),
            likes: read_count(statistics.like_count.as_ref()),
            comments: read_count(statistics.comment_count.as_ref()),
            ..Figures::default()
        })
    }
}

/// Reads a count, which is a number or the number as text.
fn read_count(count: Option<&serde_json::Value>) -> Option<i64> {
    let count = count?;
    let number = count
        .as_i64()
        .or_else(|| count.as_str().and_then(|text| text.parse().ok()));
    number.and_then(valid_figure)
}

/// Converts a failed request to the reason why the figures are unavailable:
/// <https://developers.google.com/youtube/v3/docs/errors>.
fn to_unavailable(trouble: Trouble) -> Unavailable {
    let Trouble::Refused { code, wait } = trouble else {
        return Unavailable::Unreached;
    };
    match code.as_str() {
        "quotaExceeded"
        | "dailyLimitExceeded"
        | "rateLimitExceeded"
        | "userRateLimitExceeded"
        | "http_429" => Unavailable::Busy { wait },
        "authError" | "authorizationRequired" | "expired" | "http_401" => Unavailable::TokenRefused,
        "insufficientPermissions" | "forbidden" | "accountDelegationForbidden" => {
            Unavailable::NoPermission
        }
        "videoNotFound" | "notFound" => Unavailable::Gone,
        _ => Unavailable::Refused,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn figures(statistics: serde_json::Value) -> Result<Figures, Unavailable> {
        let video = json!({ "id": "a", "statistics": statistics });
        let video: Video = serde_json::from_value(video).expect("a video");
        video.figures()
    }

    #[test]
    fn an_absent_or_impossible_count_is_not_zero() {
        let hidden =
            figures(json!({ "viewCount": "12", "favoriteCount": "0", "commentCount": "0" }));
        let expected = Figures {
            views: Some(12),
            comments: Some(0),
            ..Figures::default()
        };
        assert_eq!(hidden, Ok(expected));
        for nonsense in [
            json!({ "viewCount": "muitas" }),
            json!({ "viewCount": "-1" }),
            json!({ "viewCount": "99999999999999999999" }),
            json!({ "viewCount": null }),
            json!({}),
        ] {
            assert_eq!(
                figures(nonsense.clone()),
                Err(Unavailable::NotYet),
                "{nonsense}"
            );
        }
    }
}
