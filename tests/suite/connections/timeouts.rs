//! Clients that are too slow.

use std::time::{Duration, Instant};

use pauta::server::Limits;

use super::{
    authorized_head, body_headers, long_answer_router, run_client, run_client_as_lead,
    start_listener,
};
use crate::support::{Listener, TestApp, Wire, request_head, run_blocking, short_limits};

const BRIEFLY: Duration = Duration::from_millis(20);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_head_times_out() {
    let app = TestApp::new().await;
    run_client(&app, move |address| {
        for begun in [false, true] {
            let mut wire = Wire::open(address);
            if begun {
                wire.send(request_head("GET", "/api/health", ""));
                assert_eq!(wire.read_reply().status, 200);
            }
            let since = Instant::now();
            wire.send("GET /api/health HTTP/1.1\r\nHost: localhost\r\nX-Longo: ");
            wire.send_slowly("x".repeat(10_000), BRIEFLY);
            let reply = wire.read_reply().expect_refusal(408, "REQUEST_TIMEOUT");
            assert!(reply.closes_connection(), "{reply:?}");
            assert!(
                since.elapsed() >= short_limits().head,
                "{:?}",
                since.elapsed()
            );
            assert_eq!(wire.read_to_end(), "");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_without_a_request_is_closed_without_an_answer() {
    let app = TestApp::new().await;
    let listener = start_listener(&app).await;
    let address = listener.address;
    run_blocking(move || assert_eq!(Wire::open(address).read_to_end(), "")).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_idle_connection_is_kept_longer_than_a_head_may_take_and_then_closed() {
    let app = TestApp::new().await;
    run_client(&app, move |address| {
        let mut wire = Wire::open(address);
        wire.send(request_head("GET", "/api/health", ""));
        assert_eq!(wire.read_reply().status, 200);
        std::thread::sleep(short_limits().head * 2);
        wire.send(request_head("GET", "/api/health", ""));
        assert_eq!(wire.read_reply().status, 200);
        let since = Instant::now();
        assert_eq!(wire.read_to_end(), "");
        assert!(
            since.elapsed() > short_limits().head,
            "{:?}",
            since.elapsed()
        );
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stalled_or_slow_body_times_out_on_every_interface() {
    let app = TestApp::new().await;
    run_client_as_lead(&app, |address, token| {
        let form = "multipart/form-data; boundary=xx";
        let file = "--xx\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\n";
        for (path, media_type, beginning) in [
            ("/api/demanda", "application/json", "{\"title\":\""),
            ("/auth/v1/verify", "application/json", "{\"token\":\""),
            ("/api/mcp", "application/json", "{\"jsonrpc\":\""),
            ("/api/upload", form, "--xx\r\n"),
            ("/api/upload", form, file),
        ] {
            for drips in [false, true] {
                let mut wire = Wire::open(address);
                let length = body_headers(media_type, 15_000);
                wire.send(authorized_head("POST", path, token, &length));
                wire.send(beginning);
                if drips {
                    wire.send_slowly("x".repeat(10_000), BRIEFLY);
                }
                let reply = wire.read_reply().expect_refusal(408, "REQUEST_TIMEOUT");
                assert!(reply.closes_connection(), "{path} {reply:?}");
            }
        }
    })
    .await;
    assert_eq!(app.count_rows("events").await, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_at_the_minimum_rate_is_accepted_however_long_it_takes() {
    let app = TestApp::new().await;
    run_client_as_lead(&app, |address, token| {
        let mut wire = Wire::open(address);
        let pieces = 20;
        let body = format!("{:<2000}", "{\"title\":\"A\"}");
        let length = body_headers("application/json", body.len() * pieces);
        wire.send(authorized_head("POST", "/api/demanda", token, &length));
        wire.send(&body);
        let since = Instant::now();
        for _ in 1..pieces {
            std::thread::sleep(short_limits().body.gap / 4);
            wire.send(" ".repeat(body.len()));
        }
        assert_eq!(wire.read_reply().status, 200);
        assert!(since.elapsed() > short_limits().body.grace * 2);
    })
    .await;
    assert_eq!(app.count_rows("events").await, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_that_the_client_does_not_read_times_out() {
    let listener = Listener::start(long_answer_router(), short_limits()).await;
    let address = listener.address;
    let (reads, unread) = run_blocking(move || {
        let ask = || {
            let mut wire = Wire::open(address);
            wire.send(request_head("GET", "/", "Connection: close\r\n"));
            wire
        };
        let mut slow = ask();
        let mut quick = ask();
        let whole = quick.read_reply().text.len();
        std::thread::sleep(short_limits().answer.gap * 4);
        (whole, slow.try_read_reply().is_none())
    })
    .await;
    assert_eq!((reads, unread), (64 << 20, true));
}

#[tokio::test]
async fn the_idle_timeout_is_longer_than_that_of_proxies() {
    assert!(Limits::default().idle > Duration::from_secs(60));
}
