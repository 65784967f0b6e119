//! The OAuth flow from `start` to an account in the list, and disconnection.

use domain::Role;
use serde_json::{Value, json};

use super::{Call, Fault, NETWORKS, Stage, request_callback, start_connecting};
use crate::support::TestApp;

#[tokio::test]
async fn an_account_of_every_network_connects_and_disconnects() {
    let stage = Stage::new().await;
    stage.networks.set_account("conta-7", "Redação");
    for network in NETWORKS {
        let page = stage.connect_account(network).await.expect(200);
        assert!(page.text.contains("conectado"), "{}", page.text);
        let account = stage.load_account(network).await;
        assert_eq!(account["account_id"], "conta-7", "{network}");
        assert_eq!(account["display_name"], "Redação");
        assert_eq!(account["status"], "active");
        assert_eq!(account["connected_by"], json!(stage.member.id));
        assert_eq!(account["connected_by_name"], json!(stage.member.name));
        assert!(!account["scopes"].as_array().expect("scopes").is_empty());
        let token = stage
            .connections()
            .access_token(network)
            .await
            .expect("a token");
        assert!(
            stage.networks.valid_access_tokens().contains(&token.token),
            "{network}"
        );
    }
    let listed = stage.admin.get("/oauth/_accounts").await.expect(200).body;
    assert_eq!(listed["providers"], json!(NETWORKS));
    assert_eq!(listed["accounts"].as_array().map(Vec::len), Some(4));
    for network in NETWORKS {
        let path = format!("/oauth/{network}/disconnect");
        let done = stage.admin.post(&path, json!({})).await.expect(200).body;
        assert_eq!(done["ok"], true);
        let revokes = ["shortvideo", "youtube"].contains(&network);
        assert_eq!(
            stage.networks.count_calls(network, Call::Revoke),
            usize::from(revokes)
        );
        // If the network has no endpoint for revocation, the response contains a warning.
        assert_eq!(done.get("avisos").is_none(), revokes, "{network}: {done}");
        assert_eq!(stage.load_account(network).await["status"], "revoked");
        let again = stage.admin.post(&path, json!({})).await;
        again.expect_refusal(404, "NOT_FOUND");
        let refused = stage.connections().access_token(network).await;
        let refused = refused.err().expect("refused");
        assert_eq!(refused.status(), 404);
        assert!(
            refused.body().details.expect("details")["next"]
                .as_str()
                .is_some()
        );
    }
}

#[tokio::test]
async fn texts_from_a_network_are_escaped_and_a_picture_must_have_an_https_url() {
    let stage = Stage::new().await;
    let name = "<script>alert('x')</script> & \"Cia\"";
    stage.networks.set_account("conta", name);
    let page = stage.connect_account("linkedin").await.expect(200);
    let status = stage.admin.get("/oauth/linkedin/status").await.expect(200);
    for page in [&page, &status] {
        let policy = page.headers["content-security-policy"]
            .to_str()
            .expect("text");
        assert!(policy.starts_with("default-src 'none'") && !policy.contains("script-src"));
        assert_eq!(page.headers["referrer-policy"], "no-referrer");
        assert_eq!(page.headers["content-type"], "text/html; charset=utf-8");
        assert!(!page.text.contains("<script"), "{}", page.text);
        assert!(
            page.text.contains("&lt;script&gt;alert(&#39;x&#39;)"),
            "{}",
            page.text
        );
    }
    let account = stage.load_account("linkedin").await;
    assert_eq!(account["display_name"], name);
    assert_eq!(account["avatar_url"], Value::Null);
    assert!(
        status.text.contains("LinkedIn: conectado"),
        "{}",
        status.text
    );
}

#[tokio::test]
async fn a_second_consent_without_a_refresh_token_keeps_the_first_token() {
    let stage = Stage::new().await;
    stage.connect_account("youtube").await.expect(200);
    stage.connect_account("youtube").await.expect(200);
    stage.app.advance_clock(3_600_000);
    let token = stage
        .connections()
        .access_token("youtube")
        .await
        .expect("renewed");
    assert!(stage.networks.valid_access_tokens().contains(&token.token));
    assert_eq!(stage.networks.count_calls("youtube", Call::Renew), 1);
}

#[tokio::test]
async fn another_member_can_take_over_the_account_and_another_account_replaces_it() {
    let stage = Stage::new().await;
    stage.networks.set_account("a", "Conta A");
    stage.connect_account("shortvideo").await.expect(200);
    let other = stage.app.add_member(Role::Admin).await;
    let session = stage.app.session_client(&other).await;
    super::connect_account(&stage.app, &stage.networks, &session, "shortvideo")
        .await
        .expect(200);
    assert_eq!(
        stage.load_account("shortvideo").await["connected_by"],
        json!(other.id)
    );
    // The account is the same, so the older grant is not revoked, because that could also end the
    // new grant.
    assert_eq!(stage.networks.count_calls("shortvideo", Call::Revoke), 0);
    stage.networks.set_account("b", "Conta B");
    let page = stage.connect_account("shortvideo").await.expect(200);
    assert!(
        page.text.contains("A conta Conta A deixou de ser usada"),
        "{}",
        page.text
    );
    assert_eq!(stage.networks.count_calls("shortvideo", Call::Revoke), 1);
    assert_eq!(stage.load_account("shortvideo").await["account_id"], "b");
    let listed = stage.admin.get("/oauth/_accounts").await.expect(200).body;
    assert_eq!(listed["accounts"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn a_person_who_does_not_authorize_changes_nothing() {
    let stage = Stage::new().await;
    stage.connect_account("shortvideo").await.expect(200);
    let before = stage.load_account("shortvideo").await;
    let started = start_connecting(&stage.admin, "shortvideo").await;
    let path = stage.networks.authorize(&started.url).await;
    let (_, query) = path.split_once("state=").expect("a state");
    let state = query.split('&').next().expect("a state");
    let path = format!(
        "/oauth/shortvideo/callback?error=access_denied&error_description=%3Cb%3E&state={state}"
    );
    let refused = request_callback(&stage.app, &path, &started.cookie)
        .await
        .expect(400);
    assert!(
        refused.text.contains("TikTok não autorizou"),
        "{}",
        refused.text
    );
    assert!(
        refused.headers["set-cookie"]
            .to_str()
            .expect("text")
            .contains("Max-Age=0")
    );
    request_callback(&stage.app, &path, &started.cookie)
        .await
        .expect(400);
    assert_eq!(stage.load_account("shortvideo").await, before);
    assert_eq!(stage.networks.count_calls("shortvideo", Call::Exchange), 1);
}

#[tokio::test]
async fn an_authorization_that_cannot_be_audited_also_deletes_the_cookie() {
    let stage = Stage::new().await;
    let started = start_connecting(&stage.admin, "shortvideo").await;
    let path = stage.networks.authorize(&started.url).await;
    let (_, query) = path.split_once("state=").expect("a state");
    let state = query.split('&').next().expect("a state");
    let away = "ALTER TABLE audit_events RENAME TO away";
    stage.app.execute_statement(away, []).await;
    let path = format!("/oauth/shortvideo/callback?error=access_denied&state={state}");
    let refused = request_callback(&stage.app, &path, &started.cookie)
        .await
        .expect(500);
    let cookie = refused.headers["set-cookie"].to_str().expect("text");
    assert!(cookie.starts_with("pauta_oauth_shortvideo=;") && cookie.contains("Max-Age=0"));
}

#[tokio::test]
async fn only_registered_networks_exist() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let health = app.anonymous().get("/api/health").await.expect(200).body;
    assert_eq!(health["providers"], json!([]));
    for (answer, text) in [
        (admin.post("/oauth/shortvideo/start", json!({})).await, true),
        (admin.get("/oauth/shortvideo/status").await, true),
        (
            app.anonymous()
                .get("/oauth/shortvideo/callback?code=a&state=b")
                .await,
            true,
        ),
        (
            admin.post("/oauth/shortvideo/disconnect", json!({})).await,
            false,
        ),
        (admin.post("/oauth/nenhuma/start", json!({})).await, true),
    ] {
        let answer = answer.expect(404);
        let kind = answer.headers["content-type"].to_str().expect("text");
        assert_eq!(kind.starts_with("text/plain"), text, "{}", answer.text);
    }
    let stage = Stage::new().await;
    let health = stage
        .app
        .anonymous()
        .get("/api/health")
        .await
        .expect(200)
        .body;
    assert_eq!(health["providers"], json!(NETWORKS));
}

#[tokio::test]
async fn a_missing_capability_is_refused_with_the_error_object() {
    let stage = Stage::new().await;
    let lead = stage.app.add_member(Role::Lider).await;
    let (session, token) = (
        stage.app.session_client(&lead).await,
        stage.app.token_client(&lead).await,
    );
    let start = "/oauth/shortvideo/start";
    session
        .post(start, json!({}))
        .await
        .expect_refusal(403, "CAPABILITY_REQUIRED");
    token
        .post(start, json!({}))
        .await
        .expect_refusal(403, "SESSION_REQUIRED");
    stage
        .app
        .anonymous()
        .post(start, json!({}))
        .await
        .expect_refusal(401, "UNAUTHENTICATED");
    let page = "/oauth/shortvideo/status";
    stage
        .app
        .anonymous()
        .get(page)
        .await
        .expect_refusal(401, "UNAUTHENTICATED");
    token.get(page).await.expect(200);
    token.get("/oauth/_accounts").await.expect(200);
    let keyed = stage.admin.with_idempotency_key("chave-de-teste");
    keyed.post(start, json!({})).await.expect(400);
}

#[tokio::test]
async fn a_network_that_does_not_answer_is_still_disconnected_here() {
    let stage = Stage::new().await;
    stage.connect_account("shortvideo").await.expect(200);
    stage
        .networks
        .fail_next(Call::Revoke, Fault::Answer(503, "text/html", "<p>".into()));
    let path = "/oauth/shortvideo/disconnect";
    let key = stage.admin.with_idempotency_key("desconectar-1");
    let done = key.post(path, json!({})).await.expect(200).body;
    let told = done["avisos"][0].as_str().expect("a notice");
    assert!(told.contains("TikTok não confirmou a revogação"), "{told}");
    assert_eq!(stage.load_account("shortvideo").await["status"], "revoked");
    let again = key.post(path, json!({})).await.expect(200);
    assert_eq!(again.headers["idempotency-replayed"], "true");
    assert_eq!(stage.networks.count_calls("shortvideo", Call::Revoke), 1);
}
