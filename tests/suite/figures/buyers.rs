//! The filters of a launch's buyers.

use std::collections::BTreeSet;

use domain::sales::{Purchase, PurchaseStatus};
use serde_json::{Value, json};

use super::{
    approved_purchase, create_launch, derive_person_id, financial_client, generate::Dice, get,
    save_and_settle,
};
use crate::support::{Client, TestApp};

const STATUSES: [PurchaseStatus; 6] = [
    PurchaseStatus::Pending,
    PurchaseStatus::Canceled,
    PurchaseStatus::Approved,
    PurchaseStatus::PartlyRefunded,
    PurchaseStatus::Refunded,
    PurchaseStatus::Chargeback,
];

/// Purchases of a launch and of others, often at the same instant.
fn random_launch_purchases(app: &TestApp, dice: &mut Dice) -> Vec<Purchase> {
    let one = |number: u64, dice: &mut Dice| {
        let instant = format!("2026-08-{:02}T12:00:00Z", 10 + dice.random_below(4));
        let cents = dice.pick(&[0, 1_000, 2_000, 3_000]);
        let launch = dice.pick(&[None, Some("L"), Some("M")]);
        Purchase {
            status: dice.pick(&STATUSES),
            person: Some(derive_person_id(
                app,
                &format!("p{}", dice.random_below(12)),
            )),
            product_id: format!("p{}", dice.random_below(3)),
            launch: launch.map(str::to_owned),
            refunded_cents: dice.pick(&[0, 400, cents]).min(cents),
            ..approved_purchase(&format!("T{number}"), &instant, cents)
        }
    };
    (0..160).map(|number| one(number, dice)).collect()
}

/// Returns every buyer, page by page.
async fn list_all_buyers(client: &Client, path: &str, filter: &str) -> Vec<Value> {
    let (mut found, mut cursor) = (vec![], String::new());
    loop {
        let page = get(client, &format!("{path}?limit=2{filter}{cursor}")).await;
        found.extend(page["compradores"].as_array().expect("buyers").clone());
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return found,
        }
    }
}

/// Returns the buyers with at least one purchase for which `keeps` is true, each with those
/// purchases.
fn filter_purchases(lines: &[Value], keeps: impl Fn(&Value) -> bool) -> BTreeSet<(String, String)> {
    let of = |line: &Value| {
        let purchases = line["produtos"].as_array().expect("purchases").clone();
        let kept: Vec<Value> = purchases.into_iter().filter(|one| keeps(one)).collect();
        let buyer = line["comprador"].to_string();
        (!kept.is_empty()).then(|| (buyer, json!(kept).to_string()))
    };
    lines.iter().filter_map(of).collect()
}

#[tokio::test]
async fn a_filter_returns_the_matching_purchases_and_their_buyers() {
    let app = TestApp::new().await;
    let client = financial_client(&app).await;
    let purchases = random_launch_purchases(&app, &mut Dice(7));
    save_and_settle(&app, purchases).await;
    let launch = create_launch(&app, json!({ "produtos": ["p1", "p2"] })).await;
    let path = format!("/api/lancamentos/{launch}/compradores");
    let whole = list_all_buyers(&client, &path, "").await;
    assert!(whole.len() > 6, "{}", whole.len());
    let mut matched = 0;
    for product in [None, Some("p0"), Some("p1"), Some("nada")] {
        for status in [None, Some("aprovada"), Some("reembolsada"), Some("parcial")] {
            for (least, most) in [(None, None), (Some(1_000), None), (Some(600), Some(2_000))] {
                let fields = [
                    ("produto_id", product.map(str::to_owned)),
                    ("status", status.map(str::to_owned)),
                    (
                        "valor_minimo_centavos",
                        least.map(|cents: i64| cents.to_string()),
                    ),
                    (
                        "valor_maximo_centavos",
                        most.map(|cents: i64| cents.to_string()),
                    ),
                ];
                let sent = fields
                    .iter()
                    .filter_map(|(field, value)| Some(format!("&{field}={}", value.as_ref()?)));
                let filter: String = sent.collect();
                let found = list_all_buyers(&client, &path, &filter).await;
                let expected = filter_purchases(&whole, |one| {
                    let cents = one["valor_centavos"].as_i64().expect("cents");
                    product.is_none_or(|product| one["produto_id"] == product)
                        && status.is_none_or(|status| one["status"] == status)
                        && least.is_none_or(|least| cents >= least)
                        && most.is_none_or(|most| cents <= most)
                });
                let lines = filter_purchases(&found, |_| true);
                assert_eq!(
                    lines.len(),
                    found.len(),
                    "{filter}: a buyer is listed twice"
                );
                assert_eq!(lines, expected, "{filter}");
                let latest: Vec<String> = found
                    .iter()
                    .map(|one| one["ultima_compra_em"].to_string())
                    .collect();
                assert!(latest.is_sorted_by(|a, b| a >= b), "{filter}: {latest:?}");
                matched += usize::from(!found.is_empty());
            }
        }
    }
    assert!(matched > 15, "only {matched}");
}

#[tokio::test]
async fn invalid_filters_of_buyers_are_refused() {
    let app = TestApp::new().await;
    let client = financial_client(&app).await;
    let launch = create_launch(&app, json!({})).await;
    let path = format!("/api/lancamentos/{launch}/compradores");
    for (filter, field) in [
        ("status=pendente", "status"),
        ("status=paga", "status"),
        ("produto_id=", "produto_id"),
        ("valor_minimo_centavos=-1", "valor_minimo_centavos"),
        ("valor_minimo_centavos=1.5", "valor_minimo_centavos"),
        (
            "valor_minimo_centavos=2&valor_maximo_centavos=1",
            "valor_maximo_centavos",
        ),
        ("plano=x", "plano"),
    ] {
        let refused = client.get(&format!("{path}?{filter}")).await;
        assert_eq!(refused.invalid_fields(), [field], "{filter}");
    }
    // An invalid input is refused whether or not the launch exists.
    let absent = "/api/lancamentos/019a0000-0000-7000-8000-000000000000/compradores";
    let range = "valor_minimo_centavos=2&valor_maximo_centavos=1";
    let refused = client.get(&format!("{absent}?{range}")).await;
    assert_eq!(refused.invalid_fields(), ["valor_maximo_centavos"]);
}
