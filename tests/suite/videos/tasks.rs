//! Videos as tasks of the Model Context Protocol. A task is another view of the row of its video.

use domain::Capability;

use super::*;

const START: &str = "start_video_generation";

/// Parses the id of the video from the id of its task.
fn parse_video_id(task: &Value) -> String {
    let id = task["taskId"].as_str().expect("an id");
    id.strip_prefix("video-").expect("a video").to_owned()
}

async fn assert_unknown_task(client: &Client, id: &Value) {
    for method in ["tasks/get", "tasks/cancel", "tasks/update"] {
        let params = json!({ "taskId": id, "inputResponses": {} });
        let refused = client.send_as_task_client(method, params).await;
        assert_eq!(refused.body["error"]["code"], -32602, "{}", refused.text);
        assert_eq!(
            refused.body["error"]["message"],
            "Tarefa desconhecida: não existe, ou é de outra pessoa.",
            "{method} {id}"
        );
    }
}

#[tokio::test]
async fn a_video_is_a_task_for_a_client_that_polls_tasks() {
    let (api, app, lead) = service_with_video_api(Dialect::OpenAi).await;
    let mut input = video_input();
    input["idempotency_key"] = "um-video-so".into();
    let task = lead.start_task(START, input.clone()).await;
    assert_eq!(
        (&task["status"], &task["statusMessage"]),
        (&json!("working"), &json!("O vídeo está na fila."))
    );
    let video = load_video(&lead, &parse_video_id(&task)).await;
    assert_eq!(task["createdAt"], video["created_at"]);
    // A repeated call with the same key returns the same task.
    assert_eq!(
        lead.start_task(START, input).await["taskId"],
        task["taskId"]
    );
    assert_eq!(app.count_rows("videos").await, 1);

    run_due_jobs(&app).await;
    api.set_phase(&Phase::Running(40));
    pass_half_a_minute(&app).await;
    let working = lead.load_task(&task["taskId"]).await;
    assert_eq!(
        (&working["status"], &working["statusMessage"]),
        (&json!("working"), &json!("O vídeo está em 40 %."))
    );
    assert!(working.get("result").is_none(), "{working}");

    api.set_phase(&Phase::Done);
    let video = run_until_ended(&app, &lead, &parse_video_id(&task)).await;
    let done = lead.load_task(&task["taskId"]).await;
    assert_eq!(done["status"], "completed", "{done}");
    assert_eq!(done["lastUpdatedAt"], video["updated_at"]);
    let result = &done["result"];
    assert_eq!(result["isError"], false);
    let structured = json!({ "id": video["id"], "status": "completed" });
    assert_eq!(result["structuredContent"], structured, "{result}");
    assert_eq!(result["content"][0]["text"], structured.to_string());
    let whole = result["content"][1]["text"].as_str().expect("a text");
    let whole: Value = serde_json::from_str(whole).expect("JSON");
    assert_eq!(whole["media"]["id"], video["media"]["id"]);
}

#[tokio::test]
async fn a_video_that_failed_is_a_completed_task_with_an_error() {
    let (api, app, lead) = service_with_video_api(Dialect::Runway).await;
    api.fail_next(Call::Submit, &[Fault::Nonsense]);
    let task = lead.start_task(START, video_input()).await;
    run_due_jobs(&app).await;
    run_until_ended(&app, &lead, &parse_video_id(&task)).await;
    let ended = lead.load_task(&task["taskId"]).await;
    assert_eq!(ended["status"], "completed", "{ended}");
    let result = &ended["result"];
    assert_eq!(result["isError"], true);
    assert!(result.get("structuredContent").is_none(), "{result}");
    let text = result["content"][0]["text"].as_str().expect("a text");
    assert!(text.starts_with("OUTCOME_UNKNOWN: "), "{text}");
    assert!(
        text.contains("\nPróximo passo: ") && text.contains("\nPedido: "),
        "{text}"
    );
}

#[tokio::test]
async fn a_canceled_task_cancels_its_video_once() {
    let (_api, app, lead) = service_with_video_api(Dialect::Gemini).await;
    let task = lead.start_task(START, video_input()).await;
    for _ in 0..2 {
        lead.cancel_task(&task["taskId"]).await;
        let state = lead.load_task(&task["taskId"]).await;
        assert_eq!(state["status"], "cancelled", "{state}");
    }
    assert_eq!(
        load_video(&lead, &parse_video_id(&task)).await["status"],
        "canceled"
    );
    // The second request is acknowledged without a call, because the task has ended.
    let audited = "audit_events WHERE action = 'cancel_video_generation' AND outcome = 'succeeded'";
    assert_eq!(app.count_rows(audited).await, 1);
    // For a video that is done, the requests are acknowledged and change nothing.
    let (api, app, lead) = service_with_video_api(Dialect::OpenAi).await;
    let task = lead.start_task(START, video_input()).await;
    run_due_jobs(&app).await;
    api.set_phase(&Phase::Done);
    run_until_ended(&app, &lead, &parse_video_id(&task)).await;
    let params = json!({ "taskId": task["taskId"], "inputResponses": { "x": {} } });
    for method in ["tasks/cancel", "tasks/update"] {
        let answer = lead.send_as_task_client(method, params.clone()).await;
        assert_eq!(
            answer.body["result"]["resultType"], "complete",
            "{}",
            answer.text
        );
    }
    assert_eq!(lead.load_task(&task["taskId"]).await["status"], "completed");
}

#[tokio::test]
async fn a_task_of_somebody_else_looks_nonexistent() {
    let (_api, app, lead) = service_with_video_api(Dialect::OpenAi).await;
    let task = lead.start_task(START, video_input()).await;
    let id = &task["taskId"];
    let other = app.token_client(&app.add_member(Role::Lider).await).await;
    // The other lead may see the video, but did not start the task.
    load_video(&other, &parse_video_id(&task)).await;
    assert_unknown_task(&other, id).await;
    let member = app.add_member(Role::Lider).await;
    let (blind, _) = app.token_client_with(&member, &[Capability::Video]).await;
    assert_unknown_task(&blind, id).await;
    let narrowed = lead.with_mcp_query("toolsets=system");
    assert_unknown_task(&narrowed, id).await;
    let text = id.as_str().expect("an id");
    let bare = text.trim_start_matches("video-");
    let long = format!("video-{}", "a".repeat(300));
    let other_kind = format!("publicacao-{bare}");
    let upper = text.to_uppercase();
    for guessed in [
        "video-",
        "x",
        "video-x",
        bare,
        &other_kind,
        &long,
        &upper,
        "publicacao-x",
    ] {
        assert_unknown_task(&lead, &json!(guessed)).await;
    }
    assert_eq!(lead.load_task(id).await["status"], "working");
}

#[tokio::test]
async fn clients_that_do_not_poll_tasks_get_the_ordinary_result() {
    let (_api, app, lead) = service_with_video_api(Dialect::OpenAi).await;
    let params = json!({ "name": START, "arguments": video_input() });
    let declared = json!({
        "io.modelcontextprotocol/clientCapabilities": {
            "extensions": { "io.modelcontextprotocol/tasks": {} },
        },
    });
    let mut legacy = params.clone();
    legacy["_meta"] = declared;
    let member = app.add_member(Role::Lider).await;
    let (blind, _) = app.token_client_with(&member, &[Capability::Video]).await;
    for answer in [
        lead.send_modern_rpc("tools/call", params.clone()).await,
        lead.send_rpc("tools/call", legacy).await,
        // This client may not read the state of a video, so it could not poll a task.
        blind.send_as_task_client("tools/call", params).await,
    ] {
        let result = &answer.body["result"];
        assert_eq!(
            result["structuredContent"]["status"], "queued",
            "{}",
            answer.text
        );
        assert_ne!(result["resultType"], "task");
    }
    let id = format!("video-{}", start_video(&lead, video_input()).await);
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        let params = json!({ "taskId": id, "inputResponses": {} });
        let refused = lead.send_modern_rpc(method, params).await;
        assert_eq!(refused.body["error"]["code"], -32021, "{}", refused.text);
        let needed = &refused.body["error"]["data"]["requiredCapabilities"];
        assert!(
            needed["extensions"]["io.modelcontextprotocol/tasks"].is_object(),
            "{needed}"
        );
    }
    for method in ["tasks/result", "tasks/list"] {
        let unknown = lead
            .send_as_task_client(method, json!({ "taskId": id }))
            .await;
        assert_eq!(unknown.body["error"]["code"], -32601, "{}", unknown.text);
    }
    let nameless = lead.send_as_task_client("tasks/get", json!({})).await;
    assert_eq!(nameless.body["error"]["code"], -32602, "{}", nameless.text);
    let discovered = lead
        .send_modern_rpc("server/discover", json!({}))
        .await
        .body;
    let extensions = &discovered["result"]["capabilities"]["extensions"];
    assert!(
        extensions["io.modelcontextprotocol/tasks"].is_object(),
        "{extensions}"
    );
}
