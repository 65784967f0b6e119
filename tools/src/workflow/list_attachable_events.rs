use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{event_view::EventView, load_event_page};
use domain::{Capability, Cursor, EventStatus, Limit};
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::events::Filter;

/// Lista os eventos editáveis, que aceitam mídia, pela data. A agenda inteira: `list_events`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ListAttachableEvents {
    /// Por página.
    #[serde(default)]
    limit: Limit,
    /// O `next_cursor` anterior.
    cursor: Option<Cursor>,
}

/// Eventos que aceitam mídia.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AttachableEvents {
    eventos: Vec<EventView>,
    /// Para pedir a próxima página; nulo na última.
    next_cursor: Option<String>,
}

impl Operation for ListAttachableEvents {
    const SPEC: Spec = Spec::new(
        "list_attachable_events",
        "Listar peças que aceitam mídia",
        Verb::Get,
        "/api/anexaveis",
    )
    .access(Access::Member(Capability::Art))
    .tool()
    .quotes();
    type Output = AttachableEvents;

    async fn run(self, ctx: &Context<'_>) -> Result<AttachableEvents> {
        let filter = Filter {
            statuses: EventStatus::EDITABLE.to_vec(),
            ..Filter::default()
        };
        let page = load_event_page(ctx, filter, self.limit, self.cursor.as_ref())
            .await?
            .map(|event| EventView::from_event_for_list(event, ctx));
        Ok(AttachableEvents {
            eventos: page.rows,
            next_cursor: page.next_cursor,
        })
    }
}
