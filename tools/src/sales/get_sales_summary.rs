use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::figures::{self, DayLine, Period, REAL, Span, Totals, split_by_currency};
use domain::{Capability, time::Timestamp};
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::figures::{By, Kind, SalesFigure, Selection, list_sales, load_product_names};

/// The maximum number of products in a response. Further products are summed.
const MOST_PRODUCTS: usize = 100;

/// Resume as vendas do mês ou de outro período (relatório): totais, por dia, produto e loja. Por
/// vendedor: `get_commercial_team_sales`; por canal e origem, num lançamento:
/// `get_launch_sales_origin`. Sem período, os últimos 30 dias.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GetSalesSummary {
    #[serde(flatten)]
    period: Period,
}

/// Vendas em reais; as de outras moedas ficam à parte.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SalesSummary {
    #[serde(flatten)]
    span: Span,
    totais: Totals,
    /// Os dias em que houve compra.
    por_dia: Vec<DayLine>,
    /// Os 100 de maior receita; os demais somam em `outros_produtos`.
    por_produto: Vec<ProductLine>,
    outros_produtos: Option<Totals>,
    por_loja: Vec<StoreLine>,
    outras_moedas: Vec<Totals>,
    /// De quando são os dados; nulo quando nunca houve.
    atualizado_em: Option<Timestamp>,
}

/// Vendas de um produto.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ProductLine {
    produto_id: String,
    produto: String,
    #[serde(flatten)]
    totais: Totals,
}

/// Vendas de uma loja.
#[derive(Debug, Serialize, JsonSchema)]
pub struct StoreLine {
    loja: String,
    #[serde(flatten)]
    totais: Totals,
}

impl Operation for GetSalesSummary {
    const SPEC: Spec = Spec::new(
        "get_sales_summary",
        "Resumir vendas",
        Verb::Get,
        "/api/vendas/resumo",
    )
    .access(Access::Member(Capability::Vendas))
    .tool();
    type Output = SalesSummary;

    async fn run(self, ctx: &Context<'_>) -> Result<SalesSummary> {
        let span = self.period.span_or_last_30_days(ctx.now)?;
        let (db, days) = (ctx.db(), span.first_and_last_day());
        let by = async |by| list_sales(&db, &Selection::All, days, by).await;
        let (por_dia, outras_moedas) = split_by_currency(by(By::Day).await?, REAL);
        let (stores, _) = split_by_currency(by(By::Store).await?, REAL);
        let (products, _) = split_by_currency(by(By::Product).await?, REAL);
        let (mut por_produto, rest) = largest_products(&products);
        let ids = por_produto.iter().map(|line| line.produto_id.as_str());
        let names = load_product_names(&db, ids.collect()).await?;
        for line in &mut por_produto {
            line.produto = names.get(&line.produto_id).cloned().unwrap_or_default();
        }
        Ok(SalesSummary {
            span,
            totais: Totals::sum_figures(REAL, &por_dia),
            por_dia: day_lines(&por_dia)?,
            por_produto,
            outros_produtos: rest,
            por_loja: sum_by_store(&stores),
            outras_moedas,
            atualizado_em: figures::updated_at(ctx, &[Kind::Sales]).await?,
        })
    }
}

/// Builds one line per day, in order.
pub(crate) fn day_lines(figures: &[SalesFigure]) -> Result<Vec<DayLine>> {
    let lines = figures.iter().map(DayLine::try_from);
    let mut lines: Vec<DayLine> = lines.collect::<Result<_>>()?;
    lines.sort_by_key(|line| line.dia);
    Ok(lines)
}

/// Returns the products with the largest revenue, with empty names, and the sum of the other products.
fn largest_products(figures: &[SalesFigure]) -> (Vec<ProductLine>, Option<Totals>) {
    let mut figures: Vec<&SalesFigure> = figures.iter().collect();
    figures.sort_by_key(|one| {
        let revenue = one.gross_cents - one.refunded_cents;
        (std::cmp::Reverse(revenue), one.product_id.clone())
    });
    let rest = figures.split_off(figures.len().min(MOST_PRODUCTS));
    let lines = figures.into_iter().map(|figure| ProductLine {
        produto_id: figure.product_id.clone(),
        produto: String::new(),
        totais: Totals::sum_figures(REAL, [figure]),
    });
    let rest = (!rest.is_empty()).then(|| Totals::sum_figures(REAL, rest));
    (lines.collect(), rest)
}

fn sum_by_store(figures: &[SalesFigure]) -> Vec<StoreLine> {
    let stores: BTreeMap<&str, &SalesFigure> = figures
        .iter()
        .map(|one| (one.store.as_str(), one))
        .collect();
    let lines = stores.into_iter().map(|(loja, figure)| StoreLine {
        loja: loja.to_owned(),
        totais: Totals::sum_figures(REAL, [figure]),
    });
    lines.collect()
}
