//! Request bodies: valid JSON, declared as JSON, within the limit and complete.

use axum::{
    body::{Body, Bytes},
    http::Method,
};
use domain::Role;
use futures::stream;
use serde_json::json;

use super::{padded_demand, post_text, silent_body};
use crate::support::TestApp;

#[tokio::test]
async fn malformed_json_is_refused_with_its_position_and_without_echo() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let broken = [
        (
            "{\n  \"title\": \"segredo\",\n  \"tipo\": segredo\n}",
            "(linha 3, coluna 11)",
        ),
        ("{\"title\": \"segredo\"", "(linha 1, coluna 19)"),
        ("{\"title\": \"segredo\",}", "(linha 1, coluna 21)"),
        ("{\"title\": \"segredo\"} segredo", "(linha 1, coluna 22)"),
        ("{'title': 'segredo'}", "(linha 1, coluna 2)"),
        ("segredo", "(linha 1, coluna 1)"),
        ("{ // segredo\n}", "(linha 1, coluna 3)"),
        ("{\"title\": \"segre\ndo\"}", "(linha 2, coluna 0)"),
        ("\u{feff}{\"title\": \"segredo\"}", "(linha 1, coluna 1)"),
        (" ", "(linha 1, coluna 1)"),
    ];
    for (body, place) in broken {
        let answer = post_text(&lead, "/api/demanda", body).await;
        assert_eq!(answer.invalid_fields(), ["corpo"], "{body}");
        assert!(answer.text.contains(place), "{body}: {}", answer.text);
        assert!(!answer.text.contains("segre"), "{}", answer.text);
    }
    let invalid_utf8 = b"{\"title\": \"\xff\xfe\"}".as_slice();
    assert_eq!(
        post_text(&lead, "/api/demanda", invalid_utf8)
            .await
            .invalid_fields(),
        ["corpo"]
    );
    let deep = "[".repeat(100_000);
    assert_eq!(
        post_text(&lead, "/api/demanda", deep)
            .await
            .invalid_fields(),
        ["corpo"]
    );
    for body in [
        "[]",
        "null",
        "1",
        "\"segredo\"",
        "true",
        "[{\"title\": \"segredo\"}]",
    ] {
        let answer = post_text(&lead, "/api/demanda", body).await;
        assert_eq!(answer.invalid_fields(), ["corpo"], "{body}");
        assert!(
            answer.text.contains("deve ser um objeto JSON"),
            "{}",
            answer.text
        );
    }
    assert_eq!(app.count_rows("events").await, 0);
}

#[tokio::test]
async fn a_body_must_be_declared_as_json() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    for media_type in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/jsonx",
        "text/json",
        "json",
        "",
        "application/json-seq",
        "*/*",
    ] {
        let client = lead.with_header("content-type", media_type);
        let answer = post_text(&client, "/api/demanda", "{\"title\": \"A\"}").await;
        answer.expect_refusal(415, "UNSUPPORTED_MEDIA_TYPE");
    }
    assert_eq!(app.count_rows("events").await, 0);
    for media_type in [
        "application/json",
        "application/json; charset=utf-8",
        "APPLICATION/JSON",
        "application/json;charset=\"UTF-8\"",
        "application/vnd.pauta+json",
    ] {
        let client = lead.with_header("content-type", media_type);
        post_text(&client, "/api/demanda", "{\"title\": \"A\"}")
            .await
            .expect(200);
    }
    // Without a body, the missing fields are reported, not the type.
    assert_eq!(
        lead.send(Method::POST, "/api/demanda", None)
            .await
            .invalid_fields(),
        ["title"]
    );
}

fn chunked_body(text: String) -> Body {
    let chunks: Vec<_> = text
        .as_bytes()
        .chunks(64 * 1024)
        .map(Bytes::copy_from_slice)
        .collect();
    Body::from_stream(stream::iter(
        chunks.into_iter().map(Ok::<_, std::io::Error>),
    ))
}

#[tokio::test]
async fn a_body_of_a_million_bytes_is_accepted_and_one_byte_more_is_refused() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let limit = 1_000_000;
    let announced = |length: usize| lead.with_header("content-length", length.to_string());
    post_text(&announced(limit), "/api/demanda", padded_demand(limit))
        .await
        .expect(200);
    post_text(&lead, "/api/demanda", chunked_body(padded_demand(limit)))
        .await
        .expect(200);
    let over = [
        post_text(
            &announced(limit + 1),
            "/api/demanda",
            padded_demand(limit + 1),
        )
        .await,
        post_text(
            &lead,
            "/api/demanda",
            chunked_body(padded_demand(limit + 1)),
        )
        .await,
        // If the body has a `Content-Length` above the limit, it is refused before it is read;
        // otherwise it is refused when it exceeds the limit.
        post_text(&announced(limit + 1), "/api/demanda", silent_body()).await,
        post_text(
            &announced(10),
            "/api/demanda",
            chunked_body(padded_demand(limit + 1)),
        )
        .await,
    ];
    for answer in over {
        let answer = answer.expect_refusal(413, "PAYLOAD_TOO_LARGE");
        assert_eq!(answer.body["details"]["limit"], limit);
    }
    assert_eq!(app.count_rows("events").await, 2);
}

#[tokio::test]
async fn a_tool_has_the_body_limit_of_its_route() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let value = |length: usize| json!({ "key": "k", "value": "x".repeat(length) });
    // `{"key":"k","value":""}` has 22 bytes. An MCP message may be a little longer than its
    // arguments.
    let over_rest = [(1_000_000 - 22, true), (1_000_000 - 21, false)];
    for (length, fits) in over_rest {
        let answer = admin.post("/api/config", value(length)).await;
        assert_eq!(answer.status == 200, fits, "{}", answer.text);
    }
    let fits = admin
        .call_tool("publish_config_version", value(1_000_000 - 22))
        .await;
    assert!(!fits.is_error, "{}", fits.text);
    let call = json!({ "name": "publish_config_version", "arguments": value(1_020_000) });
    let over = admin.send_rpc("tools/call", call).await;
    assert!(over.text.contains("PAYLOAD_TOO_LARGE"), "{}", over.text);
    assert_eq!(app.count_rows("config_log").await, 2);
}

#[tokio::test]
async fn a_truncated_body_has_no_effect() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let whole = Bytes::from_static(b"{\"title\": \"A\"}");
    let broken = Body::from_stream(stream::iter([
        Ok(whole),
        Err(std::io::Error::other("gone")),
    ]));
    let answer = post_text(&lead, "/api/demanda", broken).await;
    assert_eq!(answer.invalid_fields(), ["corpo"]);
    assert!(
        answer.text.contains("não chegou inteiro"),
        "{}",
        answer.text
    );
    assert_eq!(app.count_rows("events").await, 0);
}
