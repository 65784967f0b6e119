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
use crate::{area::page, view::View};

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

const ROUTE: Spec = page("console_sales", "Vendas", "/vendas");

pub(crate) const SALES: Entry = Entry::page::<Sales>(
    ROUTE,
    "As vendas de um período, por dia, produto, loja e vendedor.",
);

impl Page for Sales {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::of(ctx).await?;
        let input = period::input(self.inicio.as_deref(), self.fim.as_deref());
        let (answer, team) = try_join!(
            view.read::<shapes::Sales>("get_sales_summary", input.clone()),
            view.read::<Team>("get_commercial_team_sales", input.clone()),
        )?;
        let currency = answer.totais.moeda.clone();
        let today = LocalDay::of(ctx.now);
        let before = load_before(&view, &answer, today).await?;
        let bars = days::complete(&answer.por_dia, answer.inicio, answer.fim, today);
        let curve = growth(&currency, &answer, before.as_ref(), &bars, today);
        let growth = curve.sheet();
        let verdict = verdict::sales(&Sold {
            currency: &currency,
            cents: answer.totais.receita_centavos,
            sales: answer.totais.vendas,
            before: before.as_ref().map(|one| one.totais.receita_centavos),
            days: answer.inicio.through(answer.fim.min(today)),
            has_data: answer.atualizado_em.is_some(),
        });
        let facts: Vec<String> = sums::describe_days(&bars, today, &currency)
            .into_iter()
            .collect();
        let by_day = sums::day_sheet(answer.por_dia, &currency);
        let mut products: Vec<_> = answer
            .por_produto
            .into_iter()
            .map(|sums| row(sums.produto.unwrap_or(sums.produto_id), &sums.totals))
            .collect();
        products.extend(
            answer
                .outros_produtos
                .map(|sums| row("Outros produtos".into(), &sums)),
        );
        let products = sheet("por-produto", "Por produto", &PRODUCT, products);
        let stores = answer
            .por_loja
            .into_iter()
            .map(|sums| row(sums.loja, &sums.totals));
        let stores = sheet("por-loja", "Por loja", &STORE, stores.collect());
        let team = sellers(team);
        if let Some(name) = self.csv {
            let all = [&growth, &by_day, &products, &stores, &team];
            let sheet = all.into_iter().find(|sheet| sheet.name == name);
            return sheet
                .map(Sheet::file)
                .ok_or_else(|| Error::not_found("tabela"));
        }
        let path = view.at("/vendas");
        let address = format!("{path}?inicio={}&fim={}", answer.inicio.0, answer.fim.0);
        let body = html! {
            div class="spread" { h1 { "Vendas" } (period::form(&path, answer.inicio, answer.fim)) }
            (period::describe_period(answer.inicio, answer.fim, answer.atualizado_em.as_deref()))
            (verdict.draw(&facts))
            (sums::compared_totals(&answer.totais, before.as_ref().map(|one| &one.totais)))
            (sums::others(&answer.outras_moedas))
            @if !by_day.rows.is_empty() {
                h2 { "Receita acumulada" }
                (curve.draw("Receita acumulada, com a do período anterior"))
                details { summary { "Tabela da receita acumulada" } (growth.shown(&address)) }
                h2 { "Receita por dia" }
                (sums::days(&bars, today, &currency))
            }
            details class="printed" { summary { "Tabela por dia" } (by_day.shown(&address)) }
            section aria-labelledby="produtos" {
                h2 id="produtos" { "Produtos e lojas" }
                (products.shown(&address))
                (stores.shown(&address))
            }
            section aria-labelledby="equipe" {
                h2 id="equipe" { "Equipe comercial" }
                (team.shown(&address))
            }
        };
        Ok(period::report_page(&view, "Vendas", &body))
    }
}

/// Reads the sales of the previous period, up to the same day of it. `None` if the period has not
/// begun.
async fn load_before(
    view: &View<'_>,
    answer: &shapes::Sales,
    today: LocalDay,
) -> Result<Option<shapes::Sales>> {
    let Some((from, until)) = period::days_before(answer.inicio, answer.fim, today) else {
        return Ok(None);
    };
    let input = json!({ "inicio": from, "fim": until });
    view.read("get_sales_summary", input).await.map(Some)
}

fn growth<'a>(
    currency: &'a str,
    answer: &shapes::Sales,
    before: Option<&shapes::Sales>,
    bars: &[Bar],
    today: LocalDay,
) -> Curve<'a> {
    let before = before.map_or_else(Vec::new, |before| {
        let bars = days::complete(&before.por_dia, before.inicio, before.fim, today);
        days::sums(&bars)
    });
    Curve {
        currency,
        starts_on: answer.inicio,
        days: usize::try_from(answer.inicio.through(answer.fim)).unwrap_or(0),
        sums: days::sums(bars),
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

fn sheet(
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

fn row(name: String, sums: &Totals) -> Vec<Cell> {
    let money = |cents| Cell::Money(cents, sums.moeda.clone());
    vec![
        Cell::Text(name),
        money(sums.receita_centavos),
        money(sums.receita_bruta_centavos),
        Cell::Count(sums.vendas),
        Cell::Count(sums.reembolsos),
        Cell::money(sums.ticket_medio_centavos, &sums.moeda),
    ]
}

fn sellers(team: Team) -> Sheet {
    let currency = team.totais.moeda;
    let rows = team.por_vendedor.into_iter().map(|seller| {
        vec![
            Cell::text(seller.vendedor),
            Cell::Count(seller.vendas),
            Cell::Money(seller.receita_centavos, currency.clone()),
            Cell::rate(seller.taxa),
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
