//! The connection cap.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use axum::{Router, body::Bytes, routing::get};
use pauta::server::Limits;
use tokio::{net::TcpSocket, sync::Semaphore};

use crate::support::{Listener, Wire, request_head, run_blocking};

const PLACES: usize = 8;

/// A service with a route that waits until the test releases it, and a route that responds at once.
struct Desk {
    listener: Listener,
    waiting: Arc<AtomicUsize>,
    go: Arc<Semaphore>,
}

impl Desk {
    async fn open_desk() -> Self {
        let waiting = Arc::new(AtomicUsize::new(0));
        let go = Arc::new(Semaphore::new(0));
        let (count, leave) = (waiting.clone(), go.clone());
        let wait = move || {
            count.fetch_add(1, Ordering::SeqCst);
            let leave = leave.clone();
            async move {
                leave
                    .acquire_owned()
                    .await
                    .expect("the semaphore is open")
                    .forget();
                "pronto"
            }
        };
        let router = Router::new()
            .route("/espera", get(wait))
            .route("/", get(|| async { "aqui" }).post(|_: Bytes| async {}));
        let limits = Limits {
            connections: PLACES,
            ..Limits::default()
        };
        Self {
            listener: Listener::start(router, limits).await,
            waiting,
            go,
        }
    }

    fn address(&self) -> SocketAddr {
        self.listener.address
    }
}

/// Opens a connection from this loopback address.
async fn connect_from(client: &str, address: SocketAddr) -> Wire {
    let socket = TcpSocket::new_v4().expect("a socket");
    let client = format!("{client}:0").parse().expect("an address");
    socket.bind(client).expect("an address of loopback");
    let stream = socket.connect(address).await.expect("connects");
    let stream = stream.into_std().expect("a socket");
    stream.set_nonblocking(false).expect("a socket");
    Wire::from_stream(stream)
}

fn get_status(wire: &mut Wire) -> u16 {
    wire.send(request_head("GET", "/", "")).read_reply().status
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn when_every_slot_has_a_request_a_new_connection_is_refused_with_an_answer() {
    let desk = Desk::open_desk().await;
    let (address, waiting, go) = (desk.address(), desk.waiting.clone(), desk.go.clone());
    run_blocking(move || {
        let mut busy: Vec<Wire> = (0..PLACES).map(|_| Wire::open(address)).collect();
        for wire in &mut busy {
            wire.send(request_head("GET", "/espera", ""));
        }
        while waiting.load(Ordering::SeqCst) < PLACES {
            std::thread::sleep(Duration::from_millis(5));
        }
        for says in ["", "GET / HTTP/1.1\r\nHost: a\r\n\r\n"] {
            let mut wire = Wire::open(address);
            let _ = wire.try_send(says);
            let reply = wire
                .read_reply()
                .expect_refusal(503, "TOO_MANY_CONNECTIONS");
            assert!(reply.closes_connection(), "{reply:?}");
            assert!(reply.head.contains("\r\nretry-after: 5\r\n"), "{reply:?}");
            assert_eq!(wire.read_to_end(), "");
        }
        go.add_permits(PLACES);
        for wire in &mut busy {
            assert_eq!(wire.read_reply().text, "pronto");
        }
        assert_eq!(get_status(&mut Wire::open(address)), 200);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn at_the_cap_waiting_connections_are_closed_oldest_first() {
    let desk = Desk::open_desk().await;
    let address = desk.address();
    run_blocking(move || {
        let mut idle: Vec<Wire> = (0..3).map(|_| Wire::open(address)).collect();
        for wire in &mut idle {
            assert_eq!(get_status(wire), 200);
        }
        let mut opening: Vec<Wire> = (3..PLACES).map(|_| Wire::open(address)).collect();
        for wire in &mut opening {
            wire.send("GET / HTTP/1.1\r\n");
        }
        // Connections that have sent no complete request are closed before those that have already
        // got a response.
        let mut news = vec![];
        for oldest in &mut opening {
            let mut new = Wire::open(address);
            assert_eq!(get_status(&mut new), 200);
            assert!(oldest.is_closed());
            news.push(new);
            // The client gets the response shortly before the service counts the connection as
            // idle.
            std::thread::sleep(Duration::from_millis(100));
        }
        for wire in &mut idle {
            assert_eq!(get_status(wire), 200);
        }
        // All connections are idle now, and `news[0]` has been idle longest.
        let mut new = Wire::open(address);
        assert_eq!(get_status(&mut new), 200);
        assert!(news[0].is_closed());
        for wire in idle.iter_mut().chain(&mut news[1..]) {
            assert_eq!(get_status(wire), 200);
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn when_every_slot_has_a_request_the_slowest_client_is_closed() {
    let desk = Desk::open_desk().await;
    let address = desk.address();
    run_blocking(move || {
        let lines = "Content-Length: 100\r\nExpect: 100-continue\r\n";
        let slow = (0..PLACES).map(|_| {
            let mut wire = Wire::open(address);
            // The service asks for the body with `100 Continue`, and the client does not send it.
            let reply = wire.send(request_head("POST", "/", lines)).read_reply();
            assert_eq!(reply.status, 100);
            wire
        });
        let mut slow: Vec<Wire> = slow.collect();
        let mut new = Wire::open(address);
        assert!(slow[0].is_closed());
        // A connection that has sent no request is closed before any of the slow ones.
        assert_eq!(get_status(&mut Wire::open(address)), 200);
        assert!(new.is_closed());
        for wire in &mut slow[1..] {
            assert_eq!(wire.send("x".repeat(100)).read_reply().status, 200);
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn at_the_cap_the_client_with_the_most_connections_loses_a_connection() {
    let desk = Desk::open_desk().await;
    let address = desk.address();
    let mut few = vec![];
    for _ in 0..3 {
        few.push(connect_from("127.0.0.2", address).await);
    }
    let mut many = vec![];
    for _ in 3..PLACES {
        many.push(connect_from("127.0.0.3", address).await);
    }
    let mut other = connect_from("127.0.0.4", address).await;
    run_blocking(move || {
        assert_eq!(get_status(&mut other), 200);
        assert!(many[0].is_closed());
        for wire in few.iter_mut().chain(&mut many[1..]) {
            assert_eq!(get_status(wire), 200);
        }
    })
    .await;
}
