//! Server-side request forgery by the URL of an import.

use axum::{Router, extract::Request};
use domain::{Capability, Role};
use serde_json::json;
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};
use tokio::net::TcpListener;

use crate::support::TestApp;

/// URLs of hosts that are not public, in every spelling that URL parsers and resolvers know, and
/// URLs that are not https.
const INSIDE: [&str; 60] = [
    "https://127.0.0.1/a.png",
    "https://127.1/a.png",
    "https://127.0.1/a.png",
    "https://2130706433/a.png",
    "https://0x7f000001/a.png",
    "https://0x7f.1/a.png",
    "https://0177.0.0.1/a.png",
    "https://017700000001/a.png",
    "https://127.255.255.254/a.png",
    "https://0.0.0.0/a.png",
    "https://0/a.png",
    "https://localhost/a.png",
    "https://LOCALHOST/a.png",
    "https://localhost./a.png",
    "https://%6c%6f%63%61%6c%68%6f%73%74/a.png",
    "https://①②⑦.⓪.⓪.①/a.png",
    "https://127。0。0。1/a.png",
    "https://10.0.0.1/a.png",
    "https://10.255.255.255/a.png",
    "https://172.16.0.1/a.png",
    "https://172.31.255.255/a.png",
    "https://192.168.0.1/a.png",
    "https://192.168.1.254/a.png",
    "https://169.254.169.254/latest/meta-data/",
    "https://169.254.0.1/a.png",
    "https://2852039166/latest/meta-data/",
    "https://0xa9fea9fe/latest/meta-data/",
    "https://100.64.0.1/a.png",
    "https://100.100.100.200/latest/meta-data/",
    "https://192.0.0.192/a.png",
    "https://192.0.2.1/a.png",
    "https://198.18.0.1/a.png",
    "https://198.51.100.1/a.png",
    "https://203.0.113.1/a.png",
    "https://224.0.0.1/a.png",
    "https://240.0.0.1/a.png",
    "https://255.255.255.255/a.png",
    "https://[::]/a.png",
    "https://[::1]/a.png",
    "https://[0:0:0:0:0:0:0:1]/a.png",
    "https://[::ffff:127.0.0.1]/a.png",
    "https://[::ffff:7f00:1]/a.png",
    "https://[::ffff:a9fe:a9fe]/a.png",
    "https://[::127.0.0.1]/a.png",
    "https://[64:ff9b::7f00:1]/a.png",
    "https://[64:ff9b:1::a9fe:a9fe]/a.png",
    "https://[2002:7f00:1::]/a.png",
    "https://[2001::1]/a.png",
    "https://[fd00:ec2::254]/latest/meta-data/",
    "https://[fc00::1]/a.png",
    "https://[fe80::1]/a.png",
    "https://[fec0::1]/a.png",
    "https://[ff02::1]/a.png",
    "https://[2001:db8::1]/a.png",
    "https://metadata.google.internal/a.png",
    "https://nao-existe.invalid/a.png",
    "http://93.184.216.34/a.png",
    "https://93.184.216.34:8443/a.png",
    "https://user:senha@93.184.216.34/a.png",
    "https://127.0.0.1:22/a.png",
];

#[tokio::test]
async fn no_import_reaches_a_host_inside_the_network() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let mut messages = vec![];
    for url in INSIDE {
        for input in [
            json!({ "url": url }),
            json!({ "file": { "download_url": url } }),
        ] {
            let refused = lead.post("/api/media", input).await;
            assert_eq!(refused.status, 400, "{url}: {}", refused.text);
            let fault = &refused.body["details"]["fields"][0];
            messages.push(fault["message"].as_str().unwrap_or_default().to_owned());
        }
    }
    // The refusal of a host that does not exist equals the refusal of a host that is not public.
    let unreachable = messages
        .iter()
        .filter(|text| text.starts_with("não pôde ser aberto"));
    assert!(unreachable.count() > 80, "{messages:?}");
    assert_eq!(app.stored_file_count(), 0);
}

#[tokio::test]
async fn an_import_does_not_connect_to_a_listener_of_the_machine() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let reached = Arc::new(AtomicUsize::new(0));
    let counted = reached.clone();
    let router = Router::new().fallback(move |_: Request| {
        counted.fetch_add(1, Ordering::SeqCst);
        async { "reached" }
    });
    tokio::spawn(axum::serve(listener, router).into_future());
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    for url in [
        format!("http://127.0.0.1:{port}/a.png"),
        format!("https://127.0.0.1:{port}/a.png"),
        format!("http://localhost:{port}/a.png"),
        format!("http://[::ffff:127.0.0.1]:{port}/a.png"),
        format!("http://0.0.0.0:{port}/a.png"),
    ] {
        lead.post("/api/media", json!({ "url": url }))
            .await
            .expect(400);
    }
    assert_eq!(reached.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_member_without_the_right_to_make_art_imports_nothing() {
    let app = TestApp::new().await;
    let input = json!({ "url": "https://exemplo.test/a.png" });
    app.anonymous()
        .post("/api/media", input.clone())
        .await
        .expect(401);
    let member = app.add_member(Role::Lider).await;
    let (reader, _) = app
        .token_client_with(&member, &[Capability::TasksView])
        .await;
    reader.post("/api/media", input).await.expect(403);
    assert_eq!(app.stored_file_count(), 0);
}
