//! The catalog: each operation, with a form that calls it as the member.

use domain::Role;
use serde_json::{Value, json};

use super::{hidden_value, visible_text};
use crate::support::{Client, TestApp};

/// Creates a service; returns it with a browser and a session of a member who has this role.
async fn service_with_browser(role: Role) -> (TestApp, Client, Client) {
    let app = TestApp::new().await;
    let member = app.add_member(role).await;
    let (browser, session) = (
        app.browser_client(&member).await,
        app.session_client(&member).await,
    );
    (app, browser, session)
}

#[tokio::test]
async fn admins_find_operations_by_words_area_level_and_kind() {
    let (app, browser, session) = service_with_browser(Role::Admin).await;
    let routes = session.get("/api/access/catalog").await.expect(200).body;
    let total = routes["total"].as_u64().expect("a count");
    let page = browser.get("/catalogo").await.expect(200);
    assert!(visible_text(&page).contains(&format!("{total} de {total} rotas")));
    assert!(page.text.contains("href=\"/catalogo/create_demand\""));

    let page = browser.get("/catalogo?q=RENOVAR+sessao").await.expect(200);
    assert!(page.text.contains("href=\"/catalogo/issue_session\""));
    assert!(!page.text.contains("href=\"/catalogo/create_demand\""));
    let page = browser
        .get("/catalogo?area=projects&nivel=lider")
        .await
        .expect(200);
    assert!(page.text.contains("href=\"/catalogo/create_project\""));
    assert!(!page.text.contains("href=\"/catalogo/get_project\""));
    let page = browser.get("/catalogo?tipo=webhook").await.expect(200);
    assert!(
        page.text
            .contains("href=\"/catalogo/receive_email_delivery_events\"")
    );
    assert!(!page.text.contains("href=\"/catalogo/get_me\""));
    let page = browser.get("/catalogo?q=%3Cscript%3E").await.expect(200);
    assert!(page.text.contains("value=\"&lt;script&gt;\""));
    assert!(visible_text(&page).contains("Nada com estes filtros"));

    let lead = app.add_member(Role::Lider).await;
    let page = app
        .browser_client(&lead)
        .await
        .get("/catalogo")
        .await
        .expect(403);
    assert!(
        visible_text(&page).contains("team_admin")
            && visible_text(&page).contains("admin da equipe")
    );
    app.anonymous().get("/catalogo").await.expect(303);
}

#[tokio::test]
async fn every_operation_and_route_has_a_page() {
    let (app, browser, _) = service_with_browser(Role::Admin).await;
    let registry = &app.app.gateway.registry;
    for route in registry.operations.iter().chain(&registry.pages) {
        let page = browser.get(&format!("/catalogo/{}", route.spec.name)).await;
        assert!(
            visible_text(&page.expect(200)).contains(route.spec.path),
            "{}",
            route.spec.name
        );
    }
    browser.get("/catalogo/no_such_operation").await.expect(404);
    browser.get("/catalogo/console_agenda").await.expect(404);
}

#[tokio::test]
async fn an_operation_shows_its_fields_errors_and_shell_calls() {
    let (app, _, _) = service_with_browser(Role::Admin).await;
    let creator = app.add_member(Role::Criador).await;
    let browser = app.browser_client(&creator).await;
    let page = browser.get("/catalogo/create_project").await.expect(403);
    assert!(visible_text(&page).contains("projects_manage"));
    let page = browser
        .get("/catalogo/apply_project_operation")
        .await
        .expect(200);
    let text = visible_text(&page);
    for part in [
        "payload.section_id",
        "item.add",
        "STALE_REVISION",
        "PROJECT_ARCHIVED",
        "curl -sS",
        "tools/call",
        "node cli.mjs apply-project-operation",
        "projects_edit",
        "desde criador",
        "Sobrescreve ou apaga",
    ] {
        assert!(text.contains(part), "{part}");
    }
    assert!(page.text.contains("name=\"payload:json\""));
    // An operation that only other services call has no form.
    let page = browser.get("/catalogo/upload_media").await.expect(200);
    assert!(!page.text.contains("name=\"idempotency_key\""));
}

#[tokio::test]
async fn a_form_calls_the_operation_as_the_member_and_shows_the_answer() {
    let (_app, browser, session) = service_with_browser(Role::Lider).await;
    let page = browser.get("/catalogo/create_demand").await.expect(200);
    let key = hidden_value(&page, "idempotency_key");
    let title = "Festa <b>\u{202e}junina</b>";
    let fields = [("title", title), ("idempotency_key", &key), ("_volta", "/")];
    for _ in 0..2 {
        let page = browser
            .post_form("/catalogo/create_demand", &fields)
            .await
            .expect(200);
        assert!(
            visible_text(&page).contains("Feito: 200"),
            "{}",
            visible_text(&page)
        );
        assert!(page.text.contains("Festa &lt;b&gt;") && !page.text.contains("Festa <b>"));
    }
    let listed = session.get("/api/eventos").await.expect(200);
    assert_eq!(listed.body["eventos"].as_array().map(Vec::len), Some(1));
    assert_eq!(listed.body["eventos"][0]["title"], title);

    let fields = [
        ("title", " "),
        ("channel", "Boletim"),
        ("idempotency_key", "console-trial-1"),
    ];
    let page = browser
        .post_form("/catalogo/create_demand", &fields)
        .await
        .expect(200);
    let text = visible_text(&page);
    assert!(
        text.contains("Recusado: 400") && text.contains("INVALID_INPUT"),
        "{text}"
    );
    assert!(page.text.contains("value=\"Boletim\""));
    let fields = [("payload:json", "{"), ("type", "item.add")];
    let page = browser
        .post_form("/catalogo/apply_project_operation", &fields)
        .await
        .expect(200);
    assert!(visible_text(&page).contains("não é JSON válido"));
}

#[tokio::test]
async fn a_call_that_overwrites_data_or_costs_money_needs_confirmation() {
    let (_app, browser, session) = service_with_browser(Role::Admin).await;
    let id = session.create_demand(json!({ "title": "Antes" })).await;
    let event = session.load_event(&id).await;
    let revision = event["api_revision"].to_string();
    let mut fields = vec![
        ("eventId", &*id),
        ("title", "Depois"),
        ("expected_revision", &*revision),
        ("idempotency_key", "console-trial-2"),
    ];
    let page = browser
        .post_form("/catalogo/update_event", &fields)
        .await
        .expect(200);
    assert!(
        visible_text(&page).contains("Ainda não foi feito"),
        "{}",
        visible_text(&page)
    );
    assert!(page.text.contains("value=\"Depois\""));
    assert_eq!(session.load_event(&id).await["title"], "Antes");
    fields.push(("_confirmo", "sim"));
    let page = browser
        .post_form("/catalogo/update_event", &fields)
        .await
        .expect(200);
    assert!(
        visible_text(&page).contains("Feito: 200"),
        "{}",
        visible_text(&page)
    );
    assert_eq!(session.load_event(&id).await["title"], "Depois");
}

#[tokio::test]
async fn secrets_are_not_repeated_and_calls_have_the_rights_of_the_member() {
    let (_app, browser, _) = service_with_browser(Role::Criador).await;
    let secret = "segredo-que-ninguem-ve-31";
    let fields = [
        ("email", "x@equipe.test"),
        ("password", secret),
        ("grant_type", "password"),
    ];
    let page = browser
        .post_form("/catalogo/issue_session", &fields)
        .await
        .expect(200);
    assert!(visible_text(&page).contains("Recusado") || visible_text(&page).contains("Ainda não"));
    assert!(!page.text.contains(secret));
    browser
        .post_form("/catalogo/list_audit_events", &[("limit", "1")])
        .await
        .expect(403);
    let cross = browser.with_header("sec-fetch-site", "cross-site");
    let page = cross
        .post_form("/catalogo/create_demand", &[("title", "De fora")])
        .await;
    page.expect(403);
}

#[tokio::test]
async fn the_palette_offers_what_the_member_may_open() {
    let (app, browser, _) = service_with_browser(Role::Admin).await;
    let offers = async |browser: &Client| {
        let answer = browser.get("/paleta").await.expect(200);
        assert_eq!(
            answer.headers["content-type"],
            "application/json; charset=utf-8"
        );
        let offers = answer.body.as_array().expect("a list").clone();
        let names = offers
            .iter()
            .flat_map(|offer| [offer["nome"].clone(), offer["tambem"].clone()]);
        names.collect::<Vec<Value>>()
    };
    let all = offers(&browser).await;
    let creator = app.add_member(Role::Criador).await;
    let fewer = offers(&app.browser_client(&creator).await).await;
    for name in ["Catálogo", "list_audit_events"] {
        assert!(
            all.contains(&name.into()) && !fewer.contains(&name.into()),
            "{name}"
        );
    }
    for name in ["Agenda", "Projetos", "save_draft"] {
        assert!(
            all.contains(&name.into()) && fewer.contains(&name.into()),
            "{name}"
        );
    }
    app.anonymous().get("/paleta").await.expect(303);
}

#[tokio::test]
async fn a_batch_with_independent_items_can_be_tried() {
    let (app, browser, _) = service_with_browser(Role::Admin).await;
    let event =
        r#"{"evento": "visitou_pagina", "sessao": "s", "id": "1", "produto": "P\u00e3o \"1\""}"#;
    let send = async |events: &str| {
        let fields = [("eventos:json", events)];
        let page = browser.post_form("/catalogo/ingest_timeline_events", &fields);
        visible_text(&page.await.expect(200))
    };
    let text = send(&format!("[{event}, 7, {{\"evento\": \"outro\"}}]")).await;
    for part in ["Feito: 200", "gravados&quot;: 1", "recusados&quot;: 2"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let rows = app.table_texts("timeline_events", &[]).await;
    assert!(rows.len() == 1 && rows[0].contains("Pão \"1\""), "{rows:?}");
    // The console has the input limits of the other interfaces.
    let deep = format!("[{}{}]", "[".repeat(70), "]".repeat(70));
    let text = send(&deep).await;
    assert!(
        text.contains("Recusado: 400") && text.contains("64 níveis"),
        "{text}"
    );
    for events in ["7", "[]"] {
        let text = send(events).await;
        assert!(text.contains("Recusado: 400"), "{text}");
    }
}
