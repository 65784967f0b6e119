//! Reminders of posts that are not due any more.

use domain::time::{HOUR, MINUTE};
use serde_json::{Value, json};

use super::{SOON, Team, dated, put, revision};
use crate::support::Client;

/// Approves the changed variants of a piece.
async fn approve_variants(lead: &Client, id: &str) {
    let decision = json!({ "expected_revision": revision(lead, id).await, "action": "aprovar" });
    let path = format!("/api/eventos/{id}/variantes/decisao");
    lead.post(&path, decision).await.expect(200);
}

async fn unread(client: &Client) -> (Vec<Value>, i64) {
    let read = client.get("/api/notificacoes").await.expect(200).body;
    let list = read["notificacoes"].as_array().expect("a list").clone();
    let list = list.into_iter().filter(|one| one["tipo"] == "lembrete");
    (
        list.collect(),
        read["nao_lidas"].as_i64().expect("a number"),
    )
}

#[tokio::test]
async fn a_reminder_ends_when_its_post_is_moved_changed_removed_or_archived() {
    let team = Team::new().await;
    let hour = team.hour();
    let mut pieces = vec![];
    for title in ["movida", "mudada", "tirada", "arquivada", "na hora"] {
        pieces.push(team.post(title, &[]).await);
    }
    team.pass(hour).await;
    assert_eq!(team.reminders(&team.bia).await.len(), 0);
    let ana = team.client(&team.ana).await;
    let (told, before) = unread(&ana).await;
    assert_eq!(told.len(), 5, "{told:?}");
    let [moved, changed, removed, archived, _] = &pieces[..] else {
        panic!("five pieces")
    };
    let later = dated(json!({ "canal": "whatsapp" }), hour + 5 * HOUR);
    put(&ana, moved, &[later]).await.expect(200);
    approve_variants(&ana, moved).await;
    let other = json!({ "canal": "whatsapp", "legenda": "Outra" });
    put(&ana, changed, &[dated(other, hour)]).await.expect(200);
    let gone = json!({ "canal": "whatsapp", "remover": true });
    put(&ana, removed, &[gone]).await.expect(200);
    let input =
        json!({ "expected_revision": revision(&ana, archived).await, "status": "arquivado" });
    let path = format!("/api/eventos/{archived}");
    ana.patch(&path, input).await.expect(200);

    // Before any job runs, the list shows only the one that is due as due.
    let (due, _) = unread(&ana).await;
    assert_eq!(due.len(), 1, "{due:?}");
    assert_eq!(due[0]["titulo"], "na hora");
    for one in team.reminders(&team.ana).await {
        let is_due = one["titulo"] == "na hora";
        assert_eq!(one["lida"] == json!(false), is_due, "{one}");
        let text = one["texto"].as_str().expect("a text");
        assert_eq!(text.starts_with("É hora"), is_due, "{text}");
        assert_eq!(text.contains("esperava ser publicada"), !is_due, "{text}");
    }
    // The job ends them, so that they are not counted either.
    team.app.advance_clock(2 * MINUTE);
    team.work().await;
    let ana = team.client(&team.ana).await;
    assert_eq!(unread(&ana).await.1, before - 4);
    // The moved one is told at its new hour, and the changed one when it is approved again.
    approve_variants(&ana, changed).await;
    team.pass(hour + HOUR).await;
    let (due, _) = unread(&team.client(&team.ana).await).await;
    let titles: Vec<_> = due.iter().map(|one| one["titulo"].clone()).collect();
    assert_eq!(titles.len(), 2, "{due:?}");
    assert!(titles.contains(&json!("mudada")), "{titles:?}");
    team.pass(hour + 5 * HOUR).await;
    let (due, _) = unread(&team.client(&team.ana).await).await;
    assert_eq!(due.len(), 3, "{due:?}");
}

#[tokio::test]
async fn an_hour_of_which_nobody_was_told_is_told_when_the_post_is_due_again() {
    let team = Team::new().await;
    let hour = team.hour();
    let id = team.post("Feira", &[]).await;
    team.app.advance_clock(hour - team.app.now() + MINUTE);
    // The variant changes after the hour was announced and before people are told of it: the reader of
    // the outbox waits.
    let reads =
        "UPDATE outbox_progress SET position = position + 1000000 WHERE reader = 'notifications'";
    team.app.execute_statement(reads, []).await;
    team.work().await;
    assert_eq!(team.app.count_rows("post_reminders").await, 1);
    let ana = team.client(&team.ana).await;
    let other = dated(json!({ "canal": "whatsapp", "legenda": "Outra" }), hour);
    put(&ana, &id, &[other]).await.expect(200);
    let reads = reads.replace(" + ", " - ");
    team.app.execute_statement(&reads, []).await;
    team.app.advance_clock(SOON + MINUTE);
    team.work().await;
    assert!(team.reminders(&team.ana).await.is_empty());
    assert_eq!(team.app.count_rows("post_reminders").await, 0);
    let ana = team.client(&team.ana).await;
    approve_variants(&ana, &id).await;
    team.pass(hour + 10 * MINUTE).await;
    let told = team.reminders(&team.ana).await;
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!(told[0]["lida"], false);
    team.pass(hour + HOUR).await;
    assert_eq!(team.reminders(&team.ana).await.len(), 1);
}

#[tokio::test]
async fn a_post_that_nobody_posted_by_its_hour_is_late_in_lists() {
    let team = Team::new().await;
    let hour = team.hour();
    let id = team.post("Feira", &[]).await;
    let late = async || {
        let ana = team.client(&team.ana).await;
        let list = ana.get("/api/eventos").await.expect(200).body["eventos"].clone();
        let list = list.as_array().expect("a list").clone();
        let found = list.into_iter().find(|one| one["id"] == id.as_str());
        let listed = found.expect("the piece")["canais"][0]["atrasada"].clone();
        let browser = team.app.browser_client(&team.ana).await;
        let path = format!("/eventos/{id}");
        let page = browser.get(&path).await.expect(200).text;
        assert_eq!(page.contains(">atrasada<"), listed == json!(true));
        listed
    };
    assert_eq!(late().await, Value::Null);
    team.pass(hour).await;
    assert_eq!(late().await, json!(true));
    let ana = team.client(&team.ana).await;
    super::record(&ana, &id, "whatsapp", None).await.expect(200);
    assert_eq!(late().await, Value::Null);
}
