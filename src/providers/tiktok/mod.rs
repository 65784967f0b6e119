//! The TikTok Content Posting API, direct posts.
//!
//! <https://developers.tiktok.com/doc/content-posting-api-reference-direct-post>. Responses are
//! `{data, error: {code}}`; an error may have status 200, so the code decides. This adapter never
//! retries a request.
//!
//! Three outcomes are distinguished: TikTok responded with an error code, the request was never
//! sent, or the outcome is unknown (no response, a server error, a response in another format).
//! Only a submission with unknown outcome becomes `OUTCOME_UNKNOWN`. A failed status request says
//! nothing about the publication.

mod answer;
mod figures;
mod posts;

use std::time::Duration;

use async_trait::async_trait;
use ports::shortvideo::{
    Creator, PhotoPost, PostInfo, Progress, Received, ShortVideo, Trouble, UploadChunk, VideoPost,
    VideoStarted,
};
use reqwest::{Body, Client, Url, header};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};

use super::{
    answers::{self, refusal, retry_after, send_upload, valid_code},
    foreign,
    uploads::chunk_timeout,
};
use answer::parse_response;

pub use posts::TikTokPosts;

/// The adapter of the Content Posting API.
pub struct TikTok {
    client: Client,
    /// The base URL, with a slash at the end.
    base: Url,
    timeout: Duration,
}

impl TikTok {
    pub fn new(base: Url, timeout: Duration) -> anyhow::Result<Self> {
        Ok(Self {
            client: foreign::client_builder().build()?,
            base,
            timeout,
        })
    }

    /// Posts a call and returns the `data` of its response.
    async fn post<T: DeserializeOwned>(
        &self,
        token: &str,
        path: &str,
        body: &Value,
    ) -> Result<T, Trouble> {
        let url = self.base.join(path).map_err(|_| Trouble::Unreached)?;
        let request = self
            .client
            .post(url)
            .timeout(self.timeout)
            .bearer_auth(token)
            .header(header::CONTENT_TYPE, "application/json; charset=UTF-8")
            .body(body.to_string());
        parse_response(answers::send(&self.base, path, request).await?).await
    }

    /// Returns the client for an upload URL; `None` unless the URL is on the provider's own origin, or
    /// on a public host over https.
    async fn client_for(&self, url: &Url) -> Option<Client> {
        if url.origin() == self.base.origin() {
            return Some(self.client.clone());
        }
        foreign::public_client(url).await
    }
}

#[async_trait]
impl ShortVideo for TikTok {
    async fn fetch_creator(&self, token: &str) -> Result<Creator, Trouble> {
        let path = "v2/post/publish/creator_info/query/";
        let answer: CreatorInfo = self.post(token, path, &json!({})).await?;
        Ok(Creator {
            username: answer.creator_username,
            nickname: answer.creator_nickname,
            avatar_url: answer.creator_avatar_url,
            privacy_levels: answer.privacy_level_options,
            comment_disabled: answer.comment_disabled,
            duet_disabled: answer.duet_disabled,
            stitch_disabled: answer.stitch_disabled,
            max_video_seconds: answer.max_video_post_duration_sec,
        })
    }

    async fn submit_photos(&self, token: &str, post: &PhotoPost) -> Result<String, Trouble> {
        let mut info = json!({
            "description": post.info.caption,
            "auto_add_music": post.auto_add_music,
        });
        set_post_info(&mut info, &post.info);
        let body = json!({
            "media_type": "PHOTO",
            "post_mode": "DIRECT_POST",
            "post_info": info,
            "source_info": {
                "source": "PULL_FROM_URL",
                "photo_images": post.links,
                "photo_cover_index": 0,
            },
        });
        let path = "v2/post/publish/content/init/";
        let answer: Submitted = self.post(token, path, &body).await?;
        answer.publish_id()
    }

    async fn submit_video(&self, token: &str, post: &VideoPost) -> Result<VideoStarted, Trouble> {
        let mut info = json!({
            "title": post.info.caption,
            "disable_duet": post.disable_duet,
            "disable_stitch": post.disable_stitch,
        });
        set_post_info(&mut info, &post.info);
        if let Some(at) = post.cover_at {
            info["video_cover_timestamp_ms"] = at.into();
        }
        let body = json!({
            "post_info": info,
            "source_info": {
                "source": "FILE_UPLOAD",
                "video_size": post.chunks.size,
                "chunk_size": post.chunks.chunk,
                "total_chunk_count": post.chunks.count,
            },
        });
        let path = "v2/post/publish/video/init/";
        let answer: Submitted = self.post(token, path, &body).await?;
        let upload_url = answer.upload_url.clone().ok_or(Trouble::Lost)?;
        Ok(VideoStarted {
            publish_id: answer.publish_id()?,
            upload_url,
        })
    }

    async fn upload_chunk(&self, url: &str, chunk: UploadChunk) -> Result<Received, Trouble> {
        let foreign = || refusal("upload_url_not_allowed", None);
        let url = Url::parse(url).map_err(|_| foreign())?;
        let client = self.client_for(&url).await.ok_or_else(foreign)?;
        let (first, after) = (chunk.range.start, chunk.range.end);
        let request = client
            .put(url.clone())
            .timeout(chunk_timeout(self.timeout))
            .header(header::CONTENT_TYPE, chunk.media_type)
            .header(header::CONTENT_LENGTH, after - first)
            .header(
                header::CONTENT_RANGE,
                format!("bytes {first}-{}/{}", after - 1, chunk.size),
            )
            .body(Body::wrap_stream(chunk.bytes));
        let answer = send_upload(&url, request).await?;
        match answer.status().as_u16() {
            206 => Ok(Received::Part),
            200 | 201 => Ok(Received::All),
            status @ 400..=499 if status != 408 => {
                Err(refusal(&format!("upload_{status}"), retry_after(&answer)))
            }
            _ => Err(Trouble::Lost),
        }
    }

    async fn fetch_progress(&self, token: &str, publish_id: &str) -> Result<Progress, Trouble> {
        let path = "v2/post/publish/status/fetch/";
        let body = json!({ "publish_id": publish_id });
        let answer: Status = self.post(token, path, &body).await?;
        Ok(match answer.status.as_str() {
            "PUBLISH_COMPLETE" => Progress::Published {
                post_id: answer.posts.first().and_then(post_id_text),
            },
            "FAILED" => Progress::Failed {
                reason: answer
                    .fail_reason
                    .as_deref()
                    .and_then(valid_code)
                    .unwrap_or("unknown")
                    .to_owned(),
            },
            // This includes PROCESSING_UPLOAD, PROCESSING_DOWNLOAD, SEND_TO_USER_INBOX, and unknown
            // states.
            _ => Progress::Working {
                uploaded: answer.uploaded_bytes.unwrap_or(0),
            },
        })
    }
}

/// Sets the fields that photo and video posts share.
fn set_post_info(fields: &mut Value, info: &PostInfo) {
    fields["privacy_level"] = info.privacy_level.as_str().into();
    fields["disable_comment"] = info.disable_comment.into();
    fields["brand_content_toggle"] = info.brand_content.into();
    fields["brand_organic_toggle"] = info.brand_organic.into();
}

/// Converts an id to text. The API sends a number or a text.
fn post_id_text(id: &Value) -> Option<String> {
    match id {
        Value::Number(number) => Some(number.to_string()),
        Value::String(text) => valid_code(text).map(str::to_owned),
        _ => None,
    }
}

#[derive(Deserialize)]
struct CreatorInfo {
    #[serde(default)]
    creator_username: String,
    #[serde(default)]
    creator_nickname: String,
    creator_avatar_url: Option<String>,
    privacy_level_options: Vec<String>,
    #[serde(default)]
    comment_disabled: bool,
    #[serde(default)]
    duet_disabled: bool,
    #[serde(default)]
    stitch_disabled: bool,
    #[serde(default)]
    max_video_post_duration_sec: u64,
}

#[derive(Deserialize)]
struct Submitted {
    publish_id: String,
    upload_url: Option<String>,
}

impl Submitted {
    /// Returns the id of the publication. Without an id, the outcome is unknown: the post was
    /// submitted, but its status cannot be requested.
    fn publish_id(self) -> Result<String, Trouble> {
        let id = Some(self.publish_id).filter(|id| (1..=128).contains(&id.len()));
        id.ok_or(Trouble::Lost)
    }
}

#[derive(Deserialize)]
struct Status {
    status: String,
    fail_reason: Option<String>,
    /// The API itself misspells this name.
    #[serde(default, rename = "publicaly_available_post_id")]
    posts: Vec<Value>,
    uploaded_bytes: Option<u64>,
}
