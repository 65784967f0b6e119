//! Draws a week by the hour. Each half hour is a row, as high as the day with the most cards needs.
//! Events have no duration, so events of the same half hour are side by side.
//!
//! A phone shows one day; the links above the week choose that day.

use std::ops::RangeInclusive;

use domain::time::{LocalDate, Millis, brasilia_day, month_name};
use jiff::civil::Date;
use maud::{Markup, html};

use super::{
    card::{Card, draw_card},
    days::{long_day_text, weekday_name},
    grid::{Around, Day, day_classes, good_hour_link, join_classes, new_demand_link},
    shown::Layout,
};
use crate::text::first_three_letters;

/// The hours that a week always shows.
const USUAL: (i8, i8) = (7, 21);

/// A time of a day in Brasília.
#[derive(Debug, Clone, Copy)]
pub(super) struct Now {
    day: Date,
    minute: i16,
}

impl Now {
    pub fn from_instant(instant: Millis) -> Self {
        Self {
            day: brasilia_day(instant),
            minute: parse_minute(&LocalDate::from_instant(instant).hour),
        }
    }
}

/// Parses an hour (`HH:mm`) into the minute of the day.
fn parse_minute(hour: &str) -> i16 {
    let pieces = hour.split_once(':');
    let pieces = pieces.and_then(|(hour, minute)| Some((hour.parse().ok()?, minute.parse().ok()?)));
    pieces.map_or(0, |(hour, minute): (i16, i16)| hour * 60 + minute)
}

fn card_minute(card: &Card<'_>) -> i16 {
    card.event.hour.as_deref().map_or(0, parse_minute)
}

/// Returns the hours to show: the usual hours, extended to include hours with events, good hours and the
/// current hour.
fn shown_hours(list: &[Day<'_>], now: Now) -> RangeInclusive<i8> {
    let cards = list.iter().flat_map(|day| &day.cards);
    let current = list.iter().any(|day| day.date == now.day);
    let hours = cards
        .map(card_minute)
        .chain(current.then_some(now.minute))
        .filter_map(|minute| i8::try_from(minute / 60).ok());
    let good = list.iter().flat_map(|day| day.good_hours.iter().copied());
    let (first, last) = hours.chain(good).fold(USUAL, |(first, last), hour| {
        (first.min(hour), last.max(hour))
    });
    first..=last.min(23)
}

/// Draws the days side by side, with the links that choose a day on a phone.
pub(super) fn draw_week(around: &Around<'_>, list: &[Day<'_>], now: Now) -> Markup {
    let hours = shown_hours(list, now);
    html! {
        div class="by-week" {
            (draw_day_links(around, list))
            div class={ "week h" (hours.clone().count()) } data-list {
                div class="axis" aria-hidden="true" {
                    span class="day-head" {}
                    @for hour in hours.clone() { span class="hour" { (hour) "h" } span {} }
                }
                @for each in list { (draw_column(around, each, hours.clone(), now)) }
            }
        }
    }
}

fn draw_day_links(around: &Around<'_>, list: &[Day<'_>]) -> Markup {
    let Around { base, shown, .. } = around;
    html! {
        nav class="day-switch" aria-label="Dia da semana" {
            @for day in list {
                a href={ (base) (shown.address_with(|other| other.day = day.date)) } data-day=(day.date)
                    class=[day.is_today.then_some("today")]
                    aria-current=[(day.date == shown.day).then_some("true")] {
                    span aria-hidden="true" { (first_three_letters(weekday_name(day.date))) }
                    strong aria-hidden="true" { (day.date.day()) }
                    span class="sr" { (long_day_text(day.date)) ": " }
                    small {
                        (day.cards.len())
                        span class="sr" { @if day.cards.len() == 1 { " peça" } @else { " peças" } }
                    }
                }
            }
        }
    }
}

fn draw_column(around: &Around<'_>, day: &Day<'_>, hours: RangeInclusive<i8>, now: Now) -> Markup {
    let Around { base, shown, .. } = around;
    let alone = shown.address_with(|other| (other.layout, other.day) = (Layout::Day, day.date));
    let chosen = [("by-hour", true), ("chosen", day.date == shown.day)];
    let mut rest = day.cards.as_slice();
    let slots = hours.flat_map(|hour| [0, 30].map(|half| i16::from(hour) * 60 + half));
    let slots = slots.map(|start| {
        let is_own = |card: &&Card<'_>| card_minute(card) < start + 30;
        let (own, later) = rest.split_at(rest.iter().take_while(is_own).count());
        rest = later;
        (start, own)
    });
    html! {
        section class=(day_classes(day, &chosen)) data-day=(day.date) {
            div class="day-head" {
                h3 {
                    a href={ (base) (alone) } aria-current=[day.is_today.then_some("date")] {
                        span aria-hidden="true" {
                            span { (first_three_letters(weekday_name(day.date))) } " " strong { (day.date.day()) }
                            @if day.date.day() == 1 { " " (first_three_letters(month_name(day.date.month()))) }
                        }
                        span class="sr" { (long_day_text(day.date)) @if day.is_today { ", hoje" } }
                    }
                }
                @for name in &day.commemorated { p class="commemorated" { span aria-hidden="true" { "✦ " } (name) } }
                @if let Some(hour) = &day.hour_of_new { (new_demand_link(base, day.date, hour)) }
            }
            @for (start, cards) in slots { (draw_slot(around, day, start, cards, now)) }
        }
    }
}

/// Draws half an hour of a day: its cards, and the link that creates a demand at that time.
fn draw_slot(
    around: &Around<'_>,
    day: &Day<'_>,
    start: i16,
    cards: &[Card<'_>],
    now: Now,
) -> Markup {
    let base = around.base;
    let (hour, minute) = (start / 60, start % 60);
    let at = format!("{hour:02}:{minute:02}");
    let is_today = day.date == now.day;
    let has_now = is_today && (start..start + 30).contains(&now.minute);
    let is_past = day.is_past || (is_today && start + 30 <= now.minute);
    let may_make = day.hour_of_new.is_some() && !(is_today && start <= now.minute);
    let is_hour = |good: &&i8| i16::from(**good) == hour;
    let is_good = day.good_hours.iter().any(|good| is_hour(&good));
    let free = day.best_hours.iter().find(is_hour).filter(|_| minute == 0);
    let class = [
        ("slot", true),
        ("half", minute > 0),
        ("past", is_past),
        ("good", is_good && !is_past),
        ("has", !cards.is_empty()),
    ];
    html! {
        div class=(join_classes(&class)) data-hour=(at) {
            @if may_make && free.is_none() {
                // This link is for the mouse only. Keyboard and screen reader users have the link in the
                // head of the day.
                a class="open" href={ (base) "/demandas/nova?dia=" (day.date) "&hora=" (at) } tabindex="-1" aria-hidden="true" draggable="false" { "+ " (at) }
            }
            @if let Some(free) = free { (good_hour_link(base, day.date, *free)) }
            @if !cards.is_empty() {
                ul class="cards" { @for each in cards { (draw_card(each, base, around.kept, false)) } }
            }
            @if has_now { (now_line(now.minute - start)) }
        }
    }
}

/// Draws the line at the current time, positioned within its half hour. The script moves the line.
fn now_line(minutes: i16) -> Markup {
    let at = format!("{}%", minutes * 100 / 30);
    html! {
        svg class="now" width="100%" height="100%" aria-hidden="true" {
            line x1="0" x2="100%" y1=(at) y2=(at) {}
            circle r="4" cx="4" cy=(at) {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_hour_is_converted_to_a_minute_of_the_day() {
        assert_eq!(parse_minute("00:00"), 0);
        assert_eq!(parse_minute("18:45"), 18 * 60 + 45);
        assert_eq!(parse_minute("x"), 0);
    }
}
