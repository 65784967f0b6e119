//! Each kind of notification: who gets it, and its sentence.

use serde_json::json;

use super::{ADMIN, ANA, BIA, CAIO, DAVI, Fixture, list, list_sentences, list_texts};

#[tokio::test]
async fn a_member_who_is_assigned_to_a_new_piece_is_notified() {
    let team = Fixture::new().await;
    let id = team.assign("Feira").await;
    assert_eq!(
        list_sentences(&team.caio).await,
        [],
        "nothing before the job"
    );
    team.run_outbox_readers().await;
    let told = &list(&team.caio).await[0];
    assert_eq!(told["tipo"], "atribuicao");
    assert_eq!(told["event_id"], *id);
    assert_eq!(told["titulo"], "Feira");
    assert_eq!(told["lida"], false);
    assert_eq!(told["vezes"], 1);
    let link = told["link"].as_str().expect("a link");
    assert!(link.ends_with(&format!("/eventos/{id}")), "{link}");
    let name = &team.members[ADMIN].name;
    assert_eq!(told["texto"], format!("{name} atribuiu “Feira” a você."));
    assert_eq!(told["quem"], **name);
    for other in [&team.admin, &team.ana, &team.davi] {
        assert_eq!(list_sentences(other).await, []);
    }
}

#[tokio::test]
async fn only_the_added_people_of_a_piece_are_notified() {
    let team = Fixture::new().await;
    let id = team.assign("Feira").await;
    team.run_outbox_readers().await;
    team.reassign(&id, 1, &[CAIO, DAVI]).await;
    // A call that changes nothing causes no notification.
    team.reassign(&id, 2, &[CAIO, DAVI]).await;
    team.run_outbox_readers().await;
    assert_eq!(list_texts(&team.caio, "atribuicao").await.len(), 1);
    let told = list(&team.davi).await;
    assert_eq!(told.len(), 1);
    assert_eq!(told[0]["vezes"], 1);
}

#[tokio::test]
async fn the_people_of_each_of_several_new_pieces_are_notified() {
    let team = Fixture::new().await;
    let demands = json!({ "demandas": [
        { "title": "Um", "assignee_id": team.id(CAIO) },
        { "title": "Sem ninguém" },
        { "title": "Dois", "assignee_id": team.id(DAVI) },
    ] });
    team.ana.post("/api/demandas", demands).await.expect(200);
    assert_eq!(team.app.count_rows("outbox").await, 3);
    team.run_outbox_readers().await;
    assert_eq!(list(&team.caio).await[0]["titulo"], "Um");
    assert_eq!(list(&team.davi).await[0]["titulo"], "Dois");
}

#[tokio::test]
async fn members_mentioned_in_a_remark_are_notified() {
    let team = Fixture::new().await;
    let id = team.assign("Feira").await;
    let path = format!("/api/eventos/{id}/comentarios");
    let without = json!({ "texto": "Sem menção" });
    team.ana.post(&path, without).await.expect(200);
    let mentions = [team.id(CAIO), team.id(ANA), team.id(BIA)];
    let remark = json!({ "texto": "Vejam o segredo", "mencoes": mentions });
    team.ana.post(&path, remark).await.expect(200);
    team.run_outbox_readers().await;
    let name = &team.members[ANA].name;
    let expected = [format!("{name} mencionou você em “Feira”.")];
    assert_eq!(list_texts(&team.caio, "mencao").await, expected);
    assert_eq!(list_texts(&team.bia, "mencao").await, expected);
    // Nobody is notified of their own action.
    assert_eq!(list_texts(&team.ana, "mencao").await.len(), 0);
    for table in ["outbox", "notifications"] {
        let texts = team.app.table_texts(table, &[]).await.concat();
        assert!(!texts.contains("segredo"), "{table}");
    }
}

#[tokio::test]
async fn a_submission_notifies_all_deciders_and_a_decision_notifies_the_owners() {
    let team = Fixture::new().await;
    let id = team.submit("Feira").await;
    team.run_outbox_readers().await;
    for decider in [&team.admin, &team.ana, &team.bia] {
        let told = list_texts(decider, "decisao").await;
        assert_eq!(told, ["“Feira” espera sua decisão."]);
    }
    assert_eq!(list_texts(&team.caio, "decisao").await.len(), 0);
    let remark = json!({ "texto": "Troque a foto" });
    let path = format!("/api/eventos/{id}/comentarios");
    team.ana.post(&path, remark).await.expect(200);
    let decision = json!({ "event_id": id, "action": "pedir_ajustes", "expected_revision": 2 });
    team.ana.post("/api/aprovar", decision).await.expect(200);
    // The repeated decision changes nothing and causes no notification.
    let again = json!({ "event_id": id, "action": "pedir_ajustes" });
    team.bia.post("/api/aprovar", again).await.expect(200);
    team.run_outbox_readers().await;
    let name = &team.members[ANA].name;
    let expected = [format!("{name} pediu ajustes em “Feira”.")];
    assert_eq!(list_texts(&team.caio, "ajustes").await, expected);
    assert_eq!(
        list_texts(&team.admin, "ajustes").await,
        expected,
        "created it"
    );
    let stale = list_texts(&team.bia, "decisao").await;
    assert_eq!(
        stale,
        ["“Feira” esperava sua decisão e já saiu da aprovação."]
    );
}

#[tokio::test]
async fn a_stage_notifies_only_its_deciders_and_states_its_deadline() {
    let team = Fixture::new().await;
    let stages = json!([
        { "nome": "Revisão", "membros": [team.id(ANA)], "prazo_horas_uteis": 4,
          "ao_vencer": "lembrar", "avisar": [team.id(ADMIN)] },
        { "nome": "Direção", "membros": [team.id(BIA)] },
    ]);
    let rules = json!({ "regras": [{ "nome": "Tudo", "etapas": stages }] });
    let config = json!({ "key": "aprovacao", "value": rules });
    team.admin.post("/api/config", config).await.expect(200);
    let id = team.submit("Feira").await;
    team.run_outbox_readers().await;
    let told = &list(&team.ana).await[0];
    assert!(told["prazo"].is_string(), "{told}");
    let text = told["texto"].as_str().expect("a text");
    assert!(
        text.starts_with("“Feira” espera sua decisão na etapa “Revisão” até "),
        "{text}"
    );
    assert_eq!(list_texts(&team.bia, "decisao").await.len(), 0);
    assert_eq!(list_texts(&team.admin, "decisao").await.len(), 0);
    let approval = json!({ "event_id": id, "action": "aprovar", "expected_revision": 2 });
    team.ana.post("/api/aprovar", approval).await.expect(200);
    team.run_outbox_readers().await;
    let told = list_texts(&team.bia, "decisao").await;
    assert_eq!(told, ["“Feira” espera sua decisão na etapa “Direção”."]);
    // The second stage is still open, so the piece has no decision yet.
    assert_eq!(list_texts(&team.caio, "decidida").await.len(), 0);
}

#[tokio::test]
async fn an_overdue_stage_notifies_its_deciders_again_and_the_members_named_by_the_rule() {
    let team = Fixture::new().await;
    let stages = json!([{ "nome": "Revisão", "membros": [team.id(ANA)], "prazo_horas_uteis": 1,
        "ao_vencer": "lembrar", "avisar": [team.id(BIA)] }]);
    let rules = json!({ "regras": [{ "nome": "Tudo", "etapas": stages }] });
    let config = json!({ "key": "aprovacao", "value": rules });
    team.admin.post("/api/config", config).await.expect(200);
    team.submit("Feira").await;
    team.run_outbox_readers().await;
    team.app.advance_clock(5 * domain::time::DAY);
    team.app.app.worker().drain().await.expect("jobs");
    team.run_outbox_readers().await;
    let expected = "“Feira” passou do prazo na etapa “Revisão” e espera decisão.";
    let ana = team.app.session_client(&team.members[ANA]).await;
    let bia = team.app.session_client(&team.members[BIA]).await;
    assert_eq!(list_texts(&ana, "decisao").await[0], expected);
    assert_eq!(list_texts(&bia, "decisao").await, [expected]);
}

#[tokio::test]
async fn owners_are_notified_of_a_published_piece() {
    let team = Fixture::new().await;
    let id = team.submit("Feira").await;
    let approval = json!({ "event_id": id, "action": "aprovar" });
    team.ana.post("/api/aprovar", approval).await.expect(200);
    let post = json!({ "expected_revision": 3, "post_url": "https://www.instagram.com/p/1" });
    let path = format!("/api/eventos/{id}/post");
    team.ana.post(&path, post).await.expect(200);
    team.run_outbox_readers().await;
    let name = &team.members[ANA].name;
    let expected = [format!("{name} publicou “Feira”.")];
    assert_eq!(list_texts(&team.caio, "publicada").await, expected);
    assert_eq!(list_texts(&team.admin, "publicada").await, expected);
    assert_eq!(list_texts(&team.ana, "publicada").await.len(), 0);
}

#[tokio::test]
async fn a_member_is_notified_of_the_actions_of_their_agent() {
    let team = Fixture::new().await;
    let agent = team.app.token_client(&team.members[ANA]).await;
    let input = json!({ "title": "Feira", "assignee_id": team.id(ANA) });
    agent.create_demand(input.clone()).await;
    team.ana.create_demand(input).await;
    team.run_outbox_readers().await;
    let expected = ["Um agente, em seu nome, atribuiu “Feira” a você."];
    assert_eq!(list_texts(&team.ana, "atribuicao").await, expected);
}
