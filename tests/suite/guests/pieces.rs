//! The pieces that a guest sees, and the remarks and decisions of a guest.

use domain::Role;
use serde_json::{Value, json};

use super::{
    create_link, create_project_with, decide, invite, let_a_second_pass, list_pieces, post_remark,
    submit, submit_piece,
};
use crate::support::TestApp;

#[tokio::test]
async fn a_guest_sees_submitted_pieces_without_anything_internal() {
    let app = TestApp::new().await;
    let lead = app.add_member(Role::Lider).await;
    let session = app.session_client(&lead).await;
    let draft = session
        .create_demand(json!({ "title": "Rascunho secreto" }))
        .await;
    let id = session
        .create_demand(json!({ "title": "Para você", "description": "briefing interno" }))
        .await;
    let save = json!({ "event_id": id, "expected_revision": 1, "caption": "primeira versão" });
    session.post("/api/draft", save).await.expect(200);
    submit(&session, &id, "Legenda final").await;
    for (text, audience) in [("só da equipe", "equipe"), ("para todos", "convidados")] {
        let path = format!("/api/eventos/{id}/comentarios");
        let remark = json!({ "texto": text, "publico": audience });
        session.post(&path, remark).await.expect(200);
    }
    let guest = invite(&app, &session, "decidir", &[&id, &draft]).await;
    let seen = guest.get("/api/convidado/pecas").await.expect(200);
    for hidden in [
        "Rascunho secreto",
        "briefing interno",
        "primeira versão",
        "só da equipe",
        lead.email.as_str(),
        lead.id.as_str(),
    ] {
        assert!(!seen.text.contains(hidden), "{hidden} in {}", seen.text);
    }
    let pieces = seen.body["pecas"].as_array().expect("a list");
    assert_eq!(pieces.len(), 1);
    assert_eq!(pieces[0]["legenda"], "Legenda final");
    assert_eq!(pieces[0]["comentarios"][0]["texto"], "para todos");
    assert_eq!(seen.body["convidado_por"], lead.name);

    // A refused piece is work in progress: its content is not shown.
    let_a_second_pass(&app);
    let refuse = json!({ "event_id": id, "action": "recusar", "motivo": "motivo interno" });
    session.post("/api/aprovar", refuse).await.expect(200);
    let save = json!({ "event_id": id, "expected_revision": 4, "caption": "segunda versão" });
    session.post("/api/draft", save).await.expect(200);
    let seen = guest.get("/api/convidado/pecas").await.expect(200);
    for hidden in ["segunda versão", "motivo interno", "Legenda final"] {
        assert!(!seen.text.contains(hidden), "{hidden} in {}", seen.text);
    }
}

#[tokio::test]
async fn a_guest_approves_the_revision_that_they_saw_and_the_history_names_them() {
    let app = TestApp::new().await;
    let session = app.add_member(Role::Lider).await;
    let session = app.session_client(&session).await;
    let id = submit_piece(&session, "Peça", "Legenda").await;
    let guest = invite(&app, &session, "decidir", &[&id]).await;
    let refused = decide(&guest, &id, "aprovar", 1).await;
    let refused = refused.expect_refusal(409, "STALE_REVISION");
    assert_eq!(refused.body["details"]["current_revision"], 2);
    // The refusal does not say what has changed.
    let details = refused.body["details"].as_object().expect("details");
    assert_eq!(
        details.keys().collect::<Vec<_>>(),
        ["current_revision", "next"]
    );
    let_a_second_pass(&app);
    let keyed = guest.with_idempotency_key("aprova-uma-vez");
    let decided = decide(&keyed, &id, "aprovar", 2).await.expect(200);
    assert_eq!(decided.body["status"], "aprovado");
    let again = decide(&keyed, &id, "aprovar", 2).await.expect(200);
    assert_eq!(again.body, decided.body);
    let late = decide(&guest, &id, "pedir_ajustes", 3).await;
    late.expect_refusal(409, "EVENT_NOT_PENDING");

    let event = session
        .get(&format!("/api/eventos/{id}"))
        .await
        .expect(200)
        .body;
    let line = &event["historico"][0];
    assert_eq!(line["action"], "decide_approval", "{event}");
    assert_eq!(
        (&line["actor_name"], &line["convidado"]),
        (&json!("Beatriz Rocha"), &json!(true))
    );
    let admin = app.as_member(Role::Admin).await;
    let audit = admin.get("/api/access/audit?action=decide_as_guest").await;
    let rows = audit.expect(200).body["audit"].clone();
    assert_eq!(rows[0]["auth_method"], "guest", "{rows}");
    assert_eq!(rows[0]["token_name"], "Beatriz Rocha");
}

#[tokio::test]
async fn a_guest_asks_for_changes_with_a_remark_that_the_team_works_on() {
    let app = TestApp::new().await;
    let session = app.add_member(Role::Lider).await;
    let session = app.session_client(&session).await;
    let id = submit_piece(&session, "Peça", "Legenda").await;
    let guest = invite(&app, &session, "decidir", &[&id]).await;
    let empty = decide(&guest, &id, "pedir_ajustes", 2).await;
    assert_eq!(empty.status, 400, "{}", empty.text);
    let input = json!({ "event_id": id, "acao": "pedir_ajustes", "api_revision": 2,
        "texto": "Troque a foto." });
    let decided = guest
        .post("/api/convidado/decisao", input)
        .await
        .expect(200);
    assert_eq!(decided.body["status"], "recusado");
    let listed = session
        .get(&format!("/api/comentarios?event_id={id}"))
        .await;
    let remarks = listed.expect(200).body["comentarios"].clone();
    assert_eq!(remarks.as_array().map(Vec::len), Some(1));
    let remark = &remarks[0];
    assert_eq!(remark["texto"], "Troque a foto.");
    assert_eq!(remark["author_name"], "Beatriz Rocha");
    assert_eq!(
        (&remark["convidado"], &remark["publico"]),
        (&json!(true), &json!("convidados"))
    );
    // The remark belongs to the guest, not to the member who made the link.
    let path = format!("/api/comentarios/{}", remark["id"].as_str().expect("an id"));
    let edit = session
        .patch(&path, json!({ "texto": "Outra coisa" }))
        .await;
    edit.expect_refusal(403, "NOT_YOUR_REMARK");
    let author = remark["author_id"].as_str().expect("an id");
    let path = format!("/api/comentarios?autor={author}");
    let own = session.get(&path).await.expect(200).body;
    assert_eq!(own["comentarios"], json!([]));
    // The team answers, and the guest sees the answer together with the next version.
    let answer = json!({ "texto": "Trocada.", "responde_a": remark["conversa"] });
    let path = format!("/api/eventos/{id}/comentarios");
    let_a_second_pass(&app);
    session.post(&path, answer).await.expect(200);
    submit(&session, &id, "Legenda nova").await;
    let piece = list_pieces(&guest).await.remove(0);
    assert_eq!(piece["legenda"], "Legenda nova");
    let texts: Vec<&Value> = piece["comentarios"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|remark| &remark["texto"])
        .collect();
    assert_eq!(texts, [&json!("Troque a foto."), &json!("Trocada.")]);
}

#[tokio::test]
async fn an_answer_never_changes_who_sees_a_thread() {
    let app = TestApp::new().await;
    let session = app.add_member(Role::Lider).await;
    let session = app.session_client(&session).await;
    let id = submit_piece(&session, "Peça", "Legenda").await;
    let guest = invite(&app, &session, "comentar", &[&id]).await;
    let path = format!("/api/eventos/{id}/comentarios");
    let inner = session
        .post(&path, json!({ "texto": "Interno" }))
        .await
        .expect(200)
        .body["id"]
        .clone();
    let shown = post_remark(&guest, &id, "Oi", json!({}))
        .await
        .expect(200)
        .body["id"]
        .clone();
    for (thread, audience) in [(&inner, "convidados"), (&shown, "equipe")] {
        let answer = json!({ "texto": "E?", "responde_a": thread, "publico": audience });
        let refused = session.post(&path, answer).await;
        assert_eq!(refused.invalid_fields(), ["publico"]);
    }
    // The refusal is the same for a thread of the team as for an unknown thread.
    let hidden = post_remark(&guest, &id, "E?", json!({ "responde_a": inner })).await;
    let unknown = post_remark(
        &guest,
        &id,
        "E?",
        json!({ "responde_a": "01990000-0000-7000-8000-00000000ffff" }),
    )
    .await;
    assert_eq!(hidden.invalid_fields(), ["responde_a"]);
    assert_eq!(hidden.body["details"], unknown.body["details"]);
    session
        .post(
            &path,
            json!({ "texto": "Resposta interna", "responde_a": inner }),
        )
        .await
        .expect(200);
    post_remark(&guest, &id, "Mais", json!({ "responde_a": shown }))
        .await
        .expect(200);
    let piece = list_pieces(&guest).await.remove(0);
    assert_eq!(
        piece["comentarios"].as_array().map(Vec::len),
        Some(2),
        "{piece}"
    );
}

#[tokio::test]
async fn a_guest_cannot_probe_earlier_captions_with_a_remark() {
    let app = TestApp::new().await;
    let session = app.add_member(Role::Lider).await;
    let session = app.session_client(&session).await;
    let id = session.create_demand(json!({})).await;
    let save = json!({ "event_id": id, "expected_revision": 1, "caption": "segredo antigo" });
    session.post("/api/draft", save).await.expect(200);
    submit(&session, &id, "Legenda nova").await;
    let guest = invite(&app, &session, "comentar", &[&id]).await;
    let probe = json!({ "api_revision": 2, "ancora": { "tipo": "legenda", "trecho": "segredo" } });
    post_remark(&guest, &id, "?", probe)
        .await
        .expect_refusal(409, "STALE_REVISION");
    let passage =
        json!({ "api_revision": 3, "ancora": { "tipo": "legenda", "trecho": "Legenda" } });
    post_remark(&guest, &id, "Bom", passage).await.expect(200);
}

#[tokio::test]
async fn a_link_of_a_project_shows_the_pieces_of_its_month() {
    let app = TestApp::new().await;
    let session = app.add_member(Role::Lider).await;
    let session = app.session_client(&session).await;
    let november = submit_piece(&session, "Novembro", "Legenda").await;
    let other = submit_piece(&session, "De outro projeto", "Legenda").await;
    let (project, _) = create_project_with(&session, &november).await;
    for (month, titles) in [("2026-11", vec!["Novembro"]), ("2026-12", vec![])] {
        let fields = json!({ "project_id": project, "mes": month });
        let made = create_link(&session, "decidir", fields).await;
        let guest = app.guest_client(&made);
        let pieces = list_pieces(&guest).await;
        let shown: Vec<_> = pieces
            .iter()
            .map(|piece| piece["titulo"].as_str().expect("a title"))
            .collect();
        assert_eq!(shown, titles);
        let refused = decide(&guest, &other, "aprovar", 2).await;
        refused.expect_refusal(404, "NOT_FOUND");
    }
}

#[tokio::test]
async fn one_of_two_simultaneous_decisions_of_a_guest_and_a_member_wins() {
    let app = TestApp::new().await;
    let session = app.add_member(Role::Lider).await;
    let session = app.session_client(&session).await;
    for round in 0..6 {
        let id = submit_piece(&session, "Peça", &format!("Legenda {round}")).await;
        let guest = invite(&app, &session, "decidir", &[&id]).await;
        let refuse = json!({ "event_id": id, "action": "recusar", "motivo": "Não",
            "expected_revision": 2 });
        let (one, other) = tokio::join!(
            decide(&guest, &id, "aprovar", 2),
            session.post("/api/aprovar", refuse)
        );
        let won = [&one, &other]
            .iter()
            .filter(|answer| answer.status == 200)
            .count();
        assert_eq!(won, 1, "{} {}", one.text, other.text);
        let status = session.load_event(&id).await["status"].clone();
        assert_eq!(
            status,
            if one.status == 200 {
                "aprovado"
            } else {
                "recusado"
            }
        );
    }
}

#[tokio::test]
async fn two_guests_of_one_member_may_use_the_same_idempotency_key() {
    let app = TestApp::new().await;
    let session = app.add_member(Role::Lider).await;
    let session = app.session_client(&session).await;
    let id = submit_piece(&session, "Peça", "Legenda").await;
    let other = submit_piece(&session, "Outra", "Legenda").await;
    let guest = invite(&app, &session, "decidir", &[&id]).await;
    let stranger = invite(&app, &session, "decidir", &[&other]).await;
    let keyed = |client: &crate::support::Client| client.with_idempotency_key("a-mesma-chave");
    decide(&keyed(&guest), &id, "aprovar", 2).await.expect(200);
    let refused = decide(&keyed(&stranger), &id, "aprovar", 2).await;
    refused.expect_refusal(404, "NOT_FOUND");
    let own = decide(&keyed(&stranger), &other, "aprovar", 2).await;
    own.expect(200);
}
