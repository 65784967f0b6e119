//! MCP Apps: documents, fragments and access.

use domain::{Capability, Level, Role};
use serde_json::{Value, json};

use crate::support::{Client, TestApp};

const DOCUMENT: &str = "text/html;profile=mcp-app";

async fn read_resource(client: &Client, uri: &str) -> Value {
    let answer = client
        .send_rpc("resources/read", json!({ "uri": uri }))
        .await;
    answer.body["result"]["contents"][0].clone()
}

async fn list_resources(client: &Client) -> Vec<String> {
    let answer = client
        .send_rpc("resources/list", json!({}))
        .await
        .expect(200);
    let resources = answer.body["result"]["resources"]
        .as_array()
        .expect("a list")
        .clone();
    let uris = resources
        .iter()
        .map(|resource| resource["uri"].as_str().expect("a URI").to_owned());
    uris.filter(|uri| uri.starts_with("ui://")).collect()
}

const URIS: [&str; 4] = [
    "ui://pauta/aprovacao",
    "ui://pauta/agenda",
    "ui://pauta/midias",
    "ui://pauta/lancamento",
];

/// Returns the tools that name a view, with its URI, sorted.
fn linked_tools(tools: &Value) -> Vec<(&str, &str)> {
    let tools = tools.as_array().expect("a list").iter();
    let linked = tools.filter_map(|tool| {
        let uri = tool["_meta"]["ui"]["resourceUri"].as_str()?;
        Some((tool["name"].as_str().expect("a name"), uri))
    });
    let mut linked: Vec<_> = linked.collect();
    linked.sort_unstable();
    linked
}

#[tokio::test]
async fn the_views_are_resources_that_their_tools_name() {
    let app = TestApp::new().await;
    let admin = app.add_member_with(Role::Admin, Level::Admin, true).await;
    let token = app.token_client(&admin).await;
    assert_eq!(list_resources(&token).await, URIS);
    let listed = token
        .send_rpc("tools/list", json!({}))
        .await
        .expect(200)
        .body;
    let tools = &listed["result"]["tools"];
    assert_eq!(
        linked_tools(tools),
        [
            ("get_launch_decision_panel", "ui://pauta/lancamento"),
            ("get_launch_summary", "ui://pauta/lancamento"),
            ("list_events", "ui://pauta/agenda"),
            ("list_media", "ui://pauta/midias"),
            ("list_pending_approvals", "ui://pauta/aprovacao"),
        ]
    );
    for uri in URIS {
        let document = read_resource(&token, uri).await;
        assert_eq!(document["mimeType"], DOCUMENT);
        let text = document["text"].as_str().expect("text");
        assert!(
            text.contains("ui/initialize") && text.contains("--color-background-primary"),
            "{text}"
        );
        // The document loads nothing from other hosts, and sends nothing but messages to its host.
        assert_eq!(document["_meta"]["ui"]["csp"]["connectDomains"], json!([]));
        for forbidden in [
            "src=",
            "http",
            "fetch(",
            "XMLHttpRequest",
            "innerHTML",
            "eval(",
        ] {
            assert!(!text.contains(forbidden), "{uri} contains {forbidden}");
        }
    }
}

#[tokio::test]
async fn draw_view_is_listed_for_views_and_hidden_from_models() {
    let app = TestApp::new().await;
    let lead = app.add_member(Role::Lider).await;
    let token = app.token_client(&lead).await;
    for path in ["/api/mcp", "/api/mcp?toolsets=workflow"] {
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
        let listed = token.post(path, call).await.expect(200).body;
        let tools = listed["result"]["tools"]
            .as_array()
            .expect("a list")
            .clone();
        let hidden: Vec<_> = tools
            .iter()
            .filter(|tool| tool["_meta"]["ui"]["visibility"] == json!(["app"]))
            .map(|tool| tool["name"].clone())
            .collect();
        assert_eq!(hidden, ["draw_view"], "{path}");
    }
    // Documents for models do not mention the tool.
    for document in ["/llms.txt", "/llms-full.txt"] {
        let text = app.anonymous().get(document).await.expect(200).text;
        assert!(!text.contains("draw_view"), "{document}");
    }
}

/// Calls `draw_view` over MCP.
async fn call_draw_view(client: &Client, uri: &str) -> Value {
    let call = json!({ "name": "draw_view", "arguments": { "uri": uri } });
    client.send_rpc("tools/call", call).await.body["result"].clone()
}

#[tokio::test]
async fn draw_view_draws_only_what_the_caller_may_read() {
    let app = TestApp::new().await;
    let lead = app.add_member(Role::Lider).await;
    let (session, token) = (
        app.session_client(&lead).await,
        app.token_client(&lead).await,
    );
    session.create_demand(json!({ "title": "Festa" })).await;
    let uri = "ui://pauta/agenda/lista";
    let drawn = call_draw_view(&token, uri).await;
    let html = &drawn["structuredContent"]["html"];
    assert!(html.as_str().expect("text").contains("Festa"), "{drawn}");
    assert_eq!(read_resource(&token, uri).await["text"], *html);
    let (rest, query) = ("/api/visoes", "uri=ui%3A%2F%2Fpauta%2Fagenda%2Flista");
    let over_rest = token.get(&format!("{rest}?{query}")).await.expect(200).body;
    assert_eq!(over_rest["html"], *html);

    // A fragment needs the capability of the operation that reads its data.
    let (reader, _) = app.token_client_with(&lead, &[Capability::TasksView]).await;
    assert_eq!(call_draw_view(&reader, uri).await["isError"], false);
    for uri in ["ui://pauta/midias/lista", "ui://pauta/lancamento/x"] {
        let refused = call_draw_view(&reader, uri).await;
        let text = refused["content"][0]["text"].as_str().expect("text");
        assert!(
            refused["isError"] == true && text.starts_with("CAPABILITY_REQUIRED"),
            "{text}"
        );
    }
    app.anonymous()
        .get(&format!("{rest}?{query}"))
        .await
        .expect(401);
    for (uri, code) in [
        ("ui://pauta/outra/lista", "NOT_FOUND"),
        ("ui://pauta/agendas/lista", "NOT_FOUND"),
        ("ui://pauta/agenda", "INVALID_INPUT"),
        ("ui://pauta/agenda/lista?limit=0", "INVALID_INPUT"),
        ("ui://pauta/agenda/lista?nada=1", "INVALID_INPUT"),
        ("https://pauta/agenda/lista", "INVALID_INPUT"),
    ] {
        let refused = call_draw_view(&token, uri).await;
        let text = refused["content"][0]["text"].as_str().expect("text");
        assert!(text.starts_with(code), "{uri}: {text}");
    }
}

#[tokio::test]
async fn a_fragment_is_drawn_only_for_members_who_may_see_it() {
    let app = TestApp::new().await;
    let lead = app.add_member(Role::Lider).await;
    let (session, token) = (
        app.session_client(&lead).await,
        app.token_client(&lead).await,
    );
    let id = session
        .create_demand(json!({ "title": "<i>Festa</i>" }))
        .await;
    let submit =
        json!({ "event_id": id, "expected_revision": 1, "caption": "Legenda <b>pronta</b>" });
    session.post("/api/enviar", submit).await.expect(200);
    let uri = format!("ui://pauta/aprovacao/{id}");
    let card = read_resource(&token, &uri).await;
    let text = card["text"].as_str().expect("text");
    assert!(text.contains("&lt;i&gt;Festa") && text.contains("Legenda &lt;b&gt;pronta"));
    assert!(text.contains("data-revision=\"2\"") && text.contains("Recusar com este motivo"));

    let agenda = read_resource(
        &token,
        "ui://pauta/agenda/lista?status=em+aprova%C3%A7%C3%A3o",
    )
    .await;
    assert!(
        agenda["text"]
            .as_str()
            .expect("text")
            .contains("Em aprovação")
    );
    // The fragment has the same cards as the console, with absolute links.
    let text = agenda["text"].as_str().expect("text");
    assert!(text.contains(&format!("<li id=\"e-{id}\"")) && text.contains("&lt;i&gt;Festa"));
    let link = format!(
        "href=\"{}/eventos/{id}\"",
        app.app.gateway.services.public_url
    );
    assert!(text.contains(&link), "{text}");
    assert!(!text.contains("draggable=\"true\"") && !text.contains("/demandas/nova"));
    let none = read_resource(&token, "ui://pauta/agenda/lista?status=publicado").await;
    assert!(
        none["text"]
            .as_str()
            .expect("text")
            .contains("Nada na agenda")
    );
    for unknown in [
        "ui://pauta/aprovacao/x",
        "ui://pauta/outra",
        "ui://pauta/agendas",
        "ui://",
    ] {
        assert_eq!(
            read_resource(&token, unknown).await,
            Value::Null,
            "{unknown}"
        );
    }

    // A member who may not approve can read neither the document nor the fragment of the approval
    // card.
    let (reader, _) = app.token_client_with(&lead, &[Capability::TasksView]).await;
    assert_eq!(list_resources(&reader).await, ["ui://pauta/agenda"]);
    for uri in ["ui://pauta/aprovacao", uri.as_str()] {
        assert_eq!(read_resource(&reader, uri).await, Value::Null);
    }
}
