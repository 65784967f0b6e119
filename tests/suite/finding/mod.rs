//! The search over all kinds of resources: results, visibility and order.

mod kept;
mod ordered;
mod seen;

use serde_json::{Value, json};

use crate::{
    agenda::path_with_query,
    support::{Client, TestApp},
};

async fn search(client: &Client, q: &str) -> Value {
    search_with(client, &[("q", q)]).await
}

async fn search_with(client: &Client, pairs: &[(&str, &str)]) -> Value {
    let answer = client.get(&path_with_query("/api/busca", pairs)).await;
    answer.expect(200).body["grupos"].clone()
}

/// Returns the titles that a search finds, by kind.
fn titles_by_kind(groups: &Value) -> Vec<(&str, Vec<&str>)> {
    let groups = groups.as_array().expect("groups").iter();
    groups
        .map(|group| {
            let kind = group["tipo"].as_str().expect("a kind");
            let found = group["resultados"].as_array().expect("results").iter();
            (
                kind,
                found.filter_map(|one| one["titulo"].as_str()).collect(),
            )
        })
        .collect()
}

async fn search_titles(client: &Client, q: &str) -> Vec<String> {
    let groups = search(client, q).await;
    let titles = titles_by_kind(&groups)
        .into_iter()
        .flat_map(|(_, titles)| titles);
    titles.map(str::to_owned).collect()
}

/// Returns an excerpt with its matching words in brackets.
fn bracket_matches(excerpt: &Value) -> String {
    let parts = excerpt.as_array().expect("parts").iter();
    let parts = parts.map(|part| {
        let text = part["texto"].as_str().expect("a text");
        match part["achado"] == true {
            true => format!("[{text}]"),
            false => text.to_owned(),
        }
    });
    parts.collect()
}

/// Runs the job that indexes texts.
async fn run_jobs(app: &TestApp) {
    app.advance_clock(61_000);
    app.app.worker().drain().await.expect("the jobs run");
}

async fn put_draft(client: &Client, id: &str, html: &str, metadata: Value) -> Value {
    let draft = json!({ "html": html, "metadata": metadata, "expected_updated_at": null });
    let put = client.put(&format!("/api/email-drafts/{id}"), draft).await;
    put.expect(200).body["draft"]["updated_at"].clone()
}
