use domain::{
    sales::{Pace, Stage},
    time::LocalDay,
};
use gateway::{Context, Entry, Page, Reply, Result, Spec};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{
    amounts, chart, launch_form, period,
    progress::Progress,
    shapes::{self, Launch},
    verdict,
};
use crate::{area::page_spec, text, view::View};

/// The page with the list of launches.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Launches {
    /// A página seguinte.
    cursor: Option<String>,
}

const ROUTE: Spec = page_spec("console_launches", "Lançamentos", "/lancamentos");

pub(crate) const LAUNCHES: Entry = Entry::for_page::<Launches>(
    ROUTE,
    "Os lançamentos e quanto falta para a meta de cada um.",
);

impl Page for Launches {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let input = self
            .cursor
            .map_or_else(|| json!({}), |cursor| json!({ "cursor": cursor }));
        let answer: shapes::Launches = view.read("list_launches", input).await?;
        let may_create = view.may_call("put_launch_dashboard");
        let today = LocalDay::from_instant(ctx.now);
        let has_data = answer.atualizado_em.is_some();
        let all = answer.lancamentos.iter();
        let cards: Vec<(&Launch, Progress<'_>)> = all
            .map(|launch| (launch, launch_progress(launch, today, has_data)))
            .collect();
        let body = html! {
            div class="spread" {
                h1 { "Lançamentos" }
                @if may_create { a class="button" href=(view.href_to(launch_form::NEW)) { "Novo lançamento" } }
            }
            @match &answer.atualizado_em {
                Some(at) => p class="soft" { "Dados até " (text::format_iso_moment(at)) "." },
                None => p class="soft" { "Ainda não entrou nenhum dado." },
            }
            @if answer.lancamentos.is_empty() {
                p class="empty" {
                    "Nenhum lançamento ainda."
                    @if !may_create { " Um admin cria o primeiro a partir de um projeto." }
                }
            }
            ul class="launches" {
                @for (index, (launch, progress)) in cards.iter().enumerate() {
                    @let earlier = cards[index + 1..].iter().map(|(launch, _)| *launch);
                    li class="card" { (launch_card(&view, launch, progress, earlier)) }
                }
            }
            @if let Some(cursor) = &answer.next_cursor {
                a class="button quiet" href=(view.href_to(&format!("/lancamentos?cursor={cursor}"))) { "Mais antigos" }
            }
        };
        Ok(period::report_page(&view, "Lançamentos", &body))
    }
}

fn launch_progress(launch: &Launch, today: LocalDay, has_data: bool) -> Progress<'_> {
    Progress {
        currency: &launch.moeda,
        pace: Pace {
            goal_cents: launch.meta_centavos,
            done_cents: launch.receita_centavos,
            starts_on: launch.inicio,
            ends_on: launch.fim,
            today,
        },
        sales: launch.vendas,
        has_data,
    }
}

/// Draws a launch in the list. `earlier` are the launches that began before this launch.
fn launch_card<'l>(
    view: &View<'_>,
    launch: &Launch,
    progress: &Progress<'_>,
    mut earlier: impl Iterator<Item = &'l Launch>,
) -> Markup {
    let stage = progress.pace.stage();
    let before = earlier.find(|one| one.moeda == launch.moeda && one.inicio < launch.inicio);
    // The totals are compared only if the launch is over.
    let before = before.filter(|_| stage == Stage::Over).map(|before| {
        let (now, then) = (launch.receita_centavos, before.receita_centavos);
        match period::percent_change(now, then) {
            Some(change) => format!("Em relação ao anterior, “{}”: {change}.", before.nome),
            None => format!("O anterior, “{}”, não teve receita.", before.nome),
        }
    });
    let facts: Vec<String> = before.into_iter().collect();
    html! {
        div class="spread" {
            h2 dir="auto" {
                a href=(view.href_to(&format!("/lancamentos/{}", launch.projeto_id))) { (launch.nome) }
            }
            (draw_stage(stage))
        }
        p class="soft" { (amounts::format_day(launch.inicio)) " a " (amounts::format_day(launch.fim)) }
        (verdict::judge_launch(progress).draw(&facts))
        @if progress.pace.goal_cents > 0 && stage != Stage::Future {
            (chart::draw_goal(progress.pace.done_cents, progress.pace.goal_cents, progress.pace.expected_revenue(), progress.currency))
        }
    }
}

fn draw_stage(stage: Stage) -> Markup {
    let (class, word) = match stage {
        Stage::Running => ("badge info", "Em andamento"),
        Stage::Future => ("badge", "Ainda vai começar"),
        Stage::Over => ("badge", "Encerrado"),
    };
    html! { span class=(class) { (word) } }
}
