//! Embedding in the background: every content is embedded once, even on several instances.

use std::{sync::Arc, time::Duration};

use domain::{
    Role,
    time::{DAY, MINUTE},
};
use futures::future::pending;
use pauta::app::SystemClock;
use ports::Clock;
use serde_json::json;
use store::knowledge::vectors;
use tokio::sync::Semaphore;
use tools::{knowledge::Semantics, operator};

use super::{
    super::{add_document, command::run_knowledge_with, search_sources},
    add_embedded_documents,
    double::EmbeddingsApi,
    embed_all,
};
use crate::support::{Server, TestApp, exchange_request, http_request, openai::error_response};

async fn sweep_vectors(app: &TestApp) {
    let services = &app.app.gateway.services;
    let semantics = services.parts.find::<Semantics>().expect("a provider");
    let profile = semantics
        .embedding_profile()
        .await
        .expect("the model answers");
    let tx = services.db.begin().await.expect("begins");
    let swept = vectors::delete_unused_vectors(&tx.conn(), Some(&profile), app.now()).await;
    swept.expect("sweeps");
    tx.commit().await.expect("commits");
}

async fn drain_jobs(app: &TestApp) {
    app.app.worker().drain().await.expect("the jobs run");
}

#[tokio::test]
async fn only_changed_texts_are_embedded_again() {
    let api = EmbeddingsApi::new().await;
    let (app, reader) = super::service_with_embeddings(&api).await;
    add_embedded_documents(&app, &api).await;
    embed_all(&app).await.expect("the texts are embedded");
    assert!(
        api.take_requests().is_empty(),
        "unchanged texts must not be embedded again"
    );

    add_document(
        &app,
        "copia.txt",
        &[],
        "O carro precisa de revisão.\n\nE de óleo.",
    )
    .await;
    add_document(&app, "feira.md", &["b"], "O carro da feira.").await;
    embed_all(&app).await.expect("the texts are embedded");
    let texts = api.take_texts();
    assert_eq!(texts.len(), 2, "{texts:?}");
    let mut sources = search_sources(&reader, "automóvel").await;
    sources.sort();
    assert_eq!(sources, ["copia.txt", "feira.md", "oficina.md"]);

    // The vector of a removed text stays until the sweep, so a text that is added again before the
    // sweep is not embedded again.
    api.take_requests();
    add_document(&app, "feira.md", &["b"], "Tomates a granel.").await;
    embed_all(&app).await.expect("the texts are embedded");
    assert!(api.take_requests().is_empty());
    assert_eq!(app.count_rows("knowledge_vectors").await, 5);
    sweep_vectors(&app).await;
    assert_eq!(app.count_rows("knowledge_vectors").await, 4);
}

#[tokio::test]
async fn a_removed_text_is_not_found_by_its_vector() {
    let api = EmbeddingsApi::new().await;
    let (app, reader) = super::service_with_embeddings(&api).await;
    add_embedded_documents(&app, &api).await;
    let listed = operator::list_knowledge(&app.app.gateway)
        .await
        .expect("a list");
    let garage = listed
        .iter()
        .find(|d| d.source == "oficina.md")
        .expect("the document is listed");
    let removed = operator::remove_knowledge(&app.app.gateway, &garage.id).await;
    removed.expect("the document is removed");
    assert!(search_sources(&reader, "automóvel").await.is_empty());
    embed_all(&app).await.expect("the texts are embedded");
    sweep_vectors(&app).await;
    assert_eq!(app.count_rows("knowledge_vectors").await, 2);
    assert!(search_sources(&reader, "automóvel").await.is_empty());
}

#[tokio::test]
async fn many_passages_are_embedded_in_batches() {
    let api = EmbeddingsApi::new().await;
    let (app, reader) = super::service_with_embeddings(&api).await;
    for n in 0..70 {
        add_document(
            &app,
            &format!("{n}.md"),
            &[],
            &format!("Assunto{n} e carro{n}."),
        )
        .await;
    }
    embed_all(&app).await.expect("the texts are embedded");
    let sizes: Vec<usize> = api
        .take_requests()
        .iter()
        .map(|asked| asked.texts.len())
        .collect();
    assert_eq!(
        sizes,
        [1, 64, 6],
        "a plain word must be embedded first, then the batches"
    );
    assert_eq!(app.count_rows("knowledge_vectors").await, 70);
    assert_eq!(search_sources(&reader, "assunto7").await[0], "7.md");
}

/// Changing the model or the vector length embeds everything again in the background. The old
/// vectors stay for a day, for instances that still use them.
#[tokio::test]
async fn another_model_embeds_the_whole_base_again() {
    let api = EmbeddingsApi::new().await;
    let (app, _) = super::service_with_embeddings(&api).await;
    add_embedded_documents(&app, &api).await;
    let large = ("PAUTA_OPENAI_EMBEDDING_MODEL", "text-embedding-3-large");
    let short = ("PAUTA_OPENAI_EMBEDDING_DIMENSIONS", "256");
    for (changed, dimensions) in [(vec![large], 3_072), (vec![large, short], 256)] {
        let mut settings = api.settings();
        settings.extend(
            changed
                .iter()
                .map(|(name, value)| (*name, (*value).to_owned())),
        );
        let next = app.second_instance_with(settings).await;
        let reader = next.as_member(Role::Criador).await;
        assert!(
            search_sources(&reader, "automóvel").await.is_empty(),
            "the new model must have no vectors yet"
        );
        assert_eq!(
            search_sources(&reader, "revisão").await,
            ["oficina.md"],
            "the full-text search must still find the text"
        );
        embed_all(&next).await.expect("the texts are embedded");
        assert_eq!(search_sources(&reader, "automóvel").await, ["oficina.md"]);
        let kept = format!("knowledge_vectors WHERE dimensions = {dimensions}");
        assert_eq!(app.count_rows(&kept).await, 3);
        sweep_vectors(&next).await;
        assert_eq!(
            app.count_rows("knowledge_vectors").await,
            6,
            "the vectors of the old model must stay"
        );
        next.advance_clock(DAY);
        sweep_vectors(&next).await;
        assert_eq!(app.count_rows("knowledge_vectors").await, 3);
    }
}

/// During a rolling update, the sweep of an old instance does not delete the vectors of the new
/// model.
#[tokio::test]
async fn an_instance_with_the_old_model_does_not_sweep_vectors_of_the_new_one() {
    let api = EmbeddingsApi::new().await;
    let (app, _) = super::service_with_embeddings(&api).await;
    add_embedded_documents(&app, &api).await;
    app.advance_clock(2 * DAY);
    let large = api.settings_with("PAUTA_OPENAI_EMBEDDING_MODEL", "text-embedding-3-large");
    let next = app.second_instance_with(large).await;
    embed_all(&next).await.expect("the texts are embedded");
    sweep_vectors(&app).await;
    assert_eq!(app.count_rows("knowledge_vectors").await, 6);
}

/// The write that adds a document enqueues the job; no task polls for new texts.
#[tokio::test]
async fn a_job_embeds_added_texts() {
    let api = EmbeddingsApi::new().await;
    let (app, reader) = super::service_with_embeddings(&api).await;
    add_document(&app, "oficina.md", &[], "O carro precisa de revisão.").await;
    let admin = app.as_member(Role::Admin).await;
    let skill = json!({ "name": "frota", "description": "Frota", "content": "Um automóvel." });
    admin.post("/api/skills", skill).await.expect(201);
    let queued = "jobs WHERE name = 'embed_knowledge'";
    assert_eq!(
        app.count_rows(queued).await,
        1,
        "both changes must share one job"
    );
    drain_jobs(&app).await;
    assert_eq!(app.count_rows(queued).await, 0);
    let mut sources = search_sources(&reader, "veículo").await;
    sources.sort();
    assert_eq!(sources, ["oficina.md", "skill:frota"]);
    add_document(&app, "oficina.md", &[], "O carro precisa de revisão.").await;
    assert_eq!(
        app.count_rows(queued).await,
        0,
        "an unchanged document must enqueue no job"
    );
}

#[tokio::test]
async fn without_a_provider_no_job_is_enqueued() {
    let app = TestApp::new().await;
    add_document(&app, "oficina.md", &[], "O carro precisa de revisão.").await;
    assert_eq!(app.count_rows("jobs").await, 0);
}

#[tokio::test]
async fn a_failed_request_to_the_provider_is_repeated_later() {
    let api = EmbeddingsApi::new().await;
    let (app, _) = super::service_with_embeddings(&api).await;
    add_document(&app, "oficina.md", &[], "O carro precisa de revisão.").await;
    api.set_handler(|_| async {
        let mut response = error_response(429, "requests", "rate_limit_exceeded");
        response.headers_mut().insert("retry-after", 90.into());
        Some(response)
    });
    drain_jobs(&app).await;
    let waits = format!("jobs WHERE due_at = {}", app.now() + 90_000);
    assert_eq!(app.count_rows(&waits).await, 1);
    api.set_handler(|_| async { None });
    api.take_requests();
    app.advance_clock(89_999);
    drain_jobs(&app).await;
    assert!(api.take_requests().is_empty());
    app.advance_clock(1);
    drain_jobs(&app).await;
    assert_eq!(app.count_rows("knowledge_vectors").await, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_of_two_instances_embeds_a_text_and_both_find_it() {
    let api = EmbeddingsApi::new().await;
    let (app, reader) = super::service_with_embeddings(&api).await;
    let other = app.second_instance().await;
    let other_reader = other.as_member(Role::Criador).await;
    add_embedded_documents(&app, &api).await;
    add_document(&app, "posto.md", &[], "Um posto de gasolina.").await;
    tokio::join!(drain_jobs(&app), drain_jobs(&other));
    let texts = api.take_texts();
    let of_the_post = texts.iter().filter(|text| text.contains("gasolina"));
    assert_eq!(of_the_post.count(), 1, "{texts:?}");
    for reader in [reader, other_reader] {
        assert_eq!(search_sources(&reader, "automóvel").await, ["oficina.md"]);
    }
}

/// A process without a provider enqueues no job. The next search on another instance enqueues the
/// job instead.
#[tokio::test]
async fn the_next_question_notices_texts_that_another_process_added() {
    let api = EmbeddingsApi::new().await;
    let (app, reader) = super::service_with_embeddings(&api).await;
    add_embedded_documents(&app, &api).await;
    drain_jobs(&app).await;
    let beside = app.second_instance_with(vec![]).await;
    add_document(&beside, "frota.md", &[], "Um automóvel da frota.").await;
    assert_eq!(search_sources(&reader, "veículo").await, ["oficina.md"]);
    drain_jobs(&app).await;
    let mut sources = search_sources(&reader, "veículo").await;
    sources.sort();
    assert_eq!(sources, ["frota.md", "oficina.md"]);
}

/// After the lease of a dead instance has expired, another instance takes over its job.
#[tokio::test]
async fn interrupted_embedding_continues_after_its_lease() {
    let api = EmbeddingsApi::new().await;
    let (app, reader) = super::service_with_embeddings(&api).await;
    let other = app.second_instance().await;
    add_document(&app, "oficina.md", &[], "O carro precisa de revisão.").await;
    api.set_handler(|_| pending());
    let mut worker = app.app.worker();
    worker.run_turn().await.expect("a turn");
    drop(worker);
    api.set_handler(|_| async { None });
    drain_jobs(&other).await;
    assert_eq!(app.count_rows("knowledge_vectors").await, 0);
    app.advance_clock(MINUTE + 1);
    drain_jobs(&other).await;
    assert_eq!(search_sources(&reader, "automóvel").await, ["oficina.md"]);
}

async fn wait_for_vectors(app: &TestApp, vectors: i64) {
    let embedded = async {
        while app.count_rows("knowledge_vectors").await < vectors {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    let waited = tokio::time::timeout(Duration::from_secs(30), embedded).await;
    waited.expect("the text is embedded in time");
}

/// The real server embeds the texts that exist at its start and those that are published later.
/// `pauta knowledge add` embeds the file that it adds.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_running_service_embeds_new_texts() {
    let api = EmbeddingsApi::new().await;
    let app = TestApp::new().await;
    app.advance_clock(SystemClock.now() - app.now());
    let member = app.add_member(Role::Admin).await;
    let token = app.token_client(&member).await.credential().to_owned();
    add_document(&app, "oficina.md", &[], "O carro precisa de revisão.").await;
    let directory = tempfile::tempdir().expect("a directory");
    let server = Server::start(app.database_url(), directory.path(), &api.settings());
    wait_for_vectors(&app, 1).await;
    let skill = json!({ "name": "frota", "description": "Frota", "content": "Um automóvel." });
    let published = http_request("POST", "/api/skills", &token, "", &skill.to_string());
    let published = exchange_request(&server.address, &published).expect("an answer");
    assert_eq!(published.status, 201, "{}", published.text);
    wait_for_vectors(&app, 2).await;
    std::fs::write(directory.path().join("feira.md"), "Tomates a granel.").expect("writes");
    let added = run_knowledge_with(
        &app,
        directory.path(),
        &["add", "feira.md"],
        &api.settings(),
    );
    assert!(added.status.success());
    wait_for_vectors(&app, 3).await;
}

/// The server is killed while the provider works. After the lease, the next process takes over the
/// job.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_service_continues_to_embed_after_its_restart() {
    let api = EmbeddingsApi::new().await;
    let app = TestApp::new().await;
    add_document(&app, "oficina.md", &[], "O carro precisa de revisão.").await;
    let directory = tempfile::tempdir().expect("a directory");
    let start = || Server::start(app.database_url(), directory.path(), &api.settings());
    api.set_handler(|asked| async move {
        if asked.texts != ["pauta"] {
            pending::<()>().await;
        }
        None
    });
    let mut server = start();
    while api.take_texts().iter().all(|text| !text.contains("carro")) {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    server.kill();
    let leased = "jobs WHERE name = 'embed_knowledge' AND state = 'running'";
    assert_eq!(app.count_rows(leased).await, 1);
    // Simulates the end of the lease.
    let past = "UPDATE jobs SET due_at = due_at - 60000 WHERE state = 'running'";
    app.execute_statement(past, []).await;
    api.set_handler(|_| async { None });
    let _server = start();
    wait_for_vectors(&app, 1).await;
    while app.count_rows("jobs WHERE name = 'embed_knowledge'").await > 0 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// A shutdown waits for the batch that the provider is working on and stores its vectors, because
/// they are paid for.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stopping_service_stores_the_vectors_of_the_current_batch() {
    let api = EmbeddingsApi::new().await;
    let app = TestApp::new().await;
    add_document(&app, "oficina.md", &[], "O carro precisa de revisão.").await;
    let directory = tempfile::tempdir().expect("a directory");
    let gate = Arc::new(Semaphore::new(0));
    let closed = gate.clone();
    api.set_handler(move |asked| {
        let closed = closed.clone();
        async move {
            if asked.texts != ["pauta"] {
                closed.acquire().await.expect("the gate is open").forget();
            }
            None
        }
    });
    let mut server = Server::start(app.database_url(), directory.path(), &api.settings());
    while api.take_texts().iter().all(|text| !text.contains("carro")) {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    server.send_sigterm();
    // Gives the process time to handle the signal.
    tokio::time::sleep(Duration::from_millis(300)).await;
    gate.add_permits(1);
    let ended = tokio::task::spawn_blocking(move || server.wait_for_exit()).await;
    assert!(ended.expect("no panic").success());
    assert_eq!(app.count_rows("knowledge_vectors").await, 1);
}

/// During a rolling update, an instance with the old model may claim the job for the new model.
/// Then it releases the job.
#[tokio::test]
async fn an_instance_with_another_model_releases_the_job() {
    let api = EmbeddingsApi::new().await;
    let (app, _) = super::service_with_embeddings(&api).await;
    add_embedded_documents(&app, &api).await;
    drain_jobs(&app).await;
    let large = api.settings_with("PAUTA_OPENAI_EMBEDDING_MODEL", "text-embedding-3-large");
    let next = app.second_instance_with(large).await;
    add_document(&next, "posto.md", &[], "Um posto de gasolina.").await;
    drain_jobs(&app).await;
    let waits = "jobs WHERE name = 'embed_knowledge' AND state = 'queued'";
    assert_eq!(app.count_rows(waits).await, 1);
    app.advance_clock(MINUTE);
    drain_jobs(&next).await;
    assert_eq!(app.count_rows(waits).await, 0);
    let of_the_new = "knowledge_vectors WHERE model = 'text-embedding-3-large'";
    assert_eq!(app.count_rows(of_the_new).await, 4);
}
