//! The first access, while the team is empty.

use domain::{Role, time::MINUTE};
use futures::future::join;
use identity::FirstAccess;

use super::{cookie_pair, visitor_client};
use crate::{
    console::visible_text,
    sign_in::PASSWORD,
    support::{Answer, Client, TestApp},
};

const PATH: &str = "/primeiro-acesso";

fn open_first_access(app: &TestApp) -> String {
    let services = &app.app.gateway.services;
    services
        .parts
        .get::<FirstAccess>()
        .open_with_new_code()
        .expect("a code")
}

async fn submit_first_access(client: &Client, code: &str, email: &str, password: &str) -> Answer {
    let fields = [
        ("codigo", code),
        ("nome", "Ana <Lima>"),
        ("email", email),
        ("senha", password),
    ];
    client.post_form(PATH, &fields).await
}

#[tokio::test]
async fn the_code_of_the_server_creates_the_first_admin() {
    let app = TestApp::new().await;
    let code = open_first_access(&app);
    let stranger = visitor_client(&app);
    let answer = stranger.get("/").await.expect(303);
    assert_eq!(answer.headers["location"], "/entrar?volta=%2F");
    let answer = stranger.get("/entrar?volta=%2F").await.expect(303);
    assert_eq!(answer.headers["location"], PATH);
    let page = stranger.get(PATH).await.expect(200);
    assert!(visible_text(&page).contains("Primeiro acesso") && !page.text.contains(&code));

    // Neither a wrong code nor a weak password uses up the code.
    let page = submit_first_access(&stranger, "ABCD-EFGH-JKLM-NPQR", "ana@x.test", PASSWORD)
        .await
        .expect(401);
    assert!(
        visible_text(&page).contains("não é o que o servidor mostrou")
            && page.text.contains("Ana &lt;Lima&gt;")
    );
    assert!(!page.text.contains(PASSWORD));
    let page = submit_first_access(&stranger, &code, "ana@x.test", "senha123")
        .await
        .expect(400);
    assert!(visible_text(&page).contains("fraca"));
    submit_first_access(&stranger, &code, "ana", PASSWORD)
        .await
        .expect(400);
    app.anonymous()
        .post_form(PATH, &[("codigo", &*code)])
        .await
        .expect(403);

    let typed = format!(" {} ", code.to_lowercase().replace('-', " "));
    let made = submit_first_access(&stranger, &typed, "ana@x.test", PASSWORD)
        .await
        .expect(303);
    assert_eq!(made.headers["location"], "/");
    let browser = stranger.with_header("cookie", cookie_pair(&made));
    let page = browser.get("/conta").await.expect(200);
    assert!(visible_text(&page).contains("Admin") && page.text.contains("Ana &lt;Lima&gt;"));
    let page = browser
        .get("/auditoria?operacao=create_admin")
        .await
        .expect(200);
    let text = visible_text(&page);
    assert!(
        text.contains("Quem opera o serviço") && text.contains("Console"),
        "{text}"
    );

    // Once there is an admin, the page redirects to the sign-in page.
    for answer in [
        stranger.get(PATH).await,
        submit_first_access(&stranger, &code, "bia@x.test", PASSWORD).await,
    ] {
        assert_eq!(answer.expect(303).headers["location"], "/entrar");
    }
    stranger.get("/entrar").await.expect(200);
}

#[tokio::test]
async fn guesses_of_the_code_are_limited_per_address() {
    let app = TestApp::new().await;
    let code = open_first_access(&app);
    let stranger = visitor_client(&app).with_address("192.0.2.1");
    for _ in 0..8 {
        submit_first_access(&stranger, "AAAA", "eva@x.test", PASSWORD)
            .await
            .expect(401);
    }
    let braked = submit_first_access(&stranger, &code, "eva@x.test", PASSWORD)
        .await
        .expect(429);
    assert!(!braked.headers.contains_key("set-cookie"));
    assert!(braked.headers.contains_key("retry-after"));
    let operator = visitor_client(&app).with_address("198.51.100.7");
    submit_first_access(&operator, &code, "ana@x.test", PASSWORD)
        .await
        .expect(303);
    app.advance_clock(15 * MINUTE);
    let late = submit_first_access(&stranger, &code, "eva@x.test", PASSWORD)
        .await
        .expect(303);
    assert_eq!(late.headers["location"], "/entrar");
}

#[tokio::test]
async fn two_simultaneous_forms_create_one_admin() {
    let app = TestApp::new().await;
    let code = open_first_access(&app);
    let (one, two) = (visitor_client(&app), visitor_client(&app));
    let (one, two) = join(
        submit_first_access(&one, &code, "ana@x.test", PASSWORD),
        submit_first_access(&two, &code, "bia@x.test", PASSWORD),
    )
    .await;
    let entered = |answer: &Answer| answer.headers.contains_key("set-cookie");
    assert_eq!((one.status, two.status), (303, 303));
    assert!(entered(&one) != entered(&two));
    let fields = [("email", "ana@x.test"), ("password", PASSWORD)];
    let signed_in = visitor_client(&app).post_form("/entrar", &fields).await;
    assert_eq!(signed_in.status == 303, entered(&one));
}

#[tokio::test]
async fn the_first_access_needs_a_code_and_an_empty_team() {
    let app = TestApp::new().await;
    let stranger = visitor_client(&app);
    assert_eq!(
        stranger.get(PATH).await.expect(303).headers["location"],
        "/entrar"
    );
    stranger.get("/entrar").await.expect(200);
    let code = open_first_access(&app);
    app.add_member(Role::Criador).await;
    assert_eq!(
        stranger.get(PATH).await.expect(303).headers["location"],
        "/entrar"
    );
    let late = submit_first_access(&stranger, &code, "ana@x.test", PASSWORD)
        .await
        .expect(303);
    assert_eq!(late.headers["location"], "/entrar");
}
