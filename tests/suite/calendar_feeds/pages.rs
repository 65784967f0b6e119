//! The page that creates and revokes addresses, without scripts.

use domain::{Member, Role};
use serde_json::json;

use super::{create_piece, list_summaries};
use crate::{
    console::{hidden_value, submit_operation, visible_text},
    support::{Answer, TestApp},
};

const PATH: &str = "/agenda/assinar";

/// Sends the form of a new calendar; returns the page that shows the address.
async fn create_on_page(app: &TestApp, member: &Member, fields: &[(&str, &str)]) -> Answer {
    let browser = app.browser_client(member).await;
    let sent = browser.post_form(PATH, fields).await.expect(303);
    let cookie = sent.headers["set-cookie"].to_str().expect("text");
    let cookie = cookie.split(';').next().expect("a cookie");
    assert!(!sent.text.contains("/calendario/"));
    let (name, value) = app.session_cookie(member).await;
    let shown = app
        .anonymous()
        .with_header("cookie", format!("{name}={value}; {cookie}"));
    shown.get(&format!("{PATH}/endereco")).await.expect(200)
}

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
    let shown = create_on_page(&app, &member, &fields).await;
    let (_, url) = shown
        .text
        .split_once("<pre id=\"endereco\" tabindex=\"0\">")
        .expect("the URL");
    let url = url.split('<').next().expect("the URL");
    let (_, address) = url.split_once("://").expect("an address");
    assert!(shown.text.contains("Blog &lt;b&gt;"));
    let made = json!({ "url": url });
    assert_eq!(list_summaries(&app, &made).await, ["Post (a fazer)"]);
    // A reload does not show the address again.
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
        .get(&super::calendar_path(&made))
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

#[tokio::test]
async fn the_page_says_which_filters_of_the_agenda_a_calendar_cannot_have() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let browser = app.browser_client(&member).await;
    let agenda = browser.get("/agenda?canal=blog&espera=sim").await;
    assert!(
        agenda
            .expect(200)
            .text
            .contains("href=\"/agenda/assinar?canal=blog&amp;espera=sim\"")
    );
    for (query, filters) in [
        ("canal=blog", &[][..]),
        ("espera=sim", &["“Espera por mim”"]),
        ("status=arquivado", &["“arquivado”"]),
        (
            "espera=sim&status=arquivado",
            &["“Espera por mim”", "“arquivado”"],
        ),
    ] {
        let page = browser.get(&format!("{PATH}?{query}")).await.expect(200);
        let text = visible_text(&page);
        for filter in ["“Espera por mim”", "“arquivado”"] {
            let is_said = text.contains(&format!("não pode ter o filtro {filter}"));
            assert_eq!(is_said, filters.contains(&filter), "{query}: {text}");
        }
        assert!(!page.text.contains("value=\"arquivado\""));
    }
}

#[tokio::test]
async fn active_projects_are_offered_and_a_chosen_one_is_always_shown_by_name() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let browser = app.browser_client(&member).await;
    let session = app.session_client(&member).await;
    let create = async |name: &str| {
        let made = session.post("/api/projects", json!({ "name": name }));
        let made = made.await.expect(201).body["project"]["id"].clone();
        // The page lists the newest projects first, so each project gets a different instant.
        app.advance_clock(1);
        made.as_str().expect("an id").to_owned()
    };
    let first = create("O primeiro").await;
    let ended = create("O encerrado").await;
    let input = json!({ "type": "project.archive", "payload": {}, "expected_revision": 1 });
    let path = format!("/api/projects/{ended}/operations");
    let archived = session.post(&path, input).await;
    assert!(archived.status < 300, "{}", archived.text);
    for n in 0..100 {
        create(&format!("Outro {n}")).await;
    }
    let form = browser.get(PATH).await.expect(200);
    assert!(form.text.contains("Outro 99"));
    assert!(!form.text.contains("O encerrado"));
    for (id, name) in [(&first, "O primeiro"), (&ended, "O encerrado")] {
        let form = browser.get(&format!("{PATH}?projeto={id}")).await;
        let chosen = format!("<option value=\"{id}\" selected>{name}</option>");
        assert!(form.expect(200).text.contains(&chosen), "{name}");
    }
    super::create_calendar(&session, json!({ "project_id": first })).await;
    let list = browser.get(PATH).await.expect(200);
    assert!(visible_text(&list).contains("O primeiro"));
}

#[tokio::test]
async fn every_person_of_a_large_team_can_be_chosen() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    for n in 0..201 {
        let added = app.add_member(Role::Criador).await;
        let sql = "UPDATE members SET name = $2 WHERE id = $1";
        let name = format!("Pessoa {n:03}");
        app.execute_statement(sql, [added.id.to_string(), name])
            .await;
    }
    let last = app.add_member(Role::Criador).await;
    let sql = "UPDATE members SET name = 'Zélia Última' WHERE id = $1";
    app.execute_statement(sql, [last.id.to_string()]).await;
    let browser = app.browser_client(&member).await;
    let form = browser.get(PATH).await.expect(200);
    assert!(form.text.contains("Zélia Última"));
    let form = browser.get(&format!("{PATH}?pessoa={}", last.id)).await;
    let chosen = format!(
        "<option value=\"{}\" selected>Zélia Última</option>",
        last.id
    );
    assert!(form.expect(200).text.contains(&chosen));
}

#[tokio::test]
async fn the_link_for_apple_is_shown_only_for_a_public_url_without_a_port() {
    for (url, is_shown) in [
        ("https://pauta.exemplo.test", true),
        ("https://pauta.exemplo.test:8443", false),
        ("http://[::1]:8080", false),
    ] {
        let settings = [("PAUTA_PUBLIC_URL", url.to_owned())];
        let app = TestApp::with_settings(settings).await;
        let member = app.add_member(Role::Lider).await;
        let shown = create_on_page(&app, &member, &[("nome", "Agenda")]).await;
        assert!(shown.text.contains(&format!("{url}/calendario/")));
        assert_eq!(shown.text.contains("webcal://"), is_shown, "{url}");
        let text = visible_text(&shown);
        let [google, apple] = ["Google Agenda e Outlook", "Calendário da Apple"]
            .map(|title| text.find(title).expect("a title"));
        assert!(google < apple);
    }
}
