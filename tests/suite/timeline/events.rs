//! Which timeline events are accepted and recorded.

use axum::http::Method;
use domain::{
    Role,
    time::{DAY, SECOND},
};
use futures::future::join_all;
use serde_json::{Value, json};

use super::{
    EVENTS, LEAD_TOKEN, TOKEN, event_input, instant_text, load_lead, send_events, site_client,
    start_service, visit_input,
};
use crate::support::TestApp;

/// Returns the numbers of received, recorded and refused events in a response.
fn read_ingestion_counts(answer: &Value) -> (i64, i64, i64) {
    let count = |name: &str| answer[name].as_i64().expect("a number");
    assert_eq!(answer["ok"], true);
    assert_eq!(
        answer["motivos"].as_array().map(Vec::len),
        usize::try_from(count("recusados")).ok()
    );
    (count("recebidos"), count("gravados"), count("recusados"))
}

#[tokio::test]
async fn only_the_secret_or_a_member_with_config_may_send_events() {
    let app = start_service().await;
    let body = || json!({ "eventos": [visit_input("s", "1", json!({}))] });
    let anonymous = app.anonymous();
    for secret in [
        "",
        "segredo-de-quem-envi",
        "segredo-de-quem-enviar",
        LEAD_TOKEN,
    ] {
        let client = anonymous.with_header("x-jornada-token", secret);
        client
            .post(EVENTS, body())
            .await
            .expect_refusal(401, "UNAUTHENTICATED");
    }
    let twice = site_client(&app).with_header("x-jornada-token", TOKEN);
    twice
        .post(EVENTS, body())
        .await
        .expect_refusal(401, "UNAUTHENTICATED");
    anonymous
        .post(EVENTS, body())
        .await
        .expect_refusal(401, "UNAUTHENTICATED");
    let bearer = app.bearer(TOKEN);
    bearer
        .post(EVENTS, body())
        .await
        .expect_refusal(401, "UNAUTHENTICATED");
    let lead = app.as_member(Role::Lider).await;
    // A member without the capability gets the same refusal as a caller without the secret.
    lead.post(EVENTS, body())
        .await
        .expect_refusal(401, "UNAUTHENTICATED");
    assert_eq!(app.count_rows("timeline_events").await, 0);

    let admin = app.as_member(Role::Admin).await;
    assert_eq!(
        read_ingestion_counts(&send_events(&admin, body()["eventos"].clone()).await),
        (1, 1, 0)
    );
    // The secret suffices, even if the member of the session lacks the permission.
    let both = lead.with_header("x-jornada-token", TOKEN);
    assert_eq!(
        read_ingestion_counts(&send_events(&both, body()["eventos"].clone()).await),
        (1, 0, 0)
    );
}

#[tokio::test]
async fn a_secret_that_is_not_set_or_empty_matches_nothing() {
    for settings in [vec![], vec![("PAUTA_JORNADA_TOKEN", String::new())]] {
        let app = TestApp::with_settings(settings).await;
        let body = json!({ "eventos": [visit_input("s", "1", json!({}))] });
        for secret in ["", "PAUTA_JORNADA_TOKEN", TOKEN] {
            let client = app.anonymous().with_header("x-jornada-token", secret);
            let answer = client.post(EVENTS, body.clone()).await;
            answer.expect_refusal(401, "UNAUTHENTICATED");
        }
    }
}

#[tokio::test]
async fn a_body_without_one_to_fifty_items_is_refused_as_a_whole() {
    let app = start_service().await;
    let many = |count: usize| -> Value {
        let events = (0..count).map(|n| visit_input("s", &n.to_string(), json!({})));
        events.collect()
    };
    for body in [
        json!({}),
        json!({ "eventos": [] }),
        json!({ "eventos": many(51) }),
        json!({ "eventos": "nada" }),
        json!({ "eventos": {} }),
        json!({ "eventos": many(1), "outro": 1 }),
    ] {
        site_client(&app)
            .post(EVENTS, body)
            .await
            .expect_refusal(400, "INVALID_INPUT");
    }
    assert_eq!(app.count_rows("timeline_events").await, 0);
    assert_eq!(
        read_ingestion_counts(&send_events(&site_client(&app), many(50)).await),
        (50, 50, 0)
    );
}

#[tokio::test]
async fn each_item_is_validated_separately_and_no_error_repeats_its_value() {
    let app = start_service().await;
    let email = "ana@exemplo.com.br";
    let long = "x".repeat(129);
    let bad = [
        (json!("texto"), "não é um objeto"),
        (json!(null), "não é um objeto"),
        (event_input("comprou", "s", "a", json!({})), "evento"),
        (json!({ "sessao": "s", "id": "a" }), "evento"),
        (json!({ "evento": 7, "sessao": "s", "id": "a" }), "evento"),
        (json!({ "evento": "visitou_pagina", "id": "a" }), "sessao"),
        (json!({ "evento": "visitou_pagina", "sessao": "s" }), "id"),
        (visit_input("", "a", json!({})), "sessao"),
        (visit_input("s", &long, json!({})), "id"),
        (visit_input("s\u{0}", "a", json!({})), "sessao"),
        (visit_input(email, "a", json!({})), "sessao"),
        (visit_input("s", &format!("{email}-1"), json!({})), "id"),
        (visit_input("s", "a", json!({ "outro": 1 })), "outro"),
        (
            visit_input("s", "a", json!({ "email": "sem arroba" })),
            "email",
        ),
        (event_input("identificou", "s", "a", json!({})), "email"),
        (
            event_input("identificou", "s", "a", json!({ "email": null })),
            "email",
        ),
        (
            event_input("respondeu_enquete", "s", "a", json!({})),
            "email",
        ),
        (
            visit_input("s", "a", json!({ "ocorreu_em": "ontem" })),
            "ocorreu_em",
        ),
        (
            visit_input("s", "a", json!({ "ocorreu_em": "2026-08-22" })),
            "ocorreu_em",
        ),
        (
            visit_input("s", "a", json!({ "detalhe": "texto" })),
            "detalhe",
        ),
        (
            visit_input("s", "a", json!({ "detalhe": { "cpf": "1" } })),
            "detalhe.cpf",
        ),
        (
            visit_input("s", "a", json!({ "detalhe": { "utm_": "1" } })),
            "detalhe.utm_",
        ),
        (
            visit_input("s", "a", json!({ "detalhe": { "etapa": 1 } })),
            "detalhe.etapa",
        ),
    ];
    let good = visit_input(
        "s",
        "boa",
        json!({ "produto": "curso", "lancamento": "vera" }),
    );
    let mut events = vec![good];
    events.extend(bad.iter().map(|(event, _)| event.clone()));
    let answer = send_events(&site_client(&app), events.into()).await;
    let refused = i64::try_from(bad.len()).expect("a small number");
    assert_eq!(read_ingestion_counts(&answer), (refused + 1, 1, refused));
    for (place, (_, told)) in bad.iter().enumerate() {
        let reason = &answer["motivos"][place];
        assert_eq!(reason["indice"], place + 1);
        let text = reason["motivo"].as_str().expect("text");
        assert!(text.contains(told), "{text} for {told}");
        assert!(!text.contains(email), "{text}");
    }
    assert_eq!(app.count_rows("timeline_events").await, 1);
}

#[tokio::test]
async fn a_batch_that_is_not_strict_json_is_refused_as_a_whole() {
    let app = start_service().await;
    let send = async |items: &str| {
        let body = format!(r#"{{"eventos": [{items}]}}"#);
        let client = site_client(&app);
        client.send(Method::POST, EVENTS, Some(body.into())).await
    };
    let event = |id: &str, detail: &str| {
        format!(
            r#"{{"evento": "visitou_pagina", "sessao": "s", "id": "{id}", "detalhe": {detail}}}"#
        )
    };
    let good = event(
        "1",
        r#"{"pagina": "\/p\u00e3o", "titulo": "P\"ão\" \ud83c\udf5e"}"#,
    );
    for (detail, field) in [
        (
            r#"{"pagina": "/", "pagina": "/"}"#,
            "eventos.1.detalhe.pagina",
        ),
        (
            r#"{"pagina": 18446744073709551616}"#,
            "eventos.1.detalhe.pagina",
        ),
        (r#"{"pagina": "\ud83c"}"#, "corpo"),
        (r#"{"pagina": }"#, "corpo"),
    ] {
        let answer = send(&format!("{good}, {}", event("2", detail))).await;
        assert_eq!(answer.invalid_fields(), [field]);
    }
    assert_eq!(app.count_rows("timeline_events").await, 0);
    assert_eq!(
        read_ingestion_counts(&send(&good).await.expect(200).body),
        (1, 1, 0)
    );
    let rows = app.table_texts("timeline_events", &[]).await;
    let kept = r#"detail={"pagina":"/pão","titulo":"P\"ão\" 🍞"}"#;
    assert!(rows[0].contains(kept), "{rows:?}");
}

#[tokio::test]
async fn every_allowed_key_of_a_detail_is_kept() {
    let app = start_service().await;
    let detail = json!({
        "etapa": "1", "pagina": "/p", "origem": "o", "lote": "l", "votacao": "v", "opcao": "o",
        "peso": "2", "titulo": "t", "site": "s", "referencia": "r", "gclid": "g", "fbclid": "f",
        "utm_source": "a", "utm_medium": "b", "utm_campaign": "c", "utm_content": "d",
        "utm_term": "e", "utm_id": "f",
    });
    let sent = visit_input("s", "1", json!({ "detalhe": detail }));
    assert_eq!(
        read_ingestion_counts(&send_events(&site_client(&app), json!([sent])).await),
        (1, 1, 0)
    );
    let rows = app
        .query_rows("SELECT detail FROM timeline_events".into())
        .await;
    let kept: String = rows[0].try_get("", "detail").expect("text");
    assert_eq!(serde_json::from_str::<Value>(&kept).expect("JSON"), detail);
}

#[tokio::test]
async fn an_event_may_be_dated_at_most_one_day_ahead_to_the_second() {
    let app = start_service().await;
    for (from_now, is_taken) in [
        (DAY, true),
        (-DAY, true),
        (DAY + SECOND, false),
        (-DAY - SECOND, false),
        (DAY - SECOND, true),
        (-DAY + SECOND, true),
    ] {
        let sent = visit_input(
            "s",
            &from_now.to_string(),
            json!({ "ocorreu_em": instant_text(&app, from_now) }),
        );
        let taken = i64::from(is_taken);
        let answer = send_events(&site_client(&app), json!([sent])).await;
        assert_eq!(
            read_ingestion_counts(&answer),
            (1, taken, 1 - taken),
            "{from_now}"
        );
    }
}

#[tokio::test]
async fn a_repeated_event_counts_once_within_a_batch_and_across_batches() {
    let app = start_service().await;
    let client = site_client(&app);
    let first = json!([
        visit_input("a", "1", json!({ "detalhe": { "pagina": "/primeira" } })),
        visit_input("a", "1", json!({ "detalhe": { "pagina": "/segunda" } })),
        visit_input("b", "1", json!({})),
        visit_input("a", "2", json!({})),
    ]);
    assert_eq!(
        read_ingestion_counts(&send_events(&client, first.clone()).await),
        (4, 3, 0)
    );
    assert_eq!(
        read_ingestion_counts(&send_events(&client, first).await),
        (4, 0, 0)
    );
    // A repeated event id is not recorded again, even with another instant, month or person.
    app.advance_clock(DAY / 2);
    let changed = json!([
        visit_input("a", "1", json!({ "ocorreu_em": instant_text(&app, DAY) })),
        event_input(
            "identificou",
            "a",
            "2",
            json!({ "email": "ana@exemplo.com.br" })
        ),
        visit_input("a", "3", json!({})),
    ]);
    assert_eq!(
        read_ingestion_counts(&send_events(&client, changed).await),
        (3, 1, 0)
    );
    assert_eq!(app.count_rows("timeline_events").await, 4);
    assert_eq!(app.count_rows("timeline_sessions").await, 2);
    assert_eq!(
        load_lead(&app, "ana@exemplo.com.br").await["encontrado"],
        false
    );
    app.advance_clock(40 * DAY);
    let later = json!([
        visit_input("a", "1", json!({})),
        visit_input("a", "9", json!({}))
    ]);
    assert_eq!(
        read_ingestion_counts(&send_events(&client, later).await),
        (2, 1, 0)
    );
}

#[tokio::test]
async fn a_batch_may_mix_known_and_new_sessions_and_events() {
    let app = start_service().await;
    let client = site_client(&app);
    let batch = |sessions: std::ops::Range<i64>, count: i64| -> Value {
        let width = sessions.end - sessions.start;
        let events = (0..count).map(|n| {
            let session = sessions.start + n % width;
            visit_input(&format!("s{session}"), &(n / width).to_string(), json!({}))
        });
        events.collect()
    };
    // Three events in each of 13 sessions, then five in each of the last ten sessions, then five in
    // each of several sessions, of which half are new.
    assert_eq!(
        read_ingestion_counts(&send_events(&client, batch(0..13, 39)).await),
        (39, 39, 0)
    );
    app.advance_clock(SECOND);
    assert_eq!(
        read_ingestion_counts(&send_events(&client, batch(3..13, 50)).await),
        (50, 20, 0)
    );
    assert_eq!(
        read_ingestion_counts(&send_events(&client, batch(8..18, 50)).await),
        (50, 25, 0)
    );
    assert_eq!(
        read_ingestion_counts(&send_events(&client, batch(0..18, 36)).await),
        (36, 0, 0)
    );
    assert_eq!(app.count_rows("timeline_sessions").await, 18);
    let whole = "timeline_sessions s WHERE s.first_at < s.last_at AND 5 =
        (SELECT count(*) FROM timeline_events e WHERE e.session_id = s.id)";
    assert_eq!(app.count_rows(whole).await, 10);
}

#[tokio::test]
async fn simultaneous_callers_record_each_event_once() {
    let app = start_service().await;
    let second = app.second_instance().await;
    let events = |offset: i64| -> Value {
        let events = (0..40).map(|n| {
            let more = json!({ "ocorreu_em": instant_text(&app, offset) });
            visit_input(&format!("s{}", n % 7), &n.to_string(), more)
        });
        events.collect()
    };
    let clients = [
        site_client(&app),
        site_client(&second),
        site_client(&app),
        site_client(&second),
    ];
    let sends = clients.iter().zip([0, DAY, -DAY, SECOND]);
    let answers = join_all(sends.map(|(client, offset)| send_events(client, events(offset)))).await;
    let recorded: i64 = answers
        .iter()
        .map(|answer| read_ingestion_counts(answer).1)
        .sum();
    assert_eq!(recorded, 40);
    assert_eq!(app.count_rows("timeline_events").await, 40);
    assert_eq!(app.count_rows("timeline_sessions").await, 7);
}

#[tokio::test]
async fn no_email_address_is_stored_in_plain_text_wherever_it_was_sent() {
    let app = start_service().await;
    let email = "Ana.Lima@Exemplo.com.br";
    let sent = json!([
        event_input(
            "identificou",
            "s",
            "1",
            json!({ "email": format!("  {email} ") })
        ),
        visit_input(
            "s",
            "2",
            json!({
                "produto": email, "lancamento": email,
                "detalhe": {
                    "pagina": "/obrigado?email=Ana.Lima%40Exemplo.com.br&x=1",
                    "referencia": format!("https://mail.test/?to={email}"),
                    "utm_content": email, "titulo": format!("Para {email}!"),
                },
            })
        ),
    ]);
    assert_eq!(
        read_ingestion_counts(&send_events(&site_client(&app), sent).await),
        (2, 2, 0)
    );
    let known = load_lead(&app, " ana.lima@EXEMPLO.com.br").await;
    assert_eq!(known["encontrado"], true);
    assert_eq!(
        known["ultimas_paginas"][0]["pagina"],
        "/obrigado?email=***&x=1"
    );
    app.as_member(Role::Admin).await;
    for text in ["Ana.Lima", "ana.lima", "Exemplo.com.br", "exemplo.com.br"] {
        assert!(!app.contains_text(text).await, "{text}");
    }
}
