//! Who is notified of answers in threads and of remarks of guests.

use serde_json::{Value, json};

use super::{ANA, BIA, CAIO, DAVI, Fixture, list, list_texts};
use crate::support::Client;

/// Invites a guest named Zé to the piece, as Bia; returns the client of the guest.
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
async fn a_guests_remark_notifies_the_people_of_the_piece_and_the_inviter() {
    let team = Fixture::new().await;
    let id = team.submit("Feira").await;
    let guest = invite(&team, &id).await;
    remark_as_guest(&guest, &id, None).await;
    team.run_outbox_readers().await;
    let expected = ["Zé (convidado) comentou “Feira”."];
    // The admin created the piece, Caio is assigned to it, and Bia made the link.
    for member in [&team.admin, &team.caio, &team.bia] {
        assert_eq!(list_texts(member, "mencao").await, expected);
    }
    for other in [&team.ana, &team.davi] {
        assert_eq!(list_texts(other, "mencao").await.len(), 0);
    }
    for table in ["outbox", "notifications"] {
        let texts = team.app.table_texts(table, &[]).await.concat();
        assert!(!texts.contains("Segredo"), "{table}");
    }
}

#[tokio::test]
async fn an_answer_notifies_the_other_authors_of_its_thread() {
    let team = Fixture::new().await;
    let id = team.submit("Feira").await;
    let thread = remark(&team.ana, &id, json!({})).await;
    team.run_outbox_readers().await;
    for member in [&team.admin, &team.ana, &team.bia, &team.caio] {
        assert_eq!(
            list_texts(member, "mencao").await.len(),
            0,
            "nobody is asked"
        );
    }
    remark(&team.bia, &id, json!({ "responde_a": thread })).await;
    // The agent writes on behalf of Ana, so Ana is not notified.
    let agent = team.app.token_client(&team.members[ANA]).await;
    remark(&agent, &id, json!({ "responde_a": thread })).await;
    team.run_outbox_readers().await;
    let bia = &team.members[BIA].name;
    let expected = format!("{bia} respondeu numa conversa sua em “Feira”.");
    assert_eq!(list_texts(&team.ana, "mencao").await, [expected]);
    let ana = &team.members[ANA].name;
    let expected = format!("Um agente por {ana} respondeu numa conversa sua em “Feira”.");
    assert_eq!(list_texts(&team.bia, "mencao").await, [expected]);
    for other in [&team.admin, &team.caio, &team.davi] {
        assert_eq!(list_texts(other, "mencao").await.len(), 0);
    }
}

#[tokio::test]
async fn an_answer_that_mentions_its_receiver_notifies_once_and_later_answers_are_merged() {
    let team = Fixture::new().await;
    let id = team.submit("Feira").await;
    let thread = remark(&team.ana, &id, json!({})).await;
    let mentions = [team.id(ANA), team.id(CAIO)];
    let answer = json!({ "responde_a": thread, "mencoes": mentions });
    remark(&team.bia, &id, answer).await;
    team.run_outbox_readers().await;
    let told = list(&team.ana).await;
    let told: Vec<_> = told.iter().filter(|one| one["tipo"] == "mencao").collect();
    assert_eq!(told.len(), 1);
    assert_eq!(told[0]["vezes"], 1);
    let bia = &team.members[BIA].name;
    let text = format!("{bia} mencionou você em “Feira”.");
    assert_eq!(told[0]["texto"], text);
    // An answer within ten minutes is merged into the existing notification.
    remark(&team.bia, &id, json!({ "responde_a": thread })).await;
    team.run_outbox_readers().await;
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
    team.run_outbox_readers().await;
    let told = list_texts(&team.ana, "mencao").await;
    assert_eq!(
        told,
        ["Zé (convidado) respondeu numa conversa sua em “Feira”."]
    );
    let told = list_texts(&team.caio, "mencao").await;
    assert_eq!(told, ["Zé (convidado) comentou “Feira”."]);
    // The guest is not a member, so only the members who wrote in the thread are notified of an answer
    // to the guest.
    team.app.advance_clock(domain::time::HOUR);
    let bia = team.app.session_client(&team.members[BIA]).await;
    let own = remark_as_guest(&guest, &id, None).await;
    team.run_outbox_readers().await;
    let before = team.app.count_rows("notifications").await;
    remark(&bia, &id, json!({ "responde_a": own })).await;
    team.run_outbox_readers().await;
    assert_eq!(team.app.count_rows("notifications").await, before);
}

#[tokio::test]
async fn removed_remarks_and_pieces_out_of_sight_cause_no_notification() {
    let team = Fixture::new().await;
    let id = team.submit("Feira").await;
    let guest = invite(&team, &id).await;
    let written = remark_as_guest(&guest, &id, None).await;
    let path = format!("/api/convidado/comentarios/{written}");
    guest.delete(&path).await.expect(200);
    team.run_outbox_readers().await;
    assert_eq!(list_texts(&team.admin, "mencao").await.len(), 0);
    // Caio wrote in the thread, and then loses sight of the piece because he is no longer assigned to
    // it.
    let thread = remark(&team.caio, &id, json!({})).await;
    remark(&team.ana, &id, json!({ "responde_a": thread })).await;
    team.reassign(&id, 2, &[DAVI]).await;
    team.run_outbox_readers().await;
    let told = format!(
        "notifications WHERE member_id = '{}' AND kind = 'mencao'",
        team.id(CAIO)
    );
    assert_eq!(team.app.count_rows(&told).await, 0);
}

#[tokio::test]
async fn a_guests_request_for_changes_notifies_of_the_decision_only() {
    let team = Fixture::new().await;
    let id = team.submit("Feira").await;
    let guest = invite(&team, &id).await;
    let input = json!({ "event_id": id, "acao": "pedir_ajustes", "api_revision": 2,
        "texto": "Troque a foto." });
    guest
        .post("/api/convidado/decisao", input)
        .await
        .expect(200);
    team.run_outbox_readers().await;
    let told = list_texts(&team.caio, "ajustes").await;
    assert_eq!(told, ["Zé (convidado) pediu ajustes em “Feira”."]);
    assert_eq!(list_texts(&team.caio, "mencao").await.len(), 0);
}
