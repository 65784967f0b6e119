use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    LAUNCH,
    alerts::{Alert, AlertSubject, format_percent},
    launch_view::Situation,
    scope::{require_launch_and_days, sales_selection},
};
use crate::figures::{self, Period, Totals, rounded_ratio};
use domain::{
    Capability, ProjectId,
    sales::{Pace, Stage},
    time::{LocalDay, Timestamp},
};
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::figures::{By, Kind, list_sales};

/// A share of refunds above this causes an alert.
const MANY_REFUNDS: f64 = 0.1;

/// Compara um lançamento com a meta: realizado, ritmo, projeção, o que falta por dia e alertas.
/// Dia a dia: `get_launch_summary`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GetLaunchDecisionPanel {
    /// Id do projeto.
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
        let found = list_sales(
            &ctx.db(),
            &sales_selection(&launch),
            span.first_and_last_day(),
            By::Nothing,
        )
        .await?;
        let own = found.iter().filter(|one| one.currency == launch.currency);
        let totals = Totals::sum_figures(&launch.currency, own);
        let pace = Pace {
            goal_cents: launch.goal_cents,
            done_cents: totals.receita_centavos,
            starts_on: launch.starts_on,
            ends_on: launch.ends_on,
            today: LocalDay::from_instant(ctx.now),
        };
        let situacao = Situation::from_launch(&launch, ctx.now);
        let alertas = build_alerts(&pace, &totals);
        Ok(LaunchDecisionPanel {
            situacao,
            projeto_id: launch.project_id,
            nome: launch.name,
            moeda: launch.currency,
            meta_centavos: launch.goal_cents,
            realizado_centavos: pace.done_cents,
            alcancado: rounded_ratio(pace.done_cents, pace.goal_cents),
            dias: pace.total_days(),
            dias_decorridos: pace.elapsed_days(),
            dias_restantes: pace.days_left(),
            ritmo_centavos: pace.revenue_per_day(),
            projecao_centavos: pace.expected_revenue(),
            necessario_por_dia_centavos: pace.needed_revenue_per_day(),
            alertas,
            atualizado_em: figures::updated_at(ctx, &[Kind::Sales]).await?,
        })
    }
}

fn build_alerts(pace: &Pace, totals: &Totals) -> Vec<Alert> {
    let mut alerts = vec![];
    let share = pace.expected_revenue();
    let share = share.and_then(|forecast| rounded_ratio(forecast, pace.goal_cents));
    if let Some(share) = share.filter(|share| *share < 1.0) {
        let reached = format_percent(share);
        // After the end of the launch, the forecast equals the result.
        let text = match pace.stage() {
            Stage::Over => format!("O lançamento terminou com {reached} da meta."),
            Stage::Future | Stage::Running => {
                format!("No ritmo atual, o lançamento chega a {reached} da meta.")
            }
        };
        alerts.push(if pace.is_critical() {
            Alert::critical(AlertSubject::Goal, text)
        } else {
            Alert::attention(AlertSubject::Goal, text)
        });
    }
    if pace.goal_cents == 0 {
        alerts.push(Alert::info(
            AlertSubject::Goal,
            "O lançamento não tem meta.",
        ));
    }
    let refunded = rounded_ratio(totals.reembolsos_centavos, totals.receita_bruta_centavos);
    if let Some(share) = refunded.filter(|share| *share > MANY_REFUNDS) {
        let share = format_percent(share);
        let text = format!("{share} da receita bruta foi reembolsada.");
        alerts.push(Alert::attention(AlertSubject::Refunds, text));
    }
    alerts
}
