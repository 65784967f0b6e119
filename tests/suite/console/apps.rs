//! MCP Apps: documents, fragments and access.

use domain::{Capability, Role};
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

#[tokio::test]
async fn the_views_are_resources_to_which_two_tools_refer() {
    let app = TestApp::new().await;
    let lead = app.add_member(Role::Lider).await;
    let token = app.token_client(&lead).await;
    assert_eq!(
        list_resources(&token).await,
        ["ui://pauta/aprovacao", "ui://pauta/agenda"]
    );
    let tools = token
        .send_rpc("tools/list", json!({}))
        .await
        .expect(200)
        .body["result"]["tools"]
        .clone();
    let mut linked = vec![];
    for tool in tools.as_array().expect("a list") {
        if let Some(uri) = tool["_meta"]["ui"]["resourceUri"].as_str() {
            linked.push((
                tool["name"].as_str().expect("a name").to_owned(),
                uri.to_owned(),
            ));
        }
    }
    linked.sort();
    let expected = [
        ("list_events", "ui://pauta/agenda"),
        ("list_pending_approvals", "ui://pauta/aprovacao"),
    ];
    assert_eq!(
        linked,
        expected.map(|(tool, uri)| (tool.to_owned(), uri.to_owned()))
    );
    for uri in ["ui://pauta/aprovacao", "ui://pauta/agenda"] {
        let document = read_resource(&token, uri).await;
        assert_eq!(document["mimeType"], DOCUMENT);
        let text = document["text"].as_str().expect("text");
        assert!(
            text.contains("ui/initialize") && text.contains("--accent"),
            "{text}"
        );
        // The document loads nothing from other hosts.
        assert_eq!(document["_meta"]["ui"]["csp"]["connectDomains"], json!([]));
        assert!(!text.contains("src=") && !text.contains("http"), "{text}");
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
