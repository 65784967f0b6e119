//! The card of an event.

use domain::EventStatus;
use maud::{Markup, html};

use super::events::{Event, class_and_sign, first_words};
use crate::{
    links::percent_encode, network_mark::network_mark, picture::image_at_width, piece::words, text,
};

/// The maximum length of a title on a small card, in characters.
pub(super) const SHORT_TITLE: usize = 70;
/// The maximum length of a caption on a large card, in characters.
const EXCERPT: usize = 140;

/// An event with the facts that the page computed about it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Card<'a> {
    pub event: &'a Event,
    /// True if the date of the event is in the past.
    pub is_past: bool,
    /// True if another post on the same channel is due less than an hour before or after the event.
    pub clashes: bool,
    /// True if the viewer may move the event to another date.
    pub may_move: bool,
}

/// Draws the card. `base` is the path of the service. `kept` is the query that leads back to the current
/// view.
pub(super) fn draw_card(card: &Card<'_>, base: &str, kept: &str, is_large: bool) -> Markup {
    let event = card.event;
    let id = &event.id;
    let (class, _) = class_and_sign(event.status);
    let draft = if EventStatus::EDITABLE.contains(&event.status) {
        " draft"
    } else {
        ""
    };
    let past = if card.is_past { " past" } else { "" };
    let day = event
        .due_day()
        .map_or_else(String::new, |day| day.to_string());
    html! {
        li id={ "e-" (id) } class={ "ev " (class) (draft) (past) } data-rev=(event.api_revision.get())
            data-on=(day) draggable=[card.may_move.then_some("true")] {
            a class="what" href={ (base) "/eventos/" (id) } draggable="false" data-item {
                (draw_picture(event, base))
                span class="at" {
                    @if let Some(hour) = &event.hour { time { (hour) } " " }
                    @if card.clashes { span class="clash" { "⚠" span class=[(!is_large).then_some("sr")] { " choque" } } " " }
                    @if let Some(mark) = network_mark(&event.channel) { (mark) " " }
                    span class="channel" { (words::channel_name(&event.channel)) }
                    (draw_other_channels(event))
                    (draw_late_badge(event, is_large))
                }
                span class="title" dir="auto" {
                    @if is_large { (event.title) } @else { (first_words(&event.title, SHORT_TITLE)) }
                }
                @if is_large { (draw_excerpt(event)) }
                span class="foot" { (draw_status(event.status)) (draw_people(event, is_large)) }
            }
            a class="more" href={ (base) (quick_view_path(id, kept)) } {
                "⋯" span class="sr" { " Ver e mover: " (first_words(&event.title, 40)) }
            }
        }
    }
}

/// Draws the number and the names of the other channels to which the event goes.
fn draw_other_channels(event: &Event) -> Markup {
    let others = event.other_channels();
    html! {
        @if !others.is_empty() {
            " " span class="others" title=(others.join(", ")) {
                span aria-hidden="true" { "+" (others.len()) }
                span class="sr" { "e " (others.join(", ")) }
            }
        }
    }
}

/// Draws the badge of an event with late posts. A large card also names these posts.
fn draw_late_badge(event: &Event, is_large: bool) -> Markup {
    let late = event.late_posts();
    html! {
        @if !late.is_empty() {
            " " span class="late" {
                span aria-hidden="true" { "⚠ " } "atrasada"
                span class=[(!is_large).then_some("sr")] { ": " (late.join(", ")) }
            }
        }
    }
}

/// Returns the path of an event's quick view. The quick view leads back to the agenda view in `kept`.
pub(super) fn quick_view_path(id: &str, kept: &str) -> String {
    match kept {
        "" => format!("/agenda/eventos/{id}"),
        kept => format!("/agenda/eventos/{id}?volta={}", percent_encode(kept)),
    }
}

/// Draws a status as an icon and a word, in the colour of the status.
pub(super) fn draw_status(of: EventStatus) -> Markup {
    let (class, sign) = class_and_sign(of);
    html! { span class={ "status-mark " (class) } { span aria-hidden="true" { (sign) } " " (words::status_name(of)) } }
}

fn draw_picture(event: &Event, base: &str) -> Markup {
    html! {
        @if let Some(first) = event.media.first() {
            @if first.media_type.starts_with("image/") {
                img src=(image_at_width(first.file_address(base), 160)) alt="" width="40" height="40" loading="lazy" decoding="async" draggable="false";
            } @else {
                span class="film" { span aria-hidden="true" { "▶" } span class="sr" { "vídeo " } }
            }
        }
    }
}

fn draw_excerpt(event: &Event) -> Markup {
    let text = event.caption();
    let words = first_words(text, EXCERPT);
    html! { @if !words.is_empty() { span class="words" dir="auto" { (words) } } }
}

/// Draws the initials of the assignees; a large card also names the author.
fn draw_people(event: &Event, is_large: bool) -> Markup {
    html! {
        span class="owners" {
            @for name in &event.assignees_names {
                abbr title={ "Responsável: " (name) } { (text::initials(name)) }
            }
            @if is_large { span class="by" dir="auto" { "de " (event.created_by_name) } }
        }
    }
}
