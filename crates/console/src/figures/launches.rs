use gateway::{Context, Entry, Page, Reply, Result, Spec};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{
    amounts, chart,
    shapes::{self, Launch},
};
use crate::{area::page, shell, text, view::View};

/// The page with the list of launches.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Launches {
    /// A página seguinte.
    cursor: Option<String>,
}

const ROUTE: Spec = page("console_launches", "Lançamentos", "/lancamentos");

pub(crate) const LAUNCHES: Entry = Entry::page::<Launches>(
    ROUTE,
    "Os lançamentos e quanto falta para a meta de cada um.",
);

impl Page for Launches {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::of(ctx).await?;
        let input = self
            .cursor
            .map_or_else(|| json!({}), |cursor| json!({ "cursor": cursor }));
        let answer: shapes::Launches = view.read("list_launches", input).await?;
        let body = html! {
            h1 { "Lançamentos" }
            @match &answer.atualizado_em {
                Some(at) => p class="soft" { "Dados até " (text::moment_of(at)) "." },
                None => p class="soft" { "Ainda não entrou nenhum dado." },
            }
            @if answer.lancamentos.is_empty() {
                p class="empty" {
                    "Nenhum lançamento ainda. Um admin cria o primeiro a partir de um projeto, com "
                    code { "put_launch_dashboard" } "."
                }
            }
            ul class="launches" {
                @for launch in &answer.lancamentos { li class="card" { (card(&view, launch)) } }
            }
            @if let Some(cursor) = &answer.next_cursor {
                a class="button quiet" href=(view.at(&format!("/lancamentos?cursor={cursor}"))) { "Mais antigos" }
            }
        };
        Ok(shell::page(&view, "Lançamentos", &body))
    }
}

fn card(view: &View<'_>, launch: &Launch) -> Markup {
    let reached = share(launch.receita_centavos, launch.meta_centavos);
    html! {
        div class="spread" {
            h2 dir="auto" {
                a href=(view.at(&format!("/lancamentos/{}", launch.projeto_id))) { (launch.nome) }
            }
            (situation(&launch.situacao))
        }
        p class="soft" { (amounts::day(&launch.inicio)) " a " (amounts::day(&launch.fim)) }
        p class="figure" {
            strong { (amounts::money(launch.receita_centavos, &launch.moeda)) }
            @if let Some(reached) = reached {
                " de " (amounts::money(launch.meta_centavos, &launch.moeda)) " · " (amounts::rate(reached))
            }
            " · " (amounts::count(launch.vendas)) (if launch.vendas == 1 { " venda" } else { " vendas" })
        }
        @if let Some(reached) = reached { (chart::goal(reached, None)) }
    }
}

/// The share of a part. `None` if the whole is 0.
fn share(part: i64, whole: i64) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "shown with one decimal")]
    let share = part as f64 / whole as f64;
    (whole > 0).then_some(share)
}

fn situation(situation: &str) -> Markup {
    let (class, word) = match situation {
        "em_andamento" => ("badge good", "Em andamento"),
        "futuro" => ("badge info", "Ainda vai começar"),
        _ => ("badge", "Encerrado"),
    };
    html! { span class=(class) { (word) } }
}
