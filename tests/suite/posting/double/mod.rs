//! A double of Instagram's publishing API with Instagram login, built after its documentation. It
//! refuses the requests that the real API refuses, downloads the files, and fails on demand.
//!
//! Where the documentation leaves the behaviour open, the double takes the worst case: a second
//! publication of the same container makes a second post.

mod insights;
mod oauth;
mod world;

use std::{
    convert::Infallible,
    io,
    sync::{Arc, Mutex, MutexGuard},
};

use axum::body::{Body, Bytes};
use futures::{future::BoxFuture, stream};
use hyper::{Request, Response, body::Incoming, header, service::service_fn};
use hyper_util::rt::TokioIo;
use ports::Clock;
use serde_json::{Value, json};
use tokio::{net::TcpListener, sync::Notify, task::JoinSet};

pub use insights::Wording;
pub use world::World;

/// The account that each new `Stage` connects.
pub const ACCOUNT: &str = "17841400000000001";
pub const CLIENT: [&str; 2] = ["1234567890", "segredo-do-aplicativo"];

/// The kinds of calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Call {
    Create,
    State,
    Publish,
    Quota,
    Link,
    List,
    Comment,
    Insights,
    /// A call of OAuth, or a request for the profile.
    Other,
}

/// How a call fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Closes the connection, before or after the effect.
    ResetBefore,
    ResetAfter,
    /// Never responds: without the effect, or after it.
    HangBefore,
    HangAfter,
    /// HTTP 502 with a page of a proxy, before or after the effect.
    GatewayBefore,
    GatewayAfter,
    /// HTTP 200 and invalid JSON, after the effect.
    Nonsense,
    /// Breaks off the response, after the effect.
    Cut,
    /// This error, before or after the effect: code, subcode, and whether it is transient.
    ErrorBefore(i64, i64, bool),
    ErrorAfter(i64, i64, bool),
    /// Makes `wait_for_kill` return the calling instance and never responds, before or after the
    /// effect.
    KillBefore,
    KillAfter,
}

impl Fault {
    /// All faults except kills. The real API has returned these errors although the post was online.
    pub const ALL: [Self; 11] = [
        Self::ResetBefore,
        Self::ResetAfter,
        Self::HangBefore,
        Self::HangAfter,
        Self::GatewayBefore,
        Self::GatewayAfter,
        Self::Nonsense,
        Self::Cut,
        Self::ErrorBefore(2, 0, true),
        Self::ErrorAfter(4, 2_207_051, false),
        Self::ErrorAfter(1, 0, false),
    ];

    pub fn hangs(self) -> bool {
        matches!(self, Self::HangBefore | Self::HangAfter)
    }

    pub fn has_effect(self) -> bool {
        matches!(
            self,
            Self::ResetAfter
                | Self::HangAfter
                | Self::GatewayAfter
                | Self::Nonsense
                | Self::Cut
                | Self::ErrorAfter(..)
                | Self::KillAfter
        )
    }
}

type Script = Arc<dyn Fn(Call) -> Option<Fault> + Send + Sync>;
/// A downloaded file: the status, the content type and the bytes.
pub type Fetched = (u16, String, Bytes);
type Fetcher = Arc<dyn Fn(String) -> BoxFuture<'static, Fetched> + Send + Sync>;

/// The double, which listens on a local port.
pub struct InstagramApi {
    pub base: String,
    desk: Arc<Desk>,
}

struct Desk {
    world: Mutex<World>,
    script: Mutex<Script>,
    fetcher: Mutex<Option<Fetcher>>,
    killed: Mutex<Vec<usize>>,
    kills: Notify,
}

impl InstagramApi {
    pub async fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        let desk = Arc::new(Desk {
            world: Mutex::new(World::new()),
            script: Mutex::new(Arc::new(|_| None)),
            fetcher: Mutex::default(),
            killed: Mutex::default(),
            kills: Notify::new(),
        });
        // This task serves requests until the test ends.
        tokio::spawn(serve_connections(listener, desk.clone()));
        Self { base, desk }
    }

    pub fn lock_world(&self) -> MutexGuard<'_, World> {
        self.desk.world.lock().expect("no panic")
    }

    pub fn set_clock(&self, clock: Arc<dyn Clock>) {
        self.lock_world().clock = Some(clock);
    }

    /// Sets how files are downloaded.
    pub fn set_fetcher(
        &self,
        fetch: impl Fn(String) -> BoxFuture<'static, Fetched> + Send + Sync + 'static,
    ) {
        *self.desk.fetcher.lock().expect("no panic") = Some(Arc::new(fetch));
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

    pub fn count_calls(&self, call: Call) -> usize {
        self.lock_world()
            .calls
            .iter()
            .filter(|c| **c == call)
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
    let (parts, body) = request.into_parts();
    let body = axum::body::to_bytes(Body::new(body), usize::MAX).await;
    let body = body.map_err(io::Error::other)?;
    let Some(call) = world::call_of(&parts, &path) else {
        return Ok(error_response(400, 100, 0, false));
    };
    desk.world.lock().expect("no panic").calls.push(call);
    let fault = {
        let script = desk.script.lock().expect("no panic").clone();
        script(call)
    };
    if let Some(fault) = fault.filter(|fault| !fault.has_effect()) {
        return apply_fault(&desk, fault, None, instance).await;
    }
    // The real API downloads the file before its response or soon after it. The double downloads it
    // before.
    let file = match world::file_url(call, &body) {
        Some(url) => {
            let fetch = desk.fetcher.lock().expect("no panic").clone();
            match fetch {
                Some(fetch) => Some(fetch(url).await),
                None => None,
            }
        }
        None => None,
    };
    let done = {
        let mut world = desk.world.lock().expect("no panic");
        world.handle_call(call, &parts, &path, &body, file)
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
        Fault::Nonsense => Ok(response_with(200, "application/json", "{\"id\":".into())),
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
        Fault::ErrorBefore(code, subcode, transient)
        | Fault::ErrorAfter(code, subcode, transient) => {
            Ok(error_response(400, code, subcode, transient))
        }
    }
}

fn response_with(status: u16, kind: &str, body: Bytes) -> Response<Body> {
    let answer = Response::builder()
        .status(status)
        .header(header::CONTENT_TYPE, kind);
    let body = stream::iter([Ok::<_, Infallible>(body)]);
    answer.body(Body::from_stream(body)).expect("well-formed")
}

fn ok_response(data: &Value) -> Response<Body> {
    response_with(
        200,
        "application/json; charset=UTF-8",
        data.to_string().into(),
    )
}

fn error_response(status: u16, code: i64, subcode: i64, is_transient: bool) -> Response<Body> {
    error_with_message(status, (code, subcode), is_transient, "…")
}

fn error_with_message(
    status: u16,
    (code, subcode): (i64, i64),
    is_transient: bool,
    message: &str,
) -> Response<Body> {
    let mut error = json!({
        "message": message, "type": "OAuthException", "code": code,
        "is_transient": is_transient, "fbtrace_id": "A6LJylpZRKw2xKLFsAP-cJh",
    });
    if subcode != 0 {
        error["error_subcode"] = subcode.into();
    }
    let body = json!({ "error": error }).to_string();
    response_with(status, "application/json; charset=UTF-8", body.into())
}
