//! The quota of an IP network.

use domain::Role;
use serde_json::json;

use super::{WINDOW, quota_settings};
use crate::support::TestApp;

#[tokio::test]
async fn every_call_of_a_network_beyond_its_quota_is_refused() {
    let app = TestApp::with_settings(quota_settings("PAUTA_QUOTA_ADDRESS", 2)).await;
    let member = app.add_member(Role::Lider).await;
    let here = app.token_client(&member).await.with_address("203.0.113.7");
    here.get("/api/nada").await.expect(404);
    here.get("/api/eventos").await.expect(200);
    let refused = here.get("/api/eventos").await;
    assert_eq!(refused.headers["retry-after"], "600");
    assert_eq!(refused.headers["x-content-type-options"], "nosniff");
    refused.expect_refusal(429, "RATE_LIMITED");
    here.post("/api/demanda", json!({ "title": "Peça" }))
        .await
        .expect_refusal(429, "RATE_LIMITED");
    here.send_rpc("tools/list", json!({}))
        .await
        .expect_refusal(429, "RATE_LIMITED");
    let page = here
        .with_header("accept", "text/html")
        .get("/entrar")
        .await
        .expect(429);
    assert!(
        page.text.contains("Esta rede chegou a 2 chamadas"),
        "{}",
        page.text
    );
    // `/readyz` has no quota, because a load balancer sends all probes from one address.
    here.get("/readyz").await.expect(200);
    here.get("/api/health").await.expect(200);
    let elsewhere = app.token_client(&member).await.with_address("203.0.113.8");
    elsewhere.get("/api/eventos").await.expect(200);
    app.advance_clock(WINDOW);
    here.get("/api/eventos").await.expect(200);
}

#[tokio::test]
async fn addresses_of_one_ipv6_site_share_a_quota() {
    let app = TestApp::with_settings(quota_settings("PAUTA_QUOTA_ADDRESS", 2)).await;
    let anonymous = app.anonymous();
    for address in ["2001:db8:1::1", "2001:db8:1:9::2"] {
        anonymous
            .with_address(address)
            .get("/api/nada")
            .await
            .expect(404);
    }
    let refused = anonymous
        .with_address("2001:db8:1::3")
        .get("/api/nada")
        .await;
    refused.expect_refusal(429, "RATE_LIMITED");
    anonymous
        .with_address("2001:db8:2::1")
        .get("/api/nada")
        .await
        .expect(404);
}

#[tokio::test]
async fn zero_turns_a_quota_off() {
    let app = TestApp::with_settings(quota_settings("PAUTA_QUOTA_ADDRESS", 0)).await;
    let here = app.anonymous().with_address("203.0.113.7");
    for _ in 0..20 {
        here.get("/api/nada").await.expect(404);
    }
}
