//! A double of LinkedIn's versioned APIs, built after their documentation.
//!
//! Where the documentation leaves the behaviour open, the double takes the worst case: a second request
//! makes a second post, unless `refuses_duplicates` is set.

use std::collections::{BTreeMap, BTreeSet};

use axum::body::Body;
use hyper::Response;
use serde_json::{Value, json};

use super::super::server::{
    Call, LIFETIME, Online, Received, Tokens, World, json_response, response,
};
use crate::{posting::stage::PUBLIC, support::Settings};

const CLIENT: [&str; 2] = ["78cliente", "segredo-do-aplicativo"];
const RESERVED: &str = "|{}@[]()<>#\\*_~";

/// The HTTP status and the error code of a refusal.
type Refusal = (u16, &'static str);

pub struct LinkedInWorld {
    pub tokens: Tokens,
    /// The API versions that the double accepts.
    pub versions: Vec<&'static str>,
    /// The maximum size, in bytes, of a part of a video.
    pub part: usize,
    /// The uploaded bytes of each image; `None` before they arrive.
    pub images: BTreeMap<String, Option<Vec<u8>>>,
    pub videos: BTreeMap<String, Video>,
    pub documents: BTreeMap<String, Pdf>,
    /// The uploads whose URLs have expired.
    pub expired: BTreeSet<String>,
    pub posts: Vec<Post>,
    /// If true, the double refuses a post with the text of an existing post, and names the existing
    /// post.
    pub refuses_duplicates: bool,
    /// The number of status requests for which a video is `PROCESSING`.
    pub patience: u32,
    /// The number of objects created, used for their ids.
    pub created: usize,
}

/// An uploaded document.
#[derive(Default)]
pub struct Pdf {
    /// The content of the document; empty before the upload.
    pub bytes: Vec<u8>,
    polls: u32,
}

#[derive(Default)]
pub struct Video {
    size: usize,
    /// The bytes of each part.
    pub parts: BTreeMap<usize, Vec<u8>>,
    is_complete: bool,
    polls: u32,
}

impl Video {
    pub fn bytes(&self) -> Vec<u8> {
        self.parts.values().flatten().copied().collect()
    }
}

#[derive(Debug, Clone)]
pub struct Post {
    pub id: String,
    pub author: String,
    /// The text of the post as LinkedIn shows it.
    pub text: String,
    pub content: Value,
    pub visibility: String,
    pub comments: Vec<String>,
}

impl Default for LinkedInWorld {
    fn default() -> Self {
        Self {
            tokens: Tokens::default(),
            versions: vec!["202609"],
            part: 4 << 20,
            images: BTreeMap::new(),
            videos: BTreeMap::new(),
            documents: BTreeMap::new(),
            expired: BTreeSet::new(),
            posts: vec![],
            refuses_duplicates: false,
            patience: 1,
            created: 0,
        }
    }
}

impl World for LinkedInWorld {
    const NETWORK: &'static str = "linkedin";
    const ACCOUNT: &'static str = "782bbtaQ";

    fn settings(base: &str) -> Settings {
        let [id, secret] = CLIENT.map(str::to_owned);
        vec![
            ("PAUTA_PUBLIC_URL", PUBLIC.to_owned()),
            ("PAUTA_LINKEDIN_CLIENT_ID", id),
            ("PAUTA_LINKEDIN_CLIENT_SECRET", secret),
            ("PAUTA_LINKEDIN_BASE_URL", base.to_owned()),
            ("PAUTA_LINKEDIN_AUTH_BASE_URL", base.to_owned()),
            ("PAUTA_NETWORK_TIMEOUT", "1".to_owned()),
        ]
    }

    fn tokens(&mut self) -> &mut Tokens {
        &mut self.tokens
    }

    fn call_of(&self, request: &Received) -> Option<Call> {
        let action = request.query("action");
        let path = request.path.as_str();
        match (request.method.as_str(), action) {
            ("POST", "initializeUpload") => Some(Call::Begin),
            ("POST", "finalizeUpload") => Some(Call::Finish),
            ("PUT", _) if path.starts_with("/dms-uploads/") => Some(Call::Chunk),
            ("GET", _) if path.starts_with("/rest/videos/") => Some(Call::State),
            ("GET", _) if path.starts_with("/rest/documents/") => Some(Call::State),
            ("POST", _) if path == "/rest/posts" => Some(Call::Publish),
            ("POST", _) if path.ends_with("/comments") => Some(Call::Comment),
            _ if path.starts_with("/oauth/") || path == "/v2/userinfo" => Some(Call::Other),
            _ => None,
        }
    }

    fn handle(&mut self, call: Call, request: &Received) -> Response<Body> {
        if request.path.starts_with("/oauth/") {
            return self.handle_token(request);
        }
        let handled = self.handle_api_call(call, request);
        handled.unwrap_or_else(|(status, code)| Self::error(status, code))
    }

    fn error(status: u16, code: &str) -> Response<Body> {
        let error = json!({ "status": status, "code": code, "message": "…" });
        json_response(status, &error)
    }

    fn online(&self, caption: &str) -> Vec<Online> {
        let posts = self.posts.iter().filter(|post| post.text == caption);
        let online = posts.map(|post| Online {
            id: post.id.clone(),
            comments: post.comments.len(),
        });
        online.collect()
    }

    fn unseen(&self, _caption: &str) -> usize {
        0
    }
}

impl LinkedInWorld {
    fn handle_token(&mut self, request: &Received) -> Response<Body> {
        let fields: BTreeMap<String, String> =
            form_urlencoded::parse(&request.body).into_owned().collect();
        let field = |name: &str| fields.get(name).map_or("", String::as_str);
        if [field("client_id"), field("client_secret")] != CLIENT {
            return json_response(401, &json!({ "error": "invalid_client" }));
        }
        let account = match field("grant_type") {
            "authorization_code" => field("code"),
            _ => field("refresh_token").trim_start_matches("renova-"),
        };
        let token = self.tokens.issue(account);
        json_response(
            200,
            &json!({
                "access_token": token, "expires_in": LIFETIME, "scope": "openid,profile,w_member_social",
                "refresh_token": format!("renova-{account}"), "refresh_token_expires_in": 31_536_000,
            }),
        )
    }

    fn handle_api_call(
        &mut self,
        call: Call,
        request: &Received,
    ) -> Result<Response<Body>, Refusal> {
        if call == Call::Chunk {
            return self.receive(request);
        }
        let account = self.tokens.account_of(request.bearer());
        let account = account.ok_or((401, "EXPIRED_ACCESS_TOKEN"))?;
        if call == Call::Other {
            return Ok(json_response(
                200,
                &json!({ "sub": account, "name": "Cozinha" }),
            ));
        }
        if request.header("x-restli-protocol-version") != "2.0.0" {
            return Err((400, "ILLEGAL_ARGUMENT"));
        }
        match request.header("linkedin-version") {
            "" => return Err((400, "VERSION_MISSING")),
            version if !self.versions.contains(&version) => {
                return Err((426, "NONEXISTENT_VERSION"));
            }
            _ => {}
        }
        let author = format!("urn:li:person:{account}");
        match call {
            Call::Begin => self.begin(&author, request),
            Call::Finish => self.finish(&request.json()),
            Call::State => self.state(request),
            Call::Publish => self.publish(&author, &request.json()),
            Call::Comment => self.comment(&author, request),
            _ => Err((404, "NOT_FOUND")),
        }
    }

    fn begin(&mut self, author: &str, request: &Received) -> Result<Response<Body>, Refusal> {
        let body = request.json();
        let asked = &body["initializeUploadRequest"];
        if asked["owner"] != author {
            return Err((403, "ACCESS_DENIED"));
        }
        self.created += 1;
        let number = self.created;
        let address = |part: usize| format!("{}/dms-uploads/{number}/{part}", request.origin);
        if request.path == "/rest/images" {
            let id = format!("urn:li:image:{number}");
            self.images.insert(id.clone(), None);
            let value = json!({ "uploadUrl": address(0), "image": id });
            return Ok(json_response(200, &json!({ "value": value })));
        }
        if request.path == "/rest/documents" {
            let id = format!("urn:li:document:{number}");
            self.documents.insert(id.clone(), Pdf::default());
            let value = json!({ "uploadUrl": address(0), "document": id });
            return Ok(json_response(200, &json!({ "value": value })));
        }
        let size = asked["fileSizeBytes"]
            .as_u64()
            .ok_or((400, "ILLEGAL_ARGUMENT"))?;
        let size = usize::try_from(size).expect("a size");
        let id = format!("urn:li:video:{number}");
        let parts = (0..size.div_ceil(self.part)).map(|part| {
            let first = part * self.part;
            json!({ "uploadUrl": address(part), "firstByte": first,
                "lastByte": (first + self.part).min(size) - 1 })
        });
        let value = json!({ "video": id, "uploadToken": "t",
            "uploadInstructions": parts.collect::<Vec<_>>() });
        let video = Video {
            size,
            ..Video::default()
        };
        self.videos.insert(id, video);
        Ok(json_response(200, &json!({ "value": value })))
    }

    fn receive(&mut self, request: &Received) -> Result<Response<Body>, Refusal> {
        let rest = request.path.trim_start_matches("/dms-uploads/");
        let (number, part) = rest.split_once('/').ok_or((404, "NOT_FOUND"))?;
        let part: usize = part.parse().map_err(|_| (404, "NOT_FOUND"))?;
        if self.expired.contains(number) {
            return Err((403, "EXPIRED"));
        }
        if let Some(image) = self.images.get_mut(&format!("urn:li:image:{number}")) {
            *image = Some(request.body.to_vec());
            return Ok(response(201, &[], ""));
        }
        if let Some(pdf) = self.documents.get_mut(&format!("urn:li:document:{number}")) {
            pdf.bytes = request.body.to_vec();
            return Ok(response(201, &[], ""));
        }
        let video = self.videos.get_mut(&format!("urn:li:video:{number}"));
        let video = video.ok_or((404, "NOT_FOUND"))?;
        let first = part * self.part;
        if request.body.len() != (first + self.part).min(video.size) - first {
            return Err((400, "ILLEGAL_ARGUMENT"));
        }
        video.parts.insert(part, request.body.to_vec());
        let tag = format!("\"/ambry-video/{number}-{part}\"");
        Ok(response(200, &[("etag", &tag)], ""))
    }

    fn finish(&mut self, body: &Value) -> Result<Response<Body>, Refusal> {
        let asked = &body["finalizeUploadRequest"];
        let id = asked["video"].as_str().unwrap_or_default();
        let video = self.videos.get_mut(id).ok_or((404, "NOT_FOUND"))?;
        let number = id.trim_start_matches("urn:li:video:");
        let tags: Vec<Value> = video
            .parts
            .keys()
            .map(|part| format!("/ambry-video/{number}-{part}").into())
            .collect();
        let is_whole = video.bytes().len() == video.size;
        if video.is_complete || !is_whole || asked["uploadedPartIds"] != json!(tags) {
            return Err((400, "ILLEGAL_ARGUMENT"));
        }
        video.is_complete = true;
        Ok(response(200, &[], ""))
    }

    fn state(&mut self, request: &Received) -> Result<Response<Body>, Refusal> {
        let patience = self.patience;
        if let Some(id) = request.path.strip_prefix("/rest/documents/") {
            let id = id.replace("%3A", ":");
            let pdf = self.documents.get_mut(&id).ok_or((404, "NOT_FOUND"))?;
            pdf.polls += 1;
            let status = match pdf {
                Pdf { bytes, .. } if bytes.is_empty() => "WAITING_UPLOAD",
                Pdf { bytes, .. } if !bytes.starts_with(b"%PDF-") => "PROCESSING_FAILED",
                Pdf { polls, .. } if *polls <= patience => "PROCESSING",
                _ => "AVAILABLE",
            };
            return Ok(json_response(200, &json!({ "id": id, "status": status })));
        }
        let id = request.path.trim_start_matches("/rest/videos/");
        let id = id.replace("%3A", ":");
        let video = self.videos.get_mut(&id).ok_or((404, "NOT_FOUND"))?;
        video.polls += 1;
        let status = match video {
            Video {
                is_complete: false, ..
            } => "WAITING_UPLOAD",
            Video { polls, .. } if *polls <= patience => "PROCESSING",
            _ => "AVAILABLE",
        };
        Ok(json_response(200, &json!({ "id": id, "status": status })))
    }

    fn publish(&mut self, author: &str, body: &Value) -> Result<Response<Body>, Refusal> {
        let text = body["commentary"].as_str().ok_or((422, "VALIDATION"))?;
        let text = parse_little(text);
        if body["author"] != author {
            return Err((403, "ACCESS_DENIED"));
        }
        if text.chars().count() > 3_000 {
            return Err((422, "FIELD_LENGTH_TOO_LONG"));
        }
        if body["lifecycleState"] != "PUBLISHED"
            || body["distribution"]["feedDistribution"] != "MAIN_FEED"
            || (text.is_empty() && body["content"].is_null())
        {
            return Err((422, "VALIDATION"));
        }
        let images = body["content"]["multiImage"]["images"].as_array();
        let named: Vec<&Value> = match images {
            Some(images) if images.len() < 2 => return Err((422, "VALIDATION")),
            Some(images) => images.iter().map(|image| &image["id"]).collect(),
            None => body["content"]["media"].get("id").into_iter().collect(),
        };
        for id in named {
            let id = id.as_str().unwrap_or_default();
            let is_image = self.images.get(id).is_some_and(Option::is_some);
            let video = self.videos.get(id);
            let is_ready = video.is_some_and(|video| video.polls > self.patience);
            let pdf = self.documents.get(id);
            let is_titled = body["content"]["media"]["title"].is_string();
            let is_document = is_titled && pdf.is_some_and(|pdf| pdf.polls > self.patience);
            if !is_image && !is_ready && !is_document {
                return Err((400, "MEDIA_ASSET_PROCESSING_FAILED"));
            }
        }
        let earlier = self.posts.iter().find(|post| post.text == text);
        if let Some(earlier) = earlier.filter(|_| self.refuses_duplicates) {
            return Ok(duplicate(&earlier.id));
        }
        let id = format!("urn:li:share:71{:08}", self.posts.len() + 1);
        self.posts.push(Post {
            id: id.clone(),
            author: author.to_owned(),
            text,
            content: body["content"].clone(),
            visibility: body["visibility"].as_str().unwrap_or_default().to_owned(),
            comments: vec![],
        });
        Ok(response(201, &[("x-restli-id", &id)], ""))
    }

    fn comment(&mut self, author: &str, request: &Received) -> Result<Response<Body>, Refusal> {
        let id = request.path.trim_start_matches("/rest/socialActions/");
        let id = id.trim_end_matches("/comments").replace("%3A", ":");
        let body = request.json();
        let post = self.posts.iter_mut().find(|post| post.id == id);
        let post = post.ok_or((404, "NOT_FOUND"))?;
        let text = body["message"]["text"].as_str();
        let text = text.filter(|_| body["actor"] == author && body["object"] == id);
        post.comments
            .push(text.ok_or((400, "VALIDATION"))?.to_owned());
        let comment = post.comments.len().to_string();
        Ok(response(201, &[("x-restli-id", &comment)], "{}"))
    }
}

/// The refusal of a duplicate, built after a response of the real API.
pub fn duplicate(of: &str) -> Response<Body> {
    let message = format!(
        "com.linkedin.content.common.exception.BadRequestResponseException: Content is a duplicate of {of}"
    );
    let input = json!({ "description": "Duplicate post is detected", "input": {}, "code": "DUPLICATE_POST" });
    let error = json!({
        "errorDetailType": "com.linkedin.common.error.BadRequest", "message": message,
        "errorDetails": { "inputErrors": [input] }, "status": 422,
    });
    json_response(422, &error)
}

/// Returns the text as LinkedIn shows it. Like LinkedIn, cuts the text off where its format is invalid.
fn parse_little(text: &str) -> String {
    let mut read = String::new();
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix("{hashtag|\\#|") {
            let Some((word, after)) = after.split_once('}') else {
                return read;
            };
            read.push('#');
            read.push_str(&word.replace('\\', ""));
            rest = after;
            continue;
        }
        let after = &rest[next.len_utf8()..];
        let following = after.chars().next();
        match next {
            '\\' if following.is_some_and(|next| RESERVED.contains(next)) => {
                read.extend(following);
                rest = &after[1..];
                continue;
            }
            '#' if following.is_some_and(char::is_alphanumeric) => read.push('#'),
            _ if RESERVED.contains(next) => return read,
            _ => read.push(next),
        }
        rest = after;
    }
    read
}
