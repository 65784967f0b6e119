//! Requests that are odd, hostile or broken, and the order in which they are judged.

use std::{
    collections::BTreeSet,
    io::{Read, Write},
    net::{Shutdown, SocketAddr, TcpStream},
    time::Duration,
};

use axum::{
    body::{Body, Bytes},
    http::Method,
};
use futures::stream;
use serde_json::{Value, json};
use tools::domain::Role;

use crate::support::{Answer, Client, TestApp};

const NO_EVENT: &str = "0198c0de-0000-7000-8000-000000000000";

async fn post_text(client: &Client, path: &str, body: impl Into<Body>) -> Answer {
    client.send(Method::POST, path, Some(body.into())).await
}

/// A body that says nothing, ever: whoever reads it waits for good.
fn silent_body() -> Body {
    Body::from_stream(stream::pending::<Result<Bytes, std::io::Error>>())
}

#[tokio::test]
async fn what_is_not_json_is_refused_by_line_and_column_without_echo() {
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
        assert_eq!(answer.fields(), ["corpo"], "{body}");
        assert!(answer.text.contains(place), "{body}: {}", answer.text);
        assert!(!answer.text.contains("segre"), "{}", answer.text);
    }
    let invalid_utf8 = b"{\"title\": \"\xff\xfe\"}".as_slice();
    assert_eq!(
        post_text(&lead, "/api/demanda", invalid_utf8)
            .await
            .fields(),
        ["corpo"]
    );
    let deep = "[".repeat(100_000);
    assert_eq!(
        post_text(&lead, "/api/demanda", deep).await.fields(),
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
        assert_eq!(answer.fields(), ["corpo"], "{body}");
        assert!(
            answer.text.contains("deve ser um objeto JSON"),
            "{}",
            answer.text
        );
    }
    assert_eq!(app.count("events").await, 0);
}

#[tokio::test]
async fn a_body_must_say_that_it_is_json() {
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
        answer.refused(415, "UNSUPPORTED_MEDIA_TYPE");
    }
    assert_eq!(app.count("events").await, 0);
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
    // No body, no type: what lacks is told.
    assert_eq!(
        lead.send(Method::POST, "/api/demanda", None).await.fields(),
        ["title"]
    );
}

/// A valid demand padded to a length.
fn padded(length: usize) -> String {
    let demand = r#"{"title":"A"}"#;
    format!("{demand}{}", " ".repeat(length - demand.len()))
}

fn chunked(text: String) -> Body {
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
async fn a_body_of_a_million_bytes_is_taken_and_one_more_is_not() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let limit = 1_000_000;
    let announced = |length: usize| lead.with_header("content-length", length.to_string());
    post_text(&announced(limit), "/api/demanda", padded(limit))
        .await
        .expect(200);
    post_text(&lead, "/api/demanda", chunked(padded(limit)))
        .await
        .expect(200);
    let over = [
        post_text(&announced(limit + 1), "/api/demanda", padded(limit + 1)).await,
        post_text(&lead, "/api/demanda", chunked(padded(limit + 1))).await,
        // What is announced is refused unread, what is not is refused once it is too much.
        post_text(&announced(limit + 1), "/api/demanda", silent_body()).await,
        post_text(&announced(10), "/api/demanda", chunked(padded(limit + 1))).await,
    ];
    for answer in over {
        let answer = answer.refused(413, "PAYLOAD_TOO_LARGE");
        assert_eq!(answer.body["details"]["limit"], limit);
    }
    assert_eq!(app.count("events").await, 2);
}

#[tokio::test]
async fn a_tool_takes_no_more_than_its_route() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let value = |length: usize| json!({ "key": "k", "value": "x".repeat(length) });
    // `{"key":"k","value":""}` has 22 bytes; a message holds a little more than its arguments.
    let over_rest = [(1_000_000 - 22, true), (1_000_000 - 21, false)];
    for (length, fits) in over_rest {
        let answer = admin.post("/api/config", value(length)).await;
        assert_eq!(answer.status == 200, fits, "{}", answer.text);
    }
    let fits = admin
        .call("publish_config_version", value(1_000_000 - 22))
        .await;
    assert!(!fits.is_error, "{}", fits.text);
    let call = json!({ "name": "publish_config_version", "arguments": value(1_020_000) });
    let over = admin.rpc("tools/call", call).await;
    assert!(over.text.contains("PAYLOAD_TOO_LARGE"), "{}", over.text);
    assert_eq!(app.count("config_log").await, 2);
}

#[tokio::test]
async fn a_body_that_breaks_off_has_no_effect() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let whole = Bytes::from_static(b"{\"title\": \"A\"}");
    let broken = Body::from_stream(stream::iter([
        Ok(whole),
        Err(std::io::Error::other("gone")),
    ]));
    let answer = post_text(&lead, "/api/demanda", broken).await;
    assert_eq!(answer.fields(), ["corpo"]);
    assert!(
        answer.text.contains("não chegou inteiro"),
        "{}",
        answer.text
    );
    assert_eq!(app.count("events").await, 0);
}

#[tokio::test]
async fn a_name_given_twice_is_refused_wherever_it_stands() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let id = lead.demand(json!({})).await;
    for (body, name) in [
        (r#"{"title":"A","title":"A"}"#, "title"),
        (r#"{"title":"A","\u0074itle":"B"}"#, "title"),
        (r#"{"title":"A","estranho":1,"estranho":2}"#, "estranho"),
    ] {
        assert_eq!(
            post_text(&lead, "/api/demanda", body).await.fields(),
            [name],
            "{body}"
        );
    }
    for (query, name) in [
        ("limit=1&limit=1", "limit"),
        ("limit=1&%6cimit=2", "limit"),
        ("q=a&limit=1&q=b", "q"),
        ("x=1&x=2", "x"),
    ] {
        let answer = lead.get(&format!("/api/eventos?{query}")).await;
        assert_eq!(answer.fields(), [name], "{query}");
    }
    let path = format!("/api/eventos/{id}");
    assert_eq!(
        lead.get(&format!("{path}?eventId={id}")).await.fields(),
        ["eventId"]
    );
    let both = json!({ "eventId": id, "expected_revision": 1, "title": "B" });
    assert_eq!(lead.patch(&path, both).await.fields(), ["eventId"]);
    assert_eq!(lead.event(&id).await["api_revision"], 1);
    assert_eq!(app.count("events").await, 1);
}

#[tokio::test]
async fn an_unknown_parameter_is_refused_by_name() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    for (path, name) in [
        ("/api/eventos?estranho=1", "estranho"),
        ("/api/eventos?Limit=1", "Limit"),
        ("/api/eventos?limit%00=1", "limit"),
        ("/api/eventos?=1", ""),
        ("/api/tarefas?status=aprovado", "status"),
    ] {
        assert_eq!(lead.get(path).await.fields(), [name], "{path}");
    }
    // A write takes nothing from the query, not even what its body may name.
    for name in ["estranho", "title", "idempotency_key", "access_token"] {
        let path = format!("/api/demanda?{name}=segredo-do-cliente");
        let answer = lead.post(&path, json!({ "title": "A" })).await;
        assert_eq!(answer.fields(), [name]);
        assert!(!answer.text.contains("segredo"), "{}", answer.text);
    }
    assert_eq!(app.count("events").await, 0);
}

#[tokio::test]
async fn a_plain_request_id_comes_back_and_any_other_is_replaced() {
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

/// Serves the app on a socket of its own.
async fn listen(app: &TestApp) -> SocketAddr {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
        .await
        .expect("a free port");
    let address = listener.local_addr().expect("an address");
    let service = app
        .router
        .clone()
        .into_make_service_with_connect_info::<SocketAddr>();
    tokio::spawn(async move { axum::serve(listener, service).await });
    address
}

/// Sends these bytes and reads the answer to its end.
async fn raw(address: SocketAddr, request: String) -> String {
    exchange(address, request, false).await
}

/// Sends these bytes and hangs up; there may be an answer.
async fn broken_off(address: SocketAddr, request: String) -> String {
    exchange(address, request, true).await
}

async fn exchange(address: SocketAddr, request: String, hangs_up: bool) -> String {
    let exchange = move || -> std::io::Result<String> {
        let mut stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(Duration::from_secs(10)))?;
        stream.write_all(request.as_bytes())?;
        if hangs_up {
            stream.shutdown(Shutdown::Write)?;
        }
        let mut answer = vec![];
        // A server that refuses may reset the connection once it has told so.
        let _ = stream.read_to_end(&mut answer);
        Ok(String::from_utf8_lossy(&answer).into_owned())
    };
    tokio::task::spawn_blocking(exchange)
        .await
        .expect("no panic")
        .expect("an exchange")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_header_can_be_smuggled_into_an_answer() {
    let app = TestApp::new().await;
    let address = listen(&app).await;
    let forms = [
        "abc\r\n x-evil: 1",
        "abc\r\n\tx-evil: 1",
        "abc\rx-evil: 1",
        "abc\nx-evil: 1",
        "abc\0x-evil: 1",
        "abc%0d%0ax-evil: 1",
        "abc\u{b}x-evil: 1",
        "abc\u{85}x-evil: 1",
        "abc\r\nx-evil: 1",
    ];
    for form in forms {
        for name in ["x-request-id", "idempotency-key", "user-agent", "origin"] {
            let request = format!(
                "GET /api/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{name}: {form}\r\n\r\n"
            );
            let answer = raw(address, request).await;
            let (head, _) = answer.split_once("\r\n\r\n").expect("an answer");
            let status = head.split(' ').nth(1).expect("a status");
            assert!(["200", "400"].contains(&status), "{name} {form:?}: {head}");
            assert!(
                !head.to_lowercase().contains("x-evil"),
                "{name} {form:?}: {head}"
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_that_breaks_off_within_the_body_has_no_effect() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let address = listen(&app).await;
    let head = |length: &str| {
        format!(
            "POST /api/demanda HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
             Authorization: Bearer {}\r\nContent-Type: application/json\r\n{length}\r\n\r\n",
            lead.credential()
        )
    };
    let demand = r#"{"title":"A"}"#;
    for request in [
        format!("{}{demand}", head("Content-Length: 100")),
        format!("{}d\r\n{demand}\r\n", head("Transfer-Encoding: chunked")),
        format!(
            "{}d\r\n{demand}\r\nzz\r\n",
            head("Transfer-Encoding: chunked")
        ),
    ] {
        let answer = broken_off(address, request).await;
        assert!(
            answer.is_empty() || answer.starts_with("HTTP/1.1 400"),
            "{answer}"
        );
    }
    assert_eq!(app.count("events").await, 0);
    let whole = format!("{}{demand}", head("Content-Length: 13"));
    let answer = raw(address, whole).await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert_eq!(app.count("events").await, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_with_two_lengths_is_refused() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let address = listen(&app).await;
    let demand = r#"{"title":"A"}"#;
    for lengths in [
        "Content-Length: 13\r\nContent-Length: 14",
        "Content-Length: 13, 14",
        "Content-Length: -13",
        "Content-Length: x",
        "Transfer-Encoding: chunked, x",
    ] {
        let request = format!(
            "POST /api/demanda HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
             Authorization: Bearer {}\r\nContent-Type: application/json\r\n{lengths}\r\n\r\n{demand}",
            lead.credential()
        );
        let answer = raw(address, request).await;
        assert!(answer.starts_with("HTTP/1.1 400"), "{lengths}: {answer}");
    }
    assert_eq!(app.count("events").await, 0);
}

#[tokio::test]
async fn encoded_paths_name_nothing() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    lead.demand(json!({})).await;
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
            .refused(404, "NOT_FOUND");
        let patch = json!({ "expected_revision": 1, "title": "x" });
        lead.patch(&format!("/api/eventos/{id}"), patch)
            .await
            .refused(404, "NOT_FOUND");
        let anonymous = app.anonymous().get(&format!("/api/eventos/{id}")).await;
        anonymous.refused(401, "UNAUTHENTICATED");
    }
    assert_eq!(lead.get("/api/eventos/%00").await.fields(), ["eventId"]);
    for path in [
        "/api/eventos/a/b",
        "/api/../api/eventos",
        "/api/%65ventos/..%2f",
        "/api/%2e",
    ] {
        lead.get(path).await.refused(404, "NOT_FOUND");
    }
    assert_eq!(app.count("event_history").await, 1);
}

#[tokio::test]
async fn paths_are_taken_to_the_letter() {
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
        "/",
        "/api/health;x",
        "/api/mcp/",
        "/api/demanda/",
    ] {
        let answer = lead.get(path).await.refused(404, "NOT_FOUND");
        assert_eq!(answer.headers["content-type"], "application/json", "{path}");
        lead.post(path, json!({})).await.refused(404, "NOT_FOUND");
    }
}

#[tokio::test]
async fn head_answers_like_get_without_a_body() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let id = lead.demand(json!({})).await;
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
async fn another_method_is_refused_and_told_which_there_are() {
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
                .refused(405, "METHOD_NOT_ALLOWED");
            let told = answer.headers["allow"].to_str().expect("text");
            let told: BTreeSet<_> = told.split(',').map(str::trim).collect();
            assert_eq!(told, allowed.iter().copied().collect(), "{path}");
        }
    }
}

#[tokio::test]
async fn a_credential_comes_in_one_authorization_header_and_nowhere_else() {
    let app = TestApp::new().await;
    let member = app.member(Role::Lider).await;
    let token = app.token(&member).await.credential().to_owned();
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
            .refused(401, "UNAUTHENTICATED");
        assert_eq!(answer.headers["www-authenticate"], "Bearer", "{text}");
        assert!(!answer.text.contains(&token), "{}", answer.text);
    }
    let twice =
        with(format!("Bearer {token}")).with_header("authorization", format!("Bearer {token}"));
    twice.get("/api/me").await.refused(401, "UNAUTHENTICATED");
    twice
        .post("/api/mcp", json!({}))
        .await
        .refused(401, "UNAUTHENTICATED");

    let anonymous = app.anonymous();
    for path in ["access_token", "token", "api_key"].map(|name| format!("/api/me?{name}={token}")) {
        anonymous.get(&path).await.refused(401, "UNAUTHENTICATED");
    }
    for name in [
        "access_token",
        "sb-access-token",
        "session",
        "Authorization",
    ] {
        let client = anonymous.with_header("cookie", format!("{name}={token}"));
        client.get("/api/me").await.refused(401, "UNAUTHENTICATED");
    }
    for name in ["x-api-key", "x-auth-token", "proxy-authorization"] {
        let client = anonymous.with_header(name, format!("Bearer {token}"));
        client.get("/api/me").await.refused(401, "UNAUTHENTICATED");
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

/// One answer of each status that a client meets.
async fn one_of_each_status(app: &TestApp, lead: &Client) -> Vec<Answer> {
    let id = lead.demand(json!({})).await;
    let author = app.as_member(Role::Criador).await;
    let stale = json!({ "event_id": id, "expected_revision": 9 });
    let large = lead.with_header("content-length", "1000001");
    let plain = lead.with_header("content-type", "text/plain");
    vec![
        lead.get("/api/eventos").await.expect(200),
        app.anonymous().get("/api/health").await.expect(200),
        lead.rpc("tools/list", json!({})).await.expect(200),
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
    let mut answers = one_of_each_status(&app, &own).await;
    let foreign = lead.with_header("origin", "https://outro.test");
    answers.push(foreign.get("/api/eventos").await.expect(200));
    answers.push(foreign.rpc("tools/list", json!({})).await.expect(403));
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
    preflight.refused(405, "METHOD_NOT_ALLOWED");
}

#[tokio::test]
async fn every_refusal_is_the_error_object() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    for answer in one_of_each_status(&app, &lead).await {
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

#[tokio::test]
async fn without_a_credential_the_body_is_not_even_read() {
    let app = TestApp::new().await;
    let anonymous = app.anonymous();
    for path in ["/api/demanda", "/api/mcp", "/api/config"] {
        post_text(&anonymous, path, silent_body())
            .await
            .refused(401, "UNAUTHENTICATED");
        let large = anonymous.with_header("content-length", "99999999999");
        post_text(&large, path, padded(5_000_000))
            .await
            .refused(401, "UNAUTHENTICATED");
        let plain = anonymous.with_header("content-type", "text/plain");
        post_text(&plain, path, "{")
            .await
            .refused(401, "UNAUTHENTICATED");
    }
}

#[tokio::test]
async fn without_the_capability_the_body_is_not_even_read() {
    let app = TestApp::new().await;
    let author = app.as_member(Role::Criador).await;
    for path in ["/api/demanda", "/api/config", "/api/aprovar"] {
        let refused = post_text(&author, path, silent_body()).await;
        refused.refused(403, "CAPABILITY_REQUIRED");
        let large = author.with_header("content-length", "99999999999");
        post_text(&large, path, padded(5_000_000))
            .await
            .refused(403, "CAPABILITY_REQUIRED");
        let answer = author
            .post(&format!("{path}?x=1"), json!({ "estranho": 1 }))
            .await;
        answer.refused(403, "CAPABILITY_REQUIRED");
    }
}

#[tokio::test]
async fn input_goes_before_existence_and_existence_before_conflict() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let author = app.as_member(Role::Criador).await;
    let hidden = lead.demand(json!({})).await;
    lead.post(
        "/api/enviar",
        json!({ "event_id": hidden, "expected_revision": 1 }),
    )
    .await
    .expect(200);
    for id in [NO_EVENT, &hidden] {
        for path in ["/api/draft", "/api/enviar"] {
            let faulty = json!({ "event_id": id, "expected_revision": 1, "estranho": 1 });
            assert_eq!(author.post(path, faulty).await.fields(), ["estranho"]);
            // Stale, and not editable either.
            let stale = json!({ "event_id": id, "expected_revision": 7 });
            author.post(path, stale).await.refused(404, "NOT_FOUND");
        }
        assert_eq!(
            author
                .get(&format!("/api/eventos/{id}?limit=0"))
                .await
                .fields(),
            ["limit"]
        );
    }
    let impossible = json!({
        "event_id": NO_EVENT, "expected_revision": 1, "day": 31, "month": 2, "year": 2026,
    });
    assert_eq!(
        author.post("/api/enviar", impossible).await.fields(),
        ["day"]
    );
    let stale = json!({ "event_id": hidden, "expected_revision": 7 });
    lead.post("/api/draft", stale)
        .await
        .refused(409, "STALE_REVISION");
}
