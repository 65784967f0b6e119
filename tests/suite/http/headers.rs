//! Headers of requests and answers.

use std::collections::BTreeSet;

use axum::http::Method;
use domain::Role;
use serde_json::{Value, json};

use crate::support::{Answer, Client, TestApp};

#[tokio::test]
async fn a_plain_request_id_is_returned_and_any_other_is_replaced() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let id_of = |answer: &Answer| {
        answer.headers["x-request-id"]
            .to_str()
            .expect("text")
            .to_owned()
    };
    for id in ["a", "Pedido-1_2.3", &"x".repeat(64)] {
        let client = lead.with_header("x-request-id", id);
        assert_eq!(id_of(&client.get("/api/eventos").await.expect(200)), id);
        assert_eq!(id_of(&client.get("/nada").await.expect(404)), id);
        let anonymous = app.anonymous().with_header("x-request-id", id);
        assert_eq!(id_of(&anonymous.get("/api/eventos").await.expect(401)), id);
    }
    let mut made = BTreeSet::new();
    let odd = [
        "",
        " ",
        "a b",
        "a\tb",
        "a;b",
        "a,b",
        "\"a\"",
        "<a>",
        "ã",
        "a/b",
        "a:b",
        "a\u{80}",
        &"x".repeat(65),
        &"x".repeat(60_000),
    ];
    for id in odd {
        let answer = lead
            .with_header("x-request-id", id)
            .get("/api/eventos")
            .await
            .expect(200);
        let replaced = id_of(&answer);
        assert!(replaced != id && replaced.len() == 16, "{id}: {replaced}");
        made.insert(replaced);
    }
    assert_eq!(made.len(), odd.len());
}

#[tokio::test]
async fn a_credential_is_accepted_only_in_a_single_authorization_header() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let token = app.token_client(&member).await.credential().to_owned();
    let with = |text: String| app.anonymous().with_header("authorization", text);
    for scheme in ["Bearer", "bearer", "BEARER", "bEaReR"] {
        with(format!("{scheme} {token}"))
            .get("/api/me")
            .await
            .expect(200);
    }
    for text in [
        token.clone(),
        "Bearer".into(),
        "Bearer ".into(),
        format!("Bearer{token}"),
        format!("Basic {token}"),
        format!("Token {token}"),
        format!("Bearer {token}, Bearer {token}"),
        format!("Bearer \"{token}\""),
        format!("Bearer {token}x"),
        format!("Bearer {}", &token[..token.len() - 1]),
        format!("Bearer {}", token.to_uppercase()),
        "Bearer ã".into(),
        String::new(),
    ] {
        let answer = with(text.clone())
            .get("/api/me")
            .await
            .expect_refusal(401, "UNAUTHENTICATED");
        assert_eq!(answer.headers["www-authenticate"], "Bearer", "{text}");
        assert!(!answer.text.contains(&token), "{}", answer.text);
    }
    let twice =
        with(format!("Bearer {token}")).with_header("authorization", format!("Bearer {token}"));
    twice
        .get("/api/me")
        .await
        .expect_refusal(401, "UNAUTHENTICATED");
    twice
        .post("/api/mcp", json!({}))
        .await
        .expect_refusal(401, "UNAUTHENTICATED");

    let anonymous = app.anonymous();
    for path in ["access_token", "token", "api_key"].map(|name| format!("/api/me?{name}={token}")) {
        anonymous
            .get(&path)
            .await
            .expect_refusal(401, "UNAUTHENTICATED");
    }
    for name in [
        "access_token",
        "sb-access-token",
        "session",
        "Authorization",
    ] {
        let client = anonymous.with_header("cookie", format!("{name}={token}"));
        client
            .get("/api/me")
            .await
            .expect_refusal(401, "UNAUTHENTICATED");
    }
    for name in ["x-api-key", "x-auth-token", "proxy-authorization"] {
        let client = anonymous.with_header(name, format!("Bearer {token}"));
        client
            .get("/api/me")
            .await
            .expect_refusal(401, "UNAUTHENTICATED");
    }
    let both = with(format!("Bearer {token}")).with_header("cookie", "access_token=x");
    assert_eq!(
        both.get("/api/me")
            .await
            .expect(200)
            .headers
            .get("set-cookie"),
        None
    );
}

/// Returns one response of each status that a client can get.
async fn responses_of_each_status(app: &TestApp, lead: &Client) -> Vec<Answer> {
    let id = lead.create_demand(json!({})).await;
    let author = app.as_member(Role::Criador).await;
    let stale = json!({ "event_id": id, "expected_revision": 9 });
    let large = lead.with_header("content-length", "1000001");
    let plain = lead.with_header("content-type", "text/plain");
    vec![
        lead.get("/api/eventos").await.expect(200),
        app.anonymous().get("/api/health").await.expect(200),
        lead.send_rpc("tools/list", json!({})).await.expect(200),
        lead.get("/api/eventos?limit=0").await.expect(400),
        app.anonymous().get("/api/eventos").await.expect(401),
        app.anonymous()
            .post("/api/mcp", json!({}))
            .await
            .expect(401),
        author.post("/api/demanda", json!({})).await.expect(403),
        lead.get("/api/eventos/x").await.expect(404),
        lead.get("/nada").await.expect(404),
        lead.send(Method::OPTIONS, "/api/eventos", None)
            .await
            .expect(405),
        lead.send(Method::DELETE, "/api/mcp", None)
            .await
            .expect(405),
        lead.post("/api/draft", stale).await.expect(409),
        large.post("/api/demanda", json!({})).await.expect(413),
        plain.post("/api/demanda", json!({})).await.expect(415),
    ]
}

#[tokio::test]
async fn no_answer_is_cached_sniffed_or_shared_across_origins() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let own = lead.with_header("origin", "http://127.0.0.1:8080");
    let mut answers = responses_of_each_status(&app, &own).await;
    let foreign = lead.with_header("origin", "https://outro.test");
    answers.push(foreign.get("/api/eventos").await.expect(200));
    answers.push(foreign.send_rpc("tools/list", json!({})).await.expect(403));
    for answer in answers {
        let status = answer.status;
        assert_eq!(answer.headers["cache-control"], "no-store", "{status}");
        assert_eq!(
            answer.headers["x-content-type-options"], "nosniff",
            "{status}"
        );
        assert_eq!(
            answer.headers["content-type"], "application/json",
            "{status}"
        );
        assert!(answer.headers.contains_key("x-request-id"), "{status}");
        let shared = answer
            .headers
            .keys()
            .find(|name| name.as_str().starts_with("access-control"));
        assert_eq!(shared, None, "{status}");
        assert_eq!(answer.headers.get("set-cookie"), None, "{status}");
    }
    let preflight = app
        .anonymous()
        .with_header("origin", "https://outro.test")
        .with_header("access-control-request-method", "POST")
        .send(Method::OPTIONS, "/api/demanda", None)
        .await;
    preflight.expect_refusal(405, "METHOD_NOT_ALLOWED");
}

#[tokio::test]
async fn every_refusal_has_the_error_object() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    for answer in responses_of_each_status(&app, &lead).await {
        if answer.status == 200 {
            continue;
        }
        let body = answer.body.as_object().expect("an object");
        assert!(
            body["error"].as_str().is_some_and(|text| !text.is_empty()),
            "{}",
            answer.text
        );
        assert!(
            body["code"].as_str().is_some_and(|text| !text.is_empty()),
            "{}",
            answer.text
        );
        assert!(
            body.keys()
                .all(|name| ["error", "code", "details"].contains(&&**name))
        );
        assert!(body.get("details").is_none_or(Value::is_object));
    }
}
