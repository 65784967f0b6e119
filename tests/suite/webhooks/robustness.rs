//! Killed processes, two instances, and rows that are read again.

use domain::time::MINUTE;

use super::{Fixture, SOON, receiver::answer};

#[tokio::test]
async fn a_process_killed_before_it_stored_the_answer_sends_the_message_again() {
    let team = Fixture::new().await;
    let webhook = team.subscribe().await;
    team.receiver
        .answer_with(|_| async { std::future::pending().await });
    team.assign("Feira").await;
    team.run_due_jobs().await;
    team.app.advance_clock(SOON);
    let service = team.app.app.clone();
    let working = tokio::spawn(async move { service.worker().drain().await });
    team.receiver.wait_for(1).await;
    // The worker dies while the receiver has the message.
    working.abort();
    drop(working.await);
    let first = team.receiver.take_one();
    assert_eq!(
        team.list_messages(&webhook).await[0]["tentativas"][0],
        serde_json::Value::Null
    );
    team.receiver.answer_status(200);
    team.app.advance_clock(2 * MINUTE);
    team.run_due_jobs().await;
    let again = team.receiver.take_one();
    assert_eq!((again.id(), &again.text), (first.id(), &first.text));
    assert!(again.is_signed_with(&webhook.secret));
    assert_eq!(team.list_messages(&webhook).await[0]["estado"], "recebida");
}

#[tokio::test]
async fn two_instances_send_each_message_once_and_keep_the_order() {
    let team = Fixture::new().await;
    team.subscribe().await;
    let other = team.app.second_instance().await;
    let mut pieces = vec![];
    for number in 0..6 {
        pieces.push(team.assign(&format!("Peça {number}")).await);
    }
    for round in 0..4 {
        for id in &pieces {
            let status = if round % 2 == 0 {
                "arquivado"
            } else {
                "a fazer"
            };
            team.set_status(id, round + 1, status).await;
        }
        team.app.advance_clock(MINUTE);
        let (mut one, mut two) = (team.app.app.worker(), other.app.worker());
        let (first, second) = tokio::join!(one.drain(), two.drain());
        first.expect("jobs");
        second.expect("jobs");
    }
    team.make_and_send_messages().await;
    let sent = team.receiver.take();
    assert_eq!(sent.len(), 30);
    for id in &pieces {
        let of_piece = sent.iter().filter(|one| one.resource() == id);
        let revisions: Vec<_> = of_piece
            .map(|one| one.body["data"]["revision"].as_i64())
            .collect();
        assert_eq!(revisions, [1, 2, 3, 4, 5].map(Some));
    }
}

#[tokio::test]
async fn outbox_rows_that_are_read_again_cause_no_second_message() {
    let team = Fixture::new().await;
    team.subscribe().await;
    team.assign("Feira").await;
    team.make_and_send_messages().await;
    team.receiver.take_one();
    let reset = "UPDATE outbox_progress SET position = 0 WHERE reader = 'webhooks'";
    team.app.execute_statement(reset, []).await;
    team.app.advance_clock(MINUTE);
    team.make_and_send_messages().await;
    assert_eq!(team.receiver.take().len(), 0);
    assert_eq!(team.app.count_rows("webhook_messages").await, 1);
}

#[tokio::test]
async fn a_lost_delivery_job_is_created_again() {
    let team = Fixture::new().await;
    team.subscribe().await;
    team.receiver.answer_with(|_| async { answer(500) });
    team.assign("Feira").await;
    team.make_and_send_messages().await;
    let lose = "DELETE FROM jobs WHERE name = 'deliver_webhook'";
    team.app.execute_statement(lose, []).await;
    team.receiver.answer_status(200);
    team.app.advance_clock(MINUTE);
    team.run_due_jobs().await;
    assert_eq!(team.receiver.take().len(), 2);
}
