//! The code of a link.

use domain::{GUEST_PREFIX, Role};
use serde_json::json;

use super::{create_link, list_pieces, secret_of, submit_piece};
use crate::support::{Answer, Client, TestApp};

async fn give_code(guest: &Client, code: &str) -> Answer {
    let input = json!({ "codigo": code });
    guest.post("/api/convidado/codigo", input).await
}

/// Six digits that differ from these.
fn other_code(code: &str) -> String {
    let number: u32 = code.parse().expect("digits");
    format!("{:06}", (number + 1) % 1_000_000)
}

#[tokio::test]
async fn a_link_with_a_code_shows_nothing_before_the_code_is_given() {
    let app = TestApp::new().await;
    let session = app.add_member(Role::Lider).await;
    let session = app.session_client(&session).await;
    let id = submit_piece(&session, "Peça", "Legenda").await;
    let made = create_link(
        &session,
        "decidir",
        json!({ "pecas": [id], "codigo": true }),
    )
    .await;
    let other = create_link(
        &session,
        "decidir",
        json!({ "pecas": [id], "codigo": true }),
    )
    .await;
    let code = made["codigo"].as_str().expect("a code");
    let guest = super::guest_client(&app, &made);
    let refused = guest.get("/api/convidado/pecas").await;
    refused.expect_refusal(403, "GUEST_CODE_REQUIRED");
    let refused = super::decide(&guest, &id, "aprovar", 2).await;
    refused.expect_refusal(403, "GUEST_CODE_REQUIRED");
    assert_eq!(
        give_code(&guest, &other_code(code)).await.invalid_fields(),
        ["codigo"]
    );
    assert_eq!(
        give_code(&guest, "12345").await.invalid_fields(),
        ["codigo"]
    );
    let given = give_code(&guest, code).await.expect(200).body;
    let proof = given["prova"].as_str().expect("a proof");
    let proven = |made: &serde_json::Value, proof: &str| {
        app.bearer(format!("{GUEST_PREFIX}{}.{proof}", secret_of(made)))
    };
    assert_eq!(list_pieces(&proven(&made, proof)).await.len(), 1);
    // The proof is of this link only.
    for (link, wrong) in [(&other, proof), (&made, &proof[1..]), (&made, "")] {
        let refused = proven(link, wrong).get("/api/convidado/pecas").await;
        refused.expect_refusal(403, "GUEST_CODE_REQUIRED");
    }
}

#[tokio::test]
async fn after_eight_wrong_codes_a_network_waits_and_others_do_not() {
    let app = TestApp::new().await;
    let session = app.add_member(Role::Lider).await;
    let session = app.session_client(&session).await;
    let id = submit_piece(&session, "Peça", "Legenda").await;
    let made = create_link(&session, "ver", json!({ "pecas": [id], "codigo": true })).await;
    let code = made["codigo"].as_str().expect("a code");
    let guest = super::guest_client(&app, &made).with_address("198.51.100.7");
    for _ in 0..8 {
        assert_eq!(give_code(&guest, &other_code(code)).await.status, 400);
    }
    // The right code does not help either, until the wait is over.
    let refused = give_code(&guest, code).await;
    assert!(refused.headers.contains_key("retry-after"));
    refused.expect_refusal(429, "RATE_LIMITED");
    let elsewhere = super::guest_client(&app, &made).with_address("203.0.113.9");
    give_code(&elsewhere, code).await.expect(200);
    app.advance_clock(15 * 60_000);
    give_code(&guest, code).await.expect(200);
}
