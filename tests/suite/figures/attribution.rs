//! The origins of sales, and the buyers.

use domain::sales::{Purchase, Utm};
use serde_json::{Value, json};

use super::{
    approved_purchase, create_launch, derive_person_id, financial_client, get,
    identification_event, pick_fields, record_and_settle, record_events, save_and_settle,
    save_purchases, settle_figures, visit_event,
};
use crate::support::{Client, TestApp};

async fn get_origins(client: &Client, launch: &str) -> [Value; 2] {
    let answer = get(client, &format!("/api/lancamentos/{launch}/origem")).await;
    ["primeiro_toque", "ultimo_toque"].map(|touch| {
        let lines = answer[touch].as_array().expect("origins");
        let fields = ["canal", "utm_campaign", "vendas", "receita_centavos"];
        lines
            .iter()
            .map(|line| json!(pick_fields(line, &fields)))
            .collect()
    })
}

fn utm_detail(medium: &str, campaign: &str) -> Value {
    json!({ "utm_source": "x", "utm_medium": medium, "utm_campaign": campaign })
}

fn purchase_by_person(app: &TestApp, name: &str, cents: i64) -> Purchase {
    Purchase {
        person: Some(derive_person_id(app, name)),
        launch: Some("L".into()),
        ..approved_purchase(name, "2026-08-11T12:00:00Z", cents)
    }
}

#[tokio::test]
async fn the_first_and_the_last_visit_before_a_purchase_are_its_origin() {
    let app = TestApp::new().await;
    let client = financial_client(&app).await;
    let launch = create_launch(&app, json!({})).await;
    // The purchase arrives before its visits.
    save_and_settle(&app, vec![purchase_by_person(&app, "ana", 40_000)]).await;
    let unknown = json!([["sem_origem", null, 1, 40_000]]);
    assert_eq!(
        get_origins(&client, &launch).await,
        [unknown.clone(), unknown]
    );
    record_and_settle(
        &app,
        &[
            visit_event("A", "2026-08-10T12:00:00Z", utm_detail("cpc", "meio")),
            visit_event("A", "2026-08-01T12:00:00Z", utm_detail("email", "carta")),
            visit_event("A", "2026-08-11T11:59:59Z", utm_detail("bio", "perfil")),
            // These visits do not count: the first has no origin, the second is after the purchase,
            // and the third is more than 90 days before it.
            visit_event("A", "2026-08-11T11:59:59.500Z", json!({})),
            visit_event("A", "2026-08-11T12:00:01Z", utm_detail("cpc", "depois")),
            visit_event("A", "2026-05-13T11:59:59Z", utm_detail("cpc", "velha")),
        ],
    )
    .await;
    record_and_settle(
        &app,
        &[identification_event(
            "A",
            "2026-08-11T12:00:00Z",
            derive_person_id(&app, "ana"),
        )],
    )
    .await;
    assert_eq!(
        get_origins(&client, &launch).await,
        [
            json!([["email", "carta", 1, 40_000]]),
            json!([["social", "perfil", 1, 40_000]]),
        ]
    );
}

#[tokio::test]
async fn a_session_later_identified_as_another_person_is_not_the_origin() {
    let app = TestApp::new().await;
    let client = financial_client(&app).await;
    let launch = create_launch(&app, json!({})).await;
    let [ana, bia] = ["ana", "bia"].map(|name| derive_person_id(&app, name));
    // The figures are not updated here, so these events are counted together with the next ones.
    record_events(
        &app,
        &[
            visit_event("A", "2026-08-10T12:00:00Z", utm_detail("cpc", "meio")),
            identification_event("A", "2026-08-10T12:01:00Z", ana),
        ],
    )
    .await;
    save_purchases(
        &app,
        vec![
            purchase_by_person(&app, "ana", 40_000),
            purchase_by_person(&app, "bia", 10_000),
        ],
    )
    .await;
    record_events(
        &app,
        &[identification_event("A", "2026-08-10T12:02:00Z", bia)],
    )
    .await;
    settle_figures(&app).await;
    let expected = json!([["sem_origem", null, 1, 40_000], ["pago", "meio", 1, 10_000]]);
    assert_eq!(
        get_origins(&client, &launch).await,
        [expected.clone(), expected]
    );
}

#[tokio::test]
async fn without_a_visit_the_origin_comes_from_the_store() {
    let app = TestApp::new().await;
    let client = financial_client(&app).await;
    let launch = create_launch(&app, json!({})).await;
    let utm = Utm {
        source: Some("meta".into()),
        medium: Some("cpc".into()),
        campaign: Some("fria".into()),
        ..Utm::default()
    };
    let paid = Purchase {
        utm,
        ..purchase_by_person(&app, "bia", 30_000)
    };
    let warm = Purchase {
        utm: Utm {
            campaign: Some("quente".into()),
            ..paid.utm.clone()
        },
        ..purchase_by_person(&app, "dora", 20_000)
    };
    save_and_settle(
        &app,
        vec![paid, warm, purchase_by_person(&app, "caio", 10_000)],
    )
    .await;
    let both = json!([
        ["pago", "fria", 1, 30_000],
        ["pago", "quente", 1, 20_000],
        ["sem_origem", null, 1, 10_000]
    ]);
    assert_eq!(get_origins(&client, &launch).await, [both.clone(), both]);
    let origin = get(&client, &format!("/api/lancamentos/{launch}/origem")).await;
    for touch in ["canais_primeiro_toque", "canais_ultimo_toque"] {
        assert_eq!(
            origin[touch],
            json!([
                { "canal": "pago", "vendas": 2, "receita_centavos": 50_000 },
                { "canal": "sem_origem", "vendas": 1, "receita_centavos": 10_000 },
            ])
        );
    }
    let health = get(&client, &format!("/api/lancamentos/{launch}/saude")).await;
    assert_eq!(health["vendas_sem_origem"], 0.3333);
    assert_eq!(health["alertas"][0]["nivel"], "atencao");
    assert_eq!(
        health["alertas"][0]["texto"],
        "33,3% das vendas não têm origem conhecida."
    );
}

#[tokio::test]
async fn the_id_of_a_buyer_is_valid_in_one_launch_only() {
    let app = TestApp::new().await;
    let client = financial_client(&app).await;
    let first = create_launch(&app, json!({})).await;
    let second = create_launch(&app, json!({ "produtos": ["p2"] })).await;
    let mut purchases = vec![];
    // The first page ends between two buyers of the same instant.
    for (hour, name) in [(10, "ana"), (12, "bia"), (12, "caio"), (13, "ana")] {
        let instant = format!("2026-08-11T{hour}:00:00Z");
        purchases.push(Purchase {
            person: Some(derive_person_id(&app, name)),
            launch: Some("L".into()),
            ..approved_purchase(&format!("{name} {hour}"), &instant, 10_000)
        });
    }
    purchases.push(Purchase {
        refunded_cents: 3_000,
        status: domain::sales::PurchaseStatus::PartlyRefunded,
        product_id: "p2".into(),
        launch: None,
        person: Some(derive_person_id(&app, "bia")),
        ..approved_purchase("livro", "2026-08-12T12:00:00Z", 5_000)
    });
    save_and_settle(&app, purchases).await;
    let listed = async |launch: &str| {
        let (mut all, mut cursor) = (vec![], String::new());
        loop {
            let path = format!("/api/lancamentos/{launch}/compradores?limit=1{cursor}");
            let page = get(&client, &path).await;
            all.extend(page["compradores"].as_array().expect("buyers").clone());
            match page["next_cursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => return all,
            }
        }
    };
    let of_first = listed(&first).await;
    let values: Vec<_> = of_first
        .iter()
        .map(|one| one["valor_centavos"].clone())
        .collect();
    assert_eq!(
        json!(values),
        json!([20_000, 10_000, 10_000]),
        "ana, caio, bia"
    );
    assert_eq!(of_first[0]["ultima_compra_em"], "2026-08-11T13:00:00.000Z");
    assert_eq!(of_first[0]["produtos"].as_array().map(Vec::len), Some(2));
    let of_second = listed(&second).await;
    let values: Vec<_> = of_second
        .iter()
        .map(|one| one["valor_centavos"].clone())
        .collect();
    assert_eq!(
        json!(values),
        json!([12_000, 20_000, 10_000]),
        "the buyer with the last purchase must come first"
    );
    let ids = |of: &[Value]| -> Vec<String> {
        of.iter().map(|one| one["comprador"].to_string()).collect()
    };
    assert!(
        ids(&of_first)
            .iter()
            .all(|id| !ids(&of_second).contains(id))
    );
    let told = json!([of_first, of_second]).to_string();
    for name in ["ana", "bia", "caio"] {
        assert!(
            !told.contains(derive_person_id(&app, name).as_str()) && !told.contains("exemplo.com")
        );
    }
    let page = get(
        &client,
        &format!("/api/lancamentos/{first}/compradores?limit=1"),
    )
    .await;
    let foreign = page["next_cursor"].as_str().expect("a cursor");
    let path = format!("/api/lancamentos/{first}/disparos?cursor={foreign}");
    assert_eq!(client.get(&path).await.invalid_fields(), ["cursor"]);
}
