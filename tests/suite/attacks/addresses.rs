//! The redirect URIs of clients.

use domain::Role;
use serde_json::{Value, json};

use crate::{
    authorization::{Browser, CALLBACK, Request, redirect_location, register_client},
    support::{Client, TestApp},
};

/// Registers a client with these redirect URIs; returns the accepted ones.
async fn register_redirect_uris(client: &Client, uris: Value) -> Value {
    let asked = json!({ "client_name": "x", "redirect_uris": uris });
    let answer = client.post("/register", asked).await;
    match answer.status {
        201 => answer.body["redirect_uris"].clone(),
        400 => {
            assert_eq!(answer.body["error"], "invalid_redirect_uri");
            json!([])
        }
        other => panic!("{other}: {}", answer.text),
    }
}

#[tokio::test]
async fn loopback_redirect_uris_are_compared_as_text_except_for_the_port() {
    let app = TestApp::new().await;
    let asked = json!({ "client_name": "x", "redirect_uris": [
        "http://127.0.0.1/cb", "http://localhost/cb", "http://[::1]/cb",
    ] });
    let made = app.anonymous().post("/register", asked).await.expect(201);
    let id = made.body["client_id"].as_str().expect("an id");
    for same in [
        "http://127.0.0.1:5000/cb",
        "http://localhost:1/cb",
        "http://[::1]:65535/cb",
    ] {
        let path = Request::for_client(id, same).authorization_path();
        app.anonymous().get(&path).await.expect(200);
    }
    for other in [
        "http://127.0.0.1:5000/x/../cb",
        "http://127.0.0.1:5000/./cb",
        "http://127.0.0.1:5000/%2e/cb",
        "http://127.0.0.1:5000//cb",
        "http://127.1:5000/cb",
        "http://127.1/cb",
        "http://0x7f.1/cb",
        "http://0x7f000001/cb",
        "http://2130706433/cb",
        "http://0177.0.0.1/cb",
        "http://127.0.0.01/cb",
        "http://127.0.0.1./cb",
        "HTTP://127.0.0.1/cb",
        "http://LOCALHOST:5000/cb",
        "HTTP://localhost/cb",
        "http://localhost./cb",
        "http://[0:0:0:0:0:0:0:1]:5000/cb",
        "http://[::ffff:127.0.0.1]/cb",
        "http:/localhost/cb",
        "http:localhost/cb",
        "http:\\\\localhost\\cb",
        "http://localhost:/cb",
        "http://localhost:05000/cb",
        "http://localhost:80/cb",
        "http://localhost:65536/cb",
        "http://@localhost/cb",
        "http://localhost:5000/cb?",
        "http://localhost:5000/cb#",
        "http://localhost:5000/%63b",
        "http://localhost:5000@evil.example/cb",
        "http://localhost\t:5000/cb",
        "http://ｌocalhost/cb",
    ] {
        let answer = app
            .anonymous()
            .get(&Request::for_client(id, other).authorization_path())
            .await;
        assert_eq!(answer.status, 400, "{other}");
        assert!(answer.headers.get("location").is_none(), "{other}");
    }
}

#[tokio::test]
async fn a_redirect_uri_is_accepted_only_in_normalized_form() {
    let app = TestApp::new().await;
    for refused in [
        "https://evil.example;script-src/cb",
        "https://evil.example,cliente.test/cb",
        "https://a;form-action%20*/cb",
        "https://a'b/cb",
        "https://a_b.test/cb",
        "https://a!b.test/cb",
        "https://a$b.test/cb",
        "https://a&b.test/cb",
        "https://(a).test/cb",
        "https://a+b.test/cb",
        "https://a=b.test/cb",
        "https://a~b.test/cb",
        "https://*.cliente.test/cb",
        "https://CLIENTE.test/cb",
        "https://cliente.test:443/cb",
        "https://cliente.test/x/../cb",
        "https://cliente.test/%2e%2e/cb",
        "https:cliente.test/cb",
        "https:///cliente.test/cb",
        "https://cliente.test/cb'?x='",
        "https://user@cliente.test/cb",
        "https://cliente.test/cb#x",
    ] {
        assert_eq!(
            register_redirect_uris(&app.anonymous(), json!([refused])).await,
            json!([]),
            "{refused}"
        );
    }
}

#[tokio::test]
async fn a_redirect_uri_without_a_path_is_accepted_unchanged() {
    let app = TestApp::new().await;
    for plain in [
        "https://cliente.test",
        "http://localhost:3000",
        "http://127.0.0.1",
    ] {
        let told = register_redirect_uris(&app.anonymous(), json!([plain])).await;
        assert_eq!(told, json!([plain]));
    }
}

#[tokio::test]
async fn the_policy_of_the_consent_page_allows_only_the_client() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    for uri in [
        "https://cliente.test/cb;script-src%20*",
        "https://cliente.test/cb,x",
        "http://127.0.0.1:5/cb;a",
    ] {
        let client_id = register_client(&app, uri).await;
        let mut browser = Browser::with_session(&app, &member).await;
        let page = browser
            .get(&Request::for_client(&client_id, uri).authorization_path())
            .await
            .expect(200);
        let policy = page.headers["content-security-policy"]
            .to_str()
            .expect("text");
        assert_eq!(policy.matches(';').count(), 4, "{policy}");
        assert!(!policy.contains(','), "{policy}");
    }
}

#[tokio::test]
async fn a_redirect_uri_with_response_parameters_is_not_accepted() {
    let app = TestApp::new().await;
    let mut tried = 0;
    for name in [
        "code",
        "state",
        "iss",
        "error",
        "error_description",
        "error_uri",
        "response",
        "id_token",
        "access_token",
        "token_type",
        "expires_in",
        "scope",
        "session_state",
    ] {
        let (first, rest) = name.split_at(1);
        let encoded = format!("%{:02x}{rest}", first.as_bytes()[0]);
        for query in [
            format!("{name}=x"),
            name.to_owned(),
            format!("a=1&{name}="),
            format!("a=1;{name}=2"),
            format!("{encoded}=x"),
            format!("{}=x", name.to_uppercase()),
            format!("{name}[]=x"),
            format!("+{name}=x"),
        ] {
            let uri = format!("https://cliente.test/cb?{query}");
            assert_eq!(
                register_redirect_uris(&app.anonymous(), json!([uri])).await,
                json!([]),
                "{uri}"
            );
            tried += 1;
            if tried % 50 == 0 {
                app.advance_clock(16 * domain::time::MINUTE);
            }
        }
    }
    let plain = json!(["https://cliente.test/cb?tenant=a&codes=1"]);
    assert_eq!(
        register_redirect_uris(&app.anonymous(), plain.clone()).await,
        plain
    );
}

#[tokio::test]
async fn known_applications_are_reached_only_at_their_own_redirect_uris() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    for (uri, source) in [
        ("cursor://anysphere.cursor-mcp/oauth/callback", "cursor:"),
        (
            "cursor://anysphere.cursor-retrieval/oauth/user-pauta/callback",
            "cursor:",
        ),
        (
            "vscode://saoudrizwan.claude-dev/mcp-auth/callback/1a2b3c4d",
            "vscode:",
        ),
        (
            "vscode-insiders://saoudrizwan.claude-dev/mcp-auth/callback/1a2b3c4d",
            "vscode-insiders:",
        ),
        (
            "windsurf://saoudrizwan.claude-dev/mcp-auth/callback/1a2b3c4d",
            "windsurf:",
        ),
        ("raycast://oauth?package_name=mcp_server_pauta", "raycast:"),
    ] {
        let client_id = register_client(&app, uri).await;
        let mut browser = Browser::with_session(&app, &member).await;
        let page = browser
            .get(&Request::for_client(&client_id, uri).authorization_path())
            .await
            .expect(200);
        let policy = page.headers["content-security-policy"]
            .to_str()
            .expect("text");
        assert!(
            policy.contains(&format!("form-action 'self' {source};")),
            "{policy}"
        );
        assert!(page.text.contains("neste computador"), "{uri}");
        let sent = browser
            .submit_decision(&page, "permitir", &[])
            .await
            .expect(302);
        let mark = if uri.contains('?') { '&' } else { '?' };
        assert!(
            redirect_location(&sent).starts_with(&format!("{uri}{mark}")),
            "{uri}"
        );
    }
    for refused in [
        "javascript:alert(1)",
        "JavaScript://localhost/%0aalert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "vbscript:x",
        "blob:https://cliente.test/1",
        "about:blank",
        "intent://x/#Intent;end",
        "ms-msdt:/id",
        "cursor://evil/oauth/callback",
        "cursor://anysphere.cursor-mcp/oauth/callback/",
        "cursor://anysphere.cursor-mcp/oauth/callback?x=1",
        "cursor://anysphere.cursor-mcp/../oauth/callback",
        "CURSOR://anysphere.cursor-mcp/oauth/callback",
        "cursor://anysphere.cursor-retrieval/oauth/a/b/callback",
        "cursor://anysphere.cursor-retrieval/oauth/../callback",
        "vscode://evil.extension/mcp-auth/callback/1",
        "vscode://saoudrizwan.claude-dev/mcp-auth/callback/",
        "vscode://saoudrizwan.claude-dev/mcp-auth/callback/a/b",
        "vscode://saoudrizwan.claude-dev/mcp-auth/callback/a?x=1",
        "vscode://saoudrizwan.claude-dev/mcp-auth/callback/%2e%2e",
        "raycast://oauth?package_name=mcp_server_x&code=1",
        "raycast://extensions/evil",
        "zed://file/etc",
    ] {
        assert_eq!(
            register_redirect_uris(&app.anonymous(), json!([refused])).await,
            json!([]),
            "{refused}"
        );
    }
    // A redirect URI that is not accepted is dropped, and the others are registered.
    let mixed = json!([CALLBACK, "futuro://app/cb", "javascript:alert(1)"]);
    assert_eq!(
        register_redirect_uris(&app.anonymous(), mixed).await,
        json!([CALLBACK])
    );
}
