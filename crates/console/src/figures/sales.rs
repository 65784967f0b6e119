use domain::time::LocalDay;
use futures::try_join;
use gateway::{Context, Entry, Error, Page, Reply, Result, Spec};
use maud::html;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{
    curve::Curve,
    days::{self, Bar},
    period,
    shapes::{self, Team, Totals},
    sheet::{Cell, Sheet},
    sums,
    verdict::{self, Sold},
};
use crate::{area::page_spec, view::View};

/// The dashboard of sales.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Sales {
    /// Primeiro dia.
    inicio: Option<String>,
    /// Último dia.
    fim: Option<String>,
    /// A tabela a baixar.
    csv: Option<String>,
}

const ROUTE: Spec = page_spec("console_sales", "Vendas", "/vendas");

pub(crate) const SALES: Entry = Entry::for_page::<Sales>(
    ROUTE,
    "As vendas de um período, por dia, produto, loja e vendedor.",
);

impl Page for Sales {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let input = period::period_input(self.inicio.as_deref(), self.fim.as_deref());
        let (answer, team) = try_join!(
            view.read::<shapes::Sales>("get_sales_summary", input.clone()),
            view.read::<Team>("get_commercial_team_sales", input.clone()),
        )?;
        let currency = answer.totais.moeda.clone();
        let today = LocalDay::from_instant(ctx.now);
        let before = load_previous_sales(&view, &answer, today).await?;
        let bars = days::complete_bars(&answer.por_dia, answer.inicio, answer.fim, today);
        let curve = revenue_curve(&currency, &answer, before.as_ref(), &bars, today);
        let growth = curve.to_sheet();
        let verdict = verdict::judge_sales(&Sold {
            currency: &currency,
            cents: answer.totais.receita_centavos,
            sales: answer.totais.vendas,
            before: before.as_ref().map(|one| one.totais.receita_centavos),
            days: answer.inicio.days_through(answer.fim.min(today)),
            has_data: answer.atualizado_em.is_some(),
        });
        let facts: Vec<String> = sums::describe_days(&bars, today, &currency)
            .into_iter()
            .collect();
        let by_day = sums::day_sheet(answer.por_dia, &currency);
        let mut products: Vec<_> = answer
            .por_produto
            .into_iter()
            .map(|sums| totals_row(sums.produto.unwrap_or(sums.produto_id), &sums.totals))
            .collect();
        products.extend(
            answer
                .outros_produtos
                .map(|sums| totals_row("Outros produtos".into(), &sums)),
        );
        let products = build_sheet("por-produto", "Por produto", &PRODUCT, products);
        let stores = answer
            .por_loja
            .into_iter()
            .map(|sums| totals_row(sums.loja, &sums.totals));
        let stores = build_sheet("por-loja", "Por loja", &STORE, stores.collect());
        let team = seller_sheet(team);
        if let Some(name) = self.csv {
            let all = [&growth, &by_day, &products, &stores, &team];
            let sheet = all.into_iter().find(|sheet| sheet.name == name);
            return sheet
                .map(Sheet::csv_reply)
                .ok_or_else(|| Error::not_found("tabela"));
        }
        let path = view.href_to("/vendas");
        let address = format!("{path}?inicio={}&fim={}", answer.inicio.0, answer.fim.0);
        let body = html! {
            div class="spread" { h1 { "Vendas" } (period::period_form(&path, answer.inicio, answer.fim)) }
            (period::describe_period(answer.inicio, answer.fim, answer.atualizado_em.as_deref()))
            (verdict.draw(&facts))
            (sums::compared_totals(&answer.totais, before.as_ref().map(|one| &one.totais)))
            (sums::draw_other_currencies(&answer.outras_moedas))
            @if !by_day.rows.is_empty() {
                h2 { "Receita acumulada" }
                (curve.draw("Receita acumulada, com a do período anterior"))
                details { summary { "Tabela da receita acumulada" } (growth.draw_table(&address)) }
                h2 { "Receita por dia" }
                (sums::revenue_chart(&bars, today, &currency))
            }
            details class="printed" { summary { "Tabela por dia" } (by_day.draw_table(&address)) }
            section aria-labelledby="produtos" {
                h2 id="produtos" { "Produtos e lojas" }
                (products.draw_table(&address))
                (stores.draw_table(&address))
            }
            section aria-labelledby="equipe" {
                h2 id="equipe" { "Equipe comercial" }
                (team.draw_table(&address))
            }
        };
        Ok(period::report_page(&view, "Vendas", &body))
    }
}

/// Reads the sales of the first days of the previous period, as many days as have passed of the current
/// period. `None` if the current period has not begun.
async fn load_previous_sales(
    view: &View<'_>,
    answer: &shapes::Sales,
    today: LocalDay,
) -> Result<Option<shapes::Sales>> {
    let Some((from, until)) = period::previous_period(answer.inicio, answer.fim, today) else {
        return Ok(None);
    };
    let input = json!({ "inicio": from, "fim": until });
    view.read("get_sales_summary", input).await.map(Some)
}

fn revenue_curve<'a>(
    currency: &'a str,
    answer: &shapes::Sales,
    before: Option<&shapes::Sales>,
    bars: &[Bar],
    today: LocalDay,
) -> Curve<'a> {
    let before = before.map_or_else(Vec::new, |before| {
        let bars = days::complete_bars(&before.por_dia, before.inicio, before.fim, today);
        days::cumulative_sums(&bars)
    });
    Curve {
        currency,
        starts_on: answer.inicio,
        days: usize::try_from(answer.inicio.days_through(answer.fim)).unwrap_or(0),
        sums: days::cumulative_sums(bars),
        before,
        before_name: "período anterior".into(),
        goal: None,
        forecast: None,
        is_partial: bars.last().is_some_and(|bar| bar.day == today),
    }
}

const PRODUCT: [&str; 6] = [
    "Produto",
    "Receita",
    "Receita bruta",
    "Vendas",
    "Reembolsos",
    "Ticket médio",
];
const STORE: [&str; 6] = [
    "Loja",
    "Receita",
    "Receita bruta",
    "Vendas",
    "Reembolsos",
    "Ticket médio",
];

fn build_sheet(
    name: &'static str,
    title: &'static str,
    columns: &'static [&'static str],
    rows: Vec<Vec<Cell>>,
) -> Sheet {
    Sheet {
        name,
        title,
        columns,
        rows,
    }
}

fn totals_row(name: String, sums: &Totals) -> Vec<Cell> {
    let money = |cents| Cell::Money(cents, sums.moeda.clone());
    vec![
        Cell::Text(name),
        money(sums.receita_centavos),
        money(sums.receita_bruta_centavos),
        Cell::Count(sums.vendas),
        Cell::Count(sums.reembolsos),
        Cell::from_money(sums.ticket_medio_centavos, &sums.moeda),
    ]
}

fn seller_sheet(team: Team) -> Sheet {
    let currency = team.totais.moeda;
    let rows = team.por_vendedor.into_iter().map(|seller| {
        vec![
            Cell::from_text(seller.vendedor),
            Cell::Count(seller.vendas),
            Cell::Money(seller.receita_centavos, currency.clone()),
            Cell::from_rate(seller.taxa),
            Cell::Money(seller.comissao_centavos, currency.clone()),
        ]
    });
    Sheet {
        name: "equipe-comercial",
        title: "Por vendedor",
        columns: &["Vendedor", "Vendas", "Receita", "Taxa", "Comissão"],
        rows: rows.collect(),
    }
}
