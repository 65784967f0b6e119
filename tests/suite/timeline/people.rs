//! The profiles of people.

use domain::{
    Role,
    sales::{Purchase, PurchaseStatus, Utm},
    time::{HOUR, MINUTE},
};
use gateway::Pepper;
use serde_json::{Value, json};

use super::{
    LEAD, PROFILE, TOKEN, crm_client, event_input, financial_client, instant_text, load_lead,
    send_events, settle_figures, site_client, start_service, visit_input,
};
use crate::support::TestApp;

const ANA: &str = "ana@exemplo.com.br";

pub(super) fn purchase_report(
    app: &TestApp,
    transaction: &str,
    status: PurchaseStatus,
) -> Purchase {
    let pepper = app.app.gateway.services.parts.get::<Pepper>();
    let refunded_cents = match status {
        PurchaseStatus::Refunded | PurchaseStatus::Chargeback => 10_000,
        PurchaseStatus::PartlyRefunded => 2_500,
        _ => 0,
    };
    Purchase {
        store: "hotmart".into(),
        transaction_id: transaction.into(),
        occurred_at: app.now(),
        status,
        person: Some(
            pepper
                .person_id(&ANA.parse().expect("an e-mail"))
                .expect("a key"),
        ),
        severed: false,
        product_id: "curso".into(),
        product: "Curso de pães".into(),
        amount_cents: 10_000,
        refunded_cents,
        currency: "BRL".into(),
        seller: None,
        launch: None,
        utm: Utm::default(),
    }
}

/// Saves reports of purchases in this order; returns the number saved.
pub(super) async fn save_purchases(app: &TestApp, reports: Vec<Purchase>) -> usize {
    let tx = app.begin().await;
    let saved = store::sales::save_purchases(&tx.conn(), reports, app.now()).await;
    tx.commit().await.expect("commits");
    saved.expect("saves")
}

async fn load_profile(app: &TestApp, email: &str) -> Value {
    let client = financial_client(app).await;
    client
        .post(PROFILE, json!({ "email": email }))
        .await
        .expect(200)
        .body
}

#[tokio::test]
async fn anonymous_visits_appear_after_identification_in_the_same_session() {
    let app = start_service().await;
    let client = site_client(&app);
    let page = |page: &str| json!({ "detalhe": { "pagina": page } });
    send_events(
        &client,
        json!([
            visit_input("s", "1", page("/a")),
            visit_input("t", "1", page("/b"))
        ]),
    )
    .await;
    assert_eq!(load_lead(&app, ANA).await["encontrado"], false);
    let named = event_input("identificou", "s", "2", json!({ "email": ANA }));
    send_events(&client, json!([named])).await;
    let known = load_lead(&app, ANA).await;
    assert_eq!(known["encontrado"], true);
    assert_eq!(known["ultimas_paginas"].as_array().map(Vec::len), Some(1));
    assert_eq!(known["ultimas_paginas"][0]["pagina"], "/a");
    assert_eq!(
        load_lead(&app, "outra@exemplo.com.br").await["encontrado"],
        false
    );
}

#[tokio::test]
async fn the_last_identification_of_a_session_wins_in_any_order_of_arrival() {
    for order in [[0, 1], [1, 0]] {
        let app = start_service().await;
        let client = site_client(&app);
        let named = |id: &str, email: &str, from_now: i64| {
            let more = json!({ "email": email, "ocorreu_em": instant_text(&app, from_now) });
            event_input("identificou", "s", id, more)
        };
        let both = [
            named("1", "ana@gmial.com", -2 * MINUTE),
            named("2", ANA, -MINUTE),
        ];
        send_events(
            &client,
            json!([visit_input(
                "s",
                "0",
                json!({ "detalhe": { "pagina": "/a" } })
            )]),
        )
        .await;
        for place in order {
            send_events(&client, json!([both[place]])).await;
        }
        assert_eq!(
            load_lead(&app, ANA).await["ultimas_paginas"][0]["pagina"],
            "/a"
        );
        // The mistyped address is still found by its identification, but the visits of the session
        // belong to the corrected address.
        let mistyped = load_lead(&app, "ana@gmial.com").await;
        assert_eq!(mistyped["encontrado"], true);
        assert_eq!(mistyped["ultimas_paginas"], json!([]));
    }
}

#[tokio::test]
async fn a_person_with_any_stored_event_is_found_without_a_purchase_or_a_visit() {
    for (kind, more) in [
        ("identificou", json!({})),
        ("abriu_checkout", json!({})),
        (
            "respondeu_enquete",
            json!({ "detalhe": { "votacao": "v1", "opcao": "sim" } }),
        ),
    ] {
        let app = start_service().await;
        assert_eq!(load_lead(&app, ANA).await["encontrado"], false);
        let mut more = more;
        more["email"] = ANA.into();
        send_events(
            &site_client(&app),
            json!([event_input(kind, "s", "1", more)]),
        )
        .await;
        for known in [load_lead(&app, ANA).await, load_profile(&app, ANA).await] {
            assert_eq!(known["encontrado"], true, "{kind}");
            assert_eq!(known["compras"], json!([]), "{kind}");
            assert_eq!(known["primeiro_toque"], json!(null), "{kind}");
        }
        assert_eq!(
            load_lead(&app, "bia@exemplo.com.br").await["encontrado"],
            false
        );
    }
}

#[tokio::test]
async fn first_and_last_touch_follow_the_instants_and_not_the_order_of_arrival() {
    let app = start_service().await;
    let client = site_client(&app);
    let touch = |session: &str, id: &str, hours: i64, medium: &str| {
        let detail = json!({ "utm_source": "loja", "utm_medium": medium, "pagina": "/p" });
        let more = json!({ "ocorreu_em": instant_text(&app, -hours * HOUR), "detalhe": detail });
        visit_input(session, id, more)
    };
    let page = |id: &str, minutes: i64, page: &str| {
        let at = instant_text(&app, -minutes * MINUTE);
        visit_input(
            "a",
            id,
            json!({ "ocorreu_em": at, "detalhe": { "pagina": page } }),
        )
    };
    send_events(
        &client,
        json!([
            touch("a", "2", 2, "email"),
            touch("a", "1", 9, "cpc"),
            touch("b", "1", 5, "social"),
            event_input("identificou", "a", "9", json!({ "email": ANA })),
            event_input("identificou", "b", "9", json!({ "email": ANA })),
            page("p1", 1, "/1"),
            page("p5", 5, "/5"),
            page("p3", 3, "/3"),
            page("p2", 2, "/2"),
            page("p4", 4, "/4"),
            page("p6", 6, "/6"),
        ]),
    )
    .await;
    let known = load_lead(&app, ANA).await;
    assert_eq!(known["primeiro_toque"]["canal"], "pago");
    assert_eq!(known["primeiro_toque"]["utm_medium"], "cpc");
    assert_eq!(known["primeiro_toque"]["pagina"], "/p");
    assert_eq!(known["ultimo_toque"]["canal"], "email");
    let pages = known["ultimas_paginas"].as_array().expect("pages");
    let pages: Vec<&str> = pages
        .iter()
        .map(|p| p["pagina"].as_str().expect("text"))
        .collect();
    assert_eq!(pages, ["/1", "/2", "/3", "/4", "/5"]);
}

#[tokio::test]
async fn a_purchase_may_come_before_its_visit() {
    let app = start_service().await;
    save_purchases(
        &app,
        vec![purchase_report(&app, "T1", PurchaseStatus::Approved)],
    )
    .await;
    let known = load_lead(&app, ANA).await;
    assert_eq!(known["encontrado"], true);
    assert_eq!(known["primeiro_toque"], Value::Null);
    let compra = &known["compras"][0];
    assert_eq!(compra["valor_centavos"], 10_000);
    assert_eq!(compra["status"], "aprovada");
    assert!(compra["ocorreu_em_brasilia"].is_string());
    send_events(
        &site_client(&app),
        json!([
            visit_input("s", "1", json!({ "detalhe": { "pagina": "/oferta" } })),
            event_input("identificou", "s", "2", json!({ "email": ANA })),
        ]),
    )
    .await;
    assert_eq!(
        load_lead(&app, ANA).await["primeiro_toque"]["canal"],
        "direto"
    );
}

#[tokio::test]
async fn the_state_of_a_purchase_does_not_depend_on_the_order_of_its_reports() {
    use PurchaseStatus::{Approved, Chargeback, PartlyRefunded, Pending, Refunded};
    for (reports, status, refunded) in [
        (&[Pending, Approved][..], "aprovada", 0),
        (&[Approved, PartlyRefunded], "parcial", 2_500),
        (&[Approved, PartlyRefunded, Refunded], "reembolsada", 10_000),
        (&[Approved, Chargeback], "chargeback", 10_000),
        (&[Refunded], "reembolsada", 10_000),
    ] {
        let mut found = vec![];
        for reversed in [false, true] {
            let app = start_service().await;
            let mut reports: Vec<Purchase> = reports
                .iter()
                .enumerate()
                .map(|(place, status)| Purchase {
                    occurred_at: app.now() + i64::try_from(place).expect("a small number") * HOUR,
                    utm: Utm {
                        source: (*status == Approved).then(|| "instagram".into()),
                        ..Utm::default()
                    },
                    ..purchase_report(&app, "T1", *status)
                })
                .collect();
            if reversed {
                reports.reverse();
            }
            for report in reports.clone() {
                save_purchases(&app, vec![report]).await;
            }
            assert_eq!(
                save_purchases(&app, reports).await,
                0,
                "the repeated reports must change nothing"
            );
            settle_figures(&app).await;
            found.push(
                app.table_texts("purchases", &["updated_at", "person"])
                    .await,
            );
        }
        assert_eq!(found[0], found[1], "{status}");
        let row = &found[0][0];
        assert!(row.contains(&format!("status={status}")), "{row}");
        assert!(row.contains(&format!("refunded_cents={refunded}")), "{row}");
    }
}

#[tokio::test]
async fn a_lead_is_read_only_with_its_own_secret_and_every_read_is_audited() {
    let app = start_service().await;
    let body = || json!({ "email": ANA });
    for client in [
        app.anonymous(),
        site_client(&app),
        app.as_member(Role::Admin).await,
        financial_client(&app).await,
        app.anonymous().with_header("x-jornada-token", TOKEN),
    ] {
        client
            .post(LEAD, body())
            .await
            .expect_refusal(401, "UNAUTHENTICATED");
    }
    let before = app
        .count_rows("audit_events WHERE action = 'get_lead_context'")
        .await;
    let known = load_lead(&app, ANA).await;
    assert_eq!(known["encontrado"], false);
    let rows = "audit_events WHERE action = 'get_lead_context' AND outcome = 'allowed'";
    assert_eq!(app.count_rows(rows).await, 1);
    assert!(before <= 1);
    assert!(!app.contains_text(ANA).await);
    let asked = crm_client(&app)
        .post(LEAD, json!({ "email": "sem arroba" }))
        .await;
    assert_eq!(asked.invalid_fields(), ["email"]);
}

#[tokio::test]
async fn requests_for_profiles_and_leads_are_rate_limited() {
    let app = start_service().await;
    let client = financial_client(&app).await;
    for _ in 0..60 {
        client
            .post(PROFILE, json!({ "email": ANA }))
            .await
            .expect(200);
    }
    let refused = client.post(PROFILE, json!({ "email": ANA })).await;
    let refused = refused.expect_refusal(429, "RATE_LIMITED");
    assert_eq!(refused.headers["retry-after"], "60");
    // The rate limit of another member is separate.
    financial_client(&app)
        .await
        .post(PROFILE, json!({ "email": ANA }))
        .await
        .expect(200);
    app.advance_clock(MINUTE);
    client
        .post(PROFILE, json!({ "email": ANA }))
        .await
        .expect(200);
    for _ in 0..600 {
        load_lead(&app, ANA).await;
    }
    let refused = crm_client(&app).post(LEAD, json!({ "email": ANA })).await;
    refused.expect_refusal(429, "RATE_LIMITED");
}

#[tokio::test]
async fn a_profile_has_the_same_polls_subscriptions_and_emails_over_both_interfaces() {
    let app = start_service().await;
    let client = financial_client(&app).await;
    let unknown = client
        .post(PROFILE, json!({ "email": ANA }))
        .await
        .expect(200)
        .body;
    assert_eq!(unknown["encontrado"], false);
    let answered = event_input(
        "respondeu_enquete",
        "s",
        "1",
        json!({
            "email": ANA, "detalhe": { "votacao": "v1", "opcao": "sim", "peso": "3" },
        }),
    );
    send_events(&site_client(&app), json!([answered])).await;
    save_purchases(
        &app,
        vec![purchase_report(&app, "T1", PurchaseStatus::Approved)],
    )
    .await;
    let known = load_profile(&app, ANA).await;
    assert_eq!(known["encontrado"], true);
    assert_eq!(known["enquetes"][0]["opcao"], "sim");
    assert_eq!(known["compras"].as_array().map(Vec::len), Some(1));
    assert_eq!(known["emails"]["enviados"], 0);
    let tool = client
        .call_tool(
            "get_personal_profile",
            json!({ "email": " ANA@exemplo.com.br " }),
        )
        .await;
    assert_eq!(tool.structured, known);
    let audited = "audit_events WHERE action = 'get_personal_profile' AND outcome = 'allowed'";
    assert_eq!(app.count_rows(audited).await, 3);
    assert!(!app.contains_text(ANA).await);
}
