//! Narrowed tool lists.

use domain::{Level, Role};
use serde_json::json;
use tools::operations;

use super::{assert_unknown_tool, tools_where};
use crate::support::{Client, TestApp};

/// The tools that a token with every right sees in these areas, or in all areas if none is named.
/// `get_me` is always among them, and so is the tool of the views, which hosts hide from the model.
fn tools_in_areas(areas: &[&str], read_only: bool) -> Vec<String> {
    let writes = |tool: &str| {
        let entry = operations()
            .find(|entry| entry.spec.name == tool)
            .expect("a tool");
        entry.spec.is_write() || tool == "generate_script"
    };
    tools_where(|rule| {
        let Some(tool) = rule.tool else { return false };
        let in_area = areas.is_empty() || areas.contains(&rule.area) || ["get_me", "draw_view"].contains(&tool);
        in_area && !(read_only && writes(tool))
    })
}

#[tokio::test]
async fn toolsets_and_readonly_narrow_by_query_and_by_header() {
    let app = TestApp::new().await;
    let token = app
        .token_client(&app.add_member_with(Role::Admin, Level::Admin, true).await)
        .await;
    let toolsets = |list: &str| token.with_header("x-mcp-toolsets", list);
    let read_only = |flag: &str| token.with_header("x-mcp-readonly", flag);
    let cases: [(&str, Client, Vec<String>); 13] = [
        ("nothing asked", token.clone(), tools_in_areas(&[], false)),
        (
            "query",
            token.with_mcp_query("toolsets=workflow"),
            tools_in_areas(&["workflow"], false),
        ),
        (
            "two in a query",
            token.with_mcp_query("toolsets=workflow,config"),
            tools_in_areas(&["workflow", "config"], false),
        ),
        (
            "header",
            toolsets("config"),
            tools_in_areas(&["config"], false),
        ),
        (
            "spaces",
            toolsets(" config , workflow "),
            tools_in_areas(&["config", "workflow"], false),
        ),
        (
            "query and header",
            toolsets("config,access").with_mcp_query("toolsets=workflow,config"),
            tools_in_areas(&["config"], false),
        ),
        (
            "nothing in common",
            toolsets("config").with_mcp_query("toolsets=workflow"),
            tools_in_areas(&["-"], false),
        ),
        (
            "an area without tools",
            token.with_mcp_query("toolsets=members"),
            tools_in_areas(&["-"], false),
        ),
        (
            "readonly by query",
            token.with_mcp_query("readonly=true"),
            tools_in_areas(&[], true),
        ),
        (
            "readonly by header",
            read_only("true"),
            tools_in_areas(&[], true),
        ),
        (
            "one says no",
            read_only("false").with_mcp_query("readonly=true"),
            tools_in_areas(&[], true),
        ),
        (
            "readonly=false",
            token.with_mcp_query("readonly=false"),
            tools_in_areas(&[], false),
        ),
        (
            "both kinds",
            read_only("true").with_mcp_query("toolsets=workflow"),
            tools_in_areas(&["workflow"], true),
        ),
    ];
    let all = token.tool_names().await;
    for (what, client, expected) in cases {
        let found = client.tool_names().await;
        assert_eq!(found, expected, "{what}");
        assert!(found.contains(&"get_me".to_owned()), "{what}");
        for tool in all.iter().filter(|tool| !found.contains(tool)) {
            assert_unknown_tool(&client, tool).await;
        }
    }
    assert!(tools_in_areas(&["workflow"], true).len() < tools_in_areas(&["workflow"], false).len());
}

#[tokio::test]
async fn narrowing_never_adds_a_tool() {
    let app = TestApp::new().await;
    let token = app
        .token_client(
            &app.add_member_with(Role::Criador, Level::Leitor, false)
                .await,
        )
        .await;
    let own = token.tool_names().await;
    for area in ["access", "workflow", "config", "members", "system"] {
        for query in [
            format!("toolsets={area}"),
            format!("toolsets={area}&readonly=false"),
        ] {
            let found = token.with_mcp_query(&query).tool_names().await;
            assert!(
                found.iter().all(|tool| own.contains(tool)),
                "{query}: {found:?}"
            );
        }
    }
}

#[tokio::test]
async fn an_unknown_toolset_flag_or_parameter_is_refused() {
    let app = TestApp::new().await;
    let token = app.token_client(&app.add_member(Role::Admin).await).await;
    let faulty = [
        (token.with_mcp_query("toolsets=workflow,tudo"), "toolsets"),
        (
            token.with_header("x-mcp-toolsets", "Workflow"),
            "X-MCP-Toolsets",
        ),
        (token.with_mcp_query("readonly=talvez"), "readonly"),
        (token.with_header("x-mcp-readonly", "sim"), "X-MCP-Readonly"),
        (token.with_mcp_query("toolset=workflow"), "toolset"),
    ];
    for (client, field) in faulty {
        for answer in [
            client.send_rpc("tools/list", json!({})).await,
            client
                .send_modern_rpc("tools/call", json!({ "name": "get_me", "arguments": {} }))
                .await,
        ] {
            assert_eq!(answer.invalid_fields(), [field]);
        }
    }
}
