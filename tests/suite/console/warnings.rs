//! The warnings of an operation, on the page after its form. It is noon of Saturday, 22 August 2026, in
//! Brasília.

use domain::Role;
use serde_json::json;

use super::{submit_operation, visible_text};
use crate::support::{Answer, Client, TestApp};

const INTRO: &str = "Sobre o que você acabou de fazer:";

/// Follows the redirect in the answer to a form, with the cookie that the answer sets.
async fn follow(app: &TestApp, cookie: &(String, String), answer: Answer) -> Answer {
    let (next, location) = browser_after(app, cookie, answer);
    next.get(&location).await.expect(200)
}

/// Returns a browser with the session cookie and the cookie that the answer to a form sets, and the
/// address to which the answer redirects.
fn browser_after(app: &TestApp, cookie: &(String, String), answer: Answer) -> (Client, String) {
    let answer = answer.expect(303);
    let text = |name: &str| {
        let value = answer.headers.get(name);
        value
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
            .to_owned()
    };
    let set = text("set-cookie");
    let set = set.split(';').next().unwrap_or_default();
    let cookies = format!("{}={}; {set}", cookie.0, cookie.1);
    (
        app.anonymous().with_header("cookie", cookies),
        text("location"),
    )
}

/// Creates a lead; returns a browser of the lead, its session cookie, and an API session of the
/// lead.
async fn lead_with_cookie(app: &TestApp) -> (Client, (String, String), Client) {
    let member = app.add_member(Role::Lider).await;
    let cookie = app.session_cookie(&member).await;
    let browser = app.browser_client(&member).await;
    (browser, cookie, app.session_client(&member).await)
}

fn expect_warning(page: &Answer, said: &str) {
    let text = visible_text(page)
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    assert!(
        text.contains(INTRO) && text.contains(said),
        "{said}: {text}"
    );
    let (_, notice) = page.text.split_once(INTRO).expect("the notice");
    let notice = notice.split("</div>").next().unwrap_or_default();
    for internal in ["`", "evento", "reopen_event"] {
        assert!(!notice.contains(internal), "{internal}: {notice}");
    }
}

#[tokio::test]
async fn each_form_shows_the_warnings_of_its_operation_on_the_next_page() {
    let app = TestApp::new().await;
    let (browser, cookie, session) = lead_with_cookie(&app).await;
    // Sends the form of an operation.
    let fields = [
        ("title", "No passado"),
        ("channel", "instagram"),
        ("day", "1"),
        ("month", "8"),
        ("year", "2026"),
        ("description", "Um briefing"),
        ("_volta", "/eventos/{/event_id}#historico"),
        ("idempotency_key", "console-warnings-1"),
    ];
    let answer = submit_operation(&browser, "create_demand", &fields).await;
    let location = answer.headers["location"]
        .to_str()
        .expect("text")
        .to_owned();
    assert!(
        location.contains("&feito=create_demand#historico"),
        "{location}"
    );
    let id = location.split(['/', '?']).nth(2).expect("an id").to_owned();
    let (next, location) = browser_after(&app, &cookie, answer);
    let page = next.get(&location).await.expect(200);
    expect_warning(&page, "já passou; ela foi gravada assim mesmo");
    // With the same cookies, neither another page nor another digest shows the warnings.
    let forged = format!("/eventos/{id}?feito=create_demand&avisos=0123456789abcdef");
    let other_field = location.replace("avisos=", "xavisos=");
    for address in [format!("/eventos/{id}"), forged, other_field] {
        let page = next.get(&address).await.expect(200);
        assert!(!page.text.contains(INTRO), "{address}");
    }
    // Sends the form with the data of a piece.
    let path = format!("/eventos/{id}/dados");
    let fields = [
        ("expected_revision", "1"),
        ("title", "No passado"),
        ("data", "2026-08-02"),
    ];
    let answer = browser.post_form(&path, &fields).await;
    let page = follow(&app, &cookie, answer).await;
    expect_warning(&page, "já passou");
    // Submits the piece.
    let path = format!("/eventos/{id}/legenda");
    let fields = [
        ("expected_revision", "2"),
        ("caption", "Um briefing"),
        ("acao", "enviar"),
    ];
    let answer = browser.post_form(&path, &fields).await;
    let page = follow(&app, &cookie, answer).await;
    expect_warning(
        &page,
        "A peça não tem mídia, e o canal “Instagram” não publica sem imagem ou vídeo.",
    );
    expect_warning(&page, "“Reabrir peça” traz a peça de volta");
    // Sends the decision, first without a script and then as the script sends it.
    for is_sent_later in [false, true] {
        let revision = session.load_event(&id).await["api_revision"].to_string();
        let path = format!("/aprovacoes/{id}");
        let mut fields = vec![
            ("expected_revision", revision.as_str()),
            ("action", "aprovar"),
        ];
        if is_sent_later {
            fields.push(("adiada", "sim"));
        }
        let answer = browser.post_form(&path, &fields).await;
        let said = "Ninguém escreveu a legenda";
        match is_sent_later {
            true => assert!(answer.expect(200).text.starts_with(said)),
            false => expect_warning(&follow(&app, &cookie, answer).await, said),
        }
        let revision = session.load_event(&id).await["api_revision"].clone();
        let reopen = json!({ "expected_revision": revision, "motivo": "De novo." });
        let path = format!("/api/eventos/{id}/reabrir");
        session.post(&path, reopen).await.expect(200);
        let revision = session.load_event(&id).await["api_revision"].clone();
        let submit = json!({ "event_id": id, "expected_revision": revision });
        session.post("/api/enviar", submit).await.expect(200);
    }
}
