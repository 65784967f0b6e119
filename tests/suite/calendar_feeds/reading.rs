//! Reading a calendar over HTTP.

use axum::http::Method;
use domain::{Role, time::MINUTE};
use serde_json::json;

use super::{calendar_path, create_calendar, create_piece, read_calendar, update_piece};
use crate::support::{TestApp, plans::trace_each_query};

#[tokio::test]
async fn a_calendar_is_text_that_only_its_reader_may_store() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let session = app.session_client(&member).await;
    let made = create_calendar(&session, json!({})).await;
    let answer = read_calendar(&app, &made).await;
    assert_eq!(
        answer.headers["content-type"],
        "text/calendar; charset=utf-8"
    );
    assert_eq!(answer.headers["cache-control"], "private, no-cache");
    assert_eq!(answer.headers["x-content-type-options"], "nosniff");
    assert!(!answer.headers.contains_key("set-cookie"));
    let head = app
        .anonymous()
        .send(Method::HEAD, &calendar_path(&made), None)
        .await;
    let head = head.expect(200);
    assert_eq!(head.headers["etag"], answer.headers["etag"]);
    assert!(head.text.is_empty());
    for method in [Method::POST, Method::PUT, Method::DELETE] {
        let refused = app
            .anonymous()
            .send(method, &calendar_path(&made), None)
            .await;
        assert_eq!(refused.status, 405);
    }
}

#[tokio::test]
async fn an_unchanged_calendar_is_not_sent_again_and_a_changed_one_is() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let session = app.session_client(&member).await;
    let made = create_calendar(&session, json!({})).await;
    let id = create_piece(&session, "Bolo", 25, 8, json!({})).await;
    let first = read_calendar(&app, &made).await;
    let etag = first.headers["etag"].to_str().expect("text").to_owned();
    app.advance_clock(5 * MINUTE);
    for known in [
        etag.clone(),
        format!("W/{etag}"),
        format!("\"x\", {etag}"),
        "*".into(),
    ] {
        let client = app.anonymous().with_header("if-none-match", known);
        let kept = client.get(&calendar_path(&made)).await.expect(304);
        assert!(kept.text.is_empty());
        assert_eq!(kept.headers["etag"], etag.as_str());
        assert_eq!(kept.headers["cache-control"], "private, no-cache");
        assert!(!kept.headers.contains_key("content-type"));
    }
    update_piece(&session, &id, json!({ "title": "Pão" })).await;
    let client = app.anonymous().with_header("if-none-match", etag.clone());
    let changed = client.get(&calendar_path(&made)).await.expect(200);
    assert_ne!(changed.headers["etag"], etag.as_str());
    assert!(changed.text.contains("SUMMARY:Pão (a fazer)"));
}

#[tokio::test]
async fn the_last_reading_is_listed() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Criador).await;
    let session = app.session_client(&member).await;
    let made = create_calendar(&session, json!({})).await;
    let last = async || {
        app.app.write_all_reads().await;
        let listed = session.get("/api/calendarios").await.expect(200).body;
        listed["calendarios"][0]["last_read_at"].clone()
    };
    assert!(last().await.is_null());
    read_calendar(&app, &made).await;
    assert_eq!(last().await, "2026-08-22T15:00:00.000Z");
    app.advance_clock(MINUTE);
    read_calendar(&app, &made).await;
    assert_eq!(last().await, "2026-08-22T15:01:00.000Z");
}

#[tokio::test]
async fn the_number_of_statements_does_not_grow_with_the_pieces() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let member = app.add_member(Role::Criador).await;
    let session = app.session_client(&member).await;
    let made = create_calendar(&session, json!({})).await;
    let read = async || {
        read_calendar(&app, &made).await;
    };
    create_piece(&lead, "Uma", 24, 8, json!({ "assignee_id": member.id })).await;
    let few = trace_each_query(read()).await;
    for day in 1..=20 {
        create_piece(&lead, "Outra", day, 9, json!({ "assignee_id": member.id })).await;
    }
    let many = trace_each_query(read()).await;
    assert_eq!(few.len(), many.len(), "{many:#?}");
    assert!((2..=4).contains(&few.len()), "{few:#?}");
}
