//! An agent's steps over MCP from a connected account to a published event.

use domain::Role;
use serde_json::{Value, json};

use super::{Stage, double::ACCOUNT};
use crate::support::Client;

async fn call_tool(agent: &Client, tool: &str, arguments: Value) -> Value {
    let answer = agent.call_tool(tool, arguments).await;
    assert!(!answer.is_error, "{tool}: {}", answer.text);
    answer.structured
}

#[tokio::test]
async fn an_agent_generates_approves_and_publishes_with_the_connected_account() {
    let stage = Stage::new().await;
    let member = stage.app.add_member(Role::Lider).await;
    let agent = stage.app.token_client(&member).await;
    let accounts = call_tool(&agent, "list_connected_accounts", json!({})).await;
    assert_eq!(accounts["accounts"][0]["account_id"], ACCOUNT);
    let options = call_tool(&agent, "get_shortvideo_creator_info", json!({})).await;
    assert_eq!(options["max_video_post_duration_sec"], 300);

    let demand = json!({ "title": "Três erros com alho", "channel": "tiktok" });
    let event = call_tool(&agent, "create_demand", demand).await["event_id"].clone();
    let art = json!({ "prompt": "Queimar, picar cedo, guardar na geladeira", "event_id": event });
    let media = call_tool(&agent, "generate_art", art).await;
    let early = json!({ "mediaIds": [media["id"]], "privacy_level": "SELF_ONLY" });
    let early = agent.call_tool("publish_shortvideo", early).await;
    assert!(
        early.is_error && early.text.contains("NOT_APPROVED"),
        "{}",
        early.text
    );

    let draft = json!({
        "event_id": event, "caption": "Três erros com alho #cozinha",
        "expected_revision": media["api_revision"],
    });
    let draft = call_tool(&agent, "save_draft", draft).await;
    let sent = json!({ "event_id": event, "expected_revision": draft["api_revision"] });
    call_tool(&agent, "submit_for_approval", sent).await;
    let decided = json!({ "event_id": event, "action": "aprovar" });
    call_tool(&agent, "decide_approval", decided).await;

    let publish = json!({
        "mediaIds": [media["id"]], "privacy_level": options["privacy_level_options"][0],
        "idempotency_key": "alho-0001",
    });
    let published = call_tool(&agent, "publish_shortvideo", publish.clone()).await;
    assert_eq!(published["status"], "processing");
    assert_eq!(published["event_id"], event);
    assert_eq!(
        call_tool(&agent, "publish_shortvideo", publish).await,
        published
    );
    let query = json!({ "publication_id": published["publication_id"] });
    let told = call_tool(&agent, "list_shortvideo_publications", query.clone()).await;
    assert_eq!(told["publications"][0]["status"], "processing");

    stage.pass_minutes(3).await;
    let told = call_tool(&agent, "list_shortvideo_publications", query).await;
    assert_eq!(told["publications"][0]["status"], "published");
    let read = call_tool(&agent, "get_event", json!({ "eventId": event })).await;
    assert_eq!(read["evento"]["status"], "publicado");
    assert_eq!(read["historico"][0]["action"], "publish_shortvideo");
    let world = stage.api.lock_world();
    assert_eq!(
        world.online_effects("Três erros com alho #cozinha").len(),
        1
    );
    assert!(world.refusals.is_empty(), "{:?}", world.refusals);
}
