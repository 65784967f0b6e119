//! The knowledge base: adding documents on the command line, and searching them.

mod command;
mod documents;
mod doubt;
mod embeddings;
mod hostile;
mod indexing;
mod pdfs;
mod quality;
mod reading;
mod relevance;
mod research;
mod synonyms;
pub mod uploads;

use search::{Document, prepare_for_index};
use serde_json::{Value, json};
use store::knowledge::Kept;
use tools::operator;

use crate::support::{Client, TestApp};

/// Adds a Markdown document. An empty list of tags leaves the tags unset.
pub async fn add_document(app: &TestApp, source: &str, tags: &[&str], markdown: &str) -> Kept {
    let tags = (!tags.is_empty()).then(|| tags.iter().map(ToString::to_string).collect());
    let document = prepare_for_index(source, source, &Document::from_markdown(markdown), tags);
    let document = document.expect("a document with words");
    let added = operator::add_knowledge(&app.app.gateway, document).await;
    added.expect("the document is stored")
}

async fn search_passages(client: &Client, question: &str) -> Value {
    let answer = client
        .post("/api/rag", json!({ "pergunta": question }))
        .await;
    answer.expect(200).body
}

/// Returns the sources of an answer, best first.
fn passage_sources(answer: &Value) -> Vec<&str> {
    let citations = answer["citacoes"].as_array().expect("a list").iter();
    citations
        .map(|c| c["fonte"].as_str().expect("a source"))
        .collect()
}

async fn search_sources(client: &Client, question: &str) -> Vec<String> {
    let answer = search_passages(client, question).await;
    passage_sources(&answer)
        .into_iter()
        .map(str::to_owned)
        .collect()
}

/// Returns a service with the school's documents from the demo.
async fn school_service() -> TestApp {
    let app = TestApp::new().await;
    seed_school(&app).await;
    app
}

async fn seed_school(app: &TestApp) {
    let seeded = pauta::cli::demo::knowledge::seed_documents(&app.app.gateway, app.now()).await;
    seeded.expect("the documents are added");
}
