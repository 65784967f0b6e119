//! The page for a change that is based on an old revision: the changes by other people, and the form to
//! send again.

use domain::Revision;
use futures::future::try_join;
use gateway::{Error, Reply, Result};
use maud::{Markup, html};
use serde_json::Value;

use super::{
    forms::{Form, Wanted},
    history::History,
    model::{Project, project_path},
    words,
};
use crate::{forms::with_error_status, shell, text, view::View};

/// Draws the page of the conflict.
pub(super) async fn conflict_reply(
    view: &View<'_>,
    wanted: &Wanted,
    error: &Error,
) -> Result<Reply> {
    let may_ask = view.may_call("list_project_operations");
    let history = async {
        Ok(match may_ask {
            true => History::read(view, &wanted.project, None).await?.operations,
            false => vec![],
        })
    };
    let (project, history) = try_join(Project::read(view, &wanted.project), history).await?;
    let details = error.body().details.unwrap_or_default();
    let since = details
        .get("since")
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default();
    let omitted = details.get("since_omitted").and_then(Value::as_i64);
    let mine = wanted.target_id();
    let who = |revision: Revision| {
        history
            .iter()
            .find(|recorded| recorded.revision == revision)
    };
    let change_row = |operation: &Value| -> Markup {
        let about = words::target_id(operation);
        let title = about.and_then(|id| project.find_title(id));
        let who = operation["revision"]
            .as_i64()
            .map(Revision::new)
            .and_then(who);
        html! {
            li {
                strong { (who.and_then(|who| who.actor_name.as_deref()).unwrap_or("Alguém")) } " "
                (words::operation_verb(operation["type"].as_str().unwrap_or_default()))
                @if let Some(title) = title { " “" span dir="auto" { (title) } "”" }
                @if let Some(who) = who { ", " span class="soft" { (text::format_iso_moment(&who.occurred_at)) } }
                @if about.is_some() && about == mine { " " span class="badge wait" { "o mesmo que você mudou" } }
            }
        }
    };
    let title = "O projeto mudou enquanto você mexia";
    let body = html! {
        h1 { (title) }
        p { "Sua mudança ainda não foi feita: " strong { (words::operation_request(&wanted.kind)) }
            @if let Some(title) = mine.and_then(|id| project.find_title(id)) { " “" span dir="auto" { (title) } "”" } "." }
        section class="card" {
            h2 { "O que veio no meio" }
            ul class="since" {
                @if let Some(omitted) = omitted { li class="soft" { "e mais " (omitted) (if omitted == 1 { " mudança" } else { " mudanças" }) " antes destas" } }
                @for operation in &since { (change_row(operation)) }
            }
        }
        @if mine.is_some_and(|id| project.find_title(id).is_none()) {
            p class="notice bad" { "O que você mudou não está mais no projeto." }
        }
        (Form::new(view, &project, &wanted.kind).draw(&html! {
            (wanted.draw_returned_fields())
            div class="row" {
                button type="submit" { "Fazer mesmo assim" }
                a class="button quiet" href=(view.href_to(&project_path(&project.id))) { "Ver o projeto como está" }
            }
        }))
    };
    Ok(with_error_status(
        shell::console_page(view, title, &body),
        error,
    ))
}
