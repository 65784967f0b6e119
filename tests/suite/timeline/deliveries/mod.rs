//! E-mail deliveries: the rows that the service stores for an SNS notification. `signatures` tests
//! which notifications are accepted as authentic.

mod signatures;

use axum::http::Method;
use serde_json::{Map, Value, json};

use super::{
    PROFILE,
    double::{Sns, TOPIC, message_signature},
    financial_client, instant_text, timeline_settings,
};
use crate::support::{Answer, Client, TestApp};

const SES: &str = "/api/jornada/ses";
const ANA: &str = "ana@exemplo.com.br";
const BIA: &str = "bia@exemplo.com.br";

async fn service_with_sns() -> (TestApp, Sns) {
    let sns = Sns::new().await;
    (service_with_settings(&sns, &[]).await, sns)
}

async fn service_with_settings(sns: &Sns, more: &[(&'static str, &str)]) -> TestApp {
    let mut settings = timeline_settings();
    settings.push(("PAUTA_SNS_TOPIC_ARNS", TOPIC.into()));
    settings.push(("PAUTA_SNS_CERT_HOSTS", sns.host.clone()));
    settings.extend(
        more.iter()
            .map(|(name, value)| (*name, (*value).to_owned())),
    );
    TestApp::with_settings(settings).await
}

async fn deliver_message(client: &Client, message: &Map<String, Value>) -> Answer {
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
async fn a_signed_message_is_recorded_once() {
    let (app, sns) = service_with_sns().await;
    let message = sns.signed_notification("m-1", &instant_text(&app, 0), &sent_event());
    let answer = deliver_message(&app.anonymous(), &message)
        .await
        .expect(200)
        .body;
    assert_eq!(
        answer,
        json!({ "ok": true, "gravados": 1, "confirmada": false })
    );
    let again = deliver_message(&app.anonymous(), &message)
        .await
        .expect(200)
        .body;
    assert_eq!(again["gravados"], 0);
    let other = sns.signed_notification("m-2", &instant_text(&app, 0), &sent_event());
    assert_eq!(
        deliver_message(&app.anonymous(), &other)
            .await
            .expect(200)
            .body["gravados"],
        1
    );
    assert_eq!(app.count_rows("email_deliveries").await, 2);
    assert!(!app.contains_text(ANA).await && !app.contains_text("equipe.test").await);
    assert_eq!(sns.requests(), [("/topic.pem".to_owned(), 1)].into());
}

#[tokio::test]
async fn every_kind_of_event_is_recorded_for_each_of_its_recipients() {
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
        let message = sns.signed_notification(&format!("m-{place}"), &instant_text(&app, 0), event);
        let answer = deliver_message(&app.anonymous(), &message)
            .await
            .expect(200)
            .body;
        assert_eq!(answer["gravados"], *recipients, "{kind}");
        let rows = format!("email_deliveries WHERE kind = '{kind}' AND person IS NOT NULL");
        assert_eq!(app.count_rows(&rows).await, *recipients, "{kind}");
    }
    let tagged = "email_deliveries WHERE dispatch_id = 'd-1' AND launch = 'vera'";
    assert_eq!(app.count_rows(tagged).await, 13);
    assert_eq!(
        app.count_rows("email_deliveries WHERE bounce_type = 'Permanent/General'")
            .await,
        2
    );
    assert!(!app.contains_text("exemplo.com").await);
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
async fn a_signed_message_that_is_not_an_event_is_accepted_and_ignored() {
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
        let message = sns.signed_notification(&place.to_string(), &instant_text(&app, 0), text);
        let answer = deliver_message(&app.anonymous(), &message)
            .await
            .expect(200)
            .body;
        assert_eq!(answer["gravados"], 0);
    }
}

#[tokio::test]
async fn a_subscription_is_confirmed_only_by_its_topic_and_token() {
    let (app, sns) = service_with_sns().await;
    let message = sns.signed_confirmation(&instant_text(&app, 0));
    let answer = deliver_message(&app.anonymous(), &message)
        .await
        .expect(200)
        .body;
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
    elsewhere.insert("SubscribeURL".into(), stranger.url_of_path("/").into());
    let signature = message_signature(&elsewhere);
    elsewhere.insert("Signature".into(), signature.into());
    deliver_message(&app.anonymous(), &elsewhere)
        .await
        .expect_refusal(401, "UNAUTHENTICATED");
    assert!(stranger.requests().is_empty());
    let mut ended = message;
    ended.insert("Type".into(), "UnsubscribeConfirmation".into());
    let signature = message_signature(&ended);
    ended.insert("Signature".into(), signature.into());
    let answer = deliver_message(&app.anonymous(), &ended)
        .await
        .expect(200)
        .body;
    assert_eq!(answer["confirmada"], false);
}

#[tokio::test]
async fn a_body_that_is_not_a_message_is_refused() {
    let (app, _) = service_with_sns().await;
    let client = app.anonymous().with_header("content-type", "text/plain");
    for body in ["", "texto", "{"] {
        let answer = client.send(Method::POST, SES, Some(body.into())).await;
        answer.expect_refusal(400, "INVALID_INPUT");
    }
    for body in ["{}", "[]", "7", "{\"Type\":\"Notification\"}"] {
        let answer = client.send(Method::POST, SES, Some(body.into())).await;
        answer.expect_refusal(401, "UNAUTHENTICATED");
    }
}
