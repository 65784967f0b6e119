//! A double of OpenAI's Chat Completions API and Anthropic's Messages API. It refuses the requests that
//! the real APIs refuse, and records the accepted ones.

mod rules;

use std::sync::{Arc, Mutex};

use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::HeaderMap,
    response::Response,
    routing::{get, post},
};
use futures::future::BoxFuture;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::support::openai::{KEY, error_response, json_response, require_key};

/// The only text model that the double offers.
pub const MODEL: &str = "escritor-1";
/// The valid key for Anthropic's API.
pub const ANTHROPIC_KEY: &str = "sk-ant-api03-0123456789";

/// The APIs of the double.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    OpenAi,
    Anthropic,
}

pub const DIALECTS: [Dialect; 2] = [Dialect::OpenAi, Dialect::Anthropic];

/// An accepted request.
#[derive(Debug, Clone)]
pub struct Asked {
    pub instructions: String,
    /// The user message, which is JSON.
    pub material: Value,
    /// True for a draft, false for a verification.
    pub is_draft: bool,
}

/// A reply of the model.
pub enum Reply {
    Text(String),
    /// A text that ends early at the model's token limit.
    Cut(String),
    Refusal,
    Empty,
    /// This HTTP response, sent unchanged.
    Response(Response),
    Silence,
}

impl Reply {
    pub fn from_json(value: Value) -> Self {
        Self::Text(value.to_string())
    }
}

type Script = Arc<dyn Fn(Asked) -> BoxFuture<'static, Reply> + Send + Sync>;

struct Desk {
    script: Mutex<Script>,
    asked: Mutex<Vec<Asked>>,
}

/// The double, which listens on a local port.
pub struct TextApi {
    base: String,
    desk: Arc<Desk>,
}

impl TextApi {
    /// A double that returns `sample_draft()` for a draft and `sample_verification()` for a verification.
    pub async fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        let desk = Arc::new(Desk {
            script: Mutex::new(Arc::new(|asked| {
                Box::pin(async move { usual_reply(&asked) })
            })),
            asked: Mutex::default(),
        });
        let router = Router::new()
            .route("/v1/chat/completions", post(handle_completions))
            .route("/v1/messages", post(handle_messages))
            .route("/v1/models", get(list_models))
            .route("/v1/models/{model}", get(get_model))
            .fallback(|| async { error_response(404, "invalid_request_error", "unknown_url") })
            .with_state(desk.clone());
        tokio::spawn(axum::serve(listener, router).into_future());
        Self { base, desk }
    }

    /// The settings that make a service use this double with this API.
    pub fn settings(&self, dialect: Dialect) -> Vec<(&'static str, String)> {
        match dialect {
            Dialect::OpenAi => vec![
                ("PAUTA_TEXT_PROVIDER", "openai".into()),
                ("PAUTA_OPENAI_BASE_URL", self.base.clone()),
                ("PAUTA_OPENAI_API_KEY", KEY.into()),
                ("PAUTA_OPENAI_TEXT_MODEL", MODEL.into()),
            ],
            Dialect::Anthropic => vec![
                ("PAUTA_TEXT_PROVIDER", "anthropic".into()),
                ("PAUTA_ANTHROPIC_BASE_URL", self.base.clone()),
                ("PAUTA_ANTHROPIC_API_KEY", ANTHROPIC_KEY.into()),
                ("PAUTA_ANTHROPIC_TEXT_MODEL", MODEL.into()),
            ],
        }
    }

    /// Sets the handler that answers all later requests.
    pub fn set_handler<F>(&self, answer: impl Fn(Asked) -> F + Send + Sync + 'static)
    where
        F: Future<Output = Reply> + Send + 'static,
    {
        let script: Script = Arc::new(move |asked| Box::pin(answer(asked)));
        *self.desk.script.lock().expect("no panic") = script;
    }

    /// Every accepted request, in order.
    pub fn accepted_requests(&self) -> Vec<Asked> {
        self.desk.asked.lock().expect("no panic").clone()
    }
}

/// The reply of a model that works: a draft, or a verification that supports its claim.
pub fn usual_reply(asked: &Asked) -> Reply {
    Reply::from_json(match asked.is_draft {
        true => sample_draft(),
        false => sample_verification(),
    })
}

pub fn sample_draft() -> Value {
    json!({
        "titulo": "Frango no ponto",
        "gancho": "Você sabe quando o frango está pronto?",
        "blocos": [
            { "texto": "Meça no meio da peça.", "visual": "Um termômetro", "segundos": 10 },
            { "texto": "Tire do forno a 74 graus.", "visual": "", "segundos": 20 },
        ],
        "cta": "Salve para o domingo.",
        "fontes": [1],
        "afirmacoes": ["O frango está pronto a 74 graus."],
    })
}

pub fn sample_verification() -> Value {
    let claim = "O frango está pronto a 74 graus.";
    json!({
        "afirmacoes": [
            { "numero": 1, "afirmacao": claim, "situacao": "sustentada", "fontes": [1] },
        ],
    })
}

impl Desk {
    async fn next_reply(&self, asked: Asked) -> Reply {
        self.asked.lock().expect("no panic").push(asked.clone());
        let script = self.script.lock().expect("no panic").clone();
        script(asked).await
    }
}

async fn handle_completions(
    State(desk): State<Arc<Desk>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let asked = match rules::parse_completion(&headers, &body) {
        Ok(asked) => asked,
        Err(refusal) => return *refusal,
    };
    let (content, refusal, reason) = match desk.next_reply(asked).await {
        Reply::Text(text) => (Some(text), None, "stop"),
        Reply::Cut(text) => (Some(text), None, "length"),
        Reply::Refusal => (None, Some("I can't help with that."), "stop"),
        Reply::Empty => {
            return json_response(200, &json!({ "id": "chatcmpl-1", "choices": [] }));
        }
        Reply::Response(response) => return response,
        Reply::Silence => std::future::pending().await,
    };
    let message = json!({ "role": "assistant", "content": content, "refusal": refusal });
    let choice = json!({ "index": 0, "message": message, "finish_reason": reason });
    json_response(
        200,
        &json!({ "id": "chatcmpl-1", "object": "chat.completion", "choices": [choice] }),
    )
}

async fn handle_messages(
    State(desk): State<Arc<Desk>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let asked = match rules::parse_message(&headers, &body) {
        Ok(asked) => asked,
        Err(refusal) => return *refusal,
    };
    let (text, reason) = match desk.next_reply(asked).await {
        Reply::Text(text) => (Some(text), "end_turn"),
        Reply::Cut(text) => (Some(text), "max_tokens"),
        Reply::Refusal => (None, "refusal"),
        Reply::Empty => (None, "end_turn"),
        Reply::Response(response) => return response,
        Reply::Silence => std::future::pending().await,
    };
    let thinking = json!({ "type": "thinking", "thinking": "Hm.", "signature": "x" });
    let text = text.map(|text| json!({ "type": "text", "text": text }));
    let content: Vec<Value> = [Some(thinking), text].into_iter().flatten().collect();
    let message = json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": MODEL,
        "content": content, "stop_reason": reason,
    });
    json_response(200, &message)
}

async fn list_models(headers: HeaderMap) -> Response {
    if let Err(refusal) = require_key(&headers) {
        return *refusal;
    }
    let data = json!([{ "id": "outro" }, { "id": MODEL }]);
    json_response(200, &json!({ "object": "list", "data": data }))
}

async fn get_model(
    axum::extract::Path(model): axum::extract::Path<String>,
    headers: HeaderMap,
) -> Response {
    match rules::require_anthropic_key(&headers) {
        Err(refusal) => *refusal,
        Ok(()) if model == MODEL => json_response(200, &json!({ "type": "model", "id": model })),
        Ok(()) => rules::anthropic_error(404, "not_found_error"),
    }
}
