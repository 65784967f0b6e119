//! Publications as tasks of the Model Context Protocol.

use serde_json::json;

use super::{
    Stage,
    double::{Call, Fault},
    jpeg_image, photos_input, upload_file,
};

const PUBLISH: &str = "publish_shortvideo";

#[tokio::test]
async fn a_publication_is_a_task_until_it_is_online() {
    let stage = Stage::new().await;
    let media = upload_file(&stage.lead, &jpeg_image(720, 1280, 1), None).await;
    let task = stage.lead.start_task(PUBLISH, photos_input(&[media])).await;
    assert_eq!(task["status"], "working", "{task}");
    assert_eq!(task["statusMessage"], "O TikTok está processando.");
    // A publication cannot be cancelled: the request is acknowledged and has no effect.
    stage.lead.cancel_task(&task["taskId"]).await;
    stage.pass_minutes(3).await;
    let published = stage.only_publication().await;
    assert_eq!(published["status"], "published", "{published}");
    let done = stage.lead.load_task(&task["taskId"]).await;
    assert_eq!(done["status"], "completed", "{done}");
    let result = &done["result"];
    assert_eq!(result["isError"], false, "{result}");
    let structured = &result["structuredContent"];
    assert_eq!(structured["ok"], true);
    assert_eq!(structured["publication_id"], published["id"]);
    assert_eq!(structured["publish_id"], published["publish_id"]);
    assert_eq!(structured["status"], "published");
    assert_eq!(stage.api.lock_world().effects.len(), 1);
    stage
        .lead
        .assert_follows_output_schema(PUBLISH, structured)
        .await;
}

#[tokio::test]
async fn a_refused_publication_is_no_task_and_a_failed_one_is_an_error() {
    let stage = Stage::new().await;
    let media = upload_file(&stage.lead, &jpeg_image(720, 1280, 1), None).await;
    stage
        .api
        .fail_next(Call::Photos, Fault::ErrorIn200("spam_risk_too_many_posts"));
    let params = json!({ "name": PUBLISH, "arguments": photos_input(&[media]) });
    let refused = stage.lead.send_as_task_client("tools/call", params).await;
    assert_eq!(refused.body["result"]["isError"], true, "{}", refused.text);
    let failed = stage.only_publication().await;
    let id = json!(format!(
        "publicacao-{}",
        failed["id"].as_str().expect("an id")
    ));
    let ended = stage.lead.load_task(&id).await;
    assert_eq!(ended["status"], "completed", "{ended}");
    assert_eq!(ended["result"]["isError"], true);
    let text = ended["result"]["content"][0]["text"]
        .as_str()
        .expect("a text");
    assert!(text.contains("\nPróximo passo: "), "{text}");
}

#[tokio::test]
async fn a_publication_is_confirmed_before_it_is_a_task() {
    let stage = Stage::new().await;
    let media = upload_file(&stage.lead, &jpeg_image(720, 1280, 1), None).await;
    let capabilities = json!({
        "elicitation": { "form": {} }, "extensions": { "io.modelcontextprotocol/tasks": {} },
    });
    let mut params = json!({
        "name": PUBLISH, "arguments": photos_input(&[media]),
        "_meta": { "io.modelcontextprotocol/clientCapabilities": capabilities },
    });
    let asked = stage
        .lead
        .send_modern_rpc("tools/call", params.clone())
        .await;
    assert_eq!(
        asked.body["result"]["resultType"], "input_required",
        "{}",
        asked.text
    );
    assert!(stage.api.lock_world().effects.is_empty());
    params["inputResponses"] = json!({
        "confirmacao": { "action": "accept", "content": { "confirmo": true } },
    });
    let started = stage.lead.send_modern_rpc("tools/call", params).await;
    assert_eq!(
        started.body["result"]["resultType"], "task",
        "{}",
        started.text
    );
    assert_eq!(stage.api.lock_world().effects.len(), 1);
}
