//! The audit trail: filters, pages and the file.

use domain::{Capability, Level, Role, time::DAY};
use serde_json::json;
use store::members;

use super::visitor_client;
use crate::{
    console::visible_text,
    support::{Client, TestApp},
};

/// Returns the actions that a page of the trail lists.
async fn listed_actions(browser: &Client, query: &str) -> Vec<String> {
    let page = browser
        .get(&format!("/auditoria?{query}"))
        .await
        .expect(200);
    let rows = page.text.split("<td class=\"when\">").skip(1);
    let named = rows.map(|row| {
        let action = row
            .split("<small class=\"mono\">")
            .nth(1)
            .expect("an action");
        action.split('<').next().unwrap_or_default().to_owned()
    });
    named.collect()
}

#[tokio::test]
async fn each_filter_in_the_address_narrows_the_trail() {
    let app = TestApp::new().await;
    let admin = app.add_member(Role::Admin).await;
    let leader = app.add_member(Role::Lider).await;
    let session = app.session_client(&leader).await;
    session.create_demand(json!({ "title": "Um" })).await;
    app.advance_clock(DAY);
    let (token, token_id) = app.token_client_with(&leader, Capability::ALL).await;
    let tool = token.call_tool(
        "create_demand",
        json!({ "title": "Dois", "idempotency_key": "auditoria-0001" }),
    );
    assert!(!tool.await.is_error);
    app.session_client(&admin)
        .await
        .post(
            "/api/membros",
            json!({ "name": "Bia", "email": "bia@x.test", "access_level": "criador" }),
        )
        .await
        .expect(201);
    let session = app.session_client(&leader).await;
    session.get("/api/access/audit").await.expect(403);
    app.app.write_all_reads().await;

    let browser = app.browser_client(&admin).await;
    let both = vec!["create_demand"; 2];
    assert_eq!(
        listed_actions(&browser, "operacao=create_demand").await,
        both
    );
    assert_eq!(
        listed_actions(&browser, &format!("quem={}&desfecho=succeeded", leader.id)).await,
        both
    );
    assert_eq!(
        listed_actions(&browser, "desfecho=denied").await,
        ["list_audit_events"]
    );
    assert_eq!(
        listed_actions(&browser, "porta=mcp").await,
        ["create_demand"]
    );
    assert_eq!(
        listed_actions(&browser, &format!("agente={token_id}")).await,
        ["create_demand"]
    );
    assert_eq!(
        listed_actions(&browser, "operacao=create_demand&de=2026-08-23").await,
        ["create_demand"]
    );
    assert_eq!(
        listed_actions(&browser, "ate=2026-08-22").await,
        ["create_demand"]
    );
    assert_eq!(
        listed_actions(
            &browser,
            "quem=&operacao=&desfecho=denied&de=&ate=&porta=&agente="
        )
        .await
        .len(),
        1
    );
    assert!(
        listed_actions(&browser, "operacao=approve")
            .await
            .is_empty()
    );
    browser
        .get("/auditoria?de=2026-08-23&ate=2026-08-22")
        .await
        .expect(400);
    browser.get("/auditoria?desfecho=outro").await.expect(400);

    let page = browser
        .get(&format!("/auditoria?agente={token_id}"))
        .await
        .expect(200);
    let text = visible_text(&page);
    assert!(
        text.contains(&format!("{}, com o token “teste”", leader.name)),
        "{text}"
    );
    assert!(text.contains("23/08/2026 12:00:00") && text.contains("Criar demanda"));
    assert!(
        page.text
            .contains(&format!("/auditoria.csv?agente={token_id}"))
    );
}

#[tokio::test]
async fn the_trail_is_read_in_pages_and_only_by_admins() {
    let app = TestApp::new().await;
    let admin = app.add_member(Role::Admin).await;
    let leader = app.add_member(Role::Lider).await;
    let session = app.session_client(&leader).await;
    for n in 0..101 {
        session
            .create_demand(json!({ "title": format!("Demanda {n}") }))
            .await;
        app.advance_clock(1);
    }
    let browser = app.browser_client(&admin).await;
    let page = browser
        .get("/auditoria?operacao=create_demand")
        .await
        .expect(200);
    let next = page
        .text
        .split("rel=\"next\" href=\"")
        .nth(1)
        .expect("a next page");
    let next = next
        .split('"')
        .next()
        .unwrap_or_default()
        .replace("&amp;", "&");
    let query = next.strip_prefix("/auditoria?").expect("the trail");
    assert_eq!(listed_actions(&browser, query).await.len(), 1);

    let browser = app.browser_client(&leader).await;
    for path in ["/auditoria", "/auditoria.csv"] {
        let page = browser.get(path).await.expect(403);
        let text = visible_text(&page);
        assert!(
            text.contains("Só admins") && text.contains(&admin.name),
            "{text}"
        );
        visitor_client(&app).get(path).await.expect(303);
    }
}

#[tokio::test]
async fn the_csv_file_has_all_rows_and_no_formula() {
    let app = TestApp::new().await;
    let admin = app.add_member(Role::Admin).await;
    let mut leader = app.add_member_with(Role::Lider, Level::Lider, false).await;
    leader.name = "=HYPERLINK(\"https://evil.test\";\"x\")".into();
    let tx = app.begin().await;
    members::update(&tx.conn(), &leader).await.expect("updates");
    tx.commit().await.expect("commits");
    let session = app.session_client(&leader).await;
    for n in 0..201 {
        session
            .create_demand(json!({ "title": format!("Demanda {n}") }))
            .await;
    }
    let browser = app.browser_client(&admin).await;
    let file = browser
        .get("/auditoria.csv?operacao=create_demand")
        .await
        .expect(200);
    assert_eq!(file.headers["content-type"], "text/csv; charset=utf-8");
    assert_eq!(
        file.headers["content-disposition"],
        "attachment; filename=\"auditoria.csv\""
    );
    assert_eq!(file.headers["cache-control"], "no-store");
    let text = file
        .text
        .strip_prefix('\u{feff}')
        .expect("a byte order mark");
    assert!(text.starts_with("\"Quando\";\"Quem\";"));
    assert_eq!(text.lines().count(), 202);
    let row = text.lines().nth(1).expect("a row");
    let expected = "\"22/08/2026 12:00:00\";\"'=HYPERLINK(\"\"https://evil.test\"\";\"\"x\"\")\";\"session\";\"create_demand\"";
    assert!(row.starts_with(expected), "{row}");
}

#[tokio::test]
async fn a_row_links_its_resource_by_name_and_lists_the_changes() {
    let app = TestApp::new().await;
    let admin = app.add_member(Role::Admin).await;
    let member = app.add_member(Role::Criador).await;
    let client = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) \
        Chrome/142.0.0.0 Safari/537.36";
    let session = app
        .session_client(&admin)
        .await
        .with_header("user-agent", client);
    let id = session
        .create_demand(json!({ "title": "<b>Pão</b> & canjica" }))
        .await;
    let draft = json!({ "event_id": id, "expected_revision": 1, "caption": "Pronta." });
    session.post("/api/enviar", draft).await.expect(200);
    let role = json!({ "member_id": member.id, "access_level": "lider", "financeiro": true });
    session.patch("/api/membros", role).await.expect(200);
    let setting = json!({ "key": "editoria.tom", "value": "leve" });
    session.post("/api/config", setting).await.expect(200);

    let browser = app.browser_client(&admin).await;
    let page = browser.get("/auditoria").await.expect(200);
    for link in [
        format!("href=\"/eventos/{id}\""),
        format!("href=\"/equipe/{}\"", member.id),
        "href=\"/configuracao/valor?chave=editoria.tom\"".to_owned(),
    ] {
        assert!(page.text.contains(&link), "{link}");
    }
    assert!(page.text.contains("&lt;b&gt;Pão&lt;/b&gt; &amp; canjica"));
    let text = visible_text(&page);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "situação: A fazer → Em aprovação",
        "papel: Criador → Líder",
        "vê vendas: não → sim",
        "Chrome no Linux",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let file = browser
        .get("/auditoria.csv?operacao=update_member")
        .await
        .expect(200);
    let row = file.text.lines().nth(1).expect("a row");
    let changed = "\"papel: Criador → Líder; vê vendas: não → sim\"";
    assert!(row.contains(changed) && row.contains(&member.name), "{row}");
    // Each link leads to a page.
    for path in [format!("/eventos/{id}"), format!("/equipe/{}", member.id)] {
        browser.get(&path).await.expect(200);
    }
    browser
        .get("/configuracao/valor?chave=editoria.tom")
        .await
        .expect(200);
}

#[tokio::test]
async fn the_audit_page_names_former_members_and_revoked_credentials() {
    let app = TestApp::new().await;
    let admin = app.add_member(Role::Admin).await;
    let leader = app.add_member(Role::Lider).await;
    let (token, token_id) = app.token_client_with(&leader, Capability::ALL).await;
    let demand = json!({ "title": "Uma", "idempotency_key": "auditoria-0002" });
    assert!(!token.call_tool("create_demand", demand).await.is_error);
    let session = app.session_client(&admin).await;
    let path = format!("/api/membros/{}", leader.id);
    session.delete(&path).await.expect(200);

    let trail = session.get("/api/access/audit?action=create_demand").await;
    let trail = trail.expect(200).body;
    assert_eq!(trail["audit"][0]["token_name"], "teste");
    assert_eq!(trail["audit"][0]["actor_name"], leader.name.as_str());

    let browser = app.browser_client(&admin).await;
    let page = format!("/auditoria?quem={}&agente={token_id}", leader.id);
    let page = browser.get(&page).await.expect(200);
    let text = visible_text(&page);
    let author = format!("{}, com o token “teste”", leader.name);
    assert!(text.contains(&author), "{text}");
    for choice in [
        format!("selected>{} (saiu da equipe)</option>", leader.name),
        format!("selected>teste ({})</option>", leader.name),
    ] {
        assert!(page.text.contains(&choice), "{choice}: {}", page.text);
    }
    assert!(!page.text.contains("(fora da lista)"));
    let page = browser.get("/auditoria?operacao=offboard_member").await;
    let page = page.expect(200);
    assert!(page.text.contains(&format!(">{}</bdi>", leader.name)));
    assert!(
        !page
            .text
            .contains(&format!("href=\"/equipe/{}\"", leader.id))
    );
    // The trail has no name for this id, so the filter shows the end of the id.
    let page = browser
        .get("/auditoria?quem=0198c0de-0000-7000-8000-000000000000")
        .await;
    assert!(page.expect(200).text.contains("000000 (fora da lista)"));
}

#[tokio::test]
async fn members_beyond_the_first_page_of_the_team_have_pages_and_names() {
    let app = TestApp::new().await;
    let admin = app.add_member(Role::Admin).await;
    let mut last = app.add_member(Role::Criador).await;
    for _ in 0..201 {
        app.add_member(Role::Criador).await;
    }
    last.name = "Zzilda".into();
    let tx = app.begin().await;
    members::update(&tx.conn(), &last).await.expect("updates");
    tx.commit().await.expect("commits");
    let browser = app.browser_client(&admin).await;
    let path = format!("/equipe/{}", last.id);
    assert!(visible_text(&browser.get(&path).await.expect(200)).contains("Zzilda"));
    let asked = browser.get(&format!("{path}/desligar")).await.expect(200);
    assert!(visible_text(&asked).contains("Zzilda ?"));
    let page = browser.get("/auditoria").await.expect(200);
    assert!(page.text.contains(">Zzilda</option>"));
}

#[tokio::test]
async fn the_titles_of_operations_on_pieces_use_the_word_peca() {
    let app = TestApp::new().await;
    let admin = app.add_member(Role::Admin).await;
    let page = app
        .browser_client(&admin)
        .await
        .get("/auditoria")
        .await
        .expect(200);
    let choices: Vec<&str> = page.text.split("<option ").skip(1).collect();
    let with_event: Vec<&str> = choices
        .iter()
        .filter_map(|choice| choice.split_once('>')?.1.split('<').next())
        .filter(|title| title.to_lowercase().contains("evento"))
        .collect();
    // Only events that websites and mail servers report are still called "evento".
    assert_eq!(
        with_event,
        [
            "Receber eventos da jornada",
            "Receber eventos de entrega de e-mail"
        ]
    );
    assert!(page.text.contains(">Atualizar peça<"));
}
