//! The result of a launch until today: its revenue against its goal, compared with the previous launch.

use domain::{
    sales::{Pace, Stage},
    time::LocalDay,
};
use gateway::Result;
use serde_json::json;

use super::{
    amounts,
    curve::Curve,
    days::{self, Bar},
    period::Figure,
    progress::Progress,
    shapes::{Launch, Launches, Panel, Saved, Summary},
    verdict,
};
use crate::view::View;

/// The maximum number of pages of the list of launches to search for the previous launch.
const PAGES: usize = 5;

/// The totals of a launch, independent of the period that the page shows.
pub(super) struct Standing {
    pub panel: Panel,
    pub today: LocalDay,
    whole: Summary,
    bars: Vec<Bar>,
    before: Option<Before>,
}

/// The previous launch: the latest launch in the same currency that began before this launch.
struct Before {
    name: String,
    bars: Vec<Bar>,
}

impl Standing {
    pub async fn load(view: &View<'_>, id: &str) -> Result<Self> {
        let today = LocalDay::from_instant(view.ctx.now);
        let input = json!({ "projetoId": id });
        let (panel, whole) = futures::try_join!(
            view.read::<Saved>("get_launch_dashboard", input.clone()),
            view.read::<Summary>("get_launch_summary", input),
        )?;
        let panel = panel.lancamento;
        let before = load_previous_launch(view, &panel, today).await?;
        let bars = days::complete_bars(&whole.por_dia, panel.inicio, panel.fim, today);
        Ok(Self {
            panel,
            today,
            whole,
            bars,
            before,
        })
    }

    pub fn progress(&self) -> Progress<'_> {
        Progress {
            currency: &self.panel.moeda,
            pace: Pace {
                goal_cents: self.panel.meta_centavos,
                done_cents: self.whole.totais.receita_centavos,
                starts_on: self.panel.inicio,
                ends_on: self.panel.fim,
                today: self.today,
            },
            sales: self.whole.totais.vendas,
            has_data: self.whole.atualizado_em.is_some(),
        }
    }

    /// Compares the launch with the previous one in words. `None` if there is no previous launch,
    /// or if this launch has not begun.
    pub fn describe_comparison(&self) -> Option<String> {
        let before = self.before.as_ref()?;
        let progress = self.progress();
        let is_over = progress.pace.stage() == Stage::Over;
        let (then, _) = before.first_days_totals(self.elapsed_days()?);
        let (name, currency) = (&before.name, &self.panel.moeda);
        Some(verdict::compare_with_launch(
            progress.pace.done_cents,
            then,
            name,
            currency,
            is_over,
        ))
    }

    /// Returns the key figures of the launch, compared with the key figures of the previous launch after
    /// the same number of days.
    pub fn key_figures(&self) -> Vec<Figure> {
        let totals = &self.whole.totais;
        let days = self.elapsed_days();
        let then = self.before.as_ref().zip(days);
        let then = then.map(|(before, days)| before.first_days_totals(days));
        let money = |cents| amounts::format_money(cents, &totals.moeda);
        let ticket = totals.ticket_medio_centavos;
        let ticket_before = then.and_then(|(cents, sales)| (sales > 0).then(|| cents / sales));
        let mut figures = vec![
            Figure::new("Receita", money(totals.receita_centavos)).with_comparison(
                totals.receita_centavos,
                then.map(|(cents, _)| cents),
                money,
            ),
            Figure::new("Vendas", amounts::format_count(totals.vendas)).with_comparison(
                totals.vendas,
                then.map(|(_, sales)| sales),
                amounts::format_count,
            ),
        ];
        if let Some(ticket) = ticket {
            let figure = Figure::new("Ticket médio", money(ticket));
            figures.push(figure.with_comparison(ticket, ticket_before, money));
        }
        figures
    }

    /// Returns the number of days of the launch that have passed. `None` before the first day.
    fn elapsed_days(&self) -> Option<usize> {
        let elapsed = usize::try_from(self.progress().pace.elapsed_days()).ok()?;
        (elapsed > 0).then_some(elapsed)
    }

    pub fn curve(&self) -> Curve<'_> {
        let progress = self.progress();
        let (before, before_name) = match &self.before {
            Some(before) => (
                days::cumulative_sums(&before.bars),
                format!("lançamento anterior: {}", before.name),
            ),
            None => (vec![], String::new()),
        };
        let is_running = progress.pace.stage() == Stage::Running;
        Curve {
            currency: &self.panel.moeda,
            starts_on: self.panel.inicio,
            days: usize::try_from(progress.pace.total_days()).unwrap_or(0),
            sums: days::cumulative_sums(&self.bars),
            before,
            before_name,
            goal: (progress.pace.goal_cents > 0).then_some(progress.pace.goal_cents),
            forecast: progress.pace.expected_revenue().filter(|_| is_running),
            is_partial: is_running,
        }
    }

    pub fn bars(&self) -> &[Bar] {
        &self.bars
    }
}

impl Before {
    /// Returns the revenue and the number of sales of the first days of the launch.
    fn first_days_totals(&self, days: usize) -> (i64, i64) {
        days::first_days_totals(&self.bars, days)
    }
}

async fn load_previous_launch(
    view: &View<'_>,
    panel: &Panel,
    today: LocalDay,
) -> Result<Option<Before>> {
    let Some(launch) = find_previous_launch(view, panel).await? else {
        return Ok(None);
    };
    let input = json!({ "projetoId": launch.projeto_id });
    let summary: Summary = view.read("get_launch_summary", input).await?;
    Ok(Some(Before {
        bars: days::complete_bars(&summary.por_dia, launch.inicio, launch.fim, today),
        name: launch.nome,
    }))
}

/// Finds the latest launch in the same currency that began before this launch. The list is ordered from
/// newest to oldest.
async fn find_previous_launch(view: &View<'_>, panel: &Panel) -> Result<Option<Launch>> {
    let mut input = json!({});
    for _ in 0..PAGES {
        let list: Launches = view.read("list_launches", input).await?;
        let mut launches = list.lancamentos.into_iter();
        let found = launches.find(|one| one.inicio < panel.inicio && one.moeda == panel.moeda);
        match (found, list.next_cursor) {
            (None, Some(cursor)) => input = json!({ "cursor": cursor }),
            (found, _) => return Ok(found),
        }
    }
    Ok(None)
}
