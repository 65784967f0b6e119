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
