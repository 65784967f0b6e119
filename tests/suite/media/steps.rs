//! Progress reports of an import, and imports whose client disconnects.

use super::{file_server::FileServer, ways_in::list_media, *};
use crate::support::{Listener, OpenCall, assert_steps, short_limits};
use std::time::Duration;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

async fn create_agent(app: &TestApp) -> Client {
    let member = app.add_member(Role::Criador).await;
    app.token_client(&member).await
}

async fn import_until_done(agent: &Client, input: &Value) -> Value {
    for _ in 0..400 {
        let called = agent.call_tool("import_media", input.clone()).await;
        if !called.text.starts_with("IDEMPOTENCY_IN_PROGRESS") {
            assert!(!called.is_error, "{}", called.text);
            return called.structured;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    panic!("the import never ends");
}

#[tokio::test]
async fn an_import_reports_how_much_has_arrived() {
    let server = FileServer::start().await;
    let app = server.app().await;
    let agent = create_agent(&app).await;
    let file = video_file(4_000_000);
    let (url, open) = server.hold_second_half(&file, 4_000);
    let input = json!({ "url": url });
    let mut call = agent
        .call_with_steps("import_media", input, json!("a"))
        .await;
    call.assert_media_type("text/event-stream");
    let mut steps = vec![];
    // The first half arrives in 500 pieces.
    while steps
        .last()
        .is_none_or(|step: &Value| step["progress"] != 2e6)
    {
        let message = call.next_message().await.expect("a step");
        steps.push(message["params"].clone());
    }
    assert_eq!(steps[0]["message"], "Abrindo o endereço");
    let half = steps.last().expect("a step");
    assert_eq!(half["total"], 4e6);
    assert_eq!(half["message"], "2,0 de 4,0 MB recebidos");
    open.send_replace(true);
    let (rest, message) = call.read_steps_and_result().await;
    steps.extend(rest);
    assert_steps(&steps, &json!("a"));
    assert!(steps.len() < 60, "{}", steps.len());
    assert_eq!(message["result"]["isError"], false, "{message}");
}

/// Drops a call when half of its file has been read, and asserts that the download ends.
async fn drop_half_read<T>(server: &FileServer, count: usize, call: impl Future<Output = T>) {
    tokio::select! {
        _ = call => panic!("the file is held"),
        () = server.wait_for_held_readers(count) => {}
    }
    server.wait_for_disconnected_readers(count).await;
}

#[tokio::test]
async fn a_download_stops_when_its_client_disconnects_and_its_key_is_free() {
    let server = FileServer::start().await;
    let app = server.app().await;
    let file = png_image(900, 900);
    for number in 0..5 {
        let agent = create_agent(&app).await;
        let (url, open) = server.hold_second_half(&file, 1_000);
        let key = format!("importa-{number}");
        let input = json!({ "url": url, "idempotency_key": key });
        let left = number + 1;
        match number {
            0 => {
                let keyed = agent.with_idempotency_key(&key);
                let call = keyed.post("/api/media", json!({ "url": url }));
                drop_half_read(&server, left, call).await;
            }
            1 => {
                let call = agent.call_tool("import_media", input.clone());
                drop_half_read(&server, left, call).await;
            }
            2 => {
                let params = json!({ "name": "import_media", "arguments": input });
                let call = agent.send_modern_rpc("tools/call", params);
                drop_half_read(&server, left, call).await;
            }
            _ => {
                let reading = async {
                    let mut call: OpenCall = match number {
                        3 => {
                            agent
                                .call_with_steps("import_media", input.clone(), json!(1))
                                .await
                        }
                        _ => {
                            let call = agent.call_with_modern_steps(
                                "import_media",
                                input.clone(),
                                json!(1),
                            );
                            call.await
                        }
                    };
                    while call.next_message().await.is_some() {}
                };
                drop_half_read(&server, left, reading).await;
            }
        }
        app.app.gateway.wait_for_detached_calls().await;
        assert!(list_media(&agent).await.is_empty(), "{number}");
        assert_eq!(app.stored_file_count(), number.min(1), "{number}");
        open.send_replace(true);
        let stored = import_until_done(&agent, &input).await;
        assert_eq!(import_until_done(&agent, &input).await, stored, "{number}");
        assert_eq!(list_media(&agent).await.len(), 1, "{number}");
    }
    let refused = app
        .count_rows("audit_events WHERE status_code = 408 AND action = 'import_media'")
        .await;
    assert_eq!(refused, 5);
}

/// Sends a call over its own socket.
async fn send_over_socket(listener: &Listener, agent: &Client, input: &Value) -> TcpStream {
    let params = json!({
        "name": "import_media", "arguments": input, "_meta": { "progressToken": 1 },
    });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let body = body.to_string();
    let request = format!(
        "POST /api/mcp HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nAuthorization: Bearer {}\r\n\
         Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
         Content-Length: {}\r\n\r\n{body}",
        agent.credential(),
        body.len()
    );
    let mut socket = TcpStream::connect(listener.address)
        .await
        .expect("it listens");
    socket
        .write_all(request.as_bytes())
        .await
        .expect("it reads");
    socket
}

#[tokio::test]
async fn a_closed_connection_stops_the_download() {
    let server = FileServer::start().await;
    let app = server.app().await;
    let agent = create_agent(&app).await;
    let listener = Listener::start(app.router.clone(), short_limits()).await;
    let (url, open) = server.hold_second_half(&png_image(900, 900), 1_000);
    let input = json!({ "url": url, "idempotency_key": "pelo-socket" });
    let mut socket = send_over_socket(&listener, &agent, &input).await;
    let mut read = vec![0; 80];
    socket.read_exact(&mut read).await.expect("a response");
    assert!(read.starts_with(b"HTTP/1.1 200 OK\r\n"));
    server.wait_for_held_readers(1).await;
    drop(socket);
    server.wait_for_disconnected_readers(1).await;
    open.send_replace(true);
    import_until_done(&agent, &input).await;
    assert_eq!(list_media(&agent).await.len(), 1);
}

#[tokio::test]
async fn an_unread_response_stream_blocks_neither_its_call_nor_the_shutdown() {
    let server = FileServer::start().await;
    let app = server.app().await;
    let agent = create_agent(&app).await;
    let mut listener = Listener::start(app.router.clone(), short_limits()).await;
    let (url, open) = server.hold_second_half(&video_file(4_000_000), 4_000);
    let input = json!({ "url": url, "idempotency_key": "ninguem-le" });
    let socket = send_over_socket(&listener, &agent, &input).await;
    open.send_replace(true);
    for _ in 0..400 {
        if !list_media(&agent).await.is_empty() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    assert_eq!(list_media(&agent).await.len(), 1);
    listener.start_shutdown();
    let stopped = tokio::time::timeout(Duration::from_secs(20), listener.wait_until_stopped());
    stopped.await.expect("no connection is held");
    drop(socket);
}
