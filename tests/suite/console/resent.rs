//! Forms that are sent more than once. An unchanged form has no second effect; a form with a
//! changed text is a new call.

use domain::Role;
use serde_json::json;

use super::{hidden_value, submit_operation, visible_text};
use crate::support::{Client, TestApp};

const KEY: &str = "one-rendered-form";

/// Sends the fields twice, with the key of one rendered form, and expects the same redirect.
async fn send_twice(browser: &Client, path: &str, fields: &[(&str, &str)]) {
    let mut fields = fields.to_vec();
    fields.push(("pedido", KEY));
    let first = browser.post_form(path, &fields).await.expect(303);
    let second = browser.post_form(path, &fields).await.expect(303);
    assert_eq!(first.headers["location"], second.headers["location"]);
}

#[tokio::test]
async fn an_edited_operation_form_is_a_new_call() {
    let app = TestApp::new().await;
    let browser = app.browser_client(&app.add_member(Role::Lider).await).await;
    for (title, events) in [("Um", 1), ("Um", 1), ("Dois", 2), ("Dois", 2)] {
        let fields = [("title", title), ("idempotency_key", KEY), ("_volta", "/")];
        submit_operation(&browser, "create_demand", &fields)
            .await
            .expect(303);
        assert_eq!(app.count_rows("events").await, events, "{title}");
    }
}

#[tokio::test]
async fn an_edited_catalog_form_is_a_new_call() {
    let app = TestApp::new().await;
    let browser = app.browser_client(&app.add_member(Role::Lider).await).await;
    for (title, is_replayed) in [("Um", false), ("Um", true), ("Dois", false)] {
        let fields = [("title", title), ("idempotency_key", KEY)];
        let page = browser.post_form("/catalogo/create_demand", &fields).await;
        let text = visible_text(&page.expect(200));
        assert!(text.contains("Feito: 200"), "{title}: {text}");
        assert_eq!(text.contains("a resposta de antes"), is_replayed, "{title}");
    }
    assert_eq!(app.count_rows("events").await, 2);
}

#[tokio::test]
async fn an_edited_form_of_a_page_is_saved() {
    let app = TestApp::new().await;
    let admin = app.browser_client(&app.add_member(Role::Admin).await).await;
    for (version, text) in [("0", "um"), ("1", "dois")] {
        let skill = [
            ("nome", "tom"),
            ("descricao", "Como a casa fala."),
            ("conteudo", text),
            ("versao", version),
        ];
        send_twice(&admin, "/skills", &skill).await;
        let setting = [
            ("chave", "editoria"),
            ("tipo", "texto"),
            ("valor", text),
            ("versao", version),
        ];
        send_twice(&admin, "/configuracao", &setting).await;
    }
    let skill = admin.get("/skills/tom").await.expect(200);
    assert!(visible_text(&skill).contains("Versão 2 (a atual)"));
    assert_eq!(app.count_rows("config_log").await, 2);

    let mut read = String::new();
    for text in ["<p>um</p>", "<p>dois</p>"] {
        let draft = [("nome", "carta"), ("html", text), ("lido", &read)];
        send_twice(&admin, "/emails", &draft).await;
        app.advance_clock(60_000);
        let page = admin.get("/emails/carta?aba=html").await.expect(200);
        read = hidden_value(&page, "lido");
    }
    for (from, to) in [("dois", "três"), ("três", "quatro")] {
        let page = admin.get("/emails/carta?aba=trocar").await.expect(200);
        let read = hidden_value(&page, "lido");
        let passage = [("procurar", from), ("trocar_por", to), ("lido", &read)];
        send_twice(&admin, "/emails/carta/trocar", &passage).await;
        app.advance_clock(60_000);
    }
    let page = admin.get("/emails/carta?aba=html").await.expect(200);
    assert!(page.text.contains("quatro"));
}

#[tokio::test]
async fn an_edited_caption_is_saved() {
    let app = TestApp::new().await;
    let lead = app.add_member(Role::Lider).await;
    let (browser, session) = (
        app.browser_client(&lead).await,
        app.session_client(&lead).await,
    );
    let id = session
        .create_demand(json!({ "channel": "Instagram" }))
        .await;
    for (revision, caption) in [("1", "Um"), ("2", "Dois")] {
        let fields = [("expected_revision", revision), ("caption", caption)];
        send_twice(&browser, &format!("/eventos/{id}/legenda"), &fields).await;
    }
    let event = session.load_event(&id).await;
    assert_eq!(event["description"], "Dois");
    assert_eq!(event["api_revision"], 3);
}

#[tokio::test]
async fn an_edited_project_form_is_a_new_operation() {
    let app = TestApp::new().await;
    let lead = app.add_member(Role::Lider).await;
    let (browser, session) = (
        app.browser_client(&lead).await,
        app.session_client(&lead).await,
    );
    let created = session
        .post("/api/projects", json!({ "name": "Turma" }))
        .await
        .expect(201);
    let id = created.body["project"]["id"].as_str().expect("an id");
    let path = format!("/projetos/{id}/mudar");
    for (title, revision) in [("Um", "1"), ("Um", "1"), ("Dois", "2"), ("Dois", "2")] {
        let fields = [
            ("type", "section.add"),
            ("title", title),
            ("expected_revision", revision),
            ("idempotency_key", KEY),
        ];
        browser.post_form(&path, &fields).await.expect(303);
    }
    // The page offers to send the edited text of a stale form again. The idempotency key of the
    // form, which was used before, does not cause a refusal.
    let fields = [
        ("type", "section.add"),
        ("title", "Três"),
        ("expected_revision", "1"),
        ("idempotency_key", KEY),
    ];
    let page = browser.post_form(&path, &fields).await.expect(409);
    assert!(
        page.text.contains("value=\"Três\"") && visible_text(&page).contains("Fazer mesmo assim")
    );
    let project = session.get(&format!("/api/projects/{id}")).await;
    assert_eq!(project.expect(200).body["project"]["revision"], 3);
}

#[tokio::test]
async fn an_offboarding_sent_twice_runs_once() {
    let app = TestApp::new().await;
    let admin = app.browser_client(&app.add_member(Role::Admin).await).await;
    let member = app.add_member(Role::Criador).await;
    let path = format!("/equipe/{}/desligar", member.id);
    let form = admin.get(&path).await.expect(200);
    let fields = [("nome", "Ana"), ("pedido", &*hidden_value(&form, "pedido"))];
    for _ in 0..2 {
        let page = admin.post_form(&path, &fields).await.expect(200);
        assert!(visible_text(&page).contains("saiu da equipe"));
    }
    let rows = "audit_events WHERE action = 'offboard_member'";
    assert_eq!(app.count_rows(rows).await, 1);
}

#[tokio::test]
async fn a_returned_form_keeps_its_key() {
    let app = TestApp::new().await;
    let browser = app.browser_client(&app.add_member(Role::Lider).await).await;
    let fields = [("title", " "), ("idempotency_key", KEY)];
    let page = submit_operation(&browser, "create_demand", &fields)
        .await
        .expect(400);
    assert_eq!(hidden_value(&page, "idempotency_key"), KEY);
}

#[tokio::test]
async fn a_refusal_names_the_next_step_for_a_person() {
    let app = TestApp::new().await;
    let browser = app.browser_client(&app.add_member(Role::Lider).await).await;
    let page = submit_operation(&browser, "get_shortvideo_creator_info", &[]).await;
    assert!(
        visible_text(&page).contains("Peça a quem opera o serviço"),
        "{}",
        visible_text(&page)
    );
}
