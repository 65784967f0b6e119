//! Password changes: what they require, and which credentials they revoke.

use std::time::Duration;

use domain::{MemberId, Role, UserId, time::MINUTE};
use serde_json::{Value, json};
use store::{accounts, members};

use super::sign_in;
use crate::{
    sign_in::{BETTER, PASSWORD, refresh_session, session_client, team_with_bia},
    support::{Answer, Client, TestApp},
};

async fn change_password(session: &Client, body: Value) -> Answer {
    session.put("/auth/v1/user", body).await
}

/// Returns the body that supabase-js sends for `updateUser({ password })`.
fn gotrue_body() -> Value {
    json!({ "password": BETTER, "code_challenge": null, "code_challenge_method": null })
}

/// Creates two personal tokens in Bia's session; returns a client for each token.
async fn create_tokens(
    app: &TestApp,
    admin: &Client,
    bia: &Value,
    session: &Client,
) -> Vec<Client> {
    let level = json!({ "api_access_level": "criador" });
    let path = format!("/api/access/members/{}", bia["id"].as_str().expect("an id"));
    admin.patch(&path, level).await.expect(200);
    let mut tokens = vec![];
    for label in ["um", "dois"] {
        let made = session
            .post("/api/access/tokens", json!({ "label": label }))
            .await;
        let made = made.expect(201).body;
        tokens.push(app.bearer(made["token"].as_str().expect("a token")));
    }
    tokens
}

#[tokio::test]
async fn ten_minutes_after_signing_in_the_current_password_is_required() {
    let (app, ..) = team_with_bia().await;
    let session = sign_in(&app.anonymous(), PASSWORD).await.expect(200).body;
    app.advance_clock(10 * MINUTE);
    // The age of a renewed session counts from the sign-in, not from the renewal.
    let renewed = refresh_session(&app, &session["refresh_token"]).await;
    let renewed = session_client(&app, &renewed.expect(200).body);
    let refused = change_password(&renewed, gotrue_body()).await;
    assert_eq!(refused.invalid_fields(), ["current_password"]);
    let next = refused.body["details"]["next"].as_str().expect("a hint");
    assert!(next.contains("entre de novo"), "{next}");
    let mut body = gotrue_body();
    body["current_password"] = json!(PASSWORD);
    let changed = change_password(&renewed, body).await.expect(200).body;
    session_client(&app, &changed)
        .get("/api/me")
        .await
        .expect(200);
}

#[tokio::test]
async fn just_after_signing_in_the_body_of_a_gotrue_client_is_enough() {
    let (app, ..) = team_with_bia().await;
    let session = sign_in(&app.anonymous(), PASSWORD).await.expect(200).body;
    app.advance_clock(10 * MINUTE - 1);
    let weak = json!({ "password": "fraca" });
    change_password(&session_client(&app, &session), weak)
        .await
        .expect_refusal(400, "WEAK_PASSWORD");
    // A wrong current password is refused even if the session is new.
    let wrong = json!({ "password": BETTER, "current_password": "errada" });
    change_password(&session_client(&app, &session), wrong)
        .await
        .expect_refusal(401, "INVALID_CREDENTIALS");
    let changed = change_password(&session_client(&app, &session), gotrue_body()).await;
    let changed = changed.expect(200).body;
    assert_eq!(changed["user"]["email"], "bia@equipe.test");
    session_client(&app, &changed)
        .get("/api/me")
        .await
        .expect(200);
    session_client(&app, &session)
        .get("/api/me")
        .await
        .expect(401);
    sign_in(&app.anonymous(), BETTER).await.expect(200);
}

#[tokio::test]
async fn a_password_change_revokes_personal_tokens_if_requested() {
    let (app, admin, bia) = team_with_bia().await;
    let session = sign_in(&app.anonymous(), PASSWORD).await.expect(200).body;
    let tokens = create_tokens(&app, &admin, &bia, &session_client(&app, &session)).await;
    let changed = change_password(&session_client(&app, &session), gotrue_body()).await;
    let changed = changed.expect(200).body;
    assert_eq!(changed["revoked_tokens"], 0);
    tokens[0].get("/api/me").await.expect(200);
    let body = json!({ "password": PASSWORD, "revoke_tokens": true });
    let changed = change_password(&session_client(&app, &changed), body)
        .await
        .expect(200)
        .body;
    assert_eq!(changed["revoked_tokens"], 2);
    for token in &tokens {
        token
            .get("/api/me")
            .await
            .expect_refusal(401, "TOKEN_REVOKED");
    }
    let rows = load_audit_rows(&admin, "revoke_my_token").await;
    assert_eq!(rows.len(), 2);
    for row in &rows {
        assert_eq!(row["actor_member_id"], bia["id"]);
        assert_eq!(row["outcome"], "succeeded");
        assert_eq!(row["metadata"]["cause"], "change_my_password");
    }
    assert_ne!(rows[0]["resource_id"], rows[1]["resource_id"]);
}

#[tokio::test]
async fn a_reset_by_an_admin_revokes_personal_tokens_unless_the_admin_keeps_them() {
    let (app, admin, bia) = team_with_bia().await;
    let session = sign_in(&app.anonymous(), PASSWORD).await.expect(200).body;
    let tokens = create_tokens(&app, &admin, &bia, &session_client(&app, &session)).await;
    let id = &MemberId::from(bia["id"].as_str().expect("an id"));
    let path = format!("/api/membros/{id}/senha");
    let kept = json!({ "senha": BETTER, "revoke_tokens": false });
    let answer = admin.post(&path, kept).await.expect(200).body;
    assert_eq!(
        answer,
        json!({ "ok": true, "member_id": id, "revoked_tokens": 0 })
    );
    tokens[0].get("/api/me").await.expect(200);
    let reset = json!({ "senha": PASSWORD });
    let answer = admin.post(&path, reset).await.expect(200).body;
    assert_eq!(answer["revoked_tokens"], 2);
    for token in &tokens {
        token
            .get("/api/me")
            .await
            .expect_refusal(401, "TOKEN_REVOKED");
    }
    let rows = load_audit_rows(&admin, "revoke_member_token").await;
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[0]["metadata"]["cause"], "set_member_password");
    assert_eq!(rows[0]["capability"], "members");
    // A member without tokens has none to revoke.
    let other = app.add_member(Role::Criador).await;
    let path = format!("/api/membros/{}/senha", other.id);
    let answer = admin.post(&path, json!({ "senha": BETTER })).await;
    assert_eq!(answer.expect(200).body["revoked_tokens"], 0);
}

async fn load_audit_rows(admin: &Client, action: &str) -> Vec<Value> {
    let path = format!("/api/access/audit?action={action}");
    let audit = admin.get(&path).await.expect(200).body;
    audit["audit"].as_array().expect("a list").clone()
}

#[tokio::test]
async fn a_token_requested_before_a_password_change_is_not_created_after_it() {
    let (app, admin, bia) = team_with_bia().await;
    let session = sign_in(&app.anonymous(), PASSWORD).await.expect(200).body;
    let session = session_client(&app, &session);
    create_tokens(&app, &admin, &bia, &session).await;
    let services = &app.app.gateway.services;
    let tx = services.db.begin().await.expect("begins");
    // This locks the member's row on PostgreSQL, so that the request below waits for this
    // transaction.
    let id = &MemberId::from(bia["id"].as_str().expect("an id"));
    members::lock_member(&tx.conn(), id)
        .await
        .expect("the lock is requested");
    let asked = session.post("/api/access/tokens", json!({ "label": "três" }));
    let mut asked = Box::pin(asked);
    let waits = tokio::time::timeout(Duration::from_millis(200), &mut asked).await;
    assert!(
        waits.is_err(),
        "the request did not wait for the transaction"
    );
    let user_id = &UserId::from(bia["user_id"].as_str().expect("an id"));
    accounts::end_sessions(&tx.conn(), user_id, app.now())
        .await
        .expect("the transaction ends");
    let revoked = store::tokens::revoke_all(&tx.conn(), id, app.now()).await;
    assert_eq!(revoked.expect("revokes").len(), 2);
    tx.commit().await.expect("commits");
    asked.await.expect_refusal(401, "UNAUTHENTICATED");
    assert_eq!(
        app.count_rows("personal_tokens WHERE revoked_at IS NULL")
            .await,
        0
    );
}
