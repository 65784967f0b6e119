//! The card of an event.

use domain::EventStatus;
use maud::{Markup, html};

use super::events::{Event, first_words, initials, sign};
use crate::{links::encoded, network_mark::network_mark, picture::at_width, piece::words};

/// The maximum length of a title on a small card, in characters.
const SHORT_TITLE: usize = 70;
/// The maximum length of a caption on a large card, in characters.
const EXCERPT: usize = 140;

/// An event with the facts that the page computed about it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Card<'a> {
    pub event: &'a Event,
    /// Whether the date of the event is in the past.
    pub is_past: bool,
    /// Whether another post on the same channel is due less than an hour before or after the event.
    pub clashes: bool,
    /// Whether the viewer may move the event to another date.
    pub may_move: bool,
}

/// Draws the card. `base` is the path of the service; `kept` is the query that leads back to the
/// view.
pub(super) fn card(card: &Card<'_>, base: &str, kept: &str, is_large: bool) -> Markup {
    let event = card.event;
    let id = &event.id;
    let (class, _) = sign(event.status);
    let draft = if EventStatus::EDITABLE.contains(&event.status) {
        " draft"
    } else {
        ""
    };
    let past = if card.is_past { " past" } else { "" };
    let day = event.day().map_or_else(String::new, |day| day.to_string());
    html! {
        li id={ "e-" (id) } class={ "ev " (class) (draft) (past) } data-rev=(event.api_revision.get())
            data-on=(day) draggable=[card.may_move.then_some("true")] {
            a class="what" href={ (base) "/eventos/" (id) } draggable="false" data-item {
                (picture(event, base))
                span class="at" {
                    @if let Some(hour) = &event.hour { time { (hour) } " " }
                    @if card.clashes { span class="clash" { "⚠" span class=[(!is_large).then_some("sr")] { " choque" } } " " }
                    @if let Some(mark) = network_mark(&event.channel) { (mark) " " }
                    span class="channel" { (words::channel_name(&event.channel)) }
                }
                span class="title" dir="auto" {
                    @if is_large { (event.title) } @else { (first_words(&event.title, SHORT_TITLE)) }
                }
                @if is_large { (excerpt(event)) }
                span class="foot" { (mark(event.status)) (people(event, is_large)) }
            }
            a class="more" href={ (base) (look_path(id, kept)) } {
                "⋯" span class="sr" { " Ver e mover: " (first_words(&event.title, 40)) }
            }
        }
    }
}

/// The path of an event's quick view. The quick view leads back to the agenda view in `kept`.
pub(super) fn look_path(id: &str, kept: &str) -> String {
    match kept {
        "" => format!("/agenda/eventos/{id}"),
        kept => format!("/agenda/eventos/{id}?volta={}", encoded(kept)),
    }
}

/// Draws a status as a sign and a word, in its colour.
pub(super) fn mark(of: EventStatus) -> Markup {
    let (class, sign) = sign(of);
    html! { span class={ "status-mark " (class) } { span aria-hidden="true" { (sign) } " " (words::name(of)) } }
}

fn picture(event: &Event, base: &str) -> Markup {
    html! {
        @if let Some(first) = event.media.first() {
            @if first.media_type.starts_with("image/") {
                img src=(at_width(first.address(base), 160)) alt="" width="40" height="40" loading="lazy" decoding="async" draggable="false";
            } @else {
                span class="film" { span aria-hidden="true" { "▶" } span class="sr" { "vídeo " } }
            }
        }
    }
}

fn excerpt(event: &Event) -> Markup {
    let text = event.caption();
    let words = first_words(text, EXCERPT);
    html! { @if !words.is_empty() { span class="words" dir="auto" { (words) } } }
}

/// Draws the initials of the assignees; a large card also names the author.
fn people(event: &Event, is_large: bool) -> Markup {
    html! {
        span class="owners" {
            @for name in &event.assignees_names {
                abbr title={ "Responsável: " (name) } { (initials(name)) }
            }
            @if is_large { span class="by" dir="auto" { "de " (event.created_by_name) } }
        }
    }
}
