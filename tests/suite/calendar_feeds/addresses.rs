//! Creating, listing and revoking the addresses of calendars.

use domain::Role;
use serde_json::{Value, json};

use super::{calendar_path, calendar_secret, create_calendar, read_calendar};
use crate::{
    sign_in::{BETTER, PASSWORD, session_client, sign_in, team_with_bia},
    support::{Client, TestApp},
};

async fn list_feeds(session: &Client) -> Vec<Value> {
    let listed = session.get("/api/calendarios").await.expect(200).body;
    listed["calendarios"].as_array().expect("a list").clone()
}

#[tokio::test]
async fn an_address_is_made_in_a_session_and_shown_once() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Criador).await;
    let session = app.session_client(&member).await;
    let input = json!({ "nome": "Agenda" });
    let token = app.token_client(&member).await;
    let refused = token.post("/api/calendarios", input.clone()).await;
    refused.expect_refusal(403, "SESSION_REQUIRED");
    let refused = app.anonymous().post("/api/calendarios", input).await;
    refused.expect_refusal(401, "UNAUTHENTICATED");
    let made = create_calendar(&session, json!({})).await;
    let secret = calendar_secret(&made);
    assert_eq!(secret.len(), 43);
    assert!(calendar_path(&made).ends_with("/agenda.ics"));
    let listed = session.get("/api/calendarios").await.expect(200);
    assert!(!listed.text.contains(&secret));
    assert_eq!(
        listed.body["calendarios"][0]["id"],
        made["calendario"]["id"]
    );
    assert!(!app.contains_text(&secret).await, "only the hash is stored");
    assert!(
        token
            .tool_names()
            .await
            .iter()
            .all(|name| !name.contains("calendar"))
    );
}

#[tokio::test]
async fn an_address_is_revoked_at_once_and_only_by_its_member() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Criador).await;
    let session = app.session_client(&member).await;
    let admin = app.add_member(Role::Admin).await;
    let admin = app.session_client(&admin).await;
    let made = create_calendar(&session, json!({})).await;
    let other = create_calendar(&session, json!({})).await;
    let id = made["calendario"]["id"].as_str().expect("an id");
    let path = format!("/api/calendarios/{id}");
    admin.delete(&path).await.expect_refusal(404, "NOT_FOUND");
    assert!(list_feeds(&admin).await.is_empty());
    read_calendar(&app, &made).await;
    for _ in 0..2 {
        session.delete(&path).await.expect(200);
    }
    let refused = app.anonymous().get(&calendar_path(&made)).await;
    let unknown = app
        .anonymous()
        .get(&calendar_path(&made).replace("io/", "io/A"))
        .await;
    assert_eq!(refused.body["message"], unknown.body["message"]);
    refused.expect_refusal(404, "NOT_FOUND");
    read_calendar(&app, &other).await;
    assert_eq!(list_feeds(&session).await.len(), 1);
}

#[tokio::test]
async fn a_member_has_ten_addresses_at_most() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Criador).await;
    let session = app.session_client(&member).await;
    let mut made = vec![];
    for _ in 0..10 {
        made.push(create_calendar(&session, json!({})).await);
    }
    let input = json!({ "nome": "Agenda" });
    let refused = session.post("/api/calendarios", input.clone()).await;
    refused.expect_refusal(409, "TOO_MANY_CALENDAR_FEEDS");
    let id = made[0]["calendario"]["id"].as_str().expect("an id");
    session
        .delete(&format!("/api/calendarios/{id}"))
        .await
        .expect(200);
    session.post("/api/calendarios", input).await.expect(201);
}

#[tokio::test]
async fn the_fields_of_a_calendar_are_checked() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let session = app.session_client(&member).await;
    for (fields, field) in [
        (json!({ "nome": "" }), "nome"),
        (json!({ "nome": " \u{200b} " }), "nome"),
        (json!({ "nome": "a".repeat(81) }), "nome"),
        (json!({ "nome": "a", "status": "pronto" }), "status"),
        (json!({ "nome": "a", "status": "arquivado" }), "status"),
        (json!({ "nome": "a", "channel": "" }), "channel"),
        (json!({ "nome": "a", "tipo": "a".repeat(81) }), "tipo"),
        (json!({ "nome": "a", "canal": "x" }), "canal"),
    ] {
        let refused = session.post("/api/calendarios", fields.clone()).await;
        assert_eq!(refused.expect(400).invalid_fields(), [field], "{fields}");
    }
    let unknown = "01990000-0000-7000-8000-00000000ffff";
    for field in ["assignee_id", "project_id"] {
        let input = json!({ "nome": "a", field: unknown });
        let refused = session.post("/api/calendarios", input).await;
        refused.expect_refusal(404, "NOT_FOUND");
    }
    assert!(list_feeds(&session).await.is_empty());
    // Every tag of a piece can be a filter.
    create_calendar(&session, json!({ "tipo": "é".repeat(80) })).await;
}

/// Asserts that the audit trail has one row for the revocation of this calendar, with this cause.
/// Returns the row.
async fn assert_revocation_is_audited(app: &TestApp, made: &Value, cause: &str) -> Value {
    let admin = app.as_member(Role::Admin).await;
    let path = "/api/access/audit?action=revoke_calendar_feed";
    let rows = admin.get(path).await.expect(200).body;
    let rows = rows["audit"].as_array().expect("a list").clone();
    let of_feed = |row: &&Value| row["resource_id"] == made["calendario"]["id"];
    let rows: Vec<&Value> = rows.iter().filter(of_feed).collect();
    assert_eq!(rows.len(), 1, "{cause}: {rows:?}");
    assert_eq!(rows[0]["resource_type"], "calendar_feed");
    assert_eq!(rows[0]["metadata"]["cause"], cause);
    rows[0].clone()
}

#[tokio::test]
async fn all_addresses_of_a_member_who_leaves_are_revoked_for_good() {
    let app = TestApp::new().await;
    let admin = app.add_member(Role::Admin).await;
    let admin = app.session_client(&admin).await;
    let member = app.add_member(Role::Lider).await;
    let session = app.session_client(&member).await;
    let made = create_calendar(&session, json!({})).await;
    let kept = create_calendar(&admin, json!({})).await;
    read_calendar(&app, &made).await;
    let path = format!("/api/membros/{}", member.id);
    admin.delete(&path).await.expect(200);
    let refused = app.anonymous().get(&calendar_path(&made)).await;
    refused.expect_refusal(404, "NOT_FOUND");
    assert_eq!(
        app.count_rows("calendar_feeds WHERE revoked_at IS NOT NULL")
            .await,
        1
    );
    read_calendar(&app, &kept).await;
    assert_revocation_is_audited(&app, &made, "offboard_member").await;
}

/// Admins see the calendars of a member on the page of the member, and can revoke them there.
#[tokio::test]
async fn an_admin_sees_and_revokes_the_calendar_of_a_colleague() {
    let app = TestApp::new().await;
    let admin = app.add_member(Role::Admin).await;
    let member = app.add_member(Role::Lider).await;
    let (boss, session) = (
        app.session_client(&admin).await,
        app.session_client(&member).await,
    );
    let made = create_calendar(&session, json!({ "nome": "Minha agenda" })).await;
    let kept = create_calendar(&boss, json!({})).await;
    let list = boss.get("/api/access/members").await.expect(200);
    assert!(!list.text.contains("/calendario/"), "{}", list.text);
    let members = list.body["members"].as_array().expect("a list").clone();
    let row = members.iter().find(|one| one["id"] == member.id.as_str());
    let calendars = row.expect("the member")["calendarios"].clone();
    assert_eq!(calendars[0]["nome"], "Minha agenda");
    assert_eq!(calendars[0]["id"], made["calendario"]["id"]);
    let id = made["calendario"]["id"].as_str().expect("an id");
    let path = |of: &str| format!("/api/access/members/{of}/calendarios/{id}");
    session.delete(&path(member.id.as_str())).await.expect(403);
    boss.delete(&path(admin.id.as_str())).await.expect(404);
    read_calendar(&app, &made).await;
    for _ in 0..2 {
        boss.delete(&path(member.id.as_str())).await.expect(200);
    }
    let read = app.anonymous().get(&calendar_path(&made)).await;
    read.expect_refusal(404, "NOT_FOUND");
    read_calendar(&app, &kept).await;
    assert!(list_feeds(&session).await.is_empty());
    let trail = boss.get("/api/access/audit?action=revoke_member_calendar_feed");
    let trail = trail.await.expect(200).body;
    let rows = trail["audit"].as_array().expect("a list").iter();
    let done: Vec<_> = rows.filter(|row| row["outcome"] == "succeeded").collect();
    assert_eq!(done.len(), 2, "{trail}");
    for row in done {
        assert_eq!(row["resource_type"], "calendar_feed");
        assert_eq!(row["resource_id"], id);
    }
}

#[tokio::test]
async fn a_password_reset_that_revokes_tokens_revokes_the_addresses_too() {
    let app = TestApp::new().await;
    let admin = app.add_member(Role::Admin).await;
    let admin = app.session_client(&admin).await;
    let member = app.add_member(Role::Lider).await;
    let session = app.session_client(&member).await;
    let made = create_calendar(&session, json!({})).await;
    let path = format!("/api/membros/{}/senha", member.id);
    for (revoke, status) in [(false, 200), (true, 404)] {
        let input = json!({ "senha": "uma frase bem comprida 17", "revoke_tokens": revoke });
        admin.post(&path, input).await.expect(200);
        let read = app.anonymous().get(&calendar_path(&made)).await;
        assert_eq!(read.status, status, "{revoke}");
    }
    let row = assert_revocation_is_audited(&app, &made, "set_member_password").await;
    assert_eq!(row["capability"], "members");
}

#[tokio::test]
async fn a_password_change_that_revokes_tokens_revokes_the_addresses_too() {
    let (app, _, bia) = team_with_bia().await;
    let session = sign_in(&app, "bia@equipe.test", PASSWORD).await;
    let session = session_client(&app, &session.expect(200).body);
    let made = create_calendar(&session, json!({})).await;
    let input = json!({ "password": BETTER, "revoke_tokens": true });
    session.put("/auth/v1/user", input).await.expect(200);
    let read = app.anonymous().get(&calendar_path(&made)).await;
    read.expect_refusal(404, "NOT_FOUND");
    let row = assert_revocation_is_audited(&app, &made, "change_my_password").await;
    assert_eq!(row["actor_member_id"], bia["id"]);
}

#[tokio::test]
async fn the_audit_trail_names_the_calendar_and_never_the_secret() {
    let app = TestApp::new().await;
    let admin = app.add_member(Role::Admin).await;
    let session = app.session_client(&admin).await;
    let made = create_calendar(&session, json!({ "nome": "Só minha" })).await;
    let id = made["calendario"]["id"].as_str().expect("an id");
    session
        .delete(&format!("/api/calendarios/{id}"))
        .await
        .expect(200);
    for action in ["create_calendar_feed", "revoke_calendar_feed"] {
        let path = format!("/api/access/audit?action={action}");
        let rows = session.get(&path).await.expect(200);
        assert!(!rows.text.contains(&calendar_secret(&made)));
        let row = &rows.body["audit"][0];
        assert_eq!(row["resource_type"], "calendar_feed", "{action}");
        assert_eq!(row["resource_id"], id);
    }
}
