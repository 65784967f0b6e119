//! The state of the double.

use std::{collections::BTreeMap, sync::Arc};

use axum::body::{Body, Bytes};
use domain::time::{HOUR, MINUTE, Millis};
use hyper::{Response, header, http::request::Parts};
use ports::Clock;
use serde_json::{Value, json};

use super::{CLIENT, Call, error_response, ok_response, response_with, rules};

/// The accounts, tokens, settings and publications of the API.
pub struct World {
    /// The account and expiry of each access token.
    pub tokens: BTreeMap<String, (String, Millis)>,
    /// The account of each refresh token.
    pub refresh: BTreeMap<String, String>,
    /// The URL prefix that photo URLs must have.
    pub verified_prefix: String,
    pub audited: bool,
    pub privacy_levels: Vec<&'static str>,
    pub comment_disabled: bool,
    pub max_seconds: u64,
    /// The number of status calls after which a publication ends.
    pub patience: u32,
    /// Pairs of a text and a reason: publications with the text in their caption fail for the
    /// reason.
    pub failures: Vec<(&'static str, &'static str)>,
    /// The scopes that each token has.
    pub scope: &'static str,
    /// True if the status of an upload omits the number of received bytes.
    pub hides_bytes: bool,
    /// True if the status of a publication omits the id of its post.
    pub hides_ids: bool,
    /// Whether to enforce the limit of calls per minute.
    pub limits: bool,
    pub upload_origin: Option<String>,
    /// Every accepted call: its kind, its account, and its time.
    pub calls: Vec<(Call, String, Millis)>,
    /// The code of every request that was refused as invalid.
    pub refusals: Vec<String>,
    pub effects: BTreeMap<String, Effect>,
    pub clock: Option<Arc<dyn Clock>>,
    /// The accounts whose options (`creator_info`) were requested.
    asked: Vec<String>,
}

/// A publication.
#[derive(Debug, Clone)]
pub struct Effect {
    pub account: String,
    /// The body of the request that created the publication.
    pub request: Value,
    pub caption: String,
    /// The received bytes of a video.
    pub bytes: Vec<u8>,
    pub size: u64,
    pub polls: u32,
    /// The id of the post; a post has this id only once it is online.
    pub post_id: u64,
    pub since: Millis,
    /// True if the test made the upload expire.
    pub expired: bool,
}

impl Effect {
    pub fn is_complete(&self) -> bool {
        self.bytes.len() as u64 == self.size
    }
}

impl Default for World {
    fn default() -> Self {
        Self::new()
    }
}

impl World {
    pub fn new() -> Self {
        Self {
            tokens: BTreeMap::new(),
            refresh: BTreeMap::new(),
            verified_prefix: "https://pauta.test/".into(),
            audited: true,
            privacy_levels: vec!["PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"],
            comment_disabled: false,
            max_seconds: 300,
            patience: 1,
            failures: vec![],
            scope: "user.info.basic,video.publish,video.upload,video.list",
            hides_bytes: false,
            hides_ids: false,
            limits: true,
            upload_origin: None,
            calls: vec![],
            refusals: vec![],
            effects: BTreeMap::new(),
            clock: None,
            asked: vec![],
        }
    }

    fn now(&self) -> Millis {
        self.clock.as_ref().map_or(0, |clock| clock.now())
    }

    /// The publications with this caption that are or will be online.
    pub fn online_effects(&self, caption: &str) -> Vec<&Effect> {
        let all = self.effects.values();
        all.filter(|effect| effect.caption == caption)
            .filter(|effect| effect.is_complete() && self.failure_reason(effect).is_none())
            .collect()
    }

    fn failure_reason(&self, effect: &Effect) -> Option<&'static str> {
        let found = self.failures.iter();
        let mut found = found.filter(|(part, _)| effect.caption.contains(part));
        found.next().map(|(_, reason)| *reason)
    }

    /// Makes all uploads expire.
    pub fn expire_uploads(&mut self) {
        for effect in self.effects.values_mut() {
            effect.expired = true;
        }
    }

    pub fn handle_call(
        &mut self,
        call: Call,
        parts: &Parts,
        path: &str,
        body: &Bytes,
        base: &str,
    ) -> Response<Body> {
        let judged = match call {
            Call::Upload => self.receive_chunk(parts, path, body),
            Call::Token => Ok(self.issue_tokens(parts, body)),
            Call::Other => self.handle_other(parts, path, body),
            _ => self.handle_api_call(call, parts, body, base),
        };
        judged.unwrap_or_else(|(status, code)| {
            self.refusals.push(code.to_owned());
            error_response(status, code)
        })
    }

    fn handle_api_call(
        &mut self,
        call: Call,
        parts: &Parts,
        body: &Bytes,
        base: &str,
    ) -> Result<Response<Body>, (u16, &'static str)> {
        let account = self.authenticate(parts)?;
        let fields = rules::parse_fields(parts, body)?;
        let most = match call {
            Call::Creator => 20,
            Call::Photos | Call::Video => 6,
            _ => 30,
        };
        let now = self.now();
        let submits = |call: Call| matches!(call, Call::Photos | Call::Video);
        let recent = self
            .calls
            .iter()
            .rev()
            .take_while(|(.., at)| *at > now - MINUTE);
        let recent = recent
            .filter(|(c, of, _)| *of == account && (*c == call || submits(*c) && submits(call)));
        if self.limits && self.clock.is_some() && recent.count() >= most {
            return Err((429, "rate_limit_exceeded"));
        }
        self.calls.push((call, account.clone(), now));
        match call {
            Call::Creator => {
                self.asked.push(account);
                Ok(ok_response(&json!({
                    "creator_avatar_url": "https://p16.tiktokcdn.test/avatar.jpeg",
                    "creator_username": "cozinha",
                    "creator_nickname": "Cozinha da Helena",
                    "privacy_level_options": self.privacy_levels,
                    "comment_disabled": self.comment_disabled,
                    "duet_disabled": false,
                    "stitch_disabled": true,
                    "max_video_post_duration_sec": self.max_seconds,
                })))
            }
            Call::Photos => {
                self.require_options_requested(&account)?;
                rules::validate_photos(self, &fields)?;
                let (id, _) = self.add_effect(&account, fields, 0);
                Ok(ok_response(&json!({ "publish_id": id })))
            }
            Call::Video => {
                self.require_options_requested(&account)?;
                let size = rules::validate_video(self, &fields)?;
                let (id, secret) = self.add_effect(&account, fields, size);
                let origin = self.upload_origin.as_deref().unwrap_or(base);
                let url = format!("{origin}/upload/{id}?upload_token={secret}");
                Ok(ok_response(&json!({ "publish_id": id, "upload_url": url })))
            }
            Call::Status => self.status_response(&account, &fields),
            Call::Figures => self.figures_response(&account, parts, &fields),
            _ => unreachable!("this kind of call has no envelope"),
        }
    }

    /// Returns the account of the request's access token, or the error for an invalid token.
    fn authenticate(&self, parts: &Parts) -> Result<String, (u16, &'static str)> {
        let bearer = parts.headers.get(header::AUTHORIZATION);
        let bearer = bearer.and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "));
        let found = bearer.and_then(|token| self.tokens.get(token));
        let valid = found.filter(|(_, until)| *until > self.now());
        let account = valid.map(|(account, _)| account.clone());
        account.ok_or((401, "access_token_invalid"))
    }

    /// Issues tokens for a code or a refresh token. A code is the name of an account.
    fn issue_tokens(&mut self, parts: &Parts, body: &Bytes) -> Response<Body> {
        let fault = |code: &str| {
            let fault = json!({ "error": code, "error_description": "", "log_id": "1" });
            response_with(400, "application/json", fault.to_string().into())
        };
        let form = parts.headers.get(header::CONTENT_TYPE);
        let form = form.is_some_and(|kind| kind == "application/x-www-form-urlencoded");
        let fields: BTreeMap<String, String> = form_urlencoded::parse(body).into_owned().collect();
        let field = |name: &str| fields.get(name).map_or("", String::as_str);
        if !form || [field("client_key"), field("client_secret")] != CLIENT {
            return fault("invalid_client");
        }
        let account = match field("grant_type") {
            "authorization_code" => Some(field("code").to_owned()),
            "refresh_token" => self.refresh.get(field("refresh_token")).cloned(),
            _ => return fault("unsupported_grant_type"),
        };
        let Some(account) = account.filter(|account| account.starts_with("conta-")) else {
            return fault("invalid_grant");
        };
        let number = self.tokens.len() + 1;
        let (access, refresh) = (format!("act.{number:032}"), format!("rft.{number:032}"));
        let until = self.now() + 24 * HOUR;
        self.tokens.insert(access.clone(), (account.clone(), until));
        self.refresh.insert(refresh.clone(), account.clone());
        let granted = json!({
            "access_token": access, "expires_in": 86_400, "refresh_token": refresh,
            "refresh_expires_in": 31_536_000, "open_id": account,
            "scope": self.scope, "token_type": "Bearer",
        });
        response_with(200, "application/json", granted.to_string().into())
    }

    fn handle_other(
        &mut self,
        parts: &Parts,
        path: &str,
        body: &Bytes,
    ) -> Result<Response<Body>, (u16, &'static str)> {
        if path == "/v2/user/info/" {
            let account = self.authenticate(parts)?;
            return Ok(ok_response(&json!({ "user": {
                "open_id": account, "display_name": "Cozinha", "avatar_url": null,
            } })));
        }
        let mut fields = form_urlencoded::parse(body);
        let token = fields.find(|(name, _)| name == "token");
        let (_, token) = token.ok_or((400, "invalid_request"))?;
        self.tokens.remove(token.as_ref());
        Ok(response_with(200, "application/json", Bytes::new()))
    }

    /// Makes all access tokens expire now.
    pub fn expire_access_tokens(&mut self) {
        for (_, until) in self.tokens.values_mut() {
            *until = 0;
        }
    }

    /// Enforces a rule of the provider: the account's options must be requested before a post.
    fn require_options_requested(&mut self, account: &str) -> Result<(), (u16, &'static str)> {
        match self.asked.iter().any(|asked| asked == account) {
            true => Ok(()),
            false => Err((400, "creator_info_not_asked")),
        }
    }

    fn add_effect(&mut self, account: &str, request: Value, size: u64) -> (String, String) {
        let number = self.effects.len() + 1;
        let info = &request["post_info"];
        let caption = if size == 0 {
            &info["description"]
        } else {
            &info["title"]
        };
        let effect = Effect {
            account: account.to_owned(),
            caption: caption.as_str().unwrap_or_default().to_owned(),
            request,
            bytes: vec![],
            size,
            polls: 0,
            post_id: 7_312_000_000_000_000_000 + number as u64,
            since: self.now(),
            expired: false,
        };
        let kind = if size == 0 { "p_pub_url" } else { "v_pub_file" };
        let id = format!("{kind}~v2.{number:012}");
        self.effects.insert(id.clone(), effect);
        (id, format!("segredo-{number}"))
    }

    fn status_response(
        &mut self,
        account: &str,
        fields: &Value,
    ) -> Result<Response<Body>, (u16, &'static str)> {
        let id = fields["publish_id"].as_str().unwrap_or_default().to_owned();
        let (patience, hides_ids, hides_bytes) = (self.patience, self.hides_ids, self.hides_bytes);
        let effect = self
            .effects
            .get_mut(&id)
            .filter(|effect| effect.account == account);
        let effect = effect.ok_or((400, "invalid_publish_id"))?;
        let uploaded = effect.bytes.len();
        if !effect.is_complete() {
            return Ok(ok_response(&match hides_bytes {
                true => json!({ "status": "PROCESSING_UPLOAD" }),
                false => json!({ "status": "PROCESSING_UPLOAD", "uploaded_bytes": uploaded }),
            }));
        }
        effect.polls += 1;
        if effect.polls <= patience {
            return Ok(ok_response(&json!({
                "status": "PROCESSING_DOWNLOAD", "uploaded_bytes": uploaded
            })));
        }
        let effect = effect.clone();
        Ok(match self.failure_reason(&effect) {
            Some(reason) => ok_response(&json!({ "status": "FAILED", "fail_reason": reason })),
            None => {
                // Posts that only the account sees have no public id.
                let is_told =
                    !hides_ids && effect.request["post_info"]["privacy_level"] != "SELF_ONLY";
                let ids: Vec<u64> = is_told.then_some(effect.post_id).into_iter().collect();
                ok_response(&json!({
                    "status": "PUBLISH_COMPLETE",
                    "publicaly_available_post_id": ids,
                    "uploaded_bytes": uploaded,
                }))
            }
        })
    }

    /// The figures of the public videos of the account, at most 20.
    fn figures_response(
        &self,
        account: &str,
        parts: &Parts,
        fields: &Value,
    ) -> Result<Response<Body>, (u16, &'static str)> {
        if !self.scope.split(',').any(|scope| scope == "video.list") {
            return Err((401, "scope_not_authorized"));
        }
        let asked = parts.uri.query().unwrap_or_default();
        let ids = fields["filters"]["video_ids"].as_array();
        let ids = ids.filter(|ids| (1..=20).contains(&ids.len()));
        let ids = ids
            .filter(|_| asked.starts_with("fields=id,"))
            .ok_or((400, "invalid_params"))?;
        let is_public = |effect: &&Effect| {
            let info = &effect.request["post_info"];
            effect.account == account && info["privacy_level"] != "SELF_ONLY"
        };
        let videos = self
            .effects
            .values()
            .filter(is_public)
            .filter_map(|effect| {
                let id = effect.post_id.to_string();
                let is_asked = ids.iter().any(|asked| *asked == id.as_str());
                is_asked.then(
                    || json!({ "id": id, "view_count": 120, "like_count": 8, "share_count": 2 }),
                )
            });
        let videos: Vec<Value> = videos.collect();
        Ok(ok_response(&json!({ "videos": videos })))
    }

    fn receive_chunk(
        &mut self,
        parts: &Parts,
        path: &str,
        body: &Bytes,
    ) -> Result<Response<Body>, (u16, &'static str)> {
        let now = self.now();
        self.calls.push((Call::Upload, String::new(), now));
        if parts.headers.contains_key(header::AUTHORIZATION) {
            return Err((400, "upload_with_a_token"));
        }
        let id = path.trim_start_matches("/upload/");
        let effect = self.effects.get_mut(id).ok_or((404, "no_upload"))?;
        if effect.expired || now > effect.since + HOUR {
            return Err((403, "upload_expired"));
        }
        let received = effect.bytes.len() as u64;
        rules::validate_chunk(parts, body, received, effect)?;
        effect.bytes.extend_from_slice(body);
        let answer = Response::builder()
            .status(if effect.is_complete() { 201 } else { 206 })
            .header(
                header::CONTENT_RANGE,
                format!("bytes 0-{}/{}", effect.bytes.len() - 1, effect.size),
            );
        Ok(answer.body(Body::empty()).expect("well-formed"))
    }
}
