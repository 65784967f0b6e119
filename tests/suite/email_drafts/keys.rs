//! A repeated key returns the same answer, although the stored answer does not contain the HTML.

use domain::Role;
use serde_json::json;

use super::{create_draft, draft_path, draft_token, load_html};
use crate::support::TestApp;

#[tokio::test]
async fn a_replay_returns_the_same_answer_although_its_html_is_not_stored() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let keyed = lead.with_idempotency_key("uma-chave-1");
    let input = json!({
        "html": "<p>marca-única \"à\" \\ 🎉 \u{2028}</p>", "expected_updated_at": null,
        "metadata": { "z": 0.1, "a": [1e300, 5e-324, null], "ã": "\u{0}" },
    });
    let first = keyed.put(&draft_path("a"), input.clone()).await.expect(200);
    let kept = "idempotency_keys WHERE answer LIKE '%template_id%'";
    assert_eq!(app.count_rows(kept).await, 1);
    assert_eq!(
        app.count_rows("idempotency_keys WHERE answer LIKE '%marca%'")
            .await,
        0
    );

    let again = keyed.put(&draft_path("a"), input.clone()).await.expect(200);
    assert_eq!(again.text, first.text);
    assert_eq!(again.headers["idempotency-replayed"], "true");
    // A later write does not change this: the repeated call returns the response of the first call.
    let rewrite = json!({ "html": "outro", "expected_updated_at": draft_token(&first.body) });
    lead.put(&draft_path("a"), rewrite).await.expect(200);
    let again = keyed.put(&draft_path("a"), input.clone()).await.expect(200);
    assert_eq!(again.text, first.text);
    assert_eq!(load_html(&lead, "a").await, "outro");

    for (field, other) in [("html", json!("<p>")), ("metadata", json!({}))] {
        let mut input = input.clone();
        input[field] = other;
        let refused = keyed.put(&draft_path("a"), input).await;
        refused.expect_refusal(409, "IDEMPOTENCY_KEY_REUSED");
    }
    let refused = keyed.put(&draft_path("b"), input).await;
    refused.expect_refusal(409, "IDEMPOTENCY_KEY_REUSED");
}

#[tokio::test]
async fn a_refused_write_leaves_its_key_free() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    create_draft(&lead, "a", "x").await;
    let keyed = lead.with_idempotency_key("uma-chave-1");
    let input = json!({ "html": "y", "expected_updated_at": null });
    keyed
        .put(&draft_path("a"), input)
        .await
        .expect_refusal(409, "STALE_REVISION");
    let input = json!({ "html": "y", "expected_updated_at": "2026-08-22T15:00:00.000Z" });
    keyed.put(&draft_path("a"), input).await.expect(200);
}

#[tokio::test]
async fn html_too_long_for_a_tool_is_stored_but_left_out_of_the_answer() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let long = "<p>ação</p>".repeat(20_000);
    let input = json!({ "templateId": "a", "html": long, "idempotency_key": "uma-chave-1" });
    let put = lead.call_tool("put_email_draft", input.clone()).await;
    assert!(!put.is_error, "{}", put.text);
    assert!(put.structured["draft"].get("html").is_none());
    assert_eq!(put.structured["draft"]["html_length"], 220_000);
    let again = lead.call_tool("put_email_draft", input).await;
    assert_eq!(again.structured, put.structured);
    assert!(load_html(&lead, "a").await == long);
    // Over REST, the same request gets the whole answer.
    let input = json!({ "html": long, "expected_updated_at": null });
    let whole = lead
        .with_idempotency_key("uma-chave-1")
        .put(&draft_path("a"), input)
        .await
        .expect(200);
    assert_eq!(whole.headers["idempotency-replayed"], "true");
    assert!(whole.body["draft"]["html"] == long);
}
