//! Texts, pages and revisions at their limit and one above it.

use domain::Role;
use serde_json::json;

use super::{
    assert_refused_by_name, input_properties, minimal_input, send_over_rest, tool_entries,
};
use crate::support::TestApp;

/// Texts of exactly `length` characters, of one to four bytes each.
fn texts_of_length(length: usize) -> [String; 4] {
    ["a", "ã", "한", "🎉"].map(|character| character.repeat(length))
}

#[tokio::test]
async fn a_demand_accepts_each_text_up_to_its_limit_counted_in_characters() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let limits = [
        ("title", 300, "title"),
        ("channel", 60, "channel"),
        ("description", 20_000, "briefing"),
        ("tipo", 80, "editorial_tag"),
    ];
    for (field, limit, stored) in limits {
        for text in texts_of_length(limit) {
            let mut demand = json!({ "title": "A" });
            demand[field] = text.as_str().into();
            let created = lead
                .post("/api/demanda", demand.clone())
                .await
                .expect(200)
                .body;
            let id = created["event_id"].as_str().expect("an id");
            assert!(
                lead.load_event(id).await[stored] == text.as_str(),
                "{field}"
            );

            demand[field] = format!("{text}a").into();
            assert_eq!(
                lead.post("/api/demanda", demand.clone())
                    .await
                    .invalid_fields(),
                [field]
            );
            let tool = lead.call_tool("create_demand", demand).await;
            assert!(
                tool.text.contains(&format!("no máximo {limit} caracteres")),
                "{}",
                tool.text
            );
        }
    }
    for field in ["title", "channel", "tipo"] {
        let mut demand = json!({ "title": "A" });
        demand[field] = "".into();
        assert_eq!(
            lead.post("/api/demanda", demand).await.invalid_fields(),
            [field]
        );
    }
}

#[tokio::test]
async fn every_operation_accepts_a_caption_of_20000_characters() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    for text in texts_of_length(20_000) {
        let id = lead.create_demand(json!({})).await;
        let longer = format!("{text}a");
        let writes = [
            ("/api/draft", json!({ "expected_revision": 1 })),
            ("/api/enviar", json!({ "expected_revision": 2 })),
            ("/api/aprovar", json!({ "action": "aprovar" })),
        ];
        for (path, mut input) in writes {
            input["event_id"] = id.as_str().into();
            input["caption"] = longer.as_str().into();
            assert_eq!(
                lead.post(path, input.clone()).await.invalid_fields(),
                ["caption"]
            );
            input["caption"] = text.as_str().into();
            lead.post(path, input).await.expect(200);
        }
        let event = lead.load_event(&id).await;
        assert!(event["description"] == text.as_str() && event["status"] == "aprovado");
    }
}

#[tokio::test]
async fn a_reason_may_have_2000_characters() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    for text in texts_of_length(2_000) {
        let id = lead.create_demand(json!({})).await;
        let sent = json!({ "event_id": id, "expected_revision": 1 });
        lead.post("/api/enviar", sent).await.expect(200);
        let refuse =
            |reason: String| json!({ "event_id": id, "action": "recusar", "motivo": reason });
        let answer = lead.post("/api/aprovar", refuse(format!("{text}a"))).await;
        assert_eq!(answer.invalid_fields(), ["motivo"]);
        lead.post("/api/aprovar", refuse(text.clone()))
            .await
            .expect(200);
        let event = lead
            .get(&format!("/api/eventos/{id}"))
            .await
            .expect(200)
            .body;
        assert!(event["historico"][0]["reason"] == text.as_str());
    }
}

#[tokio::test]
async fn an_update_accepts_each_text_up_to_its_limit() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    for (field, limit, stored) in [
        ("title", 300, "title"),
        ("channel", 60, "channel"),
        ("tipo", 80, "editorial_tag"),
    ] {
        for text in texts_of_length(limit) {
            let path = format!("/api/eventos/{}", lead.create_demand(json!({})).await);
            let patch = |text: &str| {
                let mut patch = json!({ "expected_revision": 1 });
                patch[field] = text.into();
                patch
            };
            for bad in [&format!("{text}a"), ""] {
                assert_eq!(
                    lead.patch(&path, patch(bad)).await.invalid_fields(),
                    [field]
                );
            }
            let updated = lead.patch(&path, patch(&text)).await.expect(200).body;
            assert_eq!(updated["evento"][stored], text);
        }
    }
}

#[tokio::test]
async fn a_configuration_key_may_have_200_characters() {
    let app = TestApp::new().await;
    let admin = super::admin_client(&app).await;
    for key in texts_of_length(200) {
        let longer = json!({ "key": format!("{key}a"), "value": 1 });
        assert_eq!(
            admin.post("/api/config", longer).await.invalid_fields(),
            ["key"]
        );
        admin
            .post("/api/config", json!({ "key": key, "value": 1 }))
            .await
            .expect(200);
    }
    assert_eq!(
        admin
            .post("/api/config", json!({ "key": "", "value": 1 }))
            .await
            .invalid_fields(),
        ["key"]
    );
    let config = admin.get("/api/config").await.expect(200).body["config"].clone();
    assert_eq!(config.as_object().expect("an object").len(), 4);
}

#[tokio::test]
async fn a_page_has_1_to_200_rows() {
    let app = TestApp::new().await;
    let admin = super::admin_client(&app).await;
    let id = admin.create_demand(json!({})).await;
    let project = admin
        .post("/api/projects", json!({ "name": "A" }))
        .await
        .expect(201)
        .body;
    let launch = json!({
        "nome": "A", "inicio": "2026-08-10", "fim": "2026-08-29", "meta_centavos": 0,
        "produtos": [], "campanhas": [],
    });
    let id_of_project = project["project"]["id"].as_str().expect("an id");
    let path = format!("/api/lancamentos/{id_of_project}");
    admin.put(&path, launch).await.expect(200);
    let webhook = json!({ "url": "https://painel.exemplo.com.br/pauta", "descricao": "Painel", "tipos": ["piece_decided"] });
    let webhook = admin.post("/api/webhooks", webhook).await.expect(201);
    let webhook = webhook.body["webhook"]["id"].clone();
    let mut lists = 0;
    for entry in tool_entries().filter(|entry| input_properties(entry).contains_key("limit")) {
        lists += 1;
        let mut input = minimal_input(entry.spec.name);
        if entry.spec.name == "get_event" {
            input["eventId"] = id.as_str().into();
        }
        for field in ["projectId", "projetoId"] {
            if input.get(field).is_some() {
                input[field] = project["project"]["id"].clone();
            }
        }
        if input.get("webhookId").is_some() {
            input["webhookId"] = webhook.clone();
        }
        for limit in [
            json!(0),
            json!(201),
            json!(-1),
            json!(1.5),
            json!("muitos"),
            json!(""),
        ] {
            input["limit"] = limit;
            assert_refused_by_name(&admin, entry, "limit", &input).await;
        }
        for limit in [1, 200] {
            input["limit"] = limit.into();
            send_over_rest(&admin, entry, input.clone())
                .await
                .expect(200);
            assert!(
                !admin
                    .call_tool(entry.spec.name, input.clone())
                    .await
                    .is_error
            );
        }
        input["limit"] = "1".into();
        assert!(
            admin.call_tool(entry.spec.name, input).await.is_error,
            "a tool must refuse a number that is sent as text"
        );
    }
    assert!(lists > 10, "{lists}");
}

#[tokio::test]
async fn a_revision_is_a_whole_number_from_0_to_2_to_the_53() {
    let app = TestApp::new().await;
    let lead = super::admin_client(&app).await;
    for entry in tool_entries().filter(|e| input_properties(e).contains_key("expected_revision")) {
        let mut input = minimal_input(entry.spec.name);
        if entry.spec.name == "generate_art" {
            // `event_id` is optional, but `expected_revision` requires it.
            input["event_id"] = "01990000-0000-7000-8000-00000000ffff".into();
        }
        for revision in [
            "-1",
            "9007199254740992",
            "1e300",
            "0.5",
            "18446744073709551616",
        ] {
            input["expected_revision"] = serde_json::from_str(revision).expect("a number");
            assert_refused_by_name(&lead, entry, "expected_revision", &input).await;
        }
        for revision in ["0", "9007199254740991", "1.0", "1e0"] {
            input["expected_revision"] = serde_json::from_str(revision).expect("a number");
            send_over_rest(&lead, entry, input.clone())
                .await
                .expect_refusal(404, "NOT_FOUND");
        }
    }
}
