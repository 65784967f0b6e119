use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{MediaResult, hints, source_view::MediaSource};
use crate::visibility;
use domain::{Capability, Cursor, EventId, Limit, ListPage, MemberId, text_enum, time::Timestamp};
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::{
    media::{self, Filter},
    media_sources,
};

text_enum! {
    /// A family of media types.
    pub enum Family {
        Image = "imagem",
        Video = "video",
    }
}

/// Lista as mídias (fotos e vídeos) próprias e de eventos visíveis, as novas antes, com links
/// assinados.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ListMedia {
    /// Só deste evento.
    event_id: Option<EventId>,
    /// Só este tipo.
    tipo: Option<Family>,
    /// Por página.
    #[serde(default)]
    limit: Limit,
    /// O `next_cursor` anterior.
    cursor: Option<Cursor>,
}

/// Uma página de mídias.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MediaList {
    media: Vec<ListedMedia>,
    /// Para pedir a próxima página; nulo na última.
    next_cursor: Option<String>,
}

/// Uma mídia da lista.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ListedMedia {
    #[serde(flatten)]
    media: MediaResult,
    kind: String,
    alt: Option<String>,
    created_by: MemberId,
    created_at: Timestamp,
    /// Com o que foi gerada, para corrigir; nulo numa mídia enviada.
    source: Option<MediaSource>,
    /// De onde foi importada, sem a consulta do endereço; nulo nas outras.
    source_url: Option<String>,
}

impl Operation for ListMedia {
    const SPEC: Spec = Spec::new("list_media", "Listar mídias", Verb::Get, "/api/media")
        .access(Access::Member(Capability::Art))
        .fails(&[404])
        .extension()
        .hints(hints::LIST)
        .tool()
        .quotes();
    type Output = MediaList;

    async fn run(self, ctx: &Context<'_>) -> Result<MediaList> {
        let _caller = ctx.caller()?;
        let before = self
            .cursor
            .as_ref()
            .map(Cursor::decode_position)
            .transpose()?;
        if let Some(id) = &self.event_id {
            visibility::require_event(ctx, id).await?;
        }
        let filter = Filter {
            event_id: self.event_id,
            visible_to: visibility::visible_to(ctx)?.cloned(),
            media_type_prefix: self.tipo.map(|family| match family {
                Family::Image => "image/",
                Family::Video => "video/",
            }),
            before,
        };
        let rows = media::list(&ctx.db(), filter, self.limit.fetch_limit()).await?;
        let page =
            ListPage::from_fetched_rows(rows, self.limit, |row| (row.created_at, row.id.clone()));
        let ids = page.rows.iter().map(|row| &row.id);
        let mut sources = media_sources::find_all(&ctx.db(), ids).await?;
        let page = page.map(|row| ListedMedia {
            source: sources
                .remove(&row.id)
                .map(|source| MediaSource::from_source(source, &row)),
            media: MediaResult::from_media(&row, None, ctx),
            kind: row.kind,
            alt: row.alt,
            source_url: row.source_url,
            created_by: row.created_by,
            created_at: Timestamp(row.created_at),
        });
        Ok(MediaList {
            media: page.rows,
            next_cursor: page.next_cursor,
        })
    }
}
