//! Draws the cumulative sum of a period against its goal, over the curve of the previous period.

use domain::time::LocalDay;
use maud::{Markup, html};

use super::{
    amounts,
    chart::{Axis, FOOT, WIDTH, f64_from_usize, round_to_tenth},
    sheet::{Cell, Sheet},
};

const HEIGHT: f64 = 300.0;

/// The curve of a period.
pub(super) struct Curve<'a> {
    pub currency: &'a str,
    pub starts_on: LocalDay,
    /// The length of the period in days.
    pub days: usize,
    /// The cumulative sum on each day that has passed.
    pub sums: Vec<i64>,
    /// The cumulative sums of the previous period on the same days.
    pub before: Vec<i64>,
    /// The name of the previous period.
    pub before_name: String,
    pub goal: Option<i64>,
    /// The expected sum at the end of the period, at the current pace.
    pub forecast: Option<i64>,
    /// True if the last sum includes today, which is not complete.
    pub is_partial: bool,
}

impl Curve<'_> {
    fn horizontal_position(&self, days: usize) -> f64 {
        round_to_tenth(f64_from_usize(days) / f64_from_usize(self.days.max(1)) * WIDTH)
    }

    /// Returns the points of a line, from the start of the first day.
    fn line_points(&self, axis: &Axis<'_>, sums: &[i64]) -> String {
        let start = [(0, 0)].into_iter();
        let days = sums.iter().enumerate();
        let all = start.chain(days.map(|(index, sum)| (index + 1, *sum)));
        let points = all.map(|(days, sum)| {
            let y = round_to_tenth(axis.vertical_position(sum.max(0)));
            format!("{},{y}", self.horizontal_position(days))
        });
        points.collect::<Vec<_>>().join(" ")
    }

    pub fn draw(&self, title: &str) -> Markup {
        if self.days == 0 || (self.sums.is_empty() && self.before.is_empty()) {
            return html! {};
        }
        let before = &self.before[..self.before.len().min(self.days)];
        let amounts = self.sums.iter().chain(before).copied();
        let most = amounts.chain(self.goal).chain(self.forecast).max();
        let axis = Axis::new(most.unwrap_or(0), HEIGHT, self.currency);
        let full = self.sums.len() - usize::from(self.is_partial && !self.sums.is_empty());
        let before_last = full.checked_sub(1).map_or(0, |last| self.sums[last]);
        let last = self.sums.last().copied();
        let line = |from: (usize, i64), until: (usize, i64)| {
            let place = |(days, sum): (usize, i64)| {
                format!(
                    "{},{}",
                    self.horizontal_position(days),
                    round_to_tenth(axis.vertical_position(sum.max(0)))
                )
            };
            format!("{} {}", place(from), place(until))
        };
        html! {
            figure class="chart curve" {
                svg viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role="img" aria-label=(title) preserveAspectRatio="xMidYMid meet" {
                    (axis.draw_grid_lines())
                    @if !before.is_empty() { polyline class="before" points=(self.line_points(&axis, before)) {} }
                    @if let Some(goal) = self.goal {
                        @let y = round_to_tenth(axis.vertical_position(goal));
                        line class="mark" x1="0" x2=(WIDTH) y1=(y) y2=(y) {}
                    }
                    @if full > 0 { polyline class="own" points=(self.line_points(&axis, &self.sums[..full])) {} }
                    @if let Some(last) = last {
                        @if self.is_partial {
                            polyline class="own partial" points=(line((full, before_last), (full + 1, last))) {}
                        }
                        @if let Some(forecast) = self.forecast.filter(|_| self.sums.len() < self.days) {
                            polyline class="to-come" points=(line((self.sums.len(), last), (self.days, forecast))) {}
                        }
                        circle class="end" cx=(self.horizontal_position(self.sums.len())) cy=(round_to_tenth(axis.vertical_position(last.max(0)))) r="5" {}
                    }
                    (self.day_ticks())
                    (axis.draw_labels())
                }
                (self.draw_legend(!before.is_empty()))
            }
        }
    }

    fn day_ticks(&self) -> Markup {
        let every = self.days.div_ceil(8);
        html! {
            @for index in (0..self.days).step_by(every.max(1)) {
                @let middle = (self.horizontal_position(index) + self.horizontal_position(index + 1)) / 2.0;
                text class="tick" x=(round_to_tenth(middle)) y=(HEIGHT - FOOT + 24.0) text-anchor="middle" {
                    (amounts::format_short_day(self.day_at(index)))
                }
            }
        }
    }

    fn day_at(&self, index: usize) -> LocalDay {
        self.starts_on
            .plus_days(i32::try_from(index).unwrap_or(i32::MAX))
    }

    fn draw_legend(&self, has_before: bool) -> Markup {
        html! {
            figcaption class="keys" {
                @if let Some(last) = self.sums.last() {
                    span { i class="key line" {} "receita acumulada: " (amounts::format_money(*last, self.currency)) }
                }
                @if self.is_partial { span { i class="key line partial" {} "hoje, só até agora" } }
                @if self.forecast.is_some() && self.sums.len() < self.days {
                    span { i class="key line to-come" {} "no ritmo de agora" }
                }
                @if let Some(goal) = self.goal {
                    span { i class="key line mark" {} "meta: " (amounts::format_money(goal, self.currency)) }
                }
                @if has_before { span { i class="key line before" {} (self.before_name) } }
            }
        }
    }

    /// Returns the table of the sums in the chart.
    pub fn to_sheet(&self) -> Sheet {
        let money = |sums: &[i64], index: usize| {
            let sum = sums.get(index).copied();
            Cell::from_money(sum, self.currency)
        };
        let rows = (0..self.sums.len().max(self.before.len().min(self.days))).map(|index| {
            vec![
                Cell::Day(self.day_at(index)),
                money(&self.sums, index),
                money(&self.before, index),
            ]
        });
        Sheet {
            name: "acumulado",
            title: "Receita acumulada",
            columns: &["Dia", "Acumulado", "Período anterior, no mesmo dia"],
            rows: rows.collect(),
        }
    }
}
