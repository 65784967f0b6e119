//! E-mail deliveries: which messages are authentic, and what they record.

use axum::http::Method;
use domain::{
    Role,
    time::{HOUR, SECOND},
};
use futures::future::join_all;
use serde_json::{Map, Value, json};

use super::{
    PROFILE,
    double::{Sns, TOPIC, VERSION_1, sign},
    financial_client, instant_text, settings,
};
use crate::support::{Answer, Client, TestApp};

const SES: &str = "/api/jornada/ses";
const ANA: &str = "ana@exemplo.com.br";
const BIA: &str = "bia@exemplo.com.br";

async fn service_with_sns() -> (TestApp, Sns) {
    let sns = Sns::new().await;
    (service_with(&sns, &[]).await, sns)
}

async fn service_with(sns: &Sns, more: &[(&'static str, &str)]) -> TestApp {
    let mut settings = settings();
    settings.push(("PAUTA_SNS_TOPIC_ARNS", TOPIC.into()));
    settings.push(("PAUTA_SNS_CERT_HOSTS", sns.host.clone()));
    settings.extend(
        more.iter()
            .map(|(name, value)| (*name, (*value).to_owned())),
    );
    TestApp::with_settings(settings).await
}

async fn deliver(client: &Client, message: &Map<String, Value>) -> Answer {
    let client = client
        .with_header("content-type", "text/plain; charset=UTF-8")
        .with_header("x-amz-sns-message-type", "Notification");
    let body = Value::Object(message.clone()).to_string();
    client.send(Method::POST, SES, Some(body.into())).await
}

fn mail_object() -> Value {
    json!({
        "timestamp": "2026-08-22T14:00:00.000Z", "messageId": "ses-1",
        "source": "pauta@equipe.test", "destination": [ANA],
        "tags": { "disparo": ["d-1"], "lancamento": ["vera"] },
    })
}

fn sent_event() -> Value {
    json!({ "eventType": "Send", "mail": mail_object(), "send": {} })
}

#[tokio::test]
async fn a_signed_message_is_taken_once() {
    let (app, sns) = service_with_sns().await;
    let message = sns.notification("m-1", &instant_text(&app, 0), &sent_event());
    let answer = deliver(&app.anonymous(), &message).await.expect(200).body;
    assert_eq!(
        answer,
        json!({ "ok": true, "gravados": 1, "confirmada": false })
    );
    let again = deliver(&app.anonymous(), &message).await.expect(200).body;
    assert_eq!(again["gravados"], 0);
    let other = sns.notification("m-2", &instant_text(&app, 0), &sent_event());
    assert_eq!(
        deliver(&app.anonymous(), &other).await.expect(200).body["gravados"],
        1
    );
    assert_eq!(app.count("email_deliveries").await, 2);
    assert!(!app.holds(ANA).await && !app.holds("equipe.test").await);
    assert_eq!(sns.requests(), [("/topic.pem".to_owned(), 1)].into());
}

#[tokio::test]
async fn every_kind_of_event_is_kept_for_each_of_its_recipients() {
    let (app, sns) = service_with_sns().await;
    let people = json!([{ "emailAddress": ANA }, { "emailAddress": format!("Bia <{BIA}>") }]);
    let events = [
        (
            json!({ "eventType": "Send", "mail": mail_object() }),
            "envio",
            1,
        ),
        (
            json!({ "eventType": "Delivery", "mail": mail_object(), "delivery": {
            "timestamp": "2026-08-22T14:01:00Z", "recipients": [ANA, BIA] } }),
            "entrega",
            2,
        ),
        (
            json!({ "notificationType": "Bounce", "mail": mail_object(), "bounce": {
            "bounceType": "Permanent", "bounceSubType": "General",
            "bouncedRecipients": people } }),
            "devolucao",
            2,
        ),
        (
            json!({ "eventType": "Complaint", "mail": mail_object(), "complaint": {
            "complainedRecipients": [{ "emailAddress": ANA }] } }),
            "reclamacao",
            1,
        ),
        (
            json!({ "eventType": "Reject", "mail": mail_object(), "reject": { "reason": "x" } }),
            "rejeicao",
            1,
        ),
        (
            json!({ "eventType": "Open", "mail": mail_object(), "open": {
            "timestamp": "2026-08-22T14:05:00Z" } }),
            "abertura",
            1,
        ),
        (
            json!({ "eventType": "Click", "mail": mail_object(), "click": {
            "link": format!("https://x.test/?e={ANA}") } }),
            "clique",
            1,
        ),
        (
            json!({ "eventType": "Rendering Failure", "mail": mail_object(), "failure": {} }),
            "falha_de_modelo",
            1,
        ),
        (
            json!({ "eventType": "DeliveryDelay", "mail": mail_object(), "deliveryDelay": {
            "delayedRecipients": people } }),
            "atraso",
            2,
        ),
        (
            json!({ "eventType": "Subscription", "mail": mail_object(), "subscription": {} }),
            "descadastro",
            1,
        ),
    ];
    for (place, (event, kind, recipients)) in events.iter().enumerate() {
        let message = sns.notification(&format!("m-{place}"), &instant_text(&app, 0), event);
        let answer = deliver(&app.anonymous(), &message).await.expect(200).body;
        assert_eq!(answer["gravados"], *recipients, "{kind}");
        let rows = format!("email_deliveries WHERE kind = '{kind}' AND person IS NOT NULL");
        assert_eq!(app.count(&rows).await, *recipients, "{kind}");
    }
    let tagged = "email_deliveries WHERE dispatch_id = 'd-1' AND launch = 'vera'";
    assert_eq!(app.count(tagged).await, 13);
    assert_eq!(
        app.count("email_deliveries WHERE bounce_type = 'Permanent/General'")
            .await,
        2
    );
    assert!(!app.holds("exemplo.com").await);
    let client = financial_client(&app).await;
    let known = client
        .post(PROFILE, json!({ "email": ANA }))
        .await
        .expect(200)
        .body;
    assert_eq!(known["emails"]["enviados"], 1);
    assert_eq!(known["emails"]["clicados"], 1);
    assert_eq!(known["emails"]["devolvidos"], 1);
    let bia = client
        .post(PROFILE, json!({ "email": BIA }))
        .await
        .expect(200)
        .body;
    assert_eq!(bia["emails"]["entregues"], 1);
}

#[tokio::test]
async fn a_signed_message_that_is_no_event_is_taken_and_ignored() {
    let (app, sns) = service_with_sns().await;
    for (place, text) in [
        json!("Successfully validated SNS topic for Amazon SES event publishing."),
        json!("{}"),
        json!({ "eventType": "Novo", "mail": mail_object() }),
        json!({ "eventType": "Send" }),
        json!({ "eventType": "Send", "mail": { "destination": [7, null] } }),
    ]
    .iter()
    .enumerate()
    {
        let message = sns.notification(&place.to_string(), &instant_text(&app, 0), text);
        let answer = deliver(&app.anonymous(), &message).await.expect(200).body;
        assert_eq!(answer["gravados"], 0);
    }
}

#[tokio::test]
async fn a_message_altered_in_any_signed_field_is_refused() {
    let (app, sns) = service_with_sns().await;
    let now = instant_text(&app, 0);
    for genuine in [
        sns.notification("m-1", &now, &sent_event()),
        sns.confirmation(&now),
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
                "SigningCertURL" => sns.url("/other.pem"),
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
            let answer = deliver(&app.anonymous(), &forged).await;
            answer.refused(401, "UNAUTHENTICATED");
            forged.remove(*field);
            let answer = deliver(&app.anonymous(), &forged).await;
            answer.refused(401, "UNAUTHENTICATED");
        }
    }
    // A field that is added after the message was signed.
    let mut added = sns.notification("m-1", &now, &sent_event());
    added.remove("Subject");
    let signature = sign(&added);
    added.insert("Signature".into(), signature.into());
    deliver(&app.anonymous(), &added).await.expect(200);
    added.insert("Subject".into(), "novo".into());
    deliver(&app.anonymous(), &added)
        .await
        .refused(401, "UNAUTHENTICATED");
    assert_eq!(app.count("email_deliveries").await, 1);
    assert!(
        sns.requests().keys().all(|path| path.ends_with(".pem")),
        "nothing was confirmed"
    );
}

#[tokio::test]
async fn a_field_moved_into_another_is_no_new_message() {
    let (app, sns) = service_with_sns().await;
    let genuine = sns.notification("m-1", &instant_text(&app, 0), &sent_event());
    deliver(&app.anonymous(), &genuine).await.expect(200);
    let text = |name: &str| genuine[name].as_str().expect("text").to_owned();
    let (id, subject, time) = (text("MessageId"), text("Subject"), text("Timestamp"));
    // Each of these changes leaves the text that is signed the same.
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
        let answer = deliver(&app.anonymous(), &message).await;
        answer.refused(401, "UNAUTHENTICATED");
    }
    assert_eq!(app.count("email_deliveries").await, 1);
}

#[tokio::test]
async fn only_certificates_of_the_service_count() {
    let (app, sns) = service_with_sns().await;
    let stranger = Sns::new().await;
    for url in [
        stranger.url("/topic.pem"),
        sns.url("/other.pem"),
        sns.url("/expired.pem"),
        sns.url("/moved.pem"),
        sns.url("/large.pem"),
        sns.url("/broken.pem"),
        sns.url("/absent.pem"),
        sns.url("/topic.pem?x=1"),
        sns.url("/topic.pem#x"),
        sns.url("/topic.crt"),
        format!("http://u:p@{}/topic.pem", sns.host),
        "http://sns.sa-east-1.amazonaws.com/topic.pem".into(),
        "https://sns.sa-east-1.amazonaws.com.evil.test/topic.pem".into(),
        "file:///etc/topic.pem".into(),
        String::new(),
    ] {
        let mut message = sns.notification("m-1", &instant_text(&app, 0), &sent_event());
        message.insert("SigningCertURL".into(), url.clone().into());
        let answer = deliver(&app.anonymous(), &message).await;
        assert_eq!(
            (answer.status, answer.code()),
            (401, "UNAUTHENTICATED"),
            "{url}"
        );
    }
    assert!(stranger.requests().is_empty());
    assert!(
        !sns.requests().contains_key("/topic.pem"),
        "the redirect was followed"
    );
    let mut message = sns.notification("m-1", &instant_text(&app, 0), &sent_event());
    message.insert("SigningCertURL".into(), sns.url("/failing.pem").into());
    // A 500 makes the notification service deliver the message again later.
    deliver(&app.anonymous(), &message)
        .await
        .refused(500, "PROVIDER_FAILED");
    assert_eq!(app.count("email_deliveries").await, 0);
}

#[tokio::test]
async fn callers_at_once_fetch_a_certificate_once_and_a_failure_is_not_kept() {
    let (app, sns) = service_with_sns().await;
    let client = app.anonymous();
    let messages: Vec<_> = (0..8)
        .map(|n| sns.notification(&n.to_string(), &instant_text(&app, 0), &sent_event()))
        .collect();
    sns.hold_responses();
    let deliveries = join_all(messages.iter().map(|message| deliver(&client, message)));
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
    message.insert("SigningCertURL".into(), sns.url("/failing.pem").into());
    for _ in 0..2 {
        deliver(&client, &message)
            .await
            .refused(500, "PROVIDER_FAILED");
    }
    assert_eq!(sns.requests()["/failing.pem"], 2);
}

#[tokio::test]
async fn other_topics_and_a_service_without_topics_take_nothing() {
    let (app, sns) = service_with_sns().await;
    let mut message = sns.notification("m-1", &instant_text(&app, 0), &sent_event());
    message.insert(
        "TopicArn".into(),
        "arn:aws:sns:sa-east-1:123456789012:outro".into(),
    );
    let signature = sign(&message);
    message.insert("Signature".into(), signature.into());
    deliver(&app.anonymous(), &message)
        .await
        .refused(401, "UNAUTHENTICATED");
    assert!(
        sns.requests().is_empty(),
        "its certificate is not even fetched"
    );
    let none = TestApp::new().await;
    let message = sns.notification("m-1", &instant_text(&none, 0), &sent_event());
    deliver(&none.anonymous(), &message)
        .await
        .refused(401, "UNAUTHENTICATED");
    deliver(&none.as_member(Role::Admin).await, &message)
        .await
        .refused(401, "UNAUTHENTICATED");
}

#[tokio::test]
async fn an_old_message_needs_a_member_and_still_its_signature() {
    let (app, sns) = service_with_sns().await;
    let anonymous = app.anonymous();
    for (id, from_now, status) in [
        ("m-1", -HOUR, 200),
        ("m-2", HOUR, 200),
        ("m-3", -HOUR - SECOND, 401),
        ("m-4", HOUR + SECOND, 401),
    ] {
        let message = sns.notification(id, &instant_text(&app, from_now), &sent_event());
        let answer = deliver(&anonymous, &message).await;
        assert_eq!(answer.status, status, "{id}");
    }
    let old = sns.notification("m-5", &instant_text(&app, -48 * HOUR), &sent_event());
    let member = app.as_member(Role::Criador).await;
    assert_eq!(deliver(&member, &old).await.expect(200).body["gravados"], 1);
    assert_eq!(deliver(&member, &old).await.expect(200).body["gravados"], 0);
    let mut forged = old.clone();
    forged.insert("MessageId".into(), "m-6".into());
    deliver(&member, &forged)
        .await
        .refused(401, "UNAUTHENTICATED");
    deliver(&app.bearer("lixo"), &old)
        .await
        .refused(401, "UNAUTHENTICATED");
}

#[tokio::test]
async fn signatures_with_sha_1_count_unless_the_operator_refuses_them() {
    let sns = Sns::new().await;
    for (version, status) in [("1", 200), ("2", 401)] {
        let app = service_with(&sns, &[("PAUTA_SNS_SIGNATURE_VERSION", version)]).await;
        let message = json!({
            "Type": "Notification", "MessageId": "m-1", "TopicArn": TOPIC, "Message": "antiga",
            "Timestamp": "2026-08-22T15:00:00.000Z", "SignatureVersion": "1",
            "Signature": VERSION_1, "SigningCertURL": sns.url("/topic.pem"),
        });
        let message = message.as_object().expect("an object");
        assert_eq!(deliver(&app.anonymous(), message).await.status, status);
    }
}

#[tokio::test]
async fn a_subscription_is_confirmed_by_topic_and_token_alone() {
    let (app, sns) = service_with_sns().await;
    let message = sns.confirmation(&instant_text(&app, 0));
    let answer = deliver(&app.anonymous(), &message).await.expect(200).body;
    assert_eq!(answer["confirmada"], true);
    let confirmed = "/?Action=ConfirmSubscription&TopicArn=arn%3Aaws%3Asns%3Asa-east-1%3A\
                     123456789012%3Aemails&Token=t0ken";
    assert_eq!(
        sns.requests().get(confirmed),
        Some(&1),
        "{:?}",
        sns.requests()
    );
    let stranger = Sns::new().await;
    let mut elsewhere = message.clone();
    elsewhere.insert("SubscribeURL".into(), stranger.url("/").into());
    let signature = sign(&elsewhere);
    elsewhere.insert("Signature".into(), signature.into());
    deliver(&app.anonymous(), &elsewhere)
        .await
        .refused(401, "UNAUTHENTICATED");
    assert!(stranger.requests().is_empty());
    let mut ended = message;
    ended.insert("Type".into(), "UnsubscribeConfirmation".into());
    let signature = sign(&ended);
    ended.insert("Signature".into(), signature.into());
    let answer = deliver(&app.anonymous(), &ended).await.expect(200).body;
    assert_eq!(answer["confirmada"], false);
}

#[tokio::test]
async fn a_body_that_is_no_message_is_refused() {
    let (app, _) = service_with_sns().await;
    let client = app.anonymous().with_header("content-type", "text/plain");
    for body in ["", "texto", "{"] {
        let answer = client.send(Method::POST, SES, Some(body.into())).await;
        answer.refused(400, "INVALID_INPUT");
    }
    for body in ["{}", "[]", "7", "{\"Type\":\"Notification\"}"] {
        let answer = client.send(Method::POST, SES, Some(body.into())).await;
        answer.refused(401, "UNAUTHENTICATED");
    }
}

#[tokio::test]
async fn a_signed_message_with_too_many_fields_is_told_so_and_a_forged_one_is_not() {
    let (app, sns) = service_with_sns().await;
    let mut message = sns.notification("m-1", &instant_text(&app, 0), &sent_event());
    for number in 0..64 {
        message.insert(format!("Extra{number}"), Value::Null);
    }
    let refused = deliver(&app.anonymous(), &message).await;
    let refused = refused.refused(400, "INVALID_INPUT");
    assert_eq!(refused.body["details"]["fields"][0]["rule"], "maxValues");
    message["Message"] = "outra".into();
    deliver(&app.anonymous(), &message)
        .await
        .refused(401, "UNAUTHENTICATED");
    message.remove("Signature");
    deliver(&app.anonymous(), &message)
        .await
        .refused(401, "UNAUTHENTICATED");
    assert_eq!(app.count("email_deliveries").await, 0);
}
