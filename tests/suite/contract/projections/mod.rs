//! Router, catalog, OpenAPI and tools are four projections of one table.

mod budget;
mod documents;
mod language;
mod routing;
mod rules;
mod schemas;
mod search;

use std::collections::BTreeSet;

use domain::{Level, Role};
use serde_json::Value;

use crate::support::{Client, TestApp};

/// Creates a client that sees every tool.
async fn client_with_every_tool(app: &TestApp) -> Client {
    let member = app.add_member_with(Role::Admin, Level::Admin, true).await;
    app.token_client(&member).await
}

fn name_set(list: &Value) -> BTreeSet<String> {
    let list = list.as_array().expect("a list").iter();
    list.map(|name| name.as_str().expect("text").to_owned())
        .collect()
}

fn parameter_names(object: &Value, place: &str) -> BTreeSet<String> {
    let all = object["parameters"].as_array().into_iter().flatten();
    all.filter(|p| p["in"] == place)
        .map(|p| p["name"].as_str().expect("text").into())
        .collect()
}

fn path_placeholders(path: &str) -> impl Iterator<Item = &str> {
    path.split('/')
        .filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
}

fn visit_schemas(value: &Value, visit: &mut impl FnMut(&Value)) {
    match value {
        Value::Object(map) => {
            visit(value);
            map.values().for_each(|value| visit_schemas(value, visit));
        }
        Value::Array(items) => items.iter().for_each(|value| visit_schemas(value, visit)),
        _ => {}
    }
}
