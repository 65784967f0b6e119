//! Idempotency keys: their format, owner and lifetime.

use std::collections::BTreeSet;

use domain::{Role, time::DAY};
use serde_json::json;

use super::{CREATE, DRAFT, Interface, call_operation};
use crate::support::TestApp;

#[tokio::test]
async fn a_key_with_another_payload_is_refused_through_rest_and_mcp() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let key = || Some("chave-0001".to_owned());
    let first = call_operation(
        lead.clone(),
        Interface::Rest,
        CREATE,
        json!({ "title": "A" }),
        key(),
    )
    .await;
    assert!(first.is_ok());
    for interface in [Interface::Rest, Interface::Mcp] {
        for other in [
            json!({ "title": "B" }),
            json!({ "title": "A", "channel": "blog" }),
        ] {
            let refused = call_operation(lead.clone(), interface, CREATE, other, key()).await;
            assert_eq!(refused.code.as_deref(), Some("IDEMPOTENCY_KEY_REUSED"));
        }
    }
    let answer = lead
        .with_idempotency_key("chave-0001")
        .post("/api/demanda", json!({ "title": "B" }))
        .await;
    answer.expect_refusal(409, "IDEMPOTENCY_KEY_REUSED");
    assert_eq!(app.count_rows("events").await, 1);
}

#[tokio::test]
async fn field_order_and_spaces_do_not_change_the_payload() {
    let app = TestApp::new().await;
    let lead = app
        .as_member(Role::Lider)
        .await
        .with_idempotency_key("chave-0001");
    let post = async |text: &'static str| {
        lead.send(axum::http::Method::POST, "/api/demanda", Some(text.into()))
            .await
            .expect(200)
    };
    let first = post(r#"{"title":"A","day":1,"month":9}"#).await;
    let again = post(r#" { "month": 9.0, "day": 1e0, "title": "\u0041" } "#).await;
    assert_eq!(again.headers["idempotency-replayed"], "true");
    assert_eq!(first.text, again.text);
    assert_eq!(first.headers.get("idempotency-replayed"), None);
}

#[tokio::test]
async fn a_key_belongs_to_one_member_and_one_operation() {
    let app = TestApp::new().await;
    let (ana, bia) = (
        app.as_member(Role::Lider).await,
        app.as_member(Role::Lider).await,
    );
    let key = || Some("chave-0001".to_owned());
    let input = json!({ "title": "A" });
    let of_ana = call_operation(ana.clone(), Interface::Rest, CREATE, input.clone(), key()).await;
    let of_bia = call_operation(bia, Interface::Mcp, CREATE, input, key()).await;
    let (one, other) = (
        of_ana.parse_body()["event_id"].clone(),
        of_bia.parse_body()["event_id"].clone(),
    );
    assert_ne!(one, other);
    assert_eq!(app.count_rows("events").await, 2);

    let draft = json!({ "event_id": one, "expected_revision": 1, "caption": "x" });
    let drafted = call_operation(ana.clone(), Interface::Rest, DRAFT, draft, key()).await;
    assert!(drafted.is_ok() && !drafted.replayed, "{}", drafted.text);
    assert_eq!(
        ana.load_event(one.as_str().expect("an id")).await["api_revision"],
        2
    );
}

#[tokio::test]
async fn a_key_is_the_same_for_every_credential_of_a_member() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let credentials = [
        app.session_client(&member).await,
        app.token_client(&member).await,
        app.token_client(&member).await,
    ];
    let mut answers = BTreeSet::new();
    for client in &credentials {
        for interface in [Interface::Rest, Interface::Mcp] {
            let key = Some("chave-0001".into());
            let outcome = call_operation(
                client.clone(),
                interface,
                CREATE,
                json!({ "title": "A" }),
                key,
            )
            .await;
            assert!(outcome.is_ok(), "{}", outcome.text);
            answers.insert(outcome.text);
        }
    }
    assert_eq!(answers.len(), 1);
    assert_eq!(app.count_rows("events").await, 1);
}

#[tokio::test]
async fn a_key_is_kept_for_a_day_and_then_free() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let agent = app
        .token_client(&member)
        .await
        .with_idempotency_key("chave-0001");
    let first = agent
        .post("/api/demanda", json!({ "title": "A" }))
        .await
        .expect(200);

    app.advance_clock(DAY - 1);
    let again = agent
        .post("/api/demanda", json!({ "title": "A" }))
        .await
        .expect(200);
    assert_eq!(again.headers["idempotency-replayed"], "true");
    assert_eq!(again.text, first.text);

    app.advance_clock(1);
    let free = agent
        .post("/api/demanda", json!({ "title": "B" }))
        .await
        .expect(200);
    assert_eq!(free.headers.get("idempotency-replayed"), None);
    assert_eq!(free.body["event"]["title"], "B");
    assert_eq!(app.count_rows("events").await, 2);
}

#[tokio::test]
async fn a_refusal_without_effect_releases_its_key() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let keyed = lead.with_idempotency_key("chave-0001");
    let nobody = json!({ "title": "A", "assignee_id": "0198c0de-0000-7000-8000-000000000000" });
    keyed
        .post("/api/demanda", nobody)
        .await
        .expect_refusal(404, "NOT_FOUND");
    let invalid = json!({ "title": "A", "day": 31, "month": 2 });
    keyed
        .post("/api/demanda", invalid)
        .await
        .expect_refusal(400, "INVALID_INPUT");
    assert_eq!(app.count_rows("idempotency_keys").await, 0);
    let created = keyed
        .post("/api/demanda", json!({ "title": "A" }))
        .await
        .expect(200);
    assert_eq!(created.headers.get("idempotency-replayed"), None);

    let id = created.body["event_id"].clone();
    let submit = |revision: i64| json!({ "event_id": id, "expected_revision": revision });
    keyed
        .post("/api/enviar", submit(7))
        .await
        .expect_refusal(409, "STALE_REVISION");
    keyed.post("/api/enviar", submit(1)).await.expect(200);
    let again = keyed.post("/api/enviar", submit(1)).await.expect(200);
    assert_eq!(again.headers["idempotency-replayed"], "true");
}

#[tokio::test]
async fn header_and_field_must_be_the_same_key() {
    let app = TestApp::new().await;
    let lead = app
        .as_member(Role::Lider)
        .await
        .with_idempotency_key("chave-0001");
    let with = |key: &str| json!({ "title": "A", "idempotency_key": key });
    let answer = lead.post("/api/demanda", with("chave-0002")).await;
    assert_eq!(answer.invalid_fields(), ["idempotency_key"]);
    lead.post("/api/demanda", with("chave-0001"))
        .await
        .expect(200);
    let again = lead
        .post("/api/demanda", json!({ "title": "A" }))
        .await
        .expect(200);
    assert_eq!(again.headers["idempotency-replayed"], "true");
    let twice = lead
        .with_idempotency_key("chave-0001")
        .post("/api/demanda", json!({ "title": "A" }))
        .await;
    assert_eq!(twice.invalid_fields(), ["Idempotency-Key"]);
    assert_eq!(app.count_rows("events").await, 1);
}

#[tokio::test]
async fn a_key_has_8_to_128_plain_characters() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let bad = [
        "",
        "1234567",
        &"k".repeat(129),
        "chave 0001",
        "chave/0001",
        "chave-ção",
        "chave\t001",
        "12345678\"",
        "chave+0001",
        "{chave-01}",
    ];
    for key in bad {
        let answer = lead
            .with_idempotency_key(key)
            .post("/api/demanda", json!({ "title": "A" }))
            .await;
        assert_eq!(
            answer.invalid_fields(),
            ["idempotency_key"],
            "the header must not accept {key:?}"
        );
        let input = json!({ "title": "A", "idempotency_key": key });
        let answer = lead.post("/api/demanda", input.clone()).await;
        assert_eq!(
            answer.invalid_fields(),
            ["idempotency_key"],
            "the body must not accept {key:?}"
        );
        let tool = lead.call_tool("create_demand", input).await;
        assert!(
            tool.is_error && tool.text.starts_with("INVALID_INPUT"),
            "the tool must not accept {key:?}"
        );
    }
    for key in [
        json!(12345678),
        json!(null),
        json!(["chave-0001"]),
        json!("chave-01\u{0}"),
    ] {
        let input = json!({ "title": "A", "idempotency_key": key });
        assert_eq!(
            lead.post("/api/demanda", input).await.invalid_fields(),
            ["idempotency_key"],
            "{key}"
        );
    }
    assert_eq!(app.count_rows("events").await, 0);

    let good = [
        "12345678",
        &"k".repeat(128),
        "aZ09._:~-",
        "........",
        "~~~~~~~~",
        "--------",
    ];
    for key in good {
        lead.with_idempotency_key(key)
            .post("/api/demanda", json!({ "title": "A" }))
            .await
            .expect(200);
    }
    assert_eq!(app.count_rows("events").await, 6);
}

#[tokio::test]
async fn keys_that_differ_in_a_letter_or_in_case_are_different() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    for key in ["chave-0001", "CHAVE-0001", "chave-0001.", "chave-000"] {
        let answer = lead
            .with_idempotency_key(key)
            .post("/api/demanda", json!({ "title": "A" }))
            .await;
        assert_eq!(
            answer.expect(200).headers.get("idempotency-replayed"),
            None,
            "{key}"
        );
    }
    assert_eq!(app.count_rows("events").await, 4);
}

#[tokio::test]
async fn reads_ignore_the_key() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    for key in ["chave-0001", "x"] {
        let answer = lead
            .with_idempotency_key(key)
            .get("/api/eventos")
            .await
            .expect(200);
        assert_eq!(answer.headers.get("idempotency-replayed"), None);
    }
    assert_eq!(app.count_rows("idempotency_keys").await, 0);
}
