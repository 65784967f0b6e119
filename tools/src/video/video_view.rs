//! A video, as operations return it.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::media::MediaResult;
use domain::{
    Aspect, EventId, MemberId, VideoId, VideoState, text_enum,
    time::{BrasiliaTime, Timestamp},
};
use gateway::Context;
use store::{media::Media, videos::Video};

text_enum! {
    /// The state of a video, as shown in responses.
    pub enum VideoStatus {
        Queued = "queued",
        InProgress = "in_progress",
        Completed = "completed",
        Failed = "failed",
        Canceled = "canceled",
    }
}

impl From<VideoState> for VideoStatus {
    fn from(state: VideoState) -> Self {
        match state {
            VideoState::Queued => Self::Queued,
            VideoState::Submitting | VideoState::InProgress | VideoState::Storing => {
                Self::InProgress
            }
            VideoState::Completed => Self::Completed,
            VideoState::Failed => Self::Failed,
            VideoState::Canceled => Self::Canceled,
        }
    }
}

impl VideoStatus {
    /// Returns the stored states that are shown as this status.
    pub(super) fn stored_states(self) -> Vec<VideoState> {
        let shown_as_this = |state: &VideoState| Self::from(*state) == self;
        VideoState::ALL
            .iter()
            .copied()
            .filter(shown_as_this)
            .collect()
    }
}

/// Geração de um vídeo.
#[derive(Debug, Serialize, JsonSchema)]
pub struct VideoView {
    id: VideoId,
    /// Terminam `completed`, `failed` e `canceled`.
    status: VideoStatus,
    /// De 0 a 100; nunca cai.
    progress: i64,
    prompt: String,
    aspect: Aspect,
    duration_s: i64,
    /// Evento para o qual é feito.
    event_id: Option<EventId>,
    /// O vídeo, quando `completed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    media: Option<MediaResult>,
    /// O motivo, quando `failed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<VideoError>,
    /// O que convém contar a uma pessoa; ausente quando nada há.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    avisos: Vec<String>,
    created_by: MemberId,
    created_at: Timestamp,
    created_em_brasilia: BrasiliaTime,
    updated_at: Timestamp,
}

/// Por que a geração falhou.
#[derive(Debug, Serialize, JsonSchema)]
pub struct VideoError {
    /// Mensagem para pessoas.
    error: String,
    /// Código estável. `OUTCOME_UNKNOWN`: o provedor talvez esteja fazendo o vídeo.
    code: String,
    /// `provider_code` e `next`, quando existem.
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<Map<String, Value>>,
}

impl VideoError {
    /// Parses the stored error object.
    fn parse(stored: &str) -> Option<Self> {
        let mut stored: Map<String, Value> = serde_json::from_str(stored).ok()?;
        let mut text = |name: &str| match stored.remove(name) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        };
        let (error, code) = (text("error")?, text("code")?);
        Some(Self {
            error,
            code,
            details: match stored.remove("details") {
                Some(Value::Object(details)) => Some(details),
                _ => None,
            },
        })
    }
}

impl VideoView {
    pub(super) fn from_video(video: Video, media: Option<&Media>, ctx: &Context<'_>) -> Self {
        let completed = video.state == VideoState::Completed;
        let left_out = completed && video.event_id.is_some() && !video.attached;
        let avisos = left_out.then(|| {
            "O vídeo está na lista de mídias e não foi anexado: o evento não aceitava mais mídia \
             quando ele ficou pronto."
                .to_owned()
        });
        Self {
            status: video.state.into(),
            id: video.id,
            progress: video.progress,
            prompt: video.prompt,
            aspect: video.aspect,
            duration_s: video.duration_s,
            event_id: video.event_id,
            media: media.map(|media| MediaResult::from_media(media, None, ctx)),
            error: video.error.as_deref().and_then(VideoError::parse),
            avisos: avisos.into_iter().collect(),
            created_by: video.created_by,
            created_at: Timestamp(video.created_at),
            created_em_brasilia: BrasiliaTime(video.created_at),
            updated_at: Timestamp(video.updated_at),
        }
    }
}
