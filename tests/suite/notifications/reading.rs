//! Who reads which notifications, over which interface.

use serde_json::{Value, json};

use super::{ANA, CAIO, DAVI, Fixture, list, list_sentences, list_texts};

#[tokio::test]
async fn a_member_who_lost_sight_of_a_piece_before_the_job_is_not_notified() {
    let team = Fixture::new().await;
    let id = team.assign("Feira").await;
    team.reassign(&id, 1, &[DAVI]).await;
    team.run_outbox_readers().await;
    assert_eq!(team.app.count_rows("notifications").await, 1);
    assert_eq!(list_sentences(&team.caio).await, []);
    assert_eq!(list_sentences(&team.davi).await.len(), 1);
}

#[tokio::test]
async fn a_notification_of_a_piece_that_its_reader_no_longer_sees_is_not_listed_or_counted() {
    let team = Fixture::new().await;
    let id = team.assign("Feira").await;
    team.assign("Missa").await;
    team.run_outbox_readers().await;
    assert_eq!(list(&team.caio).await.len(), 2);
    team.reassign(&id, 1, &[DAVI]).await;
    let answer = team.caio.get("/api/notificacoes").await.expect(200).body;
    assert_eq!(answer["notificacoes"][0]["titulo"], "Missa");
    assert_eq!(answer["notificacoes"].as_array().map(Vec::len), Some(1));
    assert_eq!(answer["nao_lidas"], 1);
    let waiting = team.caio.get("/api/espera").await.expect(200).body;
    assert_eq!(waiting["notificacoes"], 1);
    // A member who sees the piece again also sees its notification again.
    team.reassign(&id, 2, &[CAIO]).await;
    assert_eq!(list(&team.caio).await.len(), 2);
}

#[tokio::test]
async fn a_removed_member_is_not_notified() {
    let team = Fixture::new().await;
    team.submit("Feira").await;
    let path = format!("/api/membros/{}", team.id(ANA));
    team.admin.delete(&path).await.expect(200);
    team.run_outbox_readers().await;
    let told = format!("notifications WHERE member_id = '{}'", team.id(ANA));
    assert_eq!(team.app.count_rows(&told).await, 0);
    assert_eq!(list_texts(&team.bia, "decisao").await.len(), 1);
}

#[tokio::test]
async fn a_lead_who_becomes_a_criador_no_longer_reads_requests_for_decisions() {
    let team = Fixture::new().await;
    team.submit("Feira").await;
    team.run_outbox_readers().await;
    assert_eq!(list_texts(&team.ana, "decisao").await.len(), 1);
    let change = json!({ "member_id": team.id(ANA), "access_level": "criador" });
    team.admin.patch("/api/membros", change).await.expect(200);
    let ana = team.app.session_client(&team.members[ANA]).await;
    assert_eq!(list_sentences(&ana).await, []);
}

#[tokio::test]
async fn guests_and_strangers_read_no_notifications_but_members_are_notified_of_guests() {
    let team = Fixture::new().await;
    let id = team.submit("Feira").await;
    let guest = json!({ "nome": "Zé", "contato": "ze@cliente.test", "direito": "decidir",
        "pecas": [id] });
    let made = team.ana.post("/api/convidados", guest).await.expect(201);
    let guest = team.app.guest_client(&made.body);
    let decision = json!({ "event_id": id, "acao": "aprovar", "api_revision": 2 });
    guest
        .post("/api/convidado/decisao", decision)
        .await
        .expect(200);
    team.run_outbox_readers().await;
    for client in [team.app.anonymous(), guest] {
        for path in ["/api/notificacoes", "/api/notificacoes/preferencias"] {
            let status = client.get(path).await.status;
            assert!([401, 403].contains(&status), "{path}: {status}");
        }
    }
    let told = list_texts(&team.caio, "decidida").await;
    assert_eq!(told, ["Zé (convidado) aprovou “Feira”."]);
    // The lead who made the link would be notified too if the piece were theirs.
    assert_eq!(list_texts(&team.ana, "decidida").await.len(), 0);
}

#[tokio::test]
async fn an_agent_reads_the_notifications_of_its_member_over_both_interfaces() {
    let team = Fixture::new().await;
    for title in ["Feira", "Missa", "Bingo"] {
        team.assign(title).await;
        team.app.advance_clock(1);
    }
    team.run_outbox_readers().await;
    let agent = team.app.token_client(&team.members[CAIO]).await;
    let tool = agent
        .call_tool("list_notifications", json!({ "limit": 2 }))
        .await;
    let rest = agent
        .get("/api/notificacoes?limit=2")
        .await
        .expect(200)
        .body;
    let read: Value = serde_json::from_str(&tool.text).unwrap_or(tool.structured.clone());
    assert_eq!(read["notificacoes"], rest["notificacoes"]);
    assert_eq!(rest["nao_lidas"], 3);
    let titles = |body: &Value| -> Vec<String> {
        let list = body["notificacoes"].as_array().expect("a list").iter();
        list.map(|one| one["titulo"].as_str().expect("a title").to_owned())
            .collect()
    };
    assert_eq!(titles(&rest), ["Bingo", "Missa"]);
    let cursor = rest["next_cursor"].as_str().expect("a cursor");
    let path = format!("/api/notificacoes?limit=2&cursor={cursor}");
    assert_eq!(titles(&agent.get(&path).await.expect(200).body), ["Feira"]);
}

#[tokio::test]
async fn notifications_are_marked_as_read_by_id_or_up_to_an_instant() {
    let team = Fixture::new().await;
    for title in ["Feira", "Missa"] {
        team.assign(title).await;
        team.app.advance_clock(1);
    }
    team.run_outbox_readers().await;
    let page = team.caio.get("/api/notificacoes").await.expect(200).body;
    let newest = &page["notificacoes"][0]["id"];
    let mark = async |input: Value| {
        let answer = team.caio.post("/api/notificacoes/lidas", input).await;
        answer.expect(200).body["marcadas"].clone()
    };
    // Another member's notification is not marked.
    let others = json!({ "ids": [newest] });
    let other = team
        .davi
        .post("/api/notificacoes/lidas", others.clone())
        .await;
    assert_eq!(other.expect(200).body["marcadas"], 0);
    assert_eq!(mark(others.clone()).await, 1);
    assert_eq!(mark(others).await, 0);
    let unread = team.caio.get("/api/notificacoes").await.expect(200).body;
    assert_eq!(unread["notificacoes"].as_array().map(Vec::len), Some(1));
    // A notification that is newer than the read list stays unread.
    team.assign("Bingo").await;
    team.run_outbox_readers().await;
    assert_eq!(mark(json!({ "ate": page["ate"] })).await, 1);
    let unread = team.caio.get("/api/notificacoes").await.expect(200).body;
    assert_eq!(unread["notificacoes"][0]["titulo"], "Bingo");
    assert_eq!(unread["nao_lidas"], 1);
    let both = json!({ "ids": [newest], "ate": 1 });
    for (input, field) in [(json!({}), "ids"), (both, "ate")] {
        let refused = team.caio.post("/api/notificacoes/lidas", input).await;
        assert_eq!(
            refused
                .expect_refusal(400, "INVALID_INPUT")
                .invalid_fields(),
            [field]
        );
    }
}

#[tokio::test]
async fn a_list_is_filtered_by_kind() {
    let team = Fixture::new().await;
    let id = team.assign("Feira").await;
    let remark = json!({ "texto": "Veja", "mencoes": [team.id(CAIO)] });
    let path = format!("/api/eventos/{id}/comentarios");
    team.ana.post(&path, remark).await.expect(200);
    team.run_outbox_readers().await;
    let path = "/api/notificacoes?tipo=mencao";
    let answer = team.caio.get(path).await.expect(200).body;
    assert_eq!(answer["notificacoes"][0]["tipo"], "mencao");
    assert_eq!(answer["notificacoes"].as_array().map(Vec::len), Some(1));
    // Criadores get no notifications of this kind, so the filter is refused.
    let answer = team.caio.get("/api/notificacoes?tipo=decisao").await;
    assert_eq!(answer.expect(200).body["notificacoes"], json!([]));
}
