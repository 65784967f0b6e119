//! OAuth clients: the well-known ones with their recorded metadata, and the rules for client
//! metadata documents and dynamic registration.

use std::{collections::BTreeSet, time::Duration};

use base64::{Engine, engine::general_purpose::STANDARD};
use domain::{
    Role,
    time::{DAY, HOUR, MINUTE},
};
use identity::authorization::Trust;
use serde_json::{Value, json};

use super::{
    Browser, CALLBACK, Request, agent_client, assert_oauth_error, exchange_fields, grant_code,
    register_client, request_token, service_with_documents, service_with_trust,
};
use crate::support::TestApp;

/// Returns the clients that publish a metadata document, each with the redirect URI of its request.
fn clients_with_documents() -> Vec<(Value, &'static str)> {
    let document = |id: &str, name: &str, uris: &[&str]| {
        json!({
            "client_id": id,
            "client_name": name,
            "redirect_uris": uris,
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "token_endpoint_auth_method": "none",
        })
    };
    let claude = document(
        "https://claude.ai/oauth/mcp-oauth-client-metadata",
        "Claude",
        &[
            "https://claude.ai/api/mcp/auth_callback",
            "https://claude.com/api/mcp/auth_callback",
        ],
    );
    let code = document(
        "https://claude.ai/oauth/claude-code-client-metadata",
        "Claude Code",
        &["http://localhost/callback", "http://127.0.0.1/callback"],
    );
    let mut chatgpt = document(
        "https://chatgpt.com/oauth/client.json",
        "ChatGPT",
        &["https://chatgpt.com/connector_platform_oauth_redirect"],
    );
    chatgpt["token_endpoint_auth_method"] = "private_key_jwt".into();
    chatgpt["token_endpoint_auth_methods_supported"] = json!(["none", "private_key_jwt"]);
    let app = document(
        "https://chatgpt.com/oauth/abc123/client.json",
        "ChatGPT",
        &["https://chatgpt.com/connector/oauth/abc123"],
    );
    let vscode = document(
        "https://vscode.dev/oauth/client-metadata.json",
        "Visual Studio Code",
        &[
            "http://127.0.0.1:33418/",
            "http://127.0.0.1/",
            "https://vscode.dev/redirect",
            "https://insiders.vscode.dev/redirect",
        ],
    );
    let opencode = document(
        "https://opencode.ai/oauth/opencode/client.json",
        "opencode",
        &[
            "http://127.0.0.1/callback",
            "http://localhost/callback",
            "http://127.0.0.1/mcp/oauth/callback",
        ],
    );
    vec![
        (claude.clone(), "https://claude.ai/api/mcp/auth_callback"),
        (claude, "https://claude.com/api/mcp/auth_callback"),
        (code.clone(), "http://localhost:54545/callback"),
        (code, "http://127.0.0.1:54545/callback"),
        (
            chatgpt,
            "https://chatgpt.com/connector_platform_oauth_redirect",
        ),
        (app, "https://chatgpt.com/connector/oauth/abc123"),
        (vscode.clone(), "http://127.0.0.1:33418/"),
        (vscode.clone(), "http://127.0.0.1:61234/"),
        (vscode, "https://vscode.dev/redirect"),
        (opencode, "http://127.0.0.1:19876/mcp/oauth/callback"),
    ]
}

#[tokio::test]
async fn every_client_that_publishes_a_document_gets_its_tokens() {
    let (app, documents) = service_with_documents().await;
    let member = app.add_member(Role::Lider).await;
    for (document, redirect_uri) in clients_with_documents() {
        documents.publish_document(&document);
        let id = document["client_id"].as_str().expect("an address");
        let code = grant_code(&app, &member, &Request::for_client(id, redirect_uri)).await;
        let tokens =
            request_token(&app.anonymous(), &exchange_fields(id, redirect_uri, &code)).await;
        let tokens = tokens.expect(200).body;
        assert!(tokens["refresh_token"].is_string(), "{id}");
        agent_client(&app, &tokens)
            .send_rpc("tools/list", json!({}))
            .await
            .expect(200);
    }
}

#[tokio::test]
async fn every_client_that_registers_itself_gets_its_tokens() {
    let cursor = [
        "cursor://anysphere.cursor-mcp/oauth/callback",
        "http://localhost:8787/callback",
        "https://www.cursor.com/agents/mcp/oauth/callback",
    ];
    for (name, uris, method) in [
        ("Cursor", &cursor[..], "none"),
        (
            "Claude",
            &["https://claude.ai/api/mcp/auth_callback"][..],
            "client_secret_post",
        ),
        (
            "Claude",
            &["https://claude.ai/api/mcp/auth_callback"][..],
            "client_secret_basic",
        ),
        (
            "Gemini CLI",
            &["http://localhost:7777/oauth/callback"][..],
            "none",
        ),
    ] {
        let app = TestApp::new().await;
        let member = app.add_member(Role::Lider).await;
        let asked = json!({
            "client_name": name,
            "redirect_uris": uris,
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "token_endpoint_auth_method": method,
            "application_type": "native",
            "scope": "leitor",
            "software_id": "ignorado",
        });
        let registered = app
            .anonymous()
            .post("/register", asked)
            .await
            .expect(201)
            .body;
        assert_eq!(registered["redirect_uris"], json!(uris));
        assert_eq!(registered["token_endpoint_auth_method"], method);
        let id = registered["client_id"].as_str().expect("an id");
        let secret = registered["client_secret"].as_str();
        assert_eq!(secret.is_some(), method != "none");
        for uri in uris {
            let code = grant_code(&app, &member, &Request::for_client(id, uri)).await;
            let mut fields = exchange_fields(id, uri, &code);
            let mut client = app.anonymous();
            if let Some(secret) = secret {
                assert_oauth_error(request_token(&client, &fields).await, 401, "invalid_client");
                if method == "client_secret_post" {
                    fields.push(("client_secret", secret));
                } else {
                    fields.retain(|(name, _)| *name != "client_id");
                    let credential = STANDARD.encode(format!("{id}:{secret}"));
                    client = client.with_header("authorization", format!("Basic {credential}"));
                }
            }
            let tokens = request_token(&client, &fields).await.expect(200).body;
            agent_client(&app, &tokens)
                .send_rpc("tools/list", json!({}))
                .await
                .expect(200);
        }
    }
}

#[tokio::test]
async fn a_registration_without_an_allowed_redirect_uri_is_refused() {
    let app = TestApp::new().await;
    for uris in [
        json!([]),
        json!(["javascript:alert(1)"]),
        json!(["http://cliente.test/cb"]),
        json!(["data:text/html,x", "file:///etc/passwd"]),
        json!(["vscode://x"]),
    ] {
        let asked = json!({ "client_name": "x", "redirect_uris": uris });
        let answer = app.anonymous().post("/register", asked).await;
        assert_oauth_error(answer, 400, "invalid_redirect_uri");
    }
    let asked =
        json!({ "redirect_uris": [CALLBACK], "token_endpoint_auth_method": "private_key_jwt" });
    let answer = app.anonymous().post("/register", asked).await;
    assert_oauth_error(answer, 400, "invalid_client_metadata");
    let answer = app
        .anonymous()
        .post("/register", json!({ "redirect_uris": 7 }))
        .await;
    assert_oauth_error(answer, 400, "invalid_request");
}

#[tokio::test]
async fn registrations_are_limited_by_network_and_can_be_turned_off() {
    let app = TestApp::new().await;
    let asked = json!({ "client_name": "x", "redirect_uris": [CALLBACK] });
    let here = app.anonymous().with_address("203.0.113.7");
    for _ in 0..60 {
        here.post("/register", asked.clone()).await.expect(201);
    }
    let limited = here.post("/register", asked.clone()).await.expect(429);
    assert!(limited.headers.contains_key("retry-after"));
    let elsewhere = app.anonymous().with_address("203.0.113.8");
    elsewhere.post("/register", asked.clone()).await.expect(201);
    app.advance_clock(15 * MINUTE);
    here.post("/register", asked.clone()).await.expect(201);

    let (app, _) = service_with_trust(Trust::Anybody, false).await;
    app.anonymous().post("/register", asked).await.expect(404);
    let found = app
        .anonymous()
        .get("/.well-known/oauth-authorization-server")
        .await;
    assert!(found.body["registration_endpoint"].is_null());
}

#[tokio::test]
async fn a_client_without_a_grant_is_deleted_after_a_week() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let (used, unused) = (
        register_client(&app, CALLBACK).await,
        register_client(&app, CALLBACK).await,
    );
    grant_code(&app, &member, &Request::for_client(&used, CALLBACK)).await;
    app.advance_clock(7 * DAY);
    let tx = app.begin().await;
    store::agents::delete_expired(&tx.conn(), app.now())
        .await
        .expect("swept");
    tx.commit().await.expect("commits");
    let anonymous = app.anonymous();
    anonymous
        .get(&Request::for_client(&used, CALLBACK).authorization_path())
        .await
        .expect(200);
    anonymous
        .get(&Request::for_client(&unused, CALLBACK).authorization_path())
        .await
        .expect(400);
}

const ID: &str = "https://cliente.test/oauth/client.json";

fn sample_document() -> Value {
    json!({ "client_id": ID, "client_name": "Cliente", "redirect_uris": [CALLBACK] })
}

#[tokio::test]
async fn a_document_is_cached_as_long_as_it_says_and_for_a_week_if_it_is_gone() {
    let (app, documents) = service_with_documents().await;
    let path = Request::for_client(ID, CALLBACK).authorization_path();
    let anonymous = app.anonymous();
    documents.publish_document_for(&sample_document(), Some(Duration::from_secs(2 * 3600)));
    anonymous.get(&path).await.expect(200);
    app.advance_clock(2 * HOUR - 1);
    anonymous.get(&path).await.expect(200);
    assert_eq!(documents.fetch_count(), 1);
    app.advance_clock(1);
    anonymous.get(&path).await.expect(200);
    assert_eq!(documents.fetch_count(), 2);
    documents.withdraw_documents();
    app.advance_clock(7 * DAY - 1);
    anonymous.get(&path).await.expect(200);
    app.advance_clock(1);
    let gone = anonymous.get(&path).await.expect(400);
    assert!(gone.text.contains("não pôde ser lido"), "{}", gone.text);
}

#[tokio::test]
async fn a_document_is_cached_for_at_least_five_minutes_and_at_most_a_day() {
    let (app, documents) = service_with_documents().await;
    let path = Request::for_client(ID, CALLBACK).authorization_path();
    let anonymous = app.anonymous();
    documents.publish_document_for(&sample_document(), Some(Duration::ZERO));
    anonymous.get(&path).await.expect(200);
    app.advance_clock(5 * MINUTE - 1);
    anonymous.get(&path).await.expect(200);
    assert_eq!(documents.fetch_count(), 1);
    app.advance_clock(1);
    documents.publish_document_for(&sample_document(), Some(Duration::from_secs(1_000_000)));
    anonymous.get(&path).await.expect(200);
    app.advance_clock(DAY);
    anonymous.get(&path).await.expect(200);
    assert_eq!(documents.fetch_count(), 3);
}

#[tokio::test]
async fn a_client_gets_no_code_at_a_redirect_uri_that_its_document_no_longer_lists() {
    let (app, documents) = service_with_documents().await;
    let member = app.add_member(Role::Lider).await;
    documents.publish_document_for(&sample_document(), Some(Duration::ZERO));
    let mut browser = Browser::with_session(&app, &member).await;
    let page = browser
        .get(&Request::for_client(ID, CALLBACK).authorization_path())
        .await
        .expect(200);
    let mut changed = sample_document();
    changed["redirect_uris"] = json!(["https://cliente.test/novo"]);
    documents.publish_document(&changed);
    app.advance_clock(5 * MINUTE);
    let answer = browser
        .submit_decision(&page, "permitir", &[])
        .await
        .expect(401);
    assert!(answer.headers.get("location").is_none());
}

#[tokio::test]
async fn only_documents_of_trusted_hosts_are_fetched() {
    for (trust, allowed) in [
        (Trust::Nobody, false),
        (
            Trust::Hosts(BTreeSet::from(["claude.ai".to_owned()])),
            false,
        ),
        (
            Trust::Hosts(BTreeSet::from(["cliente.test".to_owned()])),
            true,
        ),
    ] {
        let off = trust == Trust::Nobody;
        let (app, documents) = service_with_trust(trust, true).await;
        documents.publish_document(&sample_document());
        let answer = app
            .anonymous()
            .get(&Request::for_client(ID, CALLBACK).authorization_path())
            .await;
        assert_eq!(answer.status == 200, allowed, "{}", answer.text);
        assert_eq!(documents.fetch_count(), usize::from(allowed));
        let found = app
            .anonymous()
            .get("/.well-known/oauth-authorization-server")
            .await;
        assert_eq!(found.body["client_id_metadata_document_supported"], !off);
    }
}

#[tokio::test]
async fn urls_of_hosts_that_are_not_public_are_not_client_ids() {
    // This test uses the service's own fetcher.
    let app = TestApp::new().await;
    for id in [
        "https://127.0.0.1/client.json",
        "https://169.254.169.254/latest/meta-data",
        "https://[::ffff:a00:1]/client.json",
        "https://localhost/client.json",
        "http://cliente.test/client.json",
        "https://cliente.test/",
    ] {
        let answer = app
            .anonymous()
            .get(&Request::for_client(id, CALLBACK).authorization_path())
            .await
            .expect(400);
        assert!(answer.headers.get("location").is_none(), "{id}");
    }
}

#[tokio::test]
async fn fetches_for_unauthenticated_callers_are_limited() {
    let (app, documents) = service_with_documents().await;
    let here = app.anonymous().with_address("203.0.113.7");
    let mut limited = 0;
    for n in 0..64 {
        let id = format!("https://cliente.test/oauth/{n}.json");
        let answer = here
            .get(&Request::for_client(&id, CALLBACK).authorization_path())
            .await;
        limited += usize::from(answer.status == 429 && answer.headers.contains_key("retry-after"));
    }
    assert_eq!(limited, 4);
    assert_eq!(documents.fetch_count(), 60);
    // The limit does not affect another caller, not even for the same host.
    let elsewhere = app.anonymous().with_address("203.0.113.8");
    let id = "https://cliente.test/oauth/outro.json";
    let answer = elsewhere
        .get(&Request::for_client(id, CALLBACK).authorization_path())
        .await;
    assert!(answer.text.contains("não pôde ser lido"), "{}", answer.text);
    assert_eq!(documents.fetch_count(), 61);
    let fields: [(&str, &str); 0] = [];
    here.post_form("/revoke", &fields).await.expect(401);
}
