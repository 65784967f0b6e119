//! Draws charts as SVG. Each page also has a table with the figures of the chart.
//!
//! Amounts are printed on the grid lines, so that large amounts fit on a phone too. Series of more than
//! two months are drawn in the browser by uPlot.

use maud::{Markup, html};

use super::{amounts, days::Bar};
use domain::time::LocalDay;

/// The maximum number of days in a series that the service draws. A script draws longer series.
const FEW: usize = 62;
pub(super) const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 220.0;
/// The space for amounts before the first bar.
const LEFT: f64 = 64.0;
/// The space for labels below and above the bars.
pub(super) const FOOT: f64 = 32.0;
pub(super) const HEAD: f64 = 26.0;

/// Draws the revenue of each day as a bar. A day without sales has a hollow mark, today a hollow
/// bar.
pub(super) fn draw_daily_bars(
    title: &str,
    bars: &[Bar],
    today: LocalDay,
    currency: &str,
) -> Markup {
    if bars.is_empty() {
        return html! {};
    }
    let most = bars.iter().map(|bar| bar.cents).max().unwrap_or(0);
    let axis = Axis::new(most, HEIGHT, currency);
    let step = (WIDTH - LEFT) / f64_from_usize(bars.len());
    let every = bars.len().div_ceil(8);
    let data = series_json(bars);
    let has_empty = bars.iter().any(|bar| bar.is_empty);
    let has_today = bars.iter().any(|bar| bar.day == today);
    html! {
        figure class="chart" data-module=[(bars.len() > FEW).then_some("charts")]
            data-points=[(bars.len() > FEW).then_some(data)] data-unit=(currency) data-title=(title) {
            svg viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role="img" aria-label=(title) preserveAspectRatio="xMidYMid meet" {
                (axis.draw_grid_lines())
                @for (index, bar) in bars.iter().enumerate() {
                    @let x = LEFT + f64_from_usize(index) * step;
                    (draw_bar(bar, x, step, &axis, bar.day == today))
                    @if index % every == 0 {
                        text class="tick" x=(round_to_tenth(x + step / 2.0)) y=(HEIGHT - 8.0) text-anchor="middle" {
                            (amounts::format_short_day(bar.day))
                        }
                    }
                }
                (axis.draw_labels())
            }
            @if has_empty || has_today {
                figcaption class="keys" {
                    @if has_empty { span { i class="key none" {} "dia sem vendas" } }
                    @if has_today { span { i class="key partial" {} "hoje, só até agora" } }
                }
            }
        }
    }
}

fn draw_bar(bar: &Bar, x: f64, step: f64, axis: &Axis<'_>, is_today: bool) -> Markup {
    let top = axis.vertical_position(bar.cents.max(0));
    let height = (axis.vertical_position(0) - top).max(0.5);
    let day = amounts::format_day(bar.day);
    let so_far = if is_today { " até agora" } else { "" };
    html! {
        @if bar.is_empty {
            circle class="none" cx=(round_to_tenth(x + step / 2.0)) cy=(round_to_tenth(axis.vertical_position(0) - 5.0)) r="3" {
                title { (day) ": sem vendas" (so_far) }
            }
        } @else {
            rect class=(if is_today { "bar partial" } else { "bar" })
                x=(round_to_tenth(x + step * 0.12)) width=(round_to_tenth(step * 0.76))
                y=(round_to_tenth(top)) height=(round_to_tenth(height)) rx="1.5" {
                title {
                    (day) ": " (amounts::format_money(bar.cents, axis.currency)) " em " (amounts::format_sale_count(bar.sales)) (so_far)
                }
            }
        }
    }
}

/// The axis of amounts: round steps from 0 to at least the largest amount.
pub(super) struct Axis<'a> {
    step: i64,
    count: i64,
    height: f64,
    currency: &'a str,
}

impl<'a> Axis<'a> {
    pub fn new(most: i64, height: f64, currency: &'a str) -> Self {
        let step = round_step(most);
        let count = (most.max(1) - 1) / step + 1;
        Self {
            step,
            count,
            height,
            currency,
        }
    }

    /// Returns the vertical position of an amount.
    pub fn vertical_position(&self, cents: i64) -> f64 {
        let top = f64_from_i64(self.step.saturating_mul(self.count));
        let space = self.height - FOOT - HEAD;
        self.height - FOOT - f64_from_i64(cents) / top * space
    }

    pub fn draw_grid_lines(&self) -> Markup {
        html! {
            @for index in 0..=self.count {
                @let y = round_to_tenth(self.vertical_position(index * self.step));
                line class=(if index == 0 { "axis" } else { "grid" }) x1="0" x2=(WIDTH) y1=(y) y2=(y) {}
            }
        }
    }

    /// Draws the amounts at the grid lines. Must be called last, so that the amounts are over the bars.
    pub fn draw_labels(&self) -> Markup {
        html! {
            @for index in 1..=self.count {
                @let cents = index * self.step;
                text class="tick amount" x="0" y=(round_to_tenth(self.vertical_position(cents) - 4.0)) {
                    (amounts::format_axis_money(cents, self.currency))
                }
            }
        }
    }
}

/// Returns a step of 1, 2, 2.5 or 5 times a power of ten, at least 1 unit, so that at most four steps
/// cover the amount.
fn round_step(most: i64) -> i64 {
    let mut unit: i64 = 100;
    loop {
        for step in [unit, unit * 2, unit / 2 * 5, unit * 5] {
            if step.saturating_mul(4) >= most {
                return step;
            }
        }
        match unit.checked_mul(10) {
            Some(next) if next < i64::MAX / 50 => unit = next,
            _ => return most / 4 + 1,
        }
    }
}

/// Draws the progress towards a goal and its forecast, with a key that explains each mark.
pub(super) fn draw_goal(done: i64, goal: i64, forecast: Option<i64>, currency: &str) -> Markup {
    let share = |cents: i64| f64_from_i64(cents) / f64_from_i64(goal.max(1));
    let place = |share: f64| round_to_tenth(share.clamp(0.0, 1.25) / 1.25 * WIDTH);
    let forecast = forecast.filter(|forecast| *forecast > done);
    let reached = amounts::format_percent(done, goal);
    html! {
        figure class="progress" {
            svg class="goal" viewBox=(format!("0 0 {WIDTH} 26")) role="img" preserveAspectRatio="none"
                aria-label=(format!("{reached} da meta")) {
                rect class="rail" x="0" y="6" width=(WIDTH) height="14" {}
                @if let Some(forecast) = forecast {
                    rect class="forecast" x="0" y="6" width=(place(share(forecast))) height="14" {}
                }
                rect class="bar" x="0" y="6" width=(place(share(done))) height="14" {}
                line class="mark" x1=(place(1.0)) x2=(place(1.0)) y1="0" y2="26" {}
            }
            figcaption class="keys" {
                span { i class="key done" {} "realizado: " (amounts::format_money(done, currency)) " (" (reached) ")" }
                @if let Some(forecast) = forecast {
                    span {
                        i class="key forecast" {} "no ritmo de agora: " (amounts::format_money(forecast, currency))
                        " (" (amounts::format_percent(forecast, goal)) ")"
                    }
                }
                span { i class="key mark" {} "meta: " (amounts::format_money(goal, currency)) }
            }
        }
    }
}

/// Returns the series in cents, for the script that draws it.
fn series_json(bars: &[Bar]) -> String {
    let days: Vec<String> = bars.iter().map(|bar| bar.day.0.to_string()).collect();
    let values: Vec<i64> = bars.iter().map(|bar| bar.cents).collect();
    serde_json::json!([days, values]).to_string()
}

pub(super) fn f64_from_i64(number: i64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a place on a chart")]
    let number = number as f64;
    number
}

pub(super) fn f64_from_usize(number: usize) -> f64 {
    f64_from_i64(i64::try_from(number).unwrap_or(i64::MAX))
}

pub(super) fn round_to_tenth(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_has_at_most_four_round_steps() {
        for (most, step) in [
            (0, 100),
            (100, 100),
            (401, 200),
            (1_000_000, 250_000),
            (1_000_001, 500_000),
            (6_000_000, 2_000_000),
        ] {
            assert_eq!(round_step(most), step, "{most}");
            let axis = Axis::new(most, HEIGHT, "BRL");
            assert!((1..=4).contains(&axis.count), "{most}");
            assert!(axis.vertical_position(most) >= HEAD - 0.001, "{most}");
        }
        assert!(round_step(i64::MAX) >= i64::MAX / 4);
    }
}
