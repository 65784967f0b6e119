//! A double of the OAuth APIs of four social networks, built after their documentation. It refuses
//! the requests that the real APIs refuse, and counts the calls.
//!
//! The base URLs of a network differ in their first path segment, so that a request to the wrong
//! base URL is refused. A request to the authorization URL simulates a user who grants access; the
//! response redirects to the callback.

mod rules;

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, VecDeque},
    sync::{Arc, Mutex},
};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::{Request, State},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};

use serde_json::{Value, json};

use tokio::{net::TcpListener, sync::watch};

use crate::support::Settings;
use rules::{Asked, authorize};

pub const CLIENT: &str = "aplicativo-da-equipe";
/// The client secret for every network. A test searches all output for it.
pub const CLIENT_SECRET: &str = "segredo-do-aplicativo-4f9c2a";

/// The kinds of calls that the double counts and can make fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Call {
    Exchange,
    Longer,
    Renew,
    Revoke,
    Profile,
}

/// How one call fails.
#[derive(Debug, Clone)]
pub enum Fault {
    /// Responds with this status, content type and body, and does not process the request.
    Answer(u16, &'static str, String),
    /// Redirects to another URL, and does not process the request.
    Redirect(String),
    /// Never responds, and does not process the request.
    Silent,
    /// Breaks off the response, after the effect.
    Lost,
    /// Responds without this field, after the effect.
    Without(&'static str),
}

/// The double, which listens on a local port.
#[derive(Clone)]
pub struct Networks {
    base: String,
    world: Arc<World>,
}

#[derive(Default)]
struct World {
    state: Mutex<NetworkState>,
    /// While true, the double holds back requests that renew a token.
    held: watch::Sender<bool>,
    calls: watch::Sender<Vec<(String, Call)>>,
}

#[derive(Default)]
struct NetworkState {
    codes: HashMap<String, Code>,
    /// The network of each valid access token.
    access: HashMap<String, String>,
    /// The network of each valid refresh token.
    refresh: HashMap<String, String>,
    /// Refresh tokens that were replaced by rotation.
    spent: BTreeSet<String>,
    /// The number of times a replaced refresh token was presented.
    reused: usize,
    consents: BTreeMap<String, usize>,
    faults: HashMap<Call, VecDeque<Fault>>,
    issued: Vec<String>,
    account: Option<String>,
    name: Option<String>,
    /// Whether LinkedIn has approved the application. Only approved applications get refresh
    /// tokens.
    approved: bool,
}

struct Code {
    network: String,
    redirect_uri: String,
    challenge: Option<String>,
}

type Fields = BTreeMap<String, String>;

impl Networks {
    pub async fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let world = Arc::new(World::default());
        let router = Router::new()
            .fallback(handle_request)
            .with_state(world.clone());
        tokio::spawn(axum::serve(listener, router).into_future());
        Self {
            base: format!("http://{address}"),
            world,
        }
    }

    /// The settings that point every network to this double, except the authorization URL of
    /// YouTube.
    pub fn example_settings(&self) -> Settings {
        let mut settings = self.settings();
        settings.retain(|(name, _)| *name != "PAUTA_YOUTUBE_AUTH_BASE_URL");
        settings
    }

    /// The settings that point every network to this double.
    pub fn settings(&self) -> Settings {
        let at = |place: &str| format!("{}/{place}", self.base);
        vec![
            ("PAUTA_TIKTOK_CLIENT_KEY", CLIENT.into()),
            ("PAUTA_TIKTOK_CLIENT_SECRET", CLIENT_SECRET.into()),
            ("PAUTA_TIKTOK_BASE_URL", at("tt-api")),
            ("PAUTA_TIKTOK_AUTH_BASE_URL", at("tt-www")),
            ("PAUTA_INSTAGRAM_CLIENT_ID", CLIENT.into()),
            ("PAUTA_INSTAGRAM_CLIENT_SECRET", CLIENT_SECRET.into()),
            ("PAUTA_INSTAGRAM_BASE_URL", at("ig-graph")),
            ("PAUTA_INSTAGRAM_AUTH_BASE_URL", at("ig-www")),
            ("PAUTA_INSTAGRAM_TOKEN_BASE_URL", at("ig-api")),
            ("PAUTA_YOUTUBE_CLIENT_ID", CLIENT.into()),
            ("PAUTA_YOUTUBE_CLIENT_SECRET", CLIENT_SECRET.into()),
            ("PAUTA_YOUTUBE_BASE_URL", at("yt-api")),
            ("PAUTA_YOUTUBE_AUTH_BASE_URL", at("yt-accounts")),
            ("PAUTA_YOUTUBE_TOKEN_BASE_URL", at("yt-oauth")),
            ("PAUTA_LINKEDIN_CLIENT_ID", CLIENT.into()),
            ("PAUTA_LINKEDIN_CLIENT_SECRET", CLIENT_SECRET.into()),
            ("PAUTA_LINKEDIN_BASE_URL", at("li-api")),
            ("PAUTA_LINKEDIN_AUTH_BASE_URL", at("li-www")),
        ]
    }

    fn lock_state(&self) -> std::sync::MutexGuard<'_, NetworkState> {
        self.world.state.lock().expect("no panic")
    }

    /// Makes the next call of this kind fail. Repeated calls queue faults for the calls after it.
    pub fn fail_next(&self, call: Call, fault: Fault) {
        self.lock_state()
            .faults
            .entry(call)
            .or_default()
            .push_back(fault);
    }

    /// Sets the account that grants access from now on.
    pub fn set_account(&self, id: &str, name: &str) {
        let mut recorded = self.lock_state();
        recorded.account = Some(id.into());
        recorded.name = Some(name.into());
    }

    /// Marks the application as approved by LinkedIn.
    pub fn approve_application(&self) {
        self.lock_state().approved = true;
    }

    /// With `true`, holds back requests that renew a token, until it is called with `false`.
    pub fn hold_renewals(&self, held: bool) {
        self.world.held.send_replace(held);
    }

    /// The number of calls of this kind that a network has received.
    pub fn count_calls(&self, network: &str, call: Call) -> usize {
        let calls = self.world.calls.borrow();
        calls
            .iter()
            .filter(|(n, c)| n == network && *c == call)
            .count()
    }

    /// Waits until a network has received this many calls of this kind.
    pub async fn wait_for_calls(&self, network: &str, call: Call, times: usize) {
        let mut calls = self.world.calls.subscribe();
        let done = calls.wait_for(|calls| {
            calls
                .iter()
                .filter(|(n, c)| n == network && *c == call)
                .count()
                >= times
        });
        done.await.expect("the double lives");
    }

    /// The number of times a replaced refresh token was presented.
    pub fn count_reused_tokens(&self) -> usize {
        self.lock_state().reused
    }

    /// All tokens and codes that were issued.
    pub fn issued_secrets(&self) -> Vec<String> {
        self.lock_state().issued.clone()
    }

    /// The access tokens that are valid now.
    pub fn valid_access_tokens(&self) -> Vec<String> {
        self.lock_state().access.keys().cloned().collect()
    }

    /// Grants access at this authorization URL; returns the path and query of the callback.
    pub async fn authorize(&self, url: &str) -> String {
        let address = url.replacen(
            "https://accounts.google.com",
            &format!("{}/yt-accounts", self.base),
            1,
        );
        let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
        let answer = client.build().expect("a client").get(&address).send().await;
        let answer = answer.expect("an answer");
        let status = answer.status().as_u16();
        let to = answer.headers().get(header::LOCATION);
        let to = to.map(|to| to.to_str().expect("text").to_owned());
        assert_eq!(
            status,
            302,
            "the network refuses {url}: {}",
            answer.text().await.expect("text")
        );
        let to = to.expect("an address");
        let (_, rest) = to.split_once("://").expect("a scheme");
        let (_, path) = rest.split_once('/').expect("a path");
        format!("/{path}")
    }
}

fn parse_form(headers: &HeaderMap, body: &Bytes) -> Option<Fields> {
    let kind = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    (kind == "application/x-www-form-urlencoded").then(|| parse_pairs(body))
}

fn parse_pairs(text: &[u8]) -> Fields {
    form_urlencoded::parse(text).into_owned().collect()
}

fn json_response(status: u16, body: &Value) -> Response {
    let status = StatusCode::from_u16(status).expect("a status");
    let json = [(header::CONTENT_TYPE, "application/json; charset=utf-8")];
    (status, json, body.to_string()).into_response()
}

async fn handle_request(State(world): State<Arc<World>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = axum::body::to_bytes(body, 100_000).await.expect("a body");
    let query = parse_pairs(parts.uri.query().unwrap_or_default().as_bytes());
    let path = parts.uri.path().to_owned();
    let fields = parse_form(&parts.headers, &body).unwrap_or_default();
    let bearer = parts.headers.get(header::AUTHORIZATION);
    let bearer = bearer.and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "));
    let renews = fields
        .get("grant_type")
        .is_some_and(|kind| kind == "refresh_token");
    let token = if renews { Call::Renew } else { Call::Exchange };
    let (network, call) = match (parts.method.as_str(), &*path) {
        ("GET", "/tt-www/v2/auth/authorize/") => return authorize(&world, "shortvideo", &query),
        ("GET", "/ig-www/oauth/authorize") => return authorize(&world, "instagram", &query),
        ("GET", "/yt-accounts/o/oauth2/v2/auth") => return authorize(&world, "youtube", &query),
        ("GET", "/li-www/oauth/v2/authorization") => return authorize(&world, "linkedin", &query),
        ("POST", "/tt-api/v2/oauth/token/") => ("shortvideo", token),
        ("POST", "/tt-api/v2/oauth/revoke/") => ("shortvideo", Call::Revoke),
        ("GET", "/tt-api/v2/user/info/") => ("shortvideo", Call::Profile),
        ("POST", "/ig-api/oauth/access_token") => ("instagram", Call::Exchange),
        ("GET", "/ig-graph/access_token") => ("instagram", Call::Longer),
        ("GET", "/ig-graph/refresh_access_token") => ("instagram", Call::Renew),
        ("GET", "/ig-graph/me") => ("instagram", Call::Profile),
        ("POST", "/yt-oauth/token") => ("youtube", token),
        ("POST", "/yt-oauth/revoke") => ("youtube", Call::Revoke),
        ("GET", "/yt-api/youtube/v3/channels") => ("youtube", Call::Profile),
        ("POST", "/li-www/oauth/v2/accessToken") => ("linkedin", token),
        ("GET", "/li-api/v2/userinfo") => ("linkedin", Call::Profile),
        _ => return json_response(404, &json!({ "error": "not_found" })),
    };
    world
        .calls
        .send_modify(|calls| calls.push((network.into(), call)));
    if call == Call::Renew {
        let mut held = world.held.subscribe();
        held.wait_for(|held| !held).await.expect("the double lives");
    }
    let fault = {
        let mut recorded = world.state.lock().expect("no panic");
        recorded.faults.get_mut(&call).and_then(VecDeque::pop_front)
    };
    match &fault {
        Some(Fault::Answer(status, kind, body)) => {
            let status = StatusCode::from_u16(*status).expect("a status");
            return (status, [(header::CONTENT_TYPE, *kind)], body.clone()).into_response();
        }
        Some(Fault::Redirect(to)) => {
            return (StatusCode::FOUND, [(header::LOCATION, to.clone())]).into_response();
        }
        Some(Fault::Silent) => std::future::pending().await,
        Some(Fault::Lost | Fault::Without(_)) | None => {}
    }
    let answered = {
        let mut recorded = world.state.lock().expect("no panic");
        let asked = Asked {
            recorded: &mut recorded,
            fields: &fields,
            query: &query,
            bearer,
        };
        match network {
            "shortvideo" => asked.answer_as_tiktok(call),
            "instagram" => asked.answer_as_instagram(call),
            "youtube" => asked.answer_as_youtube(call),
            _ => asked.answer_as_linkedin(call),
        }
    };
    match (answered, fault) {
        (_, Some(Fault::Lost)) => {
            let broken = futures::stream::iter([
                Ok(Bytes::from_static(b"{\"access_to")),
                Err(std::io::Error::other("broken off")),
            ]);
            let json = [(header::CONTENT_TYPE, "application/json")];
            (json, Body::from_stream(broken)).into_response()
        }
        (Ok(mut body), Some(Fault::Without(field))) => {
            body.as_object_mut().expect("an object").remove(field);
            json_response(200, &body)
        }
        (Ok(Value::Null), _) => StatusCode::OK.into_response(),
        (Ok(body), _) => json_response(200, &body),
        (Err((status, body)), _) => json_response(status, &body),
    }
}
