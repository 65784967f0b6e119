//! Endpoints and keys that no browser sends, and places in which secrets must not appear.

use serde_json::json;
use tracing_subscriber::layer::SubscriberExt;

use super::{DEVICES, Fixture};
use crate::support::{Log, TestApp, log_to};

#[tokio::test]
async fn endpoints_that_no_push_service_has_are_refused() {
    let team = Fixture::new().await;
    let valid = team.push.open_browser().subscription();
    let port = team.push.origin.rsplit_once(':').expect("a port").1;
    for endpoint in [
        "http://push.exemplo.test/a".to_owned(),
        "https://ana:senha@push.exemplo.test/a".to_owned(),
        "https://push.exemplo.test/a#b".to_owned(),
        "https://169.254.169.254/latest/meta-data".to_owned(),
        "https://[::ffff:127.0.0.1]/a".to_owned(),
        "https://[::ffff:a9fe:a9fe]/a".to_owned(),
        "https://2130706433/aaaaa".to_owned(),
        "https://0x7f.1/aaaaaaaa".to_owned(),
        "https://10.0.0.8/aaaaaaa".to_owned(),
        "https://[fd00::1]/aaaaaaa".to_owned(),
        format!("https://127.0.0.1:{port}/a"),
        "file:///etc/passwd".to_owned(),
        "gopher://push.exemplo.test/".to_owned(),
        "sem endereço nenhum".to_owned(),
        format!("https://push.exemplo.test/{}", "a".repeat(2_000)),
    ] {
        let mut input = valid.clone();
        input["endpoint"] = endpoint.as_str().into();
        let refused = team.caio.post(DEVICES, input).await.expect(400);
        assert_eq!(refused.invalid_fields(), ["endpoint"], "{endpoint}");
    }
    assert_eq!(team.app.count_rows("push_devices").await, 0);
}

#[tokio::test]
async fn a_host_name_with_a_private_address_is_refused_when_a_message_is_sent() {
    let team = Fixture::new().await;
    let mut input = team.push.open_browser().subscription();
    let port = team.push.origin.rsplit_once(':').expect("a port").1;
    input["endpoint"] = format!("https://localhost:{port}/aparelho/1").into();
    team.caio.post(DEVICES, input).await.expect(200);
    team.assign("Feira").await;
    team.make_and_send_notifications().await;
    assert_eq!(team.push.take().len(), 0);
    assert_eq!(team.message_states().await, ["pendente"]);
}

#[tokio::test]
async fn keys_that_no_browser_has_are_refused() {
    let team = Fixture::new().await;
    let valid = team.push.open_browser().subscription();
    let no_point = format!("B{}", "A".repeat(86));
    for (field, value) in [
        ("p256dh", json!("A".repeat(100_000))),
        ("p256dh", json!(no_point)),
        ("p256dh", json!("")),
        ("p256dh", json!("=".repeat(87))),
        ("p256dh", json!(7)),
        ("auth", json!("A".repeat(100_000))),
        ("auth", json!("AAAA")),
        // The last character has bits that lie beyond the 16 bytes of the key.
        ("auth", json!("AAAAAAAAAAAAAAAAAAAAAB")),
        ("nome", json!("")),
        ("nome", json!("a".repeat(61))),
        ("anterior", json!("")),
    ] {
        let mut input = valid.clone();
        input[field] = value;
        let refused = team.caio.post(DEVICES, input).await.expect(400);
        // A field may break more than one rule.
        let fields = refused.invalid_fields();
        assert!(!fields.is_empty(), "{field}");
        assert!(fields.iter().all(|one| *one == field), "{fields:?}");
    }
    assert_eq!(team.app.count_rows("push_devices").await, 0);
}

#[tokio::test]
async fn endpoint_and_keys_appear_in_no_answer_log_or_table() {
    let log = Log::default();
    let layer = tracing_subscriber::fmt::layer().with_writer(log.clone());
    let _logging = log_to(tracing_subscriber::registry().with(layer));
    let (team, browser) = Fixture::with_device().await;
    let input = browser.subscription();
    let list = team.caio.get(DEVICES).await.expect(200).text;
    let again = team
        .caio
        .post(DEVICES, input.clone())
        .await
        .expect(200)
        .text;
    for status in [403, 503] {
        team.push.answer(status);
        team.assign("Feira").await;
        team.make_and_send_notifications().await;
    }
    let log = log.captured_text();
    assert!(log.contains("o serviço de push recusou um aviso"), "{log}");
    let audit = team
        .admin
        .get("/api/access/audit?limit=100")
        .await
        .expect(200)
        .text;
    assert!(audit.contains("add_push_device"), "{audit}");
    let mut tables = String::new();
    for table in [
        "audit_events",
        "push_devices",
        "push_messages",
        "secrets",
        "jobs",
        "idempotency_keys",
    ] {
        let rows = team.app.query_rows(format!("SELECT * FROM {table}")).await;
        tables.push_str(&format!("{rows:?}"));
    }
    for field in ["endpoint", "p256dh", "auth"] {
        let secret = input[field].as_str().expect("a text");
        for text in [&list, &again, &audit, &tables, &log] {
            assert!(!text.contains(secret), "{field}");
        }
    }
    assert!(tables.contains("Chrome em Android"), "the tables are read");
}

#[tokio::test]
async fn a_form_of_another_site_registers_nothing() {
    let team = Fixture::new().await;
    let (name, cookie) = team.app.session_cookie(team.caio()).await;
    let browser = team.app.anonymous();
    let browser = browser.with_header("cookie", format!("{name}={cookie}"));
    let subscription = team.push.open_browser().subscription();
    let fields: Vec<(&str, &str)> = ["endpoint", "p256dh", "auth", "nome"]
        .iter()
        .map(|name| (*name, subscription[*name].as_str().expect("a text")))
        .collect();
    let elsewhere = browser.with_header("sec-fetch-site", "cross-site");
    let path = "/acao/add_push_device";
    elsewhere.post_form(path, &fields).await.expect(403);
    assert_eq!(team.app.count_rows("push_devices").await, 0);
    let here = browser.with_header("sec-fetch-site", "same-origin");
    here.post_form(path, &fields).await.expect(303);
    assert_eq!(team.app.count_rows("push_devices").await, 1);
    // The device belongs to the session of this browser, so signing out of the session removes the
    // device.
    here.post_form("/sair", &[] as &[(&str, &str)])
        .await
        .expect(303);
    assert_eq!(team.app.count_rows("push_devices").await, 0);
}

#[tokio::test]
async fn the_files_of_the_app_are_public_and_contain_no_personal_data() {
    let app = TestApp::new().await;
    let anyone = app.anonymous();
    let manifest = anyone.get("/manifest.webmanifest").await.expect(200);
    let media_type = manifest.headers["content-type"].to_str().expect("text");
    assert!(
        media_type.starts_with("application/manifest+json"),
        "{media_type}"
    );
    let manifest = manifest.body;
    assert_eq!(manifest["scope"], "/");
    for icon in manifest["icons"].as_array().expect("a list") {
        let path = icon["src"].as_str().expect("a path");
        let file = anyone.get(path).await.expect(200);
        assert_eq!(file.headers["content-type"], "image/png", "{path}");
    }
    let worker = anyone.get("/app.js").await.expect(200);
    assert!(
        worker.headers["content-type"]
            .to_str()
            .expect("text")
            .starts_with("text/javascript")
    );
    assert_eq!(worker.headers["cache-control"], "no-cache");
    for page in ["/api", "/convidado/", "/vivo", "/entrar", "/mcp", ".csv"] {
        let named = format!("\"{page}");
        assert!(!worker.text.contains(&named), "{page}");
    }
    assert!(
        worker.text.contains("\"/eventos/{event_id}\""),
        "{}",
        worker.text
    );
    let offline = anyone.get("/sem-conexao").await.expect(200);
    assert!(offline.text.contains("Sem conexão"));
}
