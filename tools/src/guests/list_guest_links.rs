use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::guest_link_view::GuestLinkView;
use domain::{Capability, Cursor, EventId, Limit, ListPage};
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::guest_links::{self, Filter};

/// Lista os links de convidados, do mais novo ao mais antigo.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ListGuestLinks {
    /// Também os vencidos e revogados.
    #[serde(default)]
    encerrados: bool,
    /// Só os que mostram esta peça escolhida.
    event_id: Option<EventId>,
    /// Por página.
    #[serde(default)]
    limit: Limit,
    /// O `next_cursor` anterior.
    cursor: Option<Cursor>,
}

/// Links de convidados.
#[derive(Debug, Serialize, JsonSchema)]
pub struct GuestLinks {
    links: Vec<GuestLinkView>,
    /// Para pedir a próxima página; nulo na última.
    next_cursor: Option<String>,
}

impl Operation for ListGuestLinks {
    const SPEC: Spec = Spec::new(
        "list_guest_links",
        "Listar links de convidados",
        Verb::Get,
        "/api/convidados",
    )
    .access(Access::Session(Capability::Approve))
    .extension();
    type Output = GuestLinks;

    async fn run(self, ctx: &Context<'_>) -> Result<GuestLinks> {
        let before = self.cursor.as_ref().map(Cursor::decode_position);
        let filter = Filter {
            in_force_at: (!self.encerrados).then_some(ctx.now),
            event_id: self.event_id,
            before: before.transpose()?,
        };
        let db = ctx.db();
        let rows = guest_links::list(&db, &filter, self.limit.fetch_limit()).await?;
        let page = ListPage::from_fetched_rows(rows, self.limit, |link| {
            (link.created_at, link.id.clone())
        });
        let ids = page.rows.iter().map(|link| &link.id);
        let mut pieces = guest_links::load_event_ids(&db, ids).await?;
        let page = page.map(|link| {
            let pieces = pieces.remove(&link.id).unwrap_or_default();
            GuestLinkView::from_link(link, pieces, ctx.now)
        });
        Ok(GuestLinks {
            links: page.rows,
            next_cursor: page.next_cursor,
        })
    }
}
