use domain::{
    Format,
    time::{DAY, Millis, Timestamp, brasilia_day, start_of_day},
};
use futures::future::try_join;
use gateway::{Content, Context, Entry, Page, Reply, Result, Spec};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    activity,
    model::{self, ChangedPiece, Day, Event, Outing},
    steps,
};
use crate::{
    agenda, agent_changes::Activity, area::page_spec, piece::words, shell, text, view::View,
};

/// The number of events that a list shows.
const MOST: usize = 8;
/// The length of a week in days, including today.
const WEEK: Millis = 7;

/// The page of the day.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Today {}

const ROUTE: Spec = page_spec("console_today", "Hoje", "/").partial(&[303]);

pub(super) const TODAY: Entry = Entry::for_page::<Today>(
    ROUTE,
    "O que espera por você, o que vai ao ar e o que os agentes fizeram.",
);

impl Page for Today {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        if let Some(query) = agenda::bookmark_query(&ctx.origin.head.address) {
            let to = view.href_to(&format!("/agenda?{query}"));
            return Ok(Reply::new(Content::Redirect(to)));
        }
        let (day, activity) =
            try_join(Day::read(&view), Activity::load_since_yesterday(&view)).await?;
        let body = html! {
            div class="today" {
                div class="spread" {
                    div {
                        h1 { "Hoje" }
                        p class="soft" { (agenda::long_day(brasilia_day(ctx.now))) }
                    }
                    @if view.may_call("create_demand") {
                        a class="button" href=(view.href_to("/demandas/nova")) data-key="c" { "Nova demanda" }
                    }
                }
                div class="today-columns" {
                    div class="stack" {
                        (steps::steps_section(&view, &day.primeiros_passos))
                        (waiting_sections(&view, &day))
                    }
                    div class="stack" {
                        (planned_sections(&view, &day))
                        (activity::activity_section(&view, &activity))
                    }
                }
            }
        };
        Ok(shell::console_page(&view, "Hoje", &body))
    }
}

fn waiting_sections(view: &View<'_>, day: &Day) -> Markup {
    let me = view.member().id.as_str();
    html! {
        @if day.has_no_work() {
            section class="card" aria-labelledby="espera" {
                h2 id="espera" { "Espera por você" }
                p { "Nada espera por você agora." }
            }
        }
        (draw_list(view, &Listed {
            id: "recusados",
            name: "Recusadas, para refazer",
            entries: model::list_events(&day.recusados),
            more: (&format!("/agenda?ver=todas&status=recusado&pessoa={me}"), "Ver todas as recusadas"),
            path: piece_path,
        }))
        (draw_list(view, &Listed {
            id: "aprovar",
            name: "Para você aprovar",
            entries: model::list_events(&day.a_aprovar),
            more: ("/aprovacoes", "Ver todas"),
            path: |event| format!("/aprovacoes?evento={}", event.id),
        }))
        (changed_section(view, &day.canais_mudados))
        (draw_list(view, &Listed {
            id: "atrasados",
            name: "Atrasadas",
            entries: model::list_late_outings(&day.atrasados, view.ctx.now),
            more: ("/agenda?ver=todas&atrasadas=sim", "Ver todas as atrasadas"),
            path: piece_path,
        }))
    }
}

/// Draws the approved pieces with channels that changed afterwards and wait for the viewer's decision.
fn changed_section(view: &View<'_>, changed: &[ChangedPiece]) -> Markup {
    html! {
        @if !changed.is_empty() {
            section class="card" aria-labelledby="canais-mudados" {
                h2 id="canais-mudados" { "Canais que mudaram depois de aprovados " span class="tally" { (changed.len()) } }
                ul class="day-list" {
                    @for piece in changed.iter().take(MOST) {
                        li {
                            a class="day-title" dir="auto" href=(view.href_to(&format!("/eventos/{}#canais-da-peca", piece.id))) { (piece.title) }
                            p class="row" {
                                @for one in &piece.variantes { small { (channel_and_format(&one.canal, one.formato)) } }
                            }
                        }
                    }
                }
                (more_link(view, changed.len(), "/aprovacoes", "Ver todas"))
            }
        }
    }
}

fn planned_sections(view: &View<'_>, day: &Day) -> Markup {
    let today = start_of_day(brasilia_day(view.ctx.now));
    let of_today = model::list_outings(&day.hoje, (today, today + DAY));
    let of_week = model::list_outings(&day.semana, (today + DAY, today + WEEK * DAY));
    html! {
        section class="card" aria-labelledby="hoje" {
            h2 id="hoje" { "Sai hoje" }
            @if of_today.is_empty() { p class="soft" { "Nada marcado para hoje." } }
            @else { (draw_entries(view, &of_today, piece_path)) }
            (more_link(view, of_today.len(), "/agenda?ver=dia", "Ver o dia na agenda"))
        }
        section class="card" aria-labelledby="semana" {
            h2 id="semana" { "Nos próximos seis dias" }
            @if of_week.is_empty() { p class="soft" { "Nada marcado." } }
            @else { (draw_entries(view, &of_week, piece_path)) }
            p { a href=(view.href_to("/agenda?ver=semana")) { "Ver a semana na agenda" } }
        }
    }
}

/// A list with a heading.
struct Listed<'a> {
    id: &'static str,
    name: &'static str,
    entries: Vec<Outing<'a>>,
    /// The path and the text of the link to the page that shows the whole list.
    more: (&'a str, &'static str),
    /// Returns the path to which an entry of this event links.
    path: fn(&Event) -> String,
}

fn draw_list(view: &View<'_>, listed: &Listed<'_>) -> Markup {
    let count = listed.entries.len();
    html! {
        @if count > 0 {
            section class="card" aria-labelledby=(listed.id) {
                h2 id=(listed.id) { (listed.name) " " span class="tally" { (count) } }
                (draw_entries(view, &listed.entries, listed.path))
                (more_link(view, count, listed.more.0, listed.more.1))
            }
        }
    }
}

fn more_link(view: &View<'_>, count: usize, path: &str, name: &str) -> Markup {
    html! { @if count > MOST { p { a href=(view.href_to(path)) { (name) } } } }
}

fn piece_path(event: &Event) -> String {
    format!("/eventos/{}", event.id)
}

fn channel_and_format(channel: &str, format: Format) -> String {
    let channel = words::channel_name(channel);
    format!("{channel} · {}", words::format_name(format))
}

/// Draws the first entries of a list. The status is left out if all events have the same status.
fn draw_entries(view: &View<'_>, entries: &[Outing<'_>], path: fn(&Event) -> String) -> Markup {
    let first = entries.first().map(|entry| entry.event.status);
    let names_status = entries
        .iter()
        .any(|entry| Some(entry.event.status) != first);
    html! {
        ul class="day-list" {
            @for entry in entries.iter().take(MOST) {
                @let event = entry.event;
                li {
                    a class="day-title" href=(view.href_to(&path(event))) dir="auto" { (event.title) }
                    p class="row" {
                        small { (draw_instant(entry.at)) }
                        @if entry.channels.is_empty() {
                            small { (words::channel_name(&event.channel)) }
                        }
                        @for one in &entry.channels { small { (channel_and_format(&one.canal, one.formato)) } }
                        @if names_status { (words::status_badge(event.status)) }
                        @if !event.assignees_names.is_empty() {
                            small dir="auto" { (event.assignees_names.join(", ")) }
                        }
                    }
                    @if let Some(reason) = &event.refusal_reason {
                        blockquote dir="auto" { (reason) }
                    }
                }
            }
        }
    }
}

fn draw_instant(at: Option<Millis>) -> Markup {
    html! {
        @match at {
            Some(at) => (text::time_tag(&Timestamp(at).to_string())),
            None => "sem data",
        }
    }
}
