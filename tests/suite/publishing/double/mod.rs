//! A double of TikTok's Content Posting API, built after its documentation. It refuses the requests
//! that the real API refuses, records its publications, and fails on demand.
//!
//! <https://developers.tiktok.com/doc/content-posting-api-reference-direct-post>

mod rules;
mod world;

use std::{
    convert::Infallible,
    io,
    sync::{Arc, Mutex, MutexGuard},
};

use axum::body::{Body, Bytes};
use futures::stream;
use hyper::{Request, Response, body::Incoming, header, service::service_fn};
use hyper_util::rt::TokioIo;
use ports::Clock;
use serde_json::{Value, json};
use tokio::{net::TcpListener, sync::Notify, task::JoinSet};

pub use world::{Effect, World};

/// The account that each new `Stage` connects.
pub const ACCOUNT: &str = "conta-0001";
/// The client key and client secret of the application.
pub const CLIENT: [&str; 2] = ["aw0123456789", "segredo-do-aplicativo"];

/// The kinds of API calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Call {
    Creator,
    Photos,
    Video,
    Upload,
    Status,
    /// Reads the figures of posts.
    Figures,
    /// The exchange of a code or refresh token for an access token.
    Token,
    /// The profile of an account, or the revocation of a token.
    Other,
}

/// How a call fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fault {
    /// Closes the connection, before or after the effect.
    ResetBefore,
    ResetAfter,
    /// Never responds: without the effect, or after it.
    HangBefore,
    HangAfter,
    /// Responds with HTTP 429, without an effect.
    TooMany,
    /// Responds with HTTP 500 and `internal_error`, before or after the effect.
    ErrorBefore,
    ErrorAfter,
    /// Responds with HTTP 502 and a proxy's HTML page, before or after the effect.
    GatewayBefore,
    GatewayAfter,
    /// Responds with HTTP 200 and invalid JSON, after the effect.
    Nonsense,
    /// Breaks off the response, after the effect.
    Cut,
    /// Responds with HTTP 200 and this error code in the envelope, without an effect.
    ErrorIn200(&'static str),
    /// Makes `wait_for_kill` return the calling instance and never responds, before or after the effect.
    KillBefore,
    KillAfter,
}

impl Fault {
    /// The faults that any call can have, except kills.
    pub const ALL: [Self; 11] = [
        Self::ResetBefore,
        Self::ResetAfter,
        Self::HangBefore,
        Self::HangAfter,
        Self::TooMany,
        Self::ErrorBefore,
        Self::ErrorAfter,
        Self::GatewayBefore,
        Self::GatewayAfter,
        Self::Nonsense,
        Self::Cut,
    ];

    /// True for the faults, except kills, that leave the call without a response on an open connection.
    pub fn hangs(self) -> bool {
        matches!(self, Self::HangBefore | Self::HangAfter)
    }

    /// Whether the call has its effect despite the fault.
    pub fn has_effect(self) -> bool {
        matches!(
            self,
            Self::ResetAfter
                | Self::HangAfter
                | Self::ErrorAfter
                | Self::GatewayAfter
                | Self::Nonsense
                | Self::Cut
                | Self::KillAfter
        )
    }
}

impl Call {
    /// The kind of a call to this path; `None` for an unknown path.
    pub fn of_path(path: &str) -> Option<Self> {
        Some(match path {
            "/v2/post/publish/creator_info/query/" => Self::Creator,
            "/v2/post/publish/content/init/" => Self::Photos,
            "/v2/post/publish/video/init/" => Self::Video,
            "/v2/post/publish/status/fetch/" => Self::Status,
            "/v2/video/query/" => Self::Figures,
            path if path.starts_with("/upload/") => Self::Upload,
            "/v2/oauth/token/" => Self::Token,
            "/v2/oauth/revoke/" | "/v2/user/info/" => Self::Other,
            _ => return None,
        })
    }
}

type Script = Arc<dyn Fn(Call) -> Option<Fault> + Send + Sync>;

/// The double, which listens on a local port.
pub struct TikTokApi {
    pub base: String,
    desk: Arc<Desk>,
}

struct Desk {
    base: String,
    world: Mutex<World>,
    script: Mutex<Script>,
    killed: Mutex<Vec<usize>>,
    kills: Notify,
}

impl TikTokApi {
    pub async fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        let desk = Arc::new(Desk {
            base: base.clone(),
            world: Mutex::new(World::new()),
            script: Mutex::new(Arc::new(|_| None)),
            killed: Mutex::default(),
            kills: Notify::new(),
        });
        // This task serves requests until the test ends.
        tokio::spawn(serve_connections(listener, desk.clone()));
        Self { base, desk }
    }

    /// Locks the state of the double.
    pub fn lock_world(&self) -> MutexGuard<'_, World> {
        self.desk.world.lock().expect("no panic")
    }

    /// Sets the clock for token expiry and the limit of calls per minute.
    pub fn set_clock(&self, clock: Arc<dyn Clock>) {
        self.lock_world().clock = Some(clock);
    }

    /// Sets the function that chooses the fault of each later call.
    pub fn set_faults(&self, script: impl Fn(Call) -> Option<Fault> + Send + Sync + 'static) {
        *self.desk.script.lock().expect("no panic") = Arc::new(script);
    }

    /// Makes only the next call of this kind fail.
    pub fn fail_next(&self, call: Call, fault: Fault) {
        let left = Mutex::new(Some(fault));
        self.set_faults(move |called| {
            (called == call).then(|| left.lock().expect("no panic").take())?
        });
    }

    /// Stops all faults.
    pub fn clear_faults(&self) {
        self.set_faults(|_| None);
    }

    /// Waits until a fault asks to kill an instance; returns the number of the instance.
    pub async fn wait_for_kill(&self) -> usize {
        loop {
            let killed = self.desk.killed.lock().expect("no panic").pop();
            match killed {
                Some(instance) => return instance,
                None => self.desk.kills.notified().await,
            }
        }
    }

    /// The base URL for an instance. Its path tells the double which instance calls.
    pub fn base_url_for(&self, instance: usize) -> String {
        format!("{}/i{instance}", self.base)
    }

    /// The number of calls of this kind.
    pub fn count_calls(&self, call: Call) -> usize {
        self.lock_world()
            .calls
            .iter()
            .filter(|(c, ..)| *c == call)
            .count()
    }
}

async fn serve_connections(listener: TcpListener, desk: Arc<Desk>) {
    let mut connections = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        let desk = desk.clone();
        let service = service_fn(move |request| handle_request(desk.clone(), request));
        connections.spawn(async move {
            let http = hyper::server::conn::http1::Builder::new();
            // Ignores errors, because faults close connections on purpose.
            let _ = http.serve_connection(TokioIo::new(stream), service).await;
        });
        while connections.try_join_next().is_some() {}
    }
}

/// Handles one request. An `Err` closes the connection without a response.
async fn handle_request(desk: Arc<Desk>, request: Request<Incoming>) -> io::Result<Response<Body>> {
    let whole = request.uri().path().to_owned();
    let prefixed = whole
        .strip_prefix("/i")
        .and_then(|rest| rest.split_once('/'));
    let numbered = prefixed.and_then(|(n, path)| Some((n.parse().ok()?, format!("/{path}"))));
    let (instance, path) = numbered.unwrap_or((0usize, whole));
    let Some(call) = Call::of_path(&path) else {
        return Ok(error_response(404, "not_found"));
    };
    let fault = {
        let script = desk.script.lock().expect("no panic").clone();
        script(call)
    };
    let (parts, body) = request.into_parts();
    let body = axum::body::to_bytes(Body::new(body), usize::MAX).await;
    let body = body.map_err(io::Error::other)?;
    match fault {
        Some(Fault::TooMany) => {
            let mut limited = error_response(429, "rate_limit_exceeded");
            let wait = header::HeaderValue::from_static("7");
            limited.headers_mut().insert(header::RETRY_AFTER, wait);
            return Ok(limited);
        }
        Some(Fault::ErrorIn200(code)) => return Ok(error_response(200, code)),
        Some(fault) if !fault.has_effect() => {
            return apply_fault(&desk, fault, None, instance).await;
        }
        _ => {}
    }
    let done = {
        let mut world = desk.world.lock().expect("no panic");
        world.handle_call(
            call,
            &parts,
            &path,
            &body,
            &format!("{}/i{instance}", desk.base),
        )
    };
    match fault {
        Some(fault) => apply_fault(&desk, fault, Some(done), instance).await,
        None => Ok(done),
    }
}

async fn apply_fault(
    desk: &Desk,
    fault: Fault,
    done: Option<Response<Body>>,
    instance: usize,
) -> io::Result<Response<Body>> {
    match fault {
        Fault::ResetBefore | Fault::ResetAfter => Err(io::Error::other("reset")),
        Fault::HangBefore | Fault::HangAfter => std::future::pending().await,
        Fault::KillBefore | Fault::KillAfter => {
            desk.killed.lock().expect("no panic").push(instance);
            desk.kills.notify_one();
            std::future::pending().await
        }
        Fault::GatewayBefore | Fault::GatewayAfter => {
            let page = "<html><body><h1>502 Bad Gateway</h1></body></html>";
            Ok(response_with(502, "text/html", page.into()))
        }
        Fault::Nonsense => Ok(response_with(200, "application/json", "{\"data\":".into())),
        Fault::Cut => {
            let whole = done.map(Response::into_body).unwrap_or_default();
            let whole = axum::body::to_bytes(whole, usize::MAX).await;
            let whole = whole.map_err(io::Error::other)?;
            let half = whole.slice(..whole.len() / 2);
            let broken = stream::iter([Ok(half), Err(io::Error::other("cut"))]);
            let mut cut = response_with(200, "application/json", Bytes::new());
            let length = header::HeaderValue::from(whole.len().max(2));
            cut.headers_mut().insert(header::CONTENT_LENGTH, length);
            *cut.body_mut() = Body::from_stream(broken);
            Ok(cut)
        }
        _ => Ok(error_response(500, "internal_error")),
    }
}

fn response_with(status: u16, kind: &str, body: Bytes) -> Response<Body> {
    let answer = Response::builder()
        .status(status)
        .header(header::CONTENT_TYPE, kind);
    let body = stream::iter([Ok::<_, Infallible>(body)]);
    answer.body(Body::from_stream(body)).expect("well-formed")
}

fn envelope_response(status: u16, code: &str, data: &Value) -> Response<Body> {
    let error = json!({ "code": code, "message": "", "log_id": "20261122" });
    let body = json!({ "data": data, "error": error }).to_string();
    response_with(status, "application/json; charset=utf-8", body.into())
}

fn ok_response(data: &Value) -> Response<Body> {
    envelope_response(200, "ok", data)
}

pub fn error_response(status: u16, code: &str) -> Response<Body> {
    envelope_response(status, code, &json!({}))
}
