//! Platform passwords, which are shown on demand.

use domain::Role;
use serde_json::{Value, json};

use super::{submit_operation, visible_text};
use crate::support::{Client, TestApp};

const SECRET: &str = "s3nha-<b>secreta</b>";

async fn clients_with_platform_password(app: &TestApp) -> (Client, Client) {
    let member = app.add_member(Role::Admin).await;
    let (browser, session) = (
        app.browser_client(&member).await,
        app.session_client(&member).await,
    );
    let fields = [
        ("plataforma", "hotmart"),
        ("usuario", "redacao"),
        ("senha", SECRET),
    ];
    let answer = browser.post_form("/senhas/definir", &fields).await;
    let to = &answer.expect(303).headers["location"];
    assert_eq!(to, "/senhas?feito=put_platform_password");
    (browser, session)
}

/// Returns the number of times that a password was read.
async fn count_reads(session: &Client) -> usize {
    let path = "/api/access/audit?action=get_platform_password";
    let listed = session.get(path).await.expect(200).body;
    listed["audit"].as_array().map_or(0, Vec::len)
}

#[tokio::test]
async fn a_password_is_shown_only_when_asked_for_and_the_read_is_audited() {
    let app = TestApp::new().await;
    let (browser, session) = clients_with_platform_password(&app).await;
    let page = browser.get("/senhas").await.expect(200);
    assert!(visible_text(&page).contains("hotmart"));
    assert!(!page.text.contains("s3nha") && !page.text.contains("redacao"));
    assert_eq!(count_reads(&session).await, 0);

    let fields = [("plataforma", "hotmart")];
    let page = browser.post_form("/senhas", &fields).await.expect(200);
    assert!(page.text.contains("s3nha-&lt;b&gt;secreta&lt;/b&gt;"));
    assert!(page.text.contains("data-hide-after=\"30\""));
    assert_eq!(page.headers["cache-control"], "no-store");
    assert_eq!(count_reads(&session).await, 1);

    let fields = [
        ("platformId", "hotmart"),
        ("senha:json", "null"),
        ("_volta", "/senhas"),
    ];
    submit_operation(&browser, "put_platform_password", &fields)
        .await
        .expect(303);
    let page = browser
        .post_form("/senhas", &[("plataforma", "hotmart")])
        .await;
    assert!(visible_text(&page.expect(404)).contains("Não encontrado: senha da plataforma."));
}

#[tokio::test]
async fn a_password_that_is_refused_is_not_sent_back() {
    let app = TestApp::new().await;
    let browser = app.browser_client(&app.add_member(Role::Admin).await).await;
    let fields = [("plataforma", "com espaço"), ("senha", SECRET)];
    let page = browser
        .post_form("/senhas/definir", &fields)
        .await
        .expect(400);
    assert!(page.text.contains("value=\"com espaço\""));
    assert!(!page.text.contains("s3nha"));
    let fields = [("plataforma", "hotmart"), ("senha", "")];
    browser
        .post_form("/senhas/definir", &fields)
        .await
        .expect(400);
}

#[tokio::test]
async fn only_admins_may_open_the_passwords() {
    let app = TestApp::new().await;
    clients_with_platform_password(&app).await;
    let lead = app.browser_client(&app.add_member(Role::Lider).await).await;
    let page = lead.get("/senhas").await.expect(403);
    assert!(visible_text(&page).contains("“team_admin”"));
    let page = lead
        .post_form("/senhas", &[("plataforma", "hotmart")])
        .await
        .expect(403);
    assert!(!page.text.contains("s3nha"));
    let agenda = lead.get("/").await.expect(200);
    assert!(!agenda.text.contains("href=\"/senhas\""));
}

#[tokio::test]
async fn platforms_with_a_password_are_listed_in_pages_by_name() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    for platform in ["hotmart", "Canva", "meta.ads"] {
        let path = format!("/api/plataformas/{platform}/senha");
        admin
            .put(&path, json!({ "senha": SECRET }))
            .await
            .expect(200);
    }
    let mut path = "/api/plataformas?limit=2".to_owned();
    let mut names = vec![];
    loop {
        let page = admin.get(&path).await.expect(200);
        assert!(!page.text.contains("s3nha"));
        for platform in page.body["plataformas"].as_array().expect("a list") {
            names.push(platform["platform_id"].as_str().expect("a name").to_owned());
        }
        let Value::String(cursor) = &page.body["next_cursor"] else {
            break;
        };
        path = format!("/api/plataformas?limit=2&cursor={cursor}");
    }
    names.sort_unstable();
    assert_eq!(names, ["Canva", "hotmart", "meta.ads"]);
}
