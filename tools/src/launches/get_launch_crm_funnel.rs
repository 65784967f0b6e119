use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{LAUNCH, scope::require_launch_and_days};
use crate::figures::{self, Period, Span, rounded_ratio};
use domain::{Capability, ProjectId, time::Timestamp};
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::figures::{CrmFigure, Kind, list_crm_stages};

/// Conta as pessoas de um lançamento em cada etapa do CRM, como a equipe comercial o importou.
/// Da visita à compra no site: `get_launch_timeline_funnel`. Sem período, o do lançamento.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GetLaunchCrmFunnel {
    /// Id do projeto.
    #[serde(rename = "projetoId")]
    project_id: ProjectId,
    #[serde(flatten)]
    period: Period,
}

/// Etapas do CRM.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LaunchCrmFunnel {
    #[serde(flatten)]
    span: Span,
    /// Da que tem mais pessoas à que tem menos.
    etapas: Vec<CrmStep>,
    /// O que convém saber; ausente quando nada há.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    avisos: Vec<&'static str>,
    /// De quando são os dados; nulo quando nunca houve.
    atualizado_em: Option<Timestamp>,
}

/// Uma etapa.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CrmStep {
    etapa: String,
    /// Que chegaram a ela no período pela primeira vez, cada uma contada uma vez.
    pessoas: i64,
    /// Sobre as da primeira etapa da lista, a que tem mais pessoas. Não são as mesmas pessoas seguidas.
    taxa: Option<f64>,
    /// Sobre as da etapa anterior da lista; nula na primeira.
    taxa_anterior: Option<f64>,
}

const NO_CODE: &str = "O lançamento não tem o código `lancamento`, pelo qual o CRM o nomeia.";

impl Operation for GetLaunchCrmFunnel {
    const SPEC: Spec = Spec::new(
        "get_launch_crm_funnel",
        "Ver funil do CRM",
        Verb::Get,
        "/api/lancamentos/{projetoId}/funil",
    )
    .access(Access::Member(Capability::Vendas))
    .about(LAUNCH, "projetoId")
    .fails(&[404])
    .tool();
    type Output = LaunchCrmFunnel;

    async fn run(self, ctx: &Context<'_>) -> Result<LaunchCrmFunnel> {
        let (launch, span) = require_launch_and_days(ctx, &self.project_id, &self.period).await?;
        let stages = match &launch.code {
            Some(code) => list_crm_stages(&ctx.db(), code, span.first_and_last_day()).await?,
            None => vec![],
        };
        let avisos = launch.code.is_none().then_some(NO_CODE);
        Ok(LaunchCrmFunnel {
            span,
            etapas: funnel_steps(stages),
            avisos: avisos.into_iter().collect(),
            atualizado_em: figures::updated_at(ctx, &[Kind::Crm]).await?,
        })
    }
}

fn funnel_steps(stages: Vec<CrmFigure>) -> Vec<CrmStep> {
    let first = stages.first().map_or(0, |stage| stage.people);
    let mut before = None;
    let steps = stages.into_iter().map(|stage| CrmStep {
        etapa: stage.stage,
        pessoas: stage.people,
        taxa: rounded_ratio(stage.people, first),
        taxa_anterior: before
            .replace(stage.people)
            .and_then(|before| rounded_ratio(stage.people, before)),
    });
    steps.collect()
}
