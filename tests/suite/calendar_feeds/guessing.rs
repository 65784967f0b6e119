//! Wrong secrets, and places in which a secret must not appear.

use domain::{Role, time::MINUTE};
use identity::{LIMIT_WINDOW, calendar_feed::MOST_WRONG};
use pauta::cli::log_filter;
use serde_json::json;

use super::{calendar_path, calendar_secret, create_calendar, read_calendar};
use crate::support::{Log, TestApp, log_to};

#[tokio::test]
async fn a_wrong_secret_opens_nothing() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let session = app.session_client(&member).await;
    let made = create_calendar(&session, json!({})).await;
    let secret = calendar_secret(&made);
    let id = made["calendario"]["id"].as_str().expect("an id").to_owned();
    let first = if secret.starts_with('A') { "B" } else { "A" };
    let mut swapped = secret.clone();
    swapped.replace_range(..1, first);
    for wrong in [
        swapped,
        secret[1..].to_owned(),
        format!("{secret}A"),
        format!("{secret}%00"),
        format!("{secret}%20"),
        secret.chars().rev().collect(),
        id,
        "%00".to_owned(),
        "a".repeat(3_000),
        "'%20OR%201=1".to_owned(),
    ] {
        let path = format!("/calendario/{wrong}/agenda.ics");
        let refused = app.anonymous().get(&path).await;
        let refused = refused.expect_refusal(404, "NOT_FOUND");
        assert!(!refused.headers.contains_key("www-authenticate"));
        assert!(!refused.headers.contains_key("etag"));
    }
}

#[tokio::test]
async fn wrong_secrets_are_limited_per_network_and_a_right_one_is_still_served() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let session = app.session_client(&member).await;
    let made = create_calendar(&session, json!({})).await;
    let stranger = app.anonymous().with_address("203.0.113.9");
    let guess = format!("/calendario/{}/agenda.ics", "A".repeat(43));
    for _ in 0..MOST_WRONG {
        stranger.get(&guess).await.expect_refusal(404, "NOT_FOUND");
    }
    let limited = stranger.get(&guess).await;
    assert!(limited.headers.contains_key("retry-after"));
    limited.expect_refusal(429, "RATE_LIMITED");
    // The right secret is still accepted, because a large provider reads the calendars of many
    // people from one network.
    stranger.get(&calendar_path(&made)).await.expect(200);
    let elsewhere = app.anonymous().with_address("203.0.113.10");
    elsewhere.get(&guess).await.expect_refusal(404, "NOT_FOUND");
    app.advance_clock(LIMIT_WINDOW);
    stranger.get(&guess).await.expect_refusal(404, "NOT_FOUND");
}

#[tokio::test]
async fn readings_of_one_calendar_are_limited_from_all_networks_together() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let session = app.session_client(&member).await;
    let made = create_calendar(&session, json!({})).await;
    let other = create_calendar(&session, json!({})).await;
    let path = calendar_path(&made);
    for n in 0..60 {
        let program = app.anonymous().with_address(&format!("203.0.113.{n}"));
        program.get(&path).await.expect(200);
    }
    let known = app.anonymous().with_header("if-none-match", "*");
    let limited = known.get(&path).await;
    assert_eq!(limited.headers["retry-after"], "600");
    let limited = limited.expect_refusal(429, "RATE_LIMITED");
    assert!(limited.text.contains("Este calendário"), "{}", limited.text);
    read_calendar(&app, &other).await;
    session.get("/api/calendarios").await.expect(200);
    app.advance_clock(10 * MINUTE);
    read_calendar(&app, &made).await;
}

#[tokio::test]
async fn no_log_has_a_secret() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let session = app.session_client(&member).await;
    let made = create_calendar(&session, json!({})).await;
    let secret = calendar_secret(&made);
    let log = Log::default();
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(log_filter("trace,pauta=trace"))
        .with_writer(log.clone())
        .finish();
    let guard = log_to(subscriber);
    read_calendar(&app, &made).await;
    let paths = [
        calendar_path(&made),
        format!("/calendario/{secret}"),
        format!("/calendario/{secret}/outra.ics"),
        format!("/calendario/x{secret}/agenda.ics"),
    ];
    for path in &paths {
        app.anonymous().get(path).await;
        app.anonymous().post(path, json!({})).await;
    }
    drop(guard);
    let text = log.captured_text();
    assert!(
        text.contains("/calendario/{calendario}/agenda.ics"),
        "{text}"
    );
    assert!(!text.contains(&secret), "{text}");
    app.app.write_all_reads().await;
    assert!(!app.contains_text(&secret).await);
}
