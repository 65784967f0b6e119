//! The addresses to which messages may be sent.

use std::time::Duration;

use serde_json::json;
use tokio::net::TcpListener;

use super::Fixture;

#[tokio::test]
async fn an_address_outside_the_public_internet_is_refused() {
    let team = Fixture::new().await;
    for url in [
        "http://exemplo.com.br/entrada",
        "https://127.0.0.1/",
        "https://[::1]/",
        "https://[::ffff:10.0.0.1]/",
        "https://169.254.169.254/latest/meta-data",
        "https://[fd00::8]/",
        "https://[fe80::1]/",
        "https://0x7f.1/",
        "https://usuario:senha@exemplo.com.br/",
        "https://exemplo.com.br/#parte",
        "file:///etc/passwd",
        "exemplo",
    ] {
        let mut settings = team.settings();
        settings["url"] = url.into();
        let refused = team.admin.post("/api/webhooks", settings).await;
        assert_eq!(refused.invalid_fields(), ["url"], "{url}");
    }
}

/// The name is resolved when the message is sent, and the address is checked then.
#[tokio::test]
async fn a_host_name_that_resolves_to_loopback_is_refused_when_connecting() {
    let team = Fixture::new().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let mut settings = team.settings();
    settings["url"] = format!("https://localhost:{port}/entrada").into();
    let webhook = team.subscribe_with(settings).await;
    let test = webhook.path("/teste");
    team.admin.post(&test, json!({})).await.expect(200);
    team.run_due_jobs().await;
    let attempt = team.list_messages(&webhook).await[0]["tentativas"][0].clone();
    assert_eq!(attempt["status"], json!(null));
    let refused = "o endereço não existe ou não é da internet pública";
    assert_eq!(attempt["erro"], refused);
    let connected = tokio::time::timeout(Duration::ZERO, listener.accept()).await;
    assert!(connected.is_err(), "nobody has connected");
}
