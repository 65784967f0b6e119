//! When figures are updated, and the figures after a person's data are erased.

use domain::{sales::Purchase, time::SECOND};
use serde_json::json;

use super::{
    approved_purchase, create_launch, derive_person_id, financial_client, get,
    identification_event, save_and_settle, visit_event,
};
use crate::support::TestApp;

#[tokio::test]
async fn events_are_counted_by_a_job_seconds_after_they_arrive() {
    let token = ("PAUTA_JORNADA_TOKEN", "segredo-de-quem-envia".to_owned());
    let app = TestApp::with_settings([token]).await;
    let client = financial_client(&app).await;
    let launch = create_launch(&app, json!({})).await;
    app.app.worker().drain().await.expect("the jobs run");
    let site = app
        .anonymous()
        .with_header("x-jornada-token", "segredo-de-quem-envia");
    let event = json!({ "evento": "visitou_pagina", "sessao": "s", "id": "1", "lancamento": "L" });
    let sent = site
        .post("/api/jornada/eventos", json!({ "eventos": [event] }))
        .await;
    sent.expect(200);
    let path = format!("/api/lancamentos/{launch}/jornada");
    let before = get(&client, &path).await;
    assert_eq!(
        (&before["etapas"][0]["sessoes"], &before["atualizado_em"]),
        (&json!(0), &json!(null))
    );
    app.advance_clock(10 * SECOND);
    app.app.worker().drain().await.expect("the jobs run");
    let after = get(&client, &path).await;
    assert_eq!(after["etapas"][0]["sessoes"], 1);
    assert!(after["atualizado_em"].is_string());
}

#[tokio::test]
async fn erasing_a_person_keeps_the_sums_and_the_origins_of_sales() {
    let app = TestApp::new().await;
    let client = financial_client(&app).await;
    let launch = create_launch(&app, json!({})).await;
    let from = json!({ "utm_medium": "cpc", "utm_campaign": "fria" });
    super::record_and_settle(
        &app,
        &[
            visit_event("A", "2026-08-10T12:00:00Z", from),
            identification_event("A", "2026-08-10T12:01:00Z", derive_person_id(&app, "ana")),
        ],
    )
    .await;
    let bought = Purchase {
        person: Some(derive_person_id(&app, "ana")),
        launch: Some("L".into()),
        ..approved_purchase("A", "2026-08-11T12:00:00Z", 10_000)
    };
    save_and_settle(&app, vec![bought]).await;
    let origin = format!("/api/lancamentos/{launch}/origem");
    let before = get(&client, &origin).await;
    assert_eq!(before["ultimo_toque"][0]["utm_campaign"], "fria");
    let erased =
        tools::timeline::privacy::erase_person(&app.app.gateway, "ana@exemplo.com.br").await;
    erased.expect("the person is erased");
    assert_eq!(
        get(&client, &origin).await["ultimo_toque"],
        before["ultimo_toque"]
    );
    let journey = get(&client, &format!("/api/lancamentos/{launch}/jornada")).await;
    assert_eq!(journey["etapas"][0]["sessoes"], 1);
    assert_eq!(
        (
            &journey["etapas"][0]["pessoas"],
            &journey["etapas"][4]["pessoas"]
        ),
        (&json!(0), &json!(0))
    );
    let buyers = get(&client, &format!("/api/lancamentos/{launch}/compradores")).await;
    assert_eq!(buyers["compradores"], json!([]));
    assert!(
        !app.contains_text(derive_person_id(&app, "ana").as_str())
            .await
    );
}
