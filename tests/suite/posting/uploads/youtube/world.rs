//! A double of the YouTube Data API, built after its documentation.

use std::collections::BTreeMap;

use axum::body::{Body, Bytes};
use hyper::Response;
use serde_json::{Value, json};

use super::super::server::{
    Call, LIFETIME, Online, Received, Tokens, World, json_response, response,
};
use crate::{posting::stage::PUBLIC, support::Settings};

const CLIENT: [&str; 2] = [
    "cliente.apps.googleusercontent.com",
    "segredo-do-aplicativo",
];
const UNIT: usize = 256 << 10;
pub const ALL_SCOPES: &str = "https://www.googleapis.com/auth/youtube.upload \
    https://www.googleapis.com/auth/youtube.readonly \
    https://www.googleapis.com/auth/youtube.force-ssl";

/// The HTTP status and the reason of a refusal.
type Refusal = (u16, &'static str);

pub struct YouTubeWorld {
    pub tokens: Tokens,
    /// The scopes that a consent grants.
    pub scopes: String,
    pub sessions: BTreeMap<String, Session>,
    pub videos: BTreeMap<String, Video>,
    pub deleted: Vec<String>,
    /// The maximum number of bytes that the double accepts of each chunk, a multiple of 256 KiB.
    pub most_per_chunk: usize,
    /// The number of status requests for which a video is still being processed.
    pub patience: u32,
    /// The effect of a request that makes a video public.
    pub audit: Audit,
    /// The number of uploads that the quota still allows today.
    pub uploads_left: usize,
    /// Videos with this text in their title fail with this reason.
    pub failure: Option<(&'static str, &'static str)>,
    /// The number of videos created, used for their ids.
    pub created: usize,
    /// The statistics of every video.
    pub statistics: Value,
    /// The videos of each playlist of the account.
    pub playlists: BTreeMap<String, Vec<String>>,
    /// The ids of each request for statistics.
    pub asked: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audit {
    Passed,
    /// The update succeeds, and its response says that the video is private.
    Locked,
    /// The update succeeds, and its response says that the video is public, but the video stays private.
    LockedSilently,
}

pub struct Session {
    account: String,
    metadata: Value,
    size: usize,
    pub bytes: Vec<u8>,
    pub video: Option<String>,
    pub has_expired: bool,
}

#[derive(Debug, Clone)]
pub struct Video {
    pub account: String,
    pub snippet: Value,
    pub privacy: String,
    pub bytes: Vec<u8>,
    pub cover: Option<Bytes>,
    pub comments: Vec<String>,
    /// The number of times that the status of the video was updated.
    pub updates: usize,
    polls: u32,
}

impl Default for YouTubeWorld {
    fn default() -> Self {
        Self {
            tokens: Tokens::default(),
            scopes: ALL_SCOPES.to_owned(),
            sessions: BTreeMap::new(),
            videos: BTreeMap::new(),
            deleted: vec![],
            most_per_chunk: 8 << 20,
            patience: 1,
            audit: Audit::Passed,
            uploads_left: usize::MAX,
            failure: None,
            created: 0,
            statistics: json!({ "viewCount": "120", "likeCount": "8", "favoriteCount": "0",
                "commentCount": "3" }),
            asked: vec![],
            playlists: BTreeMap::from([("PL_receitas".to_owned(), vec![])]),
        }
    }
}

impl World for YouTubeWorld {
    const NETWORK: &'static str = "youtube";
    const ACCOUNT: &'static str = "UC_cozinha";

    fn settings(base: &str) -> Settings {
        let [id, secret] = CLIENT.map(str::to_owned);
        vec![
            ("PAUTA_PUBLIC_URL", PUBLIC.to_owned()),
            ("PAUTA_YOUTUBE_CLIENT_ID", id),
            ("PAUTA_YOUTUBE_CLIENT_SECRET", secret),
            ("PAUTA_YOUTUBE_BASE_URL", base.to_owned()),
            ("PAUTA_YOUTUBE_TOKEN_BASE_URL", base.to_owned()),
            ("PAUTA_NETWORK_TIMEOUT", "1".to_owned()),
            ("PAUTA_YOUTUBE_UPLOADS_A_DAY", "1000000".to_owned()),
        ]
    }

    fn tokens(&mut self) -> &mut Tokens {
        &mut self.tokens
    }

    fn call_of(&self, request: &Received) -> Option<Call> {
        let is_asked = request.header("content-range").starts_with("bytes */");
        match (request.method.as_str(), request.path.as_str()) {
            ("POST", "/token" | "/revoke") | ("GET", "/youtube/v3/channels") => Some(Call::Other),
            ("POST", "/upload/youtube/v3/videos") => Some(Call::Begin),
            ("PUT", "/upload/youtube/v3/videos") if is_asked => Some(Call::Ask),
            ("PUT", "/upload/youtube/v3/videos") => Some(Call::Chunk),
            ("POST", "/upload/youtube/v3/thumbnails/set") => Some(Call::Cover),
            ("GET", "/youtube/v3/videos") if request.query("part") == "statistics" => {
                Some(Call::Figures)
            }
            ("GET", "/youtube/v3/videos") => Some(Call::State),
            ("PUT", "/youtube/v3/videos") => Some(Call::Publish),
            ("DELETE", "/youtube/v3/videos") => Some(Call::Delete),
            ("POST", "/youtube/v3/commentThreads") => Some(Call::Comment),
            ("GET", "/youtube/v3/playlistItems") => Some(Call::Other),
            ("POST", "/youtube/v3/playlistItems") => Some(Call::Finish),
            _ => None,
        }
    }

    fn handle(&mut self, call: Call, request: &Received) -> Response<Body> {
        let handled = match request.path.as_str() {
            "/token" => self.handle_token(request),
            "/revoke" => Ok(json_response(200, &json!({}))),
            _ => self.handle_api_call(call, request),
        };
        handled.unwrap_or_else(|(status, reason)| Self::error(status, reason))
    }

    fn error(status: u16, code: &str) -> Response<Body> {
        let detail = json!({ "domain": "youtube.video", "reason": code, "message": "…" });
        let error = json!({ "code": status, "message": "…", "errors": [detail] });
        json_response(status, &json!({ "error": error }))
    }

    fn online(&self, caption: &str) -> Vec<Online> {
        let videos = self.videos.iter().filter(|(_, video)| {
            video.privacy != "private" && video.snippet["description"] == caption
        });
        let online = videos.map(|(id, video)| Online {
            id: id.clone(),
            comments: video.comments.len(),
        });
        online.collect()
    }

    fn unseen(&self, caption: &str) -> usize {
        let videos = self.videos.values();
        let unseen = videos
            .filter(|video| video.privacy == "private" && video.snippet["description"] == caption);
        unseen.count()
    }
}

impl YouTubeWorld {
    fn handle_token(&mut self, request: &Received) -> Result<Response<Body>, Refusal> {
        let fields: BTreeMap<String, String> =
            form_urlencoded::parse(&request.body).into_owned().collect();
        let field = |name: &str| fields.get(name).map_or("", String::as_str);
        if [field("client_id"), field("client_secret")] != CLIENT {
            return Ok(json_response(401, &json!({ "error": "invalid_client" })));
        }
        let account = match field("grant_type") {
            "authorization_code" => field("code"),
            _ => field("refresh_token").trim_start_matches("renova-"),
        };
        if !account.starts_with("UC_") {
            return Ok(json_response(400, &json!({ "error": "invalid_grant" })));
        }
        let token = self.tokens.issue(account);
        Ok(json_response(
            200,
            &json!({
                "access_token": token, "expires_in": LIFETIME, "token_type": "Bearer",
                "refresh_token": format!("renova-{account}"), "scope": self.scopes,
            }),
        ))
    }

    fn handle_api_call(
        &mut self,
        call: Call,
        request: &Received,
    ) -> Result<Response<Body>, Refusal> {
        let account = self.tokens.account_of(request.bearer());
        let account = account.ok_or((401, "authError"))?;
        let changes = matches!(call, Call::Publish | Call::Delete | Call::Comment);
        if changes && !self.scopes.contains("force-ssl") {
            return Err((403, "insufficientPermissions"));
        }
        match call {
            Call::Other if request.path.ends_with("playlistItems") => {
                let list = self.playlists.get(request.query("playlistId"));
                let list = list.ok_or((404, "playlistNotFound"))?.iter();
                let items = list.filter(|id| *id == request.query("videoId"));
                let items: Vec<Value> = items.map(|id| json!({ "id": id })).collect();
                Ok(json_response(200, &json!({ "items": items })))
            }
            Call::Other => {
                let snippet = json!({ "title": "Cozinha" });
                let items = json!([{ "id": account, "snippet": snippet }]);
                Ok(json_response(200, &json!({ "items": items })))
            }
            Call::Begin => self.begin(&account, request),
            Call::Ask | Call::Chunk => self.receive(&account, call, request),
            Call::State => {
                let patience = self.patience;
                let failure = self.failure;
                let found = self.videos.get_mut(request.query("id"));
                let found = found.filter(|video| video.account == account);
                let items = found.map(|video| video.read(request.query("id"), patience, failure));
                Ok(json_response(
                    200,
                    &json!({ "items": items.into_iter().collect::<Vec<_>>() }),
                ))
            }
            Call::Figures => Ok(self.list_statistics(&account, request.query("id"))),
            Call::Publish => self.publish(&account, request),
            Call::Delete => {
                let id = request.query("id");
                let found = self.videos.get(id);
                found
                    .filter(|video| video.account == account)
                    .ok_or((404, "videoNotFound"))?;
                self.videos.remove(id);
                self.deleted.push(id.to_owned());
                Ok(response(204, &[], ""))
            }
            Call::Cover => {
                let is_jpeg = request.body.starts_with(&[0xff, 0xd8, 0xff]);
                if request.body.is_empty() || request.body.len() > 2_000_000 || !is_jpeg {
                    return Err((400, "invalidImage"));
                }
                let found = self.videos.get_mut(request.query("videoId"));
                found.ok_or((404, "videoNotFound"))?.cover = Some(request.body.clone());
                Ok(json_response(200, &json!({ "items": [] })))
            }
            Call::Comment => {
                let body = request.json();
                let snippet = &body["snippet"];
                let id = snippet["videoId"].as_str().unwrap_or_default();
                let text = snippet["topLevelComment"]["snippet"]["textOriginal"].as_str();
                let found = self.videos.get_mut(id).ok_or((404, "videoNotFound"))?;
                if found.privacy == "private" {
                    return Err((403, "forbidden"));
                }
                found
                    .comments
                    .push(text.ok_or((400, "commentTextRequired"))?.to_owned());
                Ok(json_response(200, &json!({ "id": "Ugz1" })))
            }
            Call::Finish => {
                let body = request.json();
                let snippet = &body["snippet"];
                let list = snippet["playlistId"].as_str().unwrap_or_default();
                let list = self.playlists.get_mut(list);
                let list = list.ok_or((404, "playlistNotFound"))?;
                let id = snippet["resourceId"]["videoId"].as_str();
                list.push(id.ok_or((400, "resourceIdRequired"))?.to_owned());
                Ok(json_response(200, &json!({ "id": "item" })))
            }
        }
    }

    fn begin(&mut self, account: &str, request: &Received) -> Result<Response<Body>, Refusal> {
        let metadata = request.json();
        let title = metadata["snippet"]["title"].as_str().unwrap_or_default();
        let description = metadata["snippet"]["description"].as_str();
        if title.is_empty() || title.chars().count() > 100 || title.contains(['<', '>']) {
            return Err((400, "invalidTitle"));
        }
        if description.is_none_or(|text| text.len() > 5_000 || text.contains(['<', '>'])) {
            return Err((400, "invalidDescription"));
        }
        let parts = [request.query("uploadType"), request.query("part")];
        if parts != ["resumable", "snippet,status"] || metadata["status"]["privacyStatus"].is_null()
        {
            return Err((400, "badRequest"));
        }
        let size = request.header("x-upload-content-length").parse();
        let size = size.map_err(|_| (400, "mediaBodyRequired"))?;
        if self.uploads_left == 0 {
            return Err((400, "uploadLimitExceeded"));
        }
        self.uploads_left -= 1;
        let id = format!("sessao{}", self.sessions.len() + 1);
        let address = format!(
            "{}/upload/youtube/v3/videos?uploadType=resumable&upload_id={id}",
            request.origin
        );
        let session = Session {
            account: account.to_owned(),
            metadata,
            size,
            bytes: vec![],
            video: None,
            has_expired: false,
        };
        self.sessions.insert(id, session);
        Ok(response(200, &[("location", &address)], ""))
    }

    /// Receives a chunk, or returns the number of bytes received so far.
    fn receive(
        &mut self,
        account: &str,
        call: Call,
        request: &Received,
    ) -> Result<Response<Body>, Refusal> {
        let most = self.most_per_chunk;
        let session = self.sessions.get_mut(request.query("upload_id"));
        let session = session.filter(|session| !session.has_expired && session.account == account);
        let session = session.ok_or((404, "notFound"))?;
        if call == Call::Chunk && session.video.is_none() {
            let range = request.header("content-range").trim_start_matches("bytes ");
            let (range, size) = range.split_once('/').ok_or((400, "badRequest"))?;
            let (first, last) = range.split_once('-').ok_or((400, "badRequest"))?;
            let numbers = [first, last, size].map(|number| number.parse::<usize>().unwrap_or(0));
            let [first, last, size] = numbers;
            let is_last = last + 1 == session.size;
            if size != session.size
                || request.body.len() != last + 1 - first
                || first > session.bytes.len()
                || (!is_last && !request.body.len().is_multiple_of(UNIT))
            {
                return Err((400, "badRequest"));
            }
            // Ignores a chunk whose bytes were already received.
            if first == session.bytes.len() {
                let arrived = request.body.len().min(most);
                session.bytes.extend_from_slice(&request.body[..arrived]);
            }
            if session.bytes.len() == session.size {
                self.created += 1;
                let id = format!("video_{}", self.created);
                let status = &session.metadata["status"]["privacyStatus"];
                let video = Video {
                    account: account.to_owned(),
                    snippet: session.metadata["snippet"].clone(),
                    privacy: status.as_str().unwrap_or_default().to_owned(),
                    bytes: session.bytes.clone(),
                    cover: None,
                    comments: vec![],
                    updates: 0,
                    polls: 0,
                };
                session.video = Some(id.clone());
                self.videos.insert(id, video);
            }
        }
        if let Some(video) = &session.video {
            return Ok(json_response(201, &json!({ "id": video })));
        }
        let range = format!("bytes=0-{}", session.bytes.len().saturating_sub(1));
        let headers: &[(&str, &str)] = match session.bytes.is_empty() {
            true => &[],
            false => &[("range", &range)],
        };
        Ok(response(308, headers, ""))
    }

    /// The statistics of videos of the account. Omits ids of other videos.
    fn list_statistics(&mut self, account: &str, ids: &str) -> Response<Body> {
        self.asked.push(ids.to_owned());
        let own = |id: &&str| {
            let video = self.videos.get(*id);
            video.is_some_and(|video| video.account == account)
        };
        let items = ids.split(',').filter(own);
        let items = items.map(|id| json!({ "id": id, "statistics": self.statistics }));
        json_response(200, &json!({ "items": items.collect::<Vec<_>>() }))
    }

    fn publish(&mut self, account: &str, request: &Received) -> Result<Response<Body>, Refusal> {
        let audit = self.audit;
        let body = request.json();
        let id = body["id"].as_str().unwrap_or_default();
        let asked = body["status"]["privacyStatus"].as_str();
        let asked = asked.ok_or((400, "invalidVideoMetadata"))?;
        let video = self.videos.get_mut(id);
        let video = video.filter(|video| video.account == account);
        let video = video.ok_or((404, "videoNotFound"))?;
        video.updates += 1;
        if audit == Audit::Passed {
            video.privacy = asked.to_owned();
        }
        let told = match audit {
            Audit::LockedSilently => asked,
            _ => video.privacy.as_str(),
        };
        let status = json!({ "privacyStatus": told, "uploadStatus": "processed" });
        Ok(json_response(200, &json!({ "id": id, "status": status })))
    }
}

impl Video {
    fn read(
        &mut self,
        id: &str,
        patience: u32,
        failure: Option<(&'static str, &'static str)>,
    ) -> Value {
        self.polls += 1;
        let title = self.snippet["title"].as_str().unwrap_or_default();
        let failure = failure.filter(|(part, _)| title.contains(part));
        let mut status = json!({ "privacyStatus": self.privacy, "uploadStatus": "uploaded" });
        match failure {
            _ if self.polls <= patience => {}
            Some((_, reason)) => {
                status["uploadStatus"] = "failed".into();
                status["failureReason"] = reason.into();
            }
            None => status["uploadStatus"] = "processed".into(),
        }
        json!({ "id": id, "status": status })
    }
}
