use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::video_view::{VideoStatus, VideoView};
use domain::{Capability, Cursor, Limit, ListPage, MediaId};
use gateway::{Access, Context, Link, Operation, Result, Spec, Verb};
use store::{media, videos};

/// Lista os vídeos pedidos pela equipe, os novos antes: estado, progresso, evento e erro.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ListVideoGenerations {
    /// Só este estado.
    status: Option<VideoStatus>,
    /// Por página.
    #[serde(default)]
    limit: Limit,
    /// O `next_cursor` anterior.
    cursor: Option<Cursor>,
}

/// Uma página de vídeos.
#[derive(Debug, Serialize, JsonSchema)]
pub struct VideoList {
    videos: Vec<VideoView>,
    /// Para pedir a próxima página; nulo na última.
    next_cursor: Option<String>,
}

impl Operation for ListVideoGenerations {
    const SPEC: Spec = Spec::new(
        "list_video_generations",
        "Listar vídeos pedidos",
        Verb::Get,
        "/api/reels",
    )
    .access(Access::Member(Capability::ReelsView))
    .extension()
    .links(&[Link {
        operation: "get_video_generation",
        inputs: &[("id", "/videos/0/id")],
    }])
    .tool();
    type Output = VideoList;

    async fn run(self, ctx: &Context<'_>) -> Result<VideoList> {
        let before = self
            .cursor
            .as_ref()
            .map(Cursor::decode_position)
            .transpose()?;
        let rows = videos::list(
            &ctx.db(),
            &self
                .status
                .map_or_else(Vec::new, VideoStatus::stored_states),
            before,
            self.limit.fetch_limit(),
        )
        .await?;
        let page =
            ListPage::from_fetched_rows(rows, self.limit, |row| (row.created_at, row.id.clone()));
        let ids: Vec<MediaId> = page
            .rows
            .iter()
            .filter_map(|row| row.media_id.clone())
            .collect();
        let media = media::find_visible(&ctx.db(), None, &ids).await?;
        let page = page.map(|row| {
            let made = media
                .iter()
                .find(|media| Some(&media.id) == row.media_id.as_ref());
            VideoView::from_video(row, made, ctx)
        });
        Ok(VideoList {
            videos: page.rows,
            next_cursor: page.next_cursor,
        })
    }
}
