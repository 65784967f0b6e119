//! Narrowed tool lists.

use domain::{Level, Role};
use serde_json::json;
use tools::operations;

use super::{assert_unknown_tool, tools_where};
use crate::support::{Client, TestApp};

/// Returns the tools that a token with every right sees in these areas, or in all areas if none is
/// named. `get_me` is always among them, and so is the tool of the views, which hosts hide from the
/// model.
fn tools_in_areas(areas: &[&str], read_only: bool) -> Vec<String> {
    let writes = |tool: &str| {
        let entry = operations()
            .find(|entry| entry.spec.name == tool)
            .expect("a tool");
        entry.spec.is_write() || tool == "generate_script"
    };
    tools_where(|rule| {
        let Some(tool) = rule.tool else { return false };
        let in_area = areas.is_empty()
            || areas.contains(&rule.area)
            || ["get_me", "draw_view"].contains(&tool);
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

/// The tools that generate an image, a video or audio, which a directory does not accept. The list
/// is written out here so that a change of the profile fails these tests.
const GENERATORS: [&str; 3] = [
    "generate_art",
    "generate_carousel",
    "start_video_generation",
];

#[tokio::test]
async fn the_directory_profile_differs_by_the_tools_that_generate_media() {
    let app = TestApp::new().await;
    let token = app
        .token_client(&app.add_member_with(Role::Admin, Level::Admin, true).await)
        .await;
    let all = token.tool_names().await;
    let directory = token.with_mcp_query("perfil=diretorio");
    let kept = directory.tool_names().await;
    let expected: Vec<&String> = all
        .iter()
        .filter(|tool| !GENERATORS.contains(&tool.as_str()))
        .collect();
    assert_eq!(
        kept.iter().collect::<Vec<_>>(),
        expected,
        "the same order too"
    );
    assert_eq!(all.len() - kept.len(), GENERATORS.len());
    for tool in GENERATORS {
        assert_unknown_tool(&directory, tool).await;
        let asked = json!({ "name": tool, "arguments": {} });
        let modern = directory.send_modern_rpc("tools/call", asked).await;
        assert_eq!(
            modern.body["error"]["code"], -32602,
            "{tool}: {}",
            modern.text
        );
    }
    // The remaining tools have the same descriptions as without the profile, and can be called.
    let whole = token.send_rpc("tools/list", json!({})).await.body;
    let narrowed = directory.send_rpc("tools/list", json!({})).await.body;
    let described = whole["result"]["tools"].as_array().expect("tools").iter();
    let described: Vec<_> = described
        .filter(|tool| kept.iter().any(|name| tool["name"] == name.as_str()))
        .collect();
    assert_eq!(
        narrowed["result"]["tools"]
            .as_array()
            .expect("tools")
            .iter()
            .collect::<Vec<_>>(),
        described
    );
    let me = json!({ "name": "get_me", "arguments": {} });
    assert!(directory.send_rpc("tools/call", me).await.body["result"].is_object());
}

#[tokio::test]
async fn the_directory_profile_narrows_together_with_toolsets() {
    let app = TestApp::new().await;
    let token = app.token_client(&app.add_member(Role::Admin).await).await;
    let both = token.with_mcp_query("toolsets=workflow,media,video&perfil=diretorio");
    let found = both.tool_names().await;
    let expected = tools_in_areas(&["workflow", "media", "video"], false);
    let expected: Vec<_> = expected
        .into_iter()
        .filter(|tool| !GENERATORS.contains(&tool.as_str()))
        .filter(|tool| found.contains(tool))
        .collect();
    assert_eq!(found, expected);
    assert!(found.contains(&"list_media".to_owned()));
    let twice = token.with_mcp_query("perfil=diretorio&perfil=diretorio");
    let once = token.with_mcp_query("perfil=diretorio");
    assert_eq!(twice.tool_names().await, once.tool_names().await);
}

#[tokio::test]
async fn a_tool_that_the_profile_leaves_out_is_answered_like_an_unknown_tool() {
    let app = TestApp::new().await;
    let reader = app
        .add_member_with(Role::Criador, Level::Leitor, false)
        .await;
    let token = app.token_client(&reader).await;
    let directory = token.with_mcp_query("perfil=diretorio");
    for tool in GENERATORS {
        assert_unknown_tool(&directory, tool).await;
    }
}

#[tokio::test]
async fn an_unknown_profile_is_refused() {
    let app = TestApp::new().await;
    let token = app.token_client(&app.add_member(Role::Admin).await).await;
    for query in [
        "perfil=chatgpt",
        "perfil=",
        "perfil=Diretorio",
        "perfil=diretorio,chatgpt",
        "perfil=diretorio&perfil=outro",
        "perfil=%3Cscript%3E",
    ] {
        let answer = token
            .with_mcp_query(query)
            .send_rpc("tools/list", json!({}))
            .await;
        assert_eq!(answer.status, 400, "{query}");
        assert_eq!(answer.invalid_fields(), ["perfil"], "{query}");
        assert!(!answer.text.contains("script"), "{query}");
    }
}
