//! Passwords during sign-in: changed, or set with an invitation.

use domain::Role;
use serde_json::json;

use super::{Browser, CALLBACK, Request, URL, link_in_page, redirect_location, register_client};
use crate::{
    sign_in::{BETTER, PASSWORD, invite_person, session_client, sign_in, team_with_bia},
    support::{Answer, TestApp},
};

const EMAIL: &str = "bia@equipe.test";

fn owned_fields(given: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    given.iter().map(owned).collect()
}

/// Sends the form of a page, with the return path that the page contains.
async fn send_form(
    browser: &mut Browser,
    page: &Answer,
    path: &str,
    given: &[(&str, &str)],
) -> Answer {
    let text = page.text.replace("&#x2f;", "/").replace("&amp;", "&");
    let (_, rest) = text
        .split_once("name=\"volta\" value=\"")
        .expect("a return path");
    let (back, _) = rest.split_once('"').expect("an end");
    let mut all = owned_fields(given);
    all.push(("volta".into(), back.into()));
    browser.post(path, &all).await
}

#[tokio::test]
async fn a_password_can_be_changed_on_the_way_to_the_consent_page() {
    let (app, _, _) = team_with_bia().await;
    let before = sign_in(&app, EMAIL, PASSWORD).await.expect(200).body;
    let client_id = register_client(&app, CALLBACK).await;
    let request =
        Request::for_client(&client_id, CALLBACK).with_parameter("scope", "leitor \"x\"&<y>");
    let mut browser = Browser::new(&app);
    let entrance = browser.get(&request.authorization_path()).await.expect(200);
    let page = browser
        .get(&link_in_page(&entrance, "/senha"))
        .await
        .expect(200);
    assert!(page.text.contains("Trocar a senha"));
    let filled = |current: &'static str, new: &'static str, again: &'static str| {
        [
            ("email", EMAIL),
            ("atual", current),
            ("nova", new),
            ("repetida", again),
        ]
    };
    for (given, status, told) in [
        (
            filled("errada", BETTER, BETTER),
            401,
            "E-mail ou senha incorretos.",
        ),
        (
            filled(PASSWORD, BETTER, "outra-que-difere"),
            400,
            "são diferentes",
        ),
        (
            filled(PASSWORD, "senha123456789", "senha123456789"),
            400,
            "A senha é fraca.",
        ),
        (filled(PASSWORD, "", ""), 400, "Escreva a senha nova."),
        (
            [
                ("email", "sem arroba"),
                ("atual", PASSWORD),
                ("nova", BETTER),
                ("repetida", BETTER),
            ],
            400,
            "Confira o e-mail.",
        ),
    ] {
        let answer = send_form(&mut browser, &page, "/senha", &given)
            .await
            .expect(status);
        assert!(answer.text.contains(told), "{told}: {}", answer.text);
        for secret in [PASSWORD, BETTER] {
            assert!(!answer.text.contains(secret));
        }
        assert!(answer.headers.get("set-cookie").is_none());
    }
    sign_in(&app, EMAIL, PASSWORD).await.expect(200);
    let sent = send_form(
        &mut browser,
        &page,
        "/senha",
        &filled(PASSWORD, BETTER, BETTER),
    )
    .await
    .expect(303);
    let to = redirect_location(&sent);
    assert!(to.starts_with(&format!("{URL}/authorize?")), "{to}");
    let consent = browser.get(&to[URL.len()..]).await.expect(200);
    assert!(consent.text.contains(EMAIL), "{}", consent.text);
    browser
        .submit_decision(&consent, "negar", &[])
        .await
        .expect(302);

    sign_in(&app, EMAIL, BETTER).await.expect(200);
    sign_in(&app, EMAIL, PASSWORD)
        .await
        .expect_refusal(401, "INVALID_CREDENTIALS");
    session_client(&app, &before)
        .get("/api/me")
        .await
        .expect_refusal(401, "UNAUTHENTICATED");
    let changed = "audit_events WHERE action = 'change_my_password' AND outcome = 'succeeded'";
    assert_eq!(app.count_rows(changed).await, 1);
}

#[tokio::test]
async fn an_invitation_can_be_redeemed_on_the_way_to_the_consent_page() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let (invited, token) = invite_person(&admin, EMAIL).await;
    let client_id = register_client(&app, CALLBACK).await;
    let mut browser = Browser::new(&app);
    let entrance = browser
        .get(&Request::for_client(&client_id, CALLBACK).authorization_path())
        .await
        .expect(200);
    let page = browser
        .get(&link_in_page(&entrance, "/senha/convite"))
        .await
        .expect(200);
    assert!(page.text.contains("Definir a senha"));
    let given = |link: &str, new: &str| {
        vec![
            ("convite".to_owned(), link.to_owned()),
            ("nova".to_owned(), new.to_owned()),
            ("repetida".to_owned(), new.to_owned()),
        ]
    };
    let address = invited["convite_url"].as_str().expect("a link");
    for (link_in_page, new, status) in [
        ("https://pauta.test/convite#outro", BETTER, 401),
        ("", BETTER, 401),
        (address, "curta", 400),
    ] {
        let fields = given(link_in_page, new);
        let fields: Vec<(&str, &str)> = fields
            .iter()
            .map(|(n, v)| (n.as_str(), v.as_str()))
            .collect();
        let answer = send_form(&mut browser, &page, "/senha/convite", &fields).await;
        assert_eq!(answer.status, status, "{}", answer.text);
        assert!(!answer.text.contains(&token));
    }
    let fields = given(address, BETTER);
    let fields: Vec<(&str, &str)> = fields
        .iter()
        .map(|(n, v)| (n.as_str(), v.as_str()))
        .collect();
    let sent = send_form(&mut browser, &page, "/senha/convite", &fields)
        .await
        .expect(303);
    let consent = browser
        .get(&redirect_location(&sent)[URL.len()..])
        .await
        .expect(200);
    // The person has no API level yet.
    assert!(
        consent.text.contains("acesso por API está desligado"),
        "{}",
        consent.text
    );
    // The form accepts the token without the link. The invitation was used before, so it is
    // refused.
    let again = [
        ("convite", token.as_str()),
        ("nova", BETTER),
        ("repetida", BETTER),
    ];
    send_form(&mut browser, &page, "/senha/convite", &again)
        .await
        .expect(401);
    sign_in(&app, EMAIL, BETTER).await.expect(200);
}

#[tokio::test]
async fn the_forms_are_accepted_only_from_their_own_pages_and_redirect_nowhere_else() {
    let (app, _, _) = team_with_bia().await;
    let given = [
        ("email", EMAIL),
        ("atual", PASSWORD),
        ("nova", BETTER),
        ("repetida", BETTER),
    ];
    for origin in ["https://evil.test", "null"] {
        let crossing = app.anonymous().with_header("origin", origin);
        crossing.post_form("/senha", &given).await.expect(400);
    }
    let crossing = app.anonymous().with_header("sec-fetch-site", "cross-site");
    crossing.post_form("/senha", &given).await.expect(400);
    crossing
        .post_form(
            "/senha/convite",
            &[("convite", "x"), ("nova", BETTER), ("repetida", BETTER)],
        )
        .await
        .expect(400);
    sign_in(&app, EMAIL, PASSWORD).await.expect(200);
    let mut browser = Browser::new(&app);
    let mut leading = owned_fields(&given);
    leading.push(("volta".into(), "https://evil.test/".into()));
    let sent = browser.post("/senha", &leading).await.expect(303);
    assert_eq!(redirect_location(&sent), format!("{URL}/"));
    for page in [
        "/senha?volta=javascript:alert(1)",
        "/senha/convite?volta=//evil.test",
    ] {
        let page = browser.get(page).await.expect(200);
        assert!(
            !page.text.contains("evil") && !page.text.contains("javascript"),
            "{}",
            page.text
        );
        let policy = page.headers["content-security-policy"]
            .to_str()
            .expect("text");
        assert!(
            policy.contains("frame-ancestors 'none'") && !policy.contains("script-src"),
            "{policy}"
        );
    }
}

#[tokio::test]
async fn attempts_with_the_current_password_share_the_limit_of_sign_ins() {
    let (app, _, _) = team_with_bia().await;
    let mut browser = Browser::new(&app);
    let given = owned_fields(&[
        ("email", EMAIL),
        ("atual", "errada"),
        ("nova", BETTER),
        ("repetida", BETTER),
    ]);
    let mut last = 401;
    for _ in 0..40 {
        last = browser.post("/senha", &given).await.status;
    }
    assert_eq!(last, 429);
    let body = json!({ "email": EMAIL, "password": PASSWORD });
    let path = "/auth/v1/token?grant_type=password";
    app.anonymous()
        .post(path, body)
        .await
        .expect_refusal(429, "RATE_LIMITED");
}
