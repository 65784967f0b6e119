//! The log of a webhook, tests, replays and pauses.

use domain::time::{DAY, HOUR};
use serde_json::json;

use super::Fixture;

#[tokio::test]
async fn the_log_has_each_attempt_with_its_answer() {
    let team = Fixture::new().await;
    let webhook = team.subscribe().await;
    team.receiver.answer_status(500);
    team.assign("Feira").await;
    team.make_and_send_messages().await;
    team.receiver.answer_status(200);
    team.app.advance_clock(10_000);
    team.run_due_jobs().await;
    let log = team.list_messages(&webhook).await;
    let message = &log[0];
    assert_eq!((log.len(), &message["tipo"]), (1, &json!("piece_created")));
    assert_eq!(
        (&message["estado"], &message["proxima"]),
        (&json!("recebida"), &json!(null))
    );
    assert_eq!(message["id"], team.receiver.take()[0].id());
    let attempts = message["tentativas"].as_array().expect("a list");
    let told: Vec<_> = attempts
        .iter()
        .map(|one| (one["numero"].as_i64(), one["status"].as_i64()))
        .collect();
    assert_eq!(told, [(Some(1), Some(500)), (Some(2), Some(200))]);
    let waiting = format!("{}?estado=pendente", webhook.path("/mensagens"));
    let waiting = team.admin.get(&waiting).await.expect(200).body;
    assert_eq!(waiting["mensagens"], json!([]));
}

#[tokio::test]
async fn messages_are_kept_for_thirty_days() {
    let team = Fixture::new().await;
    team.subscribe().await;
    team.assign("Feira").await;
    team.make_and_send_messages().await;
    team.app.advance_clock(29 * DAY);
    team.run_due_jobs().await;
    assert_eq!(team.app.count_rows("webhook_attempts").await, 1);
    team.app.advance_clock(DAY + HOUR);
    team.run_due_jobs().await;
    assert_eq!(team.app.count_rows("webhook_attempts").await, 0);
    assert_eq!(team.app.count_rows("webhook_messages").await, 0);
}

#[tokio::test]
async fn a_test_is_sent_even_while_other_messages_fail() {
    let team = Fixture::new().await;
    let webhook = team.subscribe().await;
    team.receiver.answer_status(500);
    team.assign("Feira").await;
    team.make_and_send_messages().await;
    team.receiver.take_one();
    team.receiver.answer_status(200);
    let tested = team.admin.post(&webhook.path("/teste"), json!({})).await;
    let id = tested.expect(200).body["mensagem_id"].clone();
    team.run_due_jobs().await;
    let message = team.receiver.take_one();
    assert_eq!(
        (message.id(), &message.body["type"]),
        (id.as_str().expect("an id"), &json!("test"))
    );
    assert!(message.is_signed_with(&webhook.secret));
    let log = team.list_messages(&webhook).await;
    let of_test = log.iter().find(|one| one["id"] == id).expect("the test");
    assert_eq!(of_test["estado"], "recebida");
}

#[tokio::test]
async fn a_message_or_the_messages_of_days_are_sent_again_with_their_ids() {
    let mut team = Fixture::new().await;
    let webhook = team.subscribe().await;
    let first = team.assign("Feira").await;
    team.set_status(&first, 1, "arquivado").await;
    team.make_and_send_messages().await;
    let sent = team.receiver.take();
    assert_eq!(sent.len(), 2);
    team.app.advance_clock(2 * DAY);
    team.sign_in().await;
    team.assign("Missa").await;
    team.make_and_send_messages().await;
    team.receiver.take_one();
    let replay = async |input: serde_json::Value| {
        let replayed = team.admin.post(&webhook.path("/reenvio"), input).await;
        let count = replayed.expect(200).body["mensagens"].as_u64();
        team.run_due_jobs().await;
        count
    };
    let one = json!({ "mensagem_id": sent[1].id() });
    assert_eq!(replay(one).await, Some(1));
    let again = team.receiver.take_one();
    assert_eq!((again.id(), &again.text), (sent[1].id(), &sent[1].text));
    let days = json!({ "de": "2026-08-22", "ate": "2026-08-23" });
    assert_eq!(replay(days).await, Some(2));
    let again = team.receiver.take();
    let ids = |list: &[super::receiver::Received]| -> Vec<String> {
        list.iter().map(|one| one.id().to_owned()).collect()
    };
    assert_eq!(ids(&again), ids(&sent));
    for (wrong, status) in [
        (json!({}), 400),
        (json!({ "de": "2026-08-22" }), 400),
        (json!({ "de": "2026-08-23", "ate": "2026-08-22" }), 400),
        (json!({ "mensagem_id": webhook.id }), 404),
    ] {
        let refused = team.admin.post(&webhook.path("/reenvio"), wrong).await;
        refused.expect(status);
    }
}

#[tokio::test]
async fn a_paused_webhook_sends_later_what_happened_meanwhile() {
    let team = Fixture::new().await;
    let webhook = team.subscribe().await;
    let pause = webhook.path("/pausa");
    team.admin.post(&pause, json!({})).await.expect(200);
    assert_eq!(team.load_state(&webhook).await, "pausado");
    team.assign("Feira").await;
    team.make_and_send_messages().await;
    assert_eq!(team.receiver.take().len(), 0);
    let refused = team.admin.post(&webhook.path("/teste"), json!({})).await;
    refused.expect_refusal(409, "WEBHOOK_NOT_ACTIVE");
    let resume = webhook.path("/retomada");
    team.admin.post(&resume, json!({})).await.expect(200);
    team.run_due_jobs().await;
    team.receiver.take_one();
}
