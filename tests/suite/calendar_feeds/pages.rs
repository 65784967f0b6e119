//! The page that makes and revokes addresses, without a script.

use domain::Role;
use serde_json::json;

use super::{create_piece, list_summaries};
use crate::{
    console::{hidden_value, submit_operation, visible_text},
    support::TestApp,
};

const PATH: &str = "/agenda/assinar";

#[tokio::test]
async fn the_page_makes_an_address_shows_it_once_and_revokes_it() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let browser = app.browser_client(&member).await;
    let session = app.session_client(&member).await;
    create_piece(&session, "Bolo", 24, 8, json!({ "channel": "instagram" })).await;
    create_piece(&session, "Post", 25, 8, json!({ "channel": "blog" })).await;
    let agenda = browser.get("/agenda?canal=blog&q=po%20").await.expect(200);
    assert!(
        agenda
            .text
            .contains("href=\"/agenda/assinar?canal=blog&amp;q=po\"")
    );
    let form = browser.get("/agenda/assinar?canal=blog").await.expect(200);
    assert!(visible_text(&form).contains("Nenhum calendário."));
    assert!(
        form.text
            .contains("name=\"canal\" maxlength=\"60\" autocomplete=\"off\" value=\"blog\"")
    );
    let fields = [
        ("nome", "Blog <b>"),
        ("mostrar", "equipe"),
        ("canal", "blog"),
        ("status", ""),
    ];
    let sent = browser.post_form(PATH, &fields).await.expect(303);
    let cookie = sent.headers["set-cookie"]
        .to_str()
        .expect("text")
        .to_owned();
    let cookie = cookie.split(';').next().expect("a cookie").to_owned();
    assert!(!sent.text.contains("/calendario/"));
    let (name, value) = app.session_cookie(&member).await;
    let shown = app
        .anonymous()
        .with_header("cookie", format!("{name}={value}; {cookie}"));
    let shown = shown.get(&format!("{PATH}/endereco")).await.expect(200);
    let (_, url) = shown
        .text
        .split_once("<pre id=\"endereco\" tabindex=\"0\">")
        .expect("the URL");
    let url = url.split('<').next().expect("the URL");
    let (_, address) = url.split_once("://").expect("an address");
    assert!(shown.text.contains(&format!("href=\"webcal://{address}\"")));
    assert!(shown.text.contains("Blog &lt;b&gt;"));
    let made = json!({ "url": url });
    assert_eq!(list_summaries(&app, &made).await, ["Post (a fazer)"]);
    // A reload shows nothing.
    browser.get(&format!("{PATH}/endereco")).await.expect(303);
    let list = browser.get(PATH).await.expect(200);
    assert!(!list.text.contains(address));
    assert!(visible_text(&list).contains("Blog"));
    let id = hidden_value(&list, "calendarId");
    let fields = [("calendarId", id.as_str()), ("_volta", PATH)];
    submit_operation(&browser, "revoke_calendar_feed", &fields)
        .await
        .expect(303);
    let list = browser.get(PATH).await.expect(200);
    assert!(visible_text(&list).contains("Nenhum calendário."));
    app.anonymous()
        .get(&super::path_of(&made))
        .await
        .expect(404);
}

#[tokio::test]
async fn a_refused_form_keeps_what_was_typed() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Criador).await;
    let browser = app.browser_client(&member).await;
    let fields = [("nome", "  "), ("mostrar", "equipe"), ("q", "pão <i>")];
    let refused = browser.post_form(PATH, &fields).await.expect(400);
    assert!(
        refused.text.contains("value=\"pão &lt;i&gt;\""),
        "{}",
        refused.text
    );
    let foreign = app.anonymous().post_form(PATH, &fields).await;
    assert_eq!(foreign.status, 403);
}
