//! Published skills over the extension `io.modelcontextprotocol/skills`.

use domain::{Capability, Role, sha256_hex};
use serde_json::{Value, json};

use super::{agent_client, assert_rpc_error};
use crate::support::{Client, TestApp};

const EXTENSION: &str = "io.modelcontextprotocol/skills";

async fn publish_skill(agent: &Client, name: &str, description: &str, content: &str) {
    let skill = json!({ "name": name, "description": description, "content": content });
    agent.post("/api/skills", skill).await.expect(201);
}

/// Sends a request in the protocol version 2026-07-28; returns the result.
async fn request_result(client: &Client, method: &str, params: Value) -> Value {
    let answer = client.send_modern_rpc(method, params).await.expect(200);
    assert!(answer.body["error"].is_null(), "{}", answer.text);
    answer.body["result"].clone()
}

async fn read_resource(client: &Client, uri: &Value) -> String {
    let read = request_result(client, "resources/read", json!({ "uri": uri })).await;
    let text = read["contents"][0]["text"].as_str();
    text.expect("a text").to_owned()
}

#[tokio::test]
async fn both_versions_announce_the_extension() {
    let app = TestApp::new().await;
    let agent = agent_client(&app).await;
    let params = json!({
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": { "name": "suite", "version": "1" },
    });
    let legacy = agent.send_rpc("initialize", params).await.expect(200);
    let modern = agent.send_modern_rpc("server/discover", json!({})).await;
    for answer in [legacy, modern.expect(200)] {
        let capabilities = &answer.body["result"]["capabilities"];
        assert_eq!(capabilities["extensions"][EXTENSION], json!({}));
        assert!(capabilities["resources"].is_object());
    }
}

#[tokio::test]
async fn an_entry_describes_the_file_that_is_read() {
    let app = TestApp::new().await;
    let agent = agent_client(&app).await;
    let description = "Quando usar: \"sempre\"\nE como: 12:00 # não";
    publish_skill(&agent, "legenda", "x", "antes").await;
    publish_skill(&agent, "legenda", description, "# Legenda 🎉\n").await;
    let list = request_result(&agent, "skills/list", json!({})).await;
    assert_eq!(list["resultType"], "complete");
    assert_eq!(list["cacheScope"], "private");
    assert_eq!(list["ttlMs"], 60_000);
    let entry = &list["skills"][0];
    let uri = &entry["uri"];
    assert_eq!(uri, "skill://legenda/SKILL.md");
    let got = request_result(&agent, "skills/get", json!({ "uri": uri })).await;
    assert_eq!(&got["skill"], entry);
    assert_eq!(got["resultType"], "complete");
    assert_eq!(got["cacheScope"], "private");
    assert_eq!(got["ttlMs"], 60_000);

    let file = read_resource(&agent, uri).await;
    let expected = json!([{
        "uri": uri, "digest": format!("sha256:{}", sha256_hex(file.as_bytes())), "size": file.len(),
    }]);
    assert_eq!(entry["resources"], expected);
    let (frontmatter, body) = file
        .strip_prefix("---\n")
        .and_then(|rest| rest.split_once("\n---\n\n"))
        .expect("a frontmatter");
    let frontmatter: Value = serde_yaml_ng::from_str(frontmatter).expect("YAML");
    assert_eq!(frontmatter, entry["frontmatter"]);
    let told = json!({
        "name": "legenda", "description": description, "metadata": { "version": "2" },
    });
    assert_eq!(frontmatter, told);
    assert_eq!(body, "# Legenda 🎉\n");

    let listed = request_result(&agent, "resources/list", json!({})).await;
    let listed = listed["resources"].as_array().expect("a list").clone();
    assert!(listed.iter().any(|resource| resource["uri"] == *uri));
}

#[tokio::test]
async fn a_skill_has_one_frontmatter_even_if_its_text_has_its_own() {
    let app = TestApp::new().await;
    let agent = agent_client(&app).await;
    let content = "---\nname: outra\nallowed-tools: tudo\n---\n\n# Tom\n";
    publish_skill(&agent, "tom", "Sobre o tom", content).await;
    let file = read_resource(&agent, &json!("skill://tom/SKILL.md")).await;
    assert!(file.ends_with("\n---\n\n# Tom\n"), "{file}");
    assert!(
        !file.contains("outra") && !file.contains("allowed-tools"),
        "{file}"
    );
    // Under its short URI, a skill is returned exactly as it was published.
    assert_eq!(read_resource(&agent, &json!("skill://tom")).await, content);
}

#[tokio::test]
async fn the_list_is_paged_and_leaves_out_names_that_the_format_does_not_allow() {
    let app = TestApp::new().await;
    let agent = agent_client(&app).await;
    for number in 0..51 {
        publish_skill(&agent, &format!("skill-{number:03}"), "x", "x").await;
    }
    for name in ["-a", "a--b", "a-"] {
        publish_skill(&agent, name, "x", "x").await;
        let uri = format!("skill://{name}/SKILL.md");
        let refused = agent
            .send_modern_rpc("skills/get", json!({ "uri": uri }))
            .await;
        assert_eq!(refused.body["error"]["code"], -32602, "{}", refused.text);
    }
    let mut names = vec![];
    let mut cursor = Value::Null;
    for _ in 0..2 {
        let params = match &cursor {
            Value::Null => json!({}),
            cursor => json!({ "cursor": cursor }),
        };
        let page = request_result(&agent, "skills/list", params).await;
        let skills = page["skills"].as_array().expect("a list").clone();
        names.extend(
            skills
                .into_iter()
                .map(|s| s["frontmatter"]["name"].to_string()),
        );
        cursor = page["nextCursor"].clone();
    }
    assert!(cursor.is_null());
    names.sort();
    names.dedup();
    assert_eq!(names.len(), 51);
}

#[tokio::test]
async fn uris_of_unknown_skills_cause_invalid_params() {
    let app = TestApp::new().await;
    let agent = agent_client(&app).await;
    publish_skill(&agent, "legenda", "x", "x").await;
    let long = format!("skill://{}/SKILL.md", "a".repeat(5_000));
    for uri in [
        "skill://nenhuma/SKILL.md",
        "skill://legenda",
        "skill://legenda/",
        "skill://legenda/outro.md",
        "skill://x/legenda/SKILL.md",
        "skill:///SKILL.md",
        "SKILL.md",
        "",
        &long,
    ] {
        for answer in [
            agent.send_rpc("skills/get", json!({ "uri": uri })).await,
            agent
                .send_modern_rpc("skills/get", json!({ "uri": uri }))
                .await,
        ] {
            assert_eq!(
                answer.body["error"]["code"], -32602,
                "{uri}: {}",
                answer.text
            );
            assert!(answer.text.len() < 6_000);
        }
    }
    for (method, params) in [
        ("skills/get", json!({})),
        ("skills/get", json!({ "uri": 7 })),
        ("skills/list", json!({ "cursor": "x" })),
    ] {
        let refused = agent.send_rpc(method, params.clone()).await;
        assert_rpc_error(&refused, 200, -32602);
    }
    // The method is not declared, so it is not served.
    let directory = json!({ "uri": "skill://legenda" });
    let refused = agent.send_rpc("resources/directory/read", directory).await;
    assert_rpc_error(&refused, 200, -32601);
}

#[tokio::test]
async fn a_caller_without_the_right_sees_no_skill() {
    let app = TestApp::new().await;
    let agent = agent_client(&app).await;
    publish_skill(&agent, "legenda", "x", "x").await;
    let member = app.add_member(Role::Admin).await;
    let (other, _) = app
        .token_client_with(&member, &[Capability::TasksView])
        .await;
    for client in [other, agent.with_mcp_query("toolsets=workflow")] {
        assert_eq!(
            request_result(&client, "skills/list", json!({})).await["skills"],
            json!([])
        );
        let ask = |name: &str| json!({ "uri": format!("skill://{name}/SKILL.md") });
        for method in ["skills/get", "resources/read"] {
            // An error contains the id of its request, so both requests get the same id.
            let client = client.with_header("x-request-id", "pedido-um");
            let hidden = client.send_rpc(method, ask("legenda")).await;
            let absent = client.send_rpc(method, ask("nenhuma")).await;
            assert_eq!(hidden.text, absent.text.replace("nenhuma", "legenda"));
        }
    }
    app.anonymous()
        .send_rpc("skills/list", json!({}))
        .await
        .expect(401);
}

#[tokio::test]
async fn reading_skills_by_the_extension_is_audited_like_their_tool() {
    let app = TestApp::new().await;
    let agent = agent_client(&app).await;
    publish_skill(&agent, "legenda", "x", "x").await;
    request_result(&agent, "skills/list", json!({})).await;
    request_result(
        &agent,
        "skills/get",
        json!({ "uri": "skill://legenda/SKILL.md" }),
    )
    .await;
    app.app.write_all_reads().await;
    let rows = "audit_events WHERE action = 'list_skills' AND metadata LIKE '%\"count\":2%'";
    assert_eq!(app.count_rows(rows).await, 1);
}
