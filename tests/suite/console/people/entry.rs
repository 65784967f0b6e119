//! The one-time URL that opens the console with a signed-in browser.

use domain::{Role, time::MINUTE};
use tools::operator;

use super::{cookie, visitor};
use crate::{console::visible_text, support::TestApp};

async fn create_entry_url(app: &TestApp) -> (String, String) {
    let member = app.member(Role::Admin).await;
    let gateway = &app.app.gateway;
    let caller = operator::on_behalf_of(gateway, &member.email)
        .await
        .expect("a member");
    let path = operator::entry(gateway, &caller);
    let code = path.split_once("?c=").expect("a code").1.to_owned();
    (path, code)
}

#[tokio::test]
async fn the_address_signs_in_once_and_opening_it_keeps_its_code() {
    let app = TestApp::new().await;
    let (path, code) = create_entry_url(&app).await;
    for _ in 0..2 {
        let page = visitor(&app).get(&path).await.expect(200);
        assert!(visible_text(&page).contains("Entrar") && !page.headers.contains_key("set-cookie"));
    }
    let fields = [("c", code.as_str())];
    app.anonymous()
        .post_form("/entrar/codigo", &fields)
        .await
        .expect(403);
    visitor(&app)
        .post_form("/entrar/codigo", &[("c", "outro")])
        .await
        .expect(401);
    let entered = visitor(&app)
        .post_form("/entrar/codigo", &fields)
        .await
        .expect(303);
    assert_eq!(entered.headers["location"], "/");
    let browser = visitor(&app).with_header("cookie", cookie(&entered));
    browser.get("/conta").await.expect(200);
    let rows = browser.get("/auditoria?operacao=sign_in").await.expect(200);
    assert!(visible_text(&rows).contains("Console") && !rows.text.contains(&code));

    let again = visitor(&app)
        .post_form("/entrar/codigo", &fields)
        .await
        .expect(401);
    assert!(
        visible_text(&again).contains("já foi usado") && !again.headers.contains_key("set-cookie")
    );
}

#[tokio::test]
async fn the_address_is_void_after_15_minutes() {
    let app = TestApp::new().await;
    let (_, code) = create_entry_url(&app).await;
    app.pass(15 * MINUTE);
    let fields = [("c", code.as_str())];
    visitor(&app)
        .post_form("/entrar/codigo", &fields)
        .await
        .expect(401);
}
