use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{event_view::EventView, hints, load_event_page};
use crate::draft_remarks::sees_draft_threads;
use domain::{Capability, Cursor, EventStatus, Limit};
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::{events::Filter, history, remarks};

/// Lista as tarefas de quem chama: eventos atribuídos que ainda pedem trabalho, pela data.
///
/// Os recusados vêm com o motivo. De outras pessoas:
/// `list_events`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ListMyTasks {
    /// Texto, como em `list_events`.
    #[schemars(length(min = 1, max = 200))]
    q: Option<String>,
    /// Por página.
    #[serde(default)]
    limit: Limit,
    /// O `next_cursor` anterior.
    cursor: Option<Cursor>,
}

/// Tarefas de quem chama.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MyTasks {
    tarefas: Vec<EventView>,
    /// Para pedir a próxima página; nulo na última.
    next_cursor: Option<String>,
}

impl Operation for ListMyTasks {
    const SPEC: Spec = Spec::new(
        "list_my_tasks",
        "Listar minhas tarefas",
        Verb::Get,
        "/api/tarefas",
    )
    .access(Access::Member(Capability::TasksView))
    .hints(hints::TASKS)
    .tool()
    .quotes();
    type Output = MyTasks;

    async fn run(self, ctx: &Context<'_>) -> Result<MyTasks> {
        let filter = Filter {
            assigned_to: Some(ctx.caller()?.member.id.clone()),
            statuses: EventStatus::OPEN.to_vec(),
            text: self.q,
            ..Filter::default()
        };
        let page = load_event_page(ctx, filter, self.limit, self.cursor.as_ref()).await?;
        let refused = page.rows.iter();
        let refused = refused.filter(|event| event.status == EventStatus::Refused);
        let refused = refused.map(|event| &event.id).collect();
        let mut reasons = history::load_refusal_reasons(&ctx.db(), refused).await?;
        let counts = remarks::count_open(
            &ctx.db(),
            sees_draft_threads(ctx.caller()?),
            page.rows.iter().map(|one| &one.id),
        )
        .await?;
        let page = page.map(|event| {
            let counts = counts.get(&event.id).copied().unwrap_or_default();
            let reason = reasons.remove(&event.id);
            EventView {
                refusal_reason: reason,
                comentarios_abertos: Some(counts.open),
                ..EventView::from_event_for_list(event, ctx)
            }
        });
        Ok(MyTasks {
            tarefas: page.rows,
            next_cursor: page.next_cursor,
        })
    }
}
