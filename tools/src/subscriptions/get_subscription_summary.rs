use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::figures::{self, Period, REAL, Span, rounded_ratio};
use domain::{
    Capability, VISIBLE,
    time::{LocalDay, Timestamp},
};
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::figures::{
    Kind, SubscriptionFigure, count_subscriptions_on_days, count_subscriptions_until,
};

/// Resume as assinaturas, também por plano: ativas, novas, canceladas, em atraso, churn e
/// receita mensal. Quem saiu: `list_leaving_subscribers`. Sem período, os últimos 30 dias.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GetSubscriptionSummary {
    #[serde(flatten)]
    period: Period,
    /// Só este plano.
    #[schemars(length(min = 1, max = 200), regex(pattern = *VISIBLE))]
    plano: Option<String>,
}

/// Assinaturas em reais; as de outras moedas ficam à parte.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SubscriptionSummary {
    #[serde(flatten)]
    span: Span,
    #[serde(flatten)]
    totais: SubscriptionTotals,
    /// Da maior receita mensal à menor.
    por_plano: Vec<PlanLine>,
    outras_moedas: Vec<SubscriptionTotals>,
    /// De quando são os dados; nulo quando nunca houve.
    atualizado_em: Option<Timestamp>,
}

/// Somas de assinaturas em uma moeda.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SubscriptionTotals {
    moeda: String,
    /// Ao fim do período.
    ativos: i64,
    /// Começaram no período.
    novos: i64,
    /// Terminaram no período; sem data de término, conta a do aviso da loja.
    cancelados: i64,
    /// `cancelados` sobre os ativos antes do período; nulo se não havia.
    churn: Option<f64>,
    /// O que as ativas rendem por mês.
    mrr_centavos: i64,
    /// Não terminadas e com pagamento em atraso agora, qualquer que seja o período.
    em_atraso: i64,
}

/// Assinaturas de um plano.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PlanLine {
    plano: String,
    #[serde(flatten)]
    totais: SubscriptionTotals,
}

impl Operation for GetSubscriptionSummary {
    const SPEC: Spec = Spec::new(
        "get_subscription_summary",
        "Resumir assinaturas",
        Verb::Get,
        "/api/subs/resumo",
    )
    .access(Access::Member(Capability::Vendas))
    .tool();
    type Output = SubscriptionSummary;

    async fn run(self, ctx: &Context<'_>) -> Result<SubscriptionSummary> {
        let span = self.period.span_or_last_30_days(ctx.now)?;
        let db = ctx.db();
        let mut sums = Sums::new();
        for figure in count_subscriptions_until(&db, span.fim).await? {
            let at = sums.entry(currency_and_plan(&figure)).or_default();
            at.active = figure.started - figure.ended;
            at.monthly_cents = figure.started_cents - figure.ended_cents;
        }
        for figure in count_subscriptions_on_days(&db, span.first_and_last_day()).await? {
            let at = sums.entry(currency_and_plan(&figure)).or_default();
            (at.new, at.ended) = (figure.started, figure.ended);
        }
        // Overdue is a current state, so it is counted over all subscriptions, regardless of the period.
        for figure in count_subscriptions_until(&db, LocalDay::MAX).await? {
            sums.entry(currency_and_plan(&figure)).or_default().overdue = figure.overdue;
        }
        if let Some(chosen) = &self.plano {
            sums.retain(|(_, plan), _| plan == chosen);
        }
        let mut totals: BTreeMap<&str, Sum> = BTreeMap::new();
        for ((currency, _), sum) in &sums {
            totals.entry(currency).or_default().add(sum);
        }
        let own = totals.remove(REAL).unwrap_or_default();
        let apart = totals.iter().map(|(moeda, sum)| sum.to_totals(moeda));
        let plans = sums.iter().filter(|((currency, _), _)| currency == REAL);
        let plans = plans.map(|((_, plan), sum)| PlanLine {
            plano: plan.clone(),
            totais: sum.to_totals(REAL),
        });
        let mut por_plano: Vec<PlanLine> = plans.collect();
        por_plano.sort_by_key(|plan| std::cmp::Reverse(plan.totais.mrr_centavos));
        Ok(SubscriptionSummary {
            span,
            totais: own.to_totals(REAL),
            por_plano,
            outras_moedas: apart.collect(),
            atualizado_em: figures::updated_at(ctx, &[Kind::Subscriptions]).await?,
        })
    }
}

/// The sums of the subscriptions, by currency and plan.
type Sums = BTreeMap<(String, String), Sum>;

fn currency_and_plan(figure: &SubscriptionFigure) -> (String, String) {
    (figure.currency.clone(), figure.plan.clone())
}

#[derive(Default)]
struct Sum {
    active: i64,
    new: i64,
    ended: i64,
    monthly_cents: i64,
    overdue: i64,
}

impl Sum {
    fn add(&mut self, other: &Self) {
        self.active += other.active;
        self.new += other.new;
        self.ended += other.ended;
        self.monthly_cents += other.monthly_cents;
        self.overdue += other.overdue;
    }

    fn to_totals(&self, currency: &str) -> SubscriptionTotals {
        SubscriptionTotals {
            moeda: currency.to_owned(),
            ativos: self.active,
            novos: self.new,
            cancelados: self.ended,
            churn: rounded_ratio(self.ended, self.active - self.new + self.ended),
            mrr_centavos: self.monthly_cents,
            em_atraso: self.overdue,
        }
    }
}
