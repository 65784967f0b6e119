//! Published skills as resources and prompts, for legacy and modern clients.

use domain::{Capability, Role};
use serde_json::{Value, json};

use super::{agent_client, assert_rpc_error};
use crate::support::{Answer, Client, TestApp};

const NAMES: [&str; 3] = ["legenda", "revisao", "tom-de-voz"];

/// Creates a service with skills; returns it with an agent that may read them.
async fn service_with_skills() -> (TestApp, Client) {
    let app = TestApp::new().await;
    let agent = agent_client(&app).await;
    for name in NAMES {
        let input = json!({
            "name": name, "description": format!("Sobre {name}"),
            "content": format!("# {name} \"à\" 🎉\n"),
        });
        agent.post("/api/skills", input).await.expect(201);
    }
    (app, agent)
}

/// Sends a request as a legacy and as a modern client; returns both results.
async fn request_in_both_versions(client: &Client, method: &str, params: Value) -> [Value; 2] {
    let legacy = client.send_rpc(method, params.clone()).await.expect(200);
    let modern = client.send_modern_rpc(method, params).await.expect(200);
    [legacy, modern].map(|answer| {
        assert!(answer.body["error"].is_null(), "{}", answer.text);
        answer.body["result"].clone()
    })
}

fn field_texts(list: &Value, field: &str) -> Vec<String> {
    let items = list.as_array().expect("a list").iter();
    items
        .map(|item| item[field].as_str().expect("text").to_owned())
        .collect()
}

#[tokio::test]
async fn both_versions_announce_resources_and_prompts() {
    let (_app, agent) = service_with_skills().await;
    let params = json!({
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": { "name": "suite", "version": "1" },
    });
    let legacy = agent.send_rpc("initialize", params).await.expect(200);
    let modern = agent
        .send_modern_rpc("server/discover", json!({}))
        .await
        .expect(200);
    for answer in [legacy, modern] {
        let capabilities = &answer.body["result"]["capabilities"];
        for kind in ["resources", "prompts", "tools"] {
            assert_eq!(capabilities[kind], json!({}), "{}", answer.text);
        }
    }
}

#[tokio::test]
async fn a_published_skill_is_a_resource_at_once() {
    let (_app, agent) = service_with_skills().await;
    for result in request_in_both_versions(&agent, "resources/list", json!({})).await {
        let resources = &result["resources"];
        let expected = [
            "pauta://guia",
            "ui://pauta/aprovacao",
            "ui://pauta/agenda",
            "ui://pauta/midias",
            "skill://legenda/SKILL.md",
            "skill://revisao/SKILL.md",
            "skill://tom-de-voz/SKILL.md",
        ];
        assert_eq!(field_texts(resources, "uri"), expected);
        assert_eq!(resources[4]["name"], "legenda");
        assert_eq!(resources[4]["description"], "Sobre legenda");
        assert_eq!(resources[4]["mimeType"], "text/markdown");
    }
    for result in request_in_both_versions(&agent, "resources/templates/list", json!({})).await {
        let templates = &result["resourceTemplates"];
        assert_eq!(
            field_texts(templates, "uriTemplate"),
            ["skill://{name}/SKILL.md"]
        );
    }
    let read = json!({ "uri": "skill://legenda" });
    for result in request_in_both_versions(&agent, "resources/read", read.clone()).await {
        let expected = json!([{
            "uri": "skill://legenda", "mimeType": "text/markdown", "text": "# legenda \"à\" 🎉\n",
        }]);
        assert_eq!(result["contents"], expected);
    }
    let next = json!({ "name": "legenda", "description": "x", "content": "# Nova" });
    agent.post("/api/skills", next).await.expect(201);
    for result in request_in_both_versions(&agent, "resources/read", read).await {
        assert_eq!(result["contents"][0]["text"], "# Nova");
    }
    for result in
        request_in_both_versions(&agent, "resources/read", json!({ "uri": "pauta://guia" })).await
    {
        let text = result["contents"][0]["text"].as_str().expect("text");
        assert!(text.contains("list_skills"));
    }
}

#[tokio::test]
async fn a_published_skill_is_a_prompt_at_once() {
    let (_app, agent) = service_with_skills().await;
    for result in request_in_both_versions(&agent, "prompts/list", json!({})).await {
        let prompts = &result["prompts"];
        assert_eq!(field_texts(prompts, "name"), NAMES);
        assert_eq!(field_texts(&prompts[0]["arguments"], "name"), ["pedido"]);
        assert_eq!(prompts[0]["arguments"][0]["required"], false);
    }
    let bare = json!({ "name": "legenda" });
    for result in request_in_both_versions(&agent, "prompts/get", bare).await {
        assert_eq!(result["description"], "Sobre legenda");
        let message = json!({
            "role": "user", "content": { "type": "text", "text": "# legenda \"à\" 🎉\n" },
        });
        assert_eq!(result["messages"], json!([message]));
    }
    let asked = json!({ "name": "legenda", "arguments": { "pedido": "Uma legenda ☕" } });
    for result in request_in_both_versions(&agent, "prompts/get", asked).await {
        assert_eq!(result["messages"][1]["content"]["text"], "Uma legenda ☕");
    }
    for arguments in [json!({ "outro": "x" }), json!({ "pedido": 7 }), json!([])] {
        let asked = json!({ "name": "legenda", "arguments": arguments });
        let [legacy, modern] = answers_in_both_versions(&agent, "prompts/get", asked).await;
        assert_rpc_error(&legacy, 200, -32602);
        assert_eq!(modern.body["error"]["code"], -32602);
    }
}

async fn answers_in_both_versions(client: &Client, method: &str, params: Value) -> [Answer; 2] {
    let legacy = client.send_rpc(method, params.clone()).await;
    [legacy, client.send_modern_rpc(method, params).await]
}

#[tokio::test]
async fn missing_resources_and_prompts_have_the_error_code_of_the_version() {
    let (_app, agent) = service_with_skills().await;
    let long = format!("skill://{}", "a".repeat(5_000));
    let unknown = [
        "skill://nenhuma",
        "skill://",
        "skill://Legenda",
        "skill://legenda/",
        "skill://../legenda",
        "pauta://outro",
        "file:///etc/passwd",
        "legenda",
        "",
        &long,
    ];
    for uri in unknown {
        let [legacy, modern] =
            answers_in_both_versions(&agent, "resources/read", json!({ "uri": uri })).await;
        assert_rpc_error(&legacy, 200, -32002);
        assert_eq!(
            modern.body["error"]["code"], -32602,
            "{uri}: {}",
            modern.text
        );
        assert!(legacy.text.len() < 1_000);
    }
    for name in ["nenhuma", "Legenda", "", "'; --"] {
        let [legacy, modern] =
            answers_in_both_versions(&agent, "prompts/get", json!({ "name": name })).await;
        assert_rpc_error(&legacy, 200, -32602);
        assert_eq!(
            modern.body["error"]["code"], -32602,
            "{name}: {}",
            modern.text
        );
    }
    for (method, params) in [
        ("resources/read", json!({})),
        ("resources/read", json!({ "uri": 7 })),
        ("prompts/get", json!({})),
        ("resources/list", json!({ "cursor": "x" })),
        ("resources/templates/list", json!({ "cursor": "x" })),
        ("prompts/list", json!({ "cursor": "WyJ4Il0" })),
    ] {
        let [legacy, modern] = answers_in_both_versions(&agent, method, params.clone()).await;
        assert_eq!(
            legacy.body["error"]["code"], -32602,
            "{method} {params}: {}",
            legacy.text
        );
        assert_eq!(
            modern.body["error"]["code"], -32602,
            "{method} {params}: {}",
            modern.text
        );
    }
}

#[tokio::test]
async fn a_caller_without_the_right_learns_nothing_about_skills() {
    let (app, agent) = service_with_skills().await;
    let member = app.add_member(Role::Admin).await;
    let (other, _) = app
        .token_client_with(&member, &[Capability::TasksView])
        .await;
    let narrowed = agent.with_mcp_query("toolsets=workflow");
    for client in [other, narrowed] {
        for result in request_in_both_versions(&client, "resources/list", json!({})).await {
            let uris = field_texts(&result["resources"], "uri");
            assert!(
                uris.iter().all(|uri| !uri.starts_with("skill://")),
                "{uris:?}"
            );
        }
        for result in request_in_both_versions(&client, "resources/templates/list", json!({})).await
        {
            assert_eq!(result["resourceTemplates"], json!([]));
        }
        for result in request_in_both_versions(&client, "prompts/list", json!({})).await {
            assert_eq!(result["prompts"], json!([]));
        }
        for method in ["resources/read", "prompts/get"] {
            let ask = |name: &str| json!({ "uri": format!("skill://{name}"), "name": name });
            // An error contains the id of its request, so both requests get the same id.
            let client = client.with_header("x-request-id", "pedido-um");
            let hidden = client.send_rpc(method, ask("legenda")).await;
            let absent = client.send_rpc(method, ask("nenhuma")).await;
            assert_eq!(hidden.text, absent.text.replace("nenhuma", "legenda"));
        }
    }
}

#[tokio::test]
async fn lists_are_paged_by_cursor() {
    let app = TestApp::new().await;
    let agent = agent_client(&app).await;
    for number in 0..101 {
        let name = format!("skill-{number:03}");
        let input = json!({ "name": name, "description": "x", "content": "x" });
        agent.post("/api/skills", input).await.expect(201);
    }
    for (method, field, whole) in [
        ("resources/list", "resources", 105),
        ("prompts/list", "prompts", 101),
    ] {
        for first in request_in_both_versions(&agent, method, json!({})).await {
            let cursor = first["nextCursor"].as_str().expect("another page");
            for second in
                request_in_both_versions(&agent, method, json!({ "cursor": cursor })).await
            {
                assert!(second.get("nextCursor").is_none());
                let mut names = field_texts(&first[field], "name");
                names.extend(field_texts(&second[field], "name"));
                names.sort();
                names.dedup();
                assert_eq!(names.len(), whole);
            }
        }
    }
}

#[tokio::test]
async fn modern_results_have_a_ttl_and_legacy_results_have_none() {
    let (_app, agent) = service_with_skills().await;
    for (method, params) in [
        ("resources/list", json!({})),
        ("resources/templates/list", json!({})),
        ("resources/read", json!({ "uri": "skill://legenda" })),
        ("prompts/list", json!({})),
        ("prompts/get", json!({ "name": "legenda" })),
    ] {
        let [legacy, modern] = request_in_both_versions(&agent, method, params).await;
        for field in ["resultType", "ttlMs", "cacheScope"] {
            assert!(legacy.get(field).is_none(), "{method}: {legacy}");
        }
        assert_eq!(modern["resultType"], "complete", "{method}");
        if method != "prompts/get" {
            assert_eq!(modern["cacheScope"], "private", "{method}");
            assert_eq!(modern["ttlMs"], 60_000, "{method}");
        }
    }
}

#[tokio::test]
async fn reading_a_skill_is_audited_like_its_tool() {
    let (app, agent) = service_with_skills().await;
    agent
        .send_rpc("resources/read", json!({ "uri": "skill://legenda" }))
        .await
        .expect(200);
    agent
        .send_rpc("prompts/get", json!({ "name": "legenda" }))
        .await
        .expect(200);
    app.app.write_all_reads().await;
    let rows = "audit_events WHERE action = 'list_skills' AND metadata LIKE '%\"count\":2%'";
    assert_eq!(app.count_rows(rows).await, 1);
}
