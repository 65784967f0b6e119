//! Texts from the Messages API of Anthropic.
//!
//! `POST {base}/v1/messages` with a JSON schema in `output_config`:
//! <https://docs.anthropic.com/en/api/messages>.

use std::time::Duration;

use async_trait::async_trait;
use gateway::Result;
use ports::{TextGenerator, TextRequest};
use reqwest::{Method, RequestBuilder};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    api::{Api, Settings, secret_header},
    text::{LONGEST, WHAT, parse_object, refused_error, truncated_error},
};
use crate::config::TextModel;

/// The API version.
const VERSION: &str = "2023-06-01";
/// The maximum output tokens; the API requires a limit.
const MOST_TOKENS: u32 = 8_192;
/// The timeout of `check_available`.
const CHECK: Duration = Duration::from_secs(15);

/// The adapter of the Messages API.
pub struct AnthropicText {
    api: Api,
    model: String,
    timeout: Duration,
}

impl AnthropicText {
    pub fn new(provider: TextModel) -> anyhow::Result<Self> {
        let settings = Settings {
            base: "PAUTA_ANTHROPIC_BASE_URL (sem /v1)",
            key: "PAUTA_ANTHROPIC_API_KEY",
            model: "PAUTA_ANTHROPIC_TEXT_MODEL",
        };
        let headers = secret_header("x-api-key", &provider.account.key)?;
        Ok(Self {
            api: Api::new(&provider.account, headers, WHAT, settings)?,
            model: provider.model,
            timeout: provider.timeout,
        })
    }

    fn build_request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.api.build_request(method, path);
        request.header("anthropic-version", VERSION)
    }
}

#[derive(Deserialize)]
struct Answer {
    content: Vec<Block>,
    stop_reason: Option<String>,
}

#[derive(Deserialize)]
struct Block {
    r#type: String,
    #[serde(default)]
    text: String,
}

#[async_trait]
impl TextGenerator for AnthropicText {
    async fn generate_json(&self, request: TextRequest) -> Result<Value> {
        let asked = json!({
            "model": self.model,
            "max_tokens": MOST_TOKENS,
            "system": request.instructions,
            "messages": [{ "role": "user", "content": request.material }],
            "output_config": { "format": { "type": "json_schema", "schema": request.schema } },
        });
        let path = "v1/messages";
        let asked = self.build_request(Method::POST, path).json(&asked);
        let answer: Answer = self.api.request_json(path, asked, LONGEST).await?;
        match answer.stop_reason.as_deref() {
            Some("refusal") => return Err(refused_error("refusal")),
            // A paused response is incomplete too.
            Some(code @ ("max_tokens" | "model_context_window_exceeded" | "pause_turn")) => {
                return Err(truncated_error(code));
            }
            _ => {}
        }
        let texts = answer.content.iter().filter(|block| block.r#type == "text");
        let text: String = texts.map(|block| block.text.as_str()).collect();
        parse_object(&self.api, &text)
    }

    fn timeout(&self) -> Duration {
        self.timeout
    }

    async fn check_available(&self) -> Result<()> {
        let path = format!("v1/models/{}", self.model);
        let asked = self.build_request(Method::GET, &path);
        let _known: Value = self.api.request_json("v1/models", asked, CHECK).await?;
        Ok(())
    }
}
