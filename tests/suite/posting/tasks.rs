//! The publication of a variant as a task of the Model Context Protocol.

use domain::{Format, Role};
use serde_json::{Value, json};

use super::{
    Stage,
    double::{Call, Fault},
    plain,
};
use crate::publishing::jpeg_image;

const DECIDE: &str = "decide_publication";

async fn create_approved(stage: &Stage) -> Value {
    let files = [jpeg_image(320, 320, 1)];
    stage
        .create_approved("pão", &files, &[(Format::Feed, plain())])
        .await;
    let listed = stage.lead.get("/api/publicacoes").await.expect(200).body;
    listed["publications"][0]["id"].clone()
}

fn now(id: &Value) -> Value {
    json!({ "publication_id": id, "action": "publicar_agora" })
}

#[tokio::test]
async fn a_publication_on_demand_is_a_task_until_it_is_online() {
    let stage = Stage::new().await;
    let id = create_approved(&stage).await;
    let task = stage.lead.start_task(DECIDE, now(&id)).await;
    assert_eq!(task["status"], "working", "{task}");
    assert_eq!(task["statusMessage"], "A publicação está na fila.");
    let pause = |paused: bool| json!({ "paused": paused });
    let path = "/api/publicacoes/pausa";
    stage.lead.post(path, pause(true)).await.expect(200);
    stage.pass_minutes(2).await;
    let held = stage.lead.load_task(&task["taskId"]).await;
    assert_eq!(held["status"], "working", "{held}");
    let message = held["statusMessage"].as_str().expect("a message");
    assert!(message.to_lowercase().contains("paus"), "{message}");
    stage.lead.post(path, pause(false)).await.expect(200);
    stage.pass_minutes(4).await;
    let done = stage.lead.load_task(&task["taskId"]).await;
    assert_eq!(done["status"], "completed", "{done}");
    assert_eq!(done["result"]["isError"], false, "{done}");
    let structured = &done["result"]["structuredContent"];
    assert_eq!(structured["ok"], true);
    assert_eq!(structured["publication"]["id"], id);
    assert_eq!(structured["publication"]["status"], "published");
    stage
        .lead
        .assert_follows_output_schema(DECIDE, structured)
        .await;
}

#[tokio::test]
async fn a_canceled_task_cancels_its_publication() {
    let stage = Stage::new().await;
    let id = create_approved(&stage).await;
    let task = stage.lead.start_task(DECIDE, now(&id)).await;
    for _ in 0..2 {
        stage.lead.cancel_task(&task["taskId"]).await;
        let ended = stage.lead.load_task(&task["taskId"]).await;
        assert_eq!(ended["status"], "cancelled", "{ended}");
    }
    stage.pass_minutes(5).await;
    assert_eq!(stage.api.lock_world().posts.len(), 0);
}

#[tokio::test]
async fn a_decision_without_further_work_is_no_task() {
    let stage = Stage::new().await;
    let id = create_approved(&stage).await;
    let arguments = json!({ "publication_id": id, "action": "cancelar" });
    let params = json!({ "name": DECIDE, "arguments": arguments });
    let answer = stage.lead.send_as_task_client("tools/call", params).await;
    let result = &answer.body["result"];
    assert_eq!(result["resultType"], "complete", "{}", answer.text);
    let publication = &result["structuredContent"]["publication"];
    assert_eq!(publication["status"], "canceled", "{}", answer.text);
}

#[tokio::test]
async fn a_failed_publication_is_an_error_with_its_reason_and_no_task_of_a_creator() {
    let stage = Stage::new().await;
    stage.api.lock_world().failures.push(("pão", "2207026"));
    let id = create_approved(&stage).await;
    let task = stage.lead.start_task(DECIDE, now(&id)).await;
    stage.pass_minutes(10).await;
    let ended = stage.lead.load_task(&task["taskId"]).await;
    assert_eq!(ended["status"], "completed", "{ended}");
    assert_eq!(ended["result"]["isError"], true, "{ended}");
    let text = ended["result"]["content"][0]["text"]
        .as_str()
        .expect("a text");
    assert!(text.contains("\nPróximo passo: "), "{text}");
    let creator = stage.app.as_member(Role::Criador).await;
    for method in ["tasks/get", "tasks/cancel"] {
        let params = json!({ "taskId": task["taskId"] });
        let refused = creator.send_as_task_client(method, params).await;
        assert_eq!(refused.body["error"]["code"], -32602, "{}", refused.text);
    }
}

#[tokio::test]
async fn a_publication_that_waits_for_a_person_is_not_canceled_with_its_task() {
    let stage = Stage::new().await;
    let id = create_approved(&stage).await;
    stage.pass_minutes(59).await;
    stage.api.fail_next(Call::Publish, Fault::GatewayBefore);
    stage.pass_minutes(14).await;
    let task = json!(format!("postagem-{}", id.as_str().expect("an id")));
    stage.lead.cancel_task(&task).await;
    let listed = stage.lead.get("/api/publicacoes").await.expect(200).body;
    assert_eq!(listed["publications"][0]["status"], "unknown", "{listed}");
    let ended = stage.lead.load_task(&task).await;
    assert_eq!(ended["status"], "completed", "{ended}");
}

#[tokio::test]
async fn a_client_that_only_reads_cancels_no_task() {
    let stage = Stage::new().await;
    let id = create_approved(&stage).await;
    let task = stage.lead.start_task(DECIDE, now(&id)).await;
    let reader = stage.lead.with_mcp_query("readonly=true");
    assert_eq!(reader.load_task(&task["taskId"]).await["status"], "working");
    let params = json!({ "taskId": task["taskId"] });
    let refused = reader.send_as_task_client("tasks/cancel", params).await;
    assert_eq!(refused.body["error"]["code"], -32602, "{}", refused.text);
    let listed = stage.lead.get("/api/publicacoes").await.expect(200).body;
    assert_eq!(listed["publications"][0]["status"], "scheduled", "{listed}");
}
