//! The agenda as a list of days, drawn from the answer of `list_events`.

use domain::time::{Millis, brasilia_day};
use gateway::Result;
use jiff::civil::Date;
use maud::{Markup, html};
use serde_json::Value;

use super::{
    card::Card,
    commemorative,
    days::{Span, span_text},
    events::{Answer, Event},
    grid::{self, Around, Day},
    planning,
    shown::{Layout, Shown},
};

/// Draws the days that have events, then the events without a date. `base` is the public address, so
/// links open the console.
pub(crate) fn draw_agenda_list(answer: Value, base: &str, now: Millis) -> Result<Markup> {
    let Answer {
        mut eventos,
        next_cursor,
    } = serde_json::from_value(answer)?;
    eventos.sort_by_key(|event| event.due_at.map(|due| due.0));
    let (dated, undated): (Vec<_>, Vec<_>) = eventos
        .into_iter()
        .partition(|event| event.due_at.is_some());
    let clashes = planning::find_clashes(&dated, now);
    let card = |event| Card {
        event,
        is_past: event.due_instant().is_some_and(|due| due < now),
        clashes: clashes
            .iter()
            .flatten()
            .any(|clashing| clashing.id == event.id),
        may_move: false,
    };
    let today = brasilia_day(now);
    let days = group_by_day(&dated);
    let first = days.first().map_or(today, |(date, _)| *date);
    let last = days.last().map_or(today, |(date, _)| *date);
    let days: Vec<_> = days
        .into_iter()
        .map(|(date, events)| Day {
            date,
            cards: events.iter().map(card).collect(),
            is_past: date < today,
            is_today: date == today,
            is_outside: false,
            commemorated: commemorative::commemorative_names(date),
            good_hours: vec![],
            best_hours: vec![],
            hour_of_new: None,
        })
        .collect();
    let tray: Vec<_> = undated.iter().map(card).collect();
    let shown = Shown::new(Layout::List, first);
    let around = Around {
        base,
        shown: &shown,
        kept: "",
        focus: None,
    };
    let span = Span {
        from: first,
        to: last,
    };
    Ok(html! {
        h1 { "Agenda" }
        @if days.is_empty() && tray.is_empty() {
            p class="empty" { "Nada na agenda com estes filtros." }
        }
        @if !days.is_empty() {
            h2 { (span_text(span)) }
            (grid::draw_day_list(&around, &days))
        }
        @if !tray.is_empty() { (grid::draw_tray(&around, &tray, true, usize::MAX)) }
        @if next_cursor.is_some() { p class="soft" { "Há mais peças que estas." } }
    })
}

/// Groups events by day. The events must be ordered by date.
fn group_by_day(events: &[Event]) -> Vec<(Date, &[Event])> {
    events
        .chunk_by(|one, next| one.due_day() == next.due_day())
        .filter_map(|chunk| Some((chunk.first()?.due_day()?, chunk)))
        .collect()
}
