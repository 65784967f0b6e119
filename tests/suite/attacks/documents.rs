//! Client metadata documents: unavailable or unreadable ones, and names with hidden characters.

use std::collections::BTreeSet;

use domain::{
    Role,
    time::{DAY, MINUTE},
};
use identity::authorization::Trust;
use serde_json::json;

use crate::{
    authorization::{
        CALLBACK, Request, agent_client, exchange_fields, grant_code, request_token,
        service_with_documents, service_with_trust,
    },
    support::{Log, TestApp, log_to},
};

/// Well-known clients: the URL of the metadata document, and a redirect URI of the client.
const KNOWN: [(&str, &str); 9] = [
    (
        "https://claude.ai/oauth/mcp-oauth-client-metadata",
        "https://claude.ai/api/mcp/auth_callback",
    ),
    (
        "https://claude.ai/oauth/claude-code-client-metadata",
        "http://localhost:54545/callback",
    ),
    (
        "https://claude.ai/oauth/claude-code-client-metadata",
        "http://127.0.0.1:54545/callback",
    ),
    (
        "https://chatgpt.com/oauth/client.json",
        "https://chatgpt.com/connector_platform_oauth_redirect",
    ),
    (
        "https://chatgpt.com/oauth/vG3-MLZWUV83/client.json",
        "https://chatgpt.com/connector/oauth/vG3-MLZWUV83",
    ),
    (
        "https://chatgpt.com/oauth/codex/client.json",
        "http://127.0.0.1:5555/callback",
    ),
    (
        "https://chatgpt.com/oauth/codex/6MFBM1In3Ey-/client.json",
        "http://127.0.0.1:5555/callback/6MFBM1In3Ey-",
    ),
    (
        "https://vscode.dev/oauth/client-metadata.json",
        "http://127.0.0.1:33418/",
    ),
    (
        "https://vscode.dev/oauth/client-metadata.json",
        "https://vscode.dev/redirect",
    ),
];

#[tokio::test]
async fn a_well_known_client_works_while_its_document_is_unavailable() {
    let (app, _) = service_with_documents().await;
    let member = app.add_member(Role::Lider).await;
    for (id, uri) in KNOWN {
        let code = grant_code(&app, &member, &Request::for_client(id, uri)).await;
        let tokens = request_token(&app.anonymous(), &exchange_fields(id, uri, &code)).await;
        let tokens = tokens.expect(200).body;
        agent_client(&app, &tokens)
            .send_rpc("tools/list", json!({}))
            .await
            .expect(200);
    }
    for (id, uri) in [
        (
            "https://claude.ai/oauth/mcp-oauth-client-metadata",
            CALLBACK,
        ),
        (
            "https://chatgpt.com/oauth/a/client.json",
            "https://chatgpt.com/connector/oauth/b",
        ),
        (
            "https://chatgpt.com/oauth/a/b/client.json",
            "https://chatgpt.com/connector/oauth/a/b",
        ),
        ("https://chatgpt.com.evil.test/oauth/client.json", CALLBACK),
    ] {
        let path = Request::for_client(id, uri).authorization_path();
        app.anonymous().get(&path).await.expect(400);
    }
}

#[tokio::test]
async fn a_fetched_document_overrides_the_stored_facts_of_a_well_known_client() {
    let (app, documents) = service_with_documents().await;
    let id = "https://claude.ai/oauth/mcp-oauth-client-metadata";
    documents.publish_document(&json!({
        "client_id": id, "client_name": "Claude", "redirect_uris": [CALLBACK],
    }));
    let old =
        Request::for_client(id, "https://claude.ai/api/mcp/auth_callback").authorization_path();
    let new = Request::for_client(id, CALLBACK).authorization_path();
    let anonymous = app.anonymous();
    anonymous.get(&old).await.expect(400);
    anonymous.get(&new).await.expect(200);
    // While the document cannot be fetched, the cached copy stays in effect for seven days.
    documents.withdraw_documents();
    app.advance_clock(2 * DAY);
    anonymous.get(&old).await.expect(400);
    anonymous.get(&new).await.expect(200);
    app.advance_clock(6 * DAY);
    anonymous.get(&old).await.expect(200);
    anonymous.get(&new).await.expect(400);
    // The document is fetched again as soon as the retry interval has passed.
    documents.publish_document(&json!({
        "client_id": id, "client_name": "Claude", "redirect_uris": [CALLBACK],
    }));
    app.advance_clock(MINUTE);
    anonymous.get(&new).await.expect(200);
}

#[tokio::test]
async fn without_client_documents_no_client_is_well_known() {
    for trust in [
        Trust::Nobody,
        Trust::Hosts(BTreeSet::from(["outro.test".to_owned()])),
    ] {
        let (app, documents) = service_with_trust(trust, true).await;
        for (id, uri) in KNOWN {
            let path = Request::for_client(id, uri).authorization_path();
            app.anonymous().get(&path).await.expect(400);
        }
        assert_eq!(documents.fetch_count(), 0);
    }
}

#[tokio::test]
async fn for_an_unreadable_document_the_operator_gets_the_cause_and_the_person_a_next_step() {
    let log = Log::default();
    let subscriber = tracing_subscriber::fmt().with_writer(log.clone()).finish();
    let logging = log_to(subscriber);
    let (app, documents) = service_with_documents().await;
    let id = "https://cliente.test/client.json?chave=segredo";
    let page = app
        .anonymous()
        .get(&Request::for_client(id, CALLBACK).authorization_path())
        .await;
    let page = page.expect(400);
    for text in ["não pôde ser lido", "cliente.test", "de novo", "administra"] {
        assert!(page.text.contains(text), "{text}: {}", page.text);
    }
    let odd = "https://outro.test/client.json";
    documents
        .publish_document(&json!({ "client_id": odd, "client_name": "x", "redirect_uris": [] }));
    let page = app
        .anonymous()
        .get(&Request::for_client(odd, CALLBACK).authorization_path())
        .await;
    page.expect(400);
    drop(logging);
    let text = log.captured_text();
    for told in [
        "WARN",
        "cliente.test",
        "absent",
        "PAUTA_CLIENT_DOCUMENTS",
        "outro.test",
    ] {
        assert!(text.contains(told), "{told}: {text}");
    }
    assert!(!text.contains("segredo"), "{text}");
}

/// Characters that are invisible, or that change the appearance of others.
const HIDDEN: [char; 24] = [
    '\u{ad}',
    '\u{34f}',
    '\u{61c}',
    '\u{115f}',
    '\u{180e}',
    '\u{200b}',
    '\u{200c}',
    '\u{200d}',
    '\u{200e}',
    '\u{200f}',
    '\u{202a}',
    '\u{202e}',
    '\u{2060}',
    '\u{2063}',
    '\u{2066}',
    '\u{2069}',
    '\u{206a}',
    '\u{206f}',
    '\u{fe0f}',
    '\u{feff}',
    '\u{fff9}',
    '\u{e0001}',
    '\u{e0041}',
    '\u{e0100}',
];

#[tokio::test]
async fn the_name_of_a_client_has_no_hidden_characters() {
    let app = TestApp::new().await;
    for hidden in HIDDEN {
        let asked = json!({
            "client_name": format!("Cla{hidden}ude"), "redirect_uris": [CALLBACK],
        });
        let made = app.anonymous().post("/register", asked).await.expect(201);
        assert_eq!(made.body["client_name"], "Claude", "{hidden:?}");
    }
    for space in [
        '\u{2028}', '\u{2029}', '\u{85}', '\u{a0}', '\u{3000}', '\n', '\t',
    ] {
        let asked = json!({
            "client_name": format!("Um{space}{space} nome{space}"), "redirect_uris": [CALLBACK],
        });
        let made = app.anonymous().post("/register", asked).await.expect(201);
        assert_eq!(made.body["client_name"], "Um nome", "{space:?}");
    }
}
