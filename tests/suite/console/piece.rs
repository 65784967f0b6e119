//! The page of a piece: its content and its forms.

mod media;

use domain::{Member, Role};
use serde_json::{Value, json};

use super::{hidden_value, submit_operation, visible_text};
use crate::support::{Answer, Client, TestApp};

/// Creates a service; returns it with the browser and the session of a lead, and the id of a piece
/// with this title.
async fn service_with_piece(title: &str) -> (TestApp, Client, Client, String) {
    let app = TestApp::new().await;
    let lead = app.add_member(Role::Lider).await;
    let session = app.session_client(&lead).await;
    let id = session.create_demand(json!({ "title": title })).await;
    let browser = app.browser_client(&lead).await;
    (app, browser, session, id)
}

async fn open_piece(browser: &Client, id: &str) -> Answer {
    browser.get(&format!("/eventos/{id}")).await.expect(200)
}

async fn save_caption(session: &Client, id: &str, revision: i64, caption: &str) {
    let draft = json!({ "event_id": id, "expected_revision": revision, "caption": caption });
    session.post("/api/draft", draft).await.expect(200);
}

async fn submit_caption_form(browser: &Client, id: &str, fields: &[(&str, &str)]) -> Answer {
    let path = format!("/eventos/{id}/legenda");
    browser.post_form(&path, fields).await
}

async fn event_history(session: &Client, id: &str) -> Value {
    let read = session.get(&format!("/api/eventos/{id}")).await.expect(200);
    read.body["historico"].clone()
}

#[tokio::test]
async fn a_piece_shows_texts_as_they_were_written() {
    let title = format!("<script>alert(1)</script> \u{202e}{}", "ã".repeat(260));
    let (_app, browser, session, id) = service_with_piece(&title).await;
    save_caption(&session, &id, 1, "\nLinha <b>um</b>\n\nShabat שלום").await;
    let page = open_piece(&browser, &id).await;
    assert!(!page.text.contains("<script>alert"));
    assert!(page.text.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    // Browsers drop the first line break of a textarea, so the page adds one.
    assert!(
        page.text
            .contains(">\n\nLinha &lt;b&gt;um&lt;/b&gt;\n\nShabat שלום</textarea>")
    );
    assert!(page.text.contains("dir=\"auto\""));
    assert!(visible_text(&page).contains("caracteres no Instagram"));
    assert!(!page.text.contains("style="));
}

#[tokio::test]
async fn a_new_piece_shows_its_briefing_as_a_briefing_and_no_caption() {
    let app = TestApp::new().await;
    let lead = app.add_member(Role::Lider).await;
    let session = app.session_client(&lead).await;
    let briefing = "Oito ideias de forno";
    let demand = json!({ "title": "Festa", "description": briefing, "day": 25, "month": 12 });
    let id = session.create_demand(demand).await;
    let browser = app.browser_client(&lead).await;
    let new = open_piece(&browser, &id).await;
    assert_eq!(
        new.text.matches(briefing).count(),
        1,
        "the text must occur only as the briefing"
    );
    assert!(new.text.contains("class=\"briefing\""));
    let listed = browser
        .get("/agenda?ver=lista&dia=2026-12-25")
        .await
        .expect(200);
    assert!(listed.text.contains("Festa") && !listed.text.contains(briefing));
    let look = browser
        .get(&format!("/agenda/eventos/{id}"))
        .await
        .expect(200);
    assert!(look.text.contains("O briefing:") && look.text.contains(briefing));
    // While the piece awaits approval, its page shows what would be published.
    let submit = json!({ "event_id": id, "expected_revision": 1 });
    session.post("/api/enviar", submit).await.expect(200);
    let submitted = open_piece(&browser, &id).await;
    assert!(submitted.text.matches(briefing).count() > 1);
}

#[tokio::test]
async fn a_caption_is_saved_and_submitted_with_the_revision_that_was_read() {
    let (_app, browser, session, id) = service_with_piece("Festa").await;
    let form = open_piece(&browser, &id).await;
    let key = hidden_value(&form, "pedido");
    let fields = [
        ("expected_revision", "1"),
        ("caption", "Uma\r\nlinha"),
        ("pedido", key.as_str()),
    ];
    for _ in 0..2 {
        let saved = submit_caption_form(&browser, &id, &fields)
            .await
            .expect(303);
        let to = saved.headers["location"].to_str().expect("text");
        assert_eq!(to, format!("/eventos/{id}?feito=save_draft"));
    }
    let event = session.load_event(&id).await;
    assert_eq!(
        (&event["description"], &event["api_revision"]),
        (&json!("Uma\nlinha"), &json!(2))
    );

    let fields = [
        ("expected_revision", "2"),
        ("caption", "Outra"),
        ("acao", "enviar"),
        ("data", "2027-01-15"),
        ("hora", "09:30"),
        ("pedido", key.as_str()),
    ];
    submit_caption_form(&browser, &id, &fields)
        .await
        .expect(303);
    let event = session.load_event(&id).await;
    assert_eq!(event["status"], "em aprovação");
    assert_eq!(event["description"], "Outra");
    assert_eq!(event["due_at"], "2027-01-15T12:30:00.000Z");
    let page = open_piece(&browser, &id).await;
    assert!(!page.text.contains("name=\"caption\""));
    assert!(visible_text(&page).contains("Aprovar ou recusar"));
}

#[tokio::test]
async fn a_caption_written_over_an_older_revision_shows_both_versions() {
    let (_app, browser, session, id) = service_with_piece("Festa").await;
    save_caption(&session, &id, 1, "A de outra pessoa").await;
    let mine = [("expected_revision", "1"), ("caption", "A minha")];
    let conflict = submit_caption_form(&browser, &id, &mine).await.expect(409);
    assert!(conflict.text.contains("A minha</textarea>"));
    assert!(conflict.text.contains("A de outra pessoa"));
    assert!(visible_text(&conflict).contains("salvou o rascunho"));
    assert_eq!(
        session.load_event(&id).await["description"],
        "A de outra pessoa"
    );
    let revision = hidden_value(&conflict, "expected_revision");
    let again = [
        ("expected_revision", revision.as_str()),
        ("caption", "A minha"),
    ];
    submit_caption_form(&browser, &id, &again).await.expect(303);
    assert_eq!(session.load_event(&id).await["description"], "A minha");
}

#[tokio::test]
async fn a_stale_draft_is_saved_if_only_other_fields_changed() {
    let (_app, browser, session, id) = service_with_piece("Festa").await;
    let change = json!({ "expected_revision": 1, "title": "Festa junina" });
    session
        .patch(&format!("/api/eventos/{id}"), change)
        .await
        .expect(200);
    let mine = [("expected_revision", "1"), ("caption", "A minha")];
    submit_caption_form(&browser, &id, &mine).await.expect(303);
    let event = session.load_event(&id).await;
    assert_eq!(
        (&event["title"], &event["description"]),
        (&json!("Festa junina"), &json!("A minha"))
    );

    let change = json!({ "expected_revision": 3, "title": "Festa" });
    session
        .patch(&format!("/api/eventos/{id}"), change)
        .await
        .expect(200);
    let sent = [
        ("expected_revision", "3"),
        ("caption", "A minha"),
        ("acao", "enviar"),
    ];
    let conflict = submit_caption_form(&browser, &id, &sent).await.expect(409);
    assert!(visible_text(&conflict).contains("mudou os dados"));
    assert_eq!(session.load_event(&id).await["status"], "em progresso");
}

#[tokio::test]
async fn a_refused_caption_stays_on_the_page() {
    let (_app, browser, session, id) = service_with_piece("Festa").await;
    let long = "x".repeat(20_001);
    let fields = [("expected_revision", "1"), ("caption", long.as_str())];
    let refused = submit_caption_form(&browser, &id, &fields)
        .await
        .expect(400);
    assert!(refused.text.contains(&long));
    let script = browser.with_header("hx-request", "true");
    let beside = submit_caption_form(&script, &id, &fields).await.expect(400);
    assert_eq!(beside.headers["hx-retarget"], "find .outcome");
    assert!(!beside.text.contains("<html"));
    assert_eq!(session.load_event(&id).await["api_revision"], 1);
}

#[tokio::test]
async fn any_two_revisions_of_a_caption_are_compared() {
    let (_app, browser, session, id) = service_with_piece("Festa").await;
    save_caption(&session, &id, 1, "pão quente").await;
    save_caption(&session, &id, 2, "pão de queijo").await;
    save_caption(&session, &id, 3, "bolo de milho").await;
    let compared = browser
        .get(&format!("/eventos/{id}?de=2&para=3"))
        .await
        .expect(200);
    assert!(
        compared.text.contains("<del>quente</del>"),
        "{}",
        compared.text
    );
    assert!(!compared.text.contains("bolo</ins>"));
    let whole = browser
        .get(&format!("/eventos/{id}?de=1&para=4"))
        .await
        .expect(200);
    assert!(whole.text.contains("<ins>bolo"));
    let unknown = browser
        .get(&format!("/eventos/{id}?de=1&para=40"))
        .await
        .expect(200);
    assert!(visible_text(&unknown).contains("não está no histórico"));
}

#[tokio::test]
async fn the_history_names_the_agent_and_its_person() {
    let (app, browser, session, id) = service_with_piece("Festa").await;
    let lead = app.add_member(Role::Lider).await;
    app.advance_clock(1_000);
    let token = app.token_client(&lead).await;
    let draft = json!({ "event_id": id, "expected_revision": 1, "caption": "pelo agente" });
    assert!(!token.call_tool("save_draft", draft).await.is_error);
    app.advance_clock(1_000);
    save_caption(&session, &id, 2, "pela pessoa").await;
    let lines = event_history(&session, &id).await;
    assert_eq!(lines[1]["agent"], "teste");
    assert_eq!(
        [&lines[0]["agent"], &lines[2]["agent"]],
        [&Value::Null, &Value::Null]
    );
    let page = open_piece(&browser, &id).await;
    assert!(visible_text(&page).contains(&format!("teste por {}", lead.name)));
}

#[tokio::test]
async fn only_actions_that_the_viewer_may_take_are_offered() {
    let app = TestApp::new().await;
    let (lead, author) = (
        app.add_member(Role::Lider).await,
        app.add_member(Role::Criador).await,
    );
    let session = app.session_client(&lead).await;
    let demand = json!({ "assignee_id": author.id });
    let id = session.create_demand(demand).await;
    let of = |member: Member| {
        let (app, id) = (&app, id.clone());
        async move { open_piece(&app.browser_client(&member).await, &id).await }
    };
    let seen = of(author.clone()).await;
    assert!(seen.text.contains("name=\"caption\"") && !seen.text.contains("Arquivar"));
    assert!(of(lead.clone()).await.text.contains("Arquivar a peça"));

    let author_session = app.session_client(&author).await;
    let submit = json!({ "event_id": id, "expected_revision": 1, "caption": "Pronta" });
    author_session.post("/api/enviar", submit).await.expect(200);
    let seen = of(author.clone()).await;
    assert!(seen.text.contains("Retirar da aprovação"));
    assert!(seen.text.contains("Quem decide são os líderes"));
    assert!(!seen.text.contains("Aprovar ou recusar"));

    let approve = json!({ "event_id": id, "action": "aprovar", "expected_revision": 2 });
    session.post("/api/aprovar", approve).await.expect(200);
    let seen = of(author).await;
    assert!(!seen.text.contains("Reabrir") && !seen.text.contains("Marcar como publicada"));
    let seen = of(lead).await;
    assert!(seen.text.contains("Reabrir para refazer"));
    assert!(seen.text.contains("Marcar como publicada"));

    // A member who may not see the piece gets 404.
    let other = app.add_member(Role::Criador).await;
    let stranger = app.browser_client(&other).await;
    stranger.get(&format!("/eventos/{id}")).await.expect(404);
    app.anonymous()
        .get(&format!("/eventos/{id}"))
        .await
        .expect(303);
}

#[tokio::test]
async fn withdrawing_a_piece_returns_to_its_page() {
    let (_app, browser, session, id) = service_with_piece("Festa").await;
    let submit = json!({ "event_id": id, "expected_revision": 1, "caption": "Pronta" });
    session.post("/api/enviar", submit).await.expect(200);
    let back = format!("/eventos/{id}");
    let fields = [
        ("eventId", id.as_str()),
        ("expected_revision", "2"),
        ("_volta", back.as_str()),
        ("idempotency_key", "console-piece-0001"),
    ];
    let answer = submit_operation(&browser, "reopen_event", &fields)
        .await
        .expect(303);
    assert_eq!(
        answer.headers["location"],
        format!("{back}?feito=reopen_event")
    );
    assert_eq!(session.load_event(&id).await["status"], "em progresso");
}

#[tokio::test]
async fn the_form_changes_the_data_of_a_piece() {
    let (app, browser, session, id) = service_with_piece("Festa").await;
    let author = app.add_member(Role::Criador).await;
    let path = format!("/eventos/{id}/dados");
    let fields = [
        ("expected_revision", "1"),
        ("title", "Festa junina"),
        ("channel", "LinkedIn"),
        ("data", "2027-06-12"),
        ("hora", "10:00:00"),
        ("tipo", ""),
        ("assignee_ids", author.id.as_str()),
    ];
    browser.post_form(&path, &fields).await.expect(303);
    let event = session.load_event(&id).await;
    assert_eq!(event["title"], "Festa junina");
    assert_eq!(event["channel"], "linkedin");
    assert_eq!(event["due_at"], "2027-06-12T13:00:00.000Z");
    assert_eq!(event["assignees_names"], json!([author.name]));
    let stale = browser.post_form(&path, &fields).await.expect(409);
    assert!(stale.text.contains("Festa junina"));
    let nobody = &[("expected_revision", "2"), ("title", "Festa junina")];
    browser.post_form(&path, nobody).await.expect(303);
    assert_eq!(session.load_event(&id).await["assignees_names"], json!([]));
}

#[tokio::test]
async fn an_emptied_tag_and_date_are_removed() {
    let (_app, browser, session, id) = service_with_piece("Festa").await;
    let path = format!("/eventos/{id}/dados");
    let send = async |revision: &str, more: &[(&str, &str)]| {
        let known = [("expected_revision", revision), ("title", "Festa")];
        browser.post_form(&path, &[&known, more].concat()).await
    };
    let filled = [("data", "2027-06-12"), ("hora", "10:00"), ("tipo", "reel")];
    send("1", &filled).await.expect(303);
    let event = session.load_event(&id).await;
    assert_eq!(
        (&event["editorial_tag"], &event["day"]),
        (&json!("reel"), &json!(12))
    );
    // The form contains the shown date a second time in a hidden field, so that the service notices
    // when the date is emptied.
    let page = open_piece(&browser, &id).await;
    assert_eq!(hidden_value(&page, "data_antes"), "2027-06-12");
    let emptied = [
        ("data_antes", "2027-06-12"),
        ("data", ""),
        ("hora", "10:00"),
        ("tipo", " "),
    ];
    send("2", &emptied).await.expect(303);
    let event = session.load_event(&id).await;
    assert_eq!(
        (&event["editorial_tag"], &event["due_at"]),
        (&Value::Null, &Value::Null)
    );
    let changes = event_history(&session, &id).await[0]["changes"].clone();
    assert_eq!(
        changes["editorial_tag"],
        json!({ "before": "reel", "after": null })
    );
    // An hour without a day and a channel without a name are refused.
    for (wrong, said) in [
        (
            &[("data", ""), ("hora", "10:00")][..],
            "O dia é obrigatório para marcar a hora",
        ),
        (&[("channel", "")], "O canal"),
    ] {
        let page = send("3", wrong).await.expect(400);
        let text = visible_text(&page)
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        assert!(text.contains(said), "{text}");
    }
    assert_eq!(session.load_event(&id).await["api_revision"], 3);
}
