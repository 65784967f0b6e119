//! The client's IP address in the audit trail and in log lines about refused credentials.

use std::time::Duration;

use domain::{Role, time::MINUTE};
use pauta::cli::log_filter;
use serde_json::{Value, json};

use super::audit_rows;
use crate::{
    sign_in::{PASSWORD, invite_person, redeem_invitation},
    support::{Client, Log, TestApp, log_to},
};

#[tokio::test]
async fn rows_of_every_interface_have_the_address_that_a_trusted_proxy_reports() {
    let proxied = [("PAUTA_TRUSTED_PROXIES", "10.0.0.0/8".to_owned())];
    let app = TestApp::with_settings(proxied).await;
    let member = app.add_member(Role::Admin).await;
    let admin = app.session_client(&member).await;
    let forwarded = |client: Client, peer: &str| {
        let client = client.with_address(peer);
        client.with_header("x-forwarded-for", "203.0.113.9, 198.51.100.7")
    };
    let title = json!({ "title": "Uma" });
    let token = app.token_client(&member).await;
    let proxy = forwarded(token.clone(), "10.0.0.1");
    proxy.post("/api/demanda", title.clone()).await.expect(200);
    app.advance_clock(1);
    proxy.call_tool("create_demand", title.clone()).await;
    app.advance_clock(1);
    // The forwarded address is ignored if the caller is not a trusted proxy.
    let spoofing = forwarded(token, "192.0.2.4");
    spoofing.post("/api/demanda", title).await.expect(200);
    let found = audit_rows(&admin, "create_demand").await;
    let found: Vec<&Value> = found
        .iter()
        .map(|row| &row["metadata"]["address"])
        .collect();
    assert_eq!(found, ["192.0.2.4", "198.51.100.7", "198.51.100.7"]);
}

#[tokio::test]
async fn reads_from_several_addresses_share_one_row_that_lists_the_addresses() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Admin).await;
    let admin = app.session_client(&member).await;
    let token = app.token_client(&member).await;
    for address in ["192.0.2.4", "198.51.100.7", "192.0.2.4"] {
        token
            .with_address(address)
            .get("/api/eventos")
            .await
            .expect(200);
    }
    app.app.write_all_reads().await;
    let found = audit_rows(&admin, "list_events").await;
    assert_eq!(found.len(), 1, "{found:?}");
    let metadata = &found[0]["metadata"];
    assert_eq!(metadata["count"], 3);
    assert_eq!(metadata["address"], "192.0.2.4");
    assert_eq!(metadata["addresses"], json!(["192.0.2.4", "198.51.100.7"]));
}

fn parse_lines(log: &Log) -> Vec<Value> {
    let text = log.captured_text();
    let lines = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"));
    lines.collect()
}

fn capture_log() -> (Log, impl Drop) {
    let log = Log::default();
    let subscriber = tracing_subscriber::fmt()
        .json()
        .flatten_event(true)
        .with_env_filter(log_filter("warn"))
        .with_writer(log.clone())
        .finish();
    let guard = log_to(subscriber);
    (log, guard)
}

#[tokio::test]
async fn the_log_line_of_a_refused_sign_in_has_its_reason_but_no_password_or_email() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let (_, token) = invite_person(&admin, "bia@equipe.test").await;
    redeem_invitation(&app, &token, PASSWORD).await.expect(200);
    let (log, guard) = capture_log();
    let anonymous = app.anonymous().with_address("198.51.100.7");
    let mut answers = vec![];
    for email in ["bia@equipe.test", "ninguem@equipe.test"] {
        let body = json!({ "email": email, "password": "senha-que-nao-e" });
        let path = "/auth/v1/token?grant_type=password";
        let refused = anonymous.post(path, body).await.expect(401).body;
        answers.push(refused["error"].clone());
    }
    drop(guard);
    assert_eq!(answers[0], answers[1]);
    let lines = parse_lines(&log);
    let told: Vec<_> = lines
        .iter()
        .map(|line| {
            (
                &line["message"],
                &line["address"],
                &line["email"],
                &line["reason"],
            )
        })
        .collect();
    let expected = [
        json!([
            "entrada recusada",
            "198.51.100.7",
            "b***@e***",
            "senha errada"
        ]),
        json!([
            "entrada recusada",
            "198.51.100.7",
            "n***@e***",
            "e-mail desconhecido"
        ]),
    ];
    assert_eq!(json!(told), json!(expected));
    for secret in ["senha-que-nao-e", "bia@", "ninguem"] {
        assert!(!log.captured_text().contains(secret));
    }
}

#[tokio::test]
async fn many_wrong_credentials_cause_one_log_line_per_minute_and_address() {
    let app = TestApp::new().await;
    let (log, guard) = capture_log();
    for address in ["198.51.100.7", "192.0.2.4"] {
        let stranger = app.bearer("svc_live_nada").with_address(address);
        for _ in 0..20 {
            stranger.get("/api/eventos").await.expect(401);
            stranger.send_rpc("tools/list", json!({})).await.expect(401);
        }
    }
    // A request without a credential is refused, and does not count as a refused credential.
    app.anonymous().get("/api/eventos").await.expect(401);
    let counts = |log: &Log| -> Vec<Value> {
        let lines = parse_lines(log);
        let told = lines.iter().map(|line| {
            assert_eq!(line["message"], "credencial recusada");
            json!([line["address"], line["count"]])
        });
        told.collect()
    };
    assert_eq!(
        counts(&log),
        [json!(["198.51.100.7", 1]), json!(["192.0.2.4", 1])]
    );
    app.advance_clock(MINUTE);
    let again = app.bearer("svc_live_nada").with_address("192.0.2.4");
    again.get("/api/eventos").await.expect(401);
    tokio::time::timeout(Duration::from_secs(5), app.app.write_all_reads())
        .await
        .expect("the requests end");
    drop(guard);
    let counted = counts(&log);
    assert_eq!(counted[2], json!(["192.0.2.4", 40]));
    assert_eq!(counted[3], json!(["198.51.100.7", 39]));
    assert_eq!(counted.len(), 4);
}
