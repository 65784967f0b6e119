//! The session of a browser.

use domain::{
    Role,
    time::{DAY, HOUR, MINUTE},
};
use serde_json::json;

use super::{hidden_value, submit_operation, visible_text};
use crate::{
    sign_in::{PASSWORD, team_with_bia},
    support::TestApp,
};

#[tokio::test]
async fn a_signed_out_visitor_is_redirected_to_the_sign_in_page_and_back() {
    let (app, _, _) = team_with_bia().await;
    let stranger = app.anonymous().with_header("sec-fetch-site", "same-origin");
    let answer = stranger.get("/?mes=2026-11").await.expect(303);
    let to = answer.headers["location"]
        .to_str()
        .expect("text")
        .to_owned();
    assert_eq!(to, "/entrar?volta=%2F%3Fmes%3D2026-11");
    let page = stranger.get(&to).await.expect(200);
    assert!(page.text.contains("name=\"volta\" value=\"/?mes=2026-11\""));

    let fields = [
        ("email", "bia@equipe.test"),
        ("password", PASSWORD),
        ("volta", "/?mes=2026-11"),
    ];
    let answer = stranger.post_form("/entrar", &fields).await.expect(303);
    assert_eq!(answer.headers["location"], "/?mes=2026-11");
    let cookie = answer.headers["set-cookie"].to_str().expect("text");
    assert!(cookie.contains("; HttpOnly; SameSite=Lax"), "{cookie}");
    let pair = cookie.split(';').next().unwrap_or_default();
    let page = stranger
        .with_header("cookie", pair)
        .get("/")
        .await
        .expect(200);
    assert!(visible_text(&page).contains("Sair"));

    // The return path must be a path of this service.
    for elsewhere in ["https://evil.test/", "//evil.test", "/\\evil.test"] {
        let mut fields = fields;
        fields[2].1 = elsewhere;
        let answer = stranger.post_form("/entrar", &fields).await.expect(303);
        assert_eq!(answer.headers["location"], "/");
    }
    let mut fields = fields;
    fields[1].1 = "errada";
    let page = stranger.post_form("/entrar", &fields).await.expect(401);
    assert!(page.text.contains("bia@equipe.test"));
    assert!(!page.headers.contains_key("set-cookie"));
}

#[tokio::test]
async fn a_session_is_renewed_by_use_and_ends_after_twelve_idle_hours() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Criador).await;
    let browser = app.browser_client(&member).await;
    let page = browser.get("/").await.expect(200);
    assert!(!page.headers.contains_key("set-cookie"));
    app.advance_clock(15 * MINUTE);
    let page = browser.get("/").await.expect(200);
    let renewed = page.headers["set-cookie"].to_str().expect("text");
    let pair = renewed.split(';').next().unwrap_or_default().to_owned();
    app.advance_clock(12 * HOUR - 15 * MINUTE);
    browser.get("/").await.expect(303);
    let renewed = app.anonymous().with_header("cookie", pair);
    renewed.get("/").await.expect(200);
    app.advance_clock(15 * MINUTE);
    renewed.get("/").await.expect(303);
}

#[tokio::test]
async fn a_session_ends_after_seven_days_however_often_it_is_renewed() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Criador).await;
    let (name, mut value) = app.session_cookie(&member).await;
    for _ in 0..14 {
        let browser = app
            .anonymous()
            .with_header("cookie", format!("{name}={value}"));
        let page = browser.get("/").await.expect(200);
        if let Some(cookie) = page.headers.get("set-cookie") {
            let pair = cookie
                .to_str()
                .expect("text")
                .split(';')
                .next()
                .unwrap_or_default();
            value = pair.split_once('=').expect("a pair").1.to_owned();
        }
        app.advance_clock(DAY / 2 - 1);
    }
    app.advance_clock(14);
    let browser = app
        .anonymous()
        .with_header("cookie", format!("{name}={value}"));
    browser.get("/").await.expect(303);
}

#[tokio::test]
async fn sign_out_elsewhere_and_offboarding_end_a_session_and_a_forged_cookie_opens_none() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Criador).await;
    let browser = app.browser_client(&member).await;
    let left = browser
        .post_form::<&str, &str>("/sair", &[])
        .await
        .expect(303);
    let cookie = left.headers["set-cookie"].to_str().expect("text");
    assert!(cookie.starts_with("pauta_sessao=; ") && cookie.contains("Max-Age=0"));
    browser.get("/").await.expect(303);

    let browser = app.browser_client(&member).await;
    let session = app.session_client(&member).await;
    session
        .post("/auth/v1/logout?scope=global", json!({}))
        .await
        .expect(200);
    browser.get("/").await.expect(303);

    let (name, value) = app.session_cookie(&member).await;
    let (payload, mac) = value.split_once('.').expect("two parts");
    for forged in [
        format!("{payload}A.{mac}"),
        format!("{payload}.A{mac}"),
        payload.to_owned(),
    ] {
        let client = app
            .anonymous()
            .with_header("cookie", format!("{name}={forged}"));
        client.get("/").await.expect(303);
    }
}

#[tokio::test]
async fn the_api_accepts_no_cookie_and_the_console_no_bearer_token() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Criador).await;
    let browser = app.browser_client(&member).await;
    browser.get("/api/eventos").await.expect(401);
    app.session_client(&member).await.get("/").await.expect(303);
    app.token_client(&member).await.get("/").await.expect(303);
}

#[tokio::test]
async fn a_form_sent_after_the_session_ended_is_returned_with_its_fields() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let browser = app.browser_client(&member).await;
    let fields = [
        ("_volta", "/projetos"),
        ("idempotency_key", "um-pedido-do-formulario"),
        ("name", "Turma <b>de</b> inverno"),
        ("senha", "forno-a-lenha-81"),
        ("token", "milho-verde-de-junho"),
        ("refresh_token!", "canjica-de-julho"),
    ];
    app.advance_clock(12 * HOUR);
    let page = submit_operation(&browser, "create_project", &fields)
        .await
        .expect(401);
    assert!(page.text.contains("action=\"/acao/create_project\""));
    assert_eq!(hidden_value(&page, "idempotency_key"), fields[1].1);
    assert_eq!(hidden_value(&page, "_volta"), "/projetos");
    assert!(visible_text(&page).contains("Sua sessão terminou"));
    assert!(
        page.text.contains("Turma &lt;b&gt;de&lt;/b&gt; inverno") && !page.text.contains("<b>")
    );
    for (name, secret) in &fields[3..] {
        assert!(!page.text.contains(secret), "{name}");
        let again = format!("type=\"password\" name=\"{name}\"");
        assert!(page.text.contains(&again), "{name}");
    }
    assert!(visible_text(&page).contains("Token, de novo"));
    // The form is accepted after the person has signed in again.
    let browser = app.browser_client(&member).await;
    submit_operation(&browser, "create_project", &fields[..3])
        .await
        .expect(303);
    assert_eq!(app.count_rows("projects").await, 1);

    app.advance_clock(12 * HOUR);
    // A script gets a notice, so that the page does not change. A form of another site is refused
    // before the session is checked.
    let script = browser.with_header("hx-request", "true");
    let notice = submit_operation(&script, "create_project", &fields)
        .await
        .expect(401);
    assert_eq!(notice.headers["hx-retarget"], "#sessao");
    let elsewhere = app.anonymous().with_header("sec-fetch-site", "cross-site");
    let page = submit_operation(&elsewhere, "create_project", &fields)
        .await
        .expect(403);
    assert!(!page.text.contains("inverno"));
    browser
        .post_form::<&str, &str>("/sair", &[])
        .await
        .expect(303);
}
