use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    LAUNCH,
    alerts::{Alert, format_percent},
    launch_view::Situation,
    scope::{require_launch_and_days, sales_selection},
};
use crate::figures::{self, Period, Totals, divide_rounded, rate};
use domain::{
    Capability, ProjectId,
    time::{LocalDay, Timestamp},
};
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::{
    figures::{By, Kind, sales},
    launches::Launch,
};

/// A forecast below this share of the goal is critical.
const CRITICAL: f64 = 0.8;
/// A share of refunds above this causes an alert.
const MANY_REFUNDS: f64 = 0.1;

/// Compara um lançamento com a meta: realizado, ritmo, projeção, o que falta por dia e alertas.
/// Dia a dia: `get_launch_summary`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GetLaunchDecisionPanel {
    /// O `projeto_id` de `list_launches`.
    #[serde(rename = "projetoId")]
    project_id: ProjectId,
}

/// Meta e ritmo, na moeda do lançamento.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LaunchDecisionPanel {
    projeto_id: ProjectId,
    nome: String,
    situacao: Situation,
    moeda: String,
    meta_centavos: i64,
    /// A receita até hoje.
    realizado_centavos: i64,
    /// Do realizado sobre a meta; nulo sem meta.
    alcancado: Option<f64>,
    dias: i64,
    /// Com hoje.
    dias_decorridos: i64,
    dias_restantes: i64,
    /// Receita por dia decorrido; nulo antes do início.
    ritmo_centavos: Option<i64>,
    /// O realizado e o ritmo nos dias que restam; nula antes do início. Depois do fim, o
    /// realizado.
    projecao_centavos: Option<i64>,
    /// O que falta por dia restante; nulo quando não resta dia.
    necessario_por_dia_centavos: Option<i64>,
    alertas: Vec<Alert>,
    /// De quando são os dados; nulo quando nunca houve.
    atualizado_em: Option<Timestamp>,
}

impl Operation for GetLaunchDecisionPanel {
    const SPEC: Spec = Spec::new(
        "get_launch_decision_panel",
        "Ver decisão do lançamento",
        Verb::Get,
        "/api/lancamentos/{projetoId}/decisao",
    )
    .access(Access::Member(Capability::Vendas))
    .about(LAUNCH, "projetoId")
    .fails(&[404])
    .tool();
    type Output = LaunchDecisionPanel;

    async fn run(self, ctx: &Context<'_>) -> Result<LaunchDecisionPanel> {
        let (launch, span) =
            require_launch_and_days(ctx, &self.project_id, &Period::default()).await?;
        let found = sales(
            &ctx.db(),
            &sales_selection(&launch),
            span.days(),
            By::Nothing,
        )
        .await?;
        let own = found.iter().filter(|one| one.currency == launch.currency);
        let totals = Totals::of(&launch.currency, own);
        let today = LocalDay::of(ctx.now);
        let dias = launch.starts_on.through(launch.ends_on);
        let passed = launch.starts_on.through(today.min(launch.ends_on));
        let left = dias - passed;
        let done = totals.receita_centavos;
        let ritmo = divide_rounded(done, passed);
        // The forecast is computed from the revenue: the number of days would multiply the rounding
        // error of the pace.
        let projecao = divide_rounded(done.saturating_mul(dias), passed);
        let missing = (launch.goal_cents - done).max(0);
        let situacao = Situation::of(&launch, ctx.now);
        let alertas = build_alerts(&launch, situacao, &totals, projecao);
        Ok(LaunchDecisionPanel {
            situacao,
            projeto_id: launch.project_id,
            nome: launch.name,
            moeda: launch.currency,
            meta_centavos: launch.goal_cents,
            realizado_centavos: done,
            alcancado: rate(done, launch.goal_cents),
            dias,
            dias_decorridos: passed,
            dias_restantes: left,
            ritmo_centavos: ritmo,
            projecao_centavos: projecao,
            necessario_por_dia_centavos: (left > 0).then(|| (missing + left - 1) / left),
            alertas,
            atualizado_em: figures::updated_at(ctx, &[Kind::Sales]).await?,
        })
    }
}

fn build_alerts(
    launch: &Launch,
    situation: Situation,
    totals: &Totals,
    forecast: Option<i64>,
) -> Vec<Alert> {
    let mut alerts = vec![];
    let share = forecast.and_then(|forecast| rate(forecast, launch.goal_cents));
    if let Some(share) = share.filter(|share| *share < 1.0) {
        let reached = format_percent(share);
        // After the end of the launch, the forecast equals the result.
        let text = match situation {
            Situation::Over => format!("O lançamento terminou com {reached} da meta."),
            Situation::Future | Situation::Running => {
                format!("No ritmo atual, o lançamento chega a {reached} da meta.")
            }
        };
        alerts.push(if share < CRITICAL {
            Alert::critical(text)
        } else {
            Alert::attention(text)
        });
    }
    if launch.goal_cents == 0 {
        alerts.push(Alert::info("O lançamento não tem meta."));
    }
    let refunded = rate(totals.reembolsos_centavos, totals.receita_bruta_centavos);
    if let Some(share) = refunded.filter(|share| *share > MANY_REFUNDS) {
        let share = format_percent(share);
        alerts.push(Alert::attention(format!(
            "{share} da receita bruta foi reembolsada."
        )));
    }
    alerts
}
