//! The figures of posts.
//!
//! <https://developers.tiktok.com/doc/tiktok-api-v2-video-query> and `…/tiktok-api-v2-video-object`,
//! read on 2026-11-29: one call names up to 20 videos, and its answer omits the videos that do not
//! belong to the account or are not public. The API reports neither the reach nor the number of saves.

use async_trait::async_trait;
use ports::{
    figures::{Figures, PostFigures, Unavailable},
    publishing::{Account, Placement, Trouble},
};
use serde::Deserialize;
use serde_json::json;

use super::TikTok;
use crate::providers::{
    answers::valid_code,
    figures::{require_any_figure, results_of_posts, valid_figure},
};

const PATH: &str = "v2/video/query/?fields=id,view_count,like_count,comment_count,share_count";
/// The maximum number of videos in one call.
const MOST_VIDEOS: usize = 20;

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
        let ids: Vec<&str> = post_ids.iter().filter_map(|id| valid_code(id)).collect();
        let body = json!({ "filters": { "video_ids": ids } });
        let found: Result<Found, Trouble> = match ids.is_empty() {
            true => Ok(Found { videos: vec![] }),
            false => self.post(account.token, PATH, &body).await,
        };
        let videos = found.map(|found| found.videos).map_err(to_unavailable);
        results_of_posts(post_ids, &videos, |video| Some(&video.id), Video::figures)
    }
}

impl Video {
    fn figures(&self) -> Result<Figures, Unavailable> {
        require_any_figure(Figures {
            views: self.view_count.and_then(valid_figure),
            likes: self.like_count.and_then(valid_figure),
            comments: self.comment_count.and_then(valid_figure),
            shares: self.share_count.and_then(valid_figure),
            ..Figures::default()
        })
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
