use schemars::JsonSchema;
use serde::Deserialize;

use super::{VIDEO, video_view::VideoView};
use domain::{Capability, VideoId};
use gateway::{Access, Context, Error, Operation, Result, Spec, Verb};
use store::{media, videos};

/// Mostra um vídeo pedido: `status`, `progress` de 0 a 100, `error` com o motivo e, pronto,
/// `media` com o link.
///
/// Um vídeo leva minutos: consulte a cada 30 s.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GetVideoGeneration {
    /// Id do vídeo.
    id: VideoId,
}

impl Operation for GetVideoGeneration {
    const SPEC: Spec = Spec::new(
        "get_video_generation",
        "Acompanhar vídeo",
        Verb::Get,
        "/api/reels/{id}",
    )
    .access(Access::Member(Capability::ReelsView))
    .about(VIDEO, "id")
    .fails(&[404])
    .tool();
    type Output = VideoView;

    async fn run(self, ctx: &Context<'_>) -> Result<VideoView> {
        let video = videos::find(&ctx.db(), &self.id).await?;
        let video = video.ok_or_else(|| Error::not_found_in("vídeo", "list_video_generations"))?;
        let media = match &video.media_id {
            Some(id) => media::find(&ctx.db(), id).await?,
            None => None,
        };
        Ok(VideoView::from_video(video, media.as_ref(), ctx))
    }
}
