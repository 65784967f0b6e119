//! The settings of the video provider.

use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::{
    Sources,
    providers::{AccountSettings, ProviderAccount},
};

const OPENAI_VIDEOS: AccountSettings = AccountSettings {
    base: "PAUTA_OPENAI_VIDEOS_BASE_URL",
    default_base: "https://api.openai.com",
    key: "PAUTA_OPENAI_VIDEOS_API_KEY",
};
const RUNWAY: AccountSettings = AccountSettings {
    base: "PAUTA_RUNWAY_BASE_URL",
    default_base: "https://api.dev.runwayml.com",
    key: "PAUTA_RUNWAY_API_KEY",
};
const GEMINI: AccountSettings = AccountSettings {
    base: "PAUTA_GEMINI_BASE_URL",
    default_base: "https://generativelanguage.googleapis.com",
    key: "PAUTA_GEMINI_API_KEY",
};

/// The APIs that generate videos.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VideoApi {
    /// The Videos API of OpenAI, or of a compatible server.
    OpenAiVideos,
    Runway,
    /// The Interactions API of Gemini.
    GeminiInteractions,
}

/// The account and model that generate videos.
#[derive(Debug, Clone)]
pub struct VideoModel {
    pub api: VideoApi,
    pub account: ProviderAccount,
    pub model: String,
    /// The timeout of one request.
    pub timeout: Duration,
}

impl VideoModel {
    /// Reads the settings; `None` if no provider of videos is configured.
    pub(super) fn read(sources: &Sources) -> Result<Option<Self>> {
        let Some(choice) = sources.get("PAUTA_VIDEO_PROVIDER") else {
            return Ok(None);
        };
        let (api, settings, model_name, model) = match choice {
            "nenhum" => return Ok(None),
            "openai_videos" => (
                VideoApi::OpenAiVideos,
                OPENAI_VIDEOS,
                "PAUTA_OPENAI_VIDEOS_MODEL",
                "sora-2",
            ),
            "runway" => (VideoApi::Runway, RUNWAY, "PAUTA_RUNWAY_MODEL", "gen4.5"),
            "gemini_interactions" => (
                VideoApi::GeminiInteractions,
                GEMINI,
                "PAUTA_GEMINI_VIDEO_MODEL",
                "gemini-omni-1.1-flash",
            ),
            _ => bail!(
                "PAUTA_VIDEO_PROVIDER deve ser `nenhum`, `openai_videos`, `runway` ou \
                 `gemini_interactions`"
            ),
        };
        let account =
            ProviderAccount::read(sources, settings, &format!("PAUTA_VIDEO_PROVIDER={choice}"))?;
        let seconds = sources.get("PAUTA_VIDEO_TIMEOUT").unwrap_or("50");
        let seconds = seconds.parse().ok().filter(|n| (1..=60).contains(n));
        Ok(Some(Self {
            timeout: seconds
                .map(Duration::from_secs)
                .context("PAUTA_VIDEO_TIMEOUT deve ser um número de segundos de 1 a 60")?,
            api,
            account,
            model: sources.get(model_name).unwrap_or(model).trim().to_owned(),
        }))
    }
}
