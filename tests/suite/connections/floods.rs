//! Floods against the real binary: their cost, and the response times of other clients.

use std::{
    net::SocketAddr,
    thread,
    time::{Duration, Instant},
};

use domain::Role;
use pauta::{app::SystemClock, server::allow_open_files};
use ports::Clock;
use serde_json::json;

use super::{authorized_head, body_headers};
use crate::{
    sign_in::{PASSWORD, invite_person, redeem_invitation},
    support::{
        Bystander, Client, MB, Server, TestApp, Wire, http_request, request_head, run_blocking,
    },
};

/// The maximum response time of `/api/health` for another client, at the 99th percentile.
const P99: Duration = Duration::from_millis(100);

/// The first bytes of a video.
const VIDEO: &[u8] = b"\0\0\0\x14ftypisom\0\0\x02\0isom";

/// The number of requests that the other client sends.
const ASKS: usize = 200;

/// A server process with a member who has a password, and a session of that member.
struct Target {
    _app: TestApp,
    _directory: tempfile::TempDir,
    client: Client,
    server: Server,
}

impl Target {
    async fn start() -> Self {
        let app = TestApp::new().await;
        app.advance_clock(SystemClock.now() - app.now());
        let admin = app.as_member(Role::Admin).await;
        let (_, token) = invite_person(&admin, "bia@equipe.test").await;
        redeem_invitation(&app, &token, PASSWORD).await.expect(200);
        let member = app.add_member(Role::Lider).await;
        let client = app.token_client(&member).await;
        let db = app.app.gateway.services.db.clone();
        db.close().await.expect("closes");
        let directory = tempfile::tempdir().expect("a temporary directory");
        let server = Server::start(app.database_url(), directory.path(), &[]);
        Self {
            _app: app,
            _directory: directory,
            client,
            server,
        }
    }

    fn address(&self) -> SocketAddr {
        self.server.address.parse().expect("an address")
    }

    /// Asserts that another client is served in time. On a busy machine, one of three attempts
    /// suffices.
    #[track_caller]
    fn assert_serves_others(&self) {
        let mut bystander = Bystander::for_server(&self.server);
        let tries: Vec<_> = (0..3)
            .map(|_| {
                bystander.send_requests(ASKS);
                let wait = bystander.take_p99();
                println!("p99 of a bystander: {wait:?}");
                wait
            })
            .take_while(|wait| *wait >= P99)
            .collect();
        assert!(tries.len() < 3, "{tries:?}");
    }

    #[track_caller]
    fn assert_costs_little(&self) {
        let memory = self.server.peak_memory();
        println!("at most {} MB", memory / MB);
        assert!(memory < 300 * MB, "{memory} bytes");
    }

    /// Sends one request on its own connection.
    fn send_request(&self, path: &str, body: &str) -> (u16, String) {
        let token = self.client.credential();
        let mut wire = Wire::open(self.address());
        let reply = wire
            .send(http_request("POST", path, token, "", body))
            .read_reply();
        (reply.status, reply.text)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn half_open_connections_do_not_block_other_clients() {
    let _ = allow_open_files(4000);
    let target = Target::start().await;
    run_blocking(move || {
        let address = target.address();
        for (count, says) in [(1100, ""), (1100, "GET / HTTP/1.1\r\n"), (3000, "G")] {
            let mut open = vec![];
            for _ in 0..count {
                let mut wire = Wire::open(address);
                let _ = wire.try_send(says);
                open.push(wire);
            }
            target.assert_serves_others();
            drop(open);
            target.assert_serves_others();
        }
        // New connections are opened at full speed during the whole test.
        let flood = thread::spawn(move || {
            let until = Instant::now() + Duration::from_secs(3);
            let mut open = std::collections::VecDeque::new();
            while Instant::now() < until {
                open.push_back(std::net::TcpStream::connect(address));
                if open.len() > 2000 {
                    open.pop_front();
                }
            }
        });
        target.assert_serves_others();
        flood.join().expect("no panic");
        target.assert_costs_little();
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_uploads_do_not_delay_other_clients() {
    let _ = allow_open_files(4000);
    let target = Target::start().await;
    run_blocking(move || {
        let token = target.client.credential();
        let file = "--xx\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\n";
        let form = "multipart/form-data; boundary=xx";
        let mut slow = vec![];
        for _ in 0..520 {
            let mut wire = Wire::open(target.address());
            wire.send(authorized_head(
                "POST",
                "/api/upload",
                token,
                &body_headers(form, 400_000_000),
            ));
            wire.send(file).send(VIDEO).send(vec![0; 20_000]);
            slow.push(wire);
        }
        let drip = |slow: &mut Vec<Wire>| {
            for wire in slow {
                wire.send([0; 2000]);
            }
        };
        drip(&mut slow);
        target.assert_serves_others();
        drip(&mut slow);
        let login = json!({ "email": "bia@equipe.test", "password": PASSWORD }).to_string();
        let (status, text) = target.send_request("/auth/v1/token?grant_type=password", &login);
        assert_eq!(status, 200, "{text}");
        let art = json!({ "prompt": "Festa junina" }).to_string();
        let (status, text) = target.send_request("/api/art", &art);
        assert_eq!(status, 200, "{text}");
        let made: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let url = made["url"].as_str().expect("a link");
        let path = &url[url.find("/media/").expect("a path")..];
        drip(&mut slow);
        let mut wire = Wire::open(target.address());
        assert_eq!(
            wire.send(request_head("GET", path, "")).read_reply().status,
            200
        );
        let threads = target.server.thread_count();
        assert!(threads < 100, "{threads} threads");
        target.assert_costs_little();
        drop(slow);
        target.assert_serves_others();
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_bodies_time_out_and_free_their_slots() {
    let target = Target::start().await;
    run_blocking(move || {
        let lines = body_headers("application/json", 10_000);
        let mut slow = vec![];
        for _ in 0..600 {
            let mut wire = Wire::open(target.address());
            wire.send(request_head(
                "POST",
                "/auth/v1/token?grant_type=password",
                &lines,
            ));
            wire.send("{");
            slow.push(wire);
        }
        target.assert_serves_others();
        for wire in &mut slow {
            wire.read_reply().expect_refusal(408, "REQUEST_TIMEOUT");
        }
        target.assert_serves_others();
        target.assert_costs_little();
    })
    .await;
}
