//! Floods by callers without a credential.

use std::{future::Future, sync::Arc, time::Duration, time::Instant};

use domain::{Role, time::MINUTE};
use serde_json::json;
use tokio::task::JoinSet;

use crate::{
    authorization::{
        Browser, CALLBACK, Request, agent_client, exchange_fields, grant_code, register_client,
        request_token, service_with_documents,
    },
    support::{Client, TestApp},
};

/// Returns an IP address in the `n`th network.
fn address_in_network(n: usize) -> String {
    format!("10.{}.{}.7", n / 250, n % 250)
}

async fn registration_status(client: &Client) -> u16 {
    let asked = json!({ "client_name": "x", "redirect_uris": [CALLBACK] });
    client.post("/register", asked).await.status
}

/// Runs `work` for each number, ten at a time.
async fn run_ten_at_once<F>(count: usize, work: impl Fn(usize) -> F) -> Vec<u16>
where
    F: Future<Output = u16> + Send + 'static,
{
    let mut tasks = JoinSet::new();
    let mut statuses = vec![];
    for n in 0..count {
        if tasks.len() == 10 {
            statuses.extend(tasks.join_next().await.expect("a task"));
        }
        tasks.spawn(work(n));
    }
    statuses.extend(tasks.join_all().await);
    statuses
}

#[tokio::test]
async fn page_views_without_a_session_store_no_clients_and_block_no_registration() {
    let (app, documents) = service_with_documents().await;
    let ids: Vec<String> = (0..1_050)
        .map(|n| format!("https://site-{n}.test/client.json"))
        .collect();
    for id in &ids {
        documents.publish_document(&json!({
            "client_id": id, "client_name": "Cliente", "redirect_uris": [CALLBACK],
        }));
    }
    let paths: Arc<Vec<String>> = Arc::new(
        ids.iter()
            .map(|id| Request::for_client(id, CALLBACK).authorization_path())
            .collect(),
    );
    let anonymous = app.anonymous();
    let opened = run_ten_at_once(paths.len(), |n| {
        let client = anonymous.with_address(&address_in_network(n));
        let paths = paths.clone();
        async move { client.get(&paths[n]).await.status }
    })
    .await;
    assert!(opened.iter().all(|status| *status == 200), "{opened:?}");
    assert_eq!(app.count_rows("oauth_clients").await, 0);
    assert_eq!(
        registration_status(&anonymous.with_address("203.0.113.9")).await,
        201
    );

    // An allowed client is stored, and works as long as its grant lasts.
    let member = app.add_member(Role::Lider).await;
    let allowed = grant_code(&app, &member, &Request::for_client(&ids[0], CALLBACK)).await;
    assert_eq!(app.count_rows("oauth_clients").await, 2);
    let tokens = request_token(
        &app.anonymous(),
        &exchange_fields(&ids[0], CALLBACK, &allowed),
    )
    .await;
    let tokens = tokens.expect(200).body;
    agent_client(&app, &tokens)
        .send_rpc("tools/list", json!({}))
        .await
        .expect(200);
}

#[tokio::test]
async fn when_registrations_are_full_the_oldest_one_is_deleted() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let used = register_client(&app, CALLBACK).await;
    grant_code(&app, &member, &Request::for_client(&used, CALLBACK)).await;
    let oldest = register_client(&app, CALLBACK).await;
    let anonymous = app.anonymous();
    app.advance_clock(MINUTE);
    let made = run_ten_at_once(1_000, |n| {
        let client = anonymous.with_address(&address_in_network(n));
        async move { registration_status(&client).await }
    })
    .await;
    // Recent registrations are kept, so that a person who is signing in can continue.
    let (ok, full) = (
        made.iter().filter(|status| **status == 201).count(),
        made.iter().filter(|status| **status == 429).count(),
    );
    assert_eq!(ok + full, 1_000, "{made:?}");
    assert!((999..=1_010).contains(&ok), "{ok} of {made:?}");
    app.advance_clock(10 * MINUTE);
    let late = run_ten_at_once(40, |n| {
        let client = anonymous.with_address(&address_in_network(5_000 + n));
        async move { registration_status(&client).await }
    })
    .await;
    assert!(late.iter().all(|status| *status == 201), "{late:?}");
    let rows = app.count_rows("oauth_clients WHERE used_at IS NULL").await;
    // Ten concurrent registrations may each delete ten rows.
    assert!((900..=1_010).contains(&rows), "{rows}");
    let page = |id: &str| Request::for_client(id, CALLBACK).authorization_path();
    app.anonymous().get(&page(&used)).await.expect(200);
    app.anonymous().get(&page(&oldest)).await.expect(400);
}

#[tokio::test]
async fn a_client_that_a_person_has_allowed_is_stored_as_used() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let client_id = register_client(&app, CALLBACK).await;
    let code = grant_code(&app, &member, &Request::for_client(&client_id, CALLBACK)).await;
    let tokens = request_token(
        &app.anonymous(),
        &exchange_fields(&client_id, CALLBACK, &code),
    )
    .await;
    tokens.expect(200);
    assert_eq!(
        app.count_rows("oauth_clients WHERE used_at IS NOT NULL")
            .await,
        1
    );
}

#[tokio::test]
async fn colleagues_behind_one_address_can_all_register() {
    let app = TestApp::new().await;
    let office = app.anonymous().with_address("203.0.113.7");
    let statuses = run_ten_at_once(60, |_| {
        let client = office.clone();
        async move { registration_status(&client).await }
    })
    .await;
    assert!(statuses.iter().all(|status| *status == 201), "{statuses:?}");
    assert_eq!(registration_status(&office).await, 429);
    let elsewhere = app.anonymous().with_address("203.0.113.8");
    assert_eq!(registration_status(&elsewhere).await, 201);
}

#[tokio::test]
async fn registrations_from_eight_networks_do_not_block_other_networks() {
    let app = TestApp::new().await;
    let anonymous = app.anonymous();
    run_ten_at_once(8 * 100, |n| {
        let client = anonymous.with_address(&address_in_network(n % 8));
        async move { registration_status(&client).await }
    })
    .await;
    assert_eq!(
        registration_status(&anonymous.with_address("203.0.113.8")).await,
        201
    );
}

#[tokio::test]
async fn slow_sites_do_not_delay_the_documents_of_others() {
    let (app, documents) = service_with_documents().await;
    documents.delay_responses("https://lento", Duration::from_secs(5));
    let id = "https://cliente.test/client.json";
    documents.publish_document(&json!({
        "client_id": id, "client_name": "Cliente", "redirect_uris": [CALLBACK],
    }));
    let mut flood = JoinSet::new();
    for n in 0..60 {
        // This caller has addresses in four networks.
        let client = app.anonymous().with_address(&address_in_network(n % 4));
        let id = format!("https://lento-{n}.test/client.json");
        let path = Request::for_client(&id, CALLBACK).authorization_path();
        flood.spawn(async move { client.get(&path).await });
    }
    tokio::time::sleep(Duration::from_millis(100)).await;
    let begun = Instant::now();
    let honest = app.anonymous().with_address("203.0.113.9");
    honest
        .get(&Request::for_client(id, CALLBACK).authorization_path())
        .await
        .expect(200);
    let waited = begun.elapsed();
    assert!(waited < Duration::from_secs(1), "{waited:?}");
    let answers = flood.join_all().await;
    let busy: Vec<_> = answers.iter().filter(|a| a.status == 429).collect();
    assert!(busy.len() >= 50, "{}", busy.len());
    for answer in busy {
        assert!(answer.headers.contains_key("retry-after"));
        assert!(answer.text.contains("<h1>"), "{}", answer.text);
    }
}

#[tokio::test]
async fn callers_for_one_document_share_one_fetch() {
    let (app, documents) = service_with_documents().await;
    let id = "https://cliente.test/client.json";
    documents.delay_responses(id, Duration::from_millis(300));
    documents.publish_document(&json!({
        "client_id": id, "client_name": "Cliente", "redirect_uris": [CALLBACK],
    }));
    let anonymous = app.anonymous();
    for round in 0..2 {
        let statuses = run_ten_at_once(10, |n| {
            // In the first round all callers are in the same network; in the second round each
            // caller is in its own network.
            let from = if round == 0 {
                address_in_network(0)
            } else {
                address_in_network(n)
            };
            let client = anonymous.with_address(&from);
            let path = Request::for_client(id, CALLBACK).authorization_path();
            async move { client.get(&path).await.status }
        })
        .await;
        assert!(statuses.iter().all(|status| *status == 200), "{statuses:?}");
        assert_eq!(documents.fetch_count(), 1 + round);
        app.advance_clock(2 * 60 * MINUTE);
    }
}

#[tokio::test]
async fn a_caller_who_disconnects_does_not_end_the_fetch_of_the_others() {
    let (app, documents) = service_with_documents().await;
    let id = "https://cliente.test/client.json";
    documents.delay_responses(id, Duration::from_millis(400));
    documents.publish_document(&json!({
        "client_id": id, "client_name": "Cliente", "redirect_uris": [CALLBACK],
    }));
    let path = Request::for_client(id, CALLBACK).authorization_path();
    let (first, leaving) = (
        app.anonymous().with_address(&address_in_network(1)),
        path.clone(),
    );
    let first = tokio::spawn(async move { first.get(&leaving).await });
    tokio::time::sleep(Duration::from_millis(100)).await;
    let (second, staying) = (
        app.anonymous().with_address(&address_in_network(2)),
        path.clone(),
    );
    let second = tokio::spawn(async move { second.get(&staying).await });
    tokio::time::sleep(Duration::from_millis(50)).await;
    first.abort();
    second.await.expect("no panic").expect(200);
    assert_eq!(documents.fetch_count(), 1);
    let member = app.add_member(Role::Lider).await;
    let mut browser = Browser::with_session(&app, &member).await;
    let page = browser.get(&path).await.expect(200);
    browser
        .submit_decision(&page, "permitir", &[])
        .await
        .expect(302);
}
