//! A double of the OpenAI Embeddings API, built after its documentation. It refuses the requests
//! that the real API refuses, and records the accepted ones.
//!
//! Each word of a text adds 1 to one dimension of its vector; words listed as synonyms share a
//! dimension.
//!
//! <https://platform.openai.com/docs/api-reference/embeddings/create>

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use axum::{
    Router, body::Bytes, extract::State, http::HeaderMap, response::Response, routing::post,
};
use futures::future::BoxFuture;
use search::words::stems;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::support::openai::{self, KEY, error_response, invalid_request, json_response};

const MODEL: &str = "text-embedding-3-small";

/// The models, with the length of their vectors if the request does not set `dimensions`.
const MODELS: [(&str, usize); 2] = [(MODEL, 1_536), ("text-embedding-3-large", 3_072)];

/// Groups of synonyms.
const SYNONYMS: [&[&str]; 3] = [
    &["carro", "automóvel", "veículo"],
    &["médico", "doutor", "clínico"],
    &["barato", "econômico", "acessível"],
];

/// An accepted request.
#[derive(Debug, Clone)]
pub struct Asked {
    pub model: String,
    pub texts: Vec<String>,
}

type Script = Arc<dyn Fn(Asked) -> BoxFuture<'static, Option<Response>> + Send + Sync>;

/// The double, which listens on a local port.
pub struct EmbeddingsApi {
    base: String,
    desk: Arc<Desk>,
}

struct Desk {
    script: Mutex<Script>,
    asked: Mutex<Vec<Asked>>,
    refused: AtomicUsize,
}

impl EmbeddingsApi {
    pub async fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        let desk = Arc::new(Desk {
            script: Mutex::new(Arc::new(|_| Box::pin(async { None }))),
            asked: Mutex::default(),
            refused: AtomicUsize::new(0),
        });
        let router = Router::new()
            .route("/v1/embeddings", post(handle_embeddings))
            .fallback(|| async { error_response(404, "invalid_request_error", "unknown_url") })
            .with_state(desk.clone());
        tokio::spawn(axum::serve(listener, router).into_future());
        Self { base, desk }
    }

    /// Returns the settings that make a service use this double.
    pub fn settings(&self) -> Vec<(&'static str, String)> {
        vec![
            ("PAUTA_EMBEDDING_PROVIDER", "openai".into()),
            ("PAUTA_OPENAI_BASE_URL", self.base.clone()),
            ("PAUTA_OPENAI_API_KEY", KEY.into()),
            // A timeout that this double never exceeds, even on a busy machine.
            ("PAUTA_EMBEDDING_TIMEOUT", "20".into()),
        ]
    }

    /// Returns the settings of this double with one setting added or replaced.
    pub fn settings_with(&self, name: &'static str, value: &str) -> Vec<(&'static str, String)> {
        let mut settings = self.settings();
        settings.push((name, value.to_owned()));
        settings
    }

    /// Sets the handler for all later requests. If the handler returns `None`, the response has the
    /// embeddings.
    pub fn set_handler<F>(&self, answer: impl Fn(Asked) -> F + Send + Sync + 'static)
    where
        F: Future<Output = Option<Response>> + Send + 'static,
    {
        let script: Script = Arc::new(move |asked| Box::pin(answer(asked)));
        *self.desk.script.lock().expect("no panic") = script;
    }

    /// Returns and clears the accepted requests, in order.
    pub fn take_requests(&self) -> Vec<Asked> {
        std::mem::take(&mut *self.desk.asked.lock().expect("no panic"))
    }

    /// Returns the texts of the accepted requests, and clears the requests.
    pub fn take_texts(&self) -> Vec<String> {
        let asked = self.take_requests().into_iter();
        asked.flat_map(|asked| asked.texts).collect()
    }

    /// Returns the number of requests that were refused as invalid.
    pub fn refused_requests(&self) -> usize {
        self.desk.refused.load(Ordering::SeqCst)
    }
}

async fn handle_embeddings(
    State(desk): State<Arc<Desk>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let (asked, dimensions) = match validate_request(&headers, &body) {
        Ok(judged) => judged,
        Err(refusal) => {
            desk.refused.fetch_add(1, Ordering::SeqCst);
            return *refusal;
        }
    };
    let script = desk.script.lock().expect("no panic").clone();
    desk.asked.lock().expect("no panic").push(asked.clone());
    match script(asked.clone()).await {
        Some(response) => response,
        None => embeddings_response(&asked, dimensions),
    }
}

fn validate_request(headers: &HeaderMap, body: &[u8]) -> Result<(Asked, usize), Box<Response>> {
    let known = ["model", "input", "encoding_format", "dimensions", "user"];
    let fields = openai::validate_request(headers, body, &known, &MODELS.map(|(model, _)| model))?;
    let model = fields["model"].as_str().unwrap_or_default().to_owned();
    let texts: Option<Vec<String>> = match fields.get("input") {
        Some(Value::String(text)) => Some(vec![text.clone()]),
        Some(Value::Array(texts)) => texts
            .iter()
            .map(|text| text.as_str().map(str::to_owned))
            .collect(),
        _ => None,
    };
    // At most 2,048 texts, none of them empty or longer than 8,192 tokens.
    let fits = |text: &String| !text.is_empty() && text.chars().count() <= 4 * 8_192;
    let texts = texts.filter(|texts| (1..=2_048).contains(&texts.len()) && texts.iter().all(fits));
    let texts = texts.ok_or_else(|| invalid_request("invalid_value"))?;
    if fields
        .get("encoding_format")
        .is_some_and(|format| format != "float")
    {
        return Err(invalid_request("invalid_value"));
    }
    let most = MODELS.iter().find(|(name, _)| *name == model);
    let most = most.map_or(0, |(_, most)| *most);
    let dimensions = match fields.get("dimensions") {
        None => most,
        Some(given) => given
            .as_u64()
            .and_then(|n| usize::try_from(n).ok())
            .filter(|n| (1..=most).contains(n))
            .ok_or_else(|| invalid_request("invalid_value"))?,
    };
    Ok((Asked { model, texts }, dimensions))
}

/// Returns the response with the vectors, in reverse order because clients must use `index`.
pub fn embeddings_response(asked: &Asked, dimensions: usize) -> Response {
    let vectors = asked.texts.iter().enumerate().rev().map(|(index, text)| {
        json!({ "object": "embedding", "index": index, "embedding": meaning_vector(text, dimensions) })
    });
    let vectors: Vec<Value> = vectors.collect();
    let usage = json!({ "prompt_tokens": 8, "total_tokens": 8 });
    json_response(
        200,
        &json!({ "object": "list", "data": vectors, "model": asked.model, "usage": usage }),
    )
}

/// Returns the vector of a text, normalised to length 1.
fn meaning_vector(text: &str, dimensions: usize) -> Vec<f64> {
    let mut vector = vec![0.0; dimensions];
    for word in stems(text) {
        let same = SYNONYMS.iter().find(|same| {
            let mut same = same.iter().flat_map(|word| stems(word));
            same.any(|other| other == word)
        });
        let meaning = same.and_then(|same| stems(same[0]).next()).unwrap_or(word);
        let hash = meaning
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            });
        let place = usize::try_from(hash % dimensions as u64).expect("small");
        vector[place] += 1.0;
    }
    // Ensures that the vector of a text without words is not zero.
    vector[0] += 0.01;
    let length: f64 = vector.iter().map(|n: &f64| n * n).sum::<f64>().sqrt();
    vector.into_iter().map(|n| n / length).collect()
}
