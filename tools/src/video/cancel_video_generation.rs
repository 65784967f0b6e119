use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{JOB_FINISHED, VIDEO, event, step, video_view::VideoStatus};
use domain::{Capability, VideoId, VideoState};
use gateway::{Access, Context, Error, Operation, Result, Spec, Verb};
use store::videos::{self, Video};

/// Cancela um vídeo que ainda não ficou pronto. Não tem volta, e o provedor pode cobrar o que já fez.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct CancelVideoGeneration {
    /// Id do vídeo.
    id: VideoId,
}

/// Vídeo cancelado.
#[derive(Debug, Serialize, JsonSchema)]
pub struct VideoCanceled {
    id: VideoId,
    status: VideoStatus,
    /// O que convém contar a uma pessoa; ausente quando nada há.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    avisos: Vec<String>,
}

impl Operation for CancelVideoGeneration {
    const SPEC: Spec = Spec::new(
        "cancel_video_generation",
        "Cancelar vídeo",
        Verb::Delete,
        "/api/reels/{id}",
    )
    .access(Access::Member(Capability::Video))
    .about(VIDEO, "id")
    .fails(&[404])
    .extension()
    .asks_first("Cancelar este vídeo? Não tem volta, e o provedor pode cobrar o que já fez.")
    .tool();
    type Output = VideoCanceled;

    async fn run(self, ctx: &Context<'_>) -> Result<VideoCanceled> {
        let db = ctx.db();
        loop {
            let video = videos::find(&db, &self.id).await?;
            let video =
                video.ok_or_else(|| Error::not_found_in("vídeo", "list_video_generations"))?;
            let from = video.state;
            match from {
                VideoState::Canceled => return Ok(VideoCanceled::from_video(video, vec![])),
                VideoState::Completed | VideoState::Failed => {
                    let status = VideoStatus::from(from).as_str();
                    return Err(Error::new(JOB_FINISHED).with_detail("status", status.into()));
                }
                VideoState::Queued
                | VideoState::Submitting
                | VideoState::InProgress
                | VideoState::Storing => {}
            }
            let canceled = Video {
                state: VideoState::Canceled,
                updated_at: ctx.now,
                ..video
            };
            // A job may have changed the state since the video was read.
            if videos::save(&db, from, &canceled).await? {
                step::enqueue_stop(ctx.services, &db, &canceled, ctx.now).await?;
                let by = (Self::SPEC.name, ctx.caller_if_any());
                event::release_event(ctx.services, &db, &canceled, None, by, ctx.now).await?;
                let sending = from == VideoState::Submitting;
                let avisos = sending.then(|| {
                    "O pedido estava sendo enviado ao provedor: se ele o aceitou, pode cobrá-lo."
                        .to_owned()
                });
                return Ok(VideoCanceled::from_video(
                    canceled,
                    avisos.into_iter().collect(),
                ));
            }
        }
    }
}

impl VideoCanceled {
    fn from_video(video: Video, avisos: Vec<String>) -> Self {
        Self {
            id: video.id,
            status: video.state.into(),
            avisos,
        }
    }
}
