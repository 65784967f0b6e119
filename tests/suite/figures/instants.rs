//! The timestamps of lists, in UTC and in Brasilia time.

use domain::{
    sales::{Dispatch, Purchase, Subscription, SubscriptionStatus},
    time::Timestamp,
    timeline::DeliveryKind,
};
use serde_json::{Value, json};
use store::{
    sales::{save_dispatches, save_subscriptions},
    timeline::{Delivery, save_deliveries},
};

use super::{
    approved_purchase, create_launch, derive_person_id, financial_client, get,
    identification_event, instant_millis, record_and_settle, save_and_settle, settle_figures,
    visit_event,
};
use crate::support::TestApp;

/// Returns the number of instants in an answer. Asserts that each instant is also given in Brasilia
/// time.
fn count_instant_pairs(value: &Value) -> usize {
    let is_instant = |text: &str| text.ends_with(".000Z") && text.parse::<Timestamp>().is_ok();
    match value {
        Value::Array(values) => values.iter().map(count_instant_pairs).sum(),
        Value::Object(fields) => {
            let mut found = fields.values().map(count_instant_pairs).sum();
            for (name, value) in fields {
                let Some(text) = value.as_str().filter(|text| is_instant(text)) else {
                    continue;
                };
                if name == "atualizado_em" {
                    continue;
                }
                let stem = name.strip_suffix("_em").unwrap_or(name);
                let local = fields[&format!("{stem}_em_brasilia")].as_str();
                let local = local.expect("the instant in Brasilia time");
                assert_eq!(instant_millis(local), instant_millis(text), "{name}");
                assert!(local.ends_with("-03:00"), "{local}");
                found += 1;
            }
            found
        }
        _ => 0,
    }
}

#[tokio::test]
async fn instants_are_shown_in_utc_and_in_brasilia_time() {
    let app = TestApp::new().await;
    let client = financial_client(&app).await;
    let launch = create_launch(&app, json!({})).await;
    let ana = derive_person_id(&app, "ana");
    let detail = json!({ "utm_source": "instagram", "utm_medium": "social", "pagina": "/p" });
    let events = [
        visit_event("s", "2026-08-11T01:00:00Z", detail),
        identification_event("s", "2026-08-11T01:30:00Z", ana.clone()),
    ];
    record_and_settle(&app, &events).await;
    let bought = Purchase {
        person: Some(ana.clone()),
        launch: Some("L".into()),
        ..approved_purchase("A", "2026-08-11T02:00:00Z", 10_000)
    };
    save_and_settle(&app, vec![bought]).await;
    let subscription = Subscription {
        store: "hotmart".into(),
        subscription_id: "s1".into(),
        person: Some(ana.clone()),
        severed: false,
        plan: "Mensal".into(),
        status: SubscriptionStatus::Canceled,
        started_at: instant_millis("2026-08-10T12:00:00Z"),
        ended_at: Some(instant_millis("2026-08-12T01:00:00Z")),
        amount_cents: 3_990,
        currency: "BRL".into(),
    };
    let dispatch = Dispatch {
        id: "d1".into(),
        name: "Abertura".into(),
        channel: "email".into(),
        sent_at: instant_millis("2026-08-11T01:00:00Z"),
        sent: 4,
        launch: Some("L".into()),
    };
    let delivery = Delivery {
        message_id: "m1".into(),
        position: 0,
        person: Some(ana),
        kind: DeliveryKind::Sent,
        occurred_at: instant_millis("2026-08-11T01:00:01Z"),
        mail_id: "m1".into(),
        dispatch_id: Some("d1".into()),
        launch: Some("L".into()),
        bounce_type: None,
        link: None,
    };
    let (tx, now) = (app.begin().await, app.now());
    save_subscriptions(&tx.conn(), vec![subscription], now)
        .await
        .expect("saves");
    save_dispatches(&tx.conn(), vec![dispatch], now)
        .await
        .expect("saves");
    save_deliveries(&tx.conn(), &[delivery], now)
        .await
        .expect("saves");
    tx.commit().await.expect("commits");
    settle_figures(&app).await;
    let path = format!("/api/lancamentos/{launch}");
    let buyers = get(&client, &format!("{path}/compradores")).await;
    // There are four instants: the latest purchase, the purchase, and its two touches.
    assert_eq!(count_instant_pairs(&buyers), 4, "{buyers}");
    assert_eq!(
        buyers["compradores"][0]["ultima_compra_em_brasilia"],
        "2026-08-10T23:00:00-03:00"
    );
    let dispatches = get(&client, &format!("{path}/disparos")).await;
    assert_eq!(count_instant_pairs(&dispatches), 1, "{dispatches}");
    let exits = get(&client, "/api/subs/saidas").await;
    assert_eq!(count_instant_pairs(&exits), 2, "{exits}");
    let email = json!({ "email": "ana@exemplo.com.br" });
    let profile = client.post("/api/jornada/perfil", email).await;
    // There are seven instants: the purchase, its two touches, one page, a subscription and its
    // end, and the last delivery.
    let profile = profile.expect(200).body;
    assert_eq!(count_instant_pairs(&profile), 7, "{profile}");
}
