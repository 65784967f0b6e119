//! Raw bytes that no correct client sends.

use std::{
    io::{Read, Write},
    net::{Shutdown, SocketAddr, TcpStream},
    time::Duration,
};

use domain::Role;
use pauta::server::Limits;

use crate::support::{Listener, TestApp};

/// Serves the app on its own socket.
async fn start_listener(app: &TestApp) -> SocketAddr {
    let limits = Limits::default();
    Listener::start(app.router.clone(), limits).await.address
}

/// Sends these bytes and reads the whole answer.
async fn send_raw(address: SocketAddr, request: String) -> String {
    exchange_bytes(address, request, false).await
}

/// Sends these bytes and closes the sending side. A response is optional.
async fn send_and_hang_up(address: SocketAddr, request: String) -> String {
    exchange_bytes(address, request, true).await
}

async fn exchange_bytes(address: SocketAddr, request: String, hangs_up: bool) -> String {
    let exchange = move || -> std::io::Result<String> {
        let mut stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(Duration::from_secs(10)))?;
        stream.write_all(request.as_bytes())?;
        if hangs_up {
            stream.shutdown(Shutdown::Write)?;
        }
        let mut answer = vec![];
        // A server that refuses a request may reset the connection after its answer.
        let _ = stream.read_to_end(&mut answer);
        Ok(String::from_utf8_lossy(&answer).into_owned())
    };
    tokio::task::spawn_blocking(exchange)
        .await
        .expect("no panic")
        .expect("an exchange")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_header_can_be_smuggled_into_an_answer() {
    let app = TestApp::new().await;
    let address = start_listener(&app).await;
    let forms = [
        "abc\r\n x-evil: 1",
        "abc\r\n\tx-evil: 1",
        "abc\rx-evil: 1",
        "abc\nx-evil: 1",
        "abc\0x-evil: 1",
        "abc%0d%0ax-evil: 1",
        "abc\u{b}x-evil: 1",
        "abc\u{85}x-evil: 1",
        "abc\r\nx-evil: 1",
    ];
    for form in forms {
        for name in ["x-request-id", "idempotency-key", "user-agent", "origin"] {
            let request = format!(
                "GET /api/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{name}: {form}\r\n\r\n"
            );
            let answer = send_raw(address, request).await;
            let (head, _) = answer.split_once("\r\n\r\n").expect("an answer");
            let status = head.split(' ').nth(1).expect("a status");
            assert!(["200", "400"].contains(&status), "{name} {form:?}: {head}");
            assert!(
                !head.to_lowercase().contains("x-evil"),
                "{name} {form:?}: {head}"
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_closed_within_the_body_has_no_effect() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let address = start_listener(&app).await;
    let head = |length: &str| {
        format!(
            "POST /api/demanda HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
             Authorization: Bearer {}\r\nContent-Type: application/json\r\n{length}\r\n\r\n",
            lead.credential()
        )
    };
    let demand = r#"{"title":"A"}"#;
    for request in [
        format!("{}{demand}", head("Content-Length: 100")),
        format!("{}d\r\n{demand}\r\n", head("Transfer-Encoding: chunked")),
        format!(
            "{}d\r\n{demand}\r\nzz\r\n",
            head("Transfer-Encoding: chunked")
        ),
    ] {
        let answer = send_and_hang_up(address, request).await;
        assert!(
            answer.is_empty() || answer.starts_with("HTTP/1.1 400"),
            "{answer}"
        );
    }
    assert_eq!(app.count_rows("events").await, 0);
    let whole = format!("{}{demand}", head("Content-Length: 13"));
    let answer = send_raw(address, whole).await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert_eq!(app.count_rows("events").await, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_with_two_lengths_is_refused() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let address = start_listener(&app).await;
    let demand = r#"{"title":"A"}"#;
    for lengths in [
        "Content-Length: 13\r\nContent-Length: 14",
        "Content-Length: 13, 14",
        "Content-Length: -13",
        "Content-Length: x",
        "Transfer-Encoding: chunked, x",
    ] {
        let request = format!(
            "POST /api/demanda HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
             Authorization: Bearer {}\r\nContent-Type: application/json\r\n{lengths}\r\n\r\n{demand}",
            lead.credential()
        );
        let answer = send_raw(address, request).await;
        assert!(answer.starts_with("HTTP/1.1 400"), "{lengths}: {answer}");
    }
    assert_eq!(app.count_rows("events").await, 0);
}
