use domain::time::brasilia_day;
use futures::future::try_join;
use gateway::{Content, Context, Entry, Page, Reply, Result, Spec};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    activity,
    model::{Day, Event},
    steps,
};
use crate::{
    agenda, agent_changes::Activity, area::page_spec, piece::words, shell, text, view::View,
};

/// The number of events that a list shows.
const MOST: usize = 8;

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
            events: &day.recusados,
            more: ("/agenda?ver=lista&status=recusado", "Ver as outras"),
            path: piece_path,
        }))
        (draw_list(view, &Listed {
            id: "aprovar",
            name: "Para você aprovar",
            events: &day.a_aprovar,
            more: ("/aprovacoes", "Ver todas"),
            path: |event| format!("/aprovacoes?evento={}", event.id),
        }))
        (draw_list(view, &Listed {
            id: "atrasados",
            name: "Atrasadas",
            events: &day.atrasados,
            more: ("/agenda?ver=lista", "Ver na agenda"),
            path: piece_path,
        }))
    }
}

fn planned_sections(view: &View<'_>, day: &Day) -> Markup {
    html! {
        section class="card" aria-labelledby="hoje" {
            h2 id="hoje" { "Sai hoje" }
            @if day.hoje.is_empty() { p class="soft" { "Nada marcado para hoje." } }
            @else { (draw_entries(view, &day.hoje, piece_path)) }
            (more_link(view, day.hoje.len(), "/agenda?ver=dia", "Ver o dia na agenda"))
        }
        section class="card" aria-labelledby="semana" {
            h2 id="semana" { "Nos próximos seis dias" }
            @if day.semana.is_empty() { p class="soft" { "Nada marcado." } }
            @else { (draw_entries(view, &day.semana, piece_path)) }
            p { a href=(view.href_to("/agenda?ver=semana")) { "Ver a semana na agenda" } }
        }
    }
}

/// A list with a heading.
struct Listed<'a> {
    id: &'static str,
    name: &'static str,
    events: &'a [Event],
    /// The path and the text of the link to the page that shows the rest.
    more: (&'static str, &'static str),
    /// The path of one event.
    path: fn(&Event) -> String,
}

fn draw_list(view: &View<'_>, listed: &Listed<'_>) -> Markup {
    let count = listed.events.len();
    html! {
        @if count > 0 {
            section class="card" aria-labelledby=(listed.id) {
                h2 id=(listed.id) { (listed.name) " " span class="tally" { (count) } }
                (draw_entries(view, listed.events, listed.path))
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

/// Draws the first events of a list. The status is left out if all events have the same status.
fn draw_entries(view: &View<'_>, events: &[Event], path: fn(&Event) -> String) -> Markup {
    let first = events.first().map(|event| event.status);
    let names_status = events.iter().any(|event| Some(event.status) != first);
    html! {
        ul class="day-list" {
            @for event in events.iter().take(MOST) {
                li {
                    a class="day-title" href=(view.href_to(&path(event))) dir="auto" { (event.title) }
                    p class="row" {
                        small { (draw_date(event)) }
                        small { (words::channel_name(&event.channel)) }
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

fn draw_date(event: &Event) -> Markup {
    html! {
        @match &event.due_at {
            Some(due) => (text::time_tag(due)),
            None => "sem data",
        }
    }
}
