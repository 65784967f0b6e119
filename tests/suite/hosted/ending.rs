//! The end of a browser session that began at the issuer.

use domain::time::DAY;

use super::browser::{sign_in_at_issuer, with_ana};
use crate::{
    authorization::{
        Browser, CALLBACK, Request, ask_token, exchange_fields, location, query_parameters,
        register,
    },
    support::TestApp,
};

/// A browser in which Ana has signed in, and a copy of its cookies.
async fn signed_in(app: &TestApp, issuer: &super::double::Issuer) -> (Browser, Browser) {
    let mut browser = Browser::new(app);
    let back = sign_in_at_issuer(&mut browser, issuer, "/entrar/provedor?volta=%2F").await;
    browser.get(&back).await.expect(303);
    let mut copy = Browser::new(app);
    copy.cookies = browser.cookies.clone();
    (browser, copy)
}

#[tokio::test]
async fn leaving_ends_the_session_so_that_a_copy_of_the_cookie_is_worth_nothing() {
    let (app, issuer) = with_ana().await;
    let (mut browser, mut copy) = signed_in(&app, &issuer).await;
    let (mut elsewhere, _) = signed_in(&app, &issuer).await;
    copy.get("/").await.expect(200);
    browser.post("/sair", &[]).await.expect(303);
    copy.get("/").await.expect(303);
    copy.get("/vivo").await.expect(303);
    // Another session of the same person continues.
    elsewhere.get("/").await.expect(200);
    let ended = "audit_events WHERE action = 'sign_out' AND outcome = 'succeeded'";
    assert_eq!(app.count(ended).await, 1);
}

#[tokio::test]
async fn leaving_ends_codes_that_were_allowed_in_the_session() {
    let (app, issuer) = with_ana().await;
    let (mut browser, mut copy) = signed_in(&app, &issuer).await;
    let client_id = register(&app, CALLBACK).await;
    let page = copy
        .get(&Request::of(&client_id, CALLBACK).path())
        .await
        .expect(200);
    let sent = copy.decide(&page, "permitir", &[]).await.expect(302);
    browser.post("/sair", &[]).await.expect(303);
    let answered = query_parameters(&location(&sent));
    let code = answered["code"].as_str().expect("a code");
    let late = ask_token(
        &app.anonymous(),
        &exchange_fields(&client_id, CALLBACK, code),
    )
    .await;
    assert_eq!(late.expect(400).body["error"], "invalid_grant");
    // A form that is still open in the copy leads to the sign-in page.
    let shown = copy.decide(&page, "permitir", &[]).await.expect(200);
    assert!(
        shown.text.contains("Entre para continuar"),
        "{}",
        shown.text
    );
}

#[tokio::test]
async fn unusable_sessions_are_deleted_and_others_are_kept() {
    let (app, issuer) = with_ana().await;
    signed_in(&app, &issuer).await;
    assert_eq!(app.count("session_families").await, 1);
    for (days, kept) in [(29, 1), (1, 0)] {
        app.pass(days * DAY);
        let tx = app.begin().await;
        store::accounts::sweep(&tx.conn(), app.now())
            .await
            .expect("swept");
        tx.commit().await.expect("commits");
        assert_eq!(app.count("session_families").await, kept);
    }
}
