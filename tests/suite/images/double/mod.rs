//! A double of the OpenAI Images API, built after its documentation. It refuses the requests that
//! the real API refuses, and records the accepted ones.
//!
//! <https://platform.openai.com/docs/api-reference/images/create>

mod rules;

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use axum::{
    Router,
    body::Bytes,
    extract::{Path, State},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use futures::future::BoxFuture;
use serde_json::{Map, Value, json};
use tokio::{net::TcpListener, sync::watch};

pub use crate::support::openai::{KEY, error_response};
use crate::support::openai::{json_response, require_key};
use rules::validate_request;
pub use rules::{base64_response, image_file, image_file_of_color, url_response};

/// The only image model that the double offers.
pub const MODEL: &str = "gpt-image-2";

/// An accepted request.
#[derive(Debug, Clone)]
pub struct Asked {
    pub prompt: String,
    /// All fields of the request body.
    pub fields: Map<String, Value>,
}

type Script = Arc<dyn Fn(Asked) -> BoxFuture<'static, Response> + Send + Sync>;

/// The double, which listens on a local port.
pub struct ImagesApi {
    /// The base URL to configure, without `/v1`.
    pub base: String,
    studio: Arc<Studio>,
}

struct Studio {
    script: Mutex<Script>,
    asked: watch::Sender<Vec<Asked>>,
    at_work: AtomicUsize,
    most_at_work: AtomicUsize,
    /// The files served under `/files`, by name.
    files: Mutex<BTreeMap<String, Bytes>>,
    /// The number of file requests that carried the API key.
    requests_with_key: AtomicUsize,
}

impl ImagesApi {
    /// Creates a double that answers every valid request with an image.
    pub async fn new() -> Self {
        Self::with_prefix("").await
    }

    /// Creates a double whose routes are below a path prefix.
    pub async fn with_prefix(prefix: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        Self::with_listener(listener, prefix)
    }

    pub fn with_listener(listener: TcpListener, prefix: &str) -> Self {
        let address = listener.local_addr().expect("an address");
        let studio = Arc::new(Studio {
            script: Mutex::new(boxed_script(|_| async {
                base64_response(&image_file(96, 64, "png"))
            })),
            asked: watch::Sender::default(),
            at_work: AtomicUsize::new(0),
            most_at_work: AtomicUsize::new(0),
            files: Mutex::default(),
            requests_with_key: AtomicUsize::new(0),
        });
        let routes = Router::new()
            .route("/v1/images/generations", post(generate_image))
            .route("/v1/models", get(list_models))
            .route("/files/{name}", get(get_file))
            .fallback(|| async { error_response(404, "invalid_request_error", "unknown_url") })
            .with_state(studio.clone());
        let router = match prefix {
            "" => routes,
            prefix => Router::new().nest(prefix, routes),
        };
        tokio::spawn(axum::serve(listener, router).into_future());
        Self {
            base: format!("http://{address}{prefix}"),
            studio,
        }
    }

    /// Returns the settings that make a service use this double.
    pub fn settings(&self) -> Vec<(&'static str, String)> {
        vec![
            ("PAUTA_IMAGE_PROVIDER", "openai".into()),
            ("PAUTA_OPENAI_BASE_URL", self.base.clone()),
            ("PAUTA_OPENAI_API_KEY", KEY.into()),
            ("PAUTA_OPENAI_IMAGE_MODEL", MODEL.into()),
        ]
    }

    /// Sets the handler that answers all later requests.
    pub fn set_handler<F>(&self, answer: impl Fn(Asked) -> F + Send + Sync + 'static)
    where
        F: Future<Output = Response> + Send + 'static,
    {
        *self.studio.script.lock().expect("no panic") = boxed_script(answer);
    }

    /// Makes every response wait until the returned sender sends `true`. If the sender is dropped,
    /// no response is sent.
    pub fn hold_responses(&self) -> watch::Sender<bool> {
        let (open, closed) = watch::channel(false);
        self.set_handler(move |_| {
            let mut closed = closed.clone();
            async move {
                if closed.wait_for(|open| *open).await.is_err() {
                    std::future::pending::<()>().await;
                }
                base64_response(&image_file(64, 64, "png"))
            }
        });
        open
    }

    /// Adds a file under `/files`; returns its URL.
    pub fn add_file(&self, name: &str, bytes: &[u8]) -> String {
        let mut files = self.studio.files.lock().expect("no panic");
        files.insert(name.into(), Bytes::copy_from_slice(bytes));
        format!("{}/files/{name}", self.base)
    }

    /// Returns every accepted request, in order.
    pub fn accepted_requests(&self) -> Vec<Asked> {
        self.studio.asked.borrow().clone()
    }

    /// Waits until this many requests have been accepted.
    pub async fn wait_for_requests(&self, count: usize) {
        let mut asked = self.studio.asked.subscribe();
        let enough = asked.wait_for(|asked| asked.len() >= count);
        drop(enough.await.expect("the double lives"));
    }

    pub fn max_concurrent_requests(&self) -> usize {
        self.studio.most_at_work.load(Ordering::SeqCst)
    }

    pub fn file_requests_with_key(&self) -> usize {
        self.studio.requests_with_key.load(Ordering::SeqCst)
    }
}

fn boxed_script<F>(answer: impl Fn(Asked) -> F + Send + Sync + 'static) -> Script
where
    F: Future<Output = Response> + Send + 'static,
{
    Arc::new(move |asked| Box::pin(answer(asked)))
}

/// Counts a request in progress until it is dropped.
struct AtWork<'a>(&'a Studio);

impl<'a> AtWork<'a> {
    fn count_request(studio: &'a Studio) -> Self {
        let now = studio.at_work.fetch_add(1, Ordering::SeqCst) + 1;
        studio.most_at_work.fetch_max(now, Ordering::SeqCst);
        Self(studio)
    }
}

impl Drop for AtWork<'_> {
    fn drop(&mut self) {
        self.0.at_work.fetch_sub(1, Ordering::SeqCst);
    }
}

async fn generate_image(
    State(studio): State<Arc<Studio>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let fields = match validate_request(&headers, &body) {
        Ok(fields) => fields,
        Err(refusal) => return *refusal,
    };
    let _at_work = AtWork::count_request(&studio);
    let asked = Asked {
        prompt: fields["prompt"].as_str().unwrap_or_default().into(),
        fields,
    };
    studio.asked.send_modify(|all| all.push(asked.clone()));
    let script = studio.script.lock().expect("no panic").clone();
    script(asked).await
}

async fn list_models(headers: HeaderMap) -> Response {
    if let Err(refusal) = require_key(&headers) {
        return *refusal;
    }
    let models = [MODEL, "gpt-5"].map(|id| json!({ "id": id, "object": "model" }));
    json_response(200, &json!({ "object": "list", "data": models }))
}

async fn get_file(
    State(studio): State<Arc<Studio>>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Response {
    if headers.contains_key(header::AUTHORIZATION) {
        studio.requests_with_key.fetch_add(1, Ordering::SeqCst);
    }
    let found = studio.files.lock().expect("no panic").get(&name).cloned();
    match found {
        // A file whose content is a URL is served as a redirect to that URL.
        Some(bytes) if bytes.starts_with(b"http") => {
            let location = String::from_utf8(bytes.to_vec()).expect("an address");
            (StatusCode::FOUND, [(header::LOCATION, location)]).into_response()
        }
        Some(bytes) => ([(header::CONTENT_TYPE, "image/png")], bytes).into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}
