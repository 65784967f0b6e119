//! Valid and invalid credentials.

use std::collections::BTreeSet;

use axum::http::Method;
use domain::{Capability, Level, Role, TokenSecret, time::DAY};
use serde_json::{Value, json};

use super::{Auth, Built, assert_refused_with_401, call_with_unknown_field, guarded_routes};
use crate::support::{Client, TestApp};

#[tokio::test]
async fn anonymous_callers_are_refused() {
    let app = TestApp::new().await;
    let anonymous = app.anonymous();
    for built in guarded_routes() {
        let answer = call_with_unknown_field(&anonymous, &built).await;
        assert_refused_with_401(answer, "UNAUTHENTICATED", &built.operation_id);
    }
    for method in ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD"] {
        let method: Method = method.parse().expect("a method");
        let answer = anonymous.send(method.clone(), "/api/mcp", None).await;
        assert_eq!(answer.status, 401, "{method} /api/mcp");
        let challenge = answer.headers["www-authenticate"].to_str().expect("text");
        let at = "Bearer resource_metadata=\"http://127.0.0.1:8080/.well-known/";
        assert!(challenge.starts_with(at), "{method} /api/mcp: {challenge}");
    }
}

#[tokio::test]
async fn public_routes_ignore_credentials() {
    let app = TestApp::new().await;
    let nobody = app.bearer("lixo");
    for built in Built::all_routes() {
        if built.access_rule().auth == Auth::Public {
            let (bad, none) = (
                call_with_unknown_field(&nobody, &built).await,
                call_with_unknown_field(&app.anonymous(), &built).await,
            );
            assert_eq!(
                (bad.status, &bad.text),
                (none.status, &none.text),
                "{built:?}"
            );
            assert_ne!(bad.error_code(), "UNAUTHENTICATED", "{built:?}");
        }
    }
}

#[tokio::test]
async fn the_guard_runs_before_validation() {
    let app = TestApp::new().await;
    let token = app
        .token_client(
            &app.add_member_with(Role::Criador, Level::Leitor, false)
                .await,
        )
        .await;
    let body: fn() -> Value = || json!({ "event_id": 7, "action": "nada" });
    token
        .post("/api/aprovar", body())
        .await
        .expect_refusal(403, "CAPABILITY_REQUIRED");
    app.anonymous()
        .post("/api/aprovar", body())
        .await
        .expect_refusal(401, "UNAUTHENTICATED");
    let broken = |client: Client| async move {
        client
            .send(Method::POST, "/api/aprovar", Some("{".into()))
            .await
    };
    broken(token.with_header("content-type", "text/plain"))
        .await
        .expect_refusal(403, "CAPABILITY_REQUIRED");
    broken(token.clone())
        .await
        .expect_refusal(403, "CAPABILITY_REQUIRED");
    broken(app.anonymous())
        .await
        .expect_refusal(401, "UNAUTHENTICATED");
    token
        .post("/api/access/tokens", body())
        .await
        .expect_refusal(403, "SESSION_REQUIRED");
}

#[tokio::test]
async fn an_invalid_credential_is_refused_everywhere() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Admin).await;
    let tokens = Secrets::issue_for(&app, &member).await;
    let session = app.session_client(&member).await;
    let genuine = &tokens.genuine;
    let (prefix, _) = genuine.split_once('.').expect("a token");
    let stranger = TokenSecret::generate().reveal();
    let (_, other_secret) = stranger.split_once('.').expect("a token");
    let unknown = app.bearer(stranger.clone());
    let wrong_secret = app.bearer(format!("{prefix}.{other_secret}"));
    let presented = |value: String| app.anonymous().with_header("authorization", value);
    let unauthenticated = [
        ("another scheme", presented(format!("Basic {genuine}"))),
        ("no scheme", presented(genuine.clone())),
        ("an empty bearer", presented("Bearer ".into())),
        ("garbage", app.bearer("lixo")),
        ("a cut token", app.bearer(&genuine[..genuine.len() - 1])),
        ("a prefix alone", app.bearer("svc_live_")),
        ("an unsigned session", app.bearer(unsigned_token(&session))),
        (
            "two credentials",
            app.bearer(genuine)
                .with_header("authorization", "Bearer lixo"),
        ),
        ("an unknown token", unknown),
        ("a wrong secret", wrong_secret),
    ];
    for built in guarded_routes() {
        let id = &built.operation_id;
        let mut bodies = BTreeSet::new();
        for (what, client) in &unauthenticated {
            let answer = call_with_unknown_field(client, &built).await;
            let answer =
                assert_refused_with_401(answer, "UNAUTHENTICATED", &format!("{id}: {what}"));
            bodies.insert(answer.text);
        }
        assert_eq!(
            bodies.len(),
            1,
            "{id}: refusals reveal their reason: {bodies:?}"
        );
        let expired = call_with_unknown_field(&tokens.expired, &built).await;
        assert_refused_with_401(expired, "TOKEN_EXPIRED", id);
        let revoked = call_with_unknown_field(&tokens.revoked, &built).await;
        assert_refused_with_401(revoked, "TOKEN_REVOKED", id);
    }
}

/// The tokens of one member, one in each state.
struct Secrets {
    genuine: String,
    expired: Client,
    revoked: Client,
}

impl Secrets {
    async fn issue_for(app: &TestApp, member: &store::members::Member) -> Self {
        let (expired, _) = app.token_client_with(member, Capability::ALL).await;
        app.advance_clock(31 * DAY);
        let (revoked, id) = app.token_client_with(member, Capability::ALL).await;
        let session = app.session_client(member).await;
        session
            .delete(&format!("/api/access/tokens/{id}"))
            .await
            .expect(200);
        let asked = json!({ "label": "genuíno" });
        let created = session
            .post("/api/access/tokens", asked)
            .await
            .expect(201)
            .body;
        let genuine = created["token"].as_str().expect("a secret").to_owned();
        app.bearer(genuine.clone()).get("/api/me").await.expect(200);
        Self {
            genuine,
            expired,
            revoked,
        }
    }
}

/// Returns a JWT with the claims of a session and without a signature: `alg: none` (RFC 8725,
/// section 2.1).
fn unsigned_token(session: &Client) -> String {
    let jwt = session.credential();
    let claims = jwt.split('.').nth(1).expect("claims");
    // The decoded header is {"alg":"none","typ":"JWT"}.
    format!("eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.{claims}.")
}

#[tokio::test]
async fn an_expired_session_is_refused() {
    let app = TestApp::new().await;
    let session = app.as_member(Role::Admin).await;
    session.get("/api/me").await.expect(200);
    app.advance_clock(DAY);
    let answer = session.get("/api/me").await;
    assert_refused_with_401(answer, "TOKEN_EXPIRED", "an old session");
    let answer = session.send_rpc("tools/list", json!({})).await;
    assert_refused_with_401(answer, "TOKEN_EXPIRED", "an old session on MCP");
}

#[tokio::test]
async fn an_offboarded_member_is_refused_everywhere() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let leaver = app.add_member(Role::Admin).await;
    let (session, token) = (
        app.session_client(&leaver).await,
        app.token_client(&leaver).await,
    );
    admin
        .delete(&format!("/api/membros/{}", leaver.id))
        .await
        .expect(200);
    for built in guarded_routes() {
        let answer = call_with_unknown_field(&token, &built).await;
        assert_refused_with_401(answer, "TOKEN_REVOKED", &built.operation_id);
        let answer = call_with_unknown_field(&session, &built).await;
        assert_eq!(
            (answer.status, answer.error_code()),
            (403, "NOT_A_MEMBER"),
            "{built:?}"
        );
    }
}
