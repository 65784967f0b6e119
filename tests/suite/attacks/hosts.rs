//! Other host names and sibling domains. Only forms and cookies of the service itself are accepted.

use domain::Role;

use crate::{
    authorization::{CALLBACK, Request, register_client},
    console::submit_operation,
    sign_in::{PASSWORD, team_with_bia},
    support::TestApp,
};

#[tokio::test]
async fn a_form_sent_under_a_foreign_host_name_has_no_effect() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let (name, value) = app.session_cookie(&member).await;
    let cookie = app
        .anonymous()
        .with_header("cookie", format!("{name}={value}"));
    let fields = [
        ("title", "De fora"),
        ("idempotency_key", "um-pedido-do-formulario"),
    ];
    for (origin, host) in [
        ("http://evil:8080", "evil:8080"),
        ("http://evil.example:8080", "evil.example:8080"),
        ("https://evil.example", "evil.example"),
        (
            "http://127.0.0.1.evil.example:8080",
            "127.0.0.1.evil.example:8080",
        ),
        ("http://localhost.evil.example", "localhost.evil.example"),
        ("http://localhost:3000", "localhost:8080"),
        ("http://127.0.0.1:3000", "127.0.0.1:8080"),
    ] {
        let rebound = cookie
            .with_header("origin", origin)
            .with_header("host", host);
        submit_operation(&rebound, "create_demand", &fields)
            .await
            .expect(403);
        let password = [
            ("email", "a@b.test"),
            ("atual", "x"),
            ("nova", "y"),
            ("repetida", "y"),
        ];
        let page = rebound.post_form("/senha", &password).await.expect(400);
        assert!(page.text.contains("outro site"), "{origin}: {}", page.text);
    }
    for (origin, host) in [
        ("http://127.0.0.1:8080", "127.0.0.1:8080"),
        ("http://localhost:8080", "localhost:8080"),
        ("http://[::1]:8080", "[::1]:8080"),
    ] {
        let own = cookie
            .with_header("origin", origin)
            .with_header("host", host);
        submit_operation(&own, "create_demand", &fields)
            .await
            .expect(303);
    }
}

#[tokio::test]
async fn a_sibling_domain_cannot_set_the_cookies_of_the_service() {
    let (app, _, _) = team_with_bia().await;
    let settings = vec![("PAUTA_PUBLIC_URL", "https://pauta.test".to_owned())];
    let secure = app.second_instance_with(settings).await;
    let page = secure
        .anonymous()
        .with_header("sec-fetch-site", "same-origin");
    let fields = [("email", "bia@equipe.test"), ("password", PASSWORD)];
    let answer = page.post_form("/entrar", &fields).await.expect(303);
    let cookie = answer.headers["set-cookie"].to_str().expect("text");
    assert!(cookie.starts_with("__Host-pauta_sessao="), "{cookie}");
    assert!(
        cookie.contains("; Path=/; ") && cookie.contains("; Secure"),
        "{cookie}"
    );
    let pair = cookie.split(';').next().expect("a pair");
    page.with_header("cookie", pair).get("/").await.expect(200);
    // A cookie without the `__Host-` prefix is ignored, because a sibling domain could have set it.
    let tossed = pair.trim_start_matches("__Host-");
    page.with_header("cookie", tossed)
        .get("/")
        .await
        .expect(303);

    let client_id = register_client(&secure, CALLBACK).await;
    let request = Request::for_client(&client_id, CALLBACK)
        .with_parameter("resource", "https://pauta.test/api/mcp");
    let shown = page.get(&request.authorization_path()).await.expect(200);
    let cookie = shown.headers["set-cookie"].to_str().expect("text");
    assert!(cookie.starts_with("__Host-pauta_navegador="), "{cookie}");
    assert!(cookie.contains("; Path=/; "), "{cookie}");

    // On a service below a path, a browser would reject a cookie with the `__Host-` prefix.
    let settings = vec![("PAUTA_PUBLIC_URL", "https://casa.test/pauta".to_owned())];
    let below = app.second_instance_with(settings).await;
    let page = below
        .anonymous()
        .with_header("sec-fetch-site", "same-origin");
    let answer = page.post_form("/entrar", &fields).await.expect(303);
    let cookie = answer.headers["set-cookie"].to_str().expect("text");
    assert!(cookie.starts_with("__Secure-pauta_sessao="), "{cookie}");
    assert!(
        cookie.contains("; Path=/pauta/; ") && cookie.contains("; Secure"),
        "{cookie}"
    );
    let pair = cookie.split(';').next().expect("a pair");
    page.with_header("cookie", pair).get("/").await.expect(200);
}
