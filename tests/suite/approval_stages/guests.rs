//! Stages that guests decide.

use domain::GUEST_PREFIX;
use serde_json::{Value, json};

use super::Fixture;
use crate::support::{Answer, Client};

/// A guest whom Ana invited to decide about the piece.
async fn invite(team: &Fixture, piece: &str) -> Client {
    let input = json!({ "nome": "Beatriz Rocha", "contato": "bia@cliente.test",
        "direito": "decidir", "pecas": [piece] });
    let made = team
        .ana
        .post("/api/convidados", input)
        .await
        .expect(201)
        .body;
    let url = made["url"].as_str().expect("a URL");
    let secret = url.rsplit('/').next().expect("a secret");
    team.app.bearer(format!("{GUEST_PREFIX}{secret}"))
}

async fn see_piece(guest: &Client) -> Value {
    let listed = guest.get("/api/convidado/pecas").await.expect(200);
    listed.body["pecas"][0].clone()
}

async fn approve(guest: &Client, piece: &str) -> Answer {
    let revision = see_piece(guest).await["api_revision"].clone();
    let input = json!({ "event_id": piece, "acao": "aprovar", "api_revision": revision });
    guest.post("/api/convidado/decisao", input).await
}

#[tokio::test]
async fn a_guest_decides_in_the_stage_of_guests_and_learns_nothing_of_the_others() {
    let team = Fixture::with_stages(|team| {
        json!([
            { "nome": "Revisão interna", "membros": [team.ana_id] },
            { "nome": "Cliente", "convidados": true },
            { "nome": "Direção", "membros": [team.bia_id] },
        ])
    })
    .await;
    let piece = team.submit_piece().await;
    let guest = invite(&team, &piece).await;
    assert_eq!(see_piece(&guest).await["pode_decidir"], false);
    let refused = approve(&guest, &piece).await;
    for hidden in ["Revisão", team.ana_id.as_str()] {
        assert!(!refused.text.contains(hidden), "{}", refused.text);
    }
    refused.expect_refusal(403, "NOT_YOUR_STAGE");
    let decide = json!({ "event_id": piece, "action": "aprovar", "expected_revision": 2 });
    team.ana.post("/api/aprovar", decide).await.expect(200);
    assert_eq!(see_piece(&guest).await["pode_decidir"], true);
    // Ana made the link, but its guest is not Ana: her vote of the first stage does not repeat.
    let decided = approve(&guest, &piece).await.expect(200).body;
    assert_eq!(decided["status"], "em aprovação");
    assert_eq!(see_piece(&guest).await["pode_decidir"], false);
    approve(&guest, &piece)
        .await
        .expect_refusal(403, "NOT_YOUR_STAGE");
    let decide = json!({ "event_id": piece, "action": "aprovar", "expected_revision": 4 });
    let decided = team.bia.post("/api/aprovar", decide).await.expect(200).body;
    assert_eq!(decided["status"], "aprovado");
}

#[tokio::test]
async fn a_guest_decides_alone_where_no_rule_has_stages() {
    let team = Fixture::new().await;
    team.configure(json!({ "regras": [], "sem_autoaprovacao": true }))
        .await;
    let piece = team.submit_piece().await;
    let guest = invite(&team, &piece).await;
    assert_eq!(see_piece(&guest).await["pode_decidir"], true);
    let decided = approve(&guest, &piece).await.expect(200).body;
    assert_eq!(decided["status"], "aprovado");
}
