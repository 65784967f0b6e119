//! A link lives no longer than the right of the member who made it.

use domain::Role;
use serde_json::json;

use super::{invite, submit_piece};
use crate::support::{Client, TestApp};

async fn link_states(admin: &Client) -> Vec<String> {
    let listed = admin
        .get("/api/convidados?encerrados=true")
        .await
        .expect(200);
    let links = listed.body["links"].as_array().expect("links").clone();
    let state = |link: &serde_json::Value| link["estado"].as_str().unwrap_or("-").to_owned();
    links.iter().map(state).collect()
}

#[tokio::test]
async fn a_new_role_without_approvals_revokes_the_links_for_good() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let lead = app.add_member(Role::Lider).await;
    let session = app.session_client(&lead).await;
    let id = submit_piece(&session, "Peça", "Legenda").await;
    let guest = invite(&app, &session, "decidir", &[&id]).await;
    guest.get("/api/convidado/pecas").await.expect(200);
    for role in ["criador", "lider"] {
        let change = json!({ "member_id": lead.id, "access_level": role });
        admin.patch("/api/membros", change).await.expect(200);
        let refused = guest.get("/api/convidado/pecas").await;
        refused.expect_refusal(401, "TOKEN_REVOKED");
        assert_eq!(link_states(&admin).await, ["revogado"], "{role}");
    }
}

#[tokio::test]
async fn a_member_who_leaves_revokes_their_links_and_no_others() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let lead = app.add_member(Role::Lider).await;
    let session = app.session_client(&lead).await;
    let id = submit_piece(&session, "Peça", "Legenda").await;
    let theirs = invite(&app, &session, "ver", &[&id]).await;
    let other = invite(&app, &admin, "ver", &[&id]).await;
    let path = format!("/api/membros/{}", lead.id);
    admin.delete(&path).await.expect(200);
    let refused = theirs.get("/api/convidado/pecas").await;
    refused.expect_refusal(401, "TOKEN_REVOKED");
    other.get("/api/convidado/pecas").await.expect(200);
    let mut states = link_states(&admin).await;
    states.sort();
    assert_eq!(states, ["ativo", "revogado"]);
}
