//! The stream of changes, and requests for unknown paths.

use std::{collections::BTreeSet, time::Duration};

use axum::body::{Body, BodyDataStream};
use axum::http::{Request, StatusCode};
use console::Live;
use domain::{Capability, Level, Role, time::MINUTE};
use futures::StreamExt;
use sea_orm::DbBackend;
use serde_json::{Value, json};
use store::members::Member;
use tower::ServiceExt;

use super::visible_text;
use crate::support::{Answer, Client, TestApp};

/// A stream of changes.
struct Stream {
    status: StatusCode,
    body: BodyDataStream,
}

impl Stream {
    async fn open_stream(app: &TestApp, cookie: &str) -> Self {
        Self::open_stream_at(app, cookie, "/vivo").await
    }

    /// Opens a stream that begins at this position.
    async fn open_stream_since(app: &TestApp, cookie: &str, point: &str) -> Self {
        Self::open_stream_at(app, cookie, &format!("/vivo?desde={point}")).await
    }

    async fn open_stream_at(app: &TestApp, cookie: &str, path: &str) -> Self {
        let request = Request::get(path)
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

    /// Returns the next event; `None` at the end of the stream.
    async fn next_event(&mut self) -> Option<String> {
        let bytes = self.body.next().await?.expect("bytes");
        Some(String::from_utf8(bytes.to_vec()).expect("text"))
    }

    /// Returns the data of the next event.
    async fn next_data(&mut self) -> Value {
        let event = self.next_event().await.expect("an event");
        let data = event.strip_prefix("data: ").expect("data");
        serde_json::from_str(data).expect("JSON")
    }

    /// Reads events until one names this area; returns its authors in that event.
    async fn read_authors(&mut self, area: &str) -> Value {
        loop {
            let mut data = self.next_data().await;
            if data["autores"].get(area).is_some() {
                return data["autores"][area].take();
            }
        }
    }

    /// Reads events until one names this area; returns the areas of all of them.
    async fn read_until(&mut self, area: &str) -> BTreeSet<String> {
        let mut told = BTreeSet::new();
        while !told.contains(area) {
            let data = self.next_data().await;
            let areas = data["areas"].as_array().into_iter().flatten();
            told.extend(areas.map(|area| area.as_str().expect("a name").to_owned()));
        }
        told
    }
}

async fn session_cookie(app: &TestApp, member: &Member) -> String {
    let (name, value) = app.session_cookie(member).await;
    format!("{name}={value}")
}

/// Opens the stream of this member and waits until it has begun. Over PostgreSQL, it waits until
/// the instance listens to other instances and has reported that it missed their earlier changes
/// (`areas` is null).
async fn open_listening_stream(app: &TestApp, member: &Member) -> Stream {
    let mut stream = Stream::open_stream(app, &session_cookie(app, member).await).await;
    let mut begun = stream.next_data().await;
    while app.backend() == DbBackend::Postgres && begun["areas"] != Value::Null {
        begun = stream.next_data().await;
    }
    stream
}

async fn create_project(client: &Client) -> String {
    let project = json!({ "name": "Turma" });
    let created = client.post("/api/projects", project).await.expect(201);
    created.body["project"]["id"]
        .as_str()
        .expect("an id")
        .to_owned()
}

#[tokio::test]
async fn an_open_page_is_notified_of_the_areas_in_which_something_changed() {
    let app = TestApp::new().await;
    let mut stream = open_listening_stream(&app, &app.add_member(Role::Lider).await).await;
    let other = app.as_member(Role::Lider).await;
    other.create_demand(json!({})).await;
    assert_eq!(
        stream.read_until("workflow").await,
        ["workflow".into()].into()
    );
    let id = create_project(&other).await;
    assert_eq!(
        stream.read_until("projects").await,
        ["projects".into()].into()
    );
    let section =
        json!({ "type": "section.add", "payload": { "title": "S" }, "expected_revision": 1 });
    let path = format!("/api/projects/{id}/operations");
    other.post(&path, section.clone()).await.expect(200);
    assert_eq!(
        stream.read_until("projects").await,
        ["projects".into()].into()
    );
    // A read or a refusal is not a change.
    other.get("/api/projects").await.expect(200);
    other
        .post(&path, section)
        .await
        .expect_refusal(409, "STALE_REVISION");
    other.create_demand(json!({})).await;
    assert_eq!(
        stream.read_until("workflow").await,
        ["workflow".into()].into()
    );
}

#[tokio::test]
async fn an_event_names_the_authors_of_changes_but_never_its_reader() {
    let app = TestApp::new().await;
    let mine = app.add_member(Role::Lider).await;
    let other = app.add_member(Role::Lider).await;
    let mut stream = open_listening_stream(&app, &mine).await;
    let clients = [
        (app.session_client(&other).await, json!([other.name])),
        (app.session_client(&mine).await, json!([])),
        (
            app.token_client_with(&other, Capability::ALL).await.0,
            json!([format!("Um agente por {}", other.name)]),
        ),
        (
            app.token_client_with(&mine, Capability::ALL).await.0,
            json!(["Um agente, em seu nome,"]),
        ),
    ];
    for (client, named) in clients {
        create_project(&client).await;
        assert_eq!(stream.read_authors("projects").await, named);
    }
    // A change that the service itself makes has no author.
    app.app.gateway.services.changes.mark_area("projects");
    assert_eq!(stream.read_authors("projects").await, json!([null]));

    // The author of a change that the reader may not see is not named.
    let admin = app.add_member(Role::Admin).await;
    let creator = app.add_member(Role::Criador).await;
    // The instance listens already, so the stream reports no missed changes.
    let mut stream = Stream::open_stream(&app, &session_cookie(&app, &creator).await).await;
    stream.next_data().await;
    let admin = app.session_client(&admin).await;
    admin.create_demand(json!({})).await;
    create_project(&app.session_client(&other).await).await;
    let data = stream.next_data().await;
    assert_eq!(data["areas"], json!(["projects"]), "{data}");
    assert_eq!(data["autores"], json!({ "projects": [other.name] }));
}

#[tokio::test]
async fn changes_that_a_member_may_not_see_are_not_sent() {
    let app = TestApp::new().await;
    let mine = app.add_member(Role::Criador).await;
    let mut stream = open_listening_stream(&app, &mine).await;
    let (lead, admin) = (
        app.as_member(Role::Lider).await,
        app.as_member(Role::Admin).await,
    );
    let id = lead.create_demand(json!({})).await;
    let token = json!({ "label": "Meu", "scopes": ["tasks_view"] });
    admin.post("/api/access/tokens", token).await.expect(201);
    let password = json!({ "usuario": "escola", "senha": "forno-a-lenha-81" });
    let path = "/api/plataformas/loja/senha";
    admin.put(path, password).await.expect(200);
    create_project(&lead).await;
    assert_eq!(
        stream.read_until("projects").await,
        ["projects".into()].into()
    );

    // A member is notified when they are assigned, and again when they are unassigned.
    let path = format!("/api/eventos/{id}");
    for (revision, people) in [(1, vec![mine.id.as_str()]), (2, vec![])] {
        let assigned = json!({ "expected_revision": revision, "assignee_ids": people });
        lead.patch(&path, assigned).await.expect(200);
        assert_eq!(
            stream.read_until("workflow").await,
            ["workflow".into()].into()
        );
    }
}

#[tokio::test]
async fn a_stream_continues_from_the_position_of_the_page_or_the_last_stream() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    open_listening_stream(&app, &member).await;
    let (cookie, browser) = (
        session_cookie(&app, &member).await,
        app.browser_client(&member).await,
    );
    let page = browser.get("/projetos").await.expect(200);
    let point = page.text.split_once("data-since=\"").expect("a position").1;
    let point = point.split('"').next().expect("a position");
    let other = app.as_member(Role::Lider).await;
    create_project(&other).await;
    let mut stream = Stream::open_stream_since(&app, &cookie, point).await;
    let data = stream.next_data().await;
    assert_eq!(data["areas"], json!(["projects"]));
    assert!(data["autores"]["projects"][0].is_string(), "{data}");
    let mut stream =
        Stream::open_stream_since(&app, &cookie, data["ate"].as_str().expect("a position")).await;
    let data = stream.next_data().await;
    assert!(data["areas"].as_array().is_none_or(Vec::is_empty), "{data}");
    // If the position is unknown, the stream reports that everything may have changed.
    for unknown in ["", "0-0", "ffff-ffff-ffff", &format!("{point}fffff")] {
        let data = Stream::open_stream_since(&app, &cookie, unknown)
            .await
            .next_data()
            .await;
        assert_eq!(data["areas"], Value::Null, "{unknown}");
    }
}

#[tokio::test]
async fn a_stream_that_lags_too_far_ends_and_the_page_reloads() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let cookie = session_cookie(&app, &member).await;
    let mut stream = Stream::open_stream(&app, &cookie).await;
    let began = stream.next_data().await["ate"]
        .as_str()
        .expect("a position")
        .to_owned();
    let changes = &app.app.gateway.services.changes;
    for _ in 0..600 {
        changes.mark_area(tools::AREAS[0].name);
    }
    // Over PostgreSQL, the first event may report that the instance did not listen to other
    // instances yet.
    while stream.next_event().await.is_some() {}
    let data = Stream::open_stream_since(&app, &cookie, &began)
        .await
        .next_data()
        .await;
    assert_eq!(data["areas"], Value::Null);
}

#[tokio::test]
async fn a_job_that_ends_notifies_its_area() {
    let app = TestApp::new().await;
    let member = app.add_member_with(Role::Admin, Level::Admin, true).await;
    let mut stream = open_listening_stream(&app, &member).await;
    app.app.worker().drain().await.expect("runs");
    stream.read_until("launches").await;
}

#[tokio::test]
async fn changes_of_another_instance_are_sent() {
    let app = TestApp::new().await;
    if app.backend() == DbBackend::Sqlite {
        return;
    }
    let there = app.second_instance().await;
    let mut stream = open_listening_stream(&app, &app.add_member(Role::Lider).await).await;
    let other = there.as_member(Role::Lider).await;
    other.create_demand(json!({})).await;
    assert_eq!(
        stream.read_until("workflow").await,
        ["workflow".into()].into()
    );
    create_project(&other).await;
    assert_eq!(
        stream.read_until("projects").await,
        ["projects".into()].into()
    );
}

#[tokio::test]
async fn navigation_entries_name_existing_areas_and_only_live_pages_subscribe() {
    let app = TestApp::new().await;
    let admin = app.add_member_with(Role::Admin, Level::Admin, true).await;
    let browser = app.browser_client(&admin).await;
    let live = |page: &Answer| {
        let named = page.text.split_once("data-live=\"");
        named.map(|(_, rest)| rest.split('"').next().unwrap_or_default().to_owned())
    };
    let page = browser.get("/agenda").await.expect(200);
    let links = page.text.split("<li><a href=\"").skip(1);
    let places: BTreeSet<&str> = links.filter_map(|link| link.split('"').next()).collect();
    assert!(places.len() > 15, "{places:?}");
    for place in places {
        let page = browser.get(place).await.expect(200);
        let silent = ["/auditoria", "/catalogo"].contains(&place);
        let areas = live(&page);
        assert_eq!(areas.is_none(), silent, "{place}");
        for area in areas.iter().flat_map(|areas| areas.split(' ')) {
            let known = tools::AREAS.iter().any(|known| known.name == area);
            assert!(known, "{place}: {area}");
        }
    }
    // A page that is the response to a form does not subscribe, because it cannot be reloaded.
    let fields = [("nome", " "), ("nivel", "leitor")];
    let page = browser.post_form("/agentes/tokens", &fields).await;
    let page = page.expect(400);
    assert!(page.text.contains("id=\"conteudo\"") && live(&page).is_none());
}

#[tokio::test]
async fn streams_are_limited_per_session_and_to_a_share_of_the_connections() {
    let app = TestApp::new().await;
    let live = Live::new(24);
    let app = app.with_part(live);
    let members = [
        app.add_member(Role::Lider).await,
        app.add_member(Role::Criador).await,
    ];
    let (mine, yours) = (
        session_cookie(&app, &members[0]).await,
        session_cookie(&app, &members[1]).await,
    );
    let mut streams = vec![];
    for _ in 0..4 {
        streams.push(Stream::open_stream(&app, &mine).await);
        assert_eq!(streams.last().expect("a stream").status, 200);
    }
    assert_eq!(Stream::open_stream(&app, &mine).await.status, 429);
    for _ in 0..2 {
        streams.push(Stream::open_stream(&app, &yours).await);
        assert_eq!(streams.last().expect("a stream").status, 200);
    }
    // A service with 24 connections allows six streams.
    assert_eq!(Stream::open_stream(&app, &yours).await.status, 429);
    drop(streams);
    assert_eq!(Stream::open_stream(&app, &mine).await.status, 200);
    let stranger = app.anonymous();
    stranger.get("/vivo").await.expect(303);
}

#[tokio::test]
async fn a_stream_ends_after_its_maximum_duration_and_when_the_service_stops() {
    let app = TestApp::new().await;
    let live = Live::with_duration(100, Duration::from_millis(1));
    let app = app.with_part(live);
    let member = app.add_member(Role::Lider).await;
    let cookie = session_cookie(&app, &member).await;
    let mut stream = Stream::open_stream(&app, &cookie).await;
    stream.next_event().await.expect("the first event");
    assert_eq!(stream.next_event().await, None);

    let live = Live::with_duration(100, Duration::from_secs(1000));
    let app = app.with_part(live);
    let mut stream = Stream::open_stream(&app, &cookie).await;
    stream.next_event().await.expect("the first event");
    app.app
        .gateway
        .services
        .parts
        .find::<Live>()
        .expect("the streams")
        .end_streams();
    assert_eq!(stream.next_event().await, None);
}

#[tokio::test]
async fn a_stream_does_not_renew_the_session() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Criador).await;
    let cookie = session_cookie(&app, &member).await;
    app.advance_clock(20 * MINUTE);
    // `Stream::open_stream` asserts that the response sets no cookie.
    assert_eq!(Stream::open_stream(&app, &cookie).await.status, 200);
    let browser = app.anonymous().with_header("cookie", cookie);
    // A page that reloads because of an event does not extend the session either.
    let looking = browser.with_header("x-pauta-background", "1");
    let page = looking.get("/").await.expect(200);
    assert!(!page.headers.contains_key("set-cookie"));
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
        visible_text(&page).contains("Não encontrado")
            && page.headers.contains_key("content-security-policy")
    );
    browser
        .get("/api/agendas")
        .await
        .expect_refusal(404, "NOT_FOUND");
    browser
        .get("/auth/v1/agendas")
        .await
        .expect_refusal(404, "NOT_FOUND");
    let both = app
        .anonymous()
        .with_header("accept", "text/html, application/json");
    both.get("/agendas").await.expect_refusal(404, "NOT_FOUND");
    app.anonymous()
        .get("/agendas")
        .await
        .expect_refusal(404, "NOT_FOUND");
}
