//! A server that follows the documentation of the OpenAI Images API: it refuses what the real one
//! refuses, and records the requests.
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

pub use crate::support::openai::{KEY, refused};
use crate::support::openai::{answer, know};
use rules::judge;
pub use rules::{drawing, link, painted, picture};

/// The only image model.
pub const MODEL: &str = "gpt-image-2";

/// An accepted request.
#[derive(Debug, Clone)]
pub struct Asked {
    pub prompt: String,
    /// The whole request.
    pub fields: Map<String, Value>,
}

type Script = Arc<dyn Fn(Asked) -> BoxFuture<'static, Response> + Send + Sync>;

/// A running double.
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
    /// The files under `/files`.
    files: Mutex<BTreeMap<String, Bytes>>,
    /// How many requests for a file carried the key.
    told_the_key: AtomicUsize,
}

impl ImagesApi {
    /// A double that answers every valid request with an image.
    pub async fn new() -> Self {
        Self::under("").await
    }

    /// The same, below a path prefix.
    pub async fn under(prefix: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        Self::on(listener, prefix)
    }

    pub fn on(listener: TcpListener, prefix: &str) -> Self {
        let address = listener.local_addr().expect("an address");
        let studio = Arc::new(Studio {
            script: Mutex::new(script(|_| async { picture(&drawing(96, 64, "png")) })),
            asked: watch::Sender::default(),
            at_work: AtomicUsize::new(0),
            most_at_work: AtomicUsize::new(0),
            files: Mutex::default(),
            told_the_key: AtomicUsize::new(0),
        });
        let routes = Router::new()
            .route("/v1/images/generations", post(generate))
            .route("/v1/models", get(models))
            .route("/files/{name}", get(file))
            .fallback(|| async { refused(404, "invalid_request_error", "unknown_url") })
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

    /// Settings for this double.
    pub fn settings(&self) -> Vec<(&'static str, String)> {
        vec![
            ("PAUTA_IMAGE_PROVIDER", "openai".into()),
            ("PAUTA_OPENAI_BASE_URL", self.base.clone()),
            ("PAUTA_OPENAI_API_KEY", KEY.into()),
            ("PAUTA_OPENAI_IMAGE_MODEL", MODEL.into()),
        ]
    }

    /// Replaces the answers from now on.
    pub fn answers<F>(&self, answer: impl Fn(Asked) -> F + Send + Sync + 'static)
    where
        F: Future<Output = Response> + Send + 'static,
    {
        *self.studio.script.lock().expect("no panic") = script(answer);
    }

    /// Makes every answer wait until the returned sender sends `true`; if it is dropped, the
    /// answers never come.
    pub fn holds(&self) -> watch::Sender<bool> {
        let (open, closed) = watch::channel(false);
        self.answers(move |_| {
            let mut closed = closed.clone();
            async move {
                if closed.wait_for(|open| *open).await.is_err() {
                    std::future::pending::<()>().await;
                }
                picture(&drawing(64, 64, "png"))
            }
        });
        open
    }

    /// Adds a file under `/files`; returns its address.
    pub fn shows(&self, name: &str, bytes: &[u8]) -> String {
        let mut files = self.studio.files.lock().expect("no panic");
        files.insert(name.into(), Bytes::copy_from_slice(bytes));
        format!("{}/files/{name}", self.base)
    }

    /// Every accepted request, in order.
    pub fn asked(&self) -> Vec<Asked> {
        self.studio.asked.borrow().clone()
    }

    /// Waits until this many requests have been accepted.
    pub async fn asked_for(&self, count: usize) {
        let mut asked = self.studio.asked.subscribe();
        let enough = asked.wait_for(|asked| asked.len() >= count);
        drop(enough.await.expect("the double lives"));
    }

    pub fn most_at_work(&self) -> usize {
        self.studio.most_at_work.load(Ordering::SeqCst)
    }

    pub fn files_asked_for_with_a_key(&self) -> usize {
        self.studio.told_the_key.load(Ordering::SeqCst)
    }
}

fn script<F>(answer: impl Fn(Asked) -> F + Send + Sync + 'static) -> Script
where
    F: Future<Output = Response> + Send + 'static,
{
    Arc::new(move |asked| Box::pin(answer(asked)))
}

/// Counts a request in progress until it is dropped.
struct AtWork<'a>(&'a Studio);

impl<'a> AtWork<'a> {
    fn begin(studio: &'a Studio) -> Self {
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

async fn generate(State(studio): State<Arc<Studio>>, headers: HeaderMap, body: Bytes) -> Response {
    let fields = match judge(&headers, &body) {
        Ok(fields) => fields,
        Err(refusal) => return *refusal,
    };
    let _at_work = AtWork::begin(&studio);
    let asked = Asked {
        prompt: fields["prompt"].as_str().unwrap_or_default().into(),
        fields,
    };
    studio.asked.send_modify(|all| all.push(asked.clone()));
    let script = studio.script.lock().expect("no panic").clone();
    script(asked).await
}

async fn models(headers: HeaderMap) -> Response {
    if let Err(refusal) = know(&headers) {
        return *refusal;
    }
    let models = [MODEL, "gpt-5"].map(|id| json!({ "id": id, "object": "model" }));
    answer(200, &json!({ "object": "list", "data": models }))
}

async fn file(
    State(studio): State<Arc<Studio>>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Response {
    if headers.contains_key(header::AUTHORIZATION) {
        studio.told_the_key.fetch_add(1, Ordering::SeqCst);
    }
    let found = studio.files.lock().expect("no panic").get(&name).cloned();
    match found {
        // A file that contains an address redirects to it.
        Some(bytes) if bytes.starts_with(b"http") => {
            let location = String::from_utf8(bytes.to_vec()).expect("an address");
            (StatusCode::FOUND, [(header::LOCATION, location)]).into_response()
        }
        Some(bytes) => ([(header::CONTENT_TYPE, "image/png")], bytes).into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}
