//! The page of the day, and the counts beside the navigation. It is noon of Saturday, 22 August
//! 2026, in Brasília.

use domain::{Capability, Role};
use serde_json::json;

use super::visible_text;
use crate::support::{Client, TestApp};

async fn plan_piece(lead: &Client, title: &str, day: i8, more: serde_json::Value) -> String {
    let mut fields =
        json!({ "title": title, "day": day, "month": 8, "year": 2026, "hour": "18:00" });
    if let (Some(fields), Some(more)) = (fields.as_object_mut(), more.as_object()) {
        fields.extend(more.clone());
    }
    lead.create_demand(fields).await
}

async fn submit_piece(client: &Client, id: &str) {
    let input = json!({ "event_id": id, "expected_revision": 1, "caption": "Legenda pronta." });
    client.post("/api/enviar", input).await.expect(200);
}

#[tokio::test]
async fn the_day_shows_refused_late_and_due_events_to_members_who_may_see_them() {
    let app = TestApp::new().await;
    let leader = app.add_member(Role::Lider).await;
    let lead = app.session_client(&leader).await;
    let author = app.add_member(Role::Criador).await;
    let mine = json!({ "assignee_id": author.id });
    plan_piece(&lead, "Peça de hoje", 22, mine.clone()).await;
    plan_piece(&lead, "Peça de terça", 25, mine.clone()).await;
    plan_piece(&lead, "Peça atrasada", 20, mine).await;
    plan_piece(&lead, "Só da liderança", 20, json!({})).await;
    plan_piece(&lead, "Longe demais", 30, json!({})).await;
    let page = app.browser_client(&author).await.get("/").await.expect(200);
    let text = visible_text(&page);
    for part in [
        "Peça de hoje",
        "Peça de terça",
        "Peça atrasada",
        "Atrasadas",
    ] {
        assert!(text.contains(part), "{part}");
    }
    for hidden in [
        "Só da liderança",
        "Longe demais",
        "Para você aprovar",
        "Nova demanda",
    ] {
        assert!(!text.contains(hidden), "{hidden}");
    }
    let text = visible_text(&app.browser_client(&leader).await.get("/").await.expect(200));
    assert!(text.contains("Só da liderança") && text.contains("Nova demanda"));
    let waiting = lead.get("/api/espera").await.expect(200);
    assert_eq!(
        waiting.body,
        json!({ "recusados": 0, "a_aprovar": 0, "atrasados": 2, "recusados_ou_atrasados": 2, "notificacoes": 0 })
    );
}

#[tokio::test]
async fn refusals_wait_for_their_author_and_submissions_for_the_approvers() {
    let app = TestApp::new().await;
    let leader = app.add_member(Role::Lider).await;
    let lead = app.session_client(&leader).await;
    let author = app.add_member(Role::Criador).await;
    let writer = app.session_client(&author).await;
    let mine = json!({ "assignee_id": author.id });
    let refused = plan_piece(&lead, "Volta para refazer", 25, mine.clone()).await;
    let pending = plan_piece(&lead, "Espera decisão", 26, mine).await;
    submit_piece(&writer, &refused).await;
    submit_piece(&writer, &pending).await;
    let decision = json!({ "event_id": refused, "action": "recusar", "motivo": "Falta o preço." });
    lead.post("/api/aprovar", decision).await.expect(200);

    let page = app.browser_client(&author).await.get("/").await.expect(200);
    let text = visible_text(&page);
    assert!(text.contains("Recusadas, para refazer") && text.contains("Falta o preço."));
    assert!(!text.contains("Para você aprovar"));
    let counts = writer.get("/api/espera").await.expect(200);
    assert_eq!(
        counts.body,
        json!({ "recusados": 1, "a_aprovar": 0, "atrasados": 0, "recusados_ou_atrasados": 1, "notificacoes": 0 })
    );
    let page = app
        .browser_client(&leader)
        .await
        .get("/projetos")
        .await
        .expect(200);
    let nav = page
        .text
        .split_once("href=\"/aprovacoes\"")
        .expect("the entry");
    let entry = nav.1.split("</a>").next().unwrap_or_default();
    assert!(entry.contains("class=\"tally\">1<"), "{entry}");
    let text = visible_text(&app.browser_client(&leader).await.get("/").await.expect(200));
    assert!(text.contains("Para você aprovar") && !text.contains("Falta o preço."));
}

#[tokio::test]
async fn the_changes_of_agents_are_listed_with_an_undo_that_works() {
    let app = TestApp::new().await;
    let leader = app.add_member(Role::Lider).await;
    let lead = app.session_client(&leader).await;
    let author = app.add_member(Role::Criador).await;
    let id = plan_piece(
        &lead,
        "Feita por agente",
        25,
        json!({ "assignee_id": author.id }),
    )
    .await;
    let scopes = [
        Capability::TasksView,
        Capability::DraftSave,
        Capability::Enviar,
    ];
    let (agent, _) = app.token_client_with(&author, &scopes).await;
    submit_piece(&agent, &id).await;
    let browser = app.browser_client(&author).await;
    let page = browser.get("/").await.expect(200);
    let text = visible_text(&page);
    assert!(text.contains("enviou para aprovação") && text.contains("Desfazer o envio"));
    let event = lead.get(&format!("/api/eventos/{id}")).await.expect(200);
    let revision = event.body["evento"]["api_revision"].to_string();
    let fields = [
        ("eventId", id.as_str()),
        ("expected_revision", &revision),
        ("_volta", "/"),
    ];
    super::submit_operation(&browser, "reopen_event", &fields)
        .await
        .expect(303);
    let text = visible_text(&browser.get("/").await.expect(200));
    assert!(!text.contains("Desfazer o envio"));
    // Another author does not see the piece, but the lead does.
    let other = app.add_member(Role::Criador).await;
    let text = visible_text(&app.browser_client(&other).await.get("/").await.expect(200));
    assert!(!text.contains("Feita por agente") && text.contains("Nada desde ontem."));
    let text = visible_text(&app.browser_client(&leader).await.get("/").await.expect(200));
    assert!(text.contains("Feita por agente"));
    // Only a session may read the list.
    agent
        .get("/api/access/agents/atividade")
        .await
        .expect_refusal(403, "SESSION_REQUIRED");
    // The list begins with yesterday and does not contain older changes.
    app.advance_clock(2 * domain::time::DAY);
    let activity = app.session_client(&leader).await;
    let activity = activity
        .get("/api/access/agents/atividade")
        .await
        .expect(200);
    assert_eq!(activity.body, json!({ "mudancas": [], "ha_mais": false }));
}

/// Returns the number beside the entry of the page of the day in the navigation.
fn today_tally(page: &crate::support::Answer) -> &str {
    let side = page.text.split_once("<aside class=\"side\">");
    let (_, entry) = side
        .expect("the navigation")
        .1
        .split_once("href=\"/\"")
        .expect("the entry");
    let entry = entry.split("</a>").next().unwrap_or_default();
    let tally = entry.split_once("class=\"tally\">");
    tally
        .and_then(|(_, tally)| tally.split('<').next())
        .unwrap_or_default()
}

#[tokio::test]
async fn an_overdue_refusal_counts_once() {
    let app = TestApp::new().await;
    let leader = app.add_member(Role::Lider).await;
    let lead = app.session_client(&leader).await;
    let author = app.add_member(Role::Criador).await;
    let writer = app.session_client(&author).await;
    let mine = json!({ "assignee_id": author.id });
    let id = plan_piece(&lead, "Venceu e voltou", 20, mine.clone()).await;
    plan_piece(&lead, "Só venceu", 20, mine).await;
    submit_piece(&writer, &id).await;
    let decision = json!({ "event_id": id, "action": "recusar", "motivo": "Falta o preço." });
    lead.post("/api/aprovar", decision).await.expect(200);
    let counts = writer.get("/api/espera").await.expect(200).body;
    assert_eq!(
        (&counts["recusados"], &counts["atrasados"]),
        (&json!(1), &json!(2))
    );
    assert_eq!(counts["recusados_ou_atrasados"], 2);
    let page = app.browser_client(&author).await.get("/").await.expect(200);
    assert_eq!(today_tally(&page), "2");
}

#[tokio::test]
async fn a_refusal_by_an_agent_reads_as_a_refusal() {
    let app = TestApp::new().await;
    let leader = app.add_member(Role::Lider).await;
    let lead = app.session_client(&leader).await;
    let (agent, _) = app.token_client_with(&leader, Capability::ALL).await;
    for (title, decision) in [
        (
            "Não serve",
            json!({ "action": "recusar", "motivo": "Curta." }),
        ),
        ("Serve", json!({ "action": "aprovar" })),
        (
            "Quase",
            json!({ "action": "pedir_ajustes", "motivo": "Troque a foto." }),
        ),
    ] {
        let id = plan_piece(&lead, title, 25, json!({})).await;
        submit_piece(&lead, &id).await;
        app.advance_clock(1);
        let mut decision = decision;
        decision["event_id"] = json!(id);
        agent.post("/api/aprovar", decision).await.expect(200);
    }
    let browser = app.browser_client(&leader).await;
    for path in ["/", "/agentes"] {
        let text = visible_text(&browser.get(path).await.expect(200));
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for said in [
            "recusou : Não serve",
            "aprovou : Serve",
            "pediu ajustes : Quase",
        ] {
            let said = said.replace(" :", ":");
            assert!(
                text.replace(" :", ":").contains(&said),
                "{path}: {said}: {text}"
            );
        }
    }
}

#[tokio::test]
async fn today_offers_to_archive_an_agents_demand_and_links_to_the_changes_of_its_draft() {
    let app = TestApp::new().await;
    let leader = app.add_member(Role::Lider).await;
    let (agent, _) = app.token_client_with(&leader, Capability::ALL).await;
    let id = plan_piece(&agent, "Criada por engano", 25, json!({})).await;
    app.advance_clock(1);
    let draft = json!({ "event_id": id, "expected_revision": 1, "caption": "Legenda." });
    agent.post("/api/draft", draft).await.expect(200);
    let browser = app.browser_client(&leader).await;
    let page = browser.get("/").await.expect(200);
    let difference = format!("href=\"/eventos/{id}?de=1&amp;para=2#comparar\"");
    assert!(page.text.contains(&difference), "{}", page.text);
    assert!(visible_text(&page).contains("Arquivar"));
    let fields = [
        ("eventId", id.as_str()),
        ("expected_revision", "2"),
        ("status", "arquivado"),
        ("_volta", "/"),
    ];
    super::submit_operation(&browser, "update_event", &fields)
        .await
        .expect(303);
    let page = browser.get("/").await.expect(200);
    assert!(!visible_text(&page).contains("Arquivar"));
}

#[tokio::test]
async fn the_lists_lead_to_all_late_and_refused_pieces_of_all_dates() {
    let app = TestApp::new().await;
    let leader = app.add_member(Role::Lider).await;
    let lead = app.session_client(&leader).await;
    let of_month = async |month: i8, title: &str| {
        let fields = json!({ "title": title, "day": 2, "month": month, "year": 2026,
            "assignee_id": leader.id });
        lead.create_demand(fields).await
    };
    for number in 0..9 {
        let id = of_month(3, &format!("Recusada {number}")).await;
        submit_piece(&lead, &id).await;
        let decision = json!({ "event_id": id, "action": "recusar", "motivo": "Não." });
        lead.post("/api/aprovar", decision).await.expect(200);
    }
    for number in 0..9 {
        of_month(5, &format!("Atrasada {number}")).await;
    }
    of_month(12, "No prazo").await;
    let browser = app.browser_client(&leader).await;
    let page = browser.get("/").await.expect(200).text;
    let refused = format!(
        "/agenda?ver=todas&amp;status=recusado&amp;pessoa={}",
        leader.id
    );
    assert!(page.contains(&refused), "{page}");
    let late = "/agenda?ver=todas&amp;atrasadas=sim";
    assert!(page.contains(late), "{page}");
    for (path, shown, hidden) in [
        (refused.as_str(), "Recusada 8", "Atrasada 8"),
        (late, "Atrasada 8", "No prazo"),
    ] {
        let page = browser.get(&path.replace("&amp;", "&")).await.expect(200);
        let text = visible_text(&page);
        assert!(text.contains("Todas as datas"), "{path}");
        assert!(
            text.contains(shown) && !text.contains(hidden),
            "{path}: {text}"
        );
    }
    // Without a filter that finds few events, the address shows a month.
    for path in [
        "/agenda?ver=todas",
        "/agenda?ver=todas&q=",
        "/agenda?ver=todas&espera=sim",
    ] {
        let page = browser.get(path).await.expect(200).text;
        assert!(page.contains(r#"name="ver" value="lista""#), "{path}");
    }
}

#[tokio::test]
async fn a_suggested_first_step_disappears_when_it_is_taken() {
    let app = TestApp::new().await;
    let admin = app.add_member(Role::Admin).await;
    let browser = app.browser_client(&admin).await;
    let text = visible_text(&browser.get("/").await.expect(200));
    assert!(text.contains("Crie a primeira demanda") && text.contains("Conecte um agente"));
    assert!(text.contains("Nada espera por você agora."));
    let lead = app.session_client(&admin).await;
    plan_piece(&lead, "A primeira", 25, json!({})).await;
    let text = visible_text(&browser.get("/").await.expect(200));
    assert!(!text.contains("Crie a primeira demanda") && text.contains("Conecte uma rede"));
    let author = app.add_member(Role::Criador).await;
    let text = visible_text(&app.browser_client(&author).await.get("/").await.expect(200));
    assert!(!text.contains("Primeiros passos"));
    let text = visible_text(&browser.get("/").await.expect(200));
    assert!(!text.contains("Convide a equipe"));
}

#[tokio::test]
async fn a_bookmark_of_the_agenda_is_redirected_to_its_own_address() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Criador).await;
    let browser = app.browser_client(&member).await;
    for query in [
        "ver=semana",
        "dia=2026-08-22",
        "dia=2026-08-22&canal=blog",
        "q=p%C3%A3o",
    ] {
        let answer = browser.get(&format!("/?{query}")).await.expect(303);
        assert_eq!(answer.headers["location"], format!("/agenda?{query}"));
    }
    for query in ["feito=create_demand", "utm_source=x", "dias=1"] {
        browser.get(&format!("/?{query}")).await.expect(200);
    }
    app.anonymous().get("/api/espera").await.expect(401);
    app.anonymous().get("/api/meu-dia").await.expect(401);
    app.anonymous().get("/agenda").await.expect(303);
}

#[tokio::test]
async fn an_author_sees_at_most_eight_entries_until_a_group_is_opened() {
    let app = TestApp::new().await;
    let author = app.add_member(Role::Criador).await;
    let browser = app.browser_client(&author).await;
    let page = browser.get("/").await.expect(200);
    let side = page
        .text
        .split_once("<aside class=\"side\">")
        .expect("the navigation")
        .1;
    let side = side.split("</aside>").next().unwrap_or_default();
    let first = side.split("<details").next().unwrap_or_default();
    let count = first.matches("<a ").count();
    assert!((4..=8).contains(&count), "{count}");
    assert!(!side.contains("<details open"));
    // The navigation group of the current page is open.
    let page = browser.get("/skills").await.expect(200);
    assert!(page.text.contains("<details open"));
}
