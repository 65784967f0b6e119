//! An OAuth flow can be completed only once, within ten minutes, and in the browser that started
//! it.

use domain::{
    Role,
    time::{MINUTE, SECOND},
};
use serde_json::json;

use super::{Call, NETWORKS, Stage, request_callback, start_connecting};
use crate::support::Answer;

/// Asserts a plain-text refusal, without a code exchange and without an account.
async fn assert_callback_refused(stage: &Stage, answer: Answer) {
    let answer = answer.expect(400);
    assert!(
        answer.headers["content-type"]
            .to_str()
            .expect("text")
            .starts_with("text/plain")
    );
    assert!(!answer.text.contains('<'), "{}", answer.text);
    assert_eq!(
        stage.load_account("shortvideo").await,
        serde_json::Value::Null
    );
    assert_eq!(stage.networks.count_calls("shortvideo", Call::Exchange), 0);
}

#[tokio::test]
async fn the_cookie_is_sent_only_to_the_callback_and_hidden_from_scripts() {
    let stage = Stage::new().await;
    for network in NETWORKS {
        let started = start_connecting(&stage.admin, network).await;
        let attributes = started.set_cookie.split_once("; ").expect("attributes").1;
        assert_eq!(
            attributes,
            format!("Path=/oauth/{network}/callback; Max-Age=600; HttpOnly; Secure; SameSite=Lax")
        );
        assert!(
            !started
                .url
                .contains(started.cookie.split_once('=').expect("a pair").1)
        );
        assert!(!started.url.contains(stage.member.id.as_str()));
    }
}

#[tokio::test]
async fn a_state_is_accepted_once() {
    let stage = Stage::new().await;
    let started = start_connecting(&stage.admin, "shortvideo").await;
    let path = stage.networks.authorize(&started.url).await;
    let done = request_callback(&stage.app, &path, &started.cookie)
        .await
        .expect(200);
    let deleted = done.headers["set-cookie"].to_str().expect("text");
    assert!(deleted.contains("Max-Age=0; HttpOnly"), "{deleted}");
    request_callback(&stage.app, &path, &started.cookie)
        .await
        .expect(400);
    assert_eq!(stage.networks.count_calls("shortvideo", Call::Exchange), 1);
    assert_eq!(stage.load_account("shortvideo").await["status"], "active");
}

#[tokio::test]
async fn one_of_two_simultaneous_callbacks_connects() {
    let stage = Stage::new().await;
    let second = stage.app.second_instance().await;
    let started = start_connecting(&stage.admin, "shortvideo").await;
    let path = stage.networks.authorize(&started.url).await;
    let (one, other) = tokio::join!(
        request_callback(&stage.app, &path, &started.cookie),
        request_callback(&second, &path, &started.cookie),
    );
    let mut statuses = [one.status, other.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 400]);
    assert_eq!(stage.networks.count_calls("shortvideo", Call::Exchange), 1);
}

#[tokio::test]
async fn another_browser_network_or_member_cannot_complete_the_flow() {
    let stage = Stage::new().await;
    let started = start_connecting(&stage.admin, "shortvideo").await;
    let path = stage.networks.authorize(&started.url).await;
    assert_callback_refused(&stage, stage.app.anonymous().get(&path).await).await;
    let other = stage.app.as_member(Role::Admin).await;
    let others = start_connecting(&other, "shortvideo").await;
    // The browser of another member, who has also started the flow, sends its own cookie.
    assert_callback_refused(
        &stage,
        request_callback(&stage.app, &path, &others.cookie).await,
    )
    .await;
    // Two cookies with the same name.
    let twice = format!("{}; {}", others.cookie, started.cookie);
    assert_callback_refused(&stage, request_callback(&stage.app, &path, &twice).await).await;
    // Sends the state to the callback of another network, in a cookie with the name that this callback
    // expects.
    let elsewhere = path.replacen("shortvideo", "linkedin", 1);
    let cookie = started.cookie.replacen("shortvideo", "linkedin", 1);
    assert_callback_refused(
        &stage,
        request_callback(&stage.app, &elsewhere, &cookie).await,
    )
    .await;
    // The refused callbacks did not use up the state.
    request_callback(&stage.app, &path, &started.cookie)
        .await
        .expect(200);
}

#[tokio::test]
async fn a_state_is_valid_for_ten_minutes() {
    for (passed, status) in [(10 * MINUTE, 200), (10 * MINUTE + SECOND, 400)] {
        let stage = Stage::new().await;
        let started = start_connecting(&stage.admin, "shortvideo").await;
        let path = stage.networks.authorize(&started.url).await;
        stage.app.advance_clock(passed);
        let answer = request_callback(&stage.app, &path, &started.cookie).await;
        answer.expect(status);
    }
}

#[tokio::test]
async fn a_new_flow_replaces_the_flow_before_it() {
    let stage = Stage::new().await;
    let first = start_connecting(&stage.admin, "shortvideo").await;
    let path = stage.networks.authorize(&first.url).await;
    let second = start_connecting(&stage.admin, "shortvideo").await;
    assert_callback_refused(
        &stage,
        request_callback(&stage.app, &path, &first.cookie).await,
    )
    .await;
    let path = stage.networks.authorize(&second.url).await;
    request_callback(&stage.app, &path, &second.cookie)
        .await
        .expect(200);
}

#[tokio::test]
async fn forged_and_missing_states_are_refused() {
    let stage = Stage::new().await;
    let started = start_connecting(&stage.admin, "shortvideo").await;
    let path = stage.networks.authorize(&started.url).await;
    let (before, state) = path.split_once("state=").expect("a state");
    let (state, _) = state.split_once('&').unwrap_or((state, ""));
    let forged = format!("{}AAAA", &state[..state.len() - 4]);
    for path in [
        "/oauth/shortvideo/callback".to_owned(),
        "/oauth/shortvideo/callback?code=x".to_owned(),
        "/oauth/shortvideo/callback?code=x&state=".to_owned(),
        format!("{before}state={forged}"),
        format!("{before}state={}", "a".repeat(66)),
        format!("{before}state={}", "é".repeat(300)),
        format!("{path}&state={state}"),
    ] {
        assert_callback_refused(
            &stage,
            request_callback(&stage.app, &path, &started.cookie).await,
        )
        .await;
    }
}

#[tokio::test]
async fn a_former_member_or_one_without_the_capability_connects_nothing() {
    let stage = Stage::new().await;
    for leaves in [true, false] {
        let member = stage.app.add_member(Role::Admin).await;
        let session = stage.app.session_client(&member).await;
        let started = start_connecting(&session, "shortvideo").await;
        let path = stage.networks.authorize(&started.url).await;
        if leaves {
            let path = format!("/api/membros/{}", member.id);
            stage.admin.delete(&path).await.expect(200);
        } else {
            let change = json!({ "member_id": member.id, "access_level": "lider" });
            stage.admin.patch("/api/membros", change).await.expect(200);
        }
        assert_callback_refused(
            &stage,
            request_callback(&stage.app, &path, &started.cookie).await,
        )
        .await;
    }
}
