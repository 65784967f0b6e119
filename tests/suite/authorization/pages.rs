//! The sign-in and consent pages: their content, and the browsers whose forms are accepted.

use domain::{Level, Role, time::MINUTE};

use serde_json::json;

use super::{
    Browser, CALLBACK, Request, browser::decision_fields, redirect_location, register_client,
};
use crate::{
    console::{hidden_value, submit_operation},
    support::TestApp,
};

#[tokio::test]
async fn pages_run_no_script_and_cannot_be_framed() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let client_id = register_client(&app, CALLBACK).await;
    let path = Request::for_client(&client_id, CALLBACK).authorization_path();
    let consent = Browser::with_session(&app, &member)
        .await
        .get(&path)
        .await
        .expect(200);
    let sign_in = app.anonymous().get(&path).await.expect(200);
    let refused = app.anonymous().get("/authorize").await.expect(400);
    for page in [&consent, &sign_in] {
        assert!(page.text.contains(r#"privacidade">"#));
    }
    for page in [consent, sign_in, refused] {
        let policy = page.headers["content-security-policy"]
            .to_str()
            .expect("text");
        for rule in [
            "default-src 'none'",
            "frame-ancestors 'none'",
            "base-uri 'none'",
        ] {
            assert!(policy.contains(rule), "{policy}");
        }
        assert!(
            !policy.contains("unsafe") && !policy.contains("script-src"),
            "{policy}"
        );
        assert!(!page.text.contains("<script"));
        assert!(
            page.headers["content-type"]
                .to_str()
                .expect("text")
                .starts_with("text/html")
        );
    }
}

#[tokio::test]
async fn the_consent_page_suggests_the_narrowed_addresses_that_suit_the_member() {
    let app = TestApp::new().await;
    let client_id = register_client(&app, CALLBACK).await;
    let path = Request::for_client(&client_id, CALLBACK).authorization_path();
    let guide = app
        .anonymous()
        .get("/api/ai/mcp-setup.md")
        .await
        .expect(200)
        .text;
    let rows = identity::authorization::WORKDAYS;
    for (role, level, suggested) in [
        (Role::Criador, Level::Criador, &[0, 1, 4, 5, 8][..]),
        (Role::Lider, Level::Lider, &[0, 1, 2, 3, 4, 5, 8]),
        (Role::Lider, Level::Leitor, &[8]),
        (Role::Admin, Level::Admin, &[0, 1, 2, 3, 4, 5, 7, 8]),
    ] {
        let member = app.add_member_with(role, level, false).await;
        let page = Browser::with_session(&app, &member)
            .await
            .get(&path)
            .await
            .expect(200)
            .text;
        for (index, day) in rows.iter().enumerate() {
            let shown = page.contains(&format!("api&#x2f;mcp{}</code>", day.query));
            assert_eq!(shown, suggested.contains(&index), "{role}: {}", day.work);
            assert!(guide.contains(&format!("| {} | `{}` |", day.work, day.query)));
        }
    }
}

#[tokio::test]
async fn form_action_allows_only_the_client() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    for (uri, target) in [
        (CALLBACK, "https://cliente.test"),
        ("http://127.0.0.1:33418/", "http://127.0.0.1:33418"),
        ("cursor://anysphere.cursor-mcp/oauth/callback", "cursor:"),
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
            policy.contains(&format!("form-action 'self' {target};")),
            "{policy}"
        );
        assert_eq!(
            page.text.contains("neste computador"),
            uri != CALLBACK,
            "{uri}"
        );
        let sent = browser
            .submit_decision(&page, "permitir", &[])
            .await
            .expect(302);
        assert!(
            redirect_location(&sent).starts_with(&format!("{uri}?")),
            "{}",
            redirect_location(&sent)
        );
    }
}

#[tokio::test]
async fn the_name_of_a_client_is_shown_as_text() {
    let app = TestApp::new().await;
    let asked = serde_json::json!({
        "client_name": "<img src=x onerror=alert(1)>\u{202e}\"'&", "redirect_uris": [CALLBACK],
    });
    let registered = app
        .anonymous()
        .post("/register", asked)
        .await
        .expect(201)
        .body;
    let client_id = registered["client_id"].as_str().expect("an id");
    let page = app
        .anonymous()
        .get(&Request::for_client(client_id, CALLBACK).authorization_path())
        .await
        .expect(200);
    assert!(
        !page.text.contains("<img") && !page.text.contains('\u{202e}'),
        "{}",
        page.text
    );
    assert!(page.text.contains("&lt;img"));
}

#[tokio::test]
async fn nothing_is_sent_to_a_redirect_uri_that_the_client_has_not_registered() {
    let app = TestApp::new().await;
    let client_id = register_client(&app, CALLBACK).await;
    for uri in [
        "https://cliente.test/cb/",
        "https://cliente.test/cb?x=1",
        "https://cliente.test.evil.test/cb",
        "https://evil.test/cb",
        "//evil.test/cb",
        "javascript:alert(1)",
        "http://cliente.test/cb",
        "",
    ] {
        let answer = app
            .anonymous()
            .get(&Request::for_client(&client_id, uri).authorization_path())
            .await
            .expect(400);
        assert!(answer.headers.get("location").is_none(), "{uri}");
    }
    let unknown = Request::for_client("desconhecido", CALLBACK);
    let answer = app
        .anonymous()
        .get(&unknown.authorization_path())
        .await
        .expect(400);
    assert!(answer.headers.get("location").is_none());
}

#[tokio::test]
async fn a_decision_is_accepted_only_from_the_browser_that_saw_the_page() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let client_id = register_client(&app, CALLBACK).await;
    let path = Request::for_client(&client_id, CALLBACK).authorization_path();
    let mut browser = Browser::with_session(&app, &member).await;
    let page = browser.get(&path).await.expect(200);
    let fields = decision_fields(&page, "permitir", &[]);

    // A form from another site arrives without the cookies and is refused.
    let answer = app
        .anonymous()
        .post_form("/authorize", &fields)
        .await
        .expect(400);
    assert!(answer.headers.get("location").is_none());
    // If the member's browser submits a form from a page that the attacker's browser loaded, the
    // form is refused.
    let mut attacker = Browser::new(&app);
    attacker.add_session(&app, &member).await;
    let theirs = attacker.get(&path).await.expect(200);
    let theirs = decision_fields(&theirs, "permitir", &[]);
    browser.post("/authorize", &theirs).await.expect(400);
    // A form from another site is refused even with all cookies.
    let pairs = browser
        .cookies
        .iter()
        .map(|(name, value)| format!("{name}={value}"));
    let cookies = pairs.collect::<Vec<_>>().join("; ");
    let carrying = app.anonymous().with_header("cookie", cookies);
    for origin in ["https://evil.test", "null"] {
        let crossing = carrying.with_header("origin", origin);
        crossing.post_form("/authorize", &fields).await.expect(400);
    }
    // A form with a changed request is refused.
    let mut forged = fields.clone();
    forged[0].1.insert(0, 'x');
    browser.post("/authorize", &forged).await.expect(400);
    // An expired form is refused.
    app.advance_clock(30 * MINUTE);
    browser.post("/authorize", &fields).await.expect(400);
}

#[tokio::test]
async fn if_another_member_signs_in_the_consent_page_is_shown_again() {
    let app = TestApp::new().await;
    let (member, other) = (
        app.add_member(Role::Lider).await,
        app.add_member(Role::Lider).await,
    );
    let client_id = register_client(&app, CALLBACK).await;
    let path = Request::for_client(&client_id, CALLBACK).authorization_path();
    let mut browser = Browser::with_session(&app, &member).await;
    let page = browser.get(&path).await.expect(200);
    browser.add_session(&app, &other).await;
    let shown = browser
        .submit_decision(&page, "permitir", &[])
        .await
        .expect(200);
    assert!(shown.text.contains(&other.email));
    browser
        .submit_decision(&shown, "permitir", &[])
        .await
        .expect(302);

    // If the session has ended, the form leads to the sign-in page and has no effect.
    let page = browser.get(&path).await.expect(200);
    let session = app.session_client(&other).await;
    session
        .post("/auth/v1/logout?scope=global", json!({}))
        .await
        .expect(200);
    let shown = browser
        .submit_decision(&page, "permitir", &[])
        .await
        .expect(200);
    assert!(shown.text.contains("Entre para continuar"));
}

#[tokio::test]
async fn a_member_without_api_access_cannot_allow_a_client() {
    let app = TestApp::new().await;
    let member = app.add_member_with(Role::Lider, Level::Nenhum, false).await;
    let client_id = register_client(&app, CALLBACK).await;
    let mut browser = Browser::with_session(&app, &member).await;
    let page = browser
        .get(&Request::for_client(&client_id, CALLBACK).authorization_path())
        .await
        .expect(200);
    assert!(
        page.text.contains("acesso por API está desligado"),
        "{}",
        page.text
    );
    browser
        .submit_decision(&page, "permitir", &[])
        .await
        .expect(400);
}

#[tokio::test]
async fn an_admin_whose_api_access_is_off_is_led_to_the_page_that_turns_it_on() {
    let app = TestApp::new().await;
    let member = app.add_member_with(Role::Admin, Level::Nenhum, false).await;
    let client_id = register_client(&app, CALLBACK).await;
    let mut browser = Browser::with_session(&app, &member).await;
    let path = Request::for_client(&client_id, CALLBACK).authorization_path();
    let page = browser.get(&path).await.expect(200);
    assert!(page.text.contains("Ligar o meu acesso"), "{}", page.text);
    browser
        .submit_decision(&page, "permitir", &[])
        .await
        .expect(400);

    let console = app.browser_client(&member).await;
    let agents = console.get("/agentes").await.expect(200);
    let form = [
        ("memberId", member.id.as_str()),
        (
            "api_access_level",
            &hidden_value(&agents, "api_access_level"),
        ),
        ("_volta", "/agentes"),
    ];
    let done = submit_operation(&console, "update_member_api_access", &form);
    done.await.expect(303);
    let page = browser.get(&path).await.expect(200);
    assert!(!page.text.contains("está desligado"));
    let first = page.text.split("name=\"nivel\" value=\"").nth(1);
    let first = first.expect("a level");
    assert!(first.starts_with("criador\" checked"), "{first:.60}");
    browser
        .submit_decision(&page, "permitir", &[])
        .await
        .expect(302);
}
