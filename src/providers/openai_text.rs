//! Texts from the Chat Completions API of OpenAI, or from a compatible server.
//!
//! `POST {base}/v1/chat/completions` with a JSON schema:
//! <https://platform.openai.com/docs/guides/structured-outputs>. The request has no token limit,
//! because compatible servers name that field differently; the timeout bounds the response instead.

use std::time::Duration;

use async_trait::async_trait;
use gateway::Result;
use ports::{TextGenerator, TextRequest};
use reqwest::Method;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    api::Api,
    text::{LONGEST, WHAT, parse_object, refused_error, truncated_error},
};
use crate::config::TextModel;

/// The timeout of `check_available`.
const CHECK: Duration = Duration::from_secs(15);

/// The adapter of the Chat Completions API.
pub struct OpenAiText {
    api: Api,
    model: String,
    timeout: Duration,
}

impl OpenAiText {
    pub fn new(provider: TextModel) -> anyhow::Result<Self> {
        Ok(Self {
            api: Api::for_openai(&provider.account, WHAT, "PAUTA_OPENAI_TEXT_MODEL")?,
            model: provider.model,
            timeout: provider.timeout,
        })
    }
}

#[derive(Deserialize)]
struct Completion {
    choices: Vec<Choice>,
}

#[derive(Deserialize)]
struct Choice {
    message: Message,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Message {
    content: Option<String>,
    refusal: Option<String>,
}

#[derive(Deserialize)]
struct Models {
    data: Vec<Model>,
}

#[derive(Deserialize)]
struct Model {
    id: String,
}

#[async_trait]
impl TextGenerator for OpenAiText {
    async fn generate_json(&self, request: TextRequest) -> Result<Value> {
        let schema = json!({ "name": request.name, "strict": true, "schema": request.schema });
        let asked = json!({
            "model": self.model,
            "messages": [
                { "role": "system", "content": request.instructions },
                { "role": "user", "content": request.material },
            ],
            "response_format": { "type": "json_schema", "json_schema": schema },
        });
        let path = "v1/chat/completions";
        let asked = self.api.build_request(Method::POST, path).json(&asked);
        let answer: Completion = self.api.request_json(path, asked, LONGEST).await?;
        let choice = answer.choices.into_iter().next();
        let Choice {
            message,
            finish_reason,
        } = choice.ok_or_else(|| self.api.malformed_error("a resposta veio sem texto"))?;
        if message.refusal.is_some_and(|refusal| !refusal.is_empty()) {
            return Err(refused_error("refusal"));
        }
        match finish_reason.as_deref() {
            Some("length") => Err(truncated_error("length")),
            Some("content_filter") => Err(refused_error("content_filter")),
            _ => parse_object(&self.api, message.content.as_deref().unwrap_or_default()),
        }
    }

    fn timeout(&self) -> Duration {
        self.timeout
    }

    async fn check_available(&self) -> Result<()> {
        let path = "v1/models";
        let asked = self.api.build_request(Method::GET, path);
        let models: Models = self.api.request_json(path, asked, CHECK).await?;
        match models.data.iter().any(|known| known.id == self.model) {
            true => Ok(()),
            false => Err(self.api.unknown_model_error(&self.model)),
        }
    }
}
