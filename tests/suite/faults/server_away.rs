//! A PostgreSQL server that goes away, hangs, or closes pooled connections.
//!
//! With the embedded database there is no server, so these tests do nothing.

use domain::Role;
use serde_json::json;

use super::{proxy::Proxy, *};
use crate::support::{Client, Settings};

/// The time within which a caller must get the error that the database is unavailable.
const TOLD_WITHIN: Duration = Duration::from_secs(10);

/// Creates a service behind a proxy to its database server. Returns `None` with the embedded
/// database.
pub async fn service_behind_proxy() -> Option<(TestApp, TestApp, std::sync::Arc<Proxy>)> {
    service_behind_proxy_with(vec![]).await
}

/// Creates a service like [`service_behind_proxy`], with more settings.
pub async fn service_behind_proxy_with(
    mut settings: Settings,
) -> Option<(TestApp, TestApp, std::sync::Arc<Proxy>)> {
    let direct = TestApp::new().await;
    let url = direct.database_url().to_owned();
    let (credentials, rest) = url.strip_prefix("postgres://")?.split_once('@')?;
    let (server, name) = rest.split_once('/')?;
    let server = if server.contains(':') {
        server.to_owned()
    } else {
        format!("{server}:5432")
    };
    let proxy = Proxy::start(server).await;
    let proxied = format!("postgres://{credentials}@{}/{name}", proxy.address);
    settings.push(("PAUTA_DATABASE_URL", proxied));
    let app = direct.second_instance_with(settings).await;
    Some((direct, app, proxy))
}

async fn assert_read_unavailable(client: &Client) {
    let begun = Instant::now();
    let read = client.get("/api/eventos").await;
    assert!(begun.elapsed() < TOLD_WITHIN, "{:?}", begun.elapsed());
    assert_eq!(read.headers["retry-after"], "1");
    read.expect_refusal(503, "UNAVAILABLE");
}

async fn assert_unavailable(app: &TestApp, client: &Client) {
    assert_read_unavailable(client).await;
    let begun = Instant::now();
    for _ in 0..20 {
        assert_read_unavailable(client).await;
    }
    // The result of the check is cached, so that not every call waits for the server.
    assert!(begun.elapsed() < 4 * TOLD_WITHIN, "{:?}", begun.elapsed());
    let key = client.with_idempotency_key("enquanto-fora");
    let write = key.post("/api/demanda", json!({ "title": "Uma vez" }));
    write.await.expect_refusal(503, "UNAVAILABLE");
    let begun = Instant::now();
    app.anonymous().get("/readyz").await.expect(503);
    assert!(begun.elapsed() < TOLD_WITHIN, "{:?}", begun.elapsed());
    app.anonymous().get("/api/health").await.expect(200);
}

async fn wait_for_success(client: &Client, path: &str) {
    let begun = Instant::now();
    while client.get(path).await.status != 200 {
        assert!(begun.elapsed() < RECOVERY, "{path} did not recover in time");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

async fn assert_available_again(app: &TestApp, client: &Client, times: usize) {
    wait_for_success(client, "/api/eventos").await;
    // Readiness reuses the result of its last test write for half a second.
    wait_for_success(&app.anonymous(), "/readyz").await;
    let key = client.with_idempotency_key(&format!("de-volta-{times}"));
    let made = key.post("/api/demanda", json!({ "title": "Uma vez" }));
    made.await.expect(200);
    assert_eq!(
        app.count_rows("events").await,
        i64::try_from(times).expect("a small number")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unavailable_server_is_reported_at_once_and_used_when_it_returns() {
    let Some((_direct, app, proxy)) = service_behind_proxy().await else {
        return;
    };
    let lead = app.as_member(Role::Lider).await;
    lead.get("/api/eventos").await.expect(200);
    proxy.close_connections();
    assert_unavailable(&app, &lead).await;
    proxy.resume_forwarding().await;
    assert_available_again(&app, &lead, 1).await;
    proxy.stop_forwarding();
    assert_unavailable(&app, &lead).await;
    proxy.resume_forwarding().await;
    assert_available_again(&app, &lead, 2).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_that_the_server_closed_make_no_call_fail() {
    let Some((direct, app, _proxy)) = service_behind_proxy().await else {
        return;
    };
    let lead = app.as_member(Role::Lider).await;
    for round in 0..5 {
        // Enough concurrent calls to fill the pool.
        let busy = (0..40).map(|_| lead.get("/api/eventos"));
        for answer in futures::future::join_all(busy).await {
            answer.expect(200);
        }
        direct
            .query_rows(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                 WHERE datname = current_database() AND pid <> pg_backend_pid()"
                    .into(),
            )
            .await;
        let reads = (0..20).map(|_| lead.get("/api/eventos"));
        let writes = (0..20).map(|n| {
            let title = format!("Rodada {round}, {n}");
            let lead = &lead;
            async move { lead.post("/api/demanda", json!({ "title": title })).await }
        });
        let (reads, writes) = futures::join!(
            futures::future::join_all(reads),
            futures::future::join_all(writes)
        );
        for answer in reads.into_iter().chain(writes) {
            answer.expect(200);
        }
    }
    assert_eq!(app.count_rows("events").await, 100);
}
