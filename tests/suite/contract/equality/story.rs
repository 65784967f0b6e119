//! Stories: sequences of calls, and the services that they run on.

use std::collections::BTreeMap;

use domain::{Level, Role};
use futures::future::BoxFuture;
use serde_json::{Value, json};

use crate::{
    contract::UNKNOWN_ID,
    support::{Client, TestApp},
};

/// The calls about one area.
pub(super) struct Story {
    pub(super) prepare: for<'a> fn(&'a mut Side) -> BoxFuture<'a, ()>,
    pub(super) steps: Vec<Step>,
}

/// A call that succeeds, and the refusals that can be derived from it.
pub(super) struct Step {
    pub(super) tool: &'static str,
    pub(super) arguments: Box<dyn Fn(&Side) -> Value>,
    /// The field with an id that must exist.
    pub(super) id: Option<&'static str>,
    /// The field for a name that the client chooses, and whether the named resource must exist.
    pub(super) name: Option<(&'static str, bool)>,
    /// The revision field, and a stale value for it.
    pub(super) stale: Option<(&'static str, Value)>,
    /// A field and another value for it. With this value, the same idempotency key is used for a
    /// different request.
    pub(super) other: Option<(&'static str, Value)>,
    /// The parts of the response that later steps use: a name and the JSON pointer of each.
    pub(super) keeps: Vec<(&'static str, &'static str)>,
}

impl Step {
    pub(super) fn for_tool(
        tool: &'static str,
        arguments: impl Fn(&Side) -> Value + 'static,
    ) -> Self {
        Self {
            tool,
            arguments: Box::new(arguments),
            id: None,
            name: None,
            stale: None,
            other: None,
            keeps: vec![],
        }
    }

    pub(super) fn with_id(self, field: &'static str) -> Self {
        Self {
            id: Some(field),
            ..self
        }
    }

    pub(super) fn with_name(self, field: &'static str, must_exist: bool) -> Self {
        Self {
            name: Some((field, must_exist)),
            ..self
        }
    }

    pub(super) fn with_stale_revision(self, field: &'static str, value: Value) -> Self {
        Self {
            stale: Some((field, value)),
            ..self
        }
    }

    pub(super) fn with_other_value(self, field: &'static str, value: Value) -> Self {
        Self {
            other: Some((field, value)),
            ..self
        }
    }

    pub(super) fn keep_value(mut self, name: &'static str, pointer: &'static str) -> Self {
        self.keeps.push((name, pointer));
        self
    }
}

/// One of the two compared services, with the values that its steps have stored for later steps.
pub(super) struct Side {
    pub(super) app: TestApp,
    pub(super) client: Client,
    /// Fixture names that differ between the services, each with a common replacement.
    pub(super) names: Vec<(String, String)>,
    pub(super) kept: BTreeMap<&'static str, Value>,
}

impl Side {
    pub(super) async fn new(story: &Story) -> Self {
        let app = TestApp::new().await;
        let member = app.add_member_with(Role::Admin, Level::Admin, true).await;
        let client = app.token_client(&member).await;
        let names = vec![(member.name, "Quem chama".into())];
        let kept = BTreeMap::from([("me", json!(member.id))]);
        let mut side = Self {
            app,
            client,
            names,
            kept,
        };
        (story.prepare)(&mut side).await;
        side
    }

    /// Replaces the values in a body that differ between the two services: ids, fixture names,
    /// cursors.
    pub(super) fn normalise_body(&self, body: &Value) -> Value {
        let mut text = body.to_string();
        for (name, common) in &self.names {
            text = text.replace(name, common);
        }
        let mut body = serde_json::from_str(&number_ids(&text)).expect("still JSON");
        remove_signatures(&mut body);
        remove_cursors(&mut body);
        clear_buyer_ids(&mut body);
        body
    }
}

impl std::ops::Index<&str> for Side {
    type Output = Value;

    fn index(&self, name: &str) -> &Value {
        self.kept
            .get(name)
            .unwrap_or_else(|| panic!("no earlier step stored {name}"))
    }
}

/// Clears the ids of buyers, which are derived from a secret key of the database.
fn clear_buyer_ids(body: &mut Value) {
    let buyers = body.get_mut("compradores").and_then(Value::as_array_mut);
    for buyer in buyers.into_iter().flatten() {
        if let Some(id) = buyer.get_mut("comprador") {
            *id = Value::Null;
        }
    }
}

/// Removes the signatures of links. A signature covers an id, and ids differ between the services.
pub(super) fn remove_signatures(body: &mut Value) {
    match body {
        Value::String(text) => {
            if let Some((link, _)) = text.split_once("sig=1.") {
                *text = link.to_owned();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(remove_signatures),
        Value::Object(map) => map.values_mut().for_each(remove_signatures),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Replaces every id by its position among the ids of the text.
fn number_ids(text: &str) -> String {
    let mut seen: Vec<&str> = vec![];
    let mut result = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let id = rest
            .get(..36)
            .filter(|id| domain::EventId::from(*id).as_str() == *id);
        if let Some(id) = id {
            let place = seen
                .iter()
                .position(|other| *other == id)
                .unwrap_or_else(|| {
                    seen.push(id);
                    seen.len() - 1
                });
            result.push_str(&format!("id-{place}"));
            rest = &rest[36..];
        } else {
            result.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    result
}

pub(super) fn remove_cursors(value: &mut Value) {
    match value {
        Value::Object(map) => {
            for (field, value) in map {
                if field == "next_cursor" && value.is_string() {
                    *value = json!("…");
                }
                remove_cursors(value);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(remove_cursors),
        _ => {}
    }
}

#[test]
fn ids_are_numbered_by_their_first_appearance() {
    let (a, b) = (UNKNOWN_ID, "0198c0de-0000-7000-8000-00000000000b");
    assert_eq!(number_ids(&format!("é{a}, {b}/{a}")), "éid-0, id-1/id-0");
}
