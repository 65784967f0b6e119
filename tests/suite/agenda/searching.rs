//! The searches of approvals, own tasks and e-mail drafts.

use domain::Role;
use serde_json::{Value, json};

use crate::support::{Client, TestApp};

async fn titles_in_rows(client: &Client, path: &str, rows: &str) -> Vec<Value> {
    let page = client.get(path).await.expect(200).body;
    let rows = page[rows].as_array().expect("rows").clone();
    rows.into_iter().map(|row| row["title"].clone()).collect()
}

#[tokio::test]
async fn approvals_and_own_tasks_are_searched_by_text_and_by_person() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let lead = app.session_client(&member).await;
    for title in ["Canjiça de panela", "Bolo de fubá"] {
        let demand = json!({ "title": title, "assignee_id": member.id });
        let id = lead.create_demand(demand).await;
        let sent = json!({ "event_id": id, "expected_revision": 1 });
        lead.post("/api/enviar", sent).await.expect(200);
    }
    for (path, rows) in [
        ("/api/aprovacoes", "pendentes"),
        ("/api/tarefas", "tarefas"),
    ] {
        assert_eq!(titles_in_rows(&lead, path, rows).await.len(), 2);
        let found = titles_in_rows(&lead, &format!("{path}?q=CANJICA"), rows).await;
        assert_eq!(found, ["Canjiça de panela"], "{path}");
        let name = member.name.replace(' ', "%20");
        let found = titles_in_rows(&lead, &format!("{path}?q={name}"), rows).await;
        assert_eq!(found.len(), 2, "{path}");
        assert!(
            titles_in_rows(&lead, &format!("{path}?q=pastel"), rows)
                .await
                .is_empty()
        );
    }
}

#[tokio::test]
async fn drafts_are_searched_in_pages_by_name_and_metadata() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    for n in 0..6 {
        let subject = if n % 2 == 0 {
            "Promoção de inverno"
        } else {
            "Aula aberta"
        };
        let draft = json!({
            "html": "<p>", "metadata": { "assunto": subject }, "expected_updated_at": null,
        });
        lead.put(&format!("/api/email-drafts/carta-{n}"), draft)
            .await
            .expect(200);
    }
    let first = lead
        .get("/api/email-drafts?q=promocao&limit=2")
        .await
        .expect(200)
        .body;
    let ids = |page: &Value| -> Vec<Value> {
        let rows = page["drafts"].as_array().expect("rows");
        rows.iter().map(|row| row["template_id"].clone()).collect()
    };
    let cursor = first["next_cursor"].as_str().expect("a next cursor");
    let rest = lead
        .get(&format!(
            "/api/email-drafts?q=promocao&limit=2&cursor={cursor}"
        ))
        .await
        .expect(200)
        .body;
    let mut found = [ids(&first), ids(&rest)].concat();
    found.sort_by_key(ToString::to_string);
    assert_eq!(found, ["carta-0", "carta-2", "carta-4"]);
    assert_eq!(rest["next_cursor"], Value::Null);
    let by_name = lead
        .get("/api/email-drafts?q=CARTA-5")
        .await
        .expect(200)
        .body;
    assert_eq!(ids(&by_name), ["carta-5"]);
}

#[tokio::test]
async fn the_list_of_own_tasks_shows_the_reason_of_a_refusal() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let lead = app.session_client(&member).await;
    let mut ids = vec![];
    for reason in [Some("Falta a receita"), None] {
        let id = lead
            .create_demand(json!({ "assignee_id": member.id }))
            .await;
        for (revision, told) in [(1, "Falta a foto"), (3, reason.unwrap_or_default())] {
            let sent = json!({ "event_id": id, "expected_revision": revision });
            lead.post("/api/enviar", sent).await.expect(200);
            let mut decision = json!({ "event_id": id, "action": "recusar" });
            if !told.is_empty() {
                decision["motivo"] = told.into();
            }
            lead.post("/api/aprovar", decision).await.expect(200);
        }
        ids.push(id);
    }
    let tasks = lead.get("/api/tarefas").await.expect(200).body;
    let reason = |id: &str| {
        let rows = tasks["tarefas"].as_array().expect("rows");
        let row = rows.iter().find(|row| row["id"] == id).expect("a row");
        row.get("refusal_reason").cloned()
    };
    assert_eq!(reason(&ids[0]), Some(json!("Falta a receita")));
    assert_eq!(reason(&ids[1]), None);
    let events = lead.get("/api/eventos").await.expect(200).body;
    assert!(!events.to_string().contains("refusal_reason"));
}
