//! Which messages are authentic: their signature, certificate, topic and age.

use domain::{
    Role,
    time::{HOUR, SECOND},
};
use futures::future::join_all;
use serde_json::{Value, json};

use super::{deliver_message, sent_event, service_with_settings, service_with_sns};
use crate::{
    support::TestApp,
    timeline::{
        double::{Sns, TOPIC, VERSION_1, message_signature},
        instant_text,
    },
};

#[tokio::test]
async fn a_message_altered_in_any_signed_field_is_refused() {
    let (app, sns) = service_with_sns().await;
    let now = instant_text(&app, 0);
    for genuine in [
        sns.signed_notification("m-1", &now, &sent_event()),
        sns.signed_confirmation(&now),
    ] {
        let signed = [
            "Message",
            "MessageId",
            "Subject",
            "SubscribeURL",
            "Timestamp",
            "Token",
            "TopicArn",
            "Type",
            "Signature",
            "SignatureVersion",
            "SigningCertURL",
        ];
        for field in signed.iter().filter(|field| genuine.contains_key(**field)) {
            let mut forged = genuine.clone();
            let value = forged[*field].as_str().expect("text").to_owned();
            let altered = match *field {
                "Timestamp" => instant_text(&app, SECOND),
                "SigningCertURL" => sns.url_of_path("/other.pem"),
                "SignatureVersion" => "1".into(),
                "Type" => "UnsubscribeConfirmation".into(),
                "Signature" => format!(
                    "{}{}",
                    if value.starts_with('A') { 'B' } else { 'A' },
                    &value[1..]
                ),
                _ => format!("{value} "),
            };
            forged.insert((*field).to_owned(), altered.into());
            let answer = deliver_message(&app.anonymous(), &forged).await;
            answer.expect_refusal(401, "UNAUTHENTICATED");
            forged.remove(*field);
            let answer = deliver_message(&app.anonymous(), &forged).await;
            answer.expect_refusal(401, "UNAUTHENTICATED");
        }
    }
    // A field that is added after the message was signed.
    let mut added = sns.signed_notification("m-1", &now, &sent_event());
    added.remove("Subject");
    let signature = message_signature(&added);
    added.insert("Signature".into(), signature.into());
    deliver_message(&app.anonymous(), &added).await.expect(200);
    added.insert("Subject".into(), "novo".into());
    deliver_message(&app.anonymous(), &added)
        .await
        .expect_refusal(401, "UNAUTHENTICATED");
    assert_eq!(app.count_rows("email_deliveries").await, 1);
    assert!(
        sns.requests().keys().all(|path| path.ends_with(".pem")),
        "a refused message must confirm no subscription"
    );
}

#[tokio::test]
async fn a_message_with_a_field_moved_into_another_is_not_accepted() {
    let (app, sns) = service_with_sns().await;
    let genuine = sns.signed_notification("m-1", &instant_text(&app, 0), &sent_event());
    deliver_message(&app.anonymous(), &genuine)
        .await
        .expect(200);
    let text = |name: &str| genuine[name].as_str().expect("text").to_owned();
    let (id, subject, time) = (text("MessageId"), text("Subject"), text("Timestamp"));
    // Each of these changes leaves the signed text the same.
    let moved = [
        vec![
            ("MessageId", Some(format!("{id}\nSubject\n{subject}"))),
            ("Subject", None),
        ],
        vec![
            (
                "MessageId",
                Some(format!("{id}\nSubject\n{subject}\nTimestamp\n{time}")),
            ),
            ("Subject", None),
        ],
        vec![("Subject", Some(format!("{subject}\nTimestamp\n{time}")))],
        vec![
            ("MessageId", Some(format!("{id}\r\nSubject\r\n{subject}"))),
            ("Subject", None),
        ],
    ];
    for change in moved {
        let mut message = genuine.clone();
        for (name, value) in change {
            match value {
                Some(value) => drop(message.insert(name.into(), value.into())),
                None => drop(message.remove(name)),
            }
        }
        let answer = deliver_message(&app.anonymous(), &message).await;
        answer.expect_refusal(401, "UNAUTHENTICATED");
    }
    assert_eq!(app.count_rows("email_deliveries").await, 1);
}

#[tokio::test]
async fn only_certificates_of_the_notification_service_are_accepted() {
    let (app, sns) = service_with_sns().await;
    let stranger = Sns::new().await;
    for url in [
        stranger.url_of_path("/topic.pem"),
        sns.url_of_path("/other.pem"),
        sns.url_of_path("/expired.pem"),
        sns.url_of_path("/moved.pem"),
        sns.url_of_path("/large.pem"),
        sns.url_of_path("/broken.pem"),
        sns.url_of_path("/absent.pem"),
        sns.url_of_path("/topic.pem?x=1"),
        sns.url_of_path("/topic.pem#x"),
        sns.url_of_path("/topic.crt"),
        format!("http://u:p@{}/topic.pem", sns.host),
        "http://sns.sa-east-1.amazonaws.com/topic.pem".into(),
        "https://sns.sa-east-1.amazonaws.com.evil.test/topic.pem".into(),
        "file:///etc/topic.pem".into(),
        String::new(),
    ] {
        let mut message = sns.signed_notification("m-1", &instant_text(&app, 0), &sent_event());
        message.insert("SigningCertURL".into(), url.clone().into());
        let answer = deliver_message(&app.anonymous(), &message).await;
        assert_eq!(
            (answer.status, answer.error_code()),
            (401, "UNAUTHENTICATED"),
            "{url}"
        );
    }
    assert!(stranger.requests().is_empty());
    assert!(
        !sns.requests().contains_key("/topic.pem"),
        "the redirect was followed"
    );
    let mut message = sns.signed_notification("m-1", &instant_text(&app, 0), &sent_event());
    message.insert(
        "SigningCertURL".into(),
        sns.url_of_path("/failing.pem").into(),
    );
    // After a 500, the notification service delivers the message again later.
    deliver_message(&app.anonymous(), &message)
        .await
        .expect_refusal(500, "PROVIDER_FAILED");
    assert_eq!(app.count_rows("email_deliveries").await, 0);
}

#[tokio::test]
async fn simultaneous_callers_fetch_a_certificate_once_and_a_failure_is_not_cached() {
    let (app, sns) = service_with_sns().await;
    let client = app.anonymous();
    let messages: Vec<_> = (0..8)
        .map(|n| sns.signed_notification(&n.to_string(), &instant_text(&app, 0), &sent_event()))
        .collect();
    sns.hold_responses();
    let deliveries = join_all(
        messages
            .iter()
            .map(|message| deliver_message(&client, message)),
    );
    let release = async {
        while sns.requests().is_empty() {
            tokio::task::yield_now().await;
        }
        sns.release_responses();
    };
    let (answers, ()) = tokio::join!(deliveries, release);
    for answer in answers {
        answer.expect(200);
    }
    assert_eq!(sns.requests()["/topic.pem"], 1);
    let mut message = messages[0].clone();
    message.insert(
        "SigningCertURL".into(),
        sns.url_of_path("/failing.pem").into(),
    );
    for _ in 0..2 {
        deliver_message(&client, &message)
            .await
            .expect_refusal(500, "PROVIDER_FAILED");
    }
    assert_eq!(sns.requests()["/failing.pem"], 2);
}

#[tokio::test]
async fn messages_of_other_topics_or_without_configured_topics_are_refused() {
    let (app, sns) = service_with_sns().await;
    let mut message = sns.signed_notification("m-1", &instant_text(&app, 0), &sent_event());
    message.insert(
        "TopicArn".into(),
        "arn:aws:sns:sa-east-1:123456789012:outro".into(),
    );
    let signature = message_signature(&message);
    message.insert("Signature".into(), signature.into());
    deliver_message(&app.anonymous(), &message)
        .await
        .expect_refusal(401, "UNAUTHENTICATED");
    assert!(
        sns.requests().is_empty(),
        "the certificate of a refused message must not be fetched"
    );
    let none = TestApp::new().await;
    let message = sns.signed_notification("m-1", &instant_text(&none, 0), &sent_event());
    deliver_message(&none.anonymous(), &message)
        .await
        .expect_refusal(401, "UNAUTHENTICATED");
    deliver_message(&none.as_member(Role::Admin).await, &message)
        .await
        .expect_refusal(401, "UNAUTHENTICATED");
}

#[tokio::test]
async fn an_old_message_needs_a_member_and_a_valid_signature() {
    let (app, sns) = service_with_sns().await;
    let anonymous = app.anonymous();
    for (id, from_now, status) in [
        ("m-1", -HOUR, 200),
        ("m-2", HOUR, 200),
        ("m-3", -HOUR - SECOND, 401),
        ("m-4", HOUR + SECOND, 401),
    ] {
        let message = sns.signed_notification(id, &instant_text(&app, from_now), &sent_event());
        let answer = deliver_message(&anonymous, &message).await;
        assert_eq!(answer.status, status, "{id}");
    }
    let old = sns.signed_notification("m-5", &instant_text(&app, -48 * HOUR), &sent_event());
    let member = app.as_member(Role::Criador).await;
    assert_eq!(
        deliver_message(&member, &old).await.expect(200).body["gravados"],
        1
    );
    assert_eq!(
        deliver_message(&member, &old).await.expect(200).body["gravados"],
        0
    );
    let mut forged = old.clone();
    forged.insert("MessageId".into(), "m-6".into());
    deliver_message(&member, &forged)
        .await
        .expect_refusal(401, "UNAUTHENTICATED");
    deliver_message(&app.bearer("lixo"), &old)
        .await
        .expect_refusal(401, "UNAUTHENTICATED");
}

#[tokio::test]
async fn sha_1_signatures_are_accepted_unless_the_operator_refuses_them() {
    let sns = Sns::new().await;
    for (version, status) in [("1", 200), ("2", 401)] {
        let app = service_with_settings(&sns, &[("PAUTA_SNS_SIGNATURE_VERSION", version)]).await;
        let message = json!({
            "Type": "Notification", "MessageId": "m-1", "TopicArn": TOPIC, "Message": "antiga",
            "Timestamp": "2026-08-22T15:00:00.000Z", "SignatureVersion": "1",
            "Signature": VERSION_1, "SigningCertURL": sns.url_of_path("/topic.pem"),
        });
        let message = message.as_object().expect("an object");
        assert_eq!(
            deliver_message(&app.anonymous(), message).await.status,
            status
        );
    }
}

#[tokio::test]
async fn too_many_fields_are_reported_only_to_the_sender_of_a_signed_message() {
    let (app, sns) = service_with_sns().await;
    let mut message = sns.signed_notification("m-1", &instant_text(&app, 0), &sent_event());
    for number in 0..64 {
        message.insert(format!("Extra{number}"), Value::Null);
    }
    let refused = deliver_message(&app.anonymous(), &message).await;
    let refused = refused.expect_refusal(400, "INVALID_INPUT");
    assert_eq!(refused.body["details"]["fields"][0]["rule"], "maxValues");
    message["Message"] = "outra".into();
    deliver_message(&app.anonymous(), &message)
        .await
        .expect_refusal(401, "UNAUTHENTICATED");
    message.remove("Signature");
    deliver_message(&app.anonymous(), &message)
        .await
        .expect_refusal(401, "UNAUTHENTICATED");
    assert_eq!(app.count_rows("email_deliveries").await, 0);
}
