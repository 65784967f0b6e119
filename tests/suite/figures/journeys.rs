//! The steps of the timeline, counted in sessions and people.

use domain::timeline::TimelineEventKind::{AnsweredPoll, CheckoutStep, OpenedCheckout};
use serde_json::{Value, json};
use store::timeline::NewEvent;

use super::{
    create_launch, derive_person_id, financial_client, get, identification_event, launch_event,
    pick_fields, record_and_settle, visit_event,
};
use crate::support::{Client, TestApp};

async fn get_steps(client: &Client, launch: &str, period: &str) -> Value {
    let path = format!("/api/lancamentos/{launch}/jornada{period}");
    let answer = get(client, &path).await;
    let steps = answer["etapas"].as_array().expect("steps");
    steps
        .iter()
        .map(|step| json!(pick_fields(step, &["etapa", "sessoes", "pessoas"])))
        .collect()
}

#[tokio::test]
async fn sessions_and_people_count_once_on_the_day_of_their_first_event() {
    let app = TestApp::new().await;
    let client = financial_client(&app).await;
    let launch = create_launch(&app, json!({})).await;
    record_and_settle(
        &app,
        &[
            visit_event("S1", "2026-08-10T12:00:00Z", json!({})),
            visit_event("S1", "2026-08-11T12:00:00Z", json!({})),
            visit_event("S2", "2026-08-11T12:00:00Z", json!({})),
            launch_event("S1", OpenedCheckout, "2026-08-11T12:02:00Z", json!({})),
            launch_event("S1", CheckoutStep, "2026-08-11T12:03:00Z", json!({})),
        ],
    )
    .await;
    let nobody = json!([
        ["visitou_pagina", 2, 0],
        ["identificou", 0, 0],
        ["abriu_checkout", 1, 0],
        ["etapa_checkout", 1, 0],
        ["compra", null, 0],
    ]);
    assert_eq!(get_steps(&client, &launch, "").await, nobody);
    let of_11 = "?inicio=2026-08-11&fim=2026-08-11";
    assert_eq!(
        get_steps(&client, &launch, of_11).await[0],
        json!(["visitou_pagina", 1, 0])
    );
    // An identification applies to the whole session, also before it.
    let ana = derive_person_id(&app, "ana");
    record_and_settle(
        &app,
        &[identification_event(
            "S1",
            "2026-08-11T12:01:00Z",
            ana.clone(),
        )],
    )
    .await;
    let known = json!([
        ["visitou_pagina", 2, 1],
        ["identificou", 1, 1],
        ["abriu_checkout", 1, 1],
        ["etapa_checkout", 1, 1],
        ["compra", null, 0],
    ]);
    assert_eq!(get_steps(&client, &launch, "").await, known);
    // A late event of another session of Ana is dated before the launch. It moves her first visit
    // to that day.
    record_and_settle(
        &app,
        &[
            visit_event("S3", "2026-08-09T12:00:00Z", json!({})),
            identification_event("S3", "2026-08-12T12:00:00Z", ana),
        ],
    )
    .await;
    let moved = get_steps(&client, &launch, "").await;
    assert_eq!(moved[0], json!(["visitou_pagina", 2, 0]));
    assert_eq!(moved[1], json!(["identificou", 2, 1]));
    let before = get_steps(&client, &launch, "?inicio=2026-08-01&fim=2026-08-29").await;
    assert_eq!(before[0], json!(["visitou_pagina", 3, 1]));
}

#[tokio::test]
async fn a_session_later_identified_as_another_person_moves_to_that_person() {
    let app = TestApp::new().await;
    let client = financial_client(&app).await;
    let launch = create_launch(&app, json!({})).await;
    let (ana, bia) = (derive_person_id(&app, "ana"), derive_person_id(&app, "bia"));
    record_and_settle(
        &app,
        &[
            visit_event("S1", "2026-08-10T12:00:00Z", json!({})),
            identification_event("S1", "2026-08-10T12:01:00Z", ana.clone()),
            identification_event("S2", "2026-08-10T12:01:00Z", bia.clone()),
        ],
    )
    .await;
    let both = get_steps(&client, &launch, "").await;
    assert_eq!(both[1], json!(["identificou", 2, 2]));
    // The session belongs to the corrected address, because the first one was mistyped.
    record_and_settle(
        &app,
        &[identification_event("S1", "2026-08-10T12:05:00Z", bia)],
    )
    .await;
    let one = get_steps(&client, &launch, "").await;
    assert_eq!(one[0], json!(["visitou_pagina", 1, 1]));
    assert_eq!(one[1], json!(["identificou", 2, 1]));
    let kept = format!("figure_people WHERE person = '{}'", ana.as_str());
    assert_eq!(app.count_rows(&kept).await, 0);
    let erased =
        tools::timeline::privacy::erase_person(&app.app.gateway, "bia@exemplo.com.br").await;
    erased.expect("the person is erased");
    assert_eq!(app.count_rows("figure_people").await, 0);
    let nobody = get_steps(&client, &launch, "").await;
    assert_eq!(nobody[0], json!(["visitou_pagina", 1, 0]));
}

#[tokio::test]
async fn visits_belong_to_a_launch_by_code_product_or_campaign() {
    let app = TestApp::new().await;
    let client = financial_client(&app).await;
    let input = json!({ "produtos": ["p1"], "campanhas": ["pao_*", "exato"] });
    let launch = create_launch(&app, input).await;
    let place = |session, launch: Option<&'static str>, product: Option<&'static str>, campaign| {
        let detail = json!({ "utm_campaign": campaign });
        NewEvent {
            launch: launch.map(Into::into),
            product: product.map(Into::into),
            ..visit_event(session, "2026-08-10T12:00:00Z", detail)
        }
    };
    record_and_settle(
        &app,
        &[
            place("in 1", Some("L"), None, "x"),
            place("in 2", Some("L"), Some("p9"), "x"),
            place("in 3", None, Some("p1"), "x"),
            place("in 4", None, None, "pao_frio"),
            place("in 5", None, None, "exato"),
            place("out 1", Some("M"), Some("p1"), "pao_frio"),
            place("out 2", None, Some("p2"), "pao_frio"),
            place("out 3", None, None, "outra"),
            place("out 4", None, None, "exato_nao"),
        ],
    )
    .await;
    assert_eq!(
        get_steps(&client, &launch, "").await[0],
        json!(["visitou_pagina", 5, 0])
    );
}

#[tokio::test]
async fn answers_to_polls_are_shown_in_groups_of_five_people_or_more() {
    let app = TestApp::new().await;
    let client = financial_client(&app).await;
    let launch = create_launch(&app, json!({})).await;
    let mut events = vec![];
    for (choice, people) in [("massa", 7), ("casca", 5), ("tempo", 3), ("forno", 1)] {
        for number in 0..people {
            let name = format!("{choice}{number}");
            let detail = json!({ "votacao": "dificuldade", "opcao": choice });
            for twice in ["2026-08-10T12:00:00Z", "2026-08-12T12:00:00Z"] {
                events.push(NewEvent {
                    person: Some(derive_person_id(&app, &name)),
                    ..launch_event(&name, AnsweredPoll, twice, detail.clone())
                });
            }
        }
    }
    record_and_settle(&app, &events).await;
    let profiles = get(&client, &format!("/api/lancamentos/{launch}/perfis")).await;
    assert_eq!(
        profiles["enquetes"],
        json!([{
            "votacao": "dificuldade",
            "respondentes": 16,
            "respostas": [
                { "opcao": "massa", "pessoas": 7 },
                { "opcao": "outros", "pessoas": 9 },
            ],
        }])
    );
}
