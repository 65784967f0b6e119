//! Progress reports of image generation, and what happens to a call whose client disconnects.

use std::time::Duration;

use domain::Role;
use serde_json::{Value, json};

use super::{double::ImagesApi, service_with_images_api, small_request};
use crate::support::{ACCEPTS_STREAM, Client, OpenCall, TestApp, assert_steps};

/// The kind of client that calls a tool. `Legacy` clients call `initialize` first, and `Modern`
/// clients do not. A browser also sends an `Origin` header. The protocol library handles calls with
/// this header; the service dispatches all other calls itself.
#[derive(Debug, Clone, Copy)]
enum Way {
    Legacy,
    Modern,
    LegacyBrowser,
    ModernBrowser,
}

const WAYS: [Way; 4] = [
    Way::Legacy,
    Way::Modern,
    Way::LegacyBrowser,
    Way::ModernBrowser,
];

async fn open_call(agent: &Client, way: Way, tool: &str, input: Value, token: Value) -> OpenCall {
    let browser = agent.with_header("origin", "http://127.0.0.1:8080");
    match way {
        Way::Legacy => agent.call_with_steps(tool, input, token).await,
        Way::Modern => agent.call_with_modern_steps(tool, input, token).await,
        Way::LegacyBrowser => browser.call_with_steps(tool, input, token).await,
        Way::ModernBrowser => browser.call_with_modern_steps(tool, input, token).await,
    }
}

async fn create_agent(app: &TestApp) -> Client {
    let member = app.add_member(Role::Lider).await;
    app.token_client(&member).await
}

fn carousel_input(count: usize) -> Value {
    let card = |n: usize| json!({ "text": format!("Card {n}") });
    json!({ "cards": (0..count).map(card).collect::<Vec<_>>() })
}

fn with_key(mut input: Value, key: &str) -> Value {
    input["idempotency_key"] = key.into();
    input
}

/// Repeats a call until the first call with its key has ended; returns the result.
async fn repeat_call(agent: &Client, tool: &str, input: Value) -> Value {
    for _ in 0..400 {
        let called = agent.call_tool(tool, input.clone()).await;
        if !called.text.starts_with("IDEMPOTENCY_IN_PROGRESS") {
            assert!(!called.is_error, "{}", called.text);
            return called.structured;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    panic!("the call never ends");
}

#[tokio::test]
async fn a_client_that_requests_progress_receives_each_step_and_then_the_result() {
    let app = TestApp::new().await;
    let agent = create_agent(&app).await;
    for way in WAYS {
        for token in [json!("um-sinal"), json!(7)] {
            let call = open_call(
                &agent,
                way,
                "generate_carousel",
                carousel_input(3),
                token.clone(),
            )
            .await;
            call.assert_media_type("text/event-stream");
            assert_eq!(call.headers["x-accel-buffering"], "no", "{way:?}");
            assert_eq!(call.headers["cache-control"], "no-store", "{way:?}");
            let (steps, message) = call.read_steps_and_result().await;
            assert_steps(&steps, &token);
            let first = &steps[0];
            assert_eq!(first["message"], "Desenhando 3 cards", "{way:?}");
            assert_eq!(
                (&first["progress"], &first["total"]),
                (&json!(0.0), &json!(4.0))
            );
            let result = &message["result"];
            assert_eq!(
                (&message["id"], &result["isError"]),
                (&json!(1), &json!(false))
            );
            let made = result["structuredContent"]["cards"].as_array();
            assert_eq!(made.map(Vec::len), Some(3), "{message}");
        }
    }
}

#[tokio::test]
async fn steps_arrive_while_the_provider_works() {
    let api = ImagesApi::new().await;
    let (app, _) = service_with_images_api(&api).await;
    let agent = create_agent(&app).await;
    let open = api.hold_responses();
    let mut call = open_call(
        &agent,
        Way::Modern,
        "generate_art",
        small_request(),
        json!(1),
    )
    .await;
    let first = call.next_message().await.expect("a step");
    assert_eq!(first["params"]["message"], "Gerando a imagem");
    api.wait_for_requests(1).await;
    open.send_replace(true);
    let (steps, message) = call.read_steps_and_result().await;
    assert_steps(&steps, &json!(1));
    assert_eq!(message["result"]["isError"], false, "{message}");
}

#[tokio::test]
async fn a_client_without_a_progress_token_or_stream_gets_json() {
    let app = TestApp::new().await;
    let agent = create_agent(&app).await;
    let input = with_key(carousel_input(2), "uma-chave-so");
    let params =
        |meta: Value| json!({ "name": "generate_carousel", "arguments": input, "_meta": meta });
    let accepts = agent.with_header("accept", ACCEPTS_STREAM);
    let plain = accepts.send_rpc("tools/call", params(json!({}))).await;
    assert_eq!(plain.headers["content-type"], "application/json");
    // Invalid progress tokens, and clients that do not accept an event stream.
    for token in [json!(null), json!(1.5), json!({}), json!(["a"])] {
        let answer = accepts.send_rpc("tools/call", params(json!({ "progressToken": token })));
        assert_eq!(answer.await.bytes, plain.bytes, "{token}");
    }
    let params = params(json!({ "progressToken": "a" }));
    for accept in [None, Some("application/json"), Some("*/*")] {
        let client = accept.map_or(agent.clone(), |accept| agent.with_header("accept", accept));
        let answer = client.send_rpc("tools/call", params.clone()).await;
        assert_eq!(answer.bytes, plain.bytes, "{accept:?}");
    }
    // A call that ends before its first step is answered with JSON, even if its client accepts a
    // stream.
    let replayed = accepts.send_rpc("tools/call", params).await;
    assert_eq!(replayed.bytes, plain.bytes);
    for (tool, input) in [
        ("generate_carousel", json!({ "cards": [] })),
        ("get_me", json!({})),
        ("nada", json!({})),
    ] {
        for way in WAYS {
            let call = open_call(&agent, way, tool, input.clone(), json!("a")).await;
            call.assert_media_type("application/json");
        }
    }
}

#[tokio::test]
async fn a_paid_image_is_kept_although_its_client_disconnects() {
    let api = ImagesApi::new().await;
    let (app, _) = service_with_images_api(&api).await;
    let agent = create_agent(&app).await;
    let mut paid = carousel_input(2);
    paid["cards"][0]["prompt"] = "fundo 0".into();
    for (tool, input) in [
        ("generate_art", small_request()),
        ("generate_carousel", paid),
    ] {
        for (number, way) in WAYS.into_iter().enumerate() {
            let asked = api.accepted_requests().len();
            let open = api.hold_responses();
            let input = with_key(input.clone(), &format!("{tool}-{number}"));
            let mut call = open_call(&agent, way, tool, input.clone(), json!(1)).await;
            call.next_message().await.expect("a step");
            api.wait_for_requests(asked + 1).await;
            drop(call);
            tokio::time::sleep(Duration::from_millis(50)).await;
            open.send_replace(true);
            let first = repeat_call(&agent, tool, input.clone()).await;
            assert_eq!(
                repeat_call(&agent, tool, input).await,
                first,
                "{tool} {way:?}"
            );
            assert_eq!(api.accepted_requests().len(), asked + 1, "{tool} {way:?}");
        }
    }
}

#[tokio::test]
async fn cards_that_cost_nothing_are_not_drawn_for_a_disconnected_client() {
    let app = TestApp::new().await;
    let agent = create_agent(&app).await;
    for (number, way) in WAYS.into_iter().enumerate() {
        let input = with_key(carousel_input(10), &format!("carrossel-{number}"));
        let mut call = open_call(&agent, way, "generate_carousel", input.clone(), json!(1)).await;
        call.next_message().await.expect("a step");
        drop(call);
        app.app.gateway.wait_for_detached_calls().await;
        let made = i64::try_from(10 * number).expect("a few");
        assert_eq!(app.count_rows("media").await, made, "{way:?}");
        let stopped = app.count_rows("audit_events WHERE status_code = 408").await;
        assert_eq!(stopped, made / 10 + 1, "{way:?}");
        // The aborted call left its idempotency key unused, so a retry runs once.
        let first = repeat_call(&agent, "generate_carousel", input.clone()).await;
        assert_eq!(repeat_call(&agent, "generate_carousel", input).await, first);
        assert_eq!(app.count_rows("media").await, made + 10);
    }
}

#[tokio::test]
async fn a_call_whose_client_disconnects_at_any_step_has_one_effect() {
    let app = TestApp::new().await;
    let agent = create_agent(&app).await;
    for left_after in 0..6_usize {
        let input = with_key(carousel_input(3), &format!("deixado-{left_after}"));
        let way = WAYS[left_after % WAYS.len()];
        let opening = open_call(&agent, way, "generate_carousel", input.clone(), json!(1));
        if left_after == 0 {
            // The client disconnects before the response begins.
            drop(tokio::time::timeout(Duration::from_millis(1), opening).await);
        } else {
            let mut call = opening.await;
            for _ in 0..left_after {
                call.next_message().await;
            }
        }
        let first = repeat_call(&agent, "generate_carousel", input.clone()).await;
        assert_eq!(repeat_call(&agent, "generate_carousel", input).await, first);
        let media = i64::try_from(3 * (left_after + 1)).expect("a few");
        assert_eq!(app.count_rows("media").await, media);
    }
}

#[tokio::test]
async fn a_cancel_notification_ends_no_call_of_another_client() {
    let api = ImagesApi::new().await;
    let (app, _) = service_with_images_api(&api).await;
    let agent = create_agent(&app).await;
    let other = create_agent(&app).await;
    let open = api.hold_responses();
    let mut call = open_call(
        &agent,
        Way::Legacy,
        "generate_art",
        small_request(),
        json!(1),
    )
    .await;
    call.next_message().await.expect("a step");
    for client in [&agent, &other] {
        let message = json!({
            "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 },
        });
        client.post("/api/mcp", message).await.expect(202);
        // A progress notification with a guessed token is accepted and has no effect.
        let message = json!({
            "jsonrpc": "2.0", "method": "notifications/progress",
            "params": { "progressToken": 1, "progress": 9 },
        });
        client.post("/api/mcp", message).await.expect(202);
    }
    let params = json!({ "name": "get_me", "_meta": { "progressToken": 1 } });
    let answer = other
        .with_header("accept", ACCEPTS_STREAM)
        .send_rpc("tools/call", params)
        .await;
    assert_eq!(answer.headers["content-type"], "application/json");
    open.send_replace(true);
    let (steps, message) = call.read_steps_and_result().await;
    assert_steps(&steps, &json!(1));
    assert_eq!(message["result"]["isError"], false, "{message}");
}
