//! Callbacks while the network fails: the error page, and the unchanged connection.

use serde_json::Value;

use super::{Call, Fault, Stage, connect_account};

/// Faults that must leave the connection unchanged.
fn harmless_faults() -> Vec<Fault> {
    let json = "application/json";
    let page = "<html>Bad Gateway</html>".to_owned();
    vec![
        Fault::Answer(500, json, "{}".into()),
        Fault::Answer(502, "text/html", page.clone()),
        Fault::Answer(429, json, r#"{"error":"rate_limited"}"#.into()),
        Fault::Answer(200, "text/html", page),
        Fault::Answer(
            200,
            "text/plain",
            r#"{"access_token":"x","expires_in":1}"#.into(),
        ),
        Fault::Answer(200, json, "{".into()),
        Fault::Answer(200, json, "[]".into()),
        Fault::Answer(200, json, "x".repeat(300_000)),
        Fault::Answer(
            200,
            json,
            r#"{"error":"invalid_grant","log_id":"1"}"#.into(),
        ),
        Fault::Answer(
            200,
            json,
            r#"{"error":{"code":"internal_error","message":"<b>"}}"#.into(),
        ),
        Fault::Answer(
            400,
            json,
            r#"{"error":"<script>","error_description":"x"}"#.into(),
        ),
        Fault::Redirect("http://169.254.169.254/latest/meta-data".into()),
        Fault::Redirect("http://127.0.0.1:1/".into()),
        Fault::Lost,
        Fault::Without("access_token"),
        Fault::Without("expires_in"),
        Fault::Silent,
    ]
}

#[tokio::test]
async fn a_failed_exchange_keeps_the_existing_connection() {
    let stage = Stage::with_more_settings([("PAUTA_NETWORK_TIMEOUT", "1".into())]).await;
    stage.connect_account("shortvideo").await.expect(200);
    let before = stage.load_account("shortvideo").await;
    for fault in harmless_faults() {
        stage.networks.fail_next(Call::Exchange, fault.clone());
        let answer = stage.connect_account("shortvideo").await.expect(500);
        let kind = answer.headers["content-type"].to_str().expect("text");
        assert_eq!(kind, "text/plain; charset=utf-8", "{fault:?}");
        assert!(
            answer.text.contains("O que estava conectado continua"),
            "{}",
            answer.text
        );
        assert!(!answer.text.contains('<'), "{}", answer.text);
        let deleted = answer.headers["set-cookie"].to_str().expect("text");
        assert!(deleted.contains("Max-Age=0"), "{deleted}");
        assert_eq!(stage.load_account("shortvideo").await, before, "{fault:?}");
    }
    // The token of the existing connection must still be valid at the double.
    let token = stage
        .connections()
        .access_token("shortvideo")
        .await
        .expect("a token");
    assert!(stage.networks.valid_access_tokens().contains(&token.token));
}

#[tokio::test]
async fn a_failed_call_to_any_network_stores_nothing() {
    for (network, call) in [
        ("shortvideo", Call::Profile),
        ("instagram", Call::Exchange),
        ("instagram", Call::Longer),
        ("instagram", Call::Profile),
        ("youtube", Call::Exchange),
        ("youtube", Call::Profile),
        ("linkedin", Call::Exchange),
        ("linkedin", Call::Profile),
    ] {
        let stage = Stage::new().await;
        for fault in harmless_faults() {
            if matches!(fault, Fault::Silent | Fault::Without(_)) {
                continue;
            }
            stage.networks.fail_next(call, fault);
            stage.connect_account(network).await.expect(500);
            assert_eq!(stage.load_account(network).await, Value::Null);
        }
        stage.connect_account(network).await.expect(200);
    }
}

#[tokio::test]
async fn a_wrong_client_secret_connects_nothing() {
    let stage = Stage::with_more_settings([("PAUTA_YOUTUBE_CLIENT_SECRET", "outro".into())]).await;
    let refused = stage.connect_account("youtube").await.expect(500);
    assert!(refused.text.contains("invalid_client"), "{}", refused.text);
    let session = stage.admin.clone();
    connect_account(&stage.app, &stage.networks, &session, "linkedin")
        .await
        .expect(200);
}
