use domain::{Capability, time::brasilia_day};
use gateway::{Content, Context, Entry, Page, Reply, Result, Spec};
use jiff::civil::Date;
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{
    card::{draw_status, quick_view_path},
    demand::date_fields,
    events::Event,
    shown::checked_return_query,
};
use crate::{
    area::page_spec,
    forms::operation_form,
    picture::{image_at_width, image_srcset},
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

const ROUTE: Spec = page_spec(
    "console_agenda_look",
    "Visão rápida de uma peça",
    "/agenda/eventos/{id}",
)
.fails(&[404]);

pub(super) const LOOK: Entry = Entry::for_page::<Look>(
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
    /// Returns the author, with the agent that made the change: `Claude por Ana`.
    fn author_text(&self) -> String {
        match &self.agent {
            Some(agent) => format!("{agent} por {}", self.actor_name),
            None => self.actor_name.clone(),
        }
    }
}

impl Page for Look {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let input = json!({ "eventId": self.id, "limit": 1 });
        let answer: Answer = view.read("get_event", input).await?;
        let is_part = self.parte.is_some();
        let kept = checked_return_query(self.volta.as_deref());
        let look = draw_quick_view(&view, &answer, &kept, is_part);
        if is_part {
            return Ok(Reply::new(Content::Text(look.into_string().into())));
        }
        let body = html! {
            div class="look-page card" { (look) }
            p { a href=(view.href_to(&agenda_address(&kept, answer.evento.due_day()))) { "Voltar à agenda" } }
        };
        Ok(shell::console_page(&view, &answer.evento.title, &body))
    }
}

/// Returns the address of the agenda on the day of the event. `kept` has the layout and filters of the
/// agenda view that opened the quick view.
fn agenda_address(kept: &str, day: Option<Date>) -> String {
    let day = day.map(|day| format!("dia={day}"));
    let kept = Some(kept).filter(|kept| !kept.is_empty());
    let query: Vec<&str> = kept.into_iter().chain(day.as_deref()).collect();
    match query.as_slice() {
        [] => "/agenda".into(),
        query => format!("/agenda?{}", query.join("&")),
    }
}

fn draw_quick_view(view: &View<'_>, answer: &Answer, kept: &str, is_part: bool) -> Markup {
    let event = &answer.evento;
    let caption = event.caption().trim();
    let changed = answer.historico.first();
    html! {
        div class="look stack" {
            @if is_part { h2 dir="auto" { (event.title) } } @else { h1 dir="auto" { (event.title) } }
            p class="row" { (draw_status(event.status)) span class="badge" { (words::channel_name(&event.channel)) } }
            @if let Some(first) = event.media.first() { (draw_medium(&first.media_type, first.file_path())) }
            @if !caption.is_empty() {
                p class="caption" dir="auto" { (caption) }
            } @else if let Some(briefing) = event.briefing() {
                p class="soft" { "Ainda sem legenda. O briefing:" }
                p class="caption" dir="auto" { (briefing) }
            }
            dl class="facts" {
                dt { "Quando" } dd { (event.due_instant().map_or_else(|| "sem data".into(), text::format_moment)) }
                dt { "Responsáveis" } dd dir="auto" { (join_names(&event.assignees_names)) }
                dt { "Criada por" } dd dir="auto" { (event.created_by_name) }
                @if let Some(change) = changed {
                    dt { "Última mudança" }
                    dd { span dir="auto" { (change.author_text()) } ", " (text::format_iso_moment(&change.occurred_at)) }
                }
            }
            p { a class="button" href=(view.href_to(&format!("/eventos/{}", event.id))) autofocus { "Abrir a peça" } }
            @if view.has_capability(Capability::TasksAssign) && event.is_movable() { (move_forms(view, event, kept)) }
        }
    }
}

fn join_names(names: &[String]) -> String {
    match names {
        [] => "ninguém".into(),
        names => names.join(", "),
    }
}

fn draw_medium(media_type: &str, path: &str) -> Markup {
    html! {
        @if media_type.starts_with("image/") {
            img class="medium" src=(image_at_width(path, 480)) srcset=(image_srcset(path)) sizes="20rem" width="320" height="256"
                alt="" loading="lazy";
        } @else if media_type.starts_with("video/") {
            video class="medium" src=(path) controls preload="none" {}
        }
    }
}

/// Draws the forms that change or remove the date of an event.
fn move_forms(view: &View<'_>, event: &Event, kept: &str) -> Markup {
    let day = event
        .due_day()
        .unwrap_or_else(|| brasilia_day(view.ctx.now));
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
    let back = quick_view_path(&event.id, kept);
    html! {
        details class="mover" open {
            summary { "Mover" }
            (operation_form(view, "update_event", &moved, &move_fields))
            @if event.due_at.is_some() { (operation_form(view, "update_event", &back, &undate_fields)) }
        }
    }
}
