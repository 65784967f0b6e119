//! Draws charts as SVG. A table with the same figures stands beside each.
//!
//! Charts are SVG drawn by the server beside a table with the same figures. uPlot draws series of
//! more than two months.

use maud::{Markup, html};

use super::amounts;

/// The largest series that is drawn here. A script draws longer ones.
const FEW: usize = 62;
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 200.0;
/// The space for labels below and above the bars.
const FOOT: f64 = 32.0;
const HEAD: f64 = 30.0;

/// One bar: its ISO 8601 day, and its value.
pub(super) struct Point<'a> {
    pub day: &'a str,
    pub value: i64,
}

/// A bar chart of a series of days, in cents of a currency.
pub(super) fn days(title: &str, points: &[Point<'_>], currency: &str) -> Markup {
    if points.is_empty() {
        return html! {};
    }
    let most = points
        .iter()
        .map(|point| point.value)
        .max()
        .unwrap_or(0)
        .max(1);
    let step = WIDTH / f64_of(points.len());
    let scale = (HEIGHT - FOOT - HEAD) / float(most);
    let every = points.len().div_ceil(8);
    let data = series(points);
    html! {
        figure class="chart" data-module=[(points.len() > FEW).then_some("charts")]
            data-points=[(points.len() > FEW).then_some(data)] data-unit=(currency) data-title=(title) {
            svg viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role="img" aria-label=(title) preserveAspectRatio="xMidYMid meet" {
                line class="axis" x1="0" x2=(WIDTH) y1=(HEIGHT - FOOT) y2=(HEIGHT - FOOT) {}
                @for (index, point) in points.iter().enumerate() {
                    @let height = (float(point.value.max(0)) * scale).max(0.5);
                    @let x = f64_of(index) * step;
                    rect class="bar" x=(round(x + step * 0.12)) width=(round(step * 0.76))
                        y=(round(HEIGHT - FOOT - height)) height=(round(height)) rx="1.5" {
                        title { (amounts::day(point.day)) ": " (amounts::money(point.value, currency)) }
                    }
                    @if index % every == 0 {
                        text class="tick" x=(round(x + step / 2.0)) y=(HEIGHT - 8.0) text-anchor="middle" {
                            (amounts::short_day(point.day))
                        }
                    }
                }
                text class="tick" x="0" y="20" { "até " (amounts::short_money(most, currency)) " por dia" }
            }
        }
    }
}

/// A funnel: each step with its number and its share of the first step.
pub(super) fn funnel(title: &str, steps: &[(String, i64)]) -> Markup {
    let first = steps.first().map_or(0, |(_, number)| *number).max(1);
    let row = 34.0;
    let height = f64_of(steps.len()) * row;
    let (left, longest) = (175.0, 170.0);
    html! {
        figure class="chart funnel" {
            svg viewBox=(format!("0 0 480 {height}")) role="img" aria-label=(title) {
                @for (index, (name, number)) in steps.iter().enumerate() {
                    @let y = f64_of(index) * row;
                    @let width = (float(*number) / float(first) * longest).clamp(2.0, longest);
                    text class="name" x="0" y=(y + 20.0) { (name) }
                    rect class="bar" x=(left) y=(y + 5.0) width=(round(width)) height="22" rx="2" {}
                    text class="value" x=(round(left + 8.0 + width)) y=(y + 21.0) {
                        (amounts::count(*number)) " · " (amounts::rate(float(*number) / float(first)))
                    }
                }
            }
        }
    }
}

/// The progress towards a goal and its forecast, as shares of the goal.
pub(super) fn goal(reached: f64, forecast: Option<f64>) -> Markup {
    let place = |share: f64| round(share.clamp(0.0, 1.25) / 1.25 * WIDTH);
    html! {
        svg class="goal" viewBox=(format!("0 0 {WIDTH} 26")) role="img" preserveAspectRatio="none"
            aria-label=(format!("{} da meta", amounts::rate(reached))) {
            rect class="rail" x="0" y="6" width=(WIDTH) height="14" rx="7" {}
            @if let Some(forecast) = forecast {
                rect class="forecast" x="0" y="6" width=(place(forecast)) height="14" rx="7" {}
            }
            rect class="bar" x="0" y="6" width=(place(reached)) height="14" rx="7" {}
            line class="mark" x1=(place(1.0)) x2=(place(1.0)) y1="0" y2="26" {}
        }
    }
}

/// The series in seconds and whole currency units, for the script.
fn series(points: &[Point<'_>]) -> String {
    let days: Vec<&str> = points.iter().map(|point| point.day).collect();
    let values: Vec<i64> = points.iter().map(|point| point.value).collect();
    serde_json::json!([days, values]).to_string()
}

fn float(number: i64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a place on a chart")]
    let number = number as f64;
    number
}

fn f64_of(number: usize) -> f64 {
    float(i64::try_from(number).unwrap_or(i64::MAX))
}

fn round(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}
