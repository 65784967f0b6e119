//! The semantic search, tested with a double of the embedding provider.

mod double;
mod failures;
mod keeping_up;

use domain::Role;
use serde_json::{Value, json};
use tools::knowledge::Semantics;

use super::{add_document, passage_sources, quality, search_passages, search_sources, seed_school};
use crate::support::{Client, TestApp};
pub(super) use double::EmbeddingsApi;

/// Creates a service with this provider; returns it with a client of a member who may search.
async fn service_with_embeddings(api: &EmbeddingsApi) -> (TestApp, Client) {
    let app = TestApp::with_settings(api.settings()).await;
    let reader = app.as_member(Role::Criador).await;
    (app, reader)
}

/// Embeds everything that has no vector yet.
async fn embed_all(app: &TestApp) -> gateway::Result<()> {
    let services = &app.app.gateway.services;
    let semantics = services.parts.find::<Semantics>().expect("a provider");
    while !semantics.embed_missing(services, None).await? {}
    Ok(())
}

/// Adds and embeds three documents, and clears the recorded requests.
async fn add_embedded_documents(app: &TestApp, api: &EmbeddingsApi) {
    add_document(app, "oficina.md", &["a"], "O carro precisa de revisão.").await;
    add_document(app, "clinica.md", &["b"], "O médico atende cedo.").await;
    add_document(app, "feira.md", &["b"], "Tomates a granel.").await;
    embed_all(app).await.expect("the texts are embedded");
    api.take_requests();
}

#[tokio::test]
async fn a_passage_without_any_of_the_words_is_found_by_its_meaning() {
    let api = EmbeddingsApi::new().await;
    let (app, reader) = service_with_embeddings(&api).await;
    add_embedded_documents(&app, &api).await;
    let answer = search_passages(&reader, "Qual veículo comprar?").await;
    assert_eq!(passage_sources(&answer), ["oficina.md"]);
    assert_eq!(answer["busca"], "hibrida");
    let citation = &answer["citacoes"][0];
    assert_eq!(citation["trecho"], "O carro precisa de revisão.");
    assert_eq!(citation["pontuacao"], 0.5);
    assert!(answer["contexto"].as_str().expect("text").contains("carro"));
    assert_eq!(api.take_texts(), ["Qual veículo comprar?"]);

    let both = search_passages(&reader, "carro ou automóvel").await;
    assert_eq!(passage_sources(&both), ["oficina.md"]);
    assert_eq!(both["citacoes"][0]["pontuacao"], 1.0);
    let nothing = search_passages(&reader, "astronomia").await;
    assert_eq!(
        (passage_sources(&nothing).len(), &nothing["contexto"]),
        (0, &json!(""))
    );
    assert_eq!(nothing["busca"], "hibrida");
}

#[tokio::test]
async fn rest_and_mcp_give_the_same_answer() {
    let api = EmbeddingsApi::new().await;
    let (app, reader) = service_with_embeddings(&api).await;
    add_embedded_documents(&app, &api).await;
    let input = json!({ "pergunta": "automóvel barato", "limite": 2 });
    let rest = reader
        .post("/api/rag", input.clone())
        .await
        .expect(200)
        .body;
    let tool = reader.call_tool("search_knowledge", input).await;
    assert_eq!(passage_sources(&rest), ["oficina.md"]);
    assert_eq!(tool.structured, rest);
}

#[tokio::test]
async fn tags_filter_the_semantic_search_too() {
    let api = EmbeddingsApi::new().await;
    let (app, reader) = service_with_embeddings(&api).await;
    add_embedded_documents(&app, &api).await;
    for (tag, expected) in [("a", &["oficina.md"][..]), ("b", &[]), ("c", &[])] {
        let input = json!({ "pergunta": "automóvel", "tags": [tag] });
        let answer = reader.post("/api/rag", input).await.expect(200).body;
        assert_eq!(passage_sources(&answer), expected, "{tag}");
    }
}

#[tokio::test]
async fn a_quoted_expression_is_searched_literally() {
    let api = EmbeddingsApi::new().await;
    let (app, reader) = service_with_embeddings(&api).await;
    add_embedded_documents(&app, &api).await;
    for question in ["\"automóvel\"", "o que é isso?", "?!"] {
        let answer = search_passages(&reader, question).await;
        assert!(passage_sources(&answer).is_empty(), "{question}");
        assert_eq!(answer["busca"], "texto");
    }
    assert!(
        api.take_requests().is_empty(),
        "a quoted expression must not be embedded"
    );
}

#[tokio::test]
async fn without_a_provider_only_the_full_text_search_runs() {
    let app = TestApp::new().await;
    let reader = app.as_member(Role::Criador).await;
    add_document(&app, "oficina.md", &[], "O carro precisa de revisão.").await;
    let answer = search_passages(&reader, "carro").await;
    assert_eq!(
        (passage_sources(&answer), &answer["busca"]),
        (vec!["oficina.md"], &json!("texto"))
    );
    assert!(search_sources(&reader, "automóvel").await.is_empty());
}

/// The combined ranking must not be worse than that of the full-text search alone.
#[tokio::test]
async fn both_searches_together_are_as_good_as_the_full_text_search_alone() {
    let api = EmbeddingsApi::new().await;
    let (app, reader) = service_with_embeddings(&api).await;
    seed_school(&app).await;
    embed_all(&app).await.expect("the texts are embedded");
    let quality = quality::measure_quality(&reader).await;
    println!("{quality:?}");
    assert!(quality.recall >= 0.85, "{quality:?}");
    assert!(quality.ndcg >= 0.80, "{quality:?}");
    let first: Value = search_passages(&reader, "pão").await;
    assert_eq!(first["busca"], "hibrida");
}
