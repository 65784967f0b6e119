use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    LAUNCH,
    scope::{require_launch_and_days, sales_selection, visit_scopes},
};
use crate::figures::{self, Period, Span, rounded_ratio};
use domain::{Capability, ProjectId, text_enum, time::Timestamp};
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::figures::{By, Kind, list_journey_steps, list_sales};

text_enum! {
    pub enum Step {
        Visited = "visitou_pagina",
        Identified = "identificou",
        OpenedCheckout = "abriu_checkout",
        AdvancedInCheckout = "etapa_checkout",
        Bought = "compra",
    }
}

/// Conta sessões e pessoas de um lançamento em cada passo do site, da visita à compra, com
/// taxas. Etapas da equipe comercial: `get_launch_crm_funnel`. Sem período, o do lançamento.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GetLaunchTimelineFunnel {
    /// Id do projeto.
    #[serde(rename = "projetoId")]
    project_id: ProjectId,
    #[serde(flatten)]
    period: Period,
}

/// Etapas da jornada.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LaunchTimelineFunnel {
    #[serde(flatten)]
    span: Span,
    etapas: Vec<TimelineStep>,
    /// De quando são os dados; nulo quando nunca houve.
    atualizado_em: Option<Timestamp>,
}

/// Uma etapa. Cada sessão e cada pessoa conta uma vez, no dia da primeira.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TimelineStep {
    etapa: Step,
    /// Nulo em `compra`, que a loja informa sem sessão.
    sessoes: Option<i64>,
    /// As identificadas; em `compra`, as que compraram um produto pela primeira vez, no dia da
    /// compra.
    pessoas: i64,
    /// Sessões sobre as de `visitou_pagina`; nula em `compra`.
    taxa_sessoes: Option<f64>,
    /// Pessoas sobre as identificadas de `visitou_pagina`. Em `compra` pode passar de 1: conta também
    /// quem comprou sem visita conhecida.
    taxa_pessoas: Option<f64>,
}

impl Operation for GetLaunchTimelineFunnel {
    const SPEC: Spec = Spec::new(
        "get_launch_timeline_funnel",
        "Ver funil da jornada",
        Verb::Get,
        "/api/lancamentos/{projetoId}/jornada",
    )
    .access(Access::Member(Capability::Vendas))
    .about(LAUNCH, "projetoId")
    .fails(&[404])
    .tool();
    type Output = LaunchTimelineFunnel;

    async fn run(self, ctx: &Context<'_>) -> Result<LaunchTimelineFunnel> {
        let (launch, span) = require_launch_and_days(ctx, &self.project_id, &self.period).await?;
        let (db, days) = (ctx.db(), span.first_and_last_day());
        let scopes = visit_scopes(ctx, &launch).await?;
        let found = list_journey_steps(&db, &scopes, days).await?;
        let bought = list_sales(&db, &sales_selection(&launch), days, By::Nothing).await?;
        let counted = |step: Step| {
            if step == Step::Bought {
                return (None, bought.iter().map(|figure| figure.buyers).sum());
            }
            let figure = found.iter().find(|figure| figure.step == step.as_str());
            figure.map_or((Some(0), 0), |figure| {
                (Some(figure.sessions), figure.people)
            })
        };
        let (sessions, people) = counted(Step::Visited);
        let steps = Step::ALL.iter().map(|step| {
            let (sessoes, pessoas) = counted(*step);
            TimelineStep {
                etapa: *step,
                sessoes,
                pessoas,
                taxa_sessoes: sessoes.and_then(|part| rounded_ratio(part, sessions?)),
                taxa_pessoas: rounded_ratio(pessoas, people),
            }
        });
        Ok(LaunchTimelineFunnel {
            span,
            etapas: steps.collect(),
            atualizado_em: figures::updated_at(ctx, &[Kind::Journey, Kind::Sales]).await?,
        })
    }
}
