//! The section of title, channel, date, assignees and tag, with its form.

use domain::{Capability, EventStatus, MOST_TAG};
use gateway::{Error, Result};
use maud::{Markup, html};
use serde_json::Value;

use super::model::{Event, piece_path};
use crate::{
    forms::key_field,
    teammates::{Teammate, list_teammates},
    view::View,
};

/// Adds the date fields of a form (`2026-11-27`, `10:00`) to an input. An empty date adds nothing.
pub(crate) fn put_date(fields: &mut Value, date: &str, hour: &str) -> Result<()> {
    if date.is_empty() {
        return Ok(());
    }
    let mut numbers = date.splitn(3, '-').map(str::parse::<i64>);
    let (Some(Ok(year)), Some(Ok(month)), Some(Ok(day))) =
        (numbers.next(), numbers.next(), numbers.next())
    else {
        return Err(Error::invalid_field("data", "date", "deve ser uma data"));
    };
    fields["year"] = year.into();
    fields["month"] = month.into();
    fields["day"] = day.into();
    if !hour.is_empty() {
        // Some browsers add seconds to a time.
        fields["hour"] = hour.chars().take(5).collect::<String>().into();
    }
    Ok(())
}

/// Draws the form fields of a date.
pub(crate) fn date_fields(event: &Event) -> Markup {
    html! {
        div class="row" {
            label class="field" { span { "Dia" } input type="date" name="data" value=(event.date_field_value()); }
            label class="field" {
                span { "Hora (Brasília)" }
                input type="time" name="hora" value=(event.hour.as_deref().unwrap_or_default());
            }
        }
    }
}

/// Returns true if the viewer may edit these fields in the current status.
fn may_edit(view: &View<'_>, event: &Event) -> bool {
    let is_closed = matches!(event.status, EventStatus::Published | EventStatus::Archived);
    view.has_capability(Capability::TasksAssign) && !is_closed
}

/// Reads the team, if the viewer may assign members.
pub(super) async fn read_team(view: &View<'_>, event: &Event) -> Result<Option<Vec<Teammate>>> {
    if !may_edit(view, event) {
        return Ok(None);
    }
    list_teammates(view).await.map(Some)
}

/// Draws the section. Includes the form if the viewer may edit these fields.
pub(super) fn details_section(view: &View<'_>, event: &Event, team: Option<&[Teammate]>) -> Markup {
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
                    (draw_fields(view, event, team))
                }
            }
        }
    }
}

fn draw_fields(view: &View<'_>, event: &Event, team: &[Teammate]) -> Markup {
    let action = format!("{}/dados", piece_path(&event.id));
    let is_chosen = |id: &String| event.assignee_member_ids.contains(id);
    let absent = event.assignee_member_ids.iter().zip(&event.assignees_names);
    let absent = absent.filter(|(id, _)| team.iter().all(|person| person.id != **id));
    html! {
        form method="post" action=(view.href_to(&action)) class="form stack" {
            (key_field())
            input type="hidden" name="expected_revision" value=(event.api_revision);
            label class="field" {
                span { "Título" }
                input name="title" required maxlength="300" dir="auto" value=(event.title);
            }
            label class="field" {
                span { "Canal" }
                input name="channel" required maxlength="60" list="canais" value=(event.channel);
            }
            datalist id="canais" {
                @for channel in ["instagram", "facebook", "linkedin", "tiktok", "youtube", "threads", "newsletter"] {
                    option value=(channel) {}
                }
            }
            input type="hidden" name="data_antes" value=(event.date_field_value());
            (date_fields(event))
            label class="field" {
                span { "Etiqueta" }
                input name="tipo" maxlength=(MOST_TAG) dir="auto" value=(event.editorial_tag.as_deref().unwrap_or_default());
            }
            fieldset {
                legend { "Responsáveis" }
                @for (id, name) in absent {
                    label class="choice" {
                        input type="checkbox" name="assignee_ids" value=(id) checked;
                        span dir="auto" { (name) }
                    }
                }
                @for person in team {
                    label class="choice" {
                        input type="checkbox" name="assignee_ids" value=(person.id) checked[is_chosen(&person.id)];
                        span dir="auto" { (person.name) }
                    }
                }
            }
            button type="submit" { "Salvar dados" }
            div class="outcome" role="alert" {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_date_fields_of_a_form_become_input_fields() {
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
