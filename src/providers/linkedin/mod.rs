//! LinkedIn's Posts API, for posts of members.
//!
//! Sources on <https://learn.microsoft.com/linkedin/>, read on 2026-11-28:
//! - `marketing/community-management/shares/posts-api`: the fields of a post, its id in the header
//!   `x-restli-id`, the address `https://www.linkedin.com/feed/update/{urn}`;
//! - `…/images-api`, `…/videos-api`, `…/documents-api`, `…/multiimage-post-api`: uploads;
//! - `…/comments-api`: comments;
//! - `marketing/versioning`: the header `Linkedin-Version`; a version is supported for at least a year.
//!
//! The API has no key that makes a request idempotent, and `w_member_social` does not permit reading the
//! posts of a member. So if the answer to a post is lost, this adapter cannot find out whether the post
//! exists. A refusal as a duplicate proves only that this request has posted nothing: the existing post
//! in the refusal may have been deleted (<https://github.com/ComposioHQ/composio/issues/2710>, read on
//! 2026-11-28).

mod answer;
mod document;
mod figures;
mod little;
mod media;

pub use figures::NoFigures;

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use domain::time::Millis;
use ports::{
    BlobStore,
    publishing::{
        Account, Evidence, ImageLimits, NetworkPost, OnlinePost, PAGE_SIDES, Placement, PostQuota,
        Preparation, Prepared, PublishingNetwork, Sent, Trouble,
    },
};
use reqwest::{Client, Method, RequestBuilder, Response, Url, header};
use serde_json::{Value, json};

use super::{
    answers::{self, header_text},
    foreign,
    uploads::Files,
};
use answer::{parse_refusal, validate_post_id};
use little::to_little;

/// The timeout of a publication, as a multiple of a call's timeout.
const PUBLISH: u32 = 4;
/// The scope of posts, comments and uploads.
const SCOPES: &[&str] = &["w_member_social"];
/// JPEG, PNG and GIF, up to 36,152,320 pixels; 8 MB as in the rules of the channel.
const IMAGES: ImageLimits = ImageLimits {
    types: &["image/jpeg", "image/png", "image/gif"],
    most_bytes: 8_000_000,
    sides: (2_048, 4_096),
    purpose: "post:linkedin",
};

/// The pages of a document. An image that is converted to these sides has at most about 2 MB, so a
/// document of 40 pages, the most of the channel's rules, stays below its limit of 100 MB.
const PAGES: ImageLimits = ImageLimits {
    types: &["image/jpeg"],
    most_bytes: 2_000_000,
    sides: PAGE_SIDES,
    purpose: "page:linkedin",
};

/// The adapter of the Posts API.
pub struct LinkedIn {
    client: Client,
    /// The base URL, with a slash at the end.
    base: Url,
    timeout: Duration,
    version: String,
    files: Files,
}

impl LinkedIn {
    pub fn new(
        base: Url,
        timeout: Duration,
        version: String,
        blobs: Arc<dyn BlobStore>,
    ) -> anyhow::Result<Self> {
        Ok(Self {
            client: foreign::client_builder().build()?,
            base,
            timeout,
            version,
            files: Files(blobs),
        })
    }

    fn build(
        &self,
        account: Account<'_>,
        method: Method,
        path: &str,
    ) -> Result<RequestBuilder, Trouble> {
        let url = self.base.join(path).map_err(|_| Trouble::Unreached)?;
        let request = self
            .client
            .request(method, url)
            .timeout(self.timeout)
            .bearer_auth(account.token)
            .header("linkedin-version", self.version.as_str())
            .header("x-restli-protocol-version", "2.0.0")
            .header(header::CONTENT_TYPE, "application/json");
        Ok(request)
    }

    async fn send(&self, path: &str, request: RequestBuilder) -> Result<Response, Trouble> {
        answers::send(&self.base, path, request).await
    }

    /// Creates a post or a comment. Returns its id.
    async fn create_resource(
        &self,
        account: Account<'_>,
        path: &str,
        body: &Value,
    ) -> Result<String, Trouble> {
        let request = self.build(account, Method::POST, path)?;
        let request = request
            .timeout(self.timeout * PUBLISH)
            .body(body.to_string());
        let answer = self.send("rest/posts", request).await?;
        if !answer.status().is_success() {
            return Err(parse_refusal(answer).await);
        }
        let id = header_text(&answer, "x-restli-id").or(header_text(&answer, "x-linkedin-id"));
        // Without an id, the service cannot refer to the created object, so a person must check.
        id.map(str::to_owned).ok_or(Trouble::Lost)
    }
}

#[async_trait]
impl PublishingNetwork for LinkedIn {
    fn needs_files(&self) -> bool {
        false
    }

    fn image_limits(&self) -> ImageLimits {
        IMAGES
    }

    fn page_limits(&self) -> ImageLimits {
        PAGES
    }

    fn required_scopes(&self) -> &'static [&'static str] {
        SCOPES
    }

    fn evidence(&self, _prepared: &Prepared) -> Evidence {
        Evidence::Nothing
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
        if post.placement == Placement::Document && prepared.parts.is_empty() {
            let mut next = prepared.clone();
            next.parts
                .push(self.upload_document(account, &post.files).await?);
            return Ok(Preparation::Created(next));
        }
        let file = post.files.get(prepared.parts.len());
        let Some(file) = file.filter(|_| post.placement != Placement::Document) else {
            return self.fetch_state(account, prepared).await;
        };
        if file.is_video {
            return self.upload_video(account, file, prepared).await;
        }
        let mut next = prepared.clone();
        next.parts.push(self.upload_image(account, file).await?);
        Ok(Preparation::Created(next))
    }

    async fn fetch_state(
        &self,
        account: Account<'_>,
        prepared: &Prepared,
    ) -> Result<Preparation, Trouble> {
        // A post can contain an image at once after the upload; LinkedIn processes a video or a document
        // first.
        for part in &prepared.parts {
            let resource = match part.split(':').nth(2) {
                Some("video") => "videos",
                Some("document") => "documents",
                _ => continue,
            };
            return self.fetch_file_state(account, resource, part).await;
        }
        Ok(Preparation::Ready)
    }

    async fn publish(
        &self,
        account: Account<'_>,
        post: &NetworkPost,
        prepared: &Prepared,
    ) -> Result<Sent, Trouble> {
        let expected = match post.placement {
            Placement::Document => 1,
            _ => post.files.len(),
        };
        if prepared.parts.len() != expected {
            return Err(Trouble::Unreached);
        }
        let body = post_body(account, post, &prepared.parts);
        let id = self.create_resource(account, "rest/posts", &body).await?;
        let id = validate_post_id(&id).ok_or(Trouble::Lost)?;
        Ok(Sent::Online(id.to_owned()))
    }

    async fn list_posts(
        &self,
        _account: Account<'_>,
        _since: Millis,
    ) -> Result<Option<Vec<OnlinePost>>, Trouble> {
        // Listing posts needs `r_member_social`, which LinkedIn grants to no new application.
        Ok(None)
    }

    async fn fetch_link(
        &self,
        _account: Account<'_>,
        post_id: &str,
        _is_video: bool,
    ) -> Result<Option<String>, Trouble> {
        let id = validate_post_id(post_id);
        Ok(id.map(|id| format!("https://www.linkedin.com/feed/update/{id}/")))
    }

    async fn comment(
        &self,
        account: Account<'_>,
        post_id: &str,
        text: &str,
    ) -> Result<String, Trouble> {
        let path = format!("rest/socialActions/{}/comments", encode(post_id));
        let body = json!({
            "actor": author(account),
            "object": post_id,
            "message": { "text": text },
        });
        self.create_resource(account, &path, &body).await
    }
}

/// The title of a document without one.
const UNTITLED: &str = "Documento";

/// Returns the id of the member in the form of LinkedIn's APIs.
fn author(account: Account<'_>) -> String {
    format!("urn:li:person:{}", account.id)
}

/// Encodes an id as a segment of a path.
fn encode(id: &str) -> String {
    form_urlencoded::byte_serialize(id.as_bytes()).collect()
}

/// Returns the body of a post.
fn post_body(account: Account<'_>, post: &NetworkPost, parts: &[String]) -> Value {
    let mut body = json!({
        "author": author(account),
        "commentary": to_little(&post.caption),
        "visibility": post.privacy.as_deref().unwrap_or("PUBLIC"),
        "distribution": {
            "feedDistribution": "MAIN_FEED",
            "targetEntities": [],
            "thirdPartyDistributionChannels": [],
        },
        "lifecycleState": "PUBLISHED",
        "isReshareDisabledByAuthor": false,
    });
    if post.placement == Placement::Document {
        let title = post.title.as_deref().unwrap_or(UNTITLED);
        body["content"] = json!({ "media": { "id": parts.first(), "title": title } });
        return body;
    }
    let mut media = post.files.iter().zip(parts).map(|(file, id)| {
        let mut medium = json!({ "id": id });
        if let (false, Some(alt)) = (file.is_video, &file.alt) {
            medium["altText"] = alt.as_str().into();
        }
        medium
    });
    match parts.len() {
        0 => {}
        1 => body["content"] = json!({ "media": media.next() }),
        _ => body["content"] = json!({ "multiImage": { "images": media.collect::<Vec<_>>() } }),
    }
    body
}

#[cfg(test)]
mod tests {
    use ports::publishing::{Placement, PostFile};

    use super::*;

    fn post(images: usize) -> NetworkPost {
        let file = |number: usize| PostFile {
            url: String::new(),
            path: String::new(),
            bytes: 1,
            media_type: "image/jpeg".into(),
            is_video: false,
            seconds: None,
            alt: (number == 0).then(|| "Um pão".into()),
        };
        NetworkPost {
            placement: Placement::Feed,
            title: None,
            caption: "Pão (quente)".into(),
            tags: vec![],
            privacy: None,
            files: (0..images).map(file).collect(),
            cover: None,
            cover_at: None,
            in_feed: true,
            comments_off: false,
            disclosure: ports::publishing::Disclosure::default(),
            playlist: None,
        }
    }

    #[test]
    fn a_post_names_its_media_by_their_number() {
        let account = Account {
            id: "782bbtaQ",
            token: "",
        };
        let parts: Vec<String> = (1..=2).map(|n| format!("urn:li:image:{n}")).collect();
        let body = |count: usize| post_body(account, &post(count), &parts[..count]);
        assert_eq!(body(0)["author"], "urn:li:person:782bbtaQ");
        assert_eq!(body(0)["commentary"], "Pão \\(quente\\)");
        assert_eq!(body(0)["visibility"], "PUBLIC");
        assert!(body(0).get("content").is_none());
        assert_eq!(
            body(1)["content"],
            json!({ "media": { "id": "urn:li:image:1", "altText": "Um pão" } })
        );
        assert_eq!(
            body(2)["content"],
            json!({ "multiImage": { "images": [
                { "id": "urn:li:image:1", "altText": "Um pão" }, { "id": "urn:li:image:2" },
            ] } })
        );
    }
}
