//! Subscriptions and cancellations.

use domain::sales::{Subscription, SubscriptionStatus};
use serde_json::json;

use super::{financial_client, get, instant_millis, pick_fields, settle_figures};
use crate::support::TestApp;

fn active_subscription(id: &str, started: &str) -> Subscription {
    Subscription {
        store: "hotmart".into(),
        subscription_id: id.into(),
        plan: "Mensal".into(),
        status: SubscriptionStatus::Active,
        started_at: instant_millis(started),
        ended_at: None,
        amount_cents: 3_990,
        currency: "BRL".into(),
        person: None,
        severed: false,
    }
}

fn canceled_subscription(of: Subscription, at_instant: &str) -> Subscription {
    Subscription {
        status: SubscriptionStatus::Canceled,
        ended_at: Some(instant_millis(at_instant)),
        ..of
    }
}

async fn save_subscriptions(app: &TestApp, subscriptions: Vec<Subscription>) {
    let tx = app.begin().await;
    let saved = store::sales::save_subscriptions(&tx.conn(), subscriptions, app.now()).await;
    saved.expect("saves");
    tx.commit().await.expect("commits");
    settle_figures(app).await;
}

/// Saves five subscriptions: three active ones, of which one is new and one overdue; one cancelled
/// in the period; and one cancelled before it.
async fn save_base_subscriptions(app: &TestApp) {
    let overdue = Subscription {
        status: SubscriptionStatus::Overdue,
        ..active_subscription("s4", "2026-06-01T12:00:00Z")
    };
    let yearly = Subscription {
        plan: "Anual".into(),
        amount_cents: 3_000,
        ..active_subscription("s2", "2026-08-05T12:00:00Z")
    };
    let dollars = Subscription {
        currency: "USD".into(),
        ..active_subscription("s6", "2026-08-05T12:00:00Z")
    };
    let subscriptions = vec![
        active_subscription("s1", "2026-07-01T12:00:00Z"),
        yearly,
        canceled_subscription(
            active_subscription("s3", "2026-06-01T12:00:00Z"),
            "2026-08-10T12:00:00Z",
        ),
        overdue,
        canceled_subscription(
            active_subscription("s5", "2026-06-01T12:00:00Z"),
            "2026-07-15T12:00:00Z",
        ),
        dollars,
    ];
    save_subscriptions(app, subscriptions).await;
}

#[tokio::test]
async fn active_new_and_lost_subscriptions_are_as_computed_by_hand() {
    let app = TestApp::new().await;
    let client = financial_client(&app).await;
    save_base_subscriptions(&app).await;
    let summary = get(&client, "/api/subs/resumo?inicio=2026-08-01&fim=2026-08-22").await;
    let fields = [
        "ativos",
        "novos",
        "cancelados",
        "churn",
        "mrr_centavos",
        "em_atraso",
    ];
    let all = json!([3, 1, 1, 0.3333, 10_980, 1]);
    assert_eq!(json!(pick_fields(&summary, &fields)), all);
    let plans = summary["por_plano"].as_array().expect("plans");
    let plans: Vec<_> = plans
        .iter()
        .map(|plan| (&plan["plano"], pick_fields(plan, &fields)))
        .collect();
    assert_eq!(
        json!(plans),
        json!([
            ["Mensal", [2, 0, 1, 0.3333, 7_980, 1]],
            ["Anual", [1, 1, 0, null, 3_000, 0]],
        ])
    );
    let path = "/api/subs/resumo?inicio=2026-08-01&fim=2026-08-22&plano=Anual";
    let yearly = get(&client, path).await;
    assert_eq!(
        json!(pick_fields(&yearly, &fields)),
        json!([1, 1, 0, null, 3_000, 0])
    );
    assert_eq!(yearly["por_plano"].as_array().map(Vec::len), Some(1));
    let apart = &summary["outras_moedas"][0];
    assert_eq!(
        json!(pick_fields(apart, &["moeda", "ativos", "mrr_centavos"])),
        json!(["USD", 1, 3_990])
    );
    // A subscriber who returns is active again, and the cancellation no longer counts.
    save_subscriptions(
        &app,
        vec![active_subscription("s3", "2026-08-20T12:00:00Z")],
    )
    .await;
    let summary = get(&client, "/api/subs/resumo?inicio=2026-08-01&fim=2026-08-22").await;
    assert_eq!(
        json!(pick_fields(&summary, &fields)),
        json!([4, 2, 0, 0.0, 14_970, 1])
    );
}

#[tokio::test]
async fn cancellations_are_listed_with_the_last_recorded_reason() {
    let app = TestApp::new().await;
    let client = financial_client(&app).await;
    save_base_subscriptions(&app).await;
    let path = "/api/subs/saidas?inicio=2026-07-01&fim=2026-08-22";
    let first = get(&client, &format!("{path}&limit=1")).await;
    let line = &first["saidas"][0];
    let fields = [
        "assinatura_id",
        "plano",
        "inicio",
        "saida",
        "motivo",
        "valor_centavos",
    ];
    let wanted = json!([
        "s3",
        "Mensal",
        "2026-06-01T12:00:00.000Z",
        "2026-08-10T12:00:00.000Z",
        null,
        3_990
    ]);
    assert_eq!(json!(pick_fields(line, &fields)), wanted);
    let cursor = first["next_cursor"].as_str().expect("a cursor");
    let second = get(&client, &format!("{path}&limit=1&cursor={cursor}")).await;
    assert_eq!(second["saidas"][0]["assinatura_id"], "s5");
    assert_eq!(second["next_cursor"], json!(null));
    for reason in ["conteudo", "preco"] {
        app.advance_clock(1_000);
        let note = "Ficou caro. Fale com (11) 98888-7777 ou ana@exemplo.com.br hoje.";
        let input = json!({ "assinatura_id": "s3", "motivo": reason, "texto": note });
        let recorded = client
            .post("/api/subs/cancelamentos", input)
            .await
            .expect(200);
        assert_eq!(recorded.body["ok"], true);
    }
    assert_eq!(get(&client, path).await["saidas"][0]["motivo"], "preco");
    // Filters by plan, by the last recorded reason, and by both; other values are refused.
    let ids = async |filter: &str| -> Vec<String> {
        let found = get(&client, &format!("{path}{filter}")).await;
        let exits = found["saidas"].as_array().expect("exits").clone();
        let id = |exit: &serde_json::Value| exit["assinatura_id"].as_str().map(str::to_owned);
        exits.iter().filter_map(id).collect()
    };
    for (filter, wanted) in [
        ("", &["s3", "s5"][..]),
        ("&plano=Mensal", &["s3", "s5"]),
        ("&sem_motivo=true", &["s5"]),
        ("&plano=Anual", &[]),
        ("&motivo=preco", &["s3"]),
        ("&motivo=conteudo", &[]),
        ("&plano=Mensal&motivo=preco", &["s3"]),
        ("&plano=Anual&motivo=preco", &[]),
        ("&valor_minimo_centavos=3990", &["s3", "s5"]),
        ("&valor_minimo_centavos=3991", &[]),
        ("&valor_maximo_centavos=3990", &["s3", "s5"]),
        ("&valor_maximo_centavos=3989", &[]),
        (
            "&valor_minimo_centavos=3990&valor_maximo_centavos=3990&motivo=preco",
            &["s3"],
        ),
    ] {
        assert_eq!(ids(filter).await, wanted, "{filter}");
    }
    let refused = client.get(&format!("{path}&motivo=caro")).await;
    assert_eq!(refused.invalid_fields(), ["motivo"]);
    for (filter, field) in [
        ("&valor_minimo_centavos=-1", "valor_minimo_centavos"),
        ("&valor_minimo_centavos=dez", "valor_minimo_centavos"),
        (
            "&valor_maximo_centavos=9007199254740992",
            "valor_maximo_centavos",
        ),
        (
            "&valor_minimo_centavos=2&valor_maximo_centavos=1",
            "valor_maximo_centavos",
        ),
    ] {
        let refused = client.get(&format!("{path}{filter}")).await;
        assert_eq!(refused.invalid_fields(), [field], "{filter}");
    }
    // The cursor continues within the filter.
    let narrow = format!("{path}&limit=1&plano=Mensal&valor_minimo_centavos=3990");
    let page = get(&client, &narrow).await;
    let cursor = page["next_cursor"].as_str().expect("a cursor");
    let rest = get(&client, &format!("{narrow}&cursor={cursor}")).await;
    assert_eq!(rest["saidas"][0]["assinatura_id"], "s5");
    assert_eq!(rest["next_cursor"], json!(null));
    assert!(
        app.contains_text("Ficou caro. Fale com *** ou *** hoje.")
            .await
    );
    assert!(!app.contains_text("98888").await && !app.contains_text("ana@exemplo").await);
    let unknown = json!({ "assinatura_id": "s9", "motivo": "preco" });
    let unknown = client.post("/api/subs/cancelamentos", unknown).await;
    unknown.expect_refusal(404, "NOT_FOUND");
}
