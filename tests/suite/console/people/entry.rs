//! The one-time URL that opens the console with a signed-in browser.

use domain::{Role, time::MINUTE};
use tools::operator;

use super::{cookie_pair, visitor_client};
use crate::{console::visible_text, support::TestApp};

async fn create_entry_url(app: &TestApp) -> (String, String) {
    let member = app.add_member(Role::Admin).await;
    let gateway = &app.app.gateway;
    let caller = operator::principal_by_email(gateway, &member.email)
        .await
        .expect("a member");
    let path = operator::sign_in_path(gateway, &caller);
    let code = path.split_once("?c=").expect("a code").1.to_owned();
    (path, code)
}

#[tokio::test]
async fn the_one_time_url_signs_in_once_and_opening_it_does_not_use_up_its_code() {
    let app = TestApp::new().await;
    let (path, code) = create_entry_url(&app).await;
    for _ in 0..2 {
        let page = visitor_client(&app).get(&path).await.expect(200);
        assert!(visible_text(&page).contains("Entrar") && !page.headers.contains_key("set-cookie"));
    }
    let fields = [("c", code.as_str())];
    app.anonymous()
        .post_form("/entrar/codigo", &fields)
        .await
        .expect(403);
    visitor_client(&app)
        .post_form("/entrar/codigo", &[("c", "outro")])
        .await
        .expect(401);
    let entered = visitor_client(&app)
        .post_form("/entrar/codigo", &fields)
        .await
        .expect(303);
    assert_eq!(entered.headers["location"], "/");
    let browser = visitor_client(&app).with_header("cookie", cookie_pair(&entered));
    browser.get("/conta").await.expect(200);
    let rows = browser.get("/auditoria?operacao=sign_in").await.expect(200);
    assert!(visible_text(&rows).contains("Console") && !rows.text.contains(&code));

    let again = visitor_client(&app)
        .post_form("/entrar/codigo", &fields)
        .await
        .expect(401);
    assert!(
        visible_text(&again).contains("já foi usado") && !again.headers.contains_key("set-cookie")
    );
}

#[tokio::test]
async fn the_one_time_url_expires_after_15_minutes() {
    let app = TestApp::new().await;
    let (_, code) = create_entry_url(&app).await;
    app.advance_clock(15 * MINUTE);
    let fields = [("c", code.as_str())];
    visitor_client(&app)
        .post_form("/entrar/codigo", &fields)
        .await
        .expect(401);
}
