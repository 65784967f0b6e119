//! The lists as tool results: the rows that fit, and the cursor for the rest.

use domain::{Level, Role};
use serde_json::{Value, json};

use crate::{contract::list_tools, support::TestApp};

/// Reads all rows of a list, page by page, through a tool; returns the rows and the number of
/// pages.
async fn list_all_rows(
    client: &crate::support::Client,
    tool: &str,
    rows: &str,
) -> (Vec<Value>, usize) {
    let (mut seen, mut pages, mut cursor) = (vec![], 0, Value::Null);
    loop {
        let mut arguments = json!({ "limit": 200 });
        if cursor.is_string() {
            arguments["cursor"] = cursor;
        }
        let page = client.call_tool(tool, arguments).await;
        assert!(!page.is_error, "{}", page.text);
        assert!(page.text.len() <= 100_000);
        match &page.structured[rows] {
            Value::Array(list) => seen.extend(list.clone()),
            Value::Object(map) => seen.extend(map.keys().map(|key| json!(key))),
            other => panic!("{other}"),
        }
        pages += 1;
        cursor = page.structured["next_cursor"].clone();
        if cursor.is_null() {
            return (seen, pages);
        }
    }
}

#[tokio::test]
async fn a_month_of_events_is_returned_in_pages_with_excerpts() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let briefing = "Um pedido longo. ".repeat(300);
    for n in 0..150 {
        let caption = "ã".repeat(if n == 0 { 300 } else { 2_000 });
        let demand = json!({
            "title": format!("Peça {n} {}", "x".repeat(200)), "description": briefing,
            "day": 1 + n % 28, "month": 9,
        });
        let id = lead.create_demand(demand).await;
        let draft = json!({ "event_id": id, "expected_revision": 1, "caption": caption });
        lead.post("/api/draft", draft).await.expect(200);
    }
    let (rows, pages) = list_all_rows(&lead, "list_events", "eventos").await;
    assert!(pages > 1);
    let mut ids: Vec<_> = rows.iter().map(|row| row["id"].to_string()).collect();
    ids.sort();
    ids.dedup();
    assert_eq!((rows.len(), ids.len()), (150, 150));
    for row in &rows {
        assert_eq!(row.get("briefing"), None);
        let caption = row["description"].as_str().expect("a caption");
        assert_eq!(caption.chars().count(), 300);
    }
    let cut = rows
        .iter()
        .filter(|row| row["description_truncated"] == true);
    assert_eq!(cut.count(), 149);
    let id = rows[0]["id"].clone();
    let whole = lead
        .call_tool("get_event", json!({ "eventId": id }))
        .await
        .structured;
    assert_eq!(whole["evento"]["briefing"], briefing);
    let over_rest = lead.get("/api/eventos?limit=200").await.expect(200).body;
    assert_eq!(over_rest["eventos"].as_array().map(Vec::len), Some(150));
    assert_eq!(over_rest["eventos"][0]["briefing"], briefing);
}

#[tokio::test]
async fn other_lists_also_fit_into_a_tool_result() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    for n in 0..10 {
        let value = json!({ "key": format!("chave.{n}"), "value": "v".repeat(30_000) });
        admin.post("/api/config", value).await.expect(200);
        let draft = json!({
            "html": "<p>", "metadata": { "nota": "m".repeat(19_000) }, "expected_updated_at": null,
        });
        admin
            .put(&format!("/api/email-drafts/d{n}"), draft)
            .await
            .expect(200);
    }
    let lists = [
        ("get_config", "config"),
        ("list_config_history", "log"),
        ("list_email_drafts", "drafts"),
    ];
    for (tool, rows) in lists {
        let (seen, pages) = list_all_rows(&admin, tool, rows).await;
        assert_eq!(seen.len(), 10, "{tool}");
        assert!(pages > 1, "{tool}");
    }
}

#[tokio::test]
async fn a_page_that_is_cut_to_the_rows_that_fit_has_a_note() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    for n in 0..10 {
        let value = json!({ "key": format!("chave.{n}"), "value": "v".repeat(30_000) });
        admin.post("/api/config", value).await.expect(200);
    }
    for (limit, note) in [(10, Some("Só couberam 3 linhas")), (2, None)] {
        let params = json!({ "name": "get_config", "arguments": { "limit": limit } });
        let answer = admin.send_rpc("tools/call", params).await.expect(200);
        let result = &answer.body["result"];
        let rows = result["structuredContent"]["config"]
            .as_object()
            .map_or(0, serde_json::Map::len);
        assert!(rows < 10, "{rows}");
        let blocks = result["content"].as_array().expect("blocks");
        let mut texts = blocks[1..]
            .iter()
            .filter_map(|block| block["text"].as_str());
        let found = texts.find(|text| text.starts_with("Só couberam"));
        match note {
            Some(note) => assert!(
                found.is_some_and(|text| text.starts_with(note)),
                "{found:?}"
            ),
            None => assert_eq!(found, None),
        }
    }
}

#[tokio::test]
async fn a_tool_accepts_both_spellings_of_its_fields() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let id = lead.create_demand(json!({})).await;
    for (tool, arguments) in [
        ("get_event", json!({ "event_id": id })),
        (
            "update_event",
            json!({ "event_id": id, "expected_revision": 1, "title": "A" }),
        ),
        (
            "save_draft",
            json!({ "eventId": id, "expected_revision": 2, "caption": "B" }),
        ),
    ] {
        let told = lead.call_tool(tool, arguments).await;
        assert!(!told.is_error, "{tool}: {}", told.text);
    }
    let both = json!({ "eventId": id, "event_id": id });
    assert!(
        lead.call_tool("get_event", both)
            .await
            .text
            .starts_with("INVALID_INPUT")
    );
    let path = format!("/api/eventos/{id}?event_id={id}");
    lead.get(&path).await.expect_refusal(400, "INVALID_INPUT");
}

#[tokio::test]
async fn a_field_name_of_another_tool_is_accepted_and_the_answer_names_the_right_field() {
    let app = TestApp::new().await;
    let member = app.add_member_with(Role::Admin, Level::Admin, true).await;
    let lead = app.session_client(&member).await;
    let project = json!({ "name": "Livro" });
    let project =
        lead.call_tool("create_project", project).await.structured["project"]["id"].clone();
    let panel = json!({
        "projectId": project, "nome": "Livro", "de": "2026-08-01", "ate": "2026-08-31",
        "meta_centavos": 1, "produtos": [], "campanhas": [],
    });
    let many = json!({ "limite": 1 });
    for (tool, arguments, names) in [
        (
            "put_launch_dashboard",
            panel,
            "`project_id`, não `projectId`",
        ),
        (
            "get_project",
            json!({ "projetoId": project }),
            "`project_id`, não `projetoId`",
        ),
        (
            "get_launch_summary",
            json!({ "project_id": project, "de": "2026-08-02", "ate": "2026-08-03" }),
            "`inicio`, não `de`",
        ),
        (
            "list_events",
            json!({ "inicio": "2026-08-02", "fim": "2026-08-03" }),
            "`ate`, não `fim`",
        ),
        ("list_events", many, "`limit`, não `limite`"),
        (
            "search_knowledge",
            json!({ "pergunta": "sal", "limit": 1 }),
            "`limite`, não `limit`",
        ),
    ] {
        let params = json!({ "name": tool, "arguments": arguments });
        let old = lead
            .send_rpc("tools/call", params.clone())
            .await
            .expect(200);
        let browser = lead.with_header("origin", "http://127.0.0.1:8080");
        let through_library = browser.send_rpc("tools/call", params).await.expect(200);
        for answer in [old, through_library] {
            let result = &answer.body["result"];
            assert_eq!(result["isError"], false, "{tool}: {}", answer.text);
            let hint = result["content"][1]["text"].as_str().expect("a hint");
            assert!(hint.contains(names), "{tool}: {hint}");
        }
    }
    // If the call names a period, the tool uses it instead of the default period.
    let asked = json!({ "projetoId": project, "de": "2026-08-02", "ate": "2026-08-03" });
    let summary = lead.call_tool("get_launch_summary", asked).await.structured;
    assert_eq!(
        (&summary["inicio"], &summary["fim"]),
        (&json!("2026-08-02"), &json!("2026-08-03"))
    );
}

#[tokio::test]
async fn a_field_that_is_sent_under_two_names_is_refused() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    for (tool, arguments, fault) in [
        (
            "list_events",
            json!({ "de": "2026-08-02", "inicio": "2026-08-03" }),
            "inicio",
        ),
        ("list_events", json!({ "limit": 1, "limite": 2 }), "limite"),
        (
            "get_project",
            json!({ "project_id": "a", "projetoId": "b" }),
            "projetoId",
        ),
    ] {
        let refused = lead.call_tool(tool, arguments).await;
        assert!(
            refused.text.starts_with("INVALID_INPUT"),
            "{}",
            refused.text
        );
        assert!(
            refused
                .text
                .contains(&format!("`{fault}` veio com dois nomes")),
            "{}",
            refused.text
        );
    }
}

#[tokio::test]
async fn the_start_of_an_excerpt_is_not_taken_for_the_start_of_a_period() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let asked = json!({ "templateId": "a", "inicio": "2026-08-02" });
    let refused = lead.call_tool("get_email_draft", asked).await;
    assert!(
        refused.text.contains("`inicio` não é um campo"),
        "{}",
        refused.text
    );
}

#[tokio::test]
async fn rest_refuses_a_field_name_of_another_operation_and_names_the_right_field() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    for (query, field, right) in [
        ("inicio=2026-08-02", "inicio", "use `de`"),
        ("limite=1", "limite", "use `limit`"),
        ("assigneeId=x", "assigneeId", "use `assignee_id`"),
    ] {
        let refused = lead.get(&format!("/api/eventos?{query}")).await;
        assert_eq!(refused.invalid_fields(), [field]);
        assert!(refused.text.contains(right), "{}", refused.text);
    }
}

/// Asserts that the answer satisfies the tool's output schema.
async fn assert_satisfies_output_schema(
    client: &crate::support::Client,
    tool: &str,
    answer: &Value,
) {
    let tools = list_tools(client).await;
    let listed = tools.iter().find(|listed| listed["name"] == tool);
    let schema = &listed.expect("listed")["outputSchema"];
    let validator = jsonschema::draft202012::new(schema).expect("a schema");
    assert!(validator.is_valid(answer), "{tool}");
}

#[tokio::test]
async fn a_single_row_that_is_too_long_is_returned_with_excerpts() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let values = [
        ("a", json!("v".repeat(400_000))),
        ("b", json!({ "textos": vec!["ã".repeat(60_000); 3] })),
        ("c", json!((0..40_000).collect::<Vec<i32>>())),
        ("d", json!("curto")),
    ];
    for (key, value) in &values {
        let entry = json!({ "key": key, "value": value });
        admin.post("/api/config", entry).await.expect(200);
    }
    for (tool, rows) in [("get_config", "config"), ("list_config_history", "log")] {
        let (seen, _) = list_all_rows(&admin, tool, rows).await;
        assert_eq!(seen.len(), 4, "{tool}");
        let first = admin.call_tool(tool, json!({ "limit": 1 })).await;
        assert!(!first.is_error, "{}", first.text);
        assert_satisfies_output_schema(&admin, tool, &first.structured).await;
    }
    let config = admin
        .call_tool("get_config", json!({ "limit": 1 }))
        .await
        .structured;
    let row = &config["config"]["a"];
    assert_eq!(row["cortado"], json!(["value"]));
    let value = row["value"].as_str().expect("text");
    assert!(value.ends_with('…') && value.chars().count() == 10_001);
    let short = json!({ "limit": 1, "cursor": config["next_cursor"] });
    let second = admin.call_tool("get_config", short).await;
    assert!(!second.is_error, "{}", second.text);

    let content = "Tom de voz. ".repeat(16_000);
    let skill = json!({ "name": "tom", "description": "Como falamos", "content": content });
    admin.post("/api/skills", skill).await.expect(201);
    let skills = admin.call_tool("list_skills", json!({})).await;
    assert!(!skills.is_error, "{}", skills.text);
    assert_eq!(
        skills.structured["skills"][0]["cortado"],
        json!(["content"])
    );

    let wide = "\u{1}".repeat(20_000);
    let id = admin
        .create_demand(json!({ "title": "A", "description": wide }))
        .await;
    let event = admin.call_tool("get_event", json!({ "eventId": id })).await;
    assert!(!event.is_error, "{}", event.text);
    assert!(event.text.len() <= 100_000);
    let cut = &event.structured["evento"]["cortado"];
    assert_eq!(*cut, json!(["briefing", "description"]));
    assert_satisfies_output_schema(&admin, "get_event", &event.structured).await;
    let over_rest = admin.get("/api/config").await.expect(200).body;
    assert_eq!(over_rest["config"]["a"]["value"], values[0].1);
}
