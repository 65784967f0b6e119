use gateway::{Context, Entry, Page, Reply, Result, Spec};
use maud::html;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    launch_sheets::channel_label,
    period,
    shapes::{self, Touch},
    sheet::{Cell, Sheet},
};
use crate::{area::page_spec, shell, view::View};

/// The page with the buyers of a launch.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Buyers {
    projeto_id: String,
    /// Primeiro dia.
    inicio: Option<String>,
    /// Último dia.
    fim: Option<String>,
    /// A página seguinte.
    cursor: Option<String>,
    /// `compradores` baixa a tabela.
    csv: Option<String>,
}

const ROUTE: Spec = page_spec(
    "console_launch_buyers",
    "Compradores",
    "/lancamentos/{projeto_id}/compradores",
)
.fails(&[404]);

pub(crate) const BUYERS: Entry = Entry::for_page::<Buyers>(
    ROUTE,
    "Os compradores de um lançamento, sem dados pessoais, com o caminho que fizeram.",
);

impl Page for Buyers {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let id = self.projeto_id.as_str();
        let mut input = period::period_input(self.inicio.as_deref(), self.fim.as_deref());
        input["projetoId"] = id.into();
        if let Some(cursor) = &self.cursor {
            input["cursor"] = cursor.as_str().into();
        }
        let answer: shapes::Buyers = view.read("list_launch_buyers", input).await?;
        let currency = answer.moeda;
        let rows = answer.compradores.into_iter().map(|buyer| {
            let bought = buyer.produtos.into_iter();
            let bought = bought.map(|product| product.produto.unwrap_or(product.produto_id));
            vec![
                Cell::from_text(buyer.comprador.chars().take(8).collect::<String>()),
                Cell::Money(buyer.valor_centavos, currency.clone()),
                Cell::from_text(bought.collect::<Vec<_>>().join(", ")),
                Cell::from_text(describe_touch(buyer.primeiro_toque)),
                Cell::from_text(describe_touch(buyer.ultimo_toque)),
                Cell::Moment(buyer.ultima_compra_em),
            ]
        });
        let sheet = Sheet {
            name: "compradores",
            title: "Compradores",
            columns: &[
                "Comprador",
                "Valor",
                "Produtos",
                "Primeiro toque",
                "Último toque",
                "Última compra",
            ],
            rows: rows.collect(),
        };
        if self.csv.is_some() {
            return Ok(sheet.csv_reply());
        }
        let path = format!("/lancamentos/{id}");
        let mut address = format!(
            "{path}/compradores?inicio={}&fim={}",
            answer.inicio.0, answer.fim.0
        );
        let next = answer
            .next_cursor
            .map(|cursor| format!("{address}&cursor={cursor}"));
        if let Some(cursor) = &self.cursor {
            address = format!("{address}&cursor={cursor}");
        }
        let body = html! {
            p class="crumbs" { a href=(view.href_to("/lancamentos")) { "Lançamentos" } " › " a href=(view.href_to(&path)) { "Painel" } }
            h1 { "Compradores" }
            (period::describe_period(answer.inicio, answer.fim, answer.atualizado_em.as_deref()))
            p class="soft" { "Cada linha é uma pessoa, identificada só por um código: a Pauta não guarda o e-mail." }
            h2 { "Por última compra" }
            (sheet.draw_table(&view.href_to(&address)))
            @if let Some(next) = next {
                p { a class="button quiet" href=(view.href_to(&next)) { "Próxima página" } }
            }
        };
        Ok(shell::console_page(&view, "Compradores", &body))
    }
}

fn describe_touch(touch: Option<Touch>) -> String {
    match touch {
        None => "Sem origem".into(),
        Some(Touch {
            canal,
            utm_campaign: None,
        }) => channel_label(canal.as_deref()),
        Some(Touch {
            canal,
            utm_campaign: Some(campaign),
        }) => {
            format!("{} · {campaign}", channel_label(canal.as_deref()))
        }
    }
}
