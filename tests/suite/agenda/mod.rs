//! The visibility of events, and filters, order and pages of the lists.

mod filters;
mod indexed;
mod pages;
mod people;
mod plans;
mod searching;
mod tools;
mod visibility;

use crate::support::Client;

const NO_EVENT: &str = "0198c0de-0000-7000-8000-000000000000";

/// Returns the titles of the events in a list, in the order of the list.
async fn list_titles(client: &Client, path: &str) -> Vec<String> {
    let body = client.get(path).await.expect(200).body;
    let lists = ["eventos", "tarefas", "pendentes"];
    let list = lists
        .iter()
        .find_map(|name| body[name].as_array())
        .expect("a list");
    list.iter()
        .map(|event| event["title"].as_str().expect("a title").to_owned())
        .collect()
}

/// Returns the path with these query parameters, encoded.
pub fn path_with_query(path: &str, pairs: &[(&str, &str)]) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    format!("{path}?{}", query.extend_pairs(pairs).finish())
}
