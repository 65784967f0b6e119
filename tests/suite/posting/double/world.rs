//! The state of the double: containers, posts and comments.

use std::{collections::BTreeMap, sync::Arc};

use axum::body::Body;
use domain::time::{DAY, Millis};
use hyper::{Response, header, http::request::Parts};
use ports::Clock;
use serde_json::{Value, json};

use super::{Call, Fetched, error_response, insights::Insights, ok_response};

/// The HTTP status, error code and error subcode of a refusal.
type Refusal = (u16, i64, i64);

pub struct World {
    /// The account and expiry of each access token.
    pub tokens: BTreeMap<String, (String, Millis)>,
    pub containers: BTreeMap<String, Container>,
    pub posts: Vec<Post>,
    /// The number of posts that the account may publish in 24 hours.
    pub quota: usize,
    /// The number of posts that the account has published without the service.
    pub other_posts: usize,
    /// The number of status requests that return `IN_PROGRESS` for each container.
    pub patience: u32,
    /// Pairs of a text and a subcode: containers with the text in their caption end as `ERROR`.
    pub failures: Vec<(&'static str, &'static str)>,
    /// False if the account may not comment.
    pub comments: bool,
    /// True if the network has withdrawn the permissions of the application.
    pub restricted: bool,
    pub calls: Vec<Call>,
    /// Every refused request.
    pub refusals: Vec<Refusal>,
    pub insights: Insights,
    pub clock: Option<Arc<dyn Clock>>,
    created: usize,
}

pub struct Container {
    pub account: String,
    pub body: Value,
    pub at: Millis,
    pub polls: u32,
    pub published: bool,
    /// The error subcode, if the download of the file failed.
    pub failed: Option<&'static str>,
}

#[derive(Debug, Clone)]
pub struct Post {
    pub id: String,
    pub account: String,
    pub caption: String,
    pub at: Millis,
    pub is_story: bool,
    pub comments: Vec<String>,
}

/// Returns the kind of a request, or `None` if its path is unknown.
pub(super) fn call_of(parts: &Parts, path: &str) -> Option<Call> {
    if [
        "/oauth/access_token",
        "/access_token",
        "/refresh_access_token",
        "/me",
    ]
    .contains(&path)
    {
        return Some(Call::Other);
    }
    let mut segments = path.strip_prefix("/v25.0/")?.split('/');
    let (first, second) = (segments.next()?, segments.next());
    let query = parts.uri.query().unwrap_or_default();
    match (parts.method.as_str(), second) {
        ("POST", Some("media")) => Some(Call::Create),
        ("POST", Some("media_publish")) => Some(Call::Publish),
        ("POST", Some("comments")) => Some(Call::Comment),
        ("GET", Some("content_publishing_limit")) => Some(Call::Quota),
        ("GET", Some("media")) => Some(Call::List),
        ("GET", Some("insights")) => Some(Call::Insights),
        ("GET", None) if query.contains("permalink") => Some(Call::Link),
        ("GET", None) if !first.is_empty() => Some(Call::State),
        _ => None,
    }
}

/// The URL that the API downloads for a call.
pub(super) fn file_url(call: Call, body: &[u8]) -> Option<String> {
    let body: Value = serde_json::from_slice(body).ok()?;
    let url = body["image_url"].as_str().or(body["video_url"].as_str())?;
    (call == Call::Create).then(|| url.to_owned())
}

impl World {
    pub fn new() -> Self {
        Self {
            tokens: BTreeMap::new(),
            containers: BTreeMap::new(),
            posts: vec![],
            quota: 100,
            other_posts: 0,
            patience: 1,
            failures: vec![],
            comments: true,
            restricted: false,
            calls: vec![],
            refusals: vec![],
            insights: Insights::default(),
            clock: None,
            created: 0,
        }
    }

    pub fn now(&self) -> Millis {
        self.clock.as_ref().map_or(0, |clock| clock.now())
    }

    /// The posts with this caption.
    pub fn posts_with(&self, caption: &str) -> Vec<&Post> {
        let posts = self.posts.iter();
        posts.filter(|post| post.caption == caption).collect()
    }

    pub(super) fn handle_call(
        &mut self,
        call: Call,
        parts: &Parts,
        path: &str,
        body: &[u8],
        file: Option<Fetched>,
    ) -> Response<Body> {
        if call == Call::Other {
            return self.handle_oauth(parts, path, body);
        }
        let handled = self.handle_api_call(call, parts, path, body, file);
        handled.unwrap_or_else(|(status, code, subcode)| {
            self.refusals.push((status, code, subcode));
            error_response(status, code, subcode, false)
        })
    }

    fn handle_api_call(
        &mut self,
        call: Call,
        parts: &Parts,
        path: &str,
        body: &[u8],
        file: Option<Fetched>,
    ) -> Result<Response<Body>, Refusal> {
        let bearer = parts.headers.get(header::AUTHORIZATION);
        let bearer = bearer.and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "));
        let account = bearer.and_then(|token| self.account_of(token));
        let account = account.ok_or((400, 190, 463))?;
        if self.restricted {
            return Err((400, 25, 2_207_050));
        }
        if call == Call::Insights {
            return Ok(self.handle_insights(&account, parts, path));
        }
        let rest = path.trim_start_matches("/v25.0/");
        let (id, _) = rest.split_once('/').unwrap_or((rest, ""));
        let of_account = matches!(
            call,
            Call::Create | Call::Publish | Call::Quota | Call::List
        );
        if of_account && id != account {
            return Err((400, 100, 33));
        }
        let fields: Value = match parts.method.as_str() {
            "POST" => serde_json::from_slice(body).map_err(|_| (400, 100, 0))?,
            _ => Value::Null,
        };
        match call {
            Call::Create => self.create(&account, fields, file),
            Call::State => self.state(&account, id),
            Call::Publish => self.publish(&account, &fields),
            Call::Quota => {
                let used = self.recent_posts(&account);
                let config = json!({ "quota_total": self.quota, "quota_duration": 86_400 });
                let data = json!([{ "quota_usage": used, "config": config }]);
                Ok(ok_response(&json!({ "data": data })))
            }
            Call::List => {
                let posts = self
                    .posts
                    .iter()
                    .rev()
                    .filter(|post| post.account == account);
                let posts = posts.map(|post| {
                    json!({ "id": post.id, "caption": post.caption, "permalink": link(&post.id),
                        "timestamp": timestamp(post.at) })
                });
                let posts: Vec<Value> = posts.take(50).collect();
                Ok(ok_response(&json!({ "data": posts })))
            }
            Call::Link => {
                let post = self.posts.iter().find(|post| post.id == id);
                let post = post.ok_or((400, 100, 33))?;
                Ok(ok_response(
                    &json!({ "permalink": link(&post.id), "id": post.id }),
                ))
            }
            Call::Comment => {
                let post = self.posts.iter_mut().find(|post| post.id == id);
                let post = post.ok_or((400, 100, 33))?;
                if !self.comments {
                    return Err((403, 10, 0));
                }
                let text = fields["message"].as_str().ok_or((400, 100, 0))?;
                post.comments.push(text.to_owned());
                Ok(ok_response(
                    &json!({ "id": format!("c{}", post.comments.len()) }),
                ))
            }
            Call::Insights | Call::Other => unreachable!("handled before"),
        }
    }

    fn recent_posts(&self, account: &str) -> usize {
        let since = self.now() - DAY;
        let recent = self.posts.iter();
        let recent = recent.filter(|post| post.account == account && post.at > since);
        recent.count() + self.other_posts
    }

    fn create(
        &mut self,
        account: &str,
        body: Value,
        file: Option<Fetched>,
    ) -> Result<Response<Body>, Refusal> {
        let kind = body["media_type"].as_str().unwrap_or("IMAGE");
        let known: &[&str] = match kind {
            "IMAGE" => &["image_url", "caption", "alt_text", "is_carousel_item"],
            "VIDEO" => &["video_url", "media_type", "is_carousel_item"],
            "REELS" => &[
                "video_url",
                "media_type",
                "caption",
                "share_to_feed",
                "cover_url",
                "thumb_offset",
            ],
            "STORIES" => &["image_url", "video_url", "media_type"],
            "CAROUSEL" => &["media_type", "caption", "children"],
            _ => return Err((400, 100, 2_207_023)),
        };
        let is_item = body["is_carousel_item"] == true;
        let names = body.as_object().ok_or((400, 100, 0))?.keys();
        if names
            .into_iter()
            .any(|name| !known.contains(&name.as_str()))
            || (kind == "VIDEO" && !is_item)
            || (is_item && body.get("caption").is_some())
        {
            return Err((400, 100, 0));
        }
        let caption = body["caption"].as_str().unwrap_or_default().to_owned();
        if caption.chars().count() > 2_200 {
            return Err((400, 100, 2_207_010));
        }
        let mut failed = None;
        if kind == "CAROUSEL" {
            let children = body["children"].as_str().unwrap_or_default();
            let children: Vec<&str> = children.split(',').collect();
            if !(2..=10).contains(&children.len()) {
                return Err((400, 100, 2_207_028));
            }
            for child in children {
                let found = self.containers.get(child).ok_or((400, 100, 33))?;
                if found.polls <= self.patience || found.body["is_carousel_item"] != true {
                    return Err((400, 9_007, 2_207_027));
                }
            }
        } else {
            failed = self.check_file(&body, file)?;
        }
        let failure = self
            .failures
            .iter()
            .find(|(part, _)| caption.contains(part));
        failed = failed.or(failure.map(|(_, code)| *code));
        self.created += 1;
        let id = format!("1789{:013}", self.created);
        let container = Container {
            account: account.to_owned(),
            body,
            at: self.now(),
            polls: 0,
            published: false,
            failed,
        };
        self.containers.insert(id.clone(), container);
        Ok(ok_response(&json!({ "id": id })))
    }

    /// Checks the downloaded file. Refuses a wrong image at once. For a wrong video, returns the subcode
    /// with which the container fails later, because the real API finds the error when it decodes the
    /// video.
    fn check_file(
        &self,
        body: &Value,
        file: Option<Fetched>,
    ) -> Result<Option<&'static str>, Refusal> {
        let Some((status, kind, bytes)) = file else {
            return Ok(None);
        };
        if status != 200 {
            return Err((400, 9_004, 2_207_052));
        }
        if body["image_url"].is_string() {
            let is_jpeg = bytes.starts_with(&[0xff, 0xd8, 0xff]);
            return match (kind.as_str(), is_jpeg) {
                ("image/jpeg", true) if bytes.len() <= 8 << 20 => Ok(None),
                ("image/jpeg", true) => Err((400, 36_000, 2_207_004)),
                _ => Err((400, 36_001, 2_207_005)),
            };
        }
        let is_video = ["video/mp4", "video/quicktime"].contains(&kind.as_str());
        Ok((!is_video).then_some("2207026"))
    }

    fn state(&mut self, account: &str, id: &str) -> Result<Response<Body>, Refusal> {
        let (now, patience) = (self.now(), self.patience);
        let container = self.containers.get_mut(id);
        let container = container.filter(|found| found.account == account);
        let container = container.ok_or((400, 100, 33))?;
        container.polls += 1;
        let (code, status) = match container {
            Container {
                published: true, ..
            } => ("PUBLISHED", "Published"),
            Container { at, .. } if now > *at + DAY => ("EXPIRED", "Expired"),
            Container { polls, .. } if *polls <= patience => ("IN_PROGRESS", "In Progress"),
            Container {
                failed: Some(code), ..
            } => {
                let status = format!("Error: Media upload has failed with error code {code}");
                return Ok(ok_response(
                    &json!({ "status_code": "ERROR", "status": status, "id": id }),
                ));
            }
            _ => ("FINISHED", "Finished"),
        };
        Ok(ok_response(
            &json!({ "status_code": code, "status": status, "id": id }),
        ))
    }

    fn publish(&mut self, account: &str, fields: &Value) -> Result<Response<Body>, Refusal> {
        let now = self.now();
        let id = fields["creation_id"]
            .as_str()
            .ok_or((400, 100, 0))?
            .to_owned();
        if self.recent_posts(account) >= self.quota {
            return Err((403, 9, 2_207_042));
        }
        let patience = self.patience;
        let container = self.containers.get_mut(&id);
        let container = container.filter(|found| found.account == account);
        let container = container.ok_or((400, 24, 2_207_006))?;
        if now > container.at + DAY {
            return Err((400, -2, 2_207_020));
        }
        if container.polls <= patience || container.failed.is_some() {
            return Err((400, 9_007, 2_207_027));
        }
        container.published = true;
        let post = self.add_post(&id);
        Ok(ok_response(&json!({ "id": post.id })))
    }

    /// Adds the post that a container describes.
    pub fn add_post(&mut self, container: &str) -> Post {
        let made_of = &self.containers[container];
        let post = Post {
            id: format!("1801{:013}", self.posts.len() + 1),
            account: made_of.account.clone(),
            caption: made_of.body["caption"]
                .as_str()
                .unwrap_or_default()
                .to_owned(),
            at: self.now(),
            is_story: made_of.body["media_type"] == "STORIES",
            comments: vec![],
        };
        self.posts.push(post.clone());
        post
    }
}

fn link(id: &str) -> String {
    format!("https://www.instagram.com/p/{id}/")
}

/// An instant as the API writes it: without a colon in the offset.
fn timestamp(at: Millis) -> String {
    let at = jiff::Timestamp::from_millisecond(at).expect("an instant");
    at.strftime("%Y-%m-%dT%H:%M:%S+0000").to_string()
}
