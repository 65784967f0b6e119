//! Signatures, the rotation of secrets, and the secrecy of the secrets.

use domain::time::{DAY, HOUR};
use serde_json::json;
use tracing_subscriber::layer::SubscriberExt;

use super::Fixture;
use crate::support::{Log, log_to};

#[tokio::test]
async fn a_message_is_signed_as_specified_and_has_no_text_written_by_people() {
    let team = Fixture::new().await;
    let webhook = team.subscribe().await;
    let id = team.assign("Festa da colheita").await;
    team.make_and_send_messages().await;
    let message = team.receiver.take_one();
    let signature = message.header("webhook-signature");
    assert_eq!(signature, message.expected_signature(&webhook.secret));
    let seconds = message.header("webhook-timestamp");
    assert_eq!(seconds, (team.app.now() / 1000).to_string());
    assert_eq!(message.header("content-type"), "application/json");
    assert_eq!(
        message.body,
        json!({
            "type": "piece_created",
            "timestamp": "2026-08-22T15:00:00.000Z",
            "data": {
                "resource": { "kind": "event", "id": id },
                "revision": 1,
                "project_id": null,
                "actor": {
                    "kind": "member",
                    "member_id": team.member.id,
                    "credential_id": null,
                },
                "changed": null,
                "facts": { "assignees": [team.member.id] },
                "url": format!("http://127.0.0.1:8080/api/eventos/{id}"),
            },
        })
    );
}

#[tokio::test]
async fn after_a_rotation_both_secrets_sign_for_a_day() {
    let mut team = Fixture::new().await;
    let webhook = team.subscribe().await;
    let second = team.rotate_secret(&webhook).await;
    assert_ne!(second, webhook.secret);
    team.assign("Feira").await;
    team.make_and_send_messages().await;
    let message = team.receiver.take_one();
    let signatures: Vec<&str> = message.header("webhook-signature").split(' ').collect();
    let expected = [&second, &webhook.secret].map(|secret| message.expected_signature(secret));
    assert_eq!(signatures, expected);
    // A second rotation replaces the secret before it.
    team.app.advance_clock(HOUR);
    team.sign_in().await;
    let third = team.rotate_secret(&webhook).await;
    team.assign("Missa").await;
    team.make_and_send_messages().await;
    let message = team.receiver.take_one();
    assert!(message.is_signed_with(&third) && message.is_signed_with(&second));
    assert!(message.is_signed_with(&webhook.secret));
    // A day later, only the new secret signs, and the earlier secret is deleted.
    team.app.advance_clock(DAY);
    team.sign_in().await;
    team.assign("Sopa").await;
    team.make_and_send_messages().await;
    let message = team.receiver.take_one();
    let signature = message.header("webhook-signature");
    assert_eq!(signature, message.expected_signature(&third));
    let secrets = "secrets WHERE purpose LIKE '%webhook secret%'";
    assert_eq!(team.app.count_rows(secrets).await, 1);
}

#[tokio::test]
async fn a_secret_is_shown_once_and_stored_encrypted() {
    let log = Log::default();
    let layer = tracing_subscriber::fmt::layer().with_writer(log.clone());
    let _logging = log_to(tracing_subscriber::registry().with(layer));
    let team = Fixture::new().await;
    let webhook = team.subscribe().await;
    let second = &team.rotate_secret(&webhook).await;
    team.receiver.answer_status(500);
    team.assign("Feira").await;
    team.make_and_send_messages().await;
    let mut texts = vec![log.captured_text()];
    for path in [
        "/api/webhooks",
        "/api/access/audit",
        &webhook.path("/mensagens"),
    ] {
        texts.push(team.admin.get(path).await.expect(200).text);
    }
    for secret in [&webhook.secret, second] {
        let bare = secret.strip_prefix("whsec_").expect("the prefix");
        assert!(!team.app.contains_text(bare).await);
        assert!(texts.iter().all(|text| !text.contains(bare)));
    }
    // The URL contains a credential of the receiver (`do-destino`), which must appear neither in the log
    // nor in the audit trail.
    assert!(texts[0].contains("job"), "{}", texts[0]);
    assert!(!texts[0].contains("do-destino"), "{}", texts[0]);
    assert!(!texts[2].contains("do-destino"));
}
