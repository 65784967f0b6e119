use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{event_view::EventView, hints, notices};
use crate::announcements::PIECE_CREATED;
use crate::visibility::EVENT;
use domain::{
    Capability, EventId, EventStatus, MOST_TAG, MemberId, Revision, VISIBLE,
    channels::channel_key,
    time::{DateFields, Timestamp},
};
use gateway::{Access, Context, Link, Operation, Result, Spec, Verb};
use store::{
    events::{self, Event},
    members,
};

/// Cria uma demanda (pauta nova, tarefa): um evento `a fazer`, com briefing, responsável e data. Várias:
/// `create_demands`.
///
/// A `description` fica também como `briefing`, que nunca muda; a legenda vem depois, em
/// `save_draft`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct CreateDemand {
    /// Título do evento.
    #[schemars(length(min = 1, max = 300), regex(pattern = *VISIBLE))]
    title: String,
    /// Canal de publicação.
    #[serde(default = "default_channel")]
    #[schemars(length(min = 1, max = 60), regex(pattern = *VISIBLE))]
    channel: String,
    /// Responsável: `id` de `list_team`.
    assignee_id: Option<MemberId>,
    #[serde(flatten)]
    date: DateFields,
    /// Briefing: o que se pede.
    #[schemars(length(max = 20000))]
    description: Option<String>,
    /// Etiqueta, como `reel` ou `carrossel`.
    #[schemars(length(min = 1, max = MOST_TAG), regex(pattern = *VISIBLE))]
    tipo: Option<String>,
}

fn default_channel() -> String {
    "instagram".into()
}

/// Demanda criada.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DemandCreated {
    ok: bool,
    event_id: EventId,
    clickup_id: Option<String>,
    due_at: Option<Timestamp>,
    event: EventView,
    /// O que convém contar a uma pessoa; ausente quando nada há.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    avisos: Vec<String>,
}

impl Operation for CreateDemand {
    const SPEC: Spec = Spec::new("create_demand", "Criar demanda", Verb::Post, "/api/demanda")
        .access(Access::Member(Capability::TasksAssign))
        .makes(EVENT)
        .fails(&[404])
        .links(&[
            Link {
                operation: "get_event",
                inputs: &[("eventId", "/event_id")],
            },
            Link {
                operation: "save_draft",
                inputs: &[
                    ("event_id", "/event_id"),
                    ("expected_revision", "/event/api_revision"),
                ],
            },
            Link {
                operation: "submit_for_approval",
                inputs: &[
                    ("event_id", "/event_id"),
                    ("expected_revision", "/event/api_revision"),
                ],
            },
            Link {
                operation: "update_event",
                inputs: &[
                    ("eventId", "/event_id"),
                    ("expected_revision", "/event/api_revision"),
                ],
            },
            Link {
                operation: "decide_approval",
                inputs: &[("event_id", "/event_id")],
            },
        ])
        .hints(hints::CREATE)
        .tool()
        .announces(&[PIECE_CREATED]);
    type Output = DemandCreated;

    fn affected_ids(output: &DemandCreated) -> Vec<&str> {
        vec![output.event_id.as_str()]
    }

    async fn run(self, ctx: &Context<'_>) -> Result<DemandCreated> {
        self.create_with_number(ctx, 0).await
    }
}

impl CreateDemand {
    /// Creates a demand. `number` is the position of the demand in the call. The id contains the time
    /// plus this number, so that the ids of one call are in order.
    pub(super) async fn create_with_number(
        self,
        ctx: &Context<'_>,
        number: i64,
    ) -> Result<DemandCreated> {
        let caller = ctx.caller()?;
        let due_at = self.date.to_instant(ctx.now)?;
        let assignee = match &self.assignee_id {
            Some(id) => Some(members::require_active(&ctx.db(), id).await?),
            None => None,
        };
        let event = Event {
            id: EventId::new(ctx.now + number),
            api_revision: Revision::FIRST,
            clickup_id: None,
            title: self.title,
            channel: channel_key(&self.channel),
            status: EventStatus::Todo,
            briefing: self.description.clone(),
            description: self.description,
            due_at,
            editorial_tag: self.tipo,
            created_by: caller.member.id.clone(),
            created_by_name: caller.member.name.clone(),
            created_at: ctx.now,
            updated_at: ctx.now,
            post_url: None,
            assignees: assignee.into_iter().map(|m| (m.id, m.name)).collect(),
            media: vec![],
        };
        events::insert(&ctx.db(), &event).await?;
        Ok(DemandCreated {
            ok: true,
            event_id: event.id.clone(),
            clickup_id: None,
            due_at: due_at.map(Timestamp),
            event: EventView::from_event(event, ctx),
            avisos: notices::past_date_warning(due_at, ctx.now)
                .into_iter()
                .collect(),
        })
    }
}
