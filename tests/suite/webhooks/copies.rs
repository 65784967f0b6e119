//! Tests that a service on a copy of the database does not send the messages that the original service
//! sends.

use serde_json::json;
use store::{
    outbox,
    webhooks::{self, MessageFilter},
};

use super::Fixture;
use crate::support::back_up;

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_sends_neither_waiting_messages_nor_unread_outbox_rows() {
    if std::env::var("PAUTA_TEST_DATABASE_URL").is_ok() {
        // `pauta backup` copies the embedded database only.
        return;
    }
    let team = Fixture::new().await;
    let webhook = team.subscribe().await;
    team.receiver.answer_status(503);
    team.assign("Feira").await;
    team.make_and_send_messages().await;
    team.assign("Missa").await;
    let backup = back_up(&team.app);
    let copy = backup.open().await;
    let db = copy.reader();
    let id = domain::WebhookId::from(webhook.id.as_str());
    let filter = MessageFilter::default();
    let messages = webhooks::list_messages(&db, &id, &filter, 9).await;
    let states: Vec<_> = messages
        .expect("reads")
        .iter()
        .map(|one| one.state.as_str())
        .collect();
    assert_eq!(states, ["descartada"]);
    assert!(!outbox::has_unordered(&db).await.expect("reads"));
    for reader in ["notifications", "webhooks"] {
        let read = outbox::find_progress(&db, reader).await.expect("reads");
        let unread = outbox::list_after(&db, read, 9).await.expect("reads");
        assert_eq!(unread.len(), 0, "{reader}");
    }
    copy.close().await.expect("closes");
    // The original service still sends both messages.
    team.receiver.answer_status(200);
    team.app.advance_clock(10 * domain::time::MINUTE);
    team.make_and_send_messages().await;
    assert_eq!(team.load_webhook(&webhook).await["esperando"], json!(0));
    let received = "webhook_messages WHERE state = 'recebida'";
    assert_eq!(team.app.count_rows(received).await, 2);
}
