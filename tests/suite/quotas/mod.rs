//! Quotas of calls, and the daily budgets of tokens and agents.

mod budgets;
mod networks;
mod shared;

use domain::Role;
use serde_json::json;

use crate::support::{Client, TestApp};

const WINDOW: i64 = 600_000;

/// The settings of a service with one quota.
fn quota_settings(name: &'static str, calls: u32) -> [(&'static str, String); 1] {
    [(name, calls.to_string())]
}

/// Asserts that the next call is refused until the window ends, in the same way over REST and MCP.
async fn assert_over_quota(client: &Client, seconds: u64) {
    let refused = client.get("/api/eventos").await;
    assert_eq!(refused.headers["retry-after"], seconds.to_string());
    let refused = refused.expect_refusal(429, "RATE_LIMITED");
    let tool = client.call_tool("list_events", json!({})).await;
    assert!(tool.is_error, "{tool:?}");
    let message = refused.body["error"].as_str().expect("a message");
    assert!(
        tool.text.contains(message),
        "{} has no {message}",
        tool.text
    );
    assert!(tool.text.contains(&format!("{seconds}")), "{}", tool.text);
}

#[tokio::test]
async fn a_credential_beyond_its_quota_is_refused_on_both_interfaces_until_the_window_ends() {
    let app = TestApp::with_settings(quota_settings("PAUTA_QUOTA_CREDENTIAL", 3)).await;
    let member = app.add_member(Role::Lider).await;
    let (one, other) = (
        app.token_client(&member).await,
        app.token_client(&member).await,
    );
    one.get("/api/eventos").await.expect(200);
    assert!(!one.call_tool("list_events", json!({})).await.is_error);
    // A refusal for another reason counts too.
    one.get("/api/eventos?limit=0")
        .await
        .expect_refusal(400, "INVALID_INPUT");
    assert_over_quota(&one, 600).await;
    // Listing the tools is not counted as a call, so a host over its quota can still list them.
    assert!(!one.tool_names().await.is_empty());
    other.get("/api/eventos").await.expect(200);
    app.session_client(&member)
        .await
        .get("/api/eventos")
        .await
        .expect(200);
    app.advance_clock(WINDOW - 1_000);
    assert_over_quota(&one, 1).await;
    app.advance_clock(1_000);
    one.get("/api/eventos").await.expect(200);
}

#[tokio::test]
async fn the_quota_of_a_member_counts_all_their_credentials() {
    let app = TestApp::with_settings(quota_settings("PAUTA_QUOTA_MEMBER", 3)).await;
    let member = app.add_member(Role::Lider).await;
    for client in [
        app.token_client(&member).await,
        app.token_client(&member).await,
    ] {
        client.get("/api/eventos").await.expect(200);
    }
    let session = app.session_client(&member).await;
    session.get("/api/eventos").await.expect(200);
    assert_over_quota(&session, 600).await;
    app.as_member(Role::Criador)
        .await
        .get("/api/eventos")
        .await
        .expect(200);
}

#[tokio::test]
async fn a_page_counts_as_one_call() {
    let app = TestApp::with_settings(quota_settings("PAUTA_QUOTA_MEMBER", 2)).await;
    let member = app.add_member(Role::Admin).await;
    let browser = app.browser_client(&member).await;
    for _ in 0..2 {
        browser.get("/agenda").await.expect(200);
    }
    let refused = browser
        .with_header("accept", "text/html")
        .get("/agenda")
        .await
        .expect(429);
    assert!(
        refused.text.contains("2 chamadas em dez minutos"),
        "{}",
        refused.text
    );
}

#[tokio::test]
async fn refused_calls_neither_run_nor_fill_the_audit_trail() {
    let app = TestApp::with_settings(quota_settings("PAUTA_QUOTA_CREDENTIAL", 1)).await;
    let member = app.add_member(Role::Lider).await;
    let client = app.token_client(&member).await;
    client.get("/api/eventos").await.expect(200);
    for _ in 0..20 {
        let refused = client
            .post("/api/demanda", json!({ "title": "Peça" }))
            .await;
        refused.expect_refusal(429, "RATE_LIMITED");
    }
    assert_eq!(app.count_rows("events").await, 0);
    app.app.write_all_reads().await;
    let noted = "audit_events WHERE outcome = 'failed' AND action = 'create_demand'";
    assert_eq!(app.count_rows(noted).await, 1);
}
