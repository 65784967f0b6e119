//! Creating, listing and revoking the links of guests.

use domain::{Role, time::DAY};
use serde_json::json;

use super::{create_link, decide, invite, list_pieces, submit_piece};
use crate::support::{TestApp, guest_secret};

#[tokio::test]
async fn only_members_who_decide_create_links_and_only_in_a_session() {
    let app = TestApp::new().await;
    let lead = app.add_member(Role::Lider).await;
    let session = app.session_client(&lead).await;
    let id = submit_piece(&session, "Peça", "Legenda").await;
    let input = json!({ "nome": "Bia", "contato": "bia@cliente.test", "direito": "ver",
        "pecas": [id] });
    let token = app.token_client(&lead).await;
    let refused = token.post("/api/convidados", input.clone()).await;
    refused.expect_refusal(403, "SESSION_REQUIRED");
    let creator = app.add_member(Role::Criador).await;
    let creator = app.session_client(&creator).await;
    let refused = creator.post("/api/convidados", input.clone()).await;
    refused.expect_refusal(403, "CAPABILITY_REQUIRED");
    let made = session.post("/api/convidados", input).await;
    let made = made.expect(201).body;
    assert_eq!(made["link"]["estado"], "ativo");
    assert!(made["codigo"].is_null());
    let secret = guest_secret(&made);
    assert_eq!(secret.len(), 43);
    // The secret is neither listed nor stored.
    let listed = session.get("/api/convidados").await.expect(200);
    assert!(!listed.text.contains(&secret));
    assert_eq!(listed.body["links"][0]["id"], made["link"]["id"]);
    for hidden in [token, creator] {
        assert_eq!(hidden.get("/api/convidados").await.status, 403);
    }
}

#[tokio::test]
async fn a_link_is_for_pieces_that_its_maker_sees_or_for_a_month_of_a_project() {
    let app = TestApp::new().await;
    let lead = app.add_member(Role::Lider).await;
    let session = app.session_client(&lead).await;
    let id = submit_piece(&session, "Peça", "Legenda").await;
    let project = session.post("/api/projects", json!({ "name": "Cliente" }));
    let project = project.await.expect(201).body["project"]["id"].clone();
    let unknown = "01990000-0000-7000-8000-00000000ffff";
    for (fields, field) in [
        (json!({}), "pecas"),
        (json!({ "pecas": [] }), "pecas"),
        (json!({ "pecas": [unknown] }), "pecas.0"),
        (
            json!({ "pecas": [id], "project_id": project, "mes": "2026-11" }),
            "pecas",
        ),
        (json!({ "project_id": project }), "mes"),
        (json!({ "mes": "2026-11" }), "project_id"),
        (json!({ "project_id": project, "mes": "2026-13" }), "mes"),
        (json!({ "pecas": [id], "dias": 91 }), "dias"),
        (json!({ "pecas": [id], "dias": 0 }), "dias"),
        (json!({ "pecas": vec![id.as_str(); 101] }), "pecas"),
    ] {
        let mut input = fields.clone();
        input["nome"] = "Bia".into();
        input["contato"] = "bia@cliente.test".into();
        input["direito"] = "ver".into();
        let refused = session.post("/api/convidados", input).await;
        assert_eq!(refused.invalid_fields(), [field], "{fields}");
    }
}

#[tokio::test]
async fn a_link_ends_when_it_is_revoked_expires_or_its_maker_may_no_longer_decide() {
    let app = TestApp::new().await;
    let admin = app.add_member(Role::Admin).await;
    let admin = app.session_client(&admin).await;
    let lead = app.add_member(Role::Lider).await;
    let session = app.session_client(&lead).await;
    let id = submit_piece(&session, "Peça", "Legenda").await;
    let made = create_link(&session, "decidir", json!({ "pecas": [id], "dias": 2 })).await;
    let revoked = app.guest_client(&made);
    list_pieces(&revoked).await;
    let path = format!(
        "/api/convidados/{}",
        made["link"]["id"].as_str().expect("an id")
    );
    for _ in 0..2 {
        admin.delete(&path).await.expect(200);
    }
    let refused = decide(&revoked, &id, "aprovar", 2).await;
    refused.expect_refusal(401, "TOKEN_REVOKED");

    let expired = create_link(&session, "ver", json!({ "pecas": [id], "dias": 2 })).await;
    let expired = app.guest_client(&expired);
    app.advance_clock(2 * DAY - 1);
    list_pieces(&expired).await;
    app.advance_clock(1);
    let refused = expired.get("/api/convidado/pecas").await;
    refused.expect_refusal(401, "TOKEN_EXPIRED");

    let admin = app.add_member(Role::Admin).await;
    let admin = app.session_client(&admin).await;
    let guest = invite(&app, &admin, "decidir", &[&id]).await;
    list_pieces(&guest).await;
    let lead_guest = {
        let again = app.session_client(&lead).await;
        invite(&app, &again, "decidir", &[&id]).await
    };
    let role = json!({ "member_id": lead.id, "access_level": "criador" });
    admin.patch("/api/membros", role).await.expect(200);
    let refused = decide(&lead_guest, &id, "aprovar", 2).await;
    refused.expect_refusal(401, "TOKEN_REVOKED");
    decide(&guest, &id, "aprovar", 2).await.expect(200);
}
