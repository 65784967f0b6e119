//! Videos from the OpenAI Videos API, or from a compatible server.
//!
//! `POST {base}/v1/videos`: <https://platform.openai.com/docs/api-reference/videos>. A first frame
//! is uploaded as a form file and must have exactly the size of the video.

use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use domain::{Aspect, random_text};
use gateway::Result;
use ports::{ByteStream, NotSubmitted, VideoGenerator, VideoOffer, VideoProgress, VideoRequest};
use reqwest::{Method, RequestBuilder, header::CONTENT_TYPE};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    api::{Api, Settings, bearer_header},
    video::{
        WHAT, accept_already_ended, encode_first_frame, generation_error, none_if_unknown,
        pixel_size, require_valid_id, stream_result, to_not_submitted,
    },
};
use crate::config::VideoModel;

/// The adapter of the Videos API.
pub struct OpenAiVideos {
    api: Api,
    model: String,
    timeout: Duration,
    offer: VideoOffer,
}

impl OpenAiVideos {
    pub fn new(provider: VideoModel) -> anyhow::Result<Self> {
        let settings = Settings {
            base: "PAUTA_OPENAI_VIDEOS_BASE_URL (sem /v1)",
            key: "PAUTA_OPENAI_VIDEOS_API_KEY",
            model: "PAUTA_OPENAI_VIDEOS_MODEL",
        };
        let headers = bearer_header(&provider.account.key)?;
        Ok(Self {
            api: Api::new(&provider.account, headers, WHAT, settings)?,
            model: provider.model,
            timeout: provider.timeout,
            offer: VideoOffer {
                aspects: &[Aspect::Portrait, Aspect::Landscape],
                seconds: &[4, 8, 12],
                default_seconds: 8,
                prompt_units: 32_000,
            },
        })
    }

    fn form_request(&self, fields: &[(&str, &str)], image: &Bytes) -> RequestBuilder {
        let boundary = random_text::<24>();
        let mut body = vec![];
        for (name, value) in fields {
            let part = format!(
                "--{boundary}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n"
            );
            body.extend_from_slice(part.as_bytes());
        }
        let head = format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"input_reference\"; \
             filename=\"frame.jpg\"\r\nContent-Type: image/jpeg\r\n\r\n"
        );
        body.extend_from_slice(head.as_bytes());
        body.extend_from_slice(image);
        body.extend_from_slice(format!("\r\n--{boundary}--\r\n").as_bytes());
        let request = self.api.build_request(Method::POST, PATH);
        let content_type = format!("multipart/form-data; boundary={boundary}");
        request.header(CONTENT_TYPE, content_type).body(body)
    }
}

const PATH: &str = "v1/videos";

#[derive(Deserialize)]
struct Video {
    id: String,
    status: String,
    progress: Option<f64>,
    error: Option<Fault>,
}

#[derive(Deserialize)]
struct Fault {
    code: Option<String>,
}

#[async_trait]
impl VideoGenerator for OpenAiVideos {
    fn name(&self) -> &'static str {
        "openai_videos"
    }

    fn offer(&self) -> &VideoOffer {
        &self.offer
    }

    async fn submit_request(&self, request: VideoRequest) -> Result<String, NotSubmitted> {
        let size = pixel_size(request.aspect);
        let image = encode_first_frame(request.first_frame, size).await?;
        let (seconds, size) = (
            request.seconds.to_string(),
            format!("{}x{}", size.0, size.1),
        );
        let fields = [
            ("model", &*self.model),
            ("prompt", &*request.prompt),
            ("seconds", &*seconds),
            ("size", &*size),
        ];
        let asked = match image {
            Some(image) => self.form_request(&fields, &image),
            None => {
                let fields = fields
                    .iter()
                    .map(|(name, value)| ((*name).to_owned(), json!(value)));
                let fields: Value = fields.collect::<serde_json::Map<_, _>>().into();
                self.api.build_request(Method::POST, PATH).json(&fields)
            }
        };
        let made: Video = self
            .api
            .request_json(PATH, asked, self.timeout)
            .await
            .map_err(to_not_submitted)?;
        require_valid_id(made.id)
    }

    async fn fetch_progress(&self, id: &str) -> Result<VideoProgress> {
        let asked = self.api.build_request(Method::GET, &format!("{PATH}/{id}"));
        let Some(video) = none_if_unknown(
            self.api
                .request_json::<Video>(PATH, asked, self.timeout)
                .await,
        )?
        else {
            return Ok(VideoProgress::Absent);
        };
        Ok(match &*video.status {
            "completed" => VideoProgress::Completed,
            "failed" | "cancelled" | "canceled" => {
                let code = video.error.and_then(|error| error.code);
                VideoProgress::Failed(generation_error(code.as_deref()))
            }
            // The cast saturates at 0 and 255.
            _ => VideoProgress::Running(video.progress.map(|percent| percent as u8)),
        })
    }

    async fn download_video(&self, id: &str) -> Result<ByteStream> {
        let url = format!("{}{PATH}/{id}/content", self.api.base);
        stream_result(&self.api, self.api.fetch(&url, true).await?)
    }

    async fn cancel_generation(&self, id: &str) -> Result<()> {
        let asked = self
            .api
            .build_request(Method::DELETE, &format!("{PATH}/{id}"));
        accept_already_ended(self.api.send_within(PATH, asked, self.timeout).await)
    }

    async fn check_available(&self) -> Result<()> {
        // Servers list different models, so the check lists videos, which only requires a valid
        // key.
        let asked = self.api.build_request(Method::GET, PATH);
        let _listed: Value = self.api.request_json(PATH, asked, self.timeout).await?;
        Ok(())
    }
}
