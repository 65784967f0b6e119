use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    awaiting::Awaiting,
    changed_channels::ChangedPiece,
    event_view::{EventView, add_channels},
    planned::Planned,
    stages,
};
use crate::visibility;
use domain::{
    Capability, EventStatus,
    time::{DAY, Millis, brasilia_day, start_of_day},
};
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::{
    events::{self, Event, Filter},
    history, waiting,
};

/// The maximum number of events in one list.
const MOST: i64 = 30;
/// The length of a week in days, including today.
const WEEK: Millis = 7;

/// Lê o dia de quem chama: o que foi recusado, o que espera decisão, o que atrasou, e o que sai hoje e
/// na semana.
///
/// Cada lista traz no máximo 30 eventos; a semana, 100. As outras estão em `list_events`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GetMyDay {}

/// O dia de quem chama.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MyDay {
    /// Recusados atribuídos a quem chama, com o motivo.
    recusados: Vec<EventView>,
    /// Os que esperam decisão; vazio para quem não aprova.
    a_aprovar: Vec<EventView>,
    /// Aprovados com canais que mudaram depois e esperam a decisão de quem chama.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    canais_mudados: Vec<ChangedPiece>,
    /// Os visíveis com a data, ou a hora de um canal, passada, que ninguém publicou nem arquivou.
    atrasados: Vec<EventView>,
    /// Os visíveis que saem hoje, no horário de Brasília, inteiros ou num canal com hora própria.
    hoje: Vec<EventView>,
    /// Os visíveis que saem nos seis dias seguintes, também se um canal sai hoje.
    semana: Vec<EventView>,
    /// O que falta para a equipe começar e quem chama pode fazer.
    primeiros_passos: Vec<FirstStep>,
}

/// Um primeiro passo da equipe.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
pub enum FirstStep {
    #[serde(rename = "convidar")]
    Invite,
    #[serde(rename = "criar_demanda")]
    CreateDemand,
    #[serde(rename = "conectar_rede")]
    ConnectNetwork,
    #[serde(rename = "conectar_agente")]
    ConnectAgent,
}

impl Operation for GetMyDay {
    const SPEC: Spec = Spec::new("get_my_day", "Ler meu dia", Verb::Get, "/api/meu-dia")
        .access(Access::Member(Capability::TasksView))
        .extension();
    type Output = MyDay;

    async fn run(self, ctx: &Context<'_>) -> Result<MyDay> {
        let caller = ctx.caller()?;
        let refused = Filter {
            assigned_to: Some(caller.member.id.clone()),
            statuses: vec![EventStatus::Refused],
            ..Filter::default()
        };
        let pending = Filter {
            statuses: vec![EventStatus::InApproval],
            visible_to: visibility::visible_to(ctx)?.cloned(),
            ..Filter::default()
        };
        let late = Filter {
            statuses: EventStatus::OPEN.to_vec(),
            late_at: Some(ctx.now),
            ..Filter::default()
        };
        let recusados =
            views_with_refusal_reasons(ctx, load_events(ctx, refused, MOST).await?).await?;
        let a_aprovar = match caller.has_capability(Capability::Approve) {
            true => {
                let events = stages::list_waiting_for_caller(ctx, pending, MOST).await?;
                views_for_list(ctx, events)
            }
            false => vec![],
        };
        let canais_mudados = match caller.has_capability(Capability::Approve) {
            true => ChangedPiece::list(ctx, Awaiting::Me).await?,
            false => vec![],
        };
        let mut atrasados = views_for_list(ctx, load_events(ctx, late, MOST).await?);
        add_channels(ctx, &mut atrasados).await?;
        let today = start_of_day(brasilia_day(ctx.now));
        let week = Planned::load(ctx, (today, today + WEEK * DAY)).await?;
        Ok(MyDay {
            recusados,
            a_aprovar,
            canais_mudados,
            atrasados,
            hoje: week.list_between(ctx, (today, today + DAY)),
            semana: week.list_between(ctx, (today + DAY, today + WEEK * DAY)),
            primeiros_passos: load_first_steps(ctx).await?,
        })
    }
}

async fn load_events(ctx: &Context<'_>, filter: Filter, most: i64) -> Result<Vec<Event>> {
    let filter = Filter {
        visible_to: visibility::visible_to(ctx)?.cloned(),
        ..filter
    };
    Ok(events::list(&ctx.db(), filter, most).await?)
}

fn views_for_list(ctx: &Context<'_>, events: Vec<Event>) -> Vec<EventView> {
    let views = events.into_iter();
    views
        .map(|event| EventView::from_event_for_list(event, ctx))
        .collect()
}

async fn views_with_refusal_reasons(
    ctx: &Context<'_>,
    events: Vec<Event>,
) -> Result<Vec<EventView>> {
    let ids = events.iter().map(|event| &event.id).collect();
    let mut reasons = history::load_refusal_reasons(&ctx.db(), ids).await?;
    let views = events.into_iter().map(|event| EventView {
        refusal_reason: reasons.remove(&event.id),
        ..EventView::from_event_for_list(event, ctx)
    });
    Ok(views.collect())
}

/// Returns the first steps that the team has not taken and the caller may take.
async fn load_first_steps(ctx: &Context<'_>) -> Result<Vec<FirstStep>> {
    let caller = ctx.caller()?;
    let taken = waiting::load_steps(&ctx.db()).await?;
    let may = |capability| caller.has_capability(capability);
    let steps = [
        (
            FirstStep::Invite,
            taken.members < 2 && may(Capability::Members),
        ),
        (
            FirstStep::CreateDemand,
            taken.events == 0 && may(Capability::TasksAssign),
        ),
        (
            FirstStep::ConnectNetwork,
            taken.networks == 0 && may(Capability::Connections),
        ),
        (
            FirstStep::ConnectAgent,
            taken.agents == 0 && may(Capability::TasksAssign),
        ),
    ];
    let open = steps.into_iter().filter(|(_, is_open)| *is_open);
    Ok(open.map(|(step, _)| step).collect())
}
