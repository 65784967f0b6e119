//! Changes that open pages are told of, and addresses that there are not.

use std::time::Duration;

use axum::body::{Body, BodyDataStream};
use axum::http::{Request, StatusCode};
use console::Live;
use domain::{Role, time::MINUTE};
use futures::StreamExt;
use gateway::Changes;
use serde_json::json;
use store::members::Member;
use tower::ServiceExt;

use super::shown;
use crate::support::TestApp;

/// A stream of changes.
struct Stream {
    status: StatusCode,
    body: BodyDataStream,
}

impl Stream {
    async fn open(app: &TestApp, cookie: &str) -> Self {
        let request = Request::get("/vivo")
            .header("cookie", cookie)
            .header("host", "127.0.0.1:8080");
        let request = request.body(Body::empty()).expect("a request");
        let response = app
            .router
            .clone()
            .oneshot(request)
            .await
            .expect("an answer");
        if response.status() == 200 {
            assert_eq!(response.headers()["content-type"], "text/event-stream");
            assert!(!response.headers().contains_key("set-cookie"));
        }
        Self {
            status: response.status(),
            body: response.into_body().into_data_stream(),
        }
    }

    /// The next event; `None` when the stream is over.
    async fn next(&mut self) -> Option<String> {
        let bytes = self.body.next().await?.expect("bytes");
        Some(String::from_utf8(bytes.to_vec()).expect("text"))
    }
}

async fn cookie(app: &TestApp, member: &Member) -> String {
    let (name, value) = app.browser_session(member).await;
    format!("{name}={value}")
}

fn changes(app: &TestApp) -> Changes {
    Changes::new(app.app.gateway.services.db.clone())
}

#[tokio::test]
async fn an_open_page_is_notified_of_what_changed() {
    let app = TestApp::new().await;
    let member = app.member(Role::Lider).await;
    let other = app.as_member(Role::Lider).await;
    let mut stream = Stream::open(&app, &cookie(&app, &member).await).await;
    let first = stream.next().await.expect("the first state");
    assert!(
        first.starts_with("retry: 1000\ndata: {\"eventos\":"),
        "{first}"
    );
    let data = |event: &str| -> serde_json::Value {
        let (_, data) = event.split_once("data: ").expect("data");
        serde_json::from_str(data).expect("JSON")
    };
    let first = data(&first);

    other.demand(json!({})).await;
    let second = data(&stream.next().await.expect("a change"));
    assert_ne!(second["eventos"], first["eventos"]);
    assert_eq!(second["projetos"], first["projetos"]);

    let created = other
        .post("/api/projects", json!({ "name": "Turma" }))
        .await
        .expect(201);
    let third = data(&stream.next().await.expect("a change"));
    assert_ne!(third["projetos"], second["projetos"]);
    let path = format!(
        "/api/projects/{}/operations",
        created.body["project"]["id"].as_str().expect("an id")
    );
    let section =
        json!({ "type": "section.add", "payload": { "title": "S" }, "expected_revision": 1 });
    other.post(&path, section).await.expect(200);
    let fourth = data(&stream.next().await.expect("a change"));
    assert_ne!(fourth["projetos"], third["projetos"]);
    assert_eq!(fourth["eventos"], second["eventos"]);
}

#[tokio::test]
async fn a_session_has_four_streams_and_all_together_a_share_of_the_connections() {
    let app = TestApp::new().await;
    let live = Live::new(changes(&app), 24);
    let app = app.with_part(live);
    let members = [
        app.member(Role::Lider).await,
        app.member(Role::Criador).await,
    ];
    let (mine, yours) = (
        cookie(&app, &members[0]).await,
        cookie(&app, &members[1]).await,
    );
    let mut streams = vec![];
    for _ in 0..4 {
        streams.push(Stream::open(&app, &mine).await);
        assert_eq!(streams.last().expect("a stream").status, 200);
    }
    assert_eq!(Stream::open(&app, &mine).await.status, 429);
    for _ in 0..2 {
        streams.push(Stream::open(&app, &yours).await);
        assert_eq!(streams.last().expect("a stream").status, 200);
    }
    // Six of 24 connections.
    assert_eq!(Stream::open(&app, &yours).await.status, 429);
    drop(streams);
    assert_eq!(Stream::open(&app, &mine).await.status, 200);
    let stranger = app.anonymous();
    stranger.get("/vivo").await.expect(303);
}

#[tokio::test]
async fn a_stream_ends_after_its_time_and_when_the_service_stops() {
    let app = TestApp::new().await;
    let live = Live::lasting(changes(&app), 100, Duration::from_millis(1));
    let app = app.with_part(live);
    let member = app.member(Role::Lider).await;
    let cookie = cookie(&app, &member).await;
    let mut stream = Stream::open(&app, &cookie).await;
    stream.next().await.expect("the first state");
    assert_eq!(stream.next().await, None);

    let live = Live::lasting(changes(&app), 100, Duration::from_secs(1000));
    let app = app.with_part(live);
    let mut stream = Stream::open(&app, &cookie).await;
    stream.next().await.expect("the first state");
    app.app
        .gateway
        .services
        .parts
        .find::<Live>()
        .expect("the part")
        .stop();
    assert_eq!(stream.next().await, None);
}

#[tokio::test]
async fn a_stream_does_not_renew_the_session() {
    let app = TestApp::new().await;
    let member = app.member(Role::Criador).await;
    let cookie = cookie(&app, &member).await;
    app.pass(20 * MINUTE);
    // `open` looks for a cookie.
    assert_eq!(Stream::open(&app, &cookie).await.status, 200);
    let browser = app.anonymous().with_header("cookie", cookie);
    let page = browser.get("/").await.expect(200);
    assert!(page.headers.contains_key("set-cookie"));
}

#[tokio::test]
async fn an_unknown_address_is_a_page_for_browsers_and_an_error_object_for_programs() {
    let app = TestApp::new().await;
    let browser = app
        .anonymous()
        .with_header("accept", "text/html,application/xhtml+xml,*/*;q=0.8");
    let page = browser.get("/agendas").await.expect(404);
    assert_eq!(page.headers["content-type"], "text/html; charset=utf-8");
    assert!(
        shown(&page).contains("Não encontrado")
            && page.headers.contains_key("content-security-policy")
    );
    browser.get("/api/agendas").await.refused(404, "NOT_FOUND");
    browser
        .get("/auth/v1/agendas")
        .await
        .refused(404, "NOT_FOUND");
    let both = app
        .anonymous()
        .with_header("accept", "text/html, application/json");
    both.get("/agendas").await.refused(404, "NOT_FOUND");
    app.anonymous()
        .get("/agendas")
        .await
        .refused(404, "NOT_FOUND");
}
