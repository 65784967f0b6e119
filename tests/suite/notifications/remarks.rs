//! Who is told of answers in threads and of remarks of guests.

use serde_json::{Value, json};

use super::{ANA, BIA, CAIO, DAVI, Fixture, list, of_kind};
use crate::support::Client;

/// A guest named Zé whom Bia invited to remark on the piece.
async fn invite(team: &Fixture, piece: &str) -> Client {
    let guest = json!({ "nome": "Zé", "contato": "ze@cliente.test", "direito": "decidir",
        "pecas": [piece] });
    let made = team.bia.post("/api/convidados", guest).await.expect(201);
    team.app.guest_client(&made.body)
}

async fn remark(client: &Client, piece: &str, fields: Value) -> String {
    let mut input = json!({ "texto": "Segredo" });
    for (field, value) in fields.as_object().expect("fields") {
        input[field] = value.clone();
    }
    let path = format!("/api/eventos/{piece}/comentarios");
    let added = client.post(&path, input).await.expect(200).body;
    added["id"].as_str().expect("an id").to_owned()
}

async fn remark_as_guest(guest: &Client, piece: &str, thread: Option<&str>) -> String {
    let mut input = json!({ "event_id": piece, "texto": "Segredo", "api_revision": 2 });
    if let Some(thread) = thread {
        input["responde_a"] = thread.into();
    }
    let added = guest.post("/api/convidado/comentarios", input).await;
    let added = added.expect(200).body;
    added["id"].as_str().expect("an id").to_owned()
}

#[tokio::test]
async fn a_remark_of_a_guest_reaches_those_who_work_on_the_piece_and_who_invited_the_guest() {
    let team = Fixture::new().await;
    let id = team.submit("Feira").await;
    let guest = invite(&team, &id).await;
    remark_as_guest(&guest, &id, None).await;
    team.tell().await;
    let expected = ["Zé (convidado) comentou “Feira”."];
    // The admin created the piece, Caio is assigned to it, and Bia made the link.
    for member in [&team.admin, &team.caio, &team.bia] {
        assert_eq!(of_kind(member, "mencao").await, expected);
    }
    for other in [&team.ana, &team.davi] {
        assert_eq!(of_kind(other, "mencao").await.len(), 0);
    }
    for table in ["outbox", "notifications"] {
        let texts = team.app.table_texts(table, &[]).await.concat();
        assert!(!texts.contains("Segredo"), "{table}");
    }
}

#[tokio::test]
async fn an_answer_reaches_the_other_authors_of_its_thread_and_not_who_wrote_it() {
    let team = Fixture::new().await;
    let id = team.submit("Feira").await;
    let thread = remark(&team.ana, &id, json!({})).await;
    team.tell().await;
    for member in [&team.admin, &team.ana, &team.bia, &team.caio] {
        assert_eq!(of_kind(member, "mencao").await.len(), 0, "nobody is asked");
    }
    remark(&team.bia, &id, json!({ "responde_a": thread })).await;
    // The agent of Ana writes for Ana, who is not told of it.
    let agent = team.app.token_client(&team.members[ANA]).await;
    remark(&agent, &id, json!({ "responde_a": thread })).await;
    team.tell().await;
    let bia = &team.members[BIA].name;
    let expected = format!("{bia} respondeu numa conversa sua em “Feira”.");
    assert_eq!(of_kind(&team.ana, "mencao").await, [expected]);
    let ana = &team.members[ANA].name;
    let expected = format!("Um agente por {ana} respondeu numa conversa sua em “Feira”.");
    assert_eq!(of_kind(&team.bia, "mencao").await, [expected]);
    for other in [&team.admin, &team.caio, &team.davi] {
        assert_eq!(of_kind(other, "mencao").await.len(), 0);
    }
}

#[tokio::test]
async fn who_is_mentioned_in_an_answer_to_them_is_told_once_and_changes_are_merged() {
    let team = Fixture::new().await;
    let id = team.submit("Feira").await;
    let thread = remark(&team.ana, &id, json!({})).await;
    let mentions = [team.id(ANA), team.id(CAIO)];
    let answer = json!({ "responde_a": thread, "mencoes": mentions });
    remark(&team.bia, &id, answer).await;
    team.tell().await;
    let told = list(&team.ana).await;
    let told: Vec<_> = told.iter().filter(|one| one["tipo"] == "mencao").collect();
    assert_eq!(told.len(), 1);
    assert_eq!(told[0]["vezes"], 1);
    let bia = &team.members[BIA].name;
    let text = format!("{bia} mencionou você em “Feira”.");
    assert_eq!(told[0]["texto"], text);
    // Ten minutes have not passed: a further answer counts in the same notification.
    remark(&team.bia, &id, json!({ "responde_a": thread })).await;
    team.tell().await;
    let told = list(&team.ana).await;
    let told: Vec<_> = told.iter().filter(|one| one["tipo"] == "mencao").collect();
    assert_eq!(told.len(), 1);
    assert_eq!(told[0]["vezes"], 2);
}

#[tokio::test]
async fn a_guest_and_the_team_talk_in_a_thread() {
    let team = Fixture::new().await;
    let id = team.submit("Feira").await;
    let guest = invite(&team, &id).await;
    let open = json!({ "publico": "convidados" });
    let thread = remark(&team.ana, &id, open).await;
    remark_as_guest(&guest, &id, Some(&thread)).await;
    team.tell().await;
    let told = of_kind(&team.ana, "mencao").await;
    assert_eq!(
        told,
        ["Zé (convidado) respondeu numa conversa sua em “Feira”."]
    );
    let told = of_kind(&team.caio, "mencao").await;
    assert_eq!(told, ["Zé (convidado) comentou “Feira”."]);
    // The guest is no member, so an answer to a guest tells the members of the thread only.
    team.app.advance_clock(domain::time::HOUR);
    let bia = team.app.session_client(&team.members[BIA]).await;
    let own = remark_as_guest(&guest, &id, None).await;
    team.tell().await;
    let before = team.app.count_rows("notifications").await;
    remark(&bia, &id, json!({ "responde_a": own })).await;
    team.tell().await;
    assert_eq!(team.app.count_rows("notifications").await, before);
}

#[tokio::test]
async fn nobody_is_told_of_a_removed_remark_or_of_a_piece_that_they_no_longer_see() {
    let team = Fixture::new().await;
    let id = team.submit("Feira").await;
    let guest = invite(&team, &id).await;
    let written = remark_as_guest(&guest, &id, None).await;
    let path = format!("/api/convidado/comentarios/{written}");
    guest.delete(&path).await.expect(200);
    team.tell().await;
    assert_eq!(of_kind(&team.admin, "mencao").await.len(), 0);
    // Caio wrote in the thread, and is then no longer responsible.
    let thread = remark(&team.caio, &id, json!({})).await;
    remark(&team.ana, &id, json!({ "responde_a": thread })).await;
    team.reassign(&id, 2, &[DAVI]).await;
    team.tell().await;
    let told = format!(
        "notifications WHERE member_id = '{}' AND kind = 'mencao'",
        team.id(CAIO)
    );
    assert_eq!(team.app.count_rows(&told).await, 0);
}

#[tokio::test]
async fn a_request_for_changes_by_a_guest_is_told_as_a_decision_and_not_as_a_remark_too() {
    let team = Fixture::new().await;
    let id = team.submit("Feira").await;
    let guest = invite(&team, &id).await;
    let input = json!({ "event_id": id, "acao": "pedir_ajustes", "api_revision": 2,
        "texto": "Troque a foto." });
    guest
        .post("/api/convidado/decisao", input)
        .await
        .expect(200);
    team.tell().await;
    let told = of_kind(&team.caio, "ajustes").await;
    assert_eq!(told, ["Zé (convidado) pediu ajustes em “Feira”."]);
    assert_eq!(of_kind(&team.caio, "mencao").await.len(), 0);
}
