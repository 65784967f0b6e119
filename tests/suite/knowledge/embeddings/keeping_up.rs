//! Every content gets its vector, once, whoever is at work.

use std::time::Duration;

use domain::{
    Role,
    time::{DAY, MINUTE},
};
use store::knowledge::vectors;
use tools::{knowledge::Semantics, operator};

use super::{
    super::{add, found},
    double::EmbeddingsApi,
    garage, keep_up,
};
use crate::support::{Server, TestApp};

async fn sweep(app: &TestApp) {
    let services = &app.app.gateway.services;
    let tx = services.db.begin().await.expect("begins");
    let profile = services
        .parts
        .find::<Semantics>()
        .and_then(Semantics::profile);
    let swept = vectors::sweep(&tx.conn(), profile.as_ref(), app.now()).await;
    swept.expect("sweeps");
    tx.commit().await.expect("commits");
}

#[tokio::test]
async fn only_what_changed_is_embedded_again() {
    let api = EmbeddingsApi::new().await;
    let (app, reader) = super::desk(&api).await;
    garage(&app, &api).await;
    keep_up(&app).await.expect("keeps up");
    assert!(api.asked().is_empty(), "there was nothing to do");

    add(
        &app,
        "copia.txt",
        &[],
        "O carro precisa de revisão.\n\nE de óleo.",
    )
    .await;
    add(&app, "feira.md", &["b"], "O carro da feira.").await;
    keep_up(&app).await.expect("keeps up");
    let texts = api.texts();
    assert_eq!(texts.len(), 2, "{texts:?}");
    let mut sources = found(&reader, "automóvel").await;
    sources.sort();
    assert_eq!(sources, ["copia.txt", "feira.md", "oficina.md"]);

    // A text that comes back still has its vector, until the sweep.
    api.asked();
    add(&app, "feira.md", &["b"], "Tomates a granel.").await;
    keep_up(&app).await.expect("keeps up");
    assert!(api.asked().is_empty());
    assert_eq!(app.count("knowledge_vectors").await, 5);
    sweep(&app).await;
    assert_eq!(app.count("knowledge_vectors").await, 4);
}

#[tokio::test]
async fn what_is_removed_is_not_near_any_more() {
    let api = EmbeddingsApi::new().await;
    let (app, reader) = super::desk(&api).await;
    garage(&app, &api).await;
    let listed = operator::list_knowledge(&app.app.gateway)
        .await
        .expect("a list");
    let garage = listed
        .iter()
        .find(|d| d.source == "oficina.md")
        .expect("is there");
    let removed = operator::remove_knowledge(&app.app.gateway, &garage.id).await;
    removed.expect("is removed");
    assert!(found(&reader, "automóvel").await.is_empty());
    keep_up(&app).await.expect("keeps up");
    sweep(&app).await;
    assert_eq!(app.count("knowledge_vectors").await, 2);
    assert!(found(&reader, "automóvel").await.is_empty());
}

#[tokio::test]
async fn many_passages_go_in_batches() {
    let api = EmbeddingsApi::new().await;
    let (app, reader) = super::desk(&api).await;
    for n in 0..70 {
        add(
            &app,
            &format!("{n}.md"),
            &[],
            &format!("Assunto{n} e carro{n}."),
        )
        .await;
    }
    keep_up(&app).await.expect("keeps up");
    let sizes: Vec<usize> = api.asked().iter().map(|asked| asked.texts.len()).collect();
    assert_eq!(sizes, [1, 64, 6], "a plain word first");
    assert_eq!(app.count("knowledge_vectors").await, 70);
    assert_eq!(found(&reader, "assunto7").await[0], "7.md");
}

/// Another model, or another length of its vectors, makes them anew in the background; the former
/// ones stay for a day, for an instance that is not replaced yet.
#[tokio::test]
async fn another_model_embeds_the_base_anew() {
    let api = EmbeddingsApi::new().await;
    let (app, _) = super::desk(&api).await;
    garage(&app, &api).await;
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
            found(&reader, "automóvel").await.is_empty(),
            "no vector compares yet"
        );
        assert_eq!(
            found(&reader, "revisão").await,
            ["oficina.md"],
            "the words still do"
        );
        keep_up(&next).await.expect("keeps up");
        assert_eq!(found(&reader, "automóvel").await, ["oficina.md"]);
        let kept = format!("knowledge_vectors WHERE dimensions = {dimensions}");
        assert_eq!(app.count(&kept).await, 3);
        sweep(&next).await;
        assert_eq!(
            app.count("knowledge_vectors").await,
            6,
            "the former ones stay"
        );
        next.pass(DAY);
        sweep(&next).await;
        assert_eq!(app.count("knowledge_vectors").await, 3);
    }
}

/// While instances are replaced one by one, the old one leaves alone what the new one makes.
#[tokio::test]
async fn a_former_model_does_not_sweep_its_successor() {
    let api = EmbeddingsApi::new().await;
    let (app, _) = super::desk(&api).await;
    garage(&app, &api).await;
    app.pass(2 * DAY);
    let large = api.settings_with("PAUTA_OPENAI_EMBEDDING_MODEL", "text-embedding-3-large");
    let next = app.second_instance_with(large).await;
    keep_up(&next).await.expect("keeps up");
    sweep(&app).await;
    assert_eq!(app.count("knowledge_vectors").await, 6);
}

/// Whoever took too long has lost its claim, and does not end the next one's.
#[tokio::test]
async fn a_lost_claim_is_not_held() {
    let app = TestApp::new().await;
    let services = &app.app.gateway.services;
    let tx = services.db.begin().await.expect("begins");
    let db = tx.conn();
    let claim = async |until, now| vectors::claim(&db, until, now).await.expect("asks");
    let hold = async |claimed, until| vectors::hold(&db, claimed, until).await.expect("asks");
    assert!(claim(100, 0).await);
    assert!(!claim(150, 99).await);
    assert!(claim(250, 100).await);
    assert!(!hold(100, 0).await && !claim(300, 249).await);
    assert!(hold(250, 400).await && !claim(500, 399).await);
    assert!(hold(400, 0).await && claim(500, 1).await);
}

#[tokio::test]
async fn of_two_instances_one_embeds_and_both_know() {
    let api = EmbeddingsApi::new().await;
    let (app, reader) = super::desk(&api).await;
    let other = app.second_instance().await;
    let other_reader = other.as_member(Role::Criador).await;
    garage(&app, &api).await;
    add(&app, "posto.md", &[], "Um posto de gasolina.").await;
    let (one, two) = tokio::join!(keep_up(&app), keep_up(&other));
    one.and(two).expect("keep up");
    let texts = api.texts();
    let of_the_post = texts.iter().filter(|text| text.contains("gasolina"));
    assert_eq!(of_the_post.count(), 1, "{texts:?}");
    keep_up(&app).await.expect("keeps up");
    keep_up(&other).await.expect("keeps up");
    for reader in [reader, other_reader] {
        assert_eq!(found(&reader, "automóvel").await, ["oficina.md"]);
    }
}

/// Whoever dies at work leaves it to another when the claim has run out.
#[tokio::test]
async fn a_claim_that_was_left_runs_out() {
    let api = EmbeddingsApi::new().await;
    let (app, reader) = super::desk(&api).await;
    add(&app, "oficina.md", &[], "O carro precisa de revisão.").await;
    let services = &app.app.gateway.services;
    let tx = services.db.begin().await.expect("begins");
    let until = app.now() + 3 * MINUTE;
    let claimed = vectors::claim(&tx.conn(), until, app.now()).await;
    assert!(claimed.expect("claims"));
    tx.commit().await.expect("commits");
    keep_up(&app).await.expect("keeps up");
    assert!(found(&reader, "automóvel").await.is_empty());
    app.pass(3 * MINUTE);
    keep_up(&app).await.expect("keeps up");
    assert_eq!(found(&reader, "automóvel").await, ["oficina.md"]);
}

/// The real process does it by itself.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_running_service_keeps_up() {
    let api = EmbeddingsApi::new().await;
    let app = TestApp::new().await;
    let member = app.member(Role::Criador).await;
    let directory = tempfile::tempdir().expect("a directory");
    let server = Server::start(app.database_url(), directory.path(), &api.settings());
    add(&app, "oficina.md", &[], "O carro precisa de revisão.").await;
    let embedded = async {
        while app.count("knowledge_vectors").await == 0 {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    let waited = tokio::time::timeout(Duration::from_secs(30), embedded).await;
    waited.expect("is embedded");
    drop((server, member));
}
