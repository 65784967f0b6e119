use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{hints, publication_view::PublicationView};
use crate::visibility;
use domain::{Capability, Cursor, EventId, Limit, ListPage, PublicationId};
use gateway::{Access, Context, Error, Operation, Result, Spec, Verb};
use store::publications::{self, Filter};

/// Lista as publicações no TikTok, as novas antes: estado, por que falhou e o que fazer.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ListShortvideoPublications {
    /// Só esta.
    publication_id: Option<PublicationId>,
    /// Só as deste evento.
    event_id: Option<EventId>,
    /// Por página.
    #[serde(default)]
    limit: Limit,
    /// O `next_cursor` anterior.
    cursor: Option<Cursor>,
}

/// Uma página de publicações.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PublicationList {
    publications: Vec<PublicationView>,
    /// Para pedir a próxima página; nulo na última.
    next_cursor: Option<String>,
}

impl Operation for ListShortvideoPublications {
    const SPEC: Spec = Spec::new(
        "list_shortvideo_publications",
        "Listar publicações no TikTok",
        Verb::Get,
        "/oauth/shortvideo/publications",
    )
    .access(Access::Member(Capability::ConnectionsView))
    .fails(&[404])
    .extension()
    .hints(hints::LIST)
    .tool();
    type Output = PublicationList;

    async fn run(self, ctx: &Context<'_>) -> Result<PublicationList> {
        let before = self
            .cursor
            .as_ref()
            .map(Cursor::decode_position)
            .transpose()?;
        if let Some(id) = &self.event_id {
            visibility::require_event(ctx, id).await?;
        }
        let one = self.publication_id.is_some();
        let filter = Filter {
            id: self.publication_id,
            event_id: self.event_id,
            visible_to: visibility::visible_to(ctx)?.cloned(),
            before,
        };
        let rows = publications::list(&ctx.db(), filter, self.limit.fetch_limit()).await?;
        if one && rows.is_empty() {
            return Err(Error::not_found_in("publicação", Self::SPEC.name));
        }
        let page =
            ListPage::from_fetched_rows(rows, self.limit, |row| (row.created_at, row.id.clone()));
        let views = page.rows.into_iter().map(PublicationView::from_stored);
        Ok(PublicationList {
            publications: views.collect::<Result<_>>()?,
            next_cursor: page.next_cursor,
        })
    }
}
