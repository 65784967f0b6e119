use domain::{Capability, time::day_of};
use gateway::{Content, Context, Entry, Page, Reply, Result, Spec};
use jiff::civil::Date;
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{
    card::{look_path, mark},
    demand::date_fields,
    events::Event,
    shown::kept_query,
};
use crate::{
    area::page,
    forms::operation_form,
    picture::{at_width, sources},
    piece::words,
    shell, text,
    view::View,
};

/// The quick view of one event, with the forms that move it.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Look {
    id: String,
    /// Presente, só o conteúdo, sem a moldura da página.
    parte: Option<String>,
    /// A forma e os filtros da agenda a que a página leva de volta.
    volta: Option<String>,
}

const ROUTE: Spec = page(
    "console_agenda_look",
    "Visão rápida de uma peça",
    "/agenda/eventos/{id}",
)
.fails(&[404]);

pub(super) const LOOK: Entry = Entry::page::<Look>(
    ROUTE,
    "O essencial de uma peça da agenda, e o formulário que o move.",
);

#[derive(Deserialize)]
struct Answer {
    evento: Event,
    historico: Vec<Change>,
}

/// One change in the history.
#[derive(Deserialize)]
struct Change {
    actor_name: String,
    agent: Option<String>,
    occurred_at: String,
}

impl Change {
    /// The author and their agent: `Claude por Ana`.
    fn author(&self) -> String {
        match &self.agent {
            Some(agent) => format!("{agent} por {}", self.actor_name),
            None => self.actor_name.clone(),
        }
    }
}

impl Page for Look {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::of(ctx).await?;
        let input = json!({ "eventId": self.id, "limit": 1 });
        let answer: Answer = view.read("get_event", input).await?;
        let is_part = self.parte.is_some();
        let kept = kept_query(self.volta.as_deref());
        let look = look(&view, &answer, &kept, is_part);
        if is_part {
            return Ok(Reply::new(Content::Text(look.into_string().into())));
        }
        let body = html! {
            div class="look-page card" { (look) }
            p { a href=(view.at(&back(&kept, answer.evento.day()))) { "Voltar à agenda" } }
        };
        Ok(shell::page(&view, &answer.evento.title, &body))
    }
}

/// The address of the agenda on the day of the event, with the layout and filters that the viewer
/// left.
fn back(kept: &str, day: Option<Date>) -> String {
    let day = day.map(|day| format!("dia={day}"));
    let kept = Some(kept).filter(|kept| !kept.is_empty());
    let query: Vec<&str> = kept.into_iter().chain(day.as_deref()).collect();
    match query.as_slice() {
        [] => "/agenda".into(),
        query => format!("/agenda?{}", query.join("&")),
    }
}

fn look(view: &View<'_>, answer: &Answer, kept: &str, is_part: bool) -> Markup {
    let event = &answer.evento;
    let caption = event.caption().trim();
    let changed = answer.historico.first();
    html! {
        div class="look stack" {
            @if is_part { h2 dir="auto" { (event.title) } } @else { h1 dir="auto" { (event.title) } }
            p class="row" { (mark(event.status)) span class="badge" { (words::channel_name(&event.channel)) } }
            @if let Some(first) = event.media.first() { (medium(&first.media_type, first.path())) }
            @if !caption.is_empty() {
                p class="caption" dir="auto" { (caption) }
            } @else if let Some(briefing) = event.briefing() {
                p class="soft" { "Ainda sem legenda. O briefing:" }
                p class="caption" dir="auto" { (briefing) }
            }
            dl class="facts" {
                dt { "Quando" } dd { (event.due().map_or_else(|| "sem data".into(), text::moment)) }
                dt { "Responsáveis" } dd dir="auto" { (names(&event.assignees_names)) }
                dt { "Criada por" } dd dir="auto" { (event.created_by_name) }
                @if let Some(change) = changed {
                    dt { "Última mudança" }
                    dd { span dir="auto" { (change.author()) } ", " (text::moment_of(&change.occurred_at)) }
                }
            }
            p { a class="button" href=(view.at(&format!("/eventos/{}", event.id))) autofocus { "Abrir a peça" } }
            @if view.may(Capability::TasksAssign) && event.is_open() { (mover(view, event, kept)) }
        }
    }
}

fn names(names: &[String]) -> String {
    match names {
        [] => "ninguém".into(),
        names => names.join(", "),
    }
}

fn medium(media_type: &str, path: &str) -> Markup {
    html! {
        @if media_type.starts_with("image/") {
            img class="medium" src=(at_width(path, 480)) srcset=(sources(path)) sizes="20rem" width="320" height="256"
                alt="" loading="lazy";
        } @else if media_type.starts_with("video/") {
            video class="medium" src=(path) controls preload="none" {}
        }
    }
}

/// The forms that change or remove the date of an event.
fn mover(view: &View<'_>, event: &Event, kept: &str) -> Markup {
    let day = event.day().unwrap_or_else(|| day_of(view.ctx.now));
    let same = html! {
        input type="hidden" name="eventId" value=(event.id);
        input type="hidden" name="expected_revision" value=(event.api_revision.get());
    };
    let move_fields = html! {
        (same)
        (date_fields(Some(day), event.hour.as_deref().unwrap_or("12:00"), true))
        button type="submit" { "Mover" }
    };
    let undate_fields = html! {
        (same)
        input type="hidden" name="sem_data" value="true";
        button type="submit" class="quiet" { "Tirar a data" }
    };
    let mark = if kept.is_empty() { "" } else { "&" };
    let moved =
        format!("/agenda?{kept}{mark}dia={{/evento/year}}-{{/evento/month}}-{{/evento/day}}");
    let back = look_path(&event.id, kept);
    html! {
        details class="mover" open {
            summary { "Mover" }
            (operation_form(view, "update_event", &moved, &move_fields))
            @if event.due_at.is_some() { (operation_form(view, "update_event", &back, &undate_fields)) }
        }
    }
}
