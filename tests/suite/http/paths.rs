//! Paths and methods.

use std::collections::BTreeSet;

use axum::http::Method;
use domain::Role;
use serde_json::json;

use super::NO_EVENT;
use crate::support::TestApp;

#[tokio::test]
async fn an_encoded_path_matches_no_route() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    lead.create_demand(json!({})).await;
    let odd = [
        "%2e%2e",
        "..",
        ".",
        "%2E%2E%2F%2E%2E%2Fapi%2Fhealth",
        "%2F",
        "a%2Fb",
        "%5C",
        "%ff",
        "%c3%28",
        "%ed%a0%80",
        "%",
        "%zz",
        "%25",
        "%20",
        "'%20OR%201=1",
        "*",
        "~",
        "%F0%9F%8E%89",
        "{eventId}",
        ";x=1",
    ];
    for id in odd {
        lead.get(&format!("/api/eventos/{id}"))
            .await
            .expect_refusal(404, "NOT_FOUND");
        let patch = json!({ "expected_revision": 1, "title": "x" });
        lead.patch(&format!("/api/eventos/{id}"), patch)
            .await
            .expect_refusal(404, "NOT_FOUND");
        let anonymous = app.anonymous().get(&format!("/api/eventos/{id}")).await;
        anonymous.expect_refusal(401, "UNAUTHENTICATED");
    }
    assert_eq!(
        lead.get("/api/eventos/%00").await.invalid_fields(),
        ["eventId"]
    );
    for path in [
        "/api/eventos/a/b",
        "/api/../api/eventos",
        "/api/%65ventos/..%2f",
        "/api/%2e",
    ] {
        lead.get(path).await.expect_refusal(404, "NOT_FOUND");
    }
    assert_eq!(app.count_rows("event_history").await, 1);
}

#[tokio::test]
async fn paths_match_exactly() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    for path in [
        "/api/eventos/",
        "/api/health/",
        "//api/health",
        "/api//health",
        "/API/health",
        "/api/Health",
        "/api/healthz",
        "/api",
        "/api/",
        "/api/health;x",
        "/api/demanda/",
    ] {
        let answer = lead.get(path).await.expect_refusal(404, "NOT_FOUND");
        assert_eq!(answer.headers["content-type"], "application/json", "{path}");
        lead.post(path, json!({}))
            .await
            .expect_refusal(404, "NOT_FOUND");
    }
}

#[tokio::test]
async fn head_answers_like_get_without_a_body() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let id = lead.create_demand(json!({})).await;
    for path in [
        "/api/health",
        "/api/me",
        "/api/eventos",
        &format!("/api/eventos/{id}"),
        "/api/tarefas",
        "/api/eventos?limit=0",
        &format!("/api/eventos/{NO_EVENT}"),
        "/api/config/log",
        "/api/ai/openapi.json",
        "/nada",
    ] {
        let get = lead.get(path).await;
        let head = lead.send(Method::HEAD, path, None).await;
        assert_eq!((head.status, &*head.text), (get.status, ""), "{path}");
        assert_eq!(
            head.headers.get("content-type"),
            get.headers.get("content-type"),
            "{path}"
        );
    }
    assert_eq!(
        app.anonymous()
            .send(Method::HEAD, "/api/me", None)
            .await
            .status,
        401
    );
    assert_eq!(
        lead.send(Method::HEAD, "/api/demanda", None).await.status,
        405
    );
}

#[tokio::test]
async fn another_method_is_refused_and_the_allowed_methods_are_named() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    for (path, allowed) in [
        ("/api/demanda", vec!["POST"]),
        ("/api/eventos", vec!["GET", "HEAD"]),
        ("/api/config", vec!["GET", "HEAD", "POST"]),
        (
            &format!("/api/eventos/{NO_EVENT}"),
            vec!["GET", "HEAD", "PATCH"],
        ),
    ] {
        for method in [
            "GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND",
        ] {
            if allowed.contains(&method) {
                continue;
            }
            let method = method.parse().expect("a method");
            let answer = lead
                .send(method, path, None)
                .await
                .expect_refusal(405, "METHOD_NOT_ALLOWED");
            let told = answer.headers["allow"].to_str().expect("text");
            let told: BTreeSet<_> = told.split(',').map(str::trim).collect();
            assert_eq!(told, allowed.iter().copied().collect(), "{path}");
        }
    }
}
