//! If the provider refuses, hangs or returns invalid responses, questions are answered by the
//! full-text search alone.

use std::{future::pending, time::Duration};

use axum::{body::Body, response::Response};
use domain::Role;
use gateway::Code;
use serde_json::json;

use super::{
    super::{add_document, passage_sources, search_passages, search_sources},
    add_embedded_documents,
    double::{EmbeddingsApi, embeddings_response},
    embed_all,
};
use crate::support::{
    Log, TestApp, log_to,
    openai::{KEY, error_response},
};

fn response_with(body: &'static str) -> Response {
    Response::new(Body::from(body))
}

type Failure = fn() -> Response;

/// Responses of each kind of failure, each with the name of the kind.
fn failing_responses() -> Vec<(&'static str, Failure)> {
    vec![
        ("key", || {
            error_response(401, "invalid_request_error", "invalid_api_key")
        }),
        ("quota", || {
            error_response(429, "insufficient_quota", "insufficient_quota")
        }),
        ("fault", || {
            error_response(503, "server_error", "server_error")
        }),
        ("page", || response_with("<html>")),
        ("none", || {
            response_with(r#"{"object": "list", "data": []}"#)
        }),
        ("null", || {
            response_with(r#"{"data": [{"index": 0, "embedding": [null]}]}"#)
        }),
        ("stranger", || {
            response_with(r#"{"data": [{"index": 7, "embedding": [1]}]}"#)
        }),
        ("zero", || {
            response_with(r#"{"data": [{"index": 0, "embedding": [0, 0]}]}"#)
        }),
    ]
}

#[tokio::test]
async fn a_failing_provider_leaves_the_full_text_search() {
    for (name, failure) in failing_responses() {
        let api = EmbeddingsApi::new().await;
        let (app, reader) = super::service_with_embeddings(&api).await;
        add_embedded_documents(&app, &api).await;
        let log = Log::default();
        let subscriber = tracing_subscriber::fmt().with_writer(log.clone()).finish();
        let logging = log_to(subscriber);
        api.set_handler(move |_| async move { Some(failure()) });
        let answer = search_passages(&reader, "carro").await;
        assert_eq!(passage_sources(&answer), ["oficina.md"], "{name}");
        assert_eq!(answer["busca"], "texto", "{name}");
        assert_eq!(api.take_requests().len(), 1, "{name}");
        search_passages(&reader, "carro").await;
        assert!(
            api.take_requests().is_empty(),
            "{name}: a failed provider must not be called again at once"
        );
        drop(logging);
        let logged = log.captured_text();
        assert!(
            logged.contains("respondidas sem embeddings"),
            "{name}: {logged}"
        );
        assert!(
            !logged.contains(KEY) && !logged.contains("carro"),
            "{logged}"
        );
    }
}

#[tokio::test]
async fn a_question_waits_only_briefly_for_the_provider() {
    let api = EmbeddingsApi::new().await;
    let settings = api.settings_with("PAUTA_EMBEDDING_TIMEOUT", "1");
    let app = TestApp::with_settings(settings).await;
    let reader = app.as_member(Role::Criador).await;
    add_embedded_documents(&app, &api).await;
    api.set_handler(|_| pending());
    let asked =
        tokio::time::timeout(Duration::from_secs(15), search_passages(&reader, "carro")).await;
    let answer = asked.expect("an answer");
    assert_eq!(
        (passage_sources(&answer), &answer["busca"]),
        (vec!["oficina.md"], &json!("texto"))
    );
}

#[tokio::test]
async fn embedding_stops_at_a_failure_and_continues_where_it_stopped() {
    for (name, failure) in failing_responses() {
        let api = EmbeddingsApi::new().await;
        let (app, reader) = super::service_with_embeddings(&api).await;
        add_embedded_documents(&app, &api).await;
        add_document(&app, "posto.md", &[], "Um automóvel no posto.").await;
        api.set_handler(move |_| async move { Some(failure()) });
        let error = embed_all(&app).await.expect_err(name);
        assert_eq!(error.code, Code::PROVIDER_FAILED, "{name}");
        assert_eq!(app.count_rows("knowledge_vectors").await, 3, "{name}");
        api.set_handler(|_| async { None });
        embed_all(&app).await.expect(name);
        let mut found = search_sources(&reader, "veículo").await;
        found.sort();
        assert_eq!(found, ["oficina.md", "posto.md"], "{name}");
    }
}

#[tokio::test]
async fn a_rate_limit_sets_the_time_of_the_next_attempt() {
    let api = EmbeddingsApi::new().await;
    let (app, _) = super::service_with_embeddings(&api).await;
    add_document(&app, "posto.md", &[], "Um automóvel no posto.").await;
    api.set_handler(|_| async {
        let mut response = error_response(429, "requests", "rate_limit_exceeded");
        response.headers_mut().insert("retry-after", 7.into());
        Some(response)
    });
    let error = embed_all(&app).await.expect_err("a rate limit");
    assert_eq!(error.retry_after_seconds(), Some(7));
}

/// A text that the model refuses is marked as refused and not sent again.
#[tokio::test]
async fn one_refused_text_does_not_block_the_others() {
    let api = EmbeddingsApi::new().await;
    let (app, reader) = super::service_with_embeddings(&api).await;
    api.set_handler(|asked| async move {
        let odd = asked.texts.iter().any(|text| text.contains("indizível"));
        odd.then(|| error_response(400, "invalid_request_error", "invalid_value"))
    });
    for n in 0..10 {
        add_document(
            &app,
            &format!("{n}.md"),
            &[],
            &format!("O carro número{n}."),
        )
        .await;
    }
    add_document(&app, "odd.md", &[], "Coisa indizível.").await;
    embed_all(&app).await.expect("the texts are embedded");
    assert_eq!(search_sources(&reader, "automóvel").await.len(), 6);
    assert_eq!(
        app.count_rows("knowledge_vectors WHERE vector = ''").await,
        1
    );
    assert_eq!(
        search_sources(&reader, "indizível").await,
        ["odd.md"],
        "the refused text must be found by its words"
    );
    api.take_requests();
    add_document(&app, "novo.md", &[], "Outro assunto.").await;
    embed_all(&app).await.expect("the texts are embedded");
    assert_eq!(api.take_texts().len(), 1);
}

/// If the model refuses every text, a setting is wrong, and no text is marked as refused.
#[tokio::test]
async fn a_wrong_setting_marks_no_text_as_refused() {
    let api = EmbeddingsApi::new().await;
    for (name, value) in [
        ("PAUTA_OPENAI_EMBEDDING_MODEL", "text-embedding-9"),
        ("PAUTA_OPENAI_EMBEDDING_DIMENSIONS", "4096"),
        ("PAUTA_OPENAI_API_KEY", "sk-errada"),
    ] {
        let app = TestApp::with_settings(api.settings_with(name, value)).await;
        add_document(&app, "oficina.md", &[], "O carro precisa de revisão.").await;
        let error = embed_all(&app).await.expect_err(name);
        assert_eq!(error.code, Code::PROVIDER_FAILED, "{name}");
        assert_eq!(app.count_rows("knowledge_vectors").await, 0, "{name}");
    }
    assert_eq!(api.refused_requests(), 3);
}

/// The provider starts to refuse every request of the account, for example at its billing limit.
#[tokio::test]
async fn an_account_that_refuses_everything_marks_no_text_as_refused() {
    let api = EmbeddingsApi::new().await;
    let (app, reader) = super::service_with_embeddings(&api).await;
    add_embedded_documents(&app, &api).await;
    add_document(&app, "posto.md", &[], "Um automóvel no posto.").await;
    api.set_handler(|_| async {
        Some(error_response(
            400,
            "billing_hard_limit_reached",
            "billing_hard_limit_reached",
        ))
    });
    let error = embed_all(&app).await.expect_err("refused");
    assert!(error.message().contains("embeddings"), "{error}");
    assert_eq!(app.count_rows("knowledge_vectors").await, 3);
    api.set_handler(|_| async { None });
    embed_all(&app).await.expect("the texts are embedded");
    assert_eq!(search_sources(&reader, "veículo").await.len(), 2);
}

/// Vectors of another length show that the model behind the same name has changed; they are not
/// stored.
#[tokio::test]
async fn vectors_of_another_length_are_not_stored() {
    let api = EmbeddingsApi::new().await;
    let (app, reader) = super::service_with_embeddings(&api).await;
    add_embedded_documents(&app, &api).await;
    add_document(&app, "posto.md", &[], "Um automóvel no posto.").await;
    api.set_handler(|asked| async move { Some(embeddings_response(&asked, 64)) });
    let error = embed_all(&app).await.expect_err("another vector length");
    assert!(error.message().contains("reinicie"), "{error}");
    assert_eq!(app.count_rows("knowledge_vectors").await, 3);
    assert_eq!(search_sources(&reader, "carro").await, ["oficina.md"]);
}
