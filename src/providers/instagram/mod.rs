//! The publishing API of Instagram, with Instagram login.
//!
//! Sources, read on 2026-11-28:
//! - <https://developers.facebook.com/documentation/instagram-platform/content-publishing>: the
//!   steps, JSON bodies, the token in the header, public URLs of the files, JPEG as the only format
//!   of images, `alt_text` for images that are no stories;
//! - <https://developers.facebook.com/documentation/instagram-platform/instagram-graph-api/reference/ig-user/media>:
//!   the fields of a container; a container expires after 24 hours;
//! - `…/reference/ig-container`: the values of `status_code`; `status` has the subcode of an error;
//! - `…/reference/ig-user/media_publish` and `…/content_publishing_limit`: the quota, which is read
//!   and not assumed, because the pages state different numbers.
//!
//! A container is published by its id. The state of a container says whether the container was
//! published, so the state decides if the answer of `media_publish` was lost. This adapter never retries
//! a request.

mod answer;
mod insights;

use std::time::Duration;

use async_trait::async_trait;
use domain::time::{Millis, SECOND};
use ports::publishing::{
    Account, Evidence, ImageLimits, NetworkPost, OnlinePost, Placement, PostFile, PostQuota,
    Preparation, Prepared, PublishingNetwork, Sent, Trouble,
};
use reqwest::{Client, Method, Url, header};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};
use tracing::Instrument;

use super::{answers::to_trouble, foreign, outgoing};
use answer::{Effect, parse_response, validate_id};

/// The version of the API. The guide of 2026-11 uses v26.0; each version is supported for about two
/// years (<https://developers.facebook.com/docs/graph-api/guides/versioning>).
const VERSION: &str = "v25.0";
/// The timeout of a publication, as a multiple of a call's timeout: the API answers when the post is
/// online.
const PUBLISH: u32 = 4;

/// JPEG only, up to 8 MB. The service reduces images that are wider than 1,440 pixels.
const IMAGES: ImageLimits = ImageLimits {
    types: &["image/jpeg"],
    most_bytes: 8_000_000,
    sides: (1_440, 2_560),
    purpose: "post",
};

/// The adapter of the publishing API.
pub struct Instagram {
    client: Client,
    /// The base URL, with a slash at the end.
    base: Url,
    timeout: Duration,
}

impl Instagram {
    pub fn new(base: Url, timeout: Duration) -> anyhow::Result<Self> {
        Ok(Self {
            client: foreign::client_builder().build()?,
            base,
            timeout,
        })
    }

    async fn get<T: DeserializeOwned>(
        &self,
        account: Account<'_>,
        path: &str,
        query: &[(&str, &str)],
    ) -> Result<T, Trouble> {
        let mut url = self.endpoint_url(path)?;
        url.query_pairs_mut().extend_pairs(query);
        self.send(account, Method::GET, url, None, Effect::None)
            .await
    }

    async fn post<T: DeserializeOwned>(
        &self,
        account: Account<'_>,
        path: &str,
        body: &Value,
        effect: Effect,
    ) -> Result<T, Trouble> {
        let url = self.endpoint_url(path)?;
        self.send(account, Method::POST, url, Some(body), effect)
            .await
    }

    async fn send<T: DeserializeOwned>(
        &self,
        account: Account<'_>,
        method: Method,
        url: Url,
        body: Option<&Value>,
        effect: Effect,
    ) -> Result<T, Trouble> {
        let (host, path) = (url.host_str().unwrap_or_default(), url.path());
        let span = tracing::info_span!("provider_request", host, path);
        let times = if effect == Effect::Public { PUBLISH } else { 1 };
        let mut request = self
            .client
            .request(method, url.clone())
            .timeout(self.timeout * times)
            .bearer_auth(account.token);
        if let Some(body) = body {
            request = request
                .header(header::CONTENT_TYPE, "application/json")
                .body(body.to_string());
        }
        async {
            let sent = outgoing::send(request).await;
            parse_response(sent.map_err(|error| to_trouble(&error))?, effect).await
        }
        .instrument(span)
        .await
    }

    fn endpoint_url(&self, path: &str) -> Result<Url, Trouble> {
        let url = self.base.join(&format!("{VERSION}/{path}"));
        url.map_err(|_| Trouble::Unreached)
    }

    /// Creates a container.
    async fn create_container(
        &self,
        account: Account<'_>,
        body: &Value,
    ) -> Result<String, Trouble> {
        let path = format!("{}/media", account.id);
        let created: Created = self.post(account, &path, body, Effect::Unseen).await?;
        created.into_id()
    }

    /// Fetches the state of a container.
    async fn fetch_container(
        &self,
        account: Account<'_>,
        whole: &str,
    ) -> Result<Preparation, Trouble> {
        let fields = [("fields", "status_code,status")];
        let container: Container = self.get(account, whole, &fields).await?;
        Ok(match container.status_code.as_str() {
            "FINISHED" => Preparation::Ready,
            "PUBLISHED" => Preparation::Published(None),
            "EXPIRED" => Preparation::Expired,
            "ERROR" => Preparation::Failed {
                code: answer::code_in_text(container.status.as_deref().unwrap_or_default()),
            },
            // This includes IN_PROGRESS and unknown states.
            _ => Preparation::Working,
        })
    }
}

#[async_trait]
impl PublishingNetwork for Instagram {
    fn downloads_files(&self, _has_video: bool) -> bool {
        true
    }

    fn image_limits(&self) -> ImageLimits {
        IMAGES
    }

    fn required_scopes(&self) -> &'static [&'static str] {
        // A missing scope is refused with an error code, before anything is posted.
        &[]
    }

    fn evidence(&self, _prepared: &Prepared) -> Evidence {
        Evidence::State
    }

    async fn fetch_quota(&self, account: Account<'_>) -> Result<Option<PostQuota>, Trouble> {
        let path = format!("{}/content_publishing_limit", account.id);
        let fields = [("fields", "config,quota_usage")];
        let answer: List<Limit> = self.get(account, &path, &fields).await?;
        let limit = answer.data.into_iter().next().ok_or(Trouble::Lost)?;
        Ok(Some(PostQuota {
            used: limit.quota_usage,
            total: limit.config.quota_total,
        }))
    }

    async fn prepare(
        &self,
        account: Account<'_>,
        post: &NetworkPost,
        prepared: &Prepared,
    ) -> Result<Preparation, Trouble> {
        if let Some(whole) = &prepared.whole {
            return self.fetch_container(account, whole).await;
        }
        let mut next = prepared.clone();
        let is_carousel = post.placement == Placement::Feed && post.files.len() > 1;
        if !is_carousel {
            let file = post.files.first().ok_or(Trouble::Unreached)?;
            next.whole = Some(
                self.create_container(account, &single_body(post, file))
                    .await?,
            );
            return Ok(Preparation::Created(next));
        }
        if let Some(file) = post.files.get(prepared.parts.len()) {
            let mut body = file_body(file);
            body["is_carousel_item"] = true.into();
            next.parts
                .push(self.create_container(account, &body).await?);
            return Ok(Preparation::Created(next));
        }
        // A carousel is accepted only when its items are ready.
        for part in &prepared.parts {
            match self.fetch_container(account, part).await? {
                Preparation::Ready => {}
                other => return Ok(other),
            }
        }
        let body = json!({
            "media_type": "CAROUSEL",
            "caption": post.caption,
            "children": prepared.parts.join(","),
        });
        next.whole = Some(self.create_container(account, &body).await?);
        Ok(Preparation::Created(next))
    }

    async fn fetch_state(
        &self,
        account: Account<'_>,
        prepared: &Prepared,
    ) -> Result<Preparation, Trouble> {
        match &prepared.whole {
            Some(whole) => self.fetch_container(account, whole).await,
            None => Ok(Preparation::Expired),
        }
    }

    async fn publish(
        &self,
        account: Account<'_>,
        _post: &NetworkPost,
        prepared: &Prepared,
    ) -> Result<Sent, Trouble> {
        let whole = prepared.whole.as_ref().ok_or(Trouble::Unreached)?;
        let path = format!("{}/media_publish", account.id);
        let body = json!({ "creation_id": whole });
        let created: Created = self.post(account, &path, &body, Effect::Public).await?;
        created.into_id().map(Sent::Online)
    }

    async fn list_posts(
        &self,
        account: Account<'_>,
        since: Millis,
    ) -> Result<Option<Vec<OnlinePost>>, Trouble> {
        let path = format!("{}/media", account.id);
        let query = [
            ("fields", "id,caption,timestamp,permalink"),
            ("limit", "50"),
        ];
        let answer: List<Listed> = self.get(account, &path, &query).await?;
        let posts = answer.data.into_iter().filter_map(Listed::into_post);
        // The API returns times in whole seconds, so `since` is rounded down.
        let since = since / SECOND * SECOND;
        let recent = posts.filter(|post| post.posted_at >= since);
        Ok(Some(recent.collect()))
    }

    async fn fetch_link(
        &self,
        account: Account<'_>,
        post_id: &str,
        _is_video: bool,
    ) -> Result<Option<String>, Trouble> {
        let answer: Linked = self
            .get(account, post_id, &[("fields", "permalink")])
            .await?;
        Ok(answer.permalink.filter(|link| is_link(link)))
    }

    async fn comment(
        &self,
        account: Account<'_>,
        post_id: &str,
        text: &str,
    ) -> Result<String, Trouble> {
        let path = format!("{post_id}/comments");
        let body = json!({ "message": text });
        let created: Created = self.post(account, &path, &body, Effect::Public).await?;
        created.into_id()
    }
}

/// Builds the container of one image or video.
fn file_body(file: &PostFile) -> Value {
    let mut body = match file.is_video {
        true => json!({ "video_url": file.url, "media_type": "VIDEO" }),
        false => json!({ "image_url": file.url }),
    };
    if let (false, Some(alt)) = (file.is_video, &file.alt) {
        body["alt_text"] = alt.as_str().into();
    }
    body
}

/// Builds the container of a post that is not a carousel. A video in the feed is a reel.
fn single_body(post: &NetworkPost, file: &PostFile) -> Value {
    let mut body = file_body(file);
    match post.placement {
        Placement::Story => {
            body["media_type"] = "STORIES".into();
            // Stories have neither captions nor descriptions.
            body.as_object_mut().map(|fields| fields.remove("alt_text"));
            return body;
        }
        Placement::Reel | Placement::Feed if file.is_video => {
            body["media_type"] = "REELS".into();
            body["share_to_feed"] = post.in_feed.into();
            if let Some(cover) = &post.cover {
                body["cover_url"] = cover.url.as_str().into();
            } else if let Some(at) = post.cover_at {
                body["thumb_offset"] = at.into();
            }
        }
        _ => {}
    }
    body["caption"] = post.caption.as_str().into();
    body
}

fn is_link(link: &str) -> bool {
    link.len() <= 2_000 && link.starts_with("https://") && !link.contains(char::is_whitespace)
}

#[derive(Deserialize)]
struct Created {
    id: String,
}

impl Created {
    /// Returns the id. Without a usable id, the effect of the request is unknown.
    fn into_id(self) -> Result<String, Trouble> {
        validate_id(&self.id)
            .map(str::to_owned)
            .ok_or(Trouble::Lost)
    }
}

#[derive(Deserialize)]
struct Container {
    status_code: String,
    status: Option<String>,
}

#[derive(Deserialize)]
struct List<T> {
    data: Vec<T>,
}

#[derive(Deserialize)]
struct Limit {
    quota_usage: u64,
    config: LimitConfig,
}

#[derive(Deserialize)]
struct LimitConfig {
    quota_total: u64,
}

#[derive(Deserialize)]
struct Linked {
    permalink: Option<String>,
}

#[derive(Deserialize)]
struct Listed {
    id: String,
    #[serde(default)]
    caption: String,
    timestamp: String,
    permalink: Option<String>,
}

impl Listed {
    fn into_post(self) -> Option<OnlinePost> {
        let id = validate_id(&self.id)?.to_owned();
        let at = jiff::Zoned::strptime("%Y-%m-%dT%H:%M:%S%z", &self.timestamp).ok()?;
        Some(OnlinePost {
            id,
            caption: self.caption,
            link: self.permalink.filter(|link| is_link(link)),
            posted_at: at.timestamp().as_millisecond(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn post(placement: Placement, is_video: bool) -> NetworkPost {
        NetworkPost {
            placement,
            title: None,
            caption: "Pão".into(),
            tags: vec![],
            privacy: None,
            files: vec![PostFile {
                url: "https://pauta.test/media/1".into(),
                path: "sha256/1".into(),
                bytes: 1_000,
                media_type: "image/jpeg".into(),
                is_video,
                seconds: None,
                alt: Some("Um pão".into()),
            }],
            cover: None,
            cover_at: Some(1_500),
            in_feed: true,
            comments_off: false,
            disclosure: ports::publishing::Disclosure::default(),
            playlist: None,
        }
    }

    #[test]
    fn each_placement_has_the_fields_that_the_api_accepts() {
        let body = |placement, is_video| {
            let post = post(placement, is_video);
            single_body(&post, &post.files[0])
        };
        let url = "https://pauta.test/media/1";
        assert_eq!(
            body(Placement::Feed, false),
            json!({ "image_url": url, "alt_text": "Um pão", "caption": "Pão" })
        );
        assert_eq!(
            body(Placement::Reel, true),
            json!({ "video_url": url, "media_type": "REELS", "share_to_feed": true,
                "thumb_offset": 1_500, "caption": "Pão" })
        );
        assert_eq!(
            body(Placement::Story, false),
            json!({ "image_url": url, "media_type": "STORIES" })
        );
        assert_eq!(
            body(Placement::Story, true),
            json!({ "video_url": url, "media_type": "STORIES" })
        );
    }

    #[test]
    fn the_time_of_a_post_is_read_with_its_offset() {
        let listed = Listed {
            id: "1789".into(),
            caption: String::new(),
            timestamp: "2026-11-28T12:00:00+0000".into(),
            permalink: Some("https://www.instagram.com/p/abc/".into()),
        };
        let post = listed.into_post().expect("a post");
        assert_eq!(post.posted_at, 1_795_867_200_000);
    }
}
