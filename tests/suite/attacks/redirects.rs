//! Return URLs after sign-in, and redirects to a client that no member has allowed yet.

use domain::Role;
use reqwest::Url;
use serde_json::json;

use crate::{
    authorization::{
        Browser, CALLBACK, Request, URL, grant_code, query_parameters, redirect_location,
        register_client,
    },
    console::submit_operation,
    sign_in::{PASSWORD, team_with_bia},
    support::{Answer, TestApp},
};

/// Return URLs that a browser reads as another host, or that leave the path of the service.
const AWAY: [&str; 28] = [
    "/\t/evil.example",
    "/\n/evil.example",
    "/\r/evil.example",
    "/\t\\evil.example",
    "\t//evil.example",
    "/\u{0}/evil.example",
    "//evil.example",
    "///evil.example",
    "////evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "\\/evil.example",
    "/./\t/evil.example",
    "/.//evil.example",
    "/..//evil.example",
    "/a/..//evil.example",
    "/%2e//evil.example",
    "/%2E%2e//evil.example",
    "/a/%2e%2e//evil.example",
    "/.\t//evil.example",
    "/\u{2028}/evil.example/..//evil.example",
    "https://evil.example/",
    "https:/evil.example",
    "https:evil.example",
    "javascript:alert(1)",
    "@evil.example",
    ".evil.example",
    ":8443@evil.example/",
];

/// Returns the URL to which the answer redirects a browser that is on the page `from`.
fn redirect_target(from: &str, answer: &Answer) -> Url {
    let from = Url::parse(from).expect("an address");
    from.join(&redirect_location(answer)).expect("an address")
}

/// Asserts that the answer redirects to a page of the service, or refuses the input.
#[track_caller]
fn assert_stays_in_service(base: &str, path: &str, answer: &Answer, text: &str) {
    if text.contains('\0') {
        // NUL is not allowed in any input.
        assert_eq!(answer.status, 400, "{}", answer.text);
        return;
    }
    assert_eq!(answer.status, 303, "{text:?}: {}", answer.text);
    let to = redirect_target(&format!("{base}{path}"), answer);
    let base = Url::parse(base).expect("an address");
    assert_eq!(to.origin(), base.origin(), "{text:?} redirects to {to}");
    let root = base.path().trim_end_matches('/');
    assert!(
        to.path().starts_with(&format!("{root}/")) && !to.path().starts_with("//"),
        "{text:?} redirects to {to}"
    );
}

#[tokio::test]
async fn no_return_url_after_sign_in_leaves_the_service() {
    let (app, _, bia) = team_with_bia().await;
    let page = app.anonymous().with_header("sec-fetch-site", "same-origin");
    let mut changed = 0;
    for text in AWAY {
        let fields = [
            ("email", "bia@equipe.test"),
            ("password", PASSWORD),
            ("volta", text),
        ];
        let answer = page.post_form("/entrar", &fields).await;
        assert_stays_in_service(URL, "/entrar", &answer, text);
        changed += 1;
        if answer.status == 400 {
            continue;
        }
        let cookie = answer.headers["set-cookie"].to_str().expect("text");
        let pair = cookie.split(';').next().expect("a pair").to_owned();
        // A signed-in browser is redirected without a click.
        let query = crate::support::encode_form(&[("volta", text)]);
        let signed_in = page.with_header("cookie", pair);
        let answer = signed_in.get(&format!("/entrar?{query}")).await;
        assert_stays_in_service(URL, "/entrar", &answer, text);
    }
    assert_eq!(changed, AWAY.len());
    assert_eq!(bia["email"], "bia@equipe.test");
}

#[tokio::test]
async fn no_return_url_of_a_form_leaves_the_service() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let browser = app.browser_client(&member).await;
    for (n, text) in AWAY.iter().enumerate() {
        let key = format!("um-pedido-do-formulario-{n}");
        let fields = [
            ("title", "Lançamento"),
            ("idempotency_key", &*key),
            ("_volta", text),
        ];
        let answer = submit_operation(&browser, "create_demand", &fields).await;
        assert_stays_in_service(URL, "/acao/create_demand", &answer, text);
    }
    // The placeholder is filled in before the return URL is checked.
    for (n, text) in [
        "/{/title}",
        "{/title}",
        "/{/none}/evil.example",
        "/{/title}/{/title}",
    ]
    .into_iter()
    .enumerate()
    {
        for (m, title) in ["/evil.example", "..", "\\evil.example", "\t/evil.example"]
            .into_iter()
            .enumerate()
        {
            let key = format!("outro-pedido-do-formulario-{n}-{m}");
            let fields = [
                ("title", title),
                ("idempotency_key", &*key),
                ("_volta", text),
            ];
            let answer = submit_operation(&browser, "create_demand", &fields).await;
            assert_stays_in_service(URL, "/acao/create_demand", &answer, text);
        }
    }
}

#[tokio::test]
async fn no_return_url_of_a_project_leaves_its_pages() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let browser = app.browser_client(&member).await;
    let session = app.session_client(&member).await;
    let made = session
        .post("/api/projects", json!({ "name": "Turma" }))
        .await
        .expect(201)
        .body;
    let id = made["project"]["id"].as_str().expect("an id");
    let here = format!("/projetos/{id}");
    for (n, rest) in [
        "/..//evil.example",
        "/../../..//evil.example",
        "/../../entrar",
        "/a",
    ]
    .iter()
    .enumerate()
    {
        let (revision, key) = ((n + 1).to_string(), format!("um-pedido-do-projeto-{n}"));
        let back = format!("{here}{rest}");
        let fields = [
            ("type", "section.add"),
            ("title", "Parte"),
            ("expected_revision", &*revision),
            ("idempotency_key", &*key),
            ("_volta", &*back),
        ];
        let path = format!("{here}/mudar");
        let answer = browser.post_form(&path, &fields).await.expect(303);
        let expected = if *rest == "/a" { &back } else { &here };
        assert_eq!(&redirect_location(&answer), expected);
    }
}

#[tokio::test]
async fn a_return_url_stays_below_the_path_of_the_public_url() {
    const BASE: &str = "https://casa.test/pauta";
    let (app, _, _) = team_with_bia().await;
    let settings = vec![("PAUTA_PUBLIC_URL", BASE.to_owned())];
    let below = app.second_instance_with(settings).await;
    let page = below
        .anonymous()
        .with_header("sec-fetch-site", "same-origin");
    let beyond = ["/../outra", "/%2e%2e/outra", "/a/../../outra", "/..\\outra"];
    for text in AWAY.iter().chain(&beyond) {
        let fields = [
            ("email", "bia@equipe.test"),
            ("password", PASSWORD),
            ("volta", text),
        ];
        let answer = page.post_form("/entrar", &fields).await;
        assert_stays_in_service(BASE, "/entrar", &answer, text);
    }
    let fields = [
        ("email", "bia@equipe.test"),
        ("password", PASSWORD),
        ("volta", "/eventos?mes=1#hoje"),
    ];
    let answer = page.post_form("/entrar", &fields).await.expect(303);
    assert_eq!(redirect_location(&answer), "/pauta/eventos?mes=1#hoje");
}

/// Authorization requests with a valid client and redirect URI, and one error in another parameter.
fn wrong_requests(client_id: &str) -> [(Request, &'static str); 4] {
    let request = Request::for_client(client_id, CALLBACK);
    [
        (
            request.clone().with_parameter("response_type", "token"),
            "unsupported_response_type",
        ),
        (
            request.clone().without_parameter("code_challenge"),
            "invalid_request",
        ),
        (
            request
                .clone()
                .with_parameter("code_challenge_method", "plain"),
            "invalid_request",
        ),
        (request.without_parameter("resource"), "invalid_target"),
    ]
}

#[tokio::test]
async fn a_client_that_nobody_has_allowed_cannot_use_the_service_as_a_redirector() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let client_id = register_client(&app, CALLBACK).await;
    let mut signed_in = Browser::with_session(&app, &member).await;
    for (request, error) in wrong_requests(&client_id) {
        for page in [
            app.anonymous()
                .get(&request.authorization_path())
                .await
                .expect(400),
            signed_in
                .get(&request.authorization_path())
                .await
                .expect(400),
        ] {
            assert!(page.headers.get("location").is_none());
            assert!(!page.text.contains("http-equiv"), "{}", page.text);
            // The client still gets the error if the person follows the link.
            let link = client_link(&page);
            assert!(link.starts_with(&format!("{CALLBACK}?")), "{link}");
            let found = query_parameters(&link);
            assert_eq!(found["error"], error);
            assert_eq!(
                (&found["state"], &found["iss"]),
                (&json!("estado-1"), &json!(URL))
            );
            assert!(page.text.contains("cliente.test"), "{}", page.text);
        }
    }
    // A client that the member has allowed before gets the error directly.
    grant_code(&app, &member, &Request::for_client(&client_id, CALLBACK)).await;
    for (request, error) in wrong_requests(&client_id) {
        let sent = app
            .anonymous()
            .get(&request.authorization_path())
            .await
            .expect(302);
        assert_eq!(query_parameters(&redirect_location(&sent))["error"], error);
    }
}

/// Returns the page's link back to the client.
fn client_link(page: &Answer) -> String {
    let (_, rest) = page.text.split_once("<a href=\"").expect("a link");
    let (address, _) = rest.split_once('"').expect("an end");
    address.replace("&amp;", "&").replace("&#x2f;", "/")
}
