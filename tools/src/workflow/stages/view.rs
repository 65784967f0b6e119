//! The running approval of a piece, as operations return it.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::people::People;
use domain::{
    EventId, Level, MemberId,
    approval::{AwaitedDecider, Decider, DecisionEffect, Entitlement, Stage, Verdict, Voter},
    time::Timestamp,
};
use gateway::{Context, Principal, Result};
use store::approvals::{self, Running};

/// Etapa em que a peça espera.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ApprovalView {
    etapa: String,
    /// O número da etapa, a partir de 1.
    numero: usize,
    /// Quantas etapas há.
    de: usize,
    espera_por: Vec<Awaited>,
    desde: Timestamp,
    prazo: Option<Timestamp>,
    atrasada: bool,
    /// Quem já aprovou, em qualquer etapa.
    decidiram: Vec<Decision>,
    /// Se quem chama pode aprovar agora.
    pode_aprovar: bool,
    /// Se pode recusar ou pedir ajustes.
    pode_recusar: bool,
    /// Todas as etapas; só em `get_event`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    etapas: Vec<StageView>,
}

/// Uma pessoa, ou um papel.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
enum Awaited {
    Person(Person),
    Role(&'static str),
}

/// Membro da equipe.
#[derive(Debug, Serialize, JsonSchema)]
struct Person {
    id: MemberId,
    name: String,
}

/// Uma aprovação.
#[derive(Debug, Serialize, JsonSchema)]
struct Decision {
    /// Ausente para um convidado.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<MemberId>,
    name: String,
    /// O número da etapa.
    numero: usize,
    em: Timestamp,
    /// Se a legenda ou as mídias mudaram depois.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    mudou_depois: bool,
}

/// Uma etapa da regra.
#[derive(Debug, Serialize, JsonSchema)]
struct StageView {
    nome: String,
    quem: Vec<Awaited>,
}

pub(super) const GUEST: &str = "convidado";

impl ApprovalView {
    /// Builds the view of an approval for this caller; `None` if the approval has no stages.
    pub(super) fn from_running(
        running: &Running,
        people: &People,
        caller: &Principal,
    ) -> Option<Self> {
        let approval = &running.approval;
        let stage = approval.current()?;
        let by = Decider::Member(&caller.member.id);
        let entitlement = approval.entitlement(by, &people.team);
        let may_refuse = match entitlement {
            None => false,
            Some(Entitlement::Admin) => caller.effective_level() == Level::Admin,
            Some(_) => true,
        };
        let approved =
            approval
                .clone()
                .decide(Verdict::Approve, by, &people.team, approval.entered_at);
        let waiting = approval.waits_for(&people.team).into_iter();
        let votes = approval.votes.iter().zip(&running.names);
        Some(Self {
            etapa: stage.name.clone(),
            numero: approval.stage + 1,
            de: approval.plan.stages.len(),
            espera_por: waiting
                .map(|one| Awaited::from_waiting(one, people))
                .collect(),
            desde: Timestamp(approval.entered_at),
            prazo: approval.due_at.map(Timestamp),
            atrasada: approval.is_overdue,
            decidiram: votes
                .enumerate()
                .map(|(place, (vote, name))| Decision {
                    mudou_depois: running.has_changed_since(place),
                    id: match &vote.voter {
                        Voter::Member(id) => Some(id.clone()),
                        Voter::Guest => None,
                    },
                    name: name.clone().unwrap_or_else(|| GUEST.into()),
                    numero: vote.stage + 1,
                    em: Timestamp(vote.decided_at),
                })
                .collect(),
            pode_aprovar: may_refuse
                && approved.is_ok_and(|effect| effect != DecisionEffect::Repeated),
            pode_recusar: may_refuse,
            etapas: vec![],
        })
    }

    fn with_all_stages(self, running: &Running, people: &People) -> Self {
        let stages = running.approval.plan.stages.iter();
        let stages = stages.map(|stage| StageView {
            nome: stage.name.clone(),
            quem: list_deciders(stage, people),
        });
        Self {
            etapas: stages.collect(),
            ..self
        }
    }
}

impl Awaited {
    fn from_waiting(waiting: AwaitedDecider, people: &People) -> Self {
        match waiting {
            AwaitedDecider::Member(id) => Self::Person(Person {
                name: people.name(&id),
                id,
            }),
            AwaitedDecider::Role(role) => Self::Role(role.as_str()),
            AwaitedDecider::Guest => Self::Role(GUEST),
        }
    }
}

/// Lists the deciders that a stage names, without members who left the team.
fn list_deciders(stage: &Stage, people: &People) -> Vec<Awaited> {
    let members = stage.members.iter().filter(|id| people.is_active(id));
    let members = members.cloned().map(AwaitedDecider::Member);
    let role = stage.role.map(AwaitedDecider::Role);
    let guests = stage.guests.then_some(AwaitedDecider::Guest);
    let all = members.chain(role).chain(guests);
    all.map(|one| Awaited::from_waiting(one, people)).collect()
}

/// Describes the people for whom a piece waits, as in `Ana, líderes`.
pub(super) fn describe_waiting(running: &Running, people: &People) -> String {
    let waiting = running.approval.waits_for(&people.team).into_iter();
    let names = waiting.map(|one| match Awaited::from_waiting(one, people) {
        Awaited::Person(person) => person.name,
        Awaited::Role("lider") => "líderes".to_owned(),
        Awaited::Role("admin") => "admins".to_owned(),
        Awaited::Role(_) => "convidados".to_owned(),
    });
    names.collect::<Vec<_>>().join(", ")
}

/// The extent of a view: only the current stage, or also the list of all stages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::workflow) enum Detail {
    CurrentStage,
    AllStages,
}

/// Loads the views of the running approvals of these pieces for the caller. Pieces without stages are
/// missing in the result.
pub(in crate::workflow) async fn load_views(
    ctx: &Context<'_>,
    pieces: impl IntoIterator<Item = &EventId>,
    detail: Detail,
) -> Result<HashMap<EventId, ApprovalView>> {
    let db = ctx.db();
    let running = approvals::load(&db, pieces).await?;
    if running.is_empty() {
        return Ok(HashMap::new());
    }
    let (people, caller) = (People::load(&db).await?, ctx.caller()?);
    let mut views = HashMap::new();
    for (id, running) in running {
        let Some(view) = ApprovalView::from_running(&running, &people, caller) else {
            continue;
        };
        let view = match detail {
            Detail::CurrentStage => view,
            Detail::AllStages => view.with_all_stages(&running, &people),
        };
        views.insert(id, view);
    }
    Ok(views)
}
