//! Sessions of the embedded identity: invitation, sign-in, renewal, passwords, sign-out.

use domain::{
    Role,
    time::{DAY, HOUR, MINUTE, SECOND},
};
use futures::future::join;
use serde_json::{Value, json};

use crate::support::{Answer, Client, TestApp};

pub const PASSWORD: &str = "lagoa-trem-girafa-vinil";
pub const BETTER: &str = "nuvem-corda-abacate-piano";

/// Invites a person; returns the response body and the token of the invitation link.
pub async fn invite_person(admin: &Client, email: &str) -> (Value, String) {
    let person = json!({ "name": "Bia Prado", "email": email, "access_level": "criador" });
    let invited = admin.post("/api/membros", person).await.expect(201).body;
    let link = invited["convite_url"].as_str().expect("a link").to_owned();
    let token = link
        .strip_prefix("http://127.0.0.1:8080/convite#")
        .expect("in the fragment");
    (invited, token.to_owned())
}

pub async fn redeem_invitation(app: &TestApp, token: &str, password: &str) -> Answer {
    let body = json!({ "token": token, "password": password });
    app.anonymous().post("/auth/v1/verify", body).await
}

pub async fn sign_in(app: &TestApp, email: &str, password: &str) -> Answer {
    let body = json!({ "email": email, "password": password });
    app.anonymous()
        .post("/auth/v1/token?grant_type=password", body)
        .await
}

pub async fn refresh_session(app: &TestApp, token: &Value) -> Answer {
    let body = json!({ "refresh_token": token });
    app.anonymous()
        .post("/auth/v1/token?grant_type=refresh_token", body)
        .await
}

pub fn session_client(app: &TestApp, session: &Value) -> Client {
    app.bearer(session["access_token"].as_str().expect("a token"))
}

/// A team of an admin and Bia, who has set a password. Returns the service, the admin's client and
/// Bia's member.
pub async fn team_with_bia() -> (TestApp, Client, Value) {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let (invited, token) = invite_person(&admin, "bia@equipe.test").await;
    redeem_invitation(&app, &token, PASSWORD).await.expect(200);
    (app, admin, invited["membro"].clone())
}

#[tokio::test]
async fn redeeming_an_invitation_sets_a_password_and_opens_a_session() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let (invited, token) = invite_person(&admin, "  Bia@Equipe.TEST ").await;
    assert_eq!(invited["membro"]["email"], "bia@equipe.test");
    assert_eq!(invited["membro"]["api_access_level"], "nenhum");

    redeem_invitation(&app, &token, "curta")
        .await
        .expect_refusal(400, "WEAK_PASSWORD");
    let session = redeem_invitation(&app, &token, PASSWORD)
        .await
        .expect(200)
        .body;
    assert_eq!(session["token_type"], "bearer");
    assert_eq!(session["expires_in"], 900);
    assert_eq!(session["user"]["id"], invited["membro"]["user_id"]);
    let me = session_client(&app, &session)
        .get("/api/me")
        .await
        .expect(200)
        .body;
    assert_eq!(me["member"]["id"], invited["membro"]["id"]);
    assert_eq!(me["auth"], json!({ "kind": "session", "token_id": null }));
    redeem_invitation(&app, &token, PASSWORD)
        .await
        .expect_refusal(401, "UNAUTHENTICATED");

    let session = sign_in(&app, "BIA@equipe.test", PASSWORD)
        .await
        .expect(200)
        .body;
    session_client(&app, &session)
        .get("/api/me")
        .await
        .expect(200);
    app.advance_clock(17 * MINUTE);
    session_client(&app, &session)
        .get("/api/me")
        .await
        .expect_refusal(401, "TOKEN_EXPIRED");
}

#[tokio::test]
async fn an_invitation_is_invalid_after_72_hours_and_after_offboarding() {
    let app = TestApp::new().await;
    let admin = app.add_member(Role::Admin).await;
    let (invited, first) =
        invite_person(&app.session_client(&admin).await, "bia@equipe.test").await;
    let path = format!(
        "/api/membros/{}",
        invited["membro"]["id"].as_str().expect("an id")
    );
    app.session_client(&admin)
        .await
        .delete(&path)
        .await
        .expect(200);
    redeem_invitation(&app, &first, PASSWORD)
        .await
        .expect_refusal(401, "UNAUTHENTICATED");
    let (again, second) = invite_person(&app.session_client(&admin).await, "bia@equipe.test").await;
    assert_eq!(again["membro"]["id"], invited["membro"]["id"]);
    app.advance_clock(72 * HOUR);
    redeem_invitation(&app, &second, PASSWORD)
        .await
        .expect_refusal(401, "UNAUTHENTICATED");
}

#[tokio::test]
async fn wrong_credentials_get_equal_refusals_and_are_rate_limited() {
    let (app, _, bia) = team_with_bia().await;
    let wrong = sign_in(&app, "bia@equipe.test", "errada")
        .await
        .expect_refusal(401, "INVALID_CREDENTIALS");
    let unknown = sign_in(&app, "ze@equipe.test", "errada").await;
    assert_eq!((unknown.status, &unknown.text), (wrong.status, &wrong.text));
    for _ in 0..7 {
        sign_in(&app, "bia@equipe.test", "errada")
            .await
            .expect_refusal(401, "INVALID_CREDENTIALS");
    }
    let braked = sign_in(&app, "bia@equipe.test", PASSWORD)
        .await
        .expect_refusal(429, "RATE_LIMITED");
    assert_eq!(braked.headers["retry-after"], "900");
    app.advance_clock(15 * MINUTE);
    sign_in(&app, "bia@equipe.test", PASSWORD).await.expect(200);

    let failures = "/api/access/audit?action=sign_in_failed";
    let failures = app
        .as_member(Role::Admin)
        .await
        .get(failures)
        .await
        .expect(200);
    assert!(!failures.text.contains("ze@equipe.test"));
    let rows = failures.body["audit"].as_array().expect("a list").clone();
    assert_eq!(rows.len(), 9);
    assert_eq!(
        rows.iter()
            .filter(|row| row["actor_member_id"] == bia["id"])
            .count(),
        8
    );
}

#[tokio::test]
async fn missing_fields_are_named() {
    let app = TestApp::new().await;
    let anonymous = app.anonymous();
    let token = |query: &str, body: Value| {
        let (client, path) = (anonymous.clone(), format!("/auth/v1/token{query}"));
        async move { client.post(&path, body).await }
    };
    assert_eq!(token("", json!({})).await.invalid_fields(), ["grant_type"]);
    let password = "?grant_type=password";
    assert_eq!(
        token(password, json!({})).await.invalid_fields(),
        ["email", "password"]
    );
    let renewal = "?grant_type=refresh_token";
    assert_eq!(
        token(renewal, json!({})).await.invalid_fields(),
        ["refresh_token"]
    );
    let unknown = token(renewal, json!({ "refresh_token": "x" })).await;
    unknown.expect_refusal(401, "UNAUTHENTICATED");
}

#[tokio::test]
async fn a_used_refresh_token_presented_late_ends_its_session() {
    let (app, _, bia) = team_with_bia().await;
    let first = sign_in(&app, "bia@equipe.test", PASSWORD)
        .await
        .expect(200)
        .body;
    let second = refresh_session(&app, &first["refresh_token"])
        .await
        .expect(200)
        .body;
    assert_ne!(first["refresh_token"], second["refresh_token"]);
    app.advance_clock(10 * SECOND);
    let again = refresh_session(&app, &first["refresh_token"])
        .await
        .expect(200)
        .body;
    assert_eq!(again["refresh_token"], second["refresh_token"]);
    session_client(&app, &again)
        .get("/api/me")
        .await
        .expect(200);
    app.advance_clock(1);
    refresh_session(&app, &first["refresh_token"])
        .await
        .expect_refusal(401, "UNAUTHENTICATED");
    for session in [&first, &second, &again] {
        session_client(&app, session)
            .get("/api/me")
            .await
            .expect_refusal(401, "UNAUTHENTICATED");
    }
    refresh_session(&app, &second["refresh_token"])
        .await
        .expect_refusal(401, "UNAUTHENTICATED");
    let admin = app.as_member(Role::Admin).await;
    let audit = admin
        .get("/api/access/audit?action=token_refresh_reuse")
        .await
        .expect(200)
        .body;
    assert_eq!(audit["audit"][0]["actor_member_id"], bia["id"]);
    assert_eq!(audit["audit"].as_array().expect("a list").len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn simultaneous_renewals_both_succeed_with_one_successor() {
    let (app, ..) = team_with_bia().await;
    let session = sign_in(&app, "bia@equipe.test", PASSWORD)
        .await
        .expect(200)
        .body;
    let token = &session["refresh_token"];
    let (one, other) = join(refresh_session(&app, token), refresh_session(&app, token)).await;
    let (one, other) = (one.expect(200).body, other.expect(200).body);
    assert_eq!(one["refresh_token"], other["refresh_token"]);
    assert_eq!(
        app.count_rows("refresh_tokens WHERE used_at IS NULL").await,
        2
    );
    session_client(&app, &one).get("/api/me").await.expect(200);
    session_client(&app, &other)
        .get("/api/me")
        .await
        .expect(200);
}

#[tokio::test]
async fn a_refresh_token_is_valid_for_thirty_days() {
    let (app, ..) = team_with_bia().await;
    let session = sign_in(&app, "bia@equipe.test", PASSWORD)
        .await
        .expect(200)
        .body;
    app.advance_clock(30 * DAY - 1);
    let next = refresh_session(&app, &session["refresh_token"])
        .await
        .expect(200)
        .body;
    app.advance_clock(30 * DAY);
    refresh_session(&app, &next["refresh_token"])
        .await
        .expect_refusal(401, "UNAUTHENTICATED");
}

#[tokio::test]
async fn changing_ones_own_password_ends_every_session_except_the_new_one() {
    let (app, ..) = team_with_bia().await;
    let here = sign_in(&app, "bia@equipe.test", PASSWORD)
        .await
        .expect(200)
        .body;
    let there = sign_in(&app, "bia@equipe.test", PASSWORD)
        .await
        .expect(200)
        .body;
    let change = |new: &str, current: &str| {
        let body = json!({ "password": new, "current_password": current });
        let client = session_client(&app, &here);
        async move { client.put("/auth/v1/user", body).await }
    };
    change("fraca", PASSWORD)
        .await
        .expect_refusal(400, "WEAK_PASSWORD");
    change(BETTER, "errada")
        .await
        .expect_refusal(401, "INVALID_CREDENTIALS");
    session_client(&app, &there)
        .get("/api/me")
        .await
        .expect(200);
    let fresh = change(BETTER, PASSWORD).await.expect(200).body;
    session_client(&app, &fresh)
        .get("/api/me")
        .await
        .expect(200);
    for ended in [&here, &there] {
        session_client(&app, ended)
            .get("/api/me")
            .await
            .expect_refusal(401, "UNAUTHENTICATED");
        refresh_session(&app, &ended["refresh_token"])
            .await
            .expect_refusal(401, "UNAUTHENTICATED");
    }
    sign_in(&app, "bia@equipe.test", PASSWORD)
        .await
        .expect_refusal(401, "INVALID_CREDENTIALS");
    sign_in(&app, "bia@equipe.test", BETTER).await.expect(200);
}

#[tokio::test]
async fn signing_out_ends_this_session_or_all() {
    let (app, ..) = team_with_bia().await;
    let mut sessions = vec![];
    for _ in 0..3 {
        sessions.push(
            sign_in(&app, "bia@equipe.test", PASSWORD)
                .await
                .expect(200)
                .body,
        );
    }
    let [one, two, three] = sessions.try_into().expect("three sessions");
    session_client(&app, &one)
        .post("/auth/v1/logout", json!({}))
        .await
        .expect(200);
    session_client(&app, &one)
        .get("/api/me")
        .await
        .expect_refusal(401, "UNAUTHENTICATED");
    refresh_session(&app, &one["refresh_token"])
        .await
        .expect_refusal(401, "UNAUTHENTICATED");
    session_client(&app, &two)
        .post("/auth/v1/logout?scope=others", json!({}))
        .await
        .expect(200);
    session_client(&app, &three)
        .get("/api/me")
        .await
        .expect_refusal(401, "UNAUTHENTICATED");
    session_client(&app, &two).get("/api/me").await.expect(200);
    session_client(&app, &two)
        .post("/auth/v1/logout?scope=global", json!({}))
        .await
        .expect(200);
    session_client(&app, &two)
        .get("/api/me")
        .await
        .expect_refusal(401, "UNAUTHENTICATED");
    let admin = app.as_member(Role::Admin).await;
    let audit = admin
        .get("/api/access/audit?action=sign_out")
        .await
        .expect(200)
        .body;
    assert_eq!(audit["audit"].as_array().expect("a list").len(), 3);
}

#[tokio::test]
async fn the_public_session_keys_contain_no_private_part() {
    let app = TestApp::new().await;
    let set = app
        .anonymous()
        .get("/auth/v1/.well-known/jwks.json")
        .await
        .expect(200)
        .body;
    let key = set["keys"][0].as_object().expect("a key");
    assert_eq!((&key["kty"], &key["crv"]), (&json!("EC"), &json!("P-256")));
    assert!(!key.contains_key("d"));
}
