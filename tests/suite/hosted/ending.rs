//! The end of a browser session that began at the issuer.

use domain::time::DAY;

use super::browser::{service_with_ana, sign_in_at_issuer};
use crate::{
    authorization::{
        Browser, CALLBACK, Request, exchange_fields, query_parameters, redirect_location,
        register_client, request_token,
    },
    support::TestApp,
};

/// Signs Ana in with a browser; returns this browser and another one with a copy of its cookies.
async fn signed_in_browsers(app: &TestApp, issuer: &super::double::Issuer) -> (Browser, Browser) {
    let mut browser = Browser::new(app);
    let back = sign_in_at_issuer(&mut browser, issuer, "/entrar/provedor?volta=%2F").await;
    browser.get(&back).await.expect(303);
    let mut copy = Browser::new(app);
    copy.cookies = browser.cookies.clone();
    (browser, copy)
}

#[tokio::test]
async fn signing_out_ends_the_session_for_every_copy_of_the_cookie() {
    let (app, issuer) = service_with_ana().await;
    let (mut browser, mut copy) = signed_in_browsers(&app, &issuer).await;
    let (mut elsewhere, _) = signed_in_browsers(&app, &issuer).await;
    copy.get("/").await.expect(200);
    browser.post("/sair", &[]).await.expect(303);
    copy.get("/").await.expect(303);
    copy.get("/vivo").await.expect(303);
    // Another session of the same person continues.
    elsewhere.get("/").await.expect(200);
    let ended = "audit_events WHERE action = 'sign_out' AND outcome = 'succeeded'";
    assert_eq!(app.count_rows(ended).await, 1);
}

#[tokio::test]
async fn signing_out_invalidates_codes_that_were_granted_in_the_session() {
    let (app, issuer) = service_with_ana().await;
    let (mut browser, mut copy) = signed_in_browsers(&app, &issuer).await;
    let client_id = register_client(&app, CALLBACK).await;
    let page = copy
        .get(&Request::for_client(&client_id, CALLBACK).authorization_path())
        .await
        .expect(200);
    let sent = copy
        .submit_decision(&page, "permitir", &[])
        .await
        .expect(302);
    browser.post("/sair", &[]).await.expect(303);
    let answered = query_parameters(&redirect_location(&sent));
    let code = answered["code"].as_str().expect("a code");
    let late = request_token(
        &app.anonymous(),
        &exchange_fields(&client_id, CALLBACK, code),
    )
    .await;
    assert_eq!(late.expect(400).body["error"], "invalid_grant");
    // A form that is still open in the copy leads to the sign-in page.
    let shown = copy
        .submit_decision(&page, "permitir", &[])
        .await
        .expect(200);
    assert!(
        shown.text.contains("Entre para continuar"),
        "{}",
        shown.text
    );
}

#[tokio::test]
async fn unusable_sessions_are_deleted_and_others_are_kept() {
    let (app, issuer) = service_with_ana().await;
    signed_in_browsers(&app, &issuer).await;
    assert_eq!(app.count_rows("session_families").await, 1);
    for (days, kept) in [(29, 1), (1, 0)] {
        app.advance_clock(days * DAY);
        let tx = app.begin().await;
        store::accounts::delete_expired(&tx.conn(), app.now())
            .await
            .expect("swept");
        tx.commit().await.expect("commits");
        assert_eq!(app.count_rows("session_families").await, kept);
    }
}
