//! Adds a video to a playlist, and does not add it twice.
//!
//! <https://developers.google.com/youtube/v3/docs/playlistItems/insert> and `…/playlistItems/list`, read on
//! 2026-11-29: YouTube accepts the same video twice in a playlist, so the service first checks whether the
//! playlist contains the video. The video is added while it is private; others see it in the playlist only
//! after its publication.

use ports::publishing::{Account, Trouble};
use reqwest::Method;
use serde_json::{Value, json};

use super::{List, YouTube};
use crate::providers::{answers::refusal, youtube::answer::parse_response};

const PATH: &str = "youtube/v3/playlistItems";

impl YouTube {
    /// Adds a video to a playlist unless the playlist already contains it, so a repeated call has no
    /// effect.
    pub(super) async fn add_to_playlist(
        &self,
        account: Account<'_>,
        playlist: &str,
        id: &str,
    ) -> Result<(), Trouble> {
        match self.insert_once(account, playlist, id).await {
            // A playlist of another account gets the same error code as a playlist that does not exist.
            Err(Trouble::Refused { code, wait }) => {
                let is_full = code == "playlistContainsMaximumNumberOfVideos";
                let is_of_list = code.starts_with("playlist") || code == "http_404";
                let code = if is_of_list && !is_full {
                    "playlistNotFound"
                } else {
                    code.as_str()
                };
                Err(refusal(code, wait))
            }
            done => done,
        }
    }

    async fn insert_once(
        &self,
        account: Account<'_>,
        playlist: &str,
        id: &str,
    ) -> Result<(), Trouble> {
        let query = [("part", "id"), ("playlistId", playlist), ("videoId", id)];
        let request = self.request(account, Method::GET, PATH, &query)?;
        let known: List = parse_response(self.send(PATH, request).await?).await?;
        if !known.items.is_empty() {
            return Ok(());
        }
        let body = json!({
            "snippet": {
                "playlistId": playlist,
                "resourceId": { "kind": "youtube#video", "videoId": id },
            },
        });
        let call = (Method::POST, PATH);
        let added: Result<Value, Trouble> = self
            .send_json(account, call, &[("part", "snippet")], &body)
            .await;
        added.map(drop)
    }
}
