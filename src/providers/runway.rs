//! Videos from the Runway API.
//!
//! `POST {base}/v1/text_to_video` and `/v1/image_to_video`: <https://docs.dev.runwayml.com/api/>.
//! The output is on another host, at signed URLs; each read of a task returns new ones.

use std::time::Duration;

use async_trait::async_trait;
use domain::Aspect;
use gateway::{Error, Result};
use ports::{ByteStream, NotSubmitted, VideoGenerator, VideoOffer, VideoProgress, VideoRequest};
use reqwest::{Method, RequestBuilder};
use serde::Deserialize;
use serde_json::json;

use super::{
    api::{Api, Failure, Settings, bearer_header},
    video::{
        WHAT, accept_already_ended, encode_base64, encode_first_frame, generation_error,
        none_if_unknown, pixel_size, require_valid_id, stream_result, to_not_submitted,
    },
};
use crate::config::VideoModel;

/// The API version.
const VERSION: &str = "2024-11-06";
const TASKS: &str = "v1/tasks";

/// The adapter of the Runway API.
pub struct Runway {
    api: Api,
    model: String,
    timeout: Duration,
    offer: VideoOffer,
}

impl Runway {
    pub fn new(provider: VideoModel) -> anyhow::Result<Self> {
        let settings = Settings {
            base: "PAUTA_RUNWAY_BASE_URL (sem /v1)",
            key: "PAUTA_RUNWAY_API_KEY",
            model: "PAUTA_RUNWAY_MODEL",
        };
        let headers = bearer_header(&provider.account.key)?;
        let (seconds, default_seconds): (&[u32], u32) = match provider.model.starts_with("veo") {
            true => (&[4, 6, 8], 8),
            false => (&[2, 3, 4, 5, 6, 7, 8, 9, 10], 5),
        };
        Ok(Self {
            api: Api::new(&provider.account, headers, WHAT, settings)?,
            model: provider.model,
            timeout: provider.timeout,
            offer: VideoOffer {
                aspects: &[Aspect::Portrait, Aspect::Landscape],
                seconds,
                default_seconds,
                prompt_units: 1_000,
            },
        })
    }

    fn build_request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.api.build_request(method, path);
        request.header("x-runway-version", VERSION)
    }

    async fn get_task(&self, id: &str) -> Result<Task, Failure> {
        let asked = self.build_request(Method::GET, &format!("{TASKS}/{id}"));
        self.api.request_json(TASKS, asked, self.timeout).await
    }
}

#[derive(Deserialize)]
struct Created {
    id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Task {
    status: String,
    /// A fraction from 0 to 1.
    progress: Option<f64>,
    #[serde(default)]
    output: Vec<String>,
    failure_code: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Organization {
    credit_balance: Option<i64>,
}

#[async_trait]
impl VideoGenerator for Runway {
    fn name(&self) -> &'static str {
        "runway"
    }

    fn offer(&self) -> &VideoOffer {
        &self.offer
    }

    async fn submit_request(&self, request: VideoRequest) -> Result<String, NotSubmitted> {
        let (width, height) = pixel_size(request.aspect);
        let image = encode_first_frame(request.first_frame, (width, height)).await?;
        let mut fields = json!({
            "model": self.model,
            "promptText": request.prompt,
            "ratio": format!("{width}:{height}"),
            "duration": request.seconds,
        });
        let mut path = "v1/text_to_video";
        if let Some(image) = image {
            path = "v1/image_to_video";
            fields["promptImage"] =
                format!("data:image/jpeg;base64,{}", encode_base64(&image)).into();
        }
        let asked = self.build_request(Method::POST, path).json(&fields);
        let made: Created = self
            .api
            .request_json(path, asked, self.timeout)
            .await
            .map_err(to_not_submitted)?;
        require_valid_id(made.id)
    }

    async fn fetch_progress(&self, id: &str) -> Result<VideoProgress> {
        let Some(task) = none_if_unknown(self.get_task(id).await)? else {
            return Ok(VideoProgress::Absent);
        };
        Ok(match &*task.status {
            "SUCCEEDED" => VideoProgress::Completed,
            "FAILED" | "CANCELLED" => {
                VideoProgress::Failed(generation_error(task.failure_code.as_deref()))
            }
            // This includes `PENDING`, and `THROTTLED` while the account has reached its limit of
            // concurrent tasks. The cast saturates at 0 and 255.
            _ => VideoProgress::Running(task.progress.map(|part| (part * 100.0) as u8)),
        })
    }

    async fn download_video(&self, id: &str) -> Result<ByteStream> {
        let task = self.get_task(id).await?;
        let url = task.output.first();
        let url = url.ok_or_else(|| self.api.malformed_error("a tarefa veio sem vídeo"))?;
        stream_result(&self.api, self.api.fetch(url, false).await?)
    }

    async fn cancel_generation(&self, id: &str) -> Result<()> {
        let asked = self.build_request(Method::DELETE, &format!("{TASKS}/{id}"));
        accept_already_ended(self.api.send_within(TASKS, asked, self.timeout).await)
    }

    async fn check_available(&self) -> Result<()> {
        let path = "v1/organization";
        let asked = self.build_request(Method::GET, path);
        let organization: Organization = self.api.request_json(path, asked, self.timeout).await?;
        match organization.credit_balance {
            Some(..=0) => {
                let empty: Error = self.api.provider_error("insufficient_quota", 402);
                Err(empty)
            }
            _ => Ok(()),
        }
    }
}
