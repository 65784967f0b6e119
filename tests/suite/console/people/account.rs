//! The member's own account.

use domain::{Role, SessionId, time::HOUR};
use store::accounts;

use super::{cookie_pair, visitor_client};
use crate::{
    console::{submit_operation, visible_text},
    hosted::double::Issuer,
    sign_in::{BETTER, PASSWORD, sign_in, team_with_bia},
    support::{Client, TestApp},
};

/// Creates a browser in which Bia signed in with her password.
async fn browser_of_bia(app: &TestApp) -> Client {
    let fields = [("email", "bia@equipe.test"), ("password", PASSWORD)];
    let entered = visitor_client(app)
        .post_form("/entrar", &fields)
        .await
        .expect(303);
    visitor_client(app).with_header("cookie", cookie_pair(&entered))
}

#[tokio::test]
async fn a_new_password_keeps_this_browser_and_ends_the_others() {
    let (app, _, _) = team_with_bia().await;
    let (browser, other) = (browser_of_bia(&app).await, browser_of_bia(&app).await);
    let page = browser.get("/conta").await.expect(200);
    assert!(visible_text(&page).contains("bia@equipe.test"));
    app.advance_clock(HOUR);

    let wrong = [("senha_atual", "errada"), ("senha", BETTER)];
    let page = browser.post_form("/conta/senha", &wrong).await.expect(401);
    assert!(visible_text(&page).contains("A senha atual não confere."));
    assert!(!page.text.contains(BETTER) && !page.headers.contains_key("location"));
    let script = browser.with_header("hx-request", "true");
    let beside = script.post_form("/conta/senha", &wrong).await.expect(401);
    assert_eq!(beside.headers["hx-retarget"], "find .outcome");
    let weak = [("senha_atual", PASSWORD), ("senha", "senha123")];
    browser.post_form("/conta/senha", &weak).await.expect(400);
    other.get("/conta").await.expect(200);

    let right = [("senha_atual", PASSWORD), ("senha", BETTER)];
    let changed = browser.post_form("/conta/senha", &right).await.expect(303);
    assert_eq!(
        changed.headers["location"],
        "/conta?feito=change_my_password"
    );
    let here = visitor_client(&app).with_header("cookie", cookie_pair(&changed));
    here.get("/conta").await.expect(200);
    other.get("/conta").await.expect(303);
    browser.get("/conta").await.expect(303);
    sign_in(&app, "bia@equipe.test", BETTER).await.expect(200);
}

#[tokio::test]
async fn a_member_ends_their_other_sessions_or_all_sessions() {
    let (app, _, _) = team_with_bia().await;
    let (browser, other) = (browser_of_bia(&app).await, browser_of_bia(&app).await);
    let fields = [("scope", "others"), ("_volta", "/conta")];
    let done = submit_operation(&browser, "sign_out", &fields)
        .await
        .expect(303);
    assert_eq!(done.headers["location"], "/conta?feito=sign_out");
    other.get("/conta").await.expect(303);
    browser.get("/conta").await.expect(200);
    submit_operation(&browser, "sign_out", &[("scope", "global")])
        .await
        .expect(303);
    browser.get("/conta").await.expect(303);
}

#[tokio::test]
async fn the_account_page_shows_the_signed_in_member() {
    let app = TestApp::new().await;
    let member = app
        .add_member_with(Role::Lider, domain::Level::Nenhum, true)
        .await;
    let page = app
        .browser_client(&member)
        .await
        .get("/conta")
        .await
        .expect(200);
    let text = visible_text(&page);
    for expected in [&*member.email, "Líder", "Nenhum", "Trocar a senha"] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    visitor_client(&app).get("/conta").await.expect(303);
}

#[tokio::test]
async fn with_a_hosted_issuer_the_pages_have_no_passwords() {
    let issuer = Issuer::new().await;
    let app = TestApp::with_settings(issuer.oidc_settings()).await;
    let (admin, member) = (
        app.add_member(Role::Admin).await,
        app.add_member(Role::Criador).await,
    );
    let services = &app.app.gateway.services;
    let family = SessionId::new(app.now());
    let tx = app.begin().await;
    accounts::open_family(&tx.conn(), &family, &admin.user_id, app.now())
        .await
        .expect("a session");
    tx.commit().await.expect("commits");
    let set = identity::browser::cookie_for_new_session(services, admin.user_id.clone(), family);
    let pair = set.split(';').next().unwrap_or_default();
    let browser = visitor_client(&app).with_header("cookie", pair);
    let page = browser.get("/conta").await.expect(200);
    assert!(!page.text.contains("type=\"password\"") && !visible_text(&page).contains("Sessões"));
    let page = browser
        .get(&format!("/equipe/{}", member.id))
        .await
        .expect(200);
    assert!(!page.text.contains("type=\"password\""));
    let first = visitor_client(&app)
        .get("/primeiro-acesso")
        .await
        .expect(303);
    assert_eq!(first.headers["location"], "/entrar");
}
