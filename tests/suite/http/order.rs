//! The order of the checks.

use domain::Role;
use serde_json::json;

use super::{NO_EVENT, padded_demand, post_text, silent_body};
use crate::support::TestApp;

#[tokio::test]
async fn without_a_credential_the_body_is_not_read() {
    let app = TestApp::new().await;
    let anonymous = app.anonymous();
    for path in ["/api/demanda", "/api/mcp", "/api/config"] {
        post_text(&anonymous, path, silent_body())
            .await
            .expect_refusal(401, "UNAUTHENTICATED");
        let large = anonymous.with_header("content-length", "99999999999");
        post_text(&large, path, padded_demand(5_000_000))
            .await
            .expect_refusal(401, "UNAUTHENTICATED");
        let plain = anonymous.with_header("content-type", "text/plain");
        post_text(&plain, path, "{")
            .await
            .expect_refusal(401, "UNAUTHENTICATED");
    }
}

#[tokio::test]
async fn without_the_capability_the_body_is_not_read() {
    let app = TestApp::new().await;
    let author = app.as_member(Role::Criador).await;
    for path in ["/api/demanda", "/api/config", "/api/aprovar"] {
        let refused = post_text(&author, path, silent_body()).await;
        refused.expect_refusal(403, "CAPABILITY_REQUIRED");
        let large = author.with_header("content-length", "99999999999");
        post_text(&large, path, padded_demand(5_000_000))
            .await
            .expect_refusal(403, "CAPABILITY_REQUIRED");
        let answer = author
            .post(&format!("{path}?x=1"), json!({ "estranho": 1 }))
            .await;
        answer.expect_refusal(403, "CAPABILITY_REQUIRED");
    }
}

#[tokio::test]
async fn input_is_checked_before_existence_and_existence_before_conflict() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let author = app.as_member(Role::Criador).await;
    let hidden = lead.create_demand(json!({})).await;
    lead.post(
        "/api/enviar",
        json!({ "event_id": hidden, "expected_revision": 1 }),
    )
    .await
    .expect(200);
    for id in [NO_EVENT, &hidden] {
        for path in ["/api/draft", "/api/enviar"] {
            let faulty = json!({ "event_id": id, "expected_revision": 1, "estranho": 1 });
            assert_eq!(
                author.post(path, faulty).await.invalid_fields(),
                ["estranho"]
            );
            // The revision is stale, and the event is not editable either.
            let stale = json!({ "event_id": id, "expected_revision": 7 });
            author
                .post(path, stale)
                .await
                .expect_refusal(404, "NOT_FOUND");
        }
        assert_eq!(
            author
                .get(&format!("/api/eventos/{id}?limit=0"))
                .await
                .invalid_fields(),
            ["limit"]
        );
    }
    let impossible = json!({
        "event_id": NO_EVENT, "expected_revision": 1, "day": 31, "month": 2, "year": 2026,
    });
    assert_eq!(
        author
            .post("/api/enviar", impossible)
            .await
            .invalid_fields(),
        ["day"]
    );
    let stale = json!({ "event_id": hidden, "expected_revision": 7 });
    lead.post("/api/draft", stale)
        .await
        .expect_refusal(409, "STALE_REVISION");
}
