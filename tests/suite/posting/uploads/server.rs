//! The common part of the doubles: it serves requests, fails on demand, and stores access tokens.

use std::{
    collections::BTreeMap,
    convert::Infallible,
    io,
    sync::{Arc, Mutex, MutexGuard},
};

use axum::body::{Body, Bytes};
use domain::time::Millis;
use futures::stream;
use hyper::{
    HeaderMap, Request, Response, body::Incoming, header, http::request::Parts, service::service_fn,
};
use hyper_util::rt::TokioIo;
use ports::Clock;
use serde_json::Value;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Notify,
    task::{JoinHandle, JoinSet},
};

use crate::support::Settings;

/// The kinds of calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Call {
    /// Begins an upload.
    Begin,
    /// Asks how many bytes of an upload have arrived.
    Ask,
    /// Sends bytes.
    Chunk,
    /// Completes an upload.
    Finish,
    Cover,
    State,
    Publish,
    Delete,
    Comment,
    /// Reads figures.
    Figures,
    /// A call of OAuth, or a request for the profile.
    Other,
}

impl Call {
    /// The calls that a publication can make.
    pub const ALL: [Self; 9] = [
        Self::Begin,
        Self::Ask,
        Self::Chunk,
        Self::Finish,
        Self::Cover,
        Self::State,
        Self::Publish,
        Self::Delete,
        Self::Comment,
    ];
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
    /// HTTP 503 with an error of the API, before or after the effect.
    BusyBefore,
    BusyAfter,
    /// HTTP 200 and invalid JSON, after the effect.
    Nonsense,
    /// A refusal with this status and error code, without the effect.
    Refuse(u16, &'static str),
    /// HTTP 429 with `Retry-After`.
    Limit,
    /// Makes `wait_for_kill` return the calling instance and never responds, before or after the
    /// effect.
    KillBefore,
    KillAfter,
}

impl Fault {
    /// The faults that any call can have, except kills.
    pub const ALL: [Self; 10] = [
        Self::ResetBefore,
        Self::ResetAfter,
        Self::HangBefore,
        Self::HangAfter,
        Self::GatewayBefore,
        Self::GatewayAfter,
        Self::BusyBefore,
        Self::BusyAfter,
        Self::Nonsense,
        Self::Limit,
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
                | Self::BusyAfter
                | Self::Nonsense
                | Self::KillAfter
        )
    }
}

/// A request that arrived whole.
pub struct Received {
    pub method: String,
    /// The path without the prefix of the instance.
    pub path: String,
    pub query: BTreeMap<String, String>,
    pub headers: HeaderMap,
    pub body: Bytes,
    /// The base URL under which the calling instance reaches the double.
    pub origin: String,
}

impl Received {
    pub fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name);
        value
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    }

    pub fn query(&self, name: &str) -> &str {
        self.query.get(name).map_or("", String::as_str)
    }

    /// The path with its query.
    pub fn uri(&self) -> String {
        let query = form_urlencoded::Serializer::new(String::new())
            .extend_pairs(&self.query)
            .finish();
        format!("{}?{}", self.path, query.replace("%2C", ","))
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    pub fn bearer(&self) -> &str {
        let header = self.header("authorization");
        header.strip_prefix("Bearer ").unwrap_or_default()
    }
}

/// A post that others can see.
#[derive(Debug, Clone)]
pub struct Online {
    pub id: String,
    pub comments: usize,
}

/// The part of a double that differs between networks.
pub trait World: Default + Send + 'static {
    const NETWORK: &'static str;
    /// The name of the connection to the network.
    const CONNECTION: &'static str = Self::NETWORK;
    /// Whether the API of the network can add comments.
    const HAS_COMMENTS: bool = true;
    /// The privacy of the posts that `storm` creates.
    const PRIVACY: Option<&'static str> = None;
    /// The account that each stage connects.
    const ACCOUNT: &'static str;

    /// The settings that make a service use the double.
    fn settings(base: &str) -> Settings;

    fn tokens(&mut self) -> &mut Tokens;

    /// Returns the kind of a request, or `None` if its path is unknown.
    fn call_of(&self, request: &Received) -> Option<Call>;

    fn handle(&mut self, call: Call, request: &Received) -> Response<Body>;

    /// An error of the API.
    fn error(status: u16, code: &str) -> Response<Body>;

    /// The posts with this caption that others can see.
    fn online(&self, caption: &str) -> Vec<Online>;

    /// The number of uploads and posts with this caption that only the account itself sees.
    fn unseen(&self, caption: &str) -> usize;
}

/// The access tokens of a double.
#[derive(Default)]
pub struct Tokens {
    /// The account and expiry of each token.
    pub issued: BTreeMap<String, (String, Millis)>,
    pub clock: Option<Arc<dyn Clock>>,
}

/// The lifetime of a token, in seconds.
pub const LIFETIME: i64 = 3_600 * 24;

impl Tokens {
    pub fn now(&self) -> Millis {
        self.clock.as_ref().map_or(0, |clock| clock.now())
    }

    pub fn issue(&mut self, account: &str) -> String {
        let token = format!("token-{:06}", self.issued.len() + 1);
        let until = self.now() + LIFETIME * 1_000;
        self.issued
            .insert(token.clone(), (account.to_owned(), until));
        token
    }

    pub fn account_of(&self, token: &str) -> Option<String> {
        let found = self.issued.get(token);
        let found = found.filter(|(_, until)| *until > self.now());
        found.map(|(account, _)| account.clone())
    }

    /// Ends all tokens.
    pub fn revoke(&mut self) {
        for (_, until) in self.issued.values_mut() {
            *until = 0;
        }
    }
}

type Script = Arc<dyn Fn(Call) -> Option<Fault> + Send + Sync>;

/// A double, which listens on a local port.
pub struct Api<W> {
    pub base: String,
    desk: Arc<Desk<W>>,
    server: JoinHandle<()>,
}

struct Desk<W> {
    world: Mutex<W>,
    calls: Mutex<Vec<Call>>,
    script: Mutex<Script>,
    killed: Mutex<Vec<usize>>,
    kills: Notify,
}

impl<W: World> Api<W> {
    pub async fn new(world: W) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        let desk = Arc::new(Desk {
            world: Mutex::new(world),
            calls: Mutex::default(),
            script: Mutex::new(Arc::new(|_| None)),
            killed: Mutex::default(),
            kills: Notify::new(),
        });
        // This task serves requests until the test ends, or [`Self::stop`] is called.
        let server = tokio::spawn(serve_connections(listener, desk.clone()));
        Self { base, desk, server }
    }

    /// Closes the port and all connections. Returns when the port refuses connections.
    pub async fn stop(&self) {
        self.server.abort();
        let address = self.base.trim_start_matches("http://");
        while TcpStream::connect(address).await.is_ok() {
            tokio::task::yield_now().await;
        }
    }

    pub fn lock_world(&self) -> MutexGuard<'_, W> {
        self.desk.world.lock().expect("no panic")
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
        let calls = self.desk.calls.lock().expect("no panic");
        calls.iter().filter(|made| **made == call).count()
    }
}

async fn serve_connections<W: World>(listener: TcpListener, desk: Arc<Desk<W>>) {
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
async fn handle_request<W: World>(
    desk: Arc<Desk<W>>,
    request: Request<Incoming>,
) -> io::Result<Response<Body>> {
    let (parts, body) = request.into_parts();
    let body = axum::body::to_bytes(Body::new(body), usize::MAX).await;
    let (instance, received) = receive(parts, body.map_err(io::Error::other)?);
    let call = desk
        .world
        .lock()
        .expect("no panic")
        .call_of(&received)
        .ok_or_else(|| io::Error::other("an unknown call"))?;
    desk.calls.lock().expect("no panic").push(call);
    let script = desk.script.lock().expect("no panic").clone();
    let fault = script(call);
    let mut done = None;
    if fault.is_none_or(Fault::has_effect) {
        let mut world = desk.world.lock().expect("no panic");
        done = Some(world.handle(call, &received));
    }
    match fault {
        None => Ok(done.expect("it was handled")),
        Some(Fault::ResetBefore | Fault::ResetAfter) => Err(io::Error::other("reset")),
        Some(Fault::HangBefore | Fault::HangAfter) => std::future::pending().await,
        Some(Fault::KillBefore | Fault::KillAfter) => {
            desk.killed.lock().expect("no panic").push(instance);
            desk.kills.notify_one();
            std::future::pending().await
        }
        Some(Fault::GatewayBefore | Fault::GatewayAfter) => {
            let page = "<html><body><h1>502 Bad Gateway</h1></body></html>";
            Ok(response(502, &[("content-type", "text/html")], page))
        }
        Some(Fault::BusyBefore | Fault::BusyAfter) => Ok(W::error(503, "backendError")),
        Some(Fault::Nonsense) => Ok(response(200, &[], "{\"id\":")),
        Some(Fault::Refuse(status, code)) => Ok(W::error(status, code)),
        Some(Fault::Limit) => {
            let mut limited = W::error(429, "rateLimitExceeded");
            limited.headers_mut().insert("retry-after", 20.into());
            Ok(limited)
        }
    }
}

fn receive(parts: Parts, body: Bytes) -> (usize, Received) {
    let whole = parts.uri.path().to_owned();
    let prefixed = whole
        .strip_prefix("/i")
        .and_then(|rest| rest.split_once('/'));
    let numbered = prefixed.and_then(|(n, path)| Some((n.parse().ok()?, format!("/{path}"))));
    let (instance, path) = numbered.unwrap_or((0usize, whole.clone()));
    let prefix = whole.strip_suffix(path.as_str()).unwrap_or_default();
    let host = parts.headers.get(header::HOST);
    let host = host.and_then(|host| host.to_str().ok()).unwrap_or_default();
    let query = parts.uri.query().unwrap_or_default();
    let received = Received {
        origin: format!("http://{host}{prefix}"),
        method: parts.method.to_string(),
        query: form_urlencoded::parse(query.as_bytes())
            .into_owned()
            .collect(),
        headers: parts.headers,
        path,
        body,
    };
    (instance, received)
}

pub fn response(status: u16, headers: &[(&str, &str)], body: &str) -> Response<Body> {
    let mut answer = Response::builder().status(status);
    for (name, value) in headers {
        answer = answer.header(*name, *value);
    }
    let body = stream::iter([Ok::<_, Infallible>(Bytes::from(body.to_owned()))]);
    answer.body(Body::from_stream(body)).expect("well-formed")
}

pub fn json_response(status: u16, body: &Value) -> Response<Body> {
    let headers = [("content-type", "application/json; charset=UTF-8")];
    response(status, &headers, &body.to_string())
}
