use std::collections::{BTreeSet, HashMap};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::view::ScheduledView;
use crate::visibility;
use domain::{
    Capability, Cursor, EventId, Limit, ListPage, PostState, PublicationId, time::Timestamp,
};
use gateway::{Access, Context, Error, Operation, Result, Spec, Verb};
use store::{
    events, publishing_pauses,
    scheduled_posts::{self, Filter},
};

/// Lista as publicações das variantes, pela hora: as agendadas, as que saíram e as que esperam uma
/// pessoa.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ListPublications {
    /// Só esta.
    publication_id: Option<PublicationId>,
    /// Só as deste evento.
    event_id: Option<EventId>,
    /// Só neste estado.
    status: Option<PostState>,
    /// Só as que esperam a hora ou uma pessoa.
    #[serde(default)]
    esperam: bool,
    /// Por página.
    #[serde(default)]
    limit: Limit,
    /// O `next_cursor` anterior.
    cursor: Option<Cursor>,
}

/// Uma página de publicações.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Publications {
    publications: Vec<ScheduledView>,
    /// Desde quando tudo está pausado; nulo quando não está.
    paused_at: Option<Timestamp>,
    /// Por que está pausado.
    pause_reason: Option<String>,
    /// Para pedir a próxima página; nulo na última.
    next_cursor: Option<String>,
}

impl Operation for ListPublications {
    const SPEC: Spec = Spec::new(
        "list_publications",
        "Listar publicações das variantes",
        Verb::Get,
        "/api/publicacoes",
    )
    .access(Access::Member(Capability::Publish))
    .fails(&[404])
    .extension()
    .quotes()
    .tool();
    type Output = Publications;

    async fn run(self, ctx: &Context<'_>) -> Result<Publications> {
        let after = self
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
            states: self.status.into_iter().collect(),
            is_waiting: self.esperam,
            visible_to: visibility::visible_to(ctx)?.cloned(),
            after,
        };
        let db = ctx.db();
        let rows = scheduled_posts::list(&db, filter, self.limit.fetch_limit()).await?;
        if one && rows.is_empty() {
            return Err(Error::not_found_in("publicação", Self::SPEC.name));
        }
        let page =
            ListPage::from_fetched_rows(rows, self.limit, |row| (row.due_at, row.id.clone()));
        let ids: BTreeSet<_> = page.rows.iter().map(|row| row.event_id.clone()).collect();
        let pieces = events::find_all(&db, ids.iter()).await?.into_iter();
        let titles: HashMap<_, _> = pieces.map(|piece| (piece.id, piece.title)).collect();
        let views = page.rows.into_iter().map(|row| {
            let title = titles.get(&row.event_id).cloned().unwrap_or_default();
            ScheduledView::from_stored(row, title)
        });
        let pause = publishing_pauses::find(&db).await?;
        Ok(Publications {
            publications: views.collect::<Result<_>>()?,
            paused_at: pause.as_ref().map(|pause| Timestamp(pause.paused_at)),
            pause_reason: pause.and_then(|pause| pause.reason),
            next_cursor: page.next_cursor,
        })
    }
}
