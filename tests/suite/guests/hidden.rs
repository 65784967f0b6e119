//! Contents that are hidden from a guest: the briefing of a piece, its caption while the team edits
//! it, and archived pieces.

use domain::{EventStatus, Role};
use serde_json::{Value, json};

use super::{
    apply_operation, create_link, create_project_with, decide, invite, list_pieces, post_remark,
    submit_piece,
};
use crate::support::{Answer, Client, TestApp, guest_secret};

/// Sends a remark of a guest on a passage of the caption.
async fn remark_on(guest: &Client, piece: &str, passage: &str, revision: i64) -> Answer {
    let place = json!({ "tipo": "legenda", "trecho": passage, "posicao": 9000 });
    let fields = json!({ "ancora": place, "api_revision": revision });
    post_remark(guest, piece, "Aqui", fields).await
}

#[tokio::test]
async fn a_briefing_is_not_shown_to_a_guest_as_a_caption() {
    let app = TestApp::new().await;
    let session = app.as_member(Role::Lider).await;
    let demand = json!({ "title": "Peça", "description": "briefing interno" });
    let id = session.create_demand(demand).await;
    let submit = json!({ "event_id": id, "expected_revision": 1 });
    session.post("/api/enviar", submit).await.expect(200);
    let guest = invite(&app, &session, "decidir", &[&id]).await;
    let seen = guest.get("/api/convidado/pecas").await.expect(200);
    assert!(!seen.text.contains("briefing interno"), "{}", seen.text);
    assert_eq!(seen.body["pecas"][0]["legenda"], Value::Null);
    let refused = remark_on(&guest, &id, "briefing", 2).await;
    assert_eq!(refused.expect(400).invalid_fields(), ["ancora"]);
    post_remark(&guest, &id, "E a legenda?", json!({}))
        .await
        .expect(200);
}

#[tokio::test]
async fn a_refused_place_does_not_reveal_the_caption_of_a_refused_piece() {
    let app = TestApp::new().await;
    let session = app.as_member(Role::Lider).await;
    let id = submit_piece(&session, "Peça", "Legenda enviada").await;
    let guest = invite(&app, &session, "comentar", &[&id]).await;
    let refuse = json!({ "event_id": id, "action": "recusar", "motivo": "outra" });
    session.post("/api/aprovar", refuse).await.expect(200);
    // The refusal is the same whether or not the caption contains the passage.
    let there = remark_on(&guest, &id, "Legenda", 3).await.expect(400);
    let not_there = remark_on(&guest, &id, "girassol", 3).await.expect(400);
    assert_eq!(there.invalid_fields(), ["ancora"]);
    assert_eq!(there.body["details"], not_there.body["details"]);
    let save = json!({ "event_id": id, "expected_revision": 3, "caption": "Rascunho" });
    session.post("/api/draft", save).await.expect(200);
    let refused = remark_on(&guest, &id, "Rascunho", 4).await;
    refused.expect_refusal(404, "NOT_FOUND");
}

/// If a thread of the team sufficed, the answer would reveal to the guest whether the team
/// discusses the piece.
#[tokio::test]
async fn a_thread_of_the_team_is_no_reason_for_a_guest_to_ask_for_changes() {
    let app = TestApp::new().await;
    let session = app.as_member(Role::Lider).await;
    let id = submit_piece(&session, "Peça", "Legenda").await;
    let guest = invite(&app, &session, "decidir", &[&id]).await;
    let path = format!("/api/eventos/{id}/comentarios");
    let remark = json!({ "texto": "Só nosso" });
    session.post(&path, remark).await.expect(200);
    let refused = decide(&guest, &id, "pedir_ajustes", 2).await;
    refused.expect_refusal(400, "INVALID_INPUT");
    let remark = json!({ "texto": "Troque a foto", "publico": "convidados" });
    session.post(&path, remark).await.expect(200);
    decide(&guest, &id, "pedir_ajustes", 2).await.expect(200);
}

/// The audit trail and the history find the decision of a guest by the id of the piece, which the
/// guest sends in upper case here.
#[tokio::test]
async fn a_decision_with_an_id_in_upper_case_still_names_the_guest() {
    let app = TestApp::new().await;
    let session = app.as_member(Role::Lider).await;
    let id = submit_piece(&session, "Peça", "Legenda").await;
    super::let_a_second_pass(&app);
    let guest = invite(&app, &session, "decidir", &[&id]).await;
    let decided = decide(&guest, &id.to_uppercase(), "aprovar", 2).await;
    decided.expect(200);
    let event = session.get(&format!("/api/eventos/{id}")).await.expect(200);
    let line = event.body["historico"][0].clone();
    assert_eq!(line["convidado"], true, "{line}");
    assert_eq!(line["actor_name"], "Beatriz Rocha");
    assert_eq!(list_pieces(&guest).await[0]["status"], "aprovado");
    // The decision does not count as an action of an agent of the member who made the link.
    let path = "/api/access/agents/atividade";
    let actions = session.get(path).await.expect(200);
    assert!(
        !actions.text.contains("decide_as_guest"),
        "{}",
        actions.text
    );
}

async fn assert_hidden(guest: &Client, id: &str) {
    assert_eq!(list_pieces(guest).await, [] as [Value; 0]);
    let refused = decide(guest, id, "aprovar", 2).await;
    refused.expect_refusal(404, "NOT_FOUND");
    let refused = post_remark(guest, id, "Oi", json!({})).await;
    refused.expect_refusal(404, "NOT_FOUND");
}

#[tokio::test]
async fn an_archived_piece_is_hidden_from_its_guests() {
    let app = TestApp::new().await;
    let session = app.as_member(Role::Lider).await;
    let id = submit_piece(&session, "Peça", "Legenda").await;
    let made = create_link(&session, "decidir", json!({ "pecas": [id] })).await;
    let guest = app.guest_client(&made);
    assert_eq!(list_pieces(&guest).await.len(), 1);
    let archived = EventStatus::Archived.as_str();
    let archive = json!({ "expected_revision": 2, "status": archived });
    let path = format!("/api/eventos/{id}");
    session.patch(&path, archive).await.expect(200);
    assert_hidden(&guest, &id).await;
    let page = format!("/convidado/{}", guest_secret(&made));
    let shown = app.anonymous().get(&page).await.expect(200);
    assert!(!shown.text.contains("Legenda"), "{}", shown.text);
    assert!(shown.text.contains("Ainda não há nada para ver."));
}

#[tokio::test]
async fn the_pieces_of_an_archived_project_are_hidden_from_its_guests() {
    let app = TestApp::new().await;
    let session = app.as_member(Role::Lider).await;
    let id = submit_piece(&session, "Peça", "Legenda").await;
    let (project, revision) = create_project_with(&session, &id).await;
    let fields = json!({ "project_id": project, "mes": "2026-11" });
    let made = create_link(&session, "decidir", fields).await;
    let guest = app.guest_client(&made);
    assert_eq!(list_pieces(&guest).await.len(), 1);
    apply_operation(&session, &project, "project.archive", json!({}), revision).await;
    assert_hidden(&guest, &id).await;
}
