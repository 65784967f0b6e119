//! Draws the days of the agenda from plain data.

use domain::time::{WEEKDAYS, month_name};
use jiff::civil::Date;
use maud::{Markup, html};

use super::{
    card::{Card, SHORT_TITLE, draw_card},
    days::{self, long_day_text, short_day_text},
    events::first_words,
    shown::{Layout, Shown},
};
use crate::text::first_three_letters;

/// The maximum number of cards on a day of a month.
const MOST_A_DAY: usize = 4;
/// The maximum number of cards on a day of a list.
const MOST_LISTED: usize = 10;

/// One day with its cards.
#[derive(Debug, Clone)]
pub(super) struct Day<'a> {
    pub date: Date,
    pub cards: Vec<Card<'a>>,
    pub is_past: bool,
    pub is_today: bool,
    /// True if the day belongs to the month before or after the month of the view.
    pub is_outside: bool,
    pub commemorated: Vec<&'static str>,
    /// Future hours that are good for publishing.
    pub good_hours: Vec<i8>,
    /// The good hours at which nothing is planned.
    pub best_hours: Vec<i8>,
    /// The hour in the link to a new demand on this day. `None` if the day is over or the viewer
    /// may not create a demand.
    pub hour_of_new: Option<String>,
}

/// The settings that all fragments of a page share.
#[derive(Debug, Clone, Copy)]
pub(super) struct Around<'a> {
    /// The path of the service.
    pub base: &'a str,
    pub shown: &'a Shown,
    /// The query that leads back to the view.
    pub kept: &'a str,
    /// The event whose card is always shown, even on a day with too many cards.
    pub focus: Option<&'a str>,
}

/// Draws a month: seven columns on a wide screen, a list of the days with events on a phone.
///
/// In the current month, the weeks before the current week are folded, so that the current week is in
/// view.
pub(super) fn draw_month(around: &Around<'_>, list: &[Day<'_>]) -> Markup {
    let today = list.iter().position(|day| day.is_today).unwrap_or(0);
    let (earlier, current) = list.split_at(today - today % 7);
    let folds = list.iter().any(|day| day.is_today);
    html! {
        div class="months" {
            @if !earlier.is_empty() { (draw_earlier_weeks(around, earlier)) }
            (draw_weeks(around, current, folds))
        }
    }
}

/// Draws the weeks before the current week. The section is open if the address names one of the days or
/// events in it.
fn draw_earlier_weeks(around: &Around<'_>, list: &[Day<'_>]) -> Markup {
    let cards = || list.iter().flat_map(|day| &day.cards);
    let has_focus = cards().any(|card| Some(card.event.id.as_str()) == around.focus);
    let is_open = has_focus || list.iter().any(|day| day.date == around.shown.day);
    html! {
        details class="earlier" open[is_open] {
            summary { "Semanas anteriores " small { (cards().count()) } }
            (draw_weeks(around, list, false))
        }
    }
}

/// Draws the days of some weeks. If `folds`, a phone shows only the number of pieces on each past
/// day, so that today is in view.
fn draw_weeks(around: &Around<'_>, list: &[Day<'_>], folds: bool) -> Markup {
    html! {
        div class="month" data-list {
            @for name in WEEKDAYS { div class="weekday" aria-hidden="true" { (first_three_letters(name)) } }
            @for each in list {
                (draw_day(around, each, folds && is_folded(around, each), MOST_A_DAY, false))
            }
        }
    }
}

/// Draws the days as a list, with large cards.
pub(super) fn draw_day_list(around: &Around<'_>, list: &[Day<'_>]) -> Markup {
    let is_one = around.shown.layout == Layout::Day;
    let most = if is_one { usize::MAX } else { MOST_LISTED };
    let filled = |day: &&Day<'_>| is_one || !day.cards.is_empty();
    html! {
        div class="days" data-list {
            @for each in list.iter().filter(filled) { (draw_day(around, each, false, most, true)) }
        }
    }
}

/// Draws the tray of events without a date. Dropping an event on the tray removes its date.
pub(super) fn draw_tray(
    around: &Around<'_>,
    cards: &[Card<'_>],
    is_large: bool,
    most: usize,
) -> Markup {
    let all = around
        .shown
        .address_with(|other| other.layout = Layout::Undated);
    html! {
        section class="tray" data-day="" aria-labelledby="sem-data" {
            h2 id="sem-data" { "Sem data " small { (cards.len()) } }
            @if cards.is_empty() { p class="soft" { "Tudo tem data." } }
            ul class="cards" data-list { @for each in cards.iter().take(most) { (draw_card(each, around.base, around.kept, is_large)) } }
            @if cards.len() > most {
                a class="rest" href={ (around.base) (all) } { "+" (cards.len() - most) " sem data" }
            }
        }
    }
}

/// Returns true if a phone folds this day. Past days are folded unless the address names the day.
fn is_folded(around: &Around<'_>, day: &Day<'_>) -> bool {
    let mut cards = day.cards.iter();
    day.is_past
        && !day.is_today
        && day.date != around.shown.day
        && !cards.any(|card| Some(card.event.id.as_str()) == around.focus)
}

/// Draws a day with its cards. `+N` links to the cards that do not fit. On a folded day, the number of
/// cards links to the whole day.
pub(super) fn draw_day(
    around: &Around<'_>,
    day: &Day<'_>,
    is_folded: bool,
    most: usize,
    is_large: bool,
) -> Markup {
    let Around {
        base, shown, kept, ..
    } = around;
    let alone = shown.address_with(|other| (other.layout, other.day) = (Layout::Day, day.date));
    let cards = first_cards(day, most, around.focus);
    html! {
        section id=[day.is_today.then_some("hoje")] class=(day_classes(day, &[("folded", is_folded)])) data-day=(day.date) {
            h3 {
                a href={ (base) (alone) } aria-current=[day.is_today.then_some("date")] {
                    span aria-hidden="true" { (draw_heading(day.date, shown.layout)) }
                    span class="sr" { (long_day_text(day.date)) @if day.is_today { ", hoje" } }
                }
            }
            @if is_folded {
                a class="number" href={ (base) (alone) } {
                    (day.cards.len()) @if day.cards.len() == 1 { " peça" } @else { " peças" }
                    span class="sr" { " em " (long_day_text(day.date)) }
                }
            }
            @for name in &day.commemorated { p class="commemorated" { span aria-hidden="true" { "✦ " } (name) } }
            ul class="cards" { @for each in &cards { (draw_card(each, base, kept, is_large)) } }
            @if day.cards.len() > cards.len() {
                a class="rest" href={ (base) (alone) } {
                    "+" (day.cards.len() - cards.len()) span class="sr" { " em " (long_day_text(day.date)) }
                }
                (draw_hidden_cards_for_print(day, &cards))
            }
            (demand_links(base, day))
        }
    }
}

/// Draws, for printing only, the cards that the screen replaces by `+N`, because a reader cannot open
/// the day on paper.
fn draw_hidden_cards_for_print(day: &Day<'_>, shown: &[Card<'_>]) -> Markup {
    let is_shown = |card: &Card<'_>| shown.iter().any(|one| one.event.id == card.event.id);
    html! {
        ul class="on-paper rest-list" {
            @for card in day.cards.iter().filter(|card| !is_shown(card)) {
                li { @if let Some(hour) = &card.event.hour { (hour) " " } (first_words(&card.event.title, SHORT_TITLE)) }
            }
        }
    }
}

/// Returns the CSS classes of a day, together with the classes of `more` whose condition is true.
pub(super) fn day_classes(day: &Day<'_>, more: &[(&'static str, bool)]) -> String {
    let own = [
        ("day", true),
        ("past", day.is_past),
        ("today", day.is_today),
        ("outside", day.is_outside),
        ("bare-day", day.cards.is_empty()),
    ];
    join_classes(&[own.as_slice(), more].concat())
}

/// Joins the classes whose condition is true.
pub(super) fn join_classes(classes: &[(&'static str, bool)]) -> String {
    let applied = classes.iter().filter(|(_, applies)| *applies);
    let names: Vec<_> = applied.map(|(name, _)| *name).collect();
    names.join(" ")
}

/// Returns the first cards of a day. Always includes the card of the event in focus.
fn first_cards<'a>(day: &Day<'a>, most: usize, focus: Option<&str>) -> Vec<Card<'a>> {
    let mut cards: Vec<_> = day.cards.iter().copied().take(most).collect();
    let rest = day.cards.iter().skip(most);
    let focused = rest
        .copied()
        .find(|card| Some(card.event.id.as_str()) == focus);
    if let Some((last, focused)) = cards.last_mut().zip(focused) {
        *last = focused;
    }
    cards
}

/// Draws the heading of a day. In the month view on a wide screen, the weekdays are above the
/// columns instead.
fn draw_heading(date: Date, layout: Layout) -> Markup {
    let weekday = first_three_letters(days::weekday_name(date));
    let month = first_three_letters(month_name(date.month()));
    html! {
        @match layout {
            Layout::Month => {
                span class="wd" { (weekday) " " } (date.day()) @if date.day() == 1 { " " (month) }
            }
            Layout::All => { (short_day_text(date)) " " (date.year()) }
            _ => (short_day_text(date))
        }
    }
}

/// Draws the links that create a demand on this day: one for each best hour, and one with the usual
/// hour.
fn demand_links(base: &str, day: &Day<'_>) -> Markup {
    let Some(usual) = &day.hour_of_new else {
        return html! {};
    };
    html! {
        @if !day.best_hours.is_empty() {
            div class="slots" { @for hour in &day.best_hours { (good_hour_link(base, day.date, *hour)) } }
        }
        (new_demand_link(base, day.date, usual))
    }
}

/// Draws the link that creates a demand at a good hour.
pub(super) fn good_hour_link(base: &str, date: Date, hour: i8) -> Markup {
    let hour = format!("{hour:02}:00");
    html! {
        a class="best" href={ (base) "/demandas/nova?dia=" (date) "&hora=" (hour) } {
            span aria-hidden="true" { "★ " } (hour)
            span class="sr" { ": bom horário livre. Nova demanda em " (short_day_text(date)) }
        }
    }
}

/// Draws the link that creates a demand on a day.
pub(super) fn new_demand_link(base: &str, date: Date, hour: &str) -> Markup {
    html! {
        a class="new" href={ (base) "/demandas/nova?dia=" (date) "&hora=" (hour) } {
            span aria-hidden="true" { "+" } span class="sr" { "Nova demanda em " (long_day_text(date)) }
        }
    }
}
