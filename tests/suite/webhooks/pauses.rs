//! The pause that a receiver requests with `Retry-After`: the messages that it holds back, and the
//! actions that end it.

use axum::{body::Body, http::Response};
use domain::time::{DAY, HOUR, SECOND, Timestamp};
use serde_json::json;

use super::{Fixture, Subscription};

/// Creates a webhook whose receiver has requested a pause of a day; returns also the id of the piece
/// whose message waits.
async fn start_day_long_pause() -> (Fixture, Subscription, String) {
    let team = Fixture::new().await;
    let webhook = team.subscribe().await;
    team.receiver.answer_with(|_| async { unavailable() });
    let id = team.assign("Feira").await;
    team.make_and_send_messages().await;
    team.receiver.take_one();
    (team, webhook, id)
}

fn unavailable() -> Response<Body> {
    let answer = Response::builder().status(503);
    let answer = answer.header("retry-after", DAY / SECOND);
    answer.body(Body::empty()).expect("an answer")
}

#[tokio::test]
async fn only_test_messages_are_sent_during_the_pause() {
    let (team, webhook, _) = start_day_long_pause().await;
    team.receiver.answer_status(200);
    team.assign("Missa").await;
    team.make_and_send_messages().await;
    let test = webhook.path("/teste");
    team.admin.post(&test, json!({})).await.expect(200);
    team.run_due_jobs().await;
    assert_eq!(team.receiver.take_one().body["type"], "test");
    // A test message is also sent if the delivery job was lost, because the job is created again.
    team.admin.post(&test, json!({})).await.expect(200);
    let lose = "DELETE FROM jobs WHERE name = 'deliver_webhook'";
    team.app.execute_statement(lose, []).await;
    team.app.advance_clock(60 * SECOND);
    team.run_due_jobs().await;
    assert_eq!(team.receiver.take_one().body["type"], "test");
    team.app.advance_clock(DAY);
    team.run_due_jobs().await;
    assert_eq!(team.receiver.take().len(), 2);
}

#[tokio::test]
async fn the_pause_and_the_next_attempt_are_shown() {
    let (team, webhook, _) = start_day_long_pause().await;
    let until = team.load_webhook(&webhook).await["adiado_ate"].clone();
    let Timestamp(until) = until.as_str().expect("a time").parse().expect("a time");
    assert!((until - team.app.now() - DAY).abs() <= 5 * SECOND);
    team.assign("Missa").await;
    team.make_and_send_messages().await;
    for message in team.list_messages(&webhook).await {
        let next = message["proxima"].as_str().expect("a time");
        let Timestamp(next) = next.parse().expect("a time");
        assert!(next >= until, "{message}");
    }
    let page = webhook.path("").replace("/api", "") + "/registro";
    let browser = team.app.browser_client(&team.member).await;
    let text = browser.get(&page).await.expect(200).text;
    assert!(text.contains("O destino pediu uma pausa"), "{text}");
}

#[tokio::test]
async fn a_message_that_a_person_sends_again_ends_the_pause() {
    let (team, webhook, id) = start_day_long_pause().await;
    team.receiver.answer_status(200);
    let message = team.list_messages(&webhook).await[0]["id"].clone();
    let again = json!({ "mensagem_id": message });
    let path = webhook.path("/reenvio");
    team.admin.post(&path, again).await.expect(200);
    team.run_due_jobs().await;
    assert_eq!(team.receiver.take_one().resource(), id);
    assert_eq!(team.load_webhook(&webhook).await["adiado_ate"], json!(null));
}

#[tokio::test]
async fn a_corrected_url_gets_the_waiting_messages_at_once() {
    let (team, webhook, id) = start_day_long_pause().await;
    team.receiver.answer_status(200);
    let mut settings = team.settings();
    settings["expected_revision"] = 1.into();
    let path = webhook.path("");
    // A change of other settings keeps the pause, because the URL stays the same.
    settings["descricao"] = "Outra".into();
    team.admin.put(&path, settings.clone()).await.expect(200);
    team.run_due_jobs().await;
    assert_eq!(team.receiver.take().len(), 0);
    settings["expected_revision"] = 2.into();
    settings["url"] = format!("{}/nova", team.receiver.origin).into();
    team.admin.put(&path, settings).await.expect(200);
    team.run_due_jobs().await;
    assert_eq!(team.receiver.take_one().resource(), id);
}

#[tokio::test]
async fn the_pause_of_the_former_url_does_not_apply_to_the_new_url() {
    let mut team = Fixture::new().await;
    let webhook = team.subscribe().await;
    let (client, path) = (team.admin.clone(), webhook.path(""));
    let mut moved = team.settings();
    moved["url"] = format!("{}/nova", team.receiver.origin).into();
    moved["expected_revision"] = json!(1);
    team.receiver.answer_with(move |_| {
        let (client, path, moved) = (client.clone(), path.clone(), moved.clone());
        async move {
            // An admin corrects the URL while the receiver at the old URL answers. At the second
            // message, this change is refused as stale, and the receiver answers 200.
            let changed = client.put(&path, moved).await;
            match changed.status {
                200 => unavailable(),
                _ => super::receiver::answer(200),
            }
        }
    });
    team.assign("Feira").await;
    team.make_and_send_messages().await;
    team.app.advance_clock(HOUR);
    team.sign_in().await;
    team.run_due_jobs().await;
    assert_eq!(team.load_webhook(&webhook).await["adiado_ate"], json!(null));
    assert_eq!(team.list_messages(&webhook).await[0]["estado"], "recebida");
}
