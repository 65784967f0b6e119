//! Stages that guests decide.

use serde_json::{Value, json};

use super::{Fixture, list_pending, load_approval};
use crate::support::{Answer, Client, guest_secret};

/// Lets Ana invite a guest to decide about the piece; returns the client of the guest.
async fn invite(team: &Fixture, piece: &str) -> Client {
    let input = json!({ "nome": "Beatriz Rocha", "contato": "bia@cliente.test",
        "direito": "decidir", "pecas": [piece] });
    let made = team.ana.post("/api/convidados", input).await.expect(201);
    team.app.guest_client(&made.body)
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
async fn a_guest_decides_only_in_the_stage_of_guests_and_sees_no_other_stage() {
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
    // Ana made the link and has approved in the first stage. Her vote does not count as a vote of
    // the guest.
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

#[tokio::test]
async fn an_author_does_not_approve_through_a_link_of_their_own() {
    let team = Fixture::new().await;
    team.configure(json!({ "sem_autoaprovacao": true })).await;
    let piece = team
        .ana
        .create_demand(json!({ "title": "Peça de Ana" }))
        .await;
    let submit = json!({ "event_id": piece, "expected_revision": 1, "caption": "Legenda" });
    team.ana.post("/api/enviar", submit).await.expect(200);
    let guest = invite(&team, &piece).await;
    assert_eq!(see_piece(&guest).await["pode_decidir"], false);
    let refused = approve(&guest, &piece).await;
    refused.expect_refusal(403, "NOT_YOUR_STAGE");
    // The piece is not in the inbox of its author either.
    assert!(list_pending(&team.ana, "").await.is_empty());
    assert_eq!(list_pending(&team.bia, "").await, [piece]);
}

#[tokio::test]
async fn members_who_may_invite_guests_see_the_pieces_that_wait_for_guests() {
    let team = Fixture::with_stages(|_| json!([{ "nome": "Cliente", "convidados": true }])).await;
    let piece = team.submit_piece().await;
    for member in [&team.ana, &team.bia, &team.admin] {
        assert_eq!(list_pending(member, "").await, std::slice::from_ref(&piece));
    }
    let decide = json!({ "event_id": piece, "action": "aprovar" });
    let refused = team.ana.post("/api/aprovar", decide).await;
    refused.expect_refusal(403, "NOT_YOUR_STAGE");
    let shown = load_approval(&team.ana, &piece).await;
    assert_eq!(shown["espera_por"], json!(["convidado"]));
    assert_eq!(shown["pode_aprovar"], false);
}

/// Returns the HTML of the guest's page.
async fn read_page(team: &Fixture, guest_link: &str) -> String {
    let path = format!("/convidado/{guest_link}");
    let visitor = team.app.anonymous();
    visitor.get(&path).await.expect(200).text
}

#[tokio::test]
async fn a_guest_who_approved_is_not_asked_again_while_others_are_missing() {
    let team = Fixture::with_stages(|team| {
        json!([{ "nome": "Todos", "membros": [team.ana_id, team.bia_id], "convidados": true,
            "exige": "todos" }])
    })
    .await;
    let piece = team.submit_piece().await;
    let input = json!({ "nome": "Beatriz Rocha", "contato": "bia@cliente.test",
        "direito": "decidir", "pecas": [piece] });
    let made = team.ana.post("/api/convidados", input).await.expect(201);
    let secret = guest_secret(&made.body);
    let guest = team.app.guest_client(&made.body);
    assert_eq!(see_piece(&guest).await["pode_decidir"], true);
    team.app.advance_clock(1_000);
    approve(&guest, &piece).await.expect(200);
    assert_eq!(see_piece(&guest).await["pode_decidir"], false);
    let page = read_page(&team, &secret).await;
    assert!(page.contains("Com a equipe") && !page.contains("Espera resposta"));
    assert!(!page.contains("value=\"aprovar\""), "{page}");
    // The piece waits for the team, so the page does not say that everything is answered.
    assert!(!page.contains("Tudo respondido."), "{page}");
    assert!(page.contains("1 peça está com a equipe."), "{page}");
    let shown = load_approval(&team.ana, &piece).await;
    // The next approver sees the name of the guest.
    assert_eq!(shown["decidiram"][0]["name"], "Beatriz Rocha");
    assert_eq!(shown["decidiram"][0].get("id"), None);
    let pages = team.app.browser_client(&team.members[1]).await;
    let inbox = pages.get(&format!("/aprovacoes?evento={piece}")).await;
    let inbox = inbox.expect(200).text;
    assert!(
        inbox.contains("title=\"Beatriz Rocha (convidado), aprovou\""),
        "{inbox}"
    );

    // Bia approves, and Ana leaves the team. All remaining approvers have approved, but nobody has
    // completed the stage. Another guest may then approve, which completes the stage.
    let decide = json!({ "event_id": piece, "action": "aprovar", "expected_revision": 3 });
    team.bia.post("/api/aprovar", decide).await.expect(200);
    assert_eq!(see_piece(&guest).await["pode_decidir"], false);
    let waiting = json!({ "nome": "Rui", "contato": "rui@cliente.test", "direito": "decidir",
        "pecas": [piece] });
    let made = team.bia.post("/api/convidados", waiting).await.expect(201);
    let secret = guest_secret(&made.body);
    let other = team.app.guest_client(&made.body);
    team.remove_member(&team.ana_id).await;
    assert_eq!(see_piece(&other).await["pode_decidir"], true);
    let decided = approve(&other, &piece).await.expect(200).body;
    assert_eq!(decided["status"], "aprovado");
    let page = read_page(&team, &secret).await;
    assert!(page.contains("Tudo respondido."), "{page}");
}
