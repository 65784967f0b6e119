use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    LAUNCH,
    scope::{require_launch_and_days, sales_selection, visit_scopes},
};
use crate::{
    figures::{self, DayLine, Period, Span, Totals, rounded_ratio, split_by_currency},
    sales::day_lines,
};
use domain::{Capability, ProjectId, time::Timestamp};
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::figures::{By, Kind, list_journey_steps, list_sales};

/// Resume um lançamento: receita, vendas, reembolsos, ticket médio, conversão e dias. Ante a
/// meta: `get_launch_decision_panel`. Sem período, o do lançamento.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GetLaunchSummary {
    /// Id do projeto.
    #[serde(rename = "projetoId")]
    project_id: ProjectId,
    #[serde(flatten)]
    period: Period,
}

/// Vendas do lançamento, na moeda dele; as de outras ficam à parte.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LaunchSummary {
    projeto_id: ProjectId,
    nome: String,
    #[serde(flatten)]
    span: Span,
    totais: Totals,
    /// Sessões que visitaram uma página.
    visitas: i64,
    /// `vendas` sobre `visitas`, sem seguir cada pessoa; nula sem visita.
    conversao: Option<f64>,
    /// Os dias em que houve compra.
    por_dia: Vec<DayLine>,
    outras_moedas: Vec<Totals>,
    /// De quando são os dados; nulo quando nunca houve.
    atualizado_em: Option<Timestamp>,
}

impl Operation for GetLaunchSummary {
    const SPEC: Spec = Spec::new(
        "get_launch_summary",
        "Resumir lançamento",
        Verb::Get,
        "/api/lancamentos/{projetoId}/resumo",
    )
    .access(Access::Member(Capability::Vendas))
    .about(LAUNCH, "projetoId")
    .fails(&[404])
    .tool();
    type Output = LaunchSummary;

    async fn run(self, ctx: &Context<'_>) -> Result<LaunchSummary> {
        let (launch, span) = require_launch_and_days(ctx, &self.project_id, &self.period).await?;
        let (db, days) = (ctx.db(), span.first_and_last_day());
        let found = list_sales(&db, &sales_selection(&launch), days, By::Day).await?;
        let (by_day, outras_moedas) = split_by_currency(found, &launch.currency);
        let totais = Totals::sum_figures(&launch.currency, &by_day);
        let scopes = visit_scopes(ctx, &launch).await?;
        let steps = list_journey_steps(&db, &scopes, days).await?;
        let visits = steps.iter().find(|step| step.step == "visitou_pagina");
        let visitas = visits.map_or(0, |step| step.sessions);
        Ok(LaunchSummary {
            projeto_id: launch.project_id,
            nome: launch.name,
            span,
            conversao: rounded_ratio(totais.vendas, visitas),
            totais,
            visitas,
            por_dia: day_lines(&by_day)?,
            outras_moedas,
            atualizado_em: figures::updated_at(ctx, &[Kind::Sales, Kind::Journey]).await?,
        })
    }
}
