//! Graceful shutdown.

use std::{net::TcpStream, time::Duration};

use axum::{
    Router,
    body::Bytes,
    routing::{get, post},
};
use pauta::server::Limits;

use crate::support::{Listener, Wire, request_head, run_blocking};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_shutdown_finishes_requests_in_flight_and_closes_waiting_connections() {
    let slowly = || async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        "pronto"
    };
    let echo = |body: Bytes| async move { body };
    let router = Router::new().route("/", get(slowly)).route("/", post(echo));
    // The timeouts are so long that they end nothing in this test.
    let mut listener = Listener::start(router, Limits::default()).await;
    let address = listener.address;
    let mut wires = run_blocking(move || {
        let mut wires: Vec<Wire> = (0..5).map(|_| Wire::open(address)).collect();
        let lines = "Content-Length: 4\r\n";
        wires[4].send(request_head("POST", "/", lines)).send("so");
        wires[3].send("GET / HTTP/1.1\r\nHost");
        wires[2].send(request_head("GET", "/", ""));
        assert_eq!(wires[2].read_reply().text, "pronto");
        wires[1].send(request_head("GET", "/", ""));
        std::thread::sleep(Duration::from_millis(100));
        wires
    })
    .await;
    listener.start_shutdown();
    run_blocking(move || {
        let mut answering = wires.remove(1);
        let mut sending = wires.remove(3);
        for wire in &mut wires {
            assert!(wire.is_closed());
        }
        assert!(TcpStream::connect(address).is_err());
        let reply = answering.read_reply();
        assert_eq!((&*reply.text, reply.closes_connection()), ("pronto", true));
        assert_eq!(answering.read_to_end(), "");
        let reply = sending.send("me").read_reply();
        assert_eq!((&*reply.text, reply.closes_connection()), ("some", true));
    })
    .await;
    listener.wait_until_stopped().await;
}

fn router() -> Router {
    Router::new().route("/", get(|| async { "pronto" }))
}

/// Sends a request and reads the reply, after which the connection must close.
fn ask_last(wire: &mut Wire) {
    wire.send(request_head("GET", "/", ""));
    let reply = wire.read_reply();
    assert_eq!((&*reply.text, reply.closes_connection()), ("pronto", true));
    assert_eq!(wire.read_to_end(), "");
}

// The test does not yield between the request and the stop, so the service has not accepted the
// connection before the stop.
#[tokio::test]
async fn a_connection_that_waits_at_the_stop_is_served() {
    let mut listener = Listener::start(router(), Limits::default()).await;
    let mut wire = Wire::open(listener.address);
    wire.send(request_head("GET", "/", ""));
    listener.start_shutdown();
    run_blocking(move || {
        let reply = wire.read_reply();
        assert_eq!((&*reply.text, reply.closes_connection()), ("pronto", true));
        assert_eq!(wire.read_to_end(), "");
    })
    .await;
    listener.wait_until_stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_on_a_new_or_idle_connection_is_answered_after_the_stop() {
    let limits = Limits {
        last_request: Duration::from_secs(600),
        ..Limits::default()
    };
    let mut listener = Listener::start(router(), limits).await;
    let address = listener.address;
    let (mut new, mut idle) = run_blocking(move || {
        let mut idle = Wire::open(address);
        idle.send(request_head("GET", "/", ""));
        assert!(!idle.read_reply().closes_connection());
        (Wire::open(address), idle)
    })
    .await;
    listener.start_shutdown();
    run_blocking(move || {
        while TcpStream::connect(address).is_ok() {
            std::thread::sleep(Duration::from_millis(10));
        }
        ask_last(&mut new);
        ask_last(&mut idle);
    })
    .await;
    listener.wait_until_stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn before_the_stop_each_answer_closes_its_connection_and_new_ones_are_accepted() {
    let mut listener = Listener::start(router(), Limits::default()).await;
    let address = listener.address;
    let mut idle = run_blocking(move || {
        let mut idle = Wire::open(address);
        idle.send(request_head("GET", "/", ""));
        assert!(!idle.read_reply().closes_connection());
        idle
    })
    .await;
    listener.traffic.close_after_responses();
    run_blocking(move || {
        ask_last(&mut idle);
        for _ in 0..3 {
            ask_last(&mut Wire::open(address));
        }
    })
    .await;
    listener.start_shutdown();
    listener.wait_until_stopped().await;
}
