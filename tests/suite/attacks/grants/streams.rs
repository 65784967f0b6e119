//! The stream of an open page ends with its session, and follows the rights of its member.

use std::time::Duration;

use axum::body::{Body, BodyDataStream};
use axum::http::Request;
use domain::{Level, Member, Role};
use futures::StreamExt;
use sea_orm::DbBackend;
use serde_json::{Value, json};
use store::members;
use tower::ServiceExt;

use super::Person;
use crate::support::TestApp;

struct Stream(BodyDataStream);

impl Stream {
    async fn open_stream(app: &TestApp, person: &Person) -> Self {
        let pairs = person.browser.cookies.iter();
        let cookie: Vec<String> = pairs
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let request = Request::get("/vivo")
            .header("cookie", cookie.join("; "))
            .header("host", "127.0.0.1:8080");
        let request = request.body(Body::empty()).expect("a request");
        let answer = app
            .router
            .clone()
            .oneshot(request)
            .await
            .expect("an answer");
        assert_eq!(answer.status(), 200);
        let mut stream = Self(answer.into_body().into_data_stream());
        stream.next_event().await.expect("the first event");
        stream
    }

    /// Waits until the service listens to other instances. Over PostgreSQL, a stream that is open
    /// when the listening begins gets an event, because changes may have been missed. A stream that
    /// opens later gets no such event, so the wait has a time limit.
    async fn wait_until_listening(app: &TestApp, person: &Person) {
        let mut stream = Self::open_stream(app, person).await;
        if app.backend() == DbBackend::Postgres {
            let _ = tokio::time::timeout(Duration::from_secs(3), stream.next_event()).await;
        }
    }

    /// Returns the next event; `None` at the end of the stream.
    async fn next_event(&mut self) -> Option<Value> {
        let bytes = tokio::time::timeout(Duration::from_secs(20), self.0.next());
        let bytes = bytes.await.expect("an event in time")?.expect("bytes");
        let text = String::from_utf8(bytes.to_vec()).expect("text");
        let data = text.strip_prefix("data: ").expect("data");
        Some(serde_json::from_str(data).expect("JSON"))
    }

    /// Returns the areas of the next event.
    async fn next_areas(&mut self) -> Option<Vec<String>> {
        let data = self.next_event().await?;
        let areas = data["areas"].as_array().into_iter().flatten();
        let names = areas.map(|area| area.as_str().expect("a name").to_owned());
        Some(names.collect())
    }

    async fn assert_ends(&mut self) {
        for _ in 0..5 {
            if self.next_areas().await.is_none() {
                return;
            }
        }
        panic!("the stream must end");
    }
}

async fn update_member(app: &TestApp, member: &Member) {
    let tx = app.begin().await;
    members::update(&tx.conn(), member)
        .await
        .expect("the member is updated");
    tx.commit().await.expect("commits");
}

#[tokio::test]
async fn a_stream_whose_session_has_ended_ends_at_the_next_change() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    Stream::wait_until_listening(&app, &Person::sign_in(&app, &member).await).await;
    for how in ["logout", "sair", "offboarding"] {
        let mut person = Person::sign_in(&app, &member).await;
        let mut stream = Stream::open_stream(&app, &person).await;
        let mut other = Stream::open_stream(
            &app,
            &Person::sign_in(&app, &app.add_member(Role::Lider).await).await,
        )
        .await;
        match how {
            "logout" => {
                let path = "/auth/v1/logout?scope=local";
                person.session.post(path, json!({})).await.expect(200);
            }
            "sair" => {
                person.browser.post("/sair", &[]).await.expect(303);
            }
            _ => {
                let admin = app.as_member(Role::Admin).await;
                let path = format!("/api/membros/{}", member.id);
                admin.delete(&path).await.expect(200);
            }
        }
        let maker = app.as_member(Role::Lider).await;
        maker.create_demand(json!({})).await;
        stream.assert_ends().await;
        assert!(
            other.next_areas().await.is_some(),
            "{how}: the streams of other sessions must stay open"
        );
    }
}

#[tokio::test]
async fn a_stream_names_only_areas_that_its_member_may_read_now() {
    let app = TestApp::new().await;
    let mut member = app.add_member_with(Role::Admin, Level::Admin, true).await;
    let person = Person::sign_in(&app, &member).await;
    Stream::wait_until_listening(&app, &person).await;
    let mut stream = Stream::open_stream(&app, &person).await;
    member.role = Role::Criador;
    member.financeiro = false;
    update_member(&app, &member).await;
    let changes = &app.app.gateway.services.changes;
    // Only admins can read the area `members`, and only members with access to sales can read
    // `launches`.
    changes.mark_area("members");
    changes.mark_area("launches");
    changes.mark_area("workflow");
    let mut seen = vec![];
    while !seen.contains(&"workflow".to_owned()) {
        seen.extend(
            stream
                .next_areas()
                .await
                .expect("the stream must stay open"),
        );
    }
    assert_eq!(seen, ["workflow"]);
    // The stream also follows rights that are granted later.
    member.financeiro = true;
    update_member(&app, &member).await;
    changes.mark_area("launches");
    while !seen.contains(&"launches".to_owned()) {
        seen.extend(
            stream
                .next_areas()
                .await
                .expect("the stream must stay open"),
        );
    }
}
