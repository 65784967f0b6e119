use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    event_view::{EventView, add_approvals, add_channels},
    hints, load_event_page,
    stages::Detail,
};
use domain::{
    Capability, Cursor, EventStatus, Limit, MemberId,
    time::{self, LocalDay},
};
use gateway::{Access, Context, Error, Operation, Result, Spec, Verb};
use store::events::Filter;

/// Lista a agenda editorial (posts) que quem chama pode ver, pela data; sem data, no fim.
///
/// Um evento com histórico: `get_event`. O que espera decisão: `list_pending_approvals`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ListEvents {
    /// Dia de Brasília.
    de: Option<LocalDay>,
    /// Último dia.
    ate: Option<LocalDay>,
    /// Só este status.
    status: Option<EventStatus>,
    /// Só este canal.
    #[schemars(length(min = 1, max = 60))]
    channel: Option<String>,
    /// `id` de `list_team`.
    #[schemars(regex(pattern = "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$"))]
    assignee_id: Option<MemberId>,
    /// Texto de título, legenda, etiqueta ou responsável.
    #[schemars(length(min = 1, max = 200))]
    q: Option<String>,
    /// Só os sem data.
    #[serde(default)]
    sem_data: bool,
    /// Só os atrasados, também por canal.
    #[serde(default)]
    atrasados: bool,
    /// Por página.
    #[serde(default)]
    limit: Limit,
    /// O `next_cursor` anterior.
    cursor: Option<Cursor>,
}

/// Uma página da agenda.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Events {
    eventos: Vec<EventView>,
    /// Para pedir a próxima página; nulo na última.
    next_cursor: Option<String>,
}

impl Operation for ListEvents {
    const SPEC: Spec = Spec::new("list_events", "Listar peças", Verb::Get, "/api/eventos")
        .access(Access::Member(Capability::TasksView))
        .extension()
        .hints(hints::LIST)
        .tool()
        .quotes();
    type Output = Events;

    async fn run(self, ctx: &Context<'_>) -> Result<Events> {
        if self.de.zip(self.ate).is_some_and(|(de, ate)| ate < de) {
            let message = "não pode ser um dia anterior a `de`";
            return Err(Error::invalid_field("ate", "minimum", message));
        }
        let until = self.ate.map(|day| time::end_of_day(day.0));
        let mut statuses: Vec<EventStatus> = self.status.into_iter().collect();
        if self.atrasados && statuses.is_empty() {
            statuses = EventStatus::OPEN.to_vec();
        }
        if self.atrasados && !statuses.iter().all(|status| status.is_open()) {
            // A published or archived event is never late.
            return Ok(Events {
                eventos: vec![],
                next_cursor: None,
            });
        }
        let filter = Filter {
            assigned_to: self.assignee_id,
            statuses,
            channel: self.channel,
            text: self.q,
            from: self.de.map(|day| time::start_of_day(day.0)),
            until,
            late_at: self.atrasados.then_some(ctx.now),
            undated: self.sem_data,
            ..Filter::default()
        };
        let mut page = load_event_page(ctx, filter, self.limit, self.cursor.as_ref())
            .await?
            .map(|event| EventView::from_event_for_list(event, ctx));
        add_approvals(ctx, &mut page.rows, Detail::CurrentStage).await?;
        add_channels(ctx, &mut page.rows).await?;
        Ok(Events {
            eventos: page.rows,
            next_cursor: page.next_cursor,
        })
    }
}
