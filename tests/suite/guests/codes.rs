//! The code that a link may require before it shows anything.

use domain::{GUEST_PREFIX, Role, time::DAY};
use serde_json::json;

use super::{create_link, list_pieces, submit_piece};
use crate::support::{Answer, Client, TestApp, guest_secret};

async fn give_code(guest: &Client, code: &str) -> Answer {
    let input = json!({ "codigo": code });
    guest.post("/api/convidado/codigo", input).await
}

/// Returns a code of six digits that differs from this code.
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
    let guest = app.guest_client(&made);
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
        app.bearer(format!("{GUEST_PREFIX}{}.{proof}", guest_secret(made)))
    };
    assert_eq!(list_pieces(&proven(&made, proof)).await.len(), 1);
    // The proof is valid for this link only.
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
    let guest = app.guest_client(&made).with_address("198.51.100.7");
    for _ in 0..8 {
        assert_eq!(give_code(&guest, &other_code(code)).await.status, 400);
    }
    // The right code is refused too, until the wait is over.
    let refused = give_code(&guest, code).await;
    assert!(refused.headers.contains_key("retry-after"));
    refused.expect_refusal(429, "RATE_LIMITED");
    let elsewhere = app.guest_client(&made).with_address("203.0.113.9");
    give_code(&elsewhere, code).await.expect(200);
    app.advance_clock(15 * 60_000);
    give_code(&guest, code).await.expect(200);
}

/// A guest who mistypes now and then is not locked out, however long the link lives.
#[tokio::test]
async fn typos_before_the_right_code_do_not_add_up_over_weeks() {
    let app = TestApp::new().await;
    let maker = app.add_member(Role::Lider).await;
    let session = app.session_client(&maker).await;
    let id = submit_piece(&session, "Peça", "Legenda").await;
    let input = json!({ "pecas": [id], "codigo": true, "dias": 90 });
    let made = create_link(&session, "ver", input).await;
    let code = made["codigo"].as_str().expect("a code");
    // Someone in another network has sent two wrong codes.
    let stranger = app.guest_client(&made).with_address("203.0.113.9");
    for _ in 0..2 {
        assert_eq!(give_code(&stranger, &other_code(code)).await.status, 400);
    }
    for day in 0..20 {
        let guest = app.guest_client(&made);
        let guest = guest.with_address(&format!("198.51.100.{day}"));
        for _ in 0..4 {
            assert_eq!(give_code(&guest, &other_code(code)).await.status, 400);
        }
        give_code(&guest, code).await.expect(200);
        app.advance_clock(3 * DAY);
    }
    let session = app.session_client(&maker).await;
    let links = session.get("/api/convidados").await.expect(200).body;
    assert_eq!(links["links"][0]["codigos_errados"], 2, "{links}");
}

/// The right codes of the guest do not reset the count of wrong codes that someone else sends for
/// the same link.
#[tokio::test]
async fn right_codes_of_the_guest_do_not_reset_the_count_of_wrong_codes_of_others() {
    let app = TestApp::new().await;
    let maker = app.add_member(Role::Lider).await;
    let session = app.session_client(&maker).await;
    let id = submit_piece(&session, "Peça", "Legenda").await;
    let input = json!({ "pecas": [id], "codigo": true, "dias": 90 });
    let made = create_link(&session, "ver", input).await;
    let code = made["codigo"].as_str().expect("a code");
    let guest = app.guest_client(&made).with_address("203.0.113.9");
    let mut guesses = 0;
    'guessing: for day in 0..60 {
        let stranger = app.guest_client(&made);
        let stranger = stranger.with_address(&format!("198.51.100.{day}"));
        for _ in 0..5 {
            let refused = give_code(&stranger, &other_code(code)).await;
            guesses += 1;
            if refused.status == 401 {
                break 'guessing;
            }
            assert_eq!(refused.status, 400);
        }
        give_code(&guest, code).await.expect(200);
        app.advance_clock(DAY);
    }
    assert_eq!(guesses, 50);
}

/// Otherwise someone who has the link without its code could guess until the link expires.
#[tokio::test]
async fn fifty_wrong_codes_end_a_link_and_notify_its_maker() {
    let app = TestApp::new().await;
    let maker = app.add_member(Role::Lider).await;
    let session = app.session_client(&maker).await;
    let id = submit_piece(&session, "Peça", "Legenda").await;
    let input = json!({ "pecas": [id], "codigo": true });
    let made = create_link(&session, "ver", input).await;
    let code = made["codigo"].as_str().expect("a code");
    let mut given = 0;
    // Sends at most eight wrong codes from each network and waits afterwards, so that no rate limit
    // refuses them.
    for network in 0..7 {
        let guest = app.guest_client(&made);
        let guest = guest.with_address(&format!("198.51.100.{network}"));
        for _ in 0..8 {
            if given == 49 {
                break;
            }
            assert_eq!(give_code(&guest, &other_code(code)).await.status, 400);
            given += 1;
        }
        app.advance_clock(16 * 60_000);
    }
    let session = app.session_client(&maker).await;
    let state = async |session: &Client| {
        let links = session.get("/api/convidados?encerrados=true").await;
        links.expect(200).body["links"][0].clone()
    };
    let before = state(&session).await;
    assert_eq!(
        (&before["estado"], &before["codigos_errados"]),
        (&json!("ativo"), &json!(49))
    );
    let guest = app.guest_client(&made).with_address("203.0.113.9");
    let refused = give_code(&guest, &other_code(code)).await;
    refused.expect_refusal(401, "TOKEN_REVOKED");
    let after = state(&session).await;
    assert_eq!(
        (&after["estado"], &after["codigos_errados"]),
        (&json!("revogado"), &json!(50))
    );
    // The link has ended, so the right code is refused too.
    give_code(&guest, code)
        .await
        .expect_refusal(401, "TOKEN_REVOKED");
    app.app.worker().drain().await.expect("jobs");
    let told = session.get("/api/notificacoes").await.expect(200).body;
    let told = told["notificacoes"].as_array().expect("a list");
    let about: Vec<_> = told
        .iter()
        .filter(|one| one["tipo"] == "convidado")
        .collect();
    assert_eq!(about.len(), 1, "{told:?}");
    let admin = app.as_member(Role::Admin).await;
    let trail = admin.get("/api/access/audit?action=end_guest_link").await;
    let trail = trail.expect(200).body;
    assert_eq!(trail["audit"].as_array().map(Vec::len), Some(1), "{trail}");
}
