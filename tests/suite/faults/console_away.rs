//! The pages of the console while the database is away: no typed text is lost.

use super::{server_away::service_behind_proxy, *};
use crate::{
    console::{hidden_value, submit_operation, visible_text},
    support::{Answer, Client},
};

const KEY: &str = "um-pedido-do-formulario";

async fn send_form(browser: &Client, title: &str) -> Answer {
    let fields = [("_volta", "/"), ("idempotency_key", KEY), ("title", title)];
    submit_operation(browser, "create_demand", &fields).await
}

/// Asserts that the page returns the form with its text and key, so that it can be sent again.
async fn assert_form_returned(browser: &Client, title: &str) {
    let page = send_form(browser, title).await.expect(503);
    assert_eq!(page.headers["retry-after"], "1");
    assert!(
        !page.headers.contains_key("refresh"),
        "a page with a form must not reload by itself"
    );
    assert_eq!(hidden_value(&page, "idempotency_key"), KEY);
    assert_eq!(hidden_value(&page, "_volta"), "/");
    assert!(page.text.contains("action=\"/acao/create_demand\""));
    let text = visible_text(&page);
    assert!(text.contains("não responde agora") && text.contains("nada é feito duas vezes"));
    let escaped = title.replace('<', "&lt;").replace('>', "&gt;");
    assert!(
        text.contains(&escaped) && !page.text.contains("<b>"),
        "{text}"
    );

    // A script gets only a notice, so that the page does not change.
    let script = browser.with_header("hx-request", "true");
    let notice = send_form(&script, title).await.expect(503);
    assert_eq!(notice.headers["retry-after"], "1");
    let target = &notice.headers["hx-retarget"];
    assert!(
        target == "#sessao" || target == "find .outcome",
        "{target:?}"
    );
    assert!(!notice.text.contains("<html"));
}

/// Asserts that the form has one effect, however often it is sent.
async fn assert_done_once(app: &TestApp, browser: &Client, title: &str) {
    let began = Instant::now();
    while send_form(browser, title).await.status != 303 {
        assert!(
            began.elapsed() < RECOVERY,
            "the service did not recover in time"
        );
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    send_form(browser, title).await.expect(303);
    assert_eq!(app.count_rows("events").await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_reloads_by_itself_and_a_form_keeps_the_typed_text() {
    let Some((_direct, app, proxy)) = service_behind_proxy().await else {
        return;
    };
    let browser = app.browser_client(&app.add_member(Role::Lider).await).await;
    browser.get("/projetos").await.expect(200);
    for _ in 0..2 {
        proxy.close_connections();
        let page = browser.get("/projetos?estado=ativo").await.expect(503);
        assert_eq!(page.headers["retry-after"], "1");
        assert_eq!(page.headers["refresh"], "5");
        assert!(page.text.contains("href=\"/projetos?estado=ativo\""));
        assert!(visible_text(&page).contains("tenta de novo sozinha"));
        let script = browser.with_header("hx-request", "true");
        let notice = script.get("/projetos").await.expect(503);
        assert_eq!(notice.headers["hx-retarget"], "#sessao");
        assert!(!notice.headers.contains_key("refresh"));
        assert_form_returned(&browser, "<b>Pão</b> \u{202e}de ló").await;
        proxy.resume_forwarding().await;
        assert_done_once(&app, &browser, "<b>Pão</b> \u{202e}de ló").await;
        browser.get("/projetos").await.expect(200);
    }
}

#[tokio::test]
async fn a_form_keeps_the_typed_text_while_the_database_rejects_writes() {
    let app = TestApp::on_sqlite().await;
    let browser = app.browser_client(&app.add_member(Role::Lider).await).await;
    let url = format!("{}?mode=ro", app.database_url());
    let reader = app
        .second_instance_with(vec![("PAUTA_DATABASE_URL", url)])
        .await;
    let away = browser.at_instance(&reader);
    assert_form_returned(&away, "<b>Pão</b>").await;
    assert_done_once(&app, &browser, "<b>Pão</b>").await;
}

#[tokio::test]
async fn a_secret_and_a_file_are_not_returned() {
    let app = TestApp::on_sqlite().await;
    let browser = app.browser_client(&app.add_member(Role::Admin).await).await;
    let url = format!("{}?mode=ro", app.database_url());
    let reader = app
        .second_instance_with(vec![("PAUTA_DATABASE_URL", url)])
        .await;
    let away = browser.at_instance(&reader);
    let fields = [
        ("platformId", "loja"),
        ("usuario", "escola"),
        ("senha", "forno-a-lenha-81"),
    ];
    let page = submit_operation(&away, "put_platform_password", &fields)
        .await
        .expect(503);
    assert!(!page.text.contains("forno-a-lenha-81"));
    assert!(page.text.contains("type=\"password\" name=\"senha\""));
    assert_eq!(hidden_value(&page, "usuario"), "escola");

    // The service refuses a form that another site sent. The response does not contain the form.
    let stranger = reader
        .anonymous()
        .with_header("sec-fetch-site", "cross-site");
    let page = submit_operation(&stranger, "create_demand", &[("title", "x")]).await;
    assert_eq!(page.status, 403);
    assert!(!page.text.contains("name=\"title\""));
}
