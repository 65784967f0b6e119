//! Forms that call an operation, with its guard, key and refusals.

use domain::Role;
use serde_json::json;

use super::{submit_operation, visible_text};
use crate::support::TestApp;

const KEY: (&str, &str) = ("idempotency_key", "console-form-0001");

#[tokio::test]
async fn a_form_calls_its_operation_once_and_redirects_back() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let browser = app.browser_client(&member).await;
    let fields = [
        ("title", "Lançamento da turma"),
        ("notes", ""),
        ("_volta", "/?mes=2026-11"),
        KEY,
    ];
    for _ in 0..2 {
        let answer = submit_operation(&browser, "create_demand", &fields)
            .await
            .expect(303);
        assert_eq!(
            answer.headers["location"],
            "/?mes=2026-11&feito=create_demand"
        );
    }
    let listed = app
        .session_client(&member)
        .await
        .get("/api/eventos")
        .await
        .expect(200);
    assert_eq!(listed.body["eventos"].as_array().map(Vec::len), Some(1));
    let page = browser.get("/agenda?feito=create_demand").await.expect(200);
    assert!(visible_text(&page).contains("Demanda criada."));
    assert!(visible_text(&page).contains("Lançamento da turma"));
}

#[tokio::test]
async fn a_form_of_another_site_has_no_effect() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let (name, value) = app.session_cookie(&member).await;
    let fields = [("title", "De fora"), KEY];
    let cookie = app
        .anonymous()
        .with_header("cookie", format!("{name}={value}"));
    for other in [
        cookie.clone(),
        cookie.with_header("sec-fetch-site", "cross-site"),
        cookie.with_header("sec-fetch-site", "same-site"),
        cookie.with_header("origin", "https://evil.test"),
        cookie.with_header("origin", "null"),
    ] {
        let page = submit_operation(&other, "create_demand", &fields)
            .await
            .expect(403);
        assert!(visible_text(&page).contains("não veio de uma página desta Pauta"));
    }
    let listed = app
        .session_client(&member)
        .await
        .get("/api/eventos")
        .await
        .expect(200);
    assert_eq!(listed.body["eventos"], json!([]));
}

#[tokio::test]
async fn a_refused_form_keeps_its_texts() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let browser = app.browser_client(&member).await;
    let fields = [("title", "  "), ("channel", "<b>Instagram</b>"), KEY];
    let page = submit_operation(&browser, "create_demand", &fields)
        .await
        .expect(400);
    assert!(visible_text(&page).contains("title"));
    assert!(page.text.contains("&lt;b&gt;Instagram&lt;/b&gt;"));
    // A script gets only the notice, which it shows beside the form.
    let script = browser.with_header("hx-request", "true");
    let notice = submit_operation(&script, "create_demand", &fields)
        .await
        .expect(400);
    assert_eq!(notice.headers["hx-retarget"], "find .outcome");
    assert!(!notice.text.contains("<html"));
}

#[tokio::test]
async fn a_form_has_the_rights_of_its_member() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Criador).await;
    let browser = app.browser_client(&member).await;
    let page = submit_operation(&browser, "list_audit_events", &[])
        .await
        .expect(403);
    assert!(visible_text(&page).contains("permissão"));
    submit_operation(&browser, "no_such_operation", &[])
        .await
        .expect(404);
    // A form cannot call a page.
    submit_operation(&browser, "console_agenda", &[])
        .await
        .expect(404);
}

#[tokio::test]
async fn a_refusal_is_worded_for_a_person_and_not_for_a_program() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let id = app
        .session_client(&member)
        .await
        .create_demand(json!({}))
        .await;
    let browser = app.browser_client(&member).await;
    let fields = [
        ("eventId", id.as_str()),
        ("expected_revision:json", "7"),
        ("status", "arquivado"),
        ("_volta", "/agenda"),
    ];
    let answer = submit_operation(&browser, "update_event", &fields);
    let text = visible_text(&answer.await.expect(409));
    assert!(text.contains("Recarregue a página"), "{text}");
    assert!(!text.contains("get_event") && !text.contains('`'), "{text}");
    let fields = [("channel", "instagram"), ("_volta", "/agenda")];
    let answer = submit_operation(&browser, "create_demand", &fields);
    let page = answer.await.expect(400);
    assert!(
        page.text.contains("<strong>O título</strong>"),
        "{}",
        page.text
    );
}

/// More operations that pages call with values that a person has chosen or written.
const ALSO_CALLED: [&str; 22] = [
    "add_guest_remark",
    "create_calendar_feed",
    "create_guest_link",
    "create_webhook",
    "decide_as_guest",
    "enter_guest_code",
    "get_launch_crm_funnel",
    "get_launch_dashboard",
    "get_project",
    "get_subscription_summary",
    "list_audit_events",
    "list_events",
    "list_guest_links",
    "list_launch_buyers",
    "list_leaving_subscribers",
    "list_media",
    "list_notifications",
    "list_publications",
    "list_results",
    "list_webhook_messages",
    "search_everything",
    "search_knowledge",
];

#[tokio::test]
async fn each_field_of_a_form_has_words() {
    let app = TestApp::new().await;
    let registry = &app.app.gateway.registry;
    let mut unworded = vec![];
    for name in console::worded_operations().chain(ALSO_CALLED) {
        let operation = registry.find(name).expect("the operation");
        let fields = operation.input_schema()["properties"].as_object();
        let fields = fields.into_iter().flatten().map(|(field, _)| field);
        let fields = fields.filter(|field| !console::is_worded_field(field));
        unworded.extend(fields.map(|field| format!("{name}: {field}")));
    }
    assert!(unworded.is_empty(), "{unworded:#?}");
}

#[tokio::test]
async fn a_refusal_on_a_page_has_no_names_of_the_interface() {
    let app = TestApp::new().await;
    let member = app
        .add_member_with(Role::Admin, Role::Admin.level(), true)
        .await;
    let browser = app.browser_client(&member).await;
    for (path, said) in [
        ("/vendas?inicio=2026-12-02&fim=2026-12-01", "“Início”"),
        ("/auditoria?de=2026-12-02&ate=2026-12-01", "“Início”"),
    ] {
        let page = browser.get(path).await;
        let text = visible_text(&page);
        assert!(text.contains(said), "{path}: {text}");
        assert!(!text.contains('`'), "{path}: {text}");
    }
    // Sends values of the wrong type in every form that calls an operation.
    for name in console::worded_operations() {
        let operation = app.app.gateway.registry.find(name).expect("the operation");
        let schema = operation.input_schema();
        let fields = schema["properties"].as_object().into_iter().flatten();
        let fields = fields.filter(|(field, _)| *field != "idempotency_key");
        let wrong: Vec<(&str, &str)> = fields
            .map(|(field, _)| (field.as_str(), "\u{200b}@@"))
            .collect();
        let page = submit_operation(&browser, name, &wrong).await;
        let text = visible_text(&page);
        let refused = text.split("Não foi feito").last().unwrap_or_default();
        assert!(!refused.contains('`'), "{name}: {refused}");
    }
}

#[tokio::test]
async fn the_wordings_for_people_belong_to_existing_operations_and_refusals() {
    let app = TestApp::new().await;
    let registry = &app.app.gateway.registry;
    for name in console::worded_operations() {
        assert!(registry.find(name).is_some(), "{name}");
    }
    let published = include_str!("../../../ai-artifacts/dist/openapi.json");
    for code in console::worded_refusals() {
        assert!(published.contains(&format!("\"{code}\"")), "{code}");
    }
}
