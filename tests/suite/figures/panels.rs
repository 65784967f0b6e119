//! The panels of a launch that need other data besides sales.

use domain::{
    Role,
    sales::{AdSpend, CrmStage, Dispatch, Purchase, PurchaseStatus, Utm},
    time::LocalDay,
    timeline::DeliveryKind,
};
use serde_json::{Value, json};
use store::{
    sales::{save_ad_spend, save_crm_stages, save_dispatches},
    timeline::{Delivery, save_deliveries},
};

use super::{
    approved_purchase, create_launch, derive_person_id, financial_client, get, instant_millis,
    pick_fields, save_and_settle, settle_figures,
};
use crate::support::{Client, TestApp};

async fn get_panel(client: &Client, launch: &str, name: &str) -> Value {
    get(client, &format!("/api/lancamentos/{launch}/{name}")).await
}

fn sold_purchase(id: &str, cents: i64, campaign: &str, content: &str) -> Purchase {
    Purchase {
        launch: Some("L".into()),
        utm: Utm {
            medium: Some("cpc".into()),
            campaign: Some(campaign.into()),
            content: Some(content.into()),
            ..Utm::default()
        },
        ..approved_purchase(id, "2026-08-11T12:00:00Z", cents)
    }
}

#[tokio::test]
async fn the_pace_of_a_launch_is_its_revenue_by_elapsed_day() {
    let app = TestApp::new().await;
    let client = financial_client(&app).await;
    // The launch lasts 20 days. Including today, 22 August, 13 of them have passed.
    let launch = create_launch(&app, json!({ "meta_centavos": 1_000_000 })).await;
    let refunded = Purchase {
        status: PurchaseStatus::Refunded,
        ..sold_purchase("B", 100_000, "x", "y")
    };
    save_and_settle(&app, vec![sold_purchase("A", 390_000, "x", "y"), refunded]).await;
    let decision = get_panel(&client, &launch, "decisao").await;
    let fields = [
        "situacao",
        "meta_centavos",
        "realizado_centavos",
        "alcancado",
        "dias",
        "dias_decorridos",
        "dias_restantes",
        "ritmo_centavos",
        "projecao_centavos",
        "necessario_por_dia_centavos",
    ];
    assert_eq!(
        json!(pick_fields(&decision, &fields)),
        json!([
            "em_andamento",
            1_000_000,
            390_000,
            0.39,
            20,
            13,
            7,
            30_000,
            600_000,
            87_143
        ])
    );
    let alerts = decision["alertas"].as_array().expect("alerts");
    let levels: Vec<_> = alerts.iter().map(|alert| alert["nivel"].clone()).collect();
    assert_eq!(json!(levels), json!(["critico", "atencao"]));
    assert_eq!(
        alerts[1]["texto"],
        "20,4% da receita bruta foi reembolsada."
    );
}

#[tokio::test]
async fn a_launch_has_alerts_about_its_pace_only_while_it_runs() {
    let app = TestApp::new().await;
    let client = financial_client(&app).await;
    let launch = create_launch(&app, json!({ "meta_centavos": 1_000_000 })).await;
    save_and_settle(&app, vec![sold_purchase("A", 390_000, "x", "y")]).await;
    let admin = app.as_member(Role::Admin).await;
    let path = format!("/api/lancamentos/{launch}");
    let told = async |inicio: &str, fim: &str| {
        let change = json!({ "inicio": inicio, "fim": fim });
        admin.patch(&path, change).await.expect(200);
        let decision = get_panel(&client, &launch, "decisao").await;
        let fields = ["situacao", "projecao_centavos", "alertas"];
        json!(pick_fields(&decision, &fields))
    };
    let alert = |text: &str| json!([{ "nivel": "critico", "assunto": "meta", "texto": text }]);
    assert_eq!(
        told("2026-08-10", "2026-08-22").await,
        json!([
            "em_andamento",
            390_000,
            alert("No ritmo atual, o lançamento chega a 39% da meta.")
        ]),
        "the last day must count as a day of the launch"
    );
    assert_eq!(
        told("2026-08-10", "2026-08-21").await,
        json!([
            "encerrado",
            390_000,
            alert("O lançamento terminou com 39% da meta.")
        ])
    );
    assert_eq!(
        told("2026-08-23", "2026-08-29").await,
        json!(["futuro", null, []])
    );
}

#[tokio::test]
async fn paid_media_is_shown_by_campaign_and_day_with_its_sales() {
    let app = TestApp::new().await;
    let client = financial_client(&app).await;
    let launch = create_launch(&app, json!({ "campanhas": ["pao_*"] })).await;
    let spent = |campaign_id: &str, campaign: &str, day: &str, cents, currency: &str| AdSpend {
        platform: "meta".into(),
        campaign_id: campaign_id.into(),
        day: serde_json::from_value::<LocalDay>(day.into())
            .expect("a day")
            .0,
        campaign: campaign.into(),
        spend_cents: cents,
        impressions: 1_000,
        clicks: 30,
        currency: currency.into(),
    };
    let tx = app.begin().await;
    let spend = vec![
        spent("1", "pao_frio", "2026-08-10", 6_000, "BRL"),
        spent("1", "pao_frio", "2026-08-11", 4_000, "BRL"),
        spent("2", "pao_quente", "2026-08-11", 5_000, "BRL"),
        spent("3", "outra", "2026-08-11", 7_000, "BRL"),
        spent("4", "pao_usd", "2026-08-11", 8_000, "USD"),
        spent("1", "pao_frio", "2026-08-09", 9_000, "BRL"),
    ];
    save_ad_spend(&tx.conn(), spend, app.now())
        .await
        .expect("saves");
    tx.commit().await.expect("commits");
    let purchases = vec![
        sold_purchase("A", 20_000, "pao_frio", "a"),
        sold_purchase("B", 30_000, "1", "b"),
        sold_purchase("C", 99_900, "outra", "c"),
    ];
    save_and_settle(&app, purchases).await;
    let media = get_panel(&client, &launch, "midia").await;
    let fields = [
        "gasto_centavos",
        "impressoes",
        "cliques",
        "ctr",
        "cpc_centavos",
        "vendas",
        "receita_centavos",
        "cpa_centavos",
        "roas",
    ];
    assert_eq!(
        json!(pick_fields(&media["totais"], &fields)),
        json!([15_000, 3_000, 90, 0.03, 167, 2, 50_000, 7_500, 3.3333])
    );
    let campaigns = media["por_campanha"].as_array().expect("campaigns");
    let campaigns: Vec<_> = campaigns
        .iter()
        .map(|one| (&one["campanha_id"], pick_fields(one, &fields)))
        .collect();
    assert_eq!(
        json!(campaigns),
        json!([
            ["1", [10_000, 2_000, 60, 0.03, 167, 2, 50_000, 5_000, 5.0]],
            ["2", [5_000, 1_000, 30, 0.03, 167, 0, 0, null, 0.0]],
        ])
    );
    assert_eq!(
        media["por_dia"],
        json!([
            { "dia": "2026-08-10", "gasto_centavos": 6_000, "impressoes": 1_000, "cliques": 30 },
            { "dia": "2026-08-11", "gasto_centavos": 9_000, "impressoes": 2_000, "cliques": 60 },
        ])
    );
    assert_eq!(
        media["outras_moedas"],
        json!([{ "moeda": "USD", "gasto_centavos": 8_000 }])
    );
}

fn mail_delivery(mail: &str, kind: DeliveryKind, number: i64) -> Delivery {
    Delivery {
        message_id: format!("{mail} {kind} {number}"),
        position: 0,
        person: None,
        kind,
        occurred_at: instant_millis("2026-08-11T12:00:00Z") + number,
        mail_id: mail.into(),
        dispatch_id: Some("d1".into()),
        launch: Some("L".into()),
        bounce_type: None,
        link: None,
    }
}

#[tokio::test]
async fn an_email_counts_once_for_each_kind_of_delivery_event() {
    use DeliveryKind::{Bounced, Clicked, Complained, Delivered, Opened, Sent};
    let app = TestApp::new().await;
    let client = financial_client(&app).await;
    let launch = create_launch(&app, json!({})).await;
    let deliver = async |deliveries: &[Delivery]| {
        let tx = app.begin().await;
        save_deliveries(&tx.conn(), deliveries, app.now())
            .await
            .expect("saves");
        tx.commit().await.expect("commits");
        settle_figures(&app).await;
    };
    let mut first = vec![];
    for mail in ["m1", "m2", "m3"] {
        first.push(mail_delivery(mail, Sent, 0));
        first.push(mail_delivery(mail, Delivered, 1));
    }
    first.extend([
        mail_delivery("m1", Opened, 2),
        mail_delivery("m1", Opened, 3),
    ]);
    deliver(&first).await;
    // The delivery events of the dispatch arrive before the dispatch is imported.
    let named = get_panel(&client, &launch, "disparos").await;
    assert_eq!(
        json!(pick_fields(&named["disparos"][0], &["nome", "enviados"])),
        json!(["d1", 3])
    );
    let tx = app.begin().await;
    let dispatch = Dispatch {
        id: "d1".into(),
        name: "Abertura".into(),
        channel: "email".into(),
        sent_at: instant_millis("2026-08-11T11:00:00Z"),
        sent: 4,
        launch: Some("L".into()),
    };
    save_dispatches(&tx.conn(), vec![dispatch], app.now())
        .await
        .expect("saves");
    tx.commit().await.expect("commits");
    let second = [
        mail_delivery("m1", Opened, 9),
        mail_delivery("m2", Opened, 9),
        mail_delivery("m2", Clicked, 9),
        mail_delivery("m3", Complained, 9),
        mail_delivery("m4", Bounced, 9),
    ];
    deliver(&second).await;
    deliver(&second).await;
    save_and_settle(
        &app,
        vec![
            sold_purchase("A", 20_000, "x", "d1"),
            sold_purchase("B", 10_000, "x", "d2"),
        ],
    )
    .await;
    let told = get_panel(&client, &launch, "disparos").await;
    let fields = [
        "disparo_id",
        "nome",
        "enviado_em",
        "enviados",
        "entregues",
        "abertos",
        "clicados",
        "devolvidos",
        "reclamacoes",
        "vendas",
        "receita_centavos",
    ];
    assert_eq!(
        json!(pick_fields(&told["disparos"][0], &fields)),
        json!([
            "d1",
            "Abertura",
            "2026-08-11T11:00:00.000Z",
            4,
            3,
            2,
            1,
            1,
            1,
            1,
            20_000
        ])
    );
    let health = get_panel(&client, &launch, "saude").await;
    assert_eq!(
        json!(pick_fields(&health, &["taxa_devolucao", "taxa_reclamacao"])),
        json!([0.25, 0.25])
    );
}

#[tokio::test]
async fn a_person_counts_once_in_a_stage_of_the_crm() {
    let app = TestApp::new().await;
    let client = financial_client(&app).await;
    let launch = create_launch(&app, json!({})).await;
    let stage = |name: &str, stage: &str, occurred_at: &str, launch: &str| CrmStage {
        person: derive_person_id(&app, name),
        stage: stage.into(),
        occurred_at: instant_millis(occurred_at),
        launch: Some(launch.into()),
    };
    let save = async |stages| {
        let tx = app.begin().await;
        save_crm_stages(&tx.conn(), stages, app.now())
            .await
            .expect("saves");
        tx.commit().await.expect("commits");
        settle_figures(&app).await;
    };
    save(vec![
        stage("ana", "lead", "2026-08-10T12:00:00Z", "L"),
        stage("ana", "lead", "2026-08-12T12:00:00Z", "L"),
        stage("bia", "lead", "2026-08-11T12:00:00Z", "L"),
        stage("bia", "cliente", "2026-08-12T12:00:00Z", "L"),
        stage("caio", "lead", "2026-08-11T12:00:00Z", "M"),
    ])
    .await;
    let funnel = get_panel(&client, &launch, "funil").await;
    assert_eq!(
        funnel["etapas"],
        json!([
            { "etapa": "lead", "pessoas": 2, "taxa": 1.0, "taxa_anterior": null },
            { "etapa": "cliente", "pessoas": 1, "taxa": 0.5, "taxa_anterior": 0.5 },
        ])
    );
    // The same person reached the stage before the launch, so the earlier arrival replaces the
    // later one.
    save(vec![stage("bia", "lead", "2026-08-01T12:00:00Z", "L")]).await;
    let funnel = get_panel(&client, &launch, "funil").await;
    assert_eq!(funnel["etapas"][0]["pessoas"], 1);
}

#[tokio::test]
async fn products_with_few_first_buyers_are_folded_into_a_group() {
    let app = TestApp::new().await;
    let client = financial_client(&app).await;
    let launch = create_launch(&app, json!({})).await;
    let mut purchases = vec![];
    for (product, people) in [("curso", 6), ("livro", 2), ("aula", 4)] {
        for number in 0..people {
            for month in ["2026-08-11", "2026-08-12"] {
                purchases.push(Purchase {
                    product_id: product.into(),
                    product: product.to_uppercase(),
                    person: Some(derive_person_id(&app, &format!("{product}{number}"))),
                    launch: Some("L".into()),
                    ..approved_purchase(
                        &format!("{product} {number} {month}"),
                        &format!("{month}T12:00:00Z"),
                        1_000,
                    )
                });
            }
        }
    }
    save_and_settle(&app, purchases).await;
    let profiles = get_panel(&client, &launch, "perfis").await;
    assert_eq!(
        profiles["produtos"],
        json!([
            { "produto_id": "curso", "produto": "CURSO", "pessoas": 6 },
            { "produto_id": null, "produto": "outros", "pessoas": 6 },
        ])
    );
    let later = format!("/api/lancamentos/{launch}/perfis?inicio=2026-08-12&fim=2026-08-12");
    assert_eq!(
        get(&client, &later).await["produtos"],
        json!([]),
        "a second purchase must not count as a first one"
    );
    let summary = get_panel(&client, &launch, "resumo").await;
    assert_eq!(summary["totais"]["vendas"], 24);
}

#[tokio::test]
async fn an_earlier_purchase_that_arrives_late_counts_as_the_first() {
    let app = TestApp::new().await;
    let client = financial_client(&app).await;
    let launch = create_launch(&app, json!({})).await;
    let on = |day: &str| -> Vec<Purchase> {
        let of = |number: u8| Purchase {
            person: Some(derive_person_id(&app, &number.to_string())),
            launch: Some("L".into()),
            ..approved_purchase(
                &format!("{number} {day}"),
                &format!("{day}T12:00:00Z"),
                1_000,
            )
        };
        (0..6).map(of).collect()
    };
    let products = async |day: &str| {
        let path = format!("/api/lancamentos/{launch}/perfis?inicio={day}&fim={day}");
        get(&client, &path).await["produtos"].clone()
    };
    let six = json!([{ "produto_id": "p1", "produto": "Curso", "pessoas": 6 }]);
    save_and_settle(&app, on("2026-08-12")).await;
    assert_eq!(products("2026-08-12").await, six);
    save_and_settle(&app, on("2026-08-11")).await;
    assert_eq!(products("2026-08-11").await, six);
    assert_eq!(products("2026-08-12").await, json!([]));
}
