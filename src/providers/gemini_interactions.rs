//! Videos from the Gemini Interactions API.
//!
//! `POST {base}/v1beta/interactions` in the background, then `GET …/{id}`:
//! <https://ai.google.dev/gemini-api/docs/interactions>. The steps of the response contain the
//! video, as a URL or in base64.

use std::time::Duration;

use async_trait::async_trait;
use base64::{Engine, engine::general_purpose::STANDARD};
use bytes::Bytes;
use domain::Aspect;
use futures::{StreamExt, stream};
use gateway::Result;
use ports::{ByteStream, NotSubmitted, VideoGenerator, VideoOffer, VideoProgress, VideoRequest};
use reqwest::{Method, RequestBuilder};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    api::{Api, Failure, Settings, secret_header},
    video::{
        WHAT, accept_already_ended, encode_base64, encode_first_frame, generation_error,
        none_if_unknown, pixel_size, require_valid_id, stream_result, to_not_submitted,
    },
};
use crate::config::VideoModel;

/// The API revision.
const REVISION: &str = "2026-05-20";
const PATH: &str = "v1beta/interactions";

/// The adapter of the Interactions API.
pub struct GeminiInteractions {
    api: Api,
    model: String,
    timeout: Duration,
    offer: VideoOffer,
}

impl GeminiInteractions {
    pub fn new(provider: VideoModel) -> anyhow::Result<Self> {
        let settings = Settings {
            base: "PAUTA_GEMINI_BASE_URL (sem /v1beta)",
            key: "PAUTA_GEMINI_API_KEY",
            model: "PAUTA_GEMINI_VIDEO_MODEL",
        };
        let headers = secret_header("x-goog-api-key", &provider.account.key)?;
        Ok(Self {
            api: Api::new(&provider.account, headers, WHAT, settings)?,
            model: provider.model,
            timeout: provider.timeout,
            offer: VideoOffer {
                aspects: &[Aspect::Portrait, Aspect::Landscape],
                seconds: &[3, 4, 5, 6, 7, 8, 9, 10],
                default_seconds: 8,
                prompt_units: 32_000,
            },
        })
    }

    fn build_request(&self, method: Method, path: &str) -> RequestBuilder {
        self.api
            .build_request(method, path)
            .header("api-revision", REVISION)
    }

    async fn get_interaction(&self, id: &str) -> Result<Interaction, Failure> {
        let asked = self.build_request(Method::GET, &format!("{PATH}/{id}"));
        self.api.request_json(PATH, asked, self.timeout).await
    }
}

#[derive(Deserialize)]
struct Interaction {
    id: String,
    #[serde(default)]
    status: String,
    #[serde(default)]
    steps: Vec<Step>,
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Step {
    r#type: String,
    #[serde(default)]
    content: Value,
}

impl Interaction {
    /// Returns the video part of the model's output.
    fn video_part(&self) -> Option<&Value> {
        let outputs = self
            .steps
            .iter()
            .filter(|step| step.r#type == "model_output");
        let mut parts = outputs.filter_map(|step| step.content.as_array()).flatten();
        parts.find(|part| part["type"] == "video")
    }

    fn error_code(&self) -> Option<&str> {
        let error = self.error.as_ref()?;
        let names = ["status", "code", "reason"];
        names.iter().find_map(|name| error[*name].as_str())
    }
}

#[async_trait]
impl VideoGenerator for GeminiInteractions {
    fn name(&self) -> &'static str {
        "gemini_interactions"
    }

    fn offer(&self) -> &VideoOffer {
        &self.offer
    }

    async fn submit_request(&self, request: VideoRequest) -> Result<String, NotSubmitted> {
        let image = encode_first_frame(request.first_frame, pixel_size(request.aspect)).await?;
        let mut input = vec![json!({ "type": "text", "text": request.prompt })];
        if let Some(image) = image {
            let data = encode_base64(&image);
            input.push(json!({ "type": "image", "mime_type": "image/jpeg", "data": data }));
        }
        let fields = json!({
            "model": self.model,
            "input": input,
            "background": true,
            "response_format": {
                "type": "video",
                "aspect_ratio": request.aspect,
                "resolution": "720p",
                "duration": format!("{}s", request.seconds),
                "delivery": "uri",
            },
        });
        let asked = self.build_request(Method::POST, PATH).json(&fields);
        let made: Interaction = self
            .api
            .request_json(PATH, asked, self.timeout)
            .await
            .map_err(to_not_submitted)?;
        require_valid_id(made.id)
    }

    async fn fetch_progress(&self, id: &str) -> Result<VideoProgress> {
        let Some(interaction) = none_if_unknown(self.get_interaction(id).await)? else {
            return Ok(VideoProgress::Absent);
        };
        Ok(match &*interaction.status {
            "completed" => VideoProgress::Completed,
            "failed" | "cancelled" | "incomplete" | "requires_action" => {
                VideoProgress::Failed(generation_error(interaction.error_code()))
            }
            _ => VideoProgress::Running(None),
        })
    }

    async fn download_video(&self, id: &str) -> Result<ByteStream> {
        let interaction = self.get_interaction(id).await?;
        let without = || self.api.malformed_error("a resposta veio sem vídeo");
        let video = interaction.video_part().ok_or_else(without)?;
        if let Some(data) = video["data"].as_str().filter(|data| !data.is_empty()) {
            let bytes = STANDARD.decode(data.trim());
            let bytes = bytes.map_err(|_| self.api.malformed_error("o vídeo não é base64"))?;
            return Ok(stream::once(async { Ok(Bytes::from(bytes)) }).boxed());
        }
        let uri = video["uri"].as_str().ok_or_else(without)?;
        stream_result(&self.api, self.api.fetch(uri, true).await?)
    }

    async fn cancel_generation(&self, id: &str) -> Result<()> {
        let asked = self.build_request(Method::POST, &format!("{PATH}/{id}/cancel"));
        accept_already_ended(
            self.api
                .send_within(PATH, asked.json(&json!({})), self.timeout)
                .await,
        )
    }

    async fn check_available(&self) -> Result<()> {
        let path = format!("v1beta/models/{}", self.model);
        let asked = self.build_request(Method::GET, &path);
        let _known: Value = self
            .api
            .request_json("v1beta/models", asked, self.timeout)
            .await?;
        Ok(())
    }
}
