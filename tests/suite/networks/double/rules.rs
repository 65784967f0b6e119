//! The rules by which each network accepts or refuses authorizations, tokens and calls.

use axum::{
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{CLIENT, CLIENT_SECRET, Call, Code, Fields, NetworkState, World, json_response};

/// The body of a success response, or the status and body of an error response.
type Answered = Result<Value, (u16, Value)>;

impl NetworkState {
    pub(super) fn issue_secret(&mut self, kind: &str) -> String {
        let token = format!("{kind}-{}", domain::random_text::<24>());
        self.issued.push(token.clone());
        token
    }

    fn issue_access_token(&mut self, network: &str) -> String {
        let token = self.issue_secret("acesso");
        self.access.insert(token.clone(), network.into());
        token
    }

    fn issue_refresh_token(&mut self, network: &str) -> String {
        let token = self.issue_secret("renova");
        self.refresh.insert(token.clone(), network.into());
        token
    }

    /// Removes the code; returns whether its network, redirect URI and PKCE verifier match.
    fn redeem_code(&mut self, network: &str, fields: &Fields) -> bool {
        let Some(code) = fields.get("code").and_then(|code| self.codes.remove(code)) else {
            return false;
        };
        let verified = match &code.challenge {
            None => !fields.contains_key("code_verifier"),
            Some(challenge) => fields.get("code_verifier").is_some_and(|verifier| {
                URL_SAFE_NO_PAD.encode(Sha256::digest(verifier)) == *challenge
            }),
        };
        verified
            && code.network == network
            && fields.get("redirect_uri") == Some(&code.redirect_uri)
    }

    /// Whether the refresh token is valid. Presenting a replaced token removes all refresh tokens
    /// of the network.
    fn accepts_refresh_token(&mut self, network: &str, token: &str) -> bool {
        if self.spent.contains(token) {
            self.reused += 1;
            self.refresh.retain(|_, of| of != network);
            return false;
        }
        self.refresh.get(token).is_some_and(|of| of == network)
    }
}

/// Checks the authorization request and redirects with a code, as after the user's consent.
pub(super) fn authorize(world: &World, network: &str, query: &Fields) -> Response {
    let get = |name: &str| query.get(name).map_or("", String::as_str);
    let client = if network == "shortvideo" {
        "client_key"
    } else {
        "client_id"
    };
    let separator = if ["shortvideo", "instagram"].contains(&network) {
        ","
    } else {
        " "
    };
    let scopes = match network {
        "shortvideo" => vec![
            "user.info.basic",
            "video.publish",
            "video.upload",
            "video.list",
        ],
        "instagram" => vec![
            "instagram_business_basic",
            "instagram_business_content_publish",
            "instagram_business_manage_comments",
            "instagram_business_manage_insights",
        ],
        "youtube" => vec![
            "https://www.googleapis.com/auth/youtube.upload",
            "https://www.googleapis.com/auth/youtube.readonly",
            "https://www.googleapis.com/auth/youtube.force-ssl",
        ],
        _ => vec!["openid", "profile", "w_member_social"],
    };
    let pkce = get("code_challenge_method") == "S256" && get("code_challenge").len() == 43;
    let right = get(client) == CLIENT
        && get("response_type") == "code"
        && get("scope") == scopes.join(separator)
        && get("redirect_uri").ends_with(&format!("/oauth/{network}/callback"))
        && !get("state").is_empty()
        && (network != "youtube"
            || (get("access_type") == "offline" && get("prompt") == "consent" && pkce))
        && (network == "youtube" || !query.contains_key("code_challenge"));
    if !right {
        return json_response(400, &json!({ "error": "invalid_request" }));
    }
    let mut recorded = world.state.lock().expect("no panic");
    let code = recorded.issue_secret("codigo");
    *recorded.consents.entry(network.into()).or_default() += 1;
    recorded.codes.insert(
        code.clone(),
        Code {
            network: network.into(),
            redirect_uri: get("redirect_uri").into(),
            challenge: query.get("code_challenge").cloned(),
        },
    );
    let answer = form_urlencoded::Serializer::new(String::new())
        .extend_pairs([
            ("code", &*code),
            ("state", get("state")),
            ("scopes", get("scope")),
        ])
        .finish();
    let to = format!("{}?{answer}", get("redirect_uri"));
    (StatusCode::FOUND, [(header::LOCATION, to)]).into_response()
}

/// A request to the double, and the state of the double.
pub(super) struct Asked<'a> {
    pub(super) recorded: &'a mut NetworkState,
    pub(super) fields: &'a Fields,
    pub(super) query: &'a Fields,
    pub(super) bearer: Option<&'a str>,
}

impl<'a> Asked<'a> {
    fn get(&self, name: &str) -> &'a str {
        self.fields.get(name).map_or("", String::as_str)
    }

    fn has_valid_client(&self, parameter: &str) -> bool {
        self.get(parameter) == CLIENT && self.get("client_secret") == CLIENT_SECRET
    }

    fn has_only_fields(&self, names: &[&str]) -> bool {
        self.fields.keys().all(|name| names.contains(&&**name))
    }

    fn account_id(&self) -> String {
        self.recorded
            .account
            .clone()
            .unwrap_or_else(|| "conta-1".into())
    }

    fn account_name(&self) -> String {
        self.recorded
            .name
            .clone()
            .unwrap_or_else(|| "Cozinha da Redação".into())
    }

    fn accepts_access_token(&self, network: &str, token: Option<&str>) -> bool {
        token
            .and_then(|token| self.recorded.access.get(token))
            .is_some_and(|of| of == network)
    }

    /// TikTok returns errors with status 200 and rotates the refresh token.
    pub(super) fn answer_as_tiktok(self, call: Call) -> Answered {
        let refused = |code: &str| {
            Err((
                200,
                json!({ "error": code, "error_description": "…", "log_id": "1" }),
            ))
        };
        let known = [
            "client_key",
            "client_secret",
            "code",
            "grant_type",
            "redirect_uri",
            "refresh_token",
            "token",
        ];
        if call == Call::Profile {
            let fields = self.query.get("fields").map(String::as_str);
            if !self.accepts_access_token("shortvideo", self.bearer)
                || fields != Some("open_id,display_name,avatar_url")
            {
                return Err((
                    401,
                    json!({ "data": {}, "error": { "code": "access_token_invalid", "message": "…", "log_id": "1" } }),
                ));
            }
            let user = json!({ "open_id": self.account_id(), "display_name": self.account_name(), "avatar_url": "https://p16.tiktokcdn.test/a.jpeg" });
            return Ok(
                json!({ "data": { "user": user }, "error": { "code": "ok", "message": "", "log_id": "1" } }),
            );
        }
        if !self.has_only_fields(&known) || !self.has_valid_client("client_key") {
            return refused("invalid_client");
        }
        let token = self.get("token").to_owned();
        let refresh = self.get("refresh_token").to_owned();
        match (call, self.get("grant_type")) {
            (Call::Revoke, "") => {
                if self.recorded.access.remove(&token).is_none() {
                    return refused("invalid_request");
                }
                self.recorded.refresh.retain(|_, of| of != "shortvideo");
                return Ok(Value::Null);
            }
            (Call::Exchange, "authorization_code") => {
                if !self.recorded.redeem_code("shortvideo", self.fields) {
                    return refused("invalid_grant");
                }
            }
            (Call::Renew, "refresh_token") => {
                if !self.recorded.accepts_refresh_token("shortvideo", &refresh) {
                    return refused("invalid_grant");
                }
                self.recorded.refresh.remove(&refresh);
                self.recorded.spent.insert(refresh);
            }
            _ => return refused("invalid_request"),
        }
        let id = self.account_id();
        let (access, refresh) = (
            self.recorded.issue_access_token("shortvideo"),
            self.recorded.issue_refresh_token("shortvideo"),
        );
        Ok(json!({
            "access_token": access, "expires_in": 86_400, "refresh_token": refresh,
            "refresh_expires_in": 31_536_000, "open_id": id,
            "scope": "user.info.basic,video.publish,video.upload,video.list", "token_type": "Bearer",
        }))
    }

    /// Instagram exchanges the code for a short-lived token, and the short-lived token for a
    /// long-lived one. Instagram issues no refresh tokens.
    pub(super) fn answer_as_instagram(self, call: Call) -> Answered {
        let refused = || {
            let error = json!({ "message": "…", "type": "OAuthException", "code": 190 });
            Err((400, json!({ "error": error })))
        };
        let query = |name: &str| self.query.get(name).map(String::as_str);
        let token = query("access_token").map(str::to_owned);
        let long = |asked: Self| {
            let access = asked.recorded.issue_access_token("instagram");
            Ok(json!({ "access_token": access, "token_type": "bearer", "expires_in": 5_183_944 }))
        };
        match call {
            Call::Exchange => {
                let known = [
                    "client_id",
                    "client_secret",
                    "code",
                    "grant_type",
                    "redirect_uri",
                ];
                let right = self.has_only_fields(&known)
                    && self.has_valid_client("client_id")
                    && self.get("grant_type") == "authorization_code";
                if !right || !self.recorded.redeem_code("instagram", self.fields) {
                    let body = json!({ "error_type": "OAuthException", "code": 400, "error_message": "…" });
                    return Err((400, body));
                }
                let short = self.recorded.issue_secret("curto");
                self.recorded
                    .access
                    .insert(short.clone(), "instagram-short".into());
                Ok(
                    json!({ "access_token": short, "user_id": 17_841_400, "permissions": "instagram_business_basic" }),
                )
            }
            Call::Longer => {
                let right = query("grant_type") == Some("ig_exchange_token")
                    && query("client_secret") == Some(CLIENT_SECRET)
                    && self.accepts_access_token("instagram-short", token.as_deref());
                if right { long(self) } else { refused() }
            }
            Call::Renew => {
                let right = query("grant_type") == Some("ig_refresh_token")
                    && self.accepts_access_token("instagram", token.as_deref());
                if right { long(self) } else { refused() }
            }
            _ if !self.accepts_access_token("instagram", token.as_deref()) => refused(),
            _ => Ok(
                json!({ "user_id": self.account_id(), "username": self.account_name(), "id": "9" }),
            ),
        }
    }

    /// YouTube issues the refresh token with the first consent only and never rotates it.
    pub(super) fn answer_as_youtube(self, call: Call) -> Answered {
        let refused =
            |status, code: &str| Err((status, json!({ "error": code, "error_description": "…" })));
        let known = [
            "client_id",
            "client_secret",
            "code",
            "grant_type",
            "redirect_uri",
            "refresh_token",
            "code_verifier",
        ];
        match call {
            Call::Profile => {
                let query = |name: &str| self.query.get(name).map(String::as_str);
                let right = query("part") == Some("snippet") && query("mine") == Some("true");
                if !right || !self.accepts_access_token("youtube", self.bearer) {
                    return Err((401, json!({ "error": { "code": 401, "message": "…" } })));
                }
                let snippet = json!({ "title": self.account_name(), "thumbnails": { "default": { "url": "https://yt3.test/a.jpg" } } });
                return Ok(json!({ "items": [{ "id": self.account_id(), "snippet": snippet }] }));
            }
            Call::Revoke => {
                let token = self.get("token");
                if self.recorded.refresh.remove(token).is_none()
                    && self.recorded.access.remove(token).is_none()
                {
                    return refused(400, "invalid_token");
                }
                self.recorded.access.retain(|_, of| of != "youtube");
                return Ok(json!({}));
            }
            _ => {}
        }
        if !self.has_only_fields(&known) || !self.has_valid_client("client_id") {
            return refused(401, "invalid_client");
        }
        let mut answer = json!({
            "expires_in": 3_599, "token_type": "Bearer",
            "scope": "https://www.googleapis.com/auth/youtube.upload https://www.googleapis.com/auth/youtube.readonly",
        });
        let refresh = self.get("refresh_token").to_owned();
        match (call, self.get("grant_type")) {
            (Call::Exchange, "authorization_code") => {
                if !self.recorded.redeem_code("youtube", self.fields) {
                    return refused(400, "invalid_grant");
                }
                if self.recorded.consents["youtube"] == 1 {
                    answer["refresh_token"] = self.recorded.issue_refresh_token("youtube").into();
                }
            }
            (Call::Renew, "refresh_token")
                if self.recorded.accepts_refresh_token("youtube", &refresh) => {}
            (Call::Renew, "refresh_token") => return refused(400, "invalid_grant"),
            _ => return refused(400, "invalid_request"),
        }
        answer["access_token"] = self.recorded.issue_access_token("youtube").into();
        Ok(answer)
    }

    /// LinkedIn's access tokens are valid for 60 days. Only approved applications get refresh
    /// tokens.
    pub(super) fn answer_as_linkedin(self, call: Call) -> Answered {
        let refused =
            |status, code: &str| Err((status, json!({ "error": code, "error_description": "…" })));
        if call == Call::Profile {
            if !self.accepts_access_token("linkedin", self.bearer) {
                return Err((
                    401,
                    json!({ "status": 401, "serviceErrorCode": 65_600, "code": "INVALID_ACCESS_TOKEN" }),
                ));
            }
            return Ok(
                json!({ "sub": self.account_id(), "name": self.account_name(), "picture": "http://inseguro.test/a.jpg" }),
            );
        }
        let known = [
            "client_id",
            "client_secret",
            "code",
            "grant_type",
            "redirect_uri",
            "refresh_token",
        ];
        if !self.has_only_fields(&known) || !self.has_valid_client("client_id") {
            return refused(401, "invalid_client");
        }
        let refresh = self.get("refresh_token").to_owned();
        match (call, self.get("grant_type")) {
            (Call::Exchange, "authorization_code")
                if self.recorded.redeem_code("linkedin", self.fields) => {}
            (Call::Renew, "refresh_token")
                if self.recorded.accepts_refresh_token("linkedin", &refresh) => {}
            _ => return refused(400, "invalid_grant"),
        }
        let access = self.recorded.issue_access_token("linkedin");
        let mut answer = json!({ "access_token": access, "expires_in": 5_184_000, "scope": "openid,profile,w_member_social" });
        if self.recorded.approved {
            answer["refresh_token"] = match call {
                Call::Renew => refresh,
                _ => self.recorded.issue_refresh_token("linkedin"),
            }
            .into();
            answer["refresh_token_expires_in"] = 31_536_000.into();
        }
        Ok(answer)
    }
}
