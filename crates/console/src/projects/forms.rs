//! Draws and reads the forms of a project.

use domain::{Revision, random_text};
use gateway::Input;
use maud::{Markup, html};
use serde_json::{Map, Value, json};

use super::model::{Project, project_path};
use crate::{
    forms::{Field, KEY_FIELD, field_value},
    view::View,
};

/// A form that applies one operation.
pub(super) struct Form<'a> {
    view: &'a View<'a>,
    project: &'a Project,
    kind: Option<&'a str>,
    id: Option<&'a str>,
    back: Option<&'a str>,
}

impl<'a> Form<'a> {
    /// Creates a form for one type of operation. The fields of the form are the fields of the
    /// operation's payload.
    pub(super) fn new(view: &'a View<'a>, project: &'a Project, kind: &'a str) -> Self {
        Self {
            kind: Some(kind),
            ..Self::for_buttons(view, project)
        }
    }

    /// Creates a form without a fixed type of operation. Each button sends the field `mudar` with the
    /// type of its operation and an id: `type:id`.
    pub(super) fn for_buttons(view: &'a View<'a>, project: &'a Project) -> Self {
        Self {
            view,
            project,
            kind: None,
            id: None,
            back: None,
        }
    }

    pub(super) fn with_id(self, id: &'a str) -> Self {
        Self {
            id: Some(id),
            ..self
        }
    }

    /// Sets the path to redirect to. The default is the page of the project.
    pub(super) fn with_back(self, back: &'a str) -> Self {
        Self {
            back: Some(back),
            ..self
        }
    }

    pub(super) fn draw(&self, fields: &Markup) -> Markup {
        let action = format!("{}/mudar", project_path(&self.project.id));
        html! {
            form method="post" id=[self.id] action=(self.view.href_to(&action)) class="form" {
                @if let Some(kind) = self.kind { input type="hidden" name="type" value=(kind); }
                @if let Some(back) = self.back { input type="hidden" name="_volta" value=(back); }
                input type="hidden" name="expected_revision" value=(self.project.revision);
                input type="hidden" name=(KEY_FIELD) value=(random_text::<18>());
                (fields)
                div class="outcome" role="alert" {}
            }
        }
    }
}

/// The operation that a form requests.
pub(super) struct Wanted {
    pub project: String,
    pub kind: String,
    payload: Map<String, Value>,
    revision: Option<Revision>,
}

impl Wanted {
    pub(super) fn from_fields(project: String, fields: &[Field]) -> Self {
        let mut payload = Map::new();
        let mut kind = field_value(fields, "type").to_owned();
        // A button sends `type:id`; a drag sends `type:id:list:place`.
        let short = ["mudar", "mover"].map(|name| field_value(fields, name));
        if let Some(short) = short.into_iter().find(|short| !short.is_empty()) {
            let mut segments = short.split(':');
            kind = segments.next().unwrap_or_default().to_owned();
            let subject = match kind.split('.').next() {
                Some("section") => "section_id",
                _ => "item_id",
            };
            for (name, part) in [subject, "section_id", "position"]
                .into_iter()
                .zip(segments)
            {
                if !part.is_empty() {
                    payload.insert(name.into(), payload_value(name, part));
                }
            }
        }
        for Field { name, value } in fields {
            let (name, is_sent_empty) = match name.strip_suffix('!') {
                Some(name) => (name, true),
                None => (name.as_str(), false),
            };
            if NOT_OF_PAYLOAD.contains(&name)
                || name.starts_with('_')
                || (value.is_empty() && !is_sent_empty)
            {
                continue;
            }
            // The form counts positions from 1, the operation from 0.
            let value = match (name, kind.as_str(), value.parse::<i64>()) {
                ("position", "item.move", Ok(place)) => (place - 1).max(0).into(),
                _ => payload_value(name, value),
            };
            match payload.get_mut(name) {
                Some(Value::Array(values)) => values.push(value),
                _ if name.ends_with("_ids") => {
                    payload.insert(name.into(), json!([value]));
                }
                _ => {
                    payload.insert(name.into(), value);
                }
            }
        }
        if kind == "item.assign" {
            payload
                .entry("assignee_member_ids")
                .or_insert_with(|| json!([]));
        }
        Self {
            project,
            revision: field_value(fields, "expected_revision")
                .parse()
                .ok()
                .map(Revision::new),
            kind,
            payload,
        }
    }

    pub(super) fn to_input(&self) -> Input {
        let mut input = Input::new();
        input.insert("projectId".into(), self.project.clone().into());
        input.insert("type".into(), self.kind.clone().into());
        input.insert("payload".into(), Value::Object(self.payload.clone()));
        if let Some(revision) = self.revision {
            input.insert("expected_revision".into(), revision.into());
        }
        input
    }

    /// Returns the id of the section or item that the operation changes.
    pub(super) fn target_id(&self) -> Option<&str> {
        let id = |name: &str| self.payload.get(name).and_then(Value::as_str);
        id("item_id").or_else(|| id("section_id"))
    }

    /// Draws the fields for a new form. Title and notes can be edited; other fields are hidden.
    pub(super) fn draw_returned_fields(&self) -> Markup {
        let text = |value: &Value| {
            value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned)
        };
        // The returned form also counts positions from 1.
        let shown = |name: &str, value: &Value| match (name, self.kind.as_str(), value.as_i64()) {
            ("position", "item.move", Some(place)) => (place + 1).to_string(),
            _ => text(value),
        };
        html! {
            @for (name, value) in &self.payload {
                @match (name.as_str(), value) {
                    ("title", value) => label class="field" { span { "Título" } input name="title" value=(text(value)) dir="auto"; },
                    ("notes", value) => label class="field" { span { "Notas" } textarea name="notes!" rows="6" dir="auto" { (text(value)) } },
                    (name, Value::Array(values)) => { @for value in values { input type="hidden" name=(name) value=(text(value)); } },
                    (name, value) => input type="hidden" name=(name) value=(shown(name, value));,
                }
            }
        }
    }
}

/// Form fields that do not belong to the payload of the operation.
const NOT_OF_PAYLOAD: [&str; 5] = ["type", "mudar", "mover", "expected_revision", KEY_FIELD];

fn payload_value(name: &str, text: &str) -> Value {
    match (name, text.parse::<i64>()) {
        ("position", Ok(place)) => place.into(),
        _ => text.into(),
    }
}
