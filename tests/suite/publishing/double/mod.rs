//! A server that follows the documentation of TikTok's Content Posting API: it refuses what the
//! real one refuses, counts its publications, and fails on demand.
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

/// The account that connects first.
pub const ACCOUNT: &str = "conta-0001";
/// The key and the secret of the application.
pub const CLIENT: [&str; 2] = ["aw0123456789", "segredo-do-aplicativo"];

/// A call of the API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Call {
    Creator,
    Photos,
    Video,
    Upload,
    Status,
    /// The exchange of codes and refresh tokens.
    Token,
    /// The profile of an account, and the revocation of a connection.
    Other,
}

/// How a call fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fault {
    /// Closes the connection, before or after the effect.
    ResetBefore,
    ResetAfter,
    /// Never answers, before or after the effect.
    HangBefore,
    HangAfter,
    /// Answers HTTP 429, without an effect.
    TooMany,
    /// Answers HTTP 500 with `internal_error`, before or after the effect.
    ErrorBefore,
    ErrorAfter,
    /// Answers HTTP 502 with the page of a proxy, before or after the effect.
    GatewayBefore,
    GatewayAfter,
    /// Answers HTTP 200 with a body that is not of the API, after the effect.
    Nonsense,
    /// Breaks off the answer, after the effect.
    Cut,
    /// Answers HTTP 200 with an error in the envelope, without an effect.
    ErrorIn200(&'static str),
    /// Reports that the caller is to be killed, before or after the effect, and never answers.
    KillBefore,
    KillAfter,
}

impl Fault {
    /// The faults that can occur in any call, without the kills.
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

    /// Whether the call is never answered.
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

type Script = Arc<dyn Fn(Call) -> Option<Fault> + Send + Sync>;

/// A running double.
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
        // The task serves until the test ends.
        tokio::spawn(serve(listener, desk.clone()));
        Self { base, desk }
    }

    /// The state of the double.
    pub fn world(&self) -> MutexGuard<'_, World> {
        self.desk.world.lock().expect("no panic")
    }

    /// Sets the clock for the limit of calls per minute.
    pub fn runs_by(&self, clock: Arc<dyn Clock>) {
        self.world().clock = Some(clock);
    }

    /// Sets the faults of calls from now on.
    pub fn fails(&self, script: impl Fn(Call) -> Option<Fault> + Send + Sync + 'static) {
        *self.desk.script.lock().expect("no panic") = Arc::new(script);
    }

    /// Makes only the next call of this kind fail.
    pub fn fails_once(&self, call: Call, fault: Fault) {
        let left = Mutex::new(Some(fault));
        self.fails(move |called| {
            (called == call).then(|| left.lock().expect("no panic").take())?
        });
    }

    /// Ends all faults.
    pub fn works(&self) {
        self.fails(|_| None);
    }

    /// Waits until an instance is to be killed; returns its number.
    pub async fn kills(&self) -> usize {
        loop {
            let killed = self.desk.killed.lock().expect("no panic").pop();
            match killed {
                Some(instance) => return instance,
                None => self.desk.kills.notified().await,
            }
        }
    }

    /// The base address for an instance, which identifies its calls.
    pub fn base_of(&self, instance: usize) -> String {
        format!("{}/i{instance}", self.base)
    }

    /// The number of calls of this kind.
    pub fn calls(&self, call: Call) -> usize {
        self.world()
            .calls
            .iter()
            .filter(|(c, ..)| *c == call)
            .count()
    }
}

async fn serve(listener: TcpListener, desk: Arc<Desk>) {
    let mut connections = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        let desk = desk.clone();
        let service = service_fn(move |request| answer(desk.clone(), request));
        connections.spawn(async move {
            let http = hyper::server::conn::http1::Builder::new();
            // A connection may end early on purpose.
            let _ = http.serve_connection(TokioIo::new(stream), service).await;
        });
        while connections.try_join_next().is_some() {}
    }
}

/// An error closes the connection without an answer.
async fn answer(desk: Arc<Desk>, request: Request<Incoming>) -> io::Result<Response<Body>> {
    let whole = request.uri().path().to_owned();
    let prefixed = whole
        .strip_prefix("/i")
        .and_then(|rest| rest.split_once('/'));
    let numbered = prefixed.and_then(|(n, path)| Some((n.parse().ok()?, format!("/{path}"))));
    let (instance, path) = numbered.unwrap_or((0usize, whole));
    let call = match path.as_str() {
        "/v2/post/publish/creator_info/query/" => Call::Creator,
        "/v2/post/publish/content/init/" => Call::Photos,
        "/v2/post/publish/video/init/" => Call::Video,
        "/v2/post/publish/status/fetch/" => Call::Status,
        path if path.starts_with("/upload/") => Call::Upload,
        "/v2/oauth/token/" => Call::Token,
        "/v2/oauth/revoke/" | "/v2/user/info/" => Call::Other,
        _ => return Ok(refused(404, "not_found")),
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
            let mut limited = refused(429, "rate_limit_exceeded");
            let wait = header::HeaderValue::from_static("7");
            limited.headers_mut().insert(header::RETRY_AFTER, wait);
            return Ok(limited);
        }
        Some(Fault::ErrorIn200(code)) => return Ok(refused(200, code)),
        Some(fault) if !fault.has_effect() => return fail(&desk, fault, None, instance).await,
        _ => {}
    }
    let done = {
        let mut world = desk.world.lock().expect("no panic");
        world.take(
            call,
            &parts,
            &path,
            &body,
            &format!("{}/i{instance}", desk.base),
        )
    };
    match fault {
        Some(fault) => fail(&desk, fault, Some(done), instance).await,
        None => Ok(done),
    }
}

async fn fail(
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
            Ok(page_of(502, "text/html", page.into()))
        }
        Fault::Nonsense => Ok(page_of(200, "application/json", "{\"data\":".into())),
        Fault::Cut => {
            let whole = done.map(Response::into_body).unwrap_or_default();
            let whole = axum::body::to_bytes(whole, usize::MAX).await;
            let whole = whole.map_err(io::Error::other)?;
            let half = whole.slice(..whole.len() / 2);
            let broken = stream::iter([Ok(half), Err(io::Error::other("cut"))]);
            let mut cut = page_of(200, "application/json", Bytes::new());
            let length = header::HeaderValue::from(whole.len().max(2));
            cut.headers_mut().insert(header::CONTENT_LENGTH, length);
            *cut.body_mut() = Body::from_stream(broken);
            Ok(cut)
        }
        _ => Ok(refused(500, "internal_error")),
    }
}

fn page_of(status: u16, kind: &str, body: Bytes) -> Response<Body> {
    let answer = Response::builder()
        .status(status)
        .header(header::CONTENT_TYPE, kind);
    let body = stream::iter([Ok::<_, Infallible>(body)]);
    answer.body(Body::from_stream(body)).expect("well-formed")
}

fn enveloped(status: u16, code: &str, data: &Value) -> Response<Body> {
    let error = json!({ "code": code, "message": "", "log_id": "20261122" });
    let body = json!({ "data": data, "error": error }).to_string();
    page_of(status, "application/json; charset=utf-8", body.into())
}

fn ok(data: &Value) -> Response<Body> {
    enveloped(200, "ok", data)
}

fn refused(status: u16, code: &str) -> Response<Body> {
    enveloped(status, code, &json!({}))
}
