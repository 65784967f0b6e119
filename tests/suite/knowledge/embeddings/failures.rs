//! If the provider refuses, hangs or returns nonsense, an answer lacks the semantic search and is
//! still given.

use std::{future::pending, time::Duration};

use axum::{body::Body, response::Response};
use domain::Role;
use gateway::Code;
use serde_json::json;

use super::{
    super::{add, ask, found, sources},
    double::{EmbeddingsApi, embedded},
    garage, keep_up,
};
use crate::support::{
    Log, TestApp, log_to,
    openai::{KEY, refused},
};

fn says(body: &'static str) -> Response {
    Response::new(Body::from(body))
}

type Failure = fn() -> Response;

/// Each kind of failure.
fn failures() -> Vec<(&'static str, Failure)> {
    vec![
        ("key", || {
            refused(401, "invalid_request_error", "invalid_api_key")
        }),
        ("quota", || {
            refused(429, "insufficient_quota", "insufficient_quota")
        }),
        ("fault", || refused(503, "server_error", "server_error")),
        ("page", || says("<html>")),
        ("none", || says(r#"{"object": "list", "data": []}"#)),
        ("null", || {
            says(r#"{"data": [{"index": 0, "embedding": [null]}]}"#)
        }),
        ("stranger", || {
            says(r#"{"data": [{"index": 7, "embedding": [1]}]}"#)
        }),
        ("zero", || {
            says(r#"{"data": [{"index": 0, "embedding": [0, 0]}]}"#)
        }),
    ]
}

#[tokio::test]
async fn a_question_is_answered_by_its_words() {
    for (name, failure) in failures() {
        let api = EmbeddingsApi::new().await;
        let (app, reader) = super::desk(&api).await;
        garage(&app, &api).await;
        let log = Log::default();
        let subscriber = tracing_subscriber::fmt().with_writer(log.clone()).finish();
        let logging = log_to(subscriber);
        api.answers(move |_| async move { Some(failure()) });
        let answer = ask(&reader, "carro").await;
        assert_eq!(sources(&answer), ["oficina.md"], "{name}");
        assert_eq!(answer["busca"], "texto", "{name}");
        assert_eq!(api.asked().len(), 1, "{name}");
        ask(&reader, "carro").await;
        assert!(
            api.asked().is_empty(),
            "{name}: it is left alone for a while"
        );
        drop(logging);
        let logged = log.text();
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
async fn a_question_does_not_wait_for_long() {
    let api = EmbeddingsApi::new().await;
    let settings = api.settings_with("PAUTA_EMBEDDING_TIMEOUT", "1");
    let app = TestApp::with_settings(settings).await;
    let reader = app.as_member(Role::Criador).await;
    garage(&app, &api).await;
    api.answers(|_| pending());
    let asked = tokio::time::timeout(Duration::from_secs(15), ask(&reader, "carro")).await;
    let answer = asked.expect("an answer");
    assert_eq!(
        (sources(&answer), &answer["busca"]),
        (vec!["oficina.md"], &json!("texto"))
    );
}

#[tokio::test]
async fn keeping_up_stops_and_goes_on_where_it_stopped() {
    for (name, failure) in failures() {
        let api = EmbeddingsApi::new().await;
        let (app, reader) = super::desk(&api).await;
        garage(&app, &api).await;
        add(&app, "posto.md", &[], "Um automóvel no posto.").await;
        api.answers(move |_| async move { Some(failure()) });
        let error = keep_up(&app).await.expect_err(name);
        assert_eq!(error.code, Code::PROVIDER_FAILED, "{name}");
        assert_eq!(app.count("knowledge_vectors").await, 3, "{name}");
        api.answers(|_| async { None });
        keep_up(&app).await.expect(name);
        let mut found = found(&reader, "veículo").await;
        found.sort();
        assert_eq!(found, ["oficina.md", "posto.md"], "{name}");
    }
}

#[tokio::test]
async fn a_limit_says_how_long_to_wait() {
    let api = EmbeddingsApi::new().await;
    let (app, _) = super::desk(&api).await;
    add(&app, "posto.md", &[], "Um automóvel no posto.").await;
    api.answers(|_| async {
        let mut response = refused(429, "requests", "rate_limit_exceeded");
        response.headers_mut().insert("retry-after", 7.into());
        Some(response)
    });
    let error = keep_up(&app).await.expect_err("too many");
    assert_eq!(error.wait(), Some(7));
}

/// A text that the model refuses is skipped, and not sent again.
#[tokio::test]
async fn one_text_that_is_refused_does_not_hold_up_the_others() {
    let api = EmbeddingsApi::new().await;
    let (app, reader) = super::desk(&api).await;
    api.answers(|asked| async move {
        let odd = asked.texts.iter().any(|text| text.contains("indizível"));
        odd.then(|| refused(400, "invalid_request_error", "invalid_value"))
    });
    for n in 0..10 {
        add(
            &app,
            &format!("{n}.md"),
            &[],
            &format!("O carro número{n}."),
        )
        .await;
    }
    add(&app, "odd.md", &[], "Coisa indizível.").await;
    keep_up(&app).await.expect("keeps up");
    assert_eq!(found(&reader, "automóvel").await.len(), 6);
    assert_eq!(app.count("knowledge_vectors WHERE vector = ''").await, 1);
    assert_eq!(
        found(&reader, "indizível").await,
        ["odd.md"],
        "by its words"
    );
    api.asked();
    add(&app, "novo.md", &[], "Outro assunto.").await;
    keep_up(&app).await.expect("keeps up");
    assert_eq!(api.texts().len(), 1);
}

/// If the model refuses every text, a setting is wrong, and no text is marked as refused.
#[tokio::test]
async fn a_wrong_setting_condemns_no_text() {
    let api = EmbeddingsApi::new().await;
    for (name, value) in [
        ("PAUTA_OPENAI_EMBEDDING_MODEL", "text-embedding-9"),
        ("PAUTA_OPENAI_EMBEDDING_DIMENSIONS", "4096"),
        ("PAUTA_OPENAI_API_KEY", "sk-errada"),
    ] {
        let app = TestApp::with_settings(api.settings_with(name, value)).await;
        add(&app, "oficina.md", &[], "O carro precisa de revisão.").await;
        let error = keep_up(&app).await.expect_err(name);
        assert_eq!(error.code, Code::PROVIDER_FAILED, "{name}");
        assert_eq!(app.count("knowledge_vectors").await, 0, "{name}");
    }
    assert_eq!(api.refused(), 3);
}

/// The same in a running service: the account begins to refuse every request.
#[tokio::test]
async fn an_account_that_refuses_everything_condemns_no_text() {
    let api = EmbeddingsApi::new().await;
    let (app, reader) = super::desk(&api).await;
    garage(&app, &api).await;
    add(&app, "posto.md", &[], "Um automóvel no posto.").await;
    api.answers(|_| async {
        Some(refused(
            400,
            "billing_hard_limit_reached",
            "billing_hard_limit_reached",
        ))
    });
    let error = keep_up(&app).await.expect_err("refused");
    assert!(error.message().contains("embeddings"), "{error}");
    assert_eq!(app.count("knowledge_vectors").await, 3);
    api.answers(|_| async { None });
    keep_up(&app).await.expect("keeps up");
    assert_eq!(found(&reader, "veículo").await.len(), 2);
}

/// If the model changes under the same name, the service notices, and stores none of its vectors.
#[tokio::test]
async fn vectors_of_another_length_are_not_kept() {
    let api = EmbeddingsApi::new().await;
    let (app, reader) = super::desk(&api).await;
    garage(&app, &api).await;
    add(&app, "posto.md", &[], "Um automóvel no posto.").await;
    api.answers(|asked| async move { Some(embedded(&asked, 64)) });
    let error = keep_up(&app).await.expect_err("changed");
    assert!(error.message().contains("reinicie"), "{error}");
    assert_eq!(app.count("knowledge_vectors").await, 3);
    assert_eq!(found(&reader, "carro").await, ["oficina.md"]);
}
