use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::commissions::{Commissions, UnroundedCommission};
use crate::figures::{self, Period, REAL, Span};
use domain::{
    Capability,
    time::{LocalDay, Timestamp},
};
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::figures::{Days, Kind, SellerFigure, list_sellers};

/// Mostra vendas, receita e comissão de cada vendedor, pelas taxas de `comercial.comissoes`. Por
/// produto e loja: `get_sales_summary`. Sem período, os últimos 30 dias.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GetCommercialTeamSales {
    #[serde(flatten)]
    period: Period,
}

/// Vendas da equipe comercial, em reais.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CommercialTeamSales {
    #[serde(flatten)]
    span: Span,
    totais: TeamTotals,
    /// Da maior receita à menor.
    por_vendedor: Vec<SellerLine>,
    /// As vendas em outras moedas, sem comissão.
    outras_moedas: Vec<TeamTotals>,
    /// O que convém saber; ausente quando nada há.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    avisos: Vec<&'static str>,
    /// De quando são os dados; nulo quando nunca houve.
    atualizado_em: Option<Timestamp>,
}

/// Somas da equipe em uma moeda.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TeamTotals {
    moeda: String,
    /// Compras com vendedor, pagas no período e não reembolsadas por inteiro.
    vendas: i64,
    receita_bruta_centavos: i64,
    receita_centavos: i64,
    comissao_centavos: i64,
}

/// Vendas de uma pessoa da equipe.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SellerLine {
    vendedor: String,
    /// Compras com vendedor, pagas no período e não reembolsadas por inteiro.
    vendas: i64,
    receita_bruta_centavos: i64,
    receita_centavos: i64,
    /// Da configuração `comercial.comissoes`, de 0 a 1: a do último dia.
    taxa: f64,
    comissao_centavos: i64,
    /// Por trecho do período, quando a taxa mudou nele.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    taxas: Vec<RateLine>,
}

/// As vendas dos dias em que uma taxa valeu.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RateLine {
    inicio: LocalDay,
    fim: LocalDay,
    /// Nula antes da primeira.
    taxa: Option<f64>,
    receita_centavos: i64,
}

const NO_RATES: &str = "A configuração `comercial.comissoes` falta ou não tem taxas de 0 a 1: as \
                        comissões são 0.";

impl Operation for GetCommercialTeamSales {
    const SPEC: Spec = Spec::new(
        "get_commercial_team_sales",
        "Ver vendas da equipe comercial",
        Verb::Get,
        "/api/vendas/comercial",
    )
    .access(Access::Member(Capability::Vendas))
    .tool();
    type Output = CommercialTeamSales;

    async fn run(self, ctx: &Context<'_>) -> Result<CommercialTeamSales> {
        let span = self.period.span_or_last_30_days(ctx.now)?;
        let commissions = Commissions::load_rates(ctx).await?;
        let avisos = commissions.is_none().then_some(NO_RATES);
        let commissions = commissions.unwrap_or_default();
        let (mut lines, mut others) = (BTreeMap::new(), vec![]);
        let parts = commissions.split_days_by_rates(span.first_and_last_day());
        let are_many = parts.len() > 1;
        for (days, rates) in parts {
            for figure in list_sellers(&ctx.db(), days).await? {
                if figure.currency != REAL {
                    others.push(figure);
                    continue;
                }
                let rate = rates.map(|rates| rates.seller_rate(&figure.seller));
                let line: &mut SellerSums = lines.entry(figure.seller.clone()).or_default();
                line.add(&figure, days, rate);
            }
        }
        let (_, last_day) = span.first_and_last_day();
        let last_rates = commissions.rates_on(last_day);
        let lines = lines.into_iter().map(|(seller, sums)| {
            let rate = last_rates.map_or(0.0, |rates| rates.seller_rate(&seller));
            sums.into_line(seller, rate, are_many)
        });
        let mut lines: Vec<SellerLine> = lines.collect();
        lines.sort_by_key(|line| {
            let revenue = std::cmp::Reverse(line.receita_centavos);
            (revenue, line.vendedor.clone())
        });
        let mut totais = TeamTotals::zero(REAL);
        for line in &lines {
            totais.vendas += line.vendas;
            totais.receita_bruta_centavos += line.receita_bruta_centavos;
            totais.receita_centavos += line.receita_centavos;
            totais.comissao_centavos += line.comissao_centavos;
        }
        Ok(CommercialTeamSales {
            span,
            totais,
            por_vendedor: lines,
            outras_moedas: sum_by_currency(others),
            avisos: avisos.into_iter().collect(),
            atualizado_em: figures::updated_at(ctx, &[Kind::Sales]).await?,
        })
    }
}

/// The sums of a seller over the parts of a period.
#[derive(Default)]
struct SellerSums {
    sales: i64,
    gross_cents: i64,
    revenue_cents: i64,
    commission: UnroundedCommission,
    rates: Vec<RateLine>,
}

impl SellerSums {
    /// Adds the sales of the days on which this rate applies.
    fn add(&mut self, figure: &SellerFigure, (inicio, fim): Days, taxa: Option<f64>) {
        let revenue = figure.gross_cents - figure.refunded_cents;
        self.sales += figure.sales;
        self.gross_cents += figure.gross_cents;
        self.revenue_cents += revenue;
        self.commission.add(revenue, taxa.unwrap_or_default());
        self.rates.push(RateLine {
            inicio,
            fim,
            taxa,
            receita_centavos: revenue,
        });
    }

    fn into_line(self, vendedor: String, taxa: f64, shows_rates: bool) -> SellerLine {
        SellerLine {
            vendedor,
            vendas: self.sales,
            receita_bruta_centavos: self.gross_cents,
            receita_centavos: self.revenue_cents,
            taxa,
            comissao_centavos: self.commission.cents(),
            taxas: self.rates.into_iter().filter(|_| shows_rates).collect(),
        }
    }
}

impl TeamTotals {
    fn zero(currency: &str) -> Self {
        Self {
            moeda: currency.to_owned(),
            vendas: 0,
            receita_bruta_centavos: 0,
            receita_centavos: 0,
            comissao_centavos: 0,
        }
    }
}

fn sum_by_currency(mut figures: Vec<SellerFigure>) -> Vec<TeamTotals> {
    figures.sort_by(|a, b| a.currency.cmp(&b.currency));
    let mut totals: Vec<TeamTotals> = vec![];
    for figure in figures {
        if totals
            .last()
            .is_none_or(|last| last.moeda != figure.currency)
        {
            totals.push(TeamTotals::zero(&figure.currency));
        }
        if let Some(last) = totals.last_mut() {
            last.vendas += figure.sales;
            last.receita_bruta_centavos += figure.gross_cents;
            last.receita_centavos += figure.gross_cents - figure.refunded_cents;
        }
    }
    totals
}
