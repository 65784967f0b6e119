use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Maker, VIDEO, event, hints, jobs::SubmitVideo, offer::require_offered, video_view::VideoStatus,
};
use crate::{media, visibility::EVENT};
use domain::{
    Aspect, Capability, Code, Error, EventId, MediaId, Revision, VISIBLE, VideoId, VideoState,
};
use gateway::{Access, Context, Link, Operation, Result, Spec, Verb, jobs::Job};
use store::videos::{self, Video};

/// Gera um vídeo no provedor: custa e leva minutos; confirme antes com a pessoa. Acompanhe com
/// `get_video_generation`.
///
/// A mesma chave não paga de novo. O evento fica `processing` até o fim.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct StartVideoGeneration {
    /// O que se vê.
    #[schemars(length(min = 1, max = 4000), regex(pattern = *VISIBLE))]
    prompt: String,
    /// Evento editável.
    event_id: Option<EventId>,
    /// Segundos.
    #[schemars(range(min = 1, max = 60))]
    duration_s: Option<u32>,
    /// Proporção.
    aspect: Aspect,
    /// Imagem com que começa.
    media_id: Option<MediaId>,
    /// O em produção deste evento, apesar dele.
    despite_video_id: Option<VideoId>,
}

/// Pedido na fila.
#[derive(Debug, Serialize, JsonSchema)]
pub struct VideoStarted {
    id: VideoId,
    status: VideoStatus,
    /// Revisão do evento, quando há evento.
    #[serde(skip_serializing_if = "Option::is_none")]
    api_revision: Option<Revision>,
}

impl Operation for StartVideoGeneration {
    const SPEC: Spec = Spec::new(
        "start_video_generation",
        "Gerar vídeo",
        Verb::Post,
        "/api/reels",
    )
    .access(Access::Member(Capability::Video))
    .makes(VIDEO)
    .within(EVENT, "event_id")
    .success(202)
    .fails(&[404, 409])
    .needs_provider(Code::PROVIDER_NOT_CONFIGURED)
    .generates_media()
    .hints(hints::START)
    .links(&[
        Link {
            operation: "get_video_generation",
            inputs: &[("id", "/id")],
        },
        Link {
            operation: "cancel_video_generation",
            inputs: &[("id", "/id")],
        },
    ])
    .tool();
    type Output = VideoStarted;

    fn affected_ids(output: &VideoStarted) -> Vec<&str> {
        vec![output.id.as_str()]
    }

    async fn run(self, ctx: &Context<'_>) -> Result<VideoStarted> {
        let maker = ctx.services.parts.find::<Maker>();
        let maker = maker.ok_or_else(|| Error::new(Code::PROVIDER_NOT_CONFIGURED))?;
        require_offered(maker, &self.prompt, self.aspect, self.duration_s)?;
        if let Some(id) = &self.media_id {
            media::require_image(ctx, id).await?;
        }
        ctx.reserve_pictures(1).await?;
        let held = match &self.event_id {
            Some(id) => Some(event::mark_event(ctx, id, self.despite_video_id.as_ref()).await?),
            None => None,
        };
        let seconds = self.duration_s.unwrap_or(maker.offer().default_seconds);
        let video = Video {
            id: VideoId::new(ctx.now),
            state: VideoState::Queued,
            provider: maker.name().into(),
            provider_job_id: None,
            prompt: self.prompt,
            aspect: self.aspect,
            duration_s: seconds.into(),
            frame_id: self.media_id,
            event_id: self.event_id,
            event_status: held.map(|(status, _)| status),
            progress: 0,
            media_id: None,
            attached: false,
            error: None,
            created_by: ctx.caller()?.member.id.clone(),
            created_at: ctx.now,
            updated_at: ctx.now,
        };
        videos::insert(&ctx.db(), &video).await?;
        let job = SubmitVideo {
            video_id: video.id.clone(),
        };
        job.enqueue(&ctx.services.queue, &ctx.db(), ctx.now).await?;
        Ok(VideoStarted {
            id: video.id,
            status: video.state.into(),
            api_revision: held.map(|(_, revision)| revision),
        })
    }
}
