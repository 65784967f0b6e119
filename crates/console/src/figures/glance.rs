//! A launch at a glance, for a view inside a conversation: the verdict, the goal and the curve.

use gateway::Result;
use maud::{Markup, html};

use super::{amounts, chart, standing::Standing, verdict};
use crate::{links::percent_encode, view::View};

/// Draws the launch of a project. `base` is the public address, so that the link opens the console.
pub(crate) async fn draw_glance(view: &View<'_>, id: &str, base: &str) -> Result<Markup> {
    let standing = Standing::load(view, id).await?;
    let progress = standing.progress();
    let pace = &progress.pace;
    let curve = standing.curve().draw("Receita acumulada, com a meta");
    Ok(html! {
        article class="glance" {
            header {
                div {
                    h1 dir="auto" { (standing.panel.nome) }
                    p class="soft" {
                        (amounts::format_day(pace.starts_on)) " a " (amounts::format_day(pace.ends_on))
                    }
                }
                a class="button quiet" href={ (base) "/lancamentos/" (percent_encode(id)) } { "Abrir na Pauta" }
            }
            (verdict::judge_launch(&progress).draw(&[]))
            @if pace.goal_cents > 0 {
                (chart::draw_goal(pace.done_cents, pace.goal_cents, pace.expected_revenue(), progress.currency))
            }
            (curve)
        }
    })
}
