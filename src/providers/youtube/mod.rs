//! The YouTube Data API: videos and Shorts.
//!
//! Sources, read on 2026-11-28:
//! - <https://developers.google.com/youtube/v3/guides/using_resumable_upload_protocol>: a session, its
//!   chunks of multiples of 256 KiB, `308` with `Range`, the status request `bytes */N`, `404` for a
//!   session that is gone;
//! - <https://developers.google.com/youtube/v3/docs/videos>, `…/videos/insert`, `…/videos/update` and
//!   `…/videos/list`: videos of an application that was not audited stay private; an update replaces
//!   all fields of the parts that it names;
//! - <https://developers.google.com/youtube/v3/determine_quota_cost>: 100 uploads a day with a separate
//!   quota, 10,000 units for all other calls, reset at midnight Pacific time. The API does not report
//!   the remaining quota;
//! - `…/docs/thumbnails/set`, `…/docs/playlistItems/insert` and `…/docs/commentThreads/insert`.
//!
//! The video is uploaded as private, which nobody else sees, and published by one update of its status.
//! Repeating the update has no effect, and the status shows whether the video is published. If the last
//! answer of an upload was lost, the adapter requests the id of the video from the session, so that the
//! video is not uploaded twice.

mod answer;
mod playlist;
mod session;
mod statistics;

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use domain::time::{Millis, pacific_day};
use ports::{
    BlobStore,
    publishing::{
        Account, CallLimit, Evidence, ImageLimits, LimitPeriod, NetworkPost, OnlinePost, PostQuota,
        Preparation, Prepared, PublishingNetwork, Sent, Step, Trouble, Upload,
    },
};
use reqwest::{Client, Method, RequestBuilder, Response, Url, header};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};

use super::{
    answers::{self, refusal, valid_code},
    foreign,
    uploads::{Files, chunk_timeout},
};
use answer::{Progress, parse_refusal, parse_response};

/// The scope of updates, comments and deletions. It includes the scopes of uploads and of reading.
const SCOPES: &[&str] = &["https://www.googleapis.com/auth/youtube.force-ssl"];
/// The category "People & Blogs", which YouTube's own form uses if none is chosen.
const CATEGORY: &str = "22";
const PRIVATE: &str = "private";
/// The entry in [`Prepared::parts`] after the thumbnail was set.
const COVER: &str = "cover";
/// The entry in [`Prepared::parts`] after the video was added to the playlist.
const PLAYLIST: &str = "playlist";
/// JPEG or PNG, up to 2 MB, 1280 by 720.
const COVERS: ImageLimits = ImageLimits {
    types: &["image/jpeg", "image/png"],
    most_bytes: 2_000_000,
    sides: (720, 1_280),
    purpose: "cover:youtube",
};

/// The adapter of the YouTube Data API.
pub struct YouTube {
    client: Client,
    /// The base URL, with a slash at the end.
    base: Url,
    timeout: Duration,
    files: Files,
    /// The maximum number of uploads of the application in a day of Pacific time. YouTube does not
    /// report how many are left.
    uploads_a_day: usize,
}

impl YouTube {
    pub fn new(
        base: Url,
        timeout: Duration,
        blobs: Arc<dyn BlobStore>,
        uploads_a_day: usize,
    ) -> anyhow::Result<Self> {
        Ok(Self {
            client: foreign::client_builder().build()?,
            base,
            timeout,
            files: Files(blobs),
            uploads_a_day,
        })
    }

    /// Returns a request to a path of the API, with the account's token.
    fn request(
        &self,
        account: Account<'_>,
        method: Method,
        path: &str,
        query: &[(&str, &str)],
    ) -> Result<RequestBuilder, Trouble> {
        let mut url = self.base.join(path).map_err(|_| Trouble::Unreached)?;
        url.query_pairs_mut().extend_pairs(query);
        let request = self.client.request(method, url).timeout(self.timeout);
        Ok(request.bearer_auth(account.token))
    }

    async fn send(&self, path: &str, request: RequestBuilder) -> Result<Response, Trouble> {
        answers::send(&self.base, path, request).await
    }

    /// Sends JSON and parses the answer.
    async fn send_json<T: DeserializeOwned>(
        &self,
        account: Account<'_>,
        (method, path): (Method, &str),
        query: &[(&str, &str)],
        body: &Value,
    ) -> Result<T, Trouble> {
        let request = self.request(account, method, path, query)?;
        let request = request
            .header(header::CONTENT_TYPE, "application/json; charset=UTF-8")
            .body(body.to_string());
        parse_response(self.send(path, request).await?).await
    }

    /// Fetches the status of a video of the account; `None` if there is no such video.
    async fn fetch_video(
        &self,
        account: Account<'_>,
        id: &str,
    ) -> Result<Option<VideoStatus>, Trouble> {
        let path = "youtube/v3/videos";
        let query = [("part", "status"), ("id", id)];
        let request = self.request(account, Method::GET, path, &query)?;
        let list: List = parse_response(self.send(path, request).await?).await?;
        let mut items = list.items.into_iter();
        let video = items.find(|item| item.id.as_deref() == Some(id));
        Ok(video.and_then(|video| video.status))
    }

    /// Sets the thumbnail of the video.
    async fn set_cover(
        &self,
        account: Account<'_>,
        post: &NetworkPost,
        id: &str,
    ) -> Result<(), Trouble> {
        let Some(cover) = &post.cover else {
            return Ok(());
        };
        let path = "upload/youtube/v3/thumbnails/set";
        let query = [("uploadType", "media"), ("videoId", id)];
        let bytes = self.files.read_body(&cover.path, 0..cover.bytes).await?;
        let request = self
            .request(account, Method::POST, path, &query)?
            .timeout(chunk_timeout(self.timeout))
            .header(header::CONTENT_TYPE, cover.media_type.as_str())
            .header(header::CONTENT_LENGTH, cover.bytes)
            .body(bytes);
        let answer: Result<Value, Trouble> = parse_response(self.send(path, request).await?).await;
        match answer {
            Ok(_) => Ok(()),
            Err(Trouble::Refused { code, wait }) => {
                let is_of_cover = ["forbidden", "invalidImage", "mediaBodyRequired"];
                let code = match is_of_cover.contains(&&*code) {
                    true => format!("thumbnail_{code}"),
                    false => code,
                };
                Err(refusal(&code, wait))
            }
            Err(trouble) => Err(trouble),
        }
    }

    /// Fetches the state of the uploaded video.
    async fn fetch_upload_state(
        &self,
        account: Account<'_>,
        id: &str,
    ) -> Result<Preparation, Trouble> {
        let video = self.fetch_video(account, id).await?;
        Ok(video.map_or(Preparation::Expired, |video| video.to_preparation(id)))
    }
}

#[async_trait]
impl PublishingNetwork for YouTube {
    fn image_limits(&self) -> ImageLimits {
        COVERS
    }

    fn required_scopes(&self) -> &'static [&'static str] {
        SCOPES
    }

    fn evidence(&self, _prepared: &Prepared) -> Evidence {
        Evidence::Repeatable
    }

    fn keeps_prepared(&self) -> bool {
        true
    }

    fn limited_calls(&self, step: Step, _has_video: bool, prepared: &Prepared) -> Vec<CallLimit> {
        let has_session = prepared.upload.as_ref();
        let has_session = has_session.is_some_and(|upload| !upload.addresses.is_empty());
        match step {
            Step::Prepare if prepared.whole.is_none() && !has_session => vec![CallLimit {
                call: "uploads",
                most: self.uploads_a_day,
                per: LimitPeriod::PacificDay,
            }],
            _ => vec![],
        }
    }

    fn quota_returns_at(&self, code: Option<&str>, now: Millis) -> Option<Millis> {
        // The limit of a channel applies to any 24 hours, so the time of its end is unknown.
        (code != Some("uploadLimitExceeded")).then(|| pacific_day(now).1)
    }

    async fn fetch_quota(&self, _account: Account<'_>) -> Result<Option<PostQuota>, Trouble> {
        Ok(None)
    }

    async fn prepare(
        &self,
        account: Account<'_>,
        post: &NetworkPost,
        prepared: &Prepared,
    ) -> Result<Preparation, Trouble> {
        let mut next = prepared.clone();
        if let Some(id) = &prepared.whole {
            if post.cover.is_some() && !prepared.parts.iter().any(|part| part == COVER) {
                self.set_cover(account, post, id).await?;
                next.parts.push(COVER.to_owned());
                return Ok(Preparation::Created(next));
            }
            if let Some(playlist) = &post.playlist
                && !prepared.parts.iter().any(|part| part == PLAYLIST)
            {
                match self.add_to_playlist(account, playlist, id).await {
                    // `playlistItems` may not find a video that was just uploaded, so the next step
                    // tries again.
                    Err(Trouble::Refused { code, .. }) if code == "videoNotFound" => {
                        return Ok(Preparation::Working);
                    }
                    added => added?,
                }
                next.parts.push(PLAYLIST.to_owned());
                return Ok(Preparation::Created(next));
            }
            return Ok(match self.fetch_upload_state(account, id).await? {
                // `videos.list` may not contain a new upload yet.
                Preparation::Expired => Preparation::Working,
                state => state,
            });
        }
        let file = post.files.first().ok_or(Trouble::Unreached)?;
        let address = match &prepared.upload {
            Some(upload) if !upload.addresses.is_empty() => upload.addresses.as_str(),
            _ => {
                next.upload = Some(Upload {
                    addresses: self.begin_session(account, post, file).await?,
                    ..Upload::default()
                });
                return Ok(Preparation::Created(next));
            }
        };
        let mut progress = self.fetch_progress(account, address, file.bytes).await?;
        if let Progress::Received(sent) = progress {
            if sent >= file.bytes {
                return Ok(Preparation::Working);
            }
            progress = self.send_chunk(account, address, file, sent).await?;
            // No byte of the chunk has arrived, so the next step waits.
            if matches!(progress, Progress::Received(now) if now <= sent) {
                return Ok(Preparation::Working);
            }
        }
        match progress {
            Progress::Received(sent) => {
                next.upload = prepared
                    .upload
                    .clone()
                    .map(|upload| Upload { sent, ..upload });
            }
            Progress::Done(id) => {
                next.whole = Some(id);
                next.upload = None;
            }
            Progress::Gone => {
                return Ok(Preparation::Failed {
                    code: "upload_expired".into(),
                });
            }
        }
        Ok(Preparation::Created(next))
    }

    async fn fetch_state(
        &self,
        account: Account<'_>,
        prepared: &Prepared,
    ) -> Result<Preparation, Trouble> {
        match &prepared.whole {
            Some(id) => self.fetch_upload_state(account, id).await,
            None => Ok(Preparation::Expired),
        }
    }

    async fn publish(
        &self,
        account: Account<'_>,
        post: &NetworkPost,
        prepared: &Prepared,
    ) -> Result<Sent, Trouble> {
        let id = prepared.whole.as_deref().ok_or(Trouble::Unreached)?;
        let privacy = post.privacy.as_deref().unwrap_or("public");
        if privacy == PRIVATE {
            // The uploaded video is already private, as requested.
            return Ok(Sent::Online(id.to_owned()));
        }
        let body = json!({ "id": id, "status": status_body(privacy) });
        let call = (Method::PUT, "youtube/v3/videos");
        let updated: Video = self
            .send_json(account, call, &[("part", "status")], &body)
            .await?;
        // An application that was not audited gets a success, but the video stays private.
        let is_locked = |status: &VideoStatus| status.privacy_status == PRIVATE;
        if updated.status.as_ref().is_some_and(is_locked) {
            return Err(refusal("lockedPrivate", None));
        }
        match self.fetch_video(account, id).await {
            Ok(Some(status)) if is_locked(&status) => Err(refusal("lockedPrivate", None)),
            Ok(Some(_)) => Ok(Sent::Online(id.to_owned())),
            Ok(None) | Err(_) => Err(Trouble::Lost),
        }
    }

    async fn discard(&self, account: Account<'_>, prepared: &Prepared) -> Result<(), Trouble> {
        let mut id = prepared.whole.clone();
        if let (None, Some(upload)) = (&id, &prepared.upload)
            && !upload.addresses.is_empty()
        {
            // The last answer of the upload may have been lost, so the session is asked for the id.
            if let Progress::Done(done) = self.fetch_end(account, &upload.addresses).await? {
                id = Some(done);
            }
        }
        let Some(id) = id else {
            return Ok(());
        };
        let status = self.fetch_video(account, &id).await?;
        let is_unseen =
            |status: &VideoStatus| status.privacy_status == PRIVATE && status.publish_at.is_none();
        if !status.as_ref().is_some_and(is_unseen) {
            return Ok(());
        }
        let path = "youtube/v3/videos";
        let request = self.request(account, Method::DELETE, path, &[("id", &id)])?;
        let answer = self.send(path, request).await?;
        match answer.status().as_u16() {
            200..=299 | 404 => Ok(()),
            _ => Err(parse_refusal(answer).await),
        }
    }

    async fn list_posts(
        &self,
        _account: Account<'_>,
        _since: Millis,
    ) -> Result<Option<Vec<OnlinePost>>, Trouble> {
        // The service knows the id of the video, so no list is needed.
        Ok(None)
    }

    async fn fetch_link(
        &self,
        _account: Account<'_>,
        post_id: &str,
        _is_video: bool,
    ) -> Result<Option<String>, Trouble> {
        let id = valid_code(post_id);
        Ok(id.map(|id| format!("https://www.youtube.com/watch?v={id}")))
    }

    async fn comment(
        &self,
        account: Account<'_>,
        post_id: &str,
        text: &str,
    ) -> Result<String, Trouble> {
        let body = json!({
            "snippet": {
                "videoId": post_id,
                "topLevelComment": { "snippet": { "textOriginal": text } },
            },
        });
        let call = (Method::POST, "youtube/v3/commentThreads");
        let created: Created = self
            .send_json(account, call, &[("part", "snippet")], &body)
            .await?;
        Ok(created.id)
    }
}

/// Builds the writable fields of `status`. An update resets the fields that it omits.
fn status_body(privacy: &str) -> Value {
    json!({
        "privacyStatus": privacy,
        "selfDeclaredMadeForKids": false,
        "embeddable": true,
        "license": "youtube",
        "publicStatsViewable": true,
    })
}

/// Returns the metadata of an upload.
fn upload_body(post: &NetworkPost) -> Value {
    json!({
        "snippet": {
            "title": post.title.as_deref().unwrap_or_default(),
            "description": post.caption,
            "tags": post.tags,
            "categoryId": CATEGORY,
        },
        "status": status_body(PRIVATE),
    })
}

#[derive(Deserialize)]
struct Created {
    id: String,
}

#[derive(Deserialize)]
struct List {
    #[serde(default)]
    items: Vec<Video>,
}

#[derive(Deserialize)]
struct Video {
    id: Option<String>,
    status: Option<VideoStatus>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct VideoStatus {
    #[serde(default)]
    upload_status: String,
    privacy_status: String,
    failure_reason: Option<String>,
    rejection_reason: Option<String>,
    publish_at: Option<String>,
}

impl VideoStatus {
    fn to_preparation(&self, id: &str) -> Preparation {
        let failed = |reason: &Option<String>| Preparation::Failed {
            code: reason
                .as_deref()
                .and_then(valid_code)
                .unwrap_or("unknown")
                .to_owned(),
        };
        match self.upload_status.as_str() {
            "failed" => failed(&self.failure_reason),
            "rejected" => failed(&self.rejection_reason),
            "deleted" => Preparation::Expired,
            _ if self.privacy_status != PRIVATE => Preparation::Published(Some(id.to_owned())),
            "processed" => Preparation::Ready,
            // This includes `uploaded`, while YouTube processes the video.
            _ => Preparation::Working,
        }
    }
}
