//! The figures of posts.
//!
//! <https://developers.tiktok.com/doc/tiktok-api-v2-video-query> and `…/tiktok-api-v2-video-object`, read
//! on 2026-11-29: one call names up to 20 videos, and its answer leaves out those that do not belong to the
//! account or are not public. There is no reach and no number of saves.

use async_trait::async_trait;
use ports::{
    figures::{Figures, PostFigures, Unavailable},
    publishing::{Account, Placement, Trouble},
};
use serde::Deserialize;
use serde_json::json;

use super::TikTok;
use crate::providers::answers::plain;

const PATH: &str = "v2/video/query/?fields=id,view_count,like_count,comment_count,share_count";
/// The most videos of a call.
const MOST_VIDEOS: usize = 20;
/// Larger numbers are not taken for figures.
const MOST: i64 = 1_000_000_000_000;

#[derive(Deserialize)]
struct Found {
    #[serde(default)]
    videos: Vec<Video>,
}

#[derive(Deserialize)]
struct Video {
    id: String,
    view_count: Option<i64>,
    like_count: Option<i64>,
    comment_count: Option<i64>,
    share_count: Option<i64>,
}

#[async_trait]
impl PostFigures for TikTok {
    fn scopes(&self) -> &'static [&'static str] {
        &["video.list"]
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
        let ids: Vec<&str> = post_ids.iter().filter_map(|id| plain(id)).collect();
        let body = json!({ "filters": { "video_ids": ids } });
        let found: Result<Found, Unavailable> = match ids.is_empty() {
            true => Ok(Found { videos: vec![] }),
            false => self
                .post(account.token, PATH, &body)
                .await
                .map_err(to_unavailable),
        };
        let read = post_ids.iter().map(|id| match &found {
            Err(unavailable) => Err(unavailable.clone()),
            Ok(Found { videos }) => {
                let video = videos.iter().find(|video| video.id == **id);
                video.ok_or(Unavailable::Gone).and_then(Video::figures)
            }
        });
        read.collect()
    }
}

impl Video {
    fn figures(&self) -> Result<Figures, Unavailable> {
        let count = |count: Option<i64>| count.filter(|number| (0..=MOST).contains(number));
        let figures = Figures {
            views: count(self.view_count),
            likes: count(self.like_count),
            comments: count(self.comment_count),
            shares: count(self.share_count),
            ..Figures::default()
        };
        match figures.is_empty() {
            true => Err(Unavailable::NotYet),
            false => Ok(figures),
        }
    }
}

fn to_unavailable(trouble: Trouble) -> Unavailable {
    let Trouble::Refused { code, wait } = trouble else {
        return Unavailable::Unreached;
    };
    match code.as_str() {
        "rate_limit_exceeded" | "http_429" => Unavailable::Busy { wait },
        "access_token_invalid" | "http_401" => Unavailable::TokenRefused,
        "scope_not_authorized" | "scope_permission_missed" => Unavailable::NoPermission,
        _ => Unavailable::Refused,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_absent_or_impossible_count_is_not_zero() {
        let figures = |video: serde_json::Value| {
            let video: Video = serde_json::from_value(video).expect("a video");
            video.figures()
        };
        let expected = Figures {
            views: Some(12),
            likes: Some(0),
            ..Figures::default()
        };
        let partly = json!({ "id": "7", "view_count": 12, "like_count": 0, "share_count": -1 });
        assert_eq!(figures(partly), Ok(expected));
        assert_eq!(figures(json!({ "id": "7" })), Err(Unavailable::NotYet));
    }
}
