//! Exporting and erasing the data about a person.

use domain::sales::PurchaseStatus;
use serde_json::{Value, json};
use tools::timeline::privacy;

use super::{
    event_input, instant_text, load_lead,
    people::{purchase_report, save_purchases},
    send_events, site_client, start_service, visit_input,
};
use crate::support::TestApp;

const ANA: &str = "ana@exemplo.com.br";

async fn service_with_ana() -> TestApp {
    let app = start_service().await;
    let page = json!({ "detalhe": { "pagina": "/a", "gclid": "clique-1", "utm_medium": "cpc" } });
    send_events(
        &site_client(&app),
        json!([
            visit_input("navegador", "1", page),
            event_input("identificou", "navegador", "2", json!({ "email": ANA })),
            event_input(
                "respondeu_enquete",
                "outro",
                "1",
                json!({
            "email": ANA, "detalhe": { "opcao": "sim" } })
            ),
            event_input(
                "identificou",
                "outro",
                "2",
                json!({ "email": "bia@exemplo.com.br", "ocorreu_em": instant_text(&app, 1_000) })
            ),
        ]),
    )
    .await;
    save_purchases(
        &app,
        vec![
            purchase_report(&app, "T1", PurchaseStatus::Approved),
            purchase_report(&app, "T2", PurchaseStatus::Refunded),
        ],
    )
    .await;
    app
}

async fn load_sums(app: &TestApp) -> Vec<String> {
    let mut sums = app
        .table_texts("purchases", &["person", "severed", "stale", "counted_day"])
        .await;
    sums.sort();
    let count = app.count_rows("timeline_events").await;
    sums.push(count.to_string());
    sums
}

#[tokio::test]
async fn an_export_has_everything_about_one_person_and_is_audited() {
    let app = service_with_ana().await;
    let gateway = &app.app.gateway;
    let exported = privacy::export_person(gateway, " Ana@Exemplo.com.br ").await;
    let lists = Value::Object(exported.expect("exports"));
    let count = |list: &str| lists[list].as_array().map(Vec::len);
    assert_eq!(count("compras"), Some(2));
    assert_eq!(count("sessoes"), Some(1));
    assert_eq!(count("eventos"), Some(3), "{lists}");
    assert_eq!(lists["compras"][0]["valor_centavos"], 10_000);
    assert!(!lists.to_string().contains('@'));
    let nobody = privacy::export_person(gateway, "ninguem@exemplo.com.br").await;
    let nobody = nobody.expect("exports");
    assert!(
        nobody
            .values()
            .all(|list| list.as_array().is_some_and(Vec::is_empty))
    );
    let rows = "audit_events WHERE action = 'export_person' AND auth_method = 'system'";
    assert_eq!(app.count_rows(rows).await, 2);
    assert!(privacy::export_person(gateway, "sem arroba").await.is_err());
}

#[tokio::test]
async fn an_erased_person_is_not_found_again_and_every_sum_stays() {
    let app = service_with_ana().await;
    let gateway = &app.app.gateway;
    let before = load_sums(&app).await;
    let erased = privacy::erase_person(gateway, "ANA@exemplo.com.br")
        .await
        .expect("the person is erased");
    assert_eq!(erased["purchases"], 2);
    assert_eq!(erased["timeline_sessions"], 1);
    assert_eq!(load_sums(&app).await, before);
    assert_eq!(load_lead(&app, ANA).await["encontrado"], false);
    // Another person was identified in the same session. The data of the other person are kept.
    assert_eq!(
        load_lead(&app, "bia@exemplo.com.br").await["encontrado"],
        true
    );
    assert!(!app.contains_text("clique-1").await && !app.contains_text("navegador").await);
    let again = privacy::erase_person(gateway, ANA)
        .await
        .expect("the person is erased");
    assert!(again.is_empty(), "{again:?}");
    let rows = "audit_events WHERE action = 'erase_person' AND auth_method = 'system'";
    assert_eq!(app.count_rows(rows).await, 2);

    // A new report of an erased purchase, or new events of the same browser, do not restore the erased
    // data.
    save_purchases(
        &app,
        vec![purchase_report(&app, "T1", PurchaseStatus::Chargeback)],
    )
    .await;
    assert_eq!(load_lead(&app, ANA).await["encontrado"], false);
    send_events(
        &site_client(&app),
        json!([event_input(
            "identificou",
            "navegador",
            "9",
            json!({ "email": ANA })
        )]),
    )
    .await;
    assert_eq!(load_lead(&app, ANA).await["ultimas_paginas"], json!([]));
    // A purchase made after the erasure is recorded.
    save_purchases(
        &app,
        vec![purchase_report(&app, "T3", PurchaseStatus::Approved)],
    )
    .await;
    let known = load_lead(&app, ANA).await;
    assert_eq!(known["compras"].as_array().map(Vec::len), Some(1));
}
