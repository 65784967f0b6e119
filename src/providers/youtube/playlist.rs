//! Adds a video to a playlist, once.
//!
//! <https://developers.google.com/youtube/v3/docs/playlistItems/insert> and `…/playlistItems/list`, read on
//! 2026-11-29: a list takes a video twice, so the service looks first whether it is there. It is added while the
//! video is private; others do not see it in the list before it is published.

use ports::publishing::{Account, Trouble};
use reqwest::Method;
use serde_json::{Value, json};

use super::{List, YouTube};
use crate::providers::{answers::refusal, youtube::answer::parse_response};

const PATH: &str = "youtube/v3/playlistItems";

impl YouTube {
    /// Adds a video to a playlist, unless it is there. This may be repeated.
    pub(super) async fn add_to_playlist(
        &self,
        account: Account<'_>,
        playlist: &str,
        id: &str,
    ) -> Result<(), Trouble> {
        match self.insert_once(account, playlist, id).await {
            // The list may not know yet a video that was just uploaded.
            Err(Trouble::Refused { code, .. }) if code == "videoNotFound" => {
                Err(Trouble::Unreached)
            }
            // A list that the account does not have is asked for as if nobody had it.
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
