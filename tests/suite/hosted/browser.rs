//! Browser sign-in at the issuer, for the consent pages and for the console.

use domain::{Role, time::MINUTE};
use serde_json::{Value, json};

use super::double::{Fault, Issuer, Signer};
use crate::{
    authorization::{
        Browser, CALLBACK, Request, URL, agent_client, exchange_fields, link_in_page,
        query_parameters, redirect_location, register_client, request_token,
    },
    support::{Answer, TestApp, encode_form},
};

const PASSWORD: &str = "lagoa-trem-girafa-vinil";

/// Creates a service that is a client of the OpenID Connect issuer, and a member, Ana, who has an
/// account there.
pub(super) async fn service_with_ana() -> (TestApp, Issuer) {
    let issuer = Issuer::new().await;
    let app = TestApp::with_settings(issuer.client_settings()).await;
    let claims = add_ana(&app, &issuer).await;
    issuer.set_signed_in(claims);
    (app, issuer)
}

/// Makes Ana a member; returns the claims of her ID token.
async fn add_ana(app: &TestApp, issuer: &Issuer) -> Value {
    let member = app.add_member(Role::Admin).await;
    issuer.id_token_claims("ana", &member.email, app.now())
}

/// Follows the redirect to the issuer and signs in; returns the path to which the issuer redirects.
pub(super) async fn sign_in_at_issuer(
    browser: &mut Browser,
    issuer: &Issuer,
    path: &str,
) -> String {
    let left = browser.get(path).await.expect(303);
    let back = issuer.visit_issuer(&redirect_location(&left)).await;
    let back = back
        .strip_prefix(URL)
        .expect("a URL of this service")
        .to_owned();
    assert!(back.starts_with("/entrar/retorno?"), "{back}");
    back
}

/// Follows the redirect from the issuer as a person with these claims; returns the answer.
async fn return_with_claims(app: &TestApp, issuer: &Issuer, claims: Value) -> Answer {
    issuer.set_signed_in(claims);
    let mut browser = Browser::new(app);
    let back = sign_in_at_issuer(&mut browser, issuer, "/entrar/provedor?volta=%2F").await;
    browser.get(&back).await
}

#[track_caller]
fn assert_page_refused(answer: &Answer, status: u16) {
    assert_eq!(answer.status, status, "{}", answer.text);
    assert!(
        answer.text.contains("Não dá para continuar"),
        "{}",
        answer.text
    );
    let cookies = answer.headers.get_all("set-cookie").iter();
    let session =
        cookies.filter(|cookie| cookie.to_str().is_ok_and(|c| c.starts_with("pauta_sessao")));
    assert_eq!(session.count(), 0);
}

#[tokio::test]
async fn an_agent_works_after_a_person_signs_in_at_the_issuer_and_allows_it() {
    let (app, issuer) = service_with_ana().await;
    let challenged = app
        .anonymous()
        .send_rpc("tools/list", json!({}))
        .await
        .expect(401);
    let challenge = challenged.headers["www-authenticate"]
        .to_str()
        .expect("text");
    assert!(challenge.contains("resource_metadata"), "{challenge}");
    let client_id = register_client(&app, CALLBACK).await;
    let mut browser = Browser::new(&app);
    let request = Request::for_client(&client_id, CALLBACK);
    let page = browser.get(&request.authorization_path()).await.expect(200);
    assert!(page.text.contains("Entrar em 127.0.0.1"), "{}", page.text);
    assert!(!page.text.contains("type=\"password\""));
    let back = sign_in_at_issuer(
        &mut browser,
        &issuer,
        &link_in_page(&page, "/entrar/provedor"),
    )
    .await;
    let entered = browser.get(&back).await.expect(303);
    let to = redirect_location(&entered);
    assert!(to.starts_with(&format!("{URL}/authorize?")), "{to}");
    let consent = browser.get(&to[URL.len()..]).await.expect(200);
    assert!(
        consent.text.contains("Permitir “Assistente”?"),
        "{}",
        consent.text
    );
    let sent = browser
        .submit_decision(&consent, "permitir", &[])
        .await
        .expect(302);
    let told = query_parameters(&redirect_location(&sent));
    assert_eq!(told["state"], "estado-1");
    let code = told["code"].as_str().expect("a code");
    let tokens = request_token(
        &app.anonymous(),
        &exchange_fields(&client_id, CALLBACK, code),
    )
    .await;
    let agent = agent_client(&app, &tokens.expect(200).body);
    let me = agent.call_tool("get_me", json!({})).await.structured;
    assert_eq!(me["auth"]["kind"], "connected_agent");
    let signed_in = "audit_events WHERE action = 'sign_in' AND outcome = 'succeeded'";
    assert_eq!(app.count_rows(signed_in).await, 1);

    // With `prompt=login`, the issuer asks for the account again.
    let again = browser
        .get(&(request.authorization_path() + "&prompt=login"))
        .await
        .expect(200);
    let left = browser
        .get(&link_in_page(&again, "/entrar/provedor"))
        .await
        .expect(303);
    assert!(redirect_location(&left).contains("prompt=login"));
}

#[tokio::test]
async fn the_console_uses_the_same_sign_in() {
    let (app, issuer) = service_with_ana().await;
    let mut browser = Browser::new(&app);
    let page = browser
        .get("/entrar?volta=%2Fapi%2Fhealth")
        .await
        .expect(200);
    let back = sign_in_at_issuer(
        &mut browser,
        &issuer,
        &link_in_page(&page, "/entrar/provedor"),
    )
    .await;
    let entered = browser.get(&back).await.expect(303);
    assert_eq!(redirect_location(&entered), format!("{URL}/api/health"));
    browser.get("/entrar").await.expect(303);
}

#[tokio::test]
async fn nobody_is_redirected_to_another_site_after_sign_in() {
    let (app, issuer) = service_with_ana().await;
    for other in [
        "https://evil.test",
        "//evil.test",
        "/\\evil.test",
        "javascript:alert(1)",
    ] {
        let mut browser = Browser::new(&app);
        let volta = encode_form(&[("volta", other)]);
        let path = format!("/entrar/provedor?{volta}");
        let back = sign_in_at_issuer(&mut browser, &issuer, &path).await;
        let entered = browser.get(&back).await.expect(303);
        assert_eq!(redirect_location(&entered), format!("{URL}/"), "{other}");
    }
}

#[tokio::test]
async fn a_sign_in_response_is_accepted_once_in_its_own_browser_and_in_time() {
    let (app, issuer) = service_with_ana().await;
    let mut browser = Browser::new(&app);
    let back = sign_in_at_issuer(&mut browser, &issuer, "/entrar/provedor?volta=%2F").await;
    // Another browser is refused, both without the cookie and with its own cookie.
    assert_page_refused(&app.anonymous().get(&back).await, 400);
    let mut other = Browser::new(&app);
    let theirs = sign_in_at_issuer(&mut other, &issuer, "/entrar/provedor?volta=%2F").await;
    assert_page_refused(&other.get(&back).await, 400);
    assert_page_refused(&browser.get(&theirs).await, 400);
    // A changed state and missing parameters are refused.
    let state = back.find("state=").expect("a state") + 6;
    let mut forged = back.clone();
    forged.insert(state, 'x');
    assert_page_refused(&browser.get(&forged).await, 400);
    for path in [
        "/entrar/retorno",
        "/entrar/retorno?code=x",
        "/entrar/retorno?state=x",
    ] {
        assert_page_refused(&browser.get(path).await, 400);
    }
    // A response of another issuer is refused, because that issuer may try to obtain this code
    // (mix-up attack).
    let (before, _) = back.split_once("&iss=").expect("an issuer");
    let mixed = format!("{before}&iss=https%3A%2F%2Foutro.test");
    assert_page_refused(&browser.get(&mixed).await, 400);
    // The redirect says that the person declined to sign in.
    let (_, query) = back.split_once("state=").expect("a state");
    let (state, _) = query.split_once('&').expect("an end");
    let denied = format!("/entrar/retorno?error=access_denied&error_description=<b>&state={state}");
    let denied = denied.replace('<', "%3C").replace('>', "%3E");
    assert_page_refused(&browser.get(&denied).await, 400);

    browser.get(&back).await.expect(303);
    // A code that was already used is refused.
    assert_page_refused(&browser.get(&back).await, 400);
    let late = sign_in_at_issuer(&mut browser, &issuer, "/entrar/provedor?volta=%2F").await;
    app.advance_clock(10 * MINUTE);
    assert_page_refused(&browser.get(&late).await, 400);
}

#[tokio::test]
async fn an_id_token_is_accepted_only_for_its_request_and_this_client() {
    let (app, issuer) = service_with_ana().await;
    let good = add_ana(&app, &issuer).await;
    let with = |name: &str, value: Value| {
        let mut claims = good.clone();
        claims[name] = value;
        claims
    };
    let past = app.now() / 1000 - 3600;
    for (claims, status) in [
        (with("nonce", json!("de-outra-entrada")), 400),
        (with("aud", json!("outra")), 401),
        (with("aud", json!("pauta")), 401),
        (with("azp", json!("outra")), 400),
        (with("iss", json!("https://outro.test")), 401),
        (with("exp", json!(past)), 401),
        (with("iat", json!(app.now() / 1000 + 3600)), 401),
        (with("sub", json!("")), 401),
        (with("email", json!("ze@fora.test")), 403),
        (with("email_verified", json!(false)), 403),
    ] {
        assert_page_refused(&return_with_claims(&app, &issuer, claims).await, status);
    }
    issuer.set_signers(&[Signer::second_key()]);
    app.advance_clock(MINUTE);
    let unknown = return_with_claims(&app, &issuer, with("iat", json!(app.now() / 1000))).await;
    assert!([303, 401].contains(&unknown.status), "{}", unknown.text);
    issuer.set_signers(&[Signer::first_key()]);
}

#[tokio::test]
async fn nobody_signs_in_while_the_issuer_fails() {
    let (app, issuer) = service_with_ana().await;
    let mut browser = Browser::new(&app);
    let back = sign_in_at_issuer(&mut browser, &issuer, "/entrar/provedor?volta=%2F").await;
    for fault in [
        Fault::Status(503),
        Fault::Reset,
        Fault::Page,
        Fault::Nonsense,
    ] {
        issuer.set_fault("/token", fault);
        assert_page_refused(&browser.get(&back).await, 500);
    }
    issuer.set_fault("/token", None);
    for fault in [Fault::Status(503), Fault::Page, Fault::Huge] {
        issuer.set_fault("/.well-known/openid", fault);
        assert_page_refused(&browser.get("/entrar/provedor").await, 500);
    }
    issuer.set_fault("/.well-known/openid", None);
    for field in ["authorization_endpoint", "token_endpoint"] {
        for address in [
            "http://evil.test/x",
            "javascript:alert(1)",
            "https://127.0.0.1:9/x",
        ] {
            issuer.override_discovery(json!({ field: address }));
            let answer = match field {
                "token_endpoint" => browser.get(&back).await,
                // This URL is opened only by the person's browser, not by the service.
                _ if address.starts_with("https") => continue,
                _ => browser.get("/entrar/provedor").await,
            };
            assert_page_refused(&answer, 500);
        }
    }
    issuer.override_discovery(json!({}));
    browser.get(&back).await.expect(303);
}

#[tokio::test]
async fn a_session_of_a_browser_ends_with_the_membership() {
    let (app, issuer) = service_with_ana().await;
    let mut browser = Browser::new(&app);
    let back = sign_in_at_issuer(&mut browser, &issuer, "/entrar/provedor?volta=%2F").await;
    browser.get(&back).await.expect(303);
    browser.get("/entrar").await.expect(303);
    let other = app.add_member(Role::Admin).await;
    let claims = issuer.oidc_claims("outra", &other.email, app.now());
    let admin = super::session_client(&app, &claims);
    let members = admin.get("/api/membros").await.expect(200).body;
    let email = issuer.signed_in_email();
    let mut all = members["membros"].as_array().expect("a list").iter();
    let ana = all.find(|member| member["email"] == email).expect("Ana");
    let id = ana["id"].as_str().expect("an id");
    let path = format!("/api/membros/{id}");
    admin.delete(&path).await.expect(200);
    browser.get("/entrar").await.expect(200);
}

#[tokio::test]
async fn a_service_that_is_not_a_client_of_the_issuer_names_the_missing_setting() {
    let issuer = Issuer::new().await;
    let app = TestApp::with_settings(issuer.oidc_settings()).await;
    let client_id = register_client(&app, CALLBACK).await;
    let mut browser = Browser::new(&app);
    for path in [
        Request::for_client(&client_id, CALLBACK).authorization_path(),
        "/entrar/provedor".into(),
        "/entrar/retorno".into(),
    ] {
        let page = browser.get(&path).await.expect(500);
        assert!(
            page.text.contains("PAUTA_IDENTITY_CLIENT_ID"),
            "{}",
            page.text
        );
    }
    let page = browser.get("/entrar").await.expect(500);
    assert!(
        page.text.contains("PAUTA_IDENTITY_CLIENT_ID"),
        "{}",
        page.text
    );
}

#[tokio::test]
async fn without_an_issuer_its_sign_in_routes_do_not_exist() {
    let app = TestApp::new().await;
    let mut browser = Browser::new(&app);
    for path in ["/entrar/provedor", "/entrar/retorno?code=x&state=y"] {
        assert_page_refused(&browser.get(path).await, 404);
    }
}

#[tokio::test]
async fn with_an_issuer_the_service_changes_no_passwords() {
    let (app, _) = service_with_ana().await;
    let mut browser = Browser::new(&app);
    for path in ["/senha", "/senha/convite"] {
        assert_page_refused(&browser.get(path).await, 404);
        let fields = ["email", "atual", "nova", "repetida", "convite"];
        let fields = fields.map(|name| (name.to_owned(), PASSWORD.to_owned()));
        browser.post(path, &fields).await.expect(404);
    }
}

/// Creates a service whose passwords Supabase Auth checks, and a member with a password there.
/// Returns the e-mail of the member too.
async fn service_with_password() -> (TestApp, Issuer, String) {
    let issuer = Issuer::new().await;
    let app = TestApp::with_settings(issuer.password_settings()).await;
    let member = app.add_member(Role::Lider).await;
    let id = issuer.add_account(&member.email, true);
    issuer.set_password(&id, PASSWORD);
    issuer.set_signed_in(issuer.session_claims(&id, &member.email, app.now()));
    (app, issuer, member.email.clone())
}

#[tokio::test]
async fn supabase_checks_the_password_that_is_typed_at_this_service() {
    let (app, issuer, email) = service_with_password().await;
    let client_id = register_client(&app, CALLBACK).await;
    let mut browser = Browser::new(&app);
    let page = browser
        .get(&Request::for_client(&client_id, CALLBACK).authorization_path())
        .await
        .expect(200);
    assert!(!page.text.contains("convite") && !page.text.contains("Trocar a senha"));
    let wrong = browser.sign_in(&page, &email, "errada").await.expect(401);
    assert!(wrong.text.contains("E-mail ou senha incorretos."));
    let stranger = issuer.add_account("ze@fora.test", true);
    issuer.set_password(&stranger, PASSWORD);
    let outside = browser
        .sign_in(&page, "ze@fora.test", PASSWORD)
        .await
        .expect(403);
    assert!(
        outside.text.contains("não é membro ativo"),
        "{}",
        outside.text
    );
    let back = browser.sign_in(&wrong, &email, PASSWORD).await.expect(303);
    let consent = browser
        .get(&redirect_location(&back)[URL.len()..])
        .await
        .expect(200);
    assert!(consent.text.contains(&email), "{}", consent.text);
    browser
        .submit_decision(&consent, "permitir", &[])
        .await
        .expect(302);
    let failed = "audit_events WHERE action = 'sign_in_failed'";
    assert_eq!(app.count_rows(failed).await, 1);

    // The console uses the same form.
    let mut browser = Browser::new(&app);
    browser.get("/entrar").await.expect(200);
    let fields = [
        ("email", email.as_str()),
        ("password", PASSWORD),
        ("volta", "/"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()));
    browser.post("/entrar", &fields).await.expect(303);
    browser.get("/entrar").await.expect(303);
}

#[tokio::test]
async fn password_attempts_are_limited_by_this_service_too() {
    let (app, issuer, email) = service_with_password().await;
    let client_id = register_client(&app, CALLBACK).await;
    let mut browser = Browser::new(&app);
    let page = browser
        .get(&Request::for_client(&client_id, CALLBACK).authorization_path())
        .await
        .expect(200);
    let mut statuses = vec![];
    for _ in 0..40 {
        statuses.push(browser.sign_in(&page, &email, "errada").await.status);
    }
    assert_eq!(statuses[0], 401);
    assert_eq!(statuses.last(), Some(&429));
    issuer.set_fault("/auth/v1/token", Fault::Status(503));
    app.advance_clock(60 * MINUTE);
    let page = browser
        .get(&Request::for_client(&client_id, CALLBACK).authorization_path())
        .await
        .expect(200);
    let answer = browser.sign_in(&page, &email, PASSWORD).await;
    assert_eq!(answer.status, 500, "{}", answer.text);
}
