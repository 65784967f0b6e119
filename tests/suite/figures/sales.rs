//! Sales of a period and of the commercial team.

use domain::{
    Role,
    sales::{Purchase, PurchaseStatus},
};
use serde_json::json;

use super::{
    approved_purchase, financial_client, get, instant_millis, pick_fields, save_and_settle,
};
use crate::support::TestApp;

const FIGURES: [&str; 5] = [
    "receita_bruta_centavos",
    "receita_centavos",
    "vendas",
    "reembolsos",
    "reembolsos_centavos",
];

fn with_status(of: Purchase, status: PurchaseStatus, refunded_cents: i64) -> Purchase {
    Purchase {
        status,
        refunded_cents,
        ..of
    }
}

fn with_product_p2(of: Purchase) -> Purchase {
    Purchase {
        product_id: "p2".into(),
        product: "Livro".into(),
        ..of
    }
}

/// Saves sales around a midnight in Brasilia: 1,500 reais gross and 950 refunded, and 80 dollars.
async fn save_three_days(app: &TestApp) {
    use PurchaseStatus::{Canceled, Chargeback, PartlyRefunded, Pending, Refunded};
    let noon = |id, cents| approved_purchase(id, "2026-08-11T12:00:00-03:00", cents);
    let purchases = vec![
        approved_purchase("A", "2026-08-10T23:59:59.999-03:00", 10_000),
        Purchase {
            store: "guru".into(),
            ..approved_purchase("B", "2026-08-11T00:00:00-03:00", 20_000)
        },
        with_product_p2(with_status(noon("C", 30_000), Refunded, 0)),
        with_product_p2(with_status(noon("D", 40_000), PartlyRefunded, 15_000)),
        with_status(
            approved_purchase("E", "2026-08-12T09:00:00-03:00", 50_000),
            Chargeback,
            50_000,
        ),
        with_status(noon("F", 60_000), Pending, 0),
        with_status(noon("G", 70_000), Canceled, 0),
        Purchase {
            currency: "USD".into(),
            ..noon("H", 8_000)
        },
    ];
    save_and_settle(app, purchases).await;
}

#[tokio::test]
async fn sales_refunds_and_days_are_as_computed_by_hand() {
    let app = TestApp::new().await;
    let client = financial_client(&app).await;
    let path = "/api/vendas/resumo?inicio=2026-08-10&fim=2026-08-12";
    let empty = get(&client, path).await;
    assert_eq!(empty["atualizado_em"], json!(null));
    assert_eq!(empty["totais"]["ticket_medio_centavos"], json!(null));
    save_three_days(&app).await;
    let summary = get(&client, path).await;
    let totals = &summary["totais"];
    let all = json!([150_000, 55_000, 3, 3, 95_000]);
    assert_eq!(json!(pick_fields(totals, &FIGURES)), all);
    assert_eq!(totals["ticket_medio_centavos"], 18_333);
    assert_eq!(totals["moeda"], "BRL");
    let days = summary["por_dia"].as_array().expect("days");
    let days: Vec<_> = days
        .iter()
        .map(|day| (&day["dia"], pick_fields(day, &FIGURES)))
        .collect();
    assert_eq!(
        json!(days),
        json!([
            ["2026-08-10", [10_000, 10_000, 1, 0, 0]],
            ["2026-08-11", [90_000, 45_000, 2, 2, 45_000]],
            ["2026-08-12", [50_000, 0, 0, 1, 50_000]],
        ])
    );
    let products = summary["por_produto"].as_array().expect("products");
    let products: Vec<_> = products
        .iter()
        .map(|one| {
            (
                &one["produto_id"],
                &one["produto"],
                pick_fields(one, &FIGURES),
            )
        })
        .collect();
    assert_eq!(
        json!(products),
        json!([
            ["p1", "Curso", [80_000, 30_000, 2, 1, 50_000]],
            ["p2", "Livro", [70_000, 25_000, 1, 2, 45_000]],
        ])
    );
    let stores = summary["por_loja"].as_array().expect("stores");
    let stores: Vec<_> = stores
        .iter()
        .map(|one| (&one["loja"], pick_fields(one, &FIGURES)))
        .collect();
    assert_eq!(
        json!(stores),
        json!([
            ["guru", [20_000, 20_000, 1, 0, 0]],
            ["hotmart", [130_000, 35_000, 2, 3, 95_000]],
        ])
    );
    let apart = &summary["outras_moedas"];
    assert_eq!(apart.as_array().map(Vec::len), Some(1));
    let dollars = pick_fields(&apart[0], &["moeda", "receita_centavos", "vendas"]);
    assert_eq!(json!(dollars), json!(["USD", 8_000, 1]));
}

#[tokio::test]
async fn a_correction_moves_a_purchase_to_its_new_day_and_state() {
    let app = TestApp::new().await;
    let client = financial_client(&app).await;
    save_three_days(&app).await;
    let of_day = async |day: &str| {
        let path = format!("/api/vendas/resumo?inicio={day}&fim={day}");
        pick_fields(&get(&client, &path).await["totais"], &FIGURES)
    };
    // B is refunded. A turns out to be earlier and more expensive than first reported.
    let b = Purchase {
        store: "guru".into(),
        ..approved_purchase("B", "2026-08-11T00:00:00-03:00", 20_000)
    };
    let a = approved_purchase("A", "2026-08-09T10:00:00-03:00", 11_000);
    save_and_settle(
        &app,
        vec![with_status(b, PurchaseStatus::Refunded, 20_000), a],
    )
    .await;
    assert_eq!(
        json!(of_day("2026-08-09").await),
        json!([11_000, 11_000, 1, 0, 0])
    );
    assert_eq!(json!(of_day("2026-08-10").await), json!([0, 0, 0, 0, 0]));
    assert_eq!(
        json!(of_day("2026-08-11").await),
        json!([90_000, 25_000, 1, 3, 65_000])
    );
    // A report that changes nothing does not change `atualizado_em` either.
    let before = get(&client, "/api/vendas/resumo").await["atualizado_em"].clone();
    app.advance_clock(60_000);
    save_and_settle(
        &app,
        vec![approved_purchase("A", "2026-08-09T10:00:00-03:00", 11_000)],
    )
    .await;
    assert_eq!(
        get(&client, "/api/vendas/resumo").await["atualizado_em"],
        before
    );
}

#[tokio::test]
async fn days_of_a_year_with_daylight_saving_have_23_and_25_hours() {
    let app = TestApp::new().await;
    let client = financial_client(&app).await;
    let instants = [
        ("2018-11-04T02:59:59Z", "2018-11-03"),
        ("2018-11-04T03:00:00Z", "2018-11-04"),
        ("2018-11-05T01:59:59Z", "2018-11-04"),
        ("2018-11-05T02:00:00Z", "2018-11-05"),
        ("2019-02-17T01:30:00Z", "2019-02-16"),
        ("2019-02-17T02:59:59Z", "2019-02-16"),
        ("2019-02-17T03:00:00Z", "2019-02-17"),
    ];
    let purchases = instants
        .iter()
        .map(|(instant, _)| approved_purchase(instant, instant, 1));
    save_and_settle(&app, purchases.collect()).await;
    let path = "/api/vendas/resumo?inicio=2018-11-01&fim=2019-03-01";
    let days = get(&client, path).await["por_dia"].clone();
    let days = days.as_array().expect("days");
    let days: Vec<_> = days
        .iter()
        .map(|day| pick_fields(day, &["dia", "vendas"]))
        .collect();
    assert_eq!(
        json!(days),
        json!([
            ["2018-11-03", 1],
            ["2018-11-04", 2],
            ["2018-11-05", 1],
            ["2019-02-16", 2],
            ["2019-02-17", 1],
        ])
    );
    assert_eq!(
        instant_millis(instants[1].0) - instant_millis(instants[0].0),
        1_000
    );
}

#[tokio::test]
async fn invalid_commission_rates_are_refused_and_never_applied() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let publish = async |rates: serde_json::Value| {
        let entry = json!({ "key": "comercial.comissoes", "value": rates });
        admin.post("/api/config", entry).await
    };
    for (rates, field) in [
        (json!({ "padrao": 8.5 }), "value.padrao"),
        (json!({ "padrao": -0.01 }), "value.padrao"),
        (json!({ "padrao": "5%" }), "value.padrao"),
        (json!({ "padrao": null }), "value.padrao"),
        (
            json!({ "padrao": 0.05, "vendedores": { "Bruna": 0.08, "Otávio": 8 } }),
            "value.vendedores.Otávio",
        ),
        (json!({ "vendedores": [0.05] }), "value.vendedores"),
        (json!({ "padrao": 0.1, "desde": "julho" }), "value.desde"),
        (
            json!({ "padrao": 0.1, "anteriores": {} }),
            "value.anteriores",
        ),
        (
            json!({ "padrao": 0.1, "anteriores": vec![json!({}); 51] }),
            "value.anteriores",
        ),
        (
            json!({ "desde": "2026-07-01", "anteriores": [{ "padrao": 2 }] }),
            "value.anteriores.0.padrao",
        ),
        (
            json!({ "padrao": 0.1, "anteriores": [{ "padrao": 0.2 }] }),
            "value.anteriores.0.desde",
        ),
        (json!(0.05), "value"),
    ] {
        assert_eq!(publish(rates).await.invalid_fields(), [field]);
    }
    let refused = publish(json!({ "padrao": 8.5 })).await;
    let next = refused.body["details"]["fields"][0]["message"].as_str();
    assert_eq!(
        next,
        Some("deve ser um número de 0 a 1: 8.5 seria 850%; para 8,5%, escreva 0.085")
    );
    for rates in [
        json!({ "padrao": 0, "vendedores": { "Otávio": 1 } }),
        json!({ "vendedores": {} }),
        json!(null),
    ] {
        publish(rates).await.expect(200);
    }
    // This version was stored before the service checked commission rates.
    let client = financial_client(&app).await;
    let sold = Purchase {
        seller: Some("Otávio".into()),
        ..approved_purchase("A", "2026-08-11T12:00:00-03:00", 100_000)
    };
    save_and_settle(&app, vec![sold]).await;
    let sql = r#"UPDATE config_entries SET value = '{"padrao":8.5}'"#;
    app.execute_statement(sql, []).await;
    let team = get(&client, "/api/vendas/comercial").await;
    assert_eq!(team["totais"]["comissao_centavos"], 0);
    assert_eq!(team["avisos"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn a_purchase_earns_by_the_rates_of_its_day() {
    let app = TestApp::new().await;
    let client = financial_client(&app).await;
    let sold = |id: &str, day: &str, cents| Purchase {
        seller: Some("Otávio".into()),
        ..approved_purchase(id, &format!("2026-08-{day}T12:00:00-03:00"), cents)
    };
    let purchases = vec![
        sold("A", "10", 150),
        sold("B", "11", 150),
        sold("C", "12", 100),
    ];
    save_and_settle(&app, purchases).await;
    let rates = json!({
        "padrao": 0.5, "desde": "2026-08-12",
        "anteriores": [{ "vendedores": { "Otávio": 0.05 } }],
    });
    let admin = app.as_member(Role::Admin).await;
    let entry = json!({ "key": "comercial.comissoes", "value": rates });
    admin.post("/api/config", entry).await.expect(200);
    let path = "/api/vendas/comercial?inicio=2026-08-01&fim=2026-08-31";
    let seller = get(&client, path).await["por_vendedor"][0].clone();
    // 300 × 0.05 + 100 × 0.5; rounded once, and not for each day.
    assert_eq!(
        (&seller["comissao_centavos"], &seller["taxa"]),
        (&json!(65), &json!(0.5))
    );
    assert_eq!(
        seller["taxas"],
        json!([
            { "inicio": "2026-08-01", "fim": "2026-08-11", "taxa": 0.05, "receita_centavos": 300 },
            { "inicio": "2026-08-12", "fim": "2026-08-31", "taxa": 0.5, "receita_centavos": 100 },
        ])
    );
    let before = get(
        &client,
        "/api/vendas/comercial?inicio=2026-08-01&fim=2026-08-11",
    )
    .await;
    assert_eq!(before["por_vendedor"][0]["comissao_centavos"], 15);
    assert!(before["por_vendedor"][0].get("taxas").is_none());
}

#[tokio::test]
async fn commissions_follow_the_rates_of_the_configuration() {
    let app = TestApp::new().await;
    let client = financial_client(&app).await;
    let sold = |id: &str, seller: &str, cents| Purchase {
        seller: Some(seller.into()),
        ..approved_purchase(id, "2026-08-11T12:00:00-03:00", cents)
    };
    let purchases = vec![
        sold("A", "Otávio", 100_000),
        with_status(sold("B", "Otávio", 50_000), PurchaseStatus::Refunded, 0),
        sold("C", "Bruna", 1_500),
        approved_purchase("D", "2026-08-11T12:00:00-03:00", 90_000),
        Purchase {
            currency: "USD".into(),
            ..sold("E", "Bruna", 7_000)
        },
    ];
    save_and_settle(&app, purchases).await;
    let without = get(&client, "/api/vendas/comercial").await;
    assert_eq!(without["totais"]["comissao_centavos"], 0);
    assert_eq!(without["avisos"].as_array().map(Vec::len), Some(1));
    let rates = json!({ "padrao": 0.05, "vendedores": { "Otávio": 0.08 } });
    let admin = app.as_member(Role::Admin).await;
    let entry = json!({ "key": "comercial.comissoes", "value": rates });
    admin.post("/api/config", entry).await.expect(200);
    let team = get(&client, "/api/vendas/comercial").await;
    let sellers = team["por_vendedor"].as_array().expect("sellers");
    let fields = [
        "vendedor",
        "vendas",
        "receita_centavos",
        "taxa",
        "comissao_centavos",
    ];
    let sellers: Vec<_> = sellers
        .iter()
        .map(|one| pick_fields(one, &fields))
        .collect();
    assert_eq!(
        json!(sellers),
        json!([
            ["Otávio", 1, 100_000, 0.08, 8_000],
            ["Bruna", 1, 1_500, 0.05, 75]
        ])
    );
    assert_eq!(team["totais"]["comissao_centavos"], 8_075);
    assert_eq!(team["outras_moedas"][0]["receita_centavos"], 7_000);
    assert!(team["avisos"].is_null());
}
