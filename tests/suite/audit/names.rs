//! Audit rows: the name of the resource, and each changed field with its old and new value.

use domain::Role;
use serde_json::{Value, json};

use super::audit_rows;
use crate::support::TestApp;

#[tokio::test]
async fn a_row_shows_the_current_name_of_its_resource() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let id = admin
        .create_demand(json!({ "title": "Título de antes" }))
        .await;
    let project = json!({ "name": "Turma de março" });
    admin.post("/api/projects", project).await.expect(201);
    let guest = json!({ "name": "Bia", "email": "bia@x.test", "access_level": "criador" });
    admin.post("/api/membros", guest).await.expect(201);
    let token = json!({ "label": "Notebook" });
    admin.post("/api/access/tokens", token).await.expect(201);
    for (action, name) in [
        ("create_demand", "Título de antes"),
        ("create_project", "Turma de março"),
        ("invite_member", "Bia"),
        ("create_my_token", "Notebook"),
    ] {
        assert_eq!(
            audit_rows(&admin, action).await[0]["resource_name"],
            name,
            "{action}"
        );
    }
    let change = json!({ "expected_revision": 1, "title": "Título de agora" });
    let path = format!("/api/eventos/{id}");
    admin.patch(&path, change).await.expect(200);
    assert_eq!(
        audit_rows(&admin, "create_demand").await[0]["resource_name"],
        "Título de agora"
    );
    // A resource that never existed has no name.
    let missing =
        json!({ "event_id": "0198c0de-0000-7000-8000-000000000000", "expected_revision": 1 });
    admin.post("/api/enviar", missing).await.expect(404);
    let row = &audit_rows(&admin, "submit_for_approval").await[0];
    assert_eq!(
        (&row["resource_name"], &row["changes"]),
        (&Value::Null, &json!([]))
    );
}

#[tokio::test]
async fn a_row_has_the_old_and_new_values_of_a_piece_except_its_text() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let id = admin.create_demand(json!({})).await;
    let draft = json!({ "event_id": id, "expected_revision": 1, "caption": "Segredo da legenda." });
    admin.post("/api/enviar", draft).await.expect(200);
    let row = &audit_rows(&admin, "submit_for_approval").await[0];
    let status = json!([{ "field": "status", "before": "a fazer", "after": "em aprovação" }]);
    assert_eq!(row["changes"], status);
    assert!(!row.to_string().contains("Segredo"), "{row}");
    let change = json!({
        "event_id": id, "expected_revision": 2, "action": "recusar", "motivo": "Motivo reservado."
    });
    admin.post("/api/aprovar", change).await.expect(200);
    let row = &audit_rows(&admin, "decide_approval").await[0];
    assert_eq!(row["changes"][0]["after"], "recusado");
    assert!(!row.to_string().contains("reservado"), "{row}");
}

#[tokio::test]
async fn a_row_has_the_old_and_new_rights_of_a_member() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let member = app.add_member(Role::Criador).await;
    let role = json!({ "member_id": member.id, "access_level": "lider" });
    admin.patch("/api/membros", role.clone()).await.expect(200);
    app.advance_clock(1);
    admin.patch("/api/membros", role).await.expect(200);
    let found = audit_rows(&admin, "update_member").await;
    assert_eq!(found[0]["changes"], json!([]), "nothing changed");
    let expected = json!([{ "field": "access_level", "before": "criador", "after": "lider" }]);
    assert_eq!(found[1]["changes"], expected);
    assert_eq!(found[1]["metadata"].get("changes"), None);

    let path = format!("/api/access/members/{}", member.id);
    let level = json!({ "api_access_level": "nenhum" });
    admin.patch(&path, level).await.expect(200);
    app.advance_clock(1);
    let change = &audit_rows(&admin, "update_member_api_access").await[0]["changes"][0];
    assert_eq!(
        (&change["field"], &change["after"]),
        (&json!("api_access_level"), &json!("nenhum"))
    );
    // The row of a refused change lists no changes.
    let above = json!({ "api_access_level": "admin" });
    admin.patch(&path, above).await.expect(409);
    assert_eq!(
        audit_rows(&admin, "update_member_api_access").await[0]["changes"],
        json!([])
    );
}
