//! Title, channel, date, people and tag of a piece.

use domain::{Capability, EventStatus};
use gateway::{Context, Entry, Error, InputForm, Page, Reply, Result, Spec};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{call, done, given, key_field, keyed, model::Event, page::Kept, path, refuse};
use crate::{area::receiver, view::View};

/// What is written in the form of a piece's data.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Details {
    event_id: String,
    expected_revision: i64,
    #[serde(default)]
    title: String,
    #[serde(default)]
    channel: String,
    #[serde(default)]
    data: String,
    #[serde(default)]
    hora: String,
    #[serde(default)]
    tipo: String,
    #[serde(default)]
    assignee_ids: Vec<String>,
    chave: Option<String>,
}

const ROUTE: Spec = receiver(
    "console_details",
    "Mudar os dados de uma peça",
    "/eventos/{event_id}/dados",
)
.takes(InputForm::UrlEncoded)
.partial(&[303])
.fails(&[400, 404, 409, 413]);

pub(crate) const DETAILS: Entry = Entry::page::<Details>(
    ROUTE,
    "Muda título, canal, data, responsáveis e etiqueta de uma peça.",
);

impl Page for Details {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::of(ctx)?;
        match self.write(&view).await {
            Ok(()) => Ok(done(&view, &self.event_id, "update_event", "")),
            Err(error) => refuse(&view, &self.event_id, &error, Kept::default()).await,
        }
    }
}

impl Details {
    async fn write(&self, view: &View<'_>) -> Result<()> {
        let mut fields = json!({
            "eventId": self.event_id,
            "expected_revision": self.expected_revision,
            "title": self.title,
            "channel": given(&self.channel),
            "tipo": given(&self.tipo),
            "assignee_ids": self.assignee_ids,
        });
        put_date(&mut fields, &self.data, &self.hora)?;
        let input = keyed(self.chave.as_deref(), fields);
        call(view, "update_event", input).await.map(drop)
    }
}

/// Adds the date of a form (`2026-11-27`, `10:00`), where one is given.
pub(crate) fn put_date(fields: &mut Value, date: &str, hour: &str) -> Result<()> {
    if date.is_empty() {
        return Ok(());
    }
    let mut parts = date.splitn(3, '-').map(str::parse::<i64>);
    let (Some(Ok(year)), Some(Ok(month)), Some(Ok(day))) =
        (parts.next(), parts.next(), parts.next())
    else {
        return Err(Error::invalid("data", "date", "deve ser uma data"));
    };
    fields["year"] = year.into();
    fields["month"] = month.into();
    fields["day"] = day.into();
    if !hour.is_empty() {
        // A time field may add seconds.
        fields["hour"] = hour.chars().take(5).collect::<String>().into();
    }
    Ok(())
}

/// The fields of a date.
pub(crate) fn date_fields(event: &Event) -> Markup {
    html! {
        div class="row" {
            label class="field" { span { "Dia" } input type="date" name="data" value=(event.date()); }
            label class="field" {
                span { "Hora (Brasília)" }
                input type="time" name="hora" value=(event.hour.as_deref().unwrap_or_default());
            }
        }
    }
}

/// Who can be made responsible.
#[derive(Debug, Deserialize)]
pub(super) struct Team {
    equipe: Vec<Person>,
}

#[derive(Debug, Deserialize)]
struct Person {
    id: String,
    name: String,
}

/// Whether the viewer may change the data of the piece in its state.
fn changes(view: &View<'_>, event: &Event) -> bool {
    let is_closed = matches!(event.status, EventStatus::Published | EventStatus::Archived);
    view.may(Capability::TasksAssign) && !is_closed
}

/// The team, where the viewer may choose from it.
pub(super) async fn team(view: &View<'_>, event: &Event) -> Result<Option<Team>> {
    if !changes(view, event) {
        return Ok(None);
    }
    view.read("list_team", json!({ "limit": 200 }))
        .await
        .map(Some)
}

/// The data of a piece, and the form that changes them.
pub(super) fn section(view: &View<'_>, event: &Event, team: Option<&Team>) -> Markup {
    html! {
        section aria-labelledby="dados" {
            h2 id="dados" { "Dados" }
            dl class="facts" {
                dt { "Responsáveis" }
                dd dir="auto" {
                    @if event.assignees_names.is_empty() { "ninguém" }
                    (event.assignees_names.join(", "))
                }
                dt { "Criada por" } dd dir="auto" { (event.created_by_name) }
            }
            @if let Some(team) = team {
                details {
                    summary { "Mudar dados" }
                    (fields(view, event, team))
                }
            }
        }
    }
}

fn fields(view: &View<'_>, event: &Event, team: &Team) -> Markup {
    let action = format!("{}/dados", path(&event.id));
    let is_chosen = |id: &String| event.assignee_member_ids.contains(id);
    let absent = event.assignee_member_ids.iter().zip(&event.assignees_names);
    let absent = absent.filter(|(id, _)| team.equipe.iter().all(|person| person.id != **id));
    html! {
        form method="post" action=(view.at(&action)) class="form stack" {
            (key_field())
            input type="hidden" name="expected_revision" value=(event.api_revision);
            label class="field" {
                span { "Título" }
                input name="title" required maxlength="300" dir="auto" value=(event.title);
            }
            label class="field" {
                span { "Canal" }
                input name="channel" maxlength="60" list="canais" value=(event.channel);
            }
            datalist id="canais" {
                @for channel in ["instagram", "facebook", "linkedin", "tiktok", "youtube", "threads", "newsletter"] {
                    option value=(channel) {}
                }
            }
            (date_fields(event))
            label class="field" {
                span { "Etiqueta" }
                input name="tipo" maxlength="80" dir="auto" value=(event.editorial_tag.as_deref().unwrap_or_default());
            }
            fieldset {
                legend { "Responsáveis" }
                @for (id, name) in absent {
                    label class="choice" {
                        input type="checkbox" name="assignee_ids" value=(id) checked;
                        span dir="auto" { (name) }
                    }
                }
                @for person in &team.equipe {
                    label class="choice" {
                        input type="checkbox" name="assignee_ids" value=(person.id) checked[is_chosen(&person.id)];
                        span dir="auto" { (person.name) }
                    }
                }
            }
            button type="submit" { "Gravar dados" }
            div class="outcome" role="alert" {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_of_a_form_becomes_the_fields_of_an_operation() {
        let put = |date: &str, hour: &str| {
            let mut fields = json!({});
            put_date(&mut fields, date, hour).map(|()| fields)
        };
        assert_eq!(put("", "10:00").expect("none"), json!({}));
        let whole = json!({ "year": 2026, "month": 11, "day": 7, "hour": "10:30" });
        assert_eq!(put("2026-11-07", "10:30:00").expect("a date"), whole);
        assert!(put("amanhã", "").is_err());
    }
}
