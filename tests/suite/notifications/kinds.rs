//! Each kind: who is told, and in which words.

use serde_json::json;

use super::{ADMIN, ANA, BIA, CAIO, DAVI, Fixture, list, of_kind, sentences};

#[tokio::test]
async fn who_is_assigned_to_a_new_piece_is_told() {
    let team = Fixture::new().await;
    let id = team.assign("Feira").await;
    assert_eq!(sentences(&team.caio).await, [], "nothing before the job");
    team.tell().await;
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
        assert_eq!(sentences(other).await, []);
    }
}

#[tokio::test]
async fn only_who_is_added_to_the_people_of_a_piece_is_told() {
    let team = Fixture::new().await;
    let id = team.assign("Feira").await;
    team.tell().await;
    team.reassign(&id, 1, &[CAIO, DAVI]).await;
    // A call that changes nothing tells nothing.
    team.reassign(&id, 2, &[CAIO, DAVI]).await;
    team.tell().await;
    assert_eq!(of_kind(&team.caio, "atribuicao").await.len(), 1);
    let told = list(&team.davi).await;
    assert_eq!(told.len(), 1);
    assert_eq!(told[0]["vezes"], 1);
}

#[tokio::test]
async fn each_piece_of_several_new_ones_is_told_to_its_own_people() {
    let team = Fixture::new().await;
    let demands = json!({ "demandas": [
        { "title": "Um", "assignee_id": team.id(CAIO) },
        { "title": "Sem ninguém" },
        { "title": "Dois", "assignee_id": team.id(DAVI) },
    ] });
    team.ana.post("/api/demandas", demands).await.expect(200);
    assert_eq!(team.app.count_rows("outbox").await, 3);
    team.tell().await;
    assert_eq!(list(&team.caio).await[0]["titulo"], "Um");
    assert_eq!(list(&team.davi).await[0]["titulo"], "Dois");
}

#[tokio::test]
async fn who_is_mentioned_in_a_remark_is_told() {
    let team = Fixture::new().await;
    let id = team.assign("Feira").await;
    let path = format!("/api/eventos/{id}/comentarios");
    let without = json!({ "texto": "Sem menção" });
    team.ana.post(&path, without).await.expect(200);
    let mentions = [team.id(CAIO), team.id(ANA), team.id(BIA)];
    let remark = json!({ "texto": "Vejam o segredo", "mencoes": mentions });
    team.ana.post(&path, remark).await.expect(200);
    team.tell().await;
    let name = &team.members[ANA].name;
    let expected = [format!("{name} mencionou você em “Feira”.")];
    assert_eq!(of_kind(&team.caio, "mencao").await, expected);
    assert_eq!(of_kind(&team.bia, "mencao").await, expected);
    // Nobody is told what they did themselves.
    assert_eq!(of_kind(&team.ana, "mencao").await.len(), 0);
    for table in ["outbox", "notifications"] {
        let texts = team.app.table_texts(table, &[]).await.concat();
        assert!(!texts.contains("segredo"), "{table}");
    }
}

#[tokio::test]
async fn a_submitted_piece_waits_for_all_who_may_decide_it_and_its_owner_is_told_the_decision() {
    let team = Fixture::new().await;
    let id = team.submit("Feira").await;
    team.tell().await;
    for decider in [&team.admin, &team.ana, &team.bia] {
        let told = of_kind(decider, "decisao").await;
        assert_eq!(told, ["“Feira” espera sua decisão."]);
    }
    assert_eq!(of_kind(&team.caio, "decisao").await.len(), 0);
    let remark = json!({ "texto": "Troque a foto" });
    let path = format!("/api/eventos/{id}/comentarios");
    team.ana.post(&path, remark).await.expect(200);
    let decision = json!({ "event_id": id, "action": "pedir_ajustes", "expected_revision": 2 });
    team.ana.post("/api/aprovar", decision).await.expect(200);
    // The repeated decision changes nothing and tells nothing.
    let again = json!({ "event_id": id, "action": "pedir_ajustes" });
    team.bia.post("/api/aprovar", again).await.expect(200);
    team.tell().await;
    let name = &team.members[ANA].name;
    let expected = [format!("{name} pediu ajustes em “Feira”.")];
    assert_eq!(of_kind(&team.caio, "ajustes").await, expected);
    assert_eq!(
        of_kind(&team.admin, "ajustes").await,
        expected,
        "created it"
    );
    let stale = of_kind(&team.bia, "decisao").await;
    assert_eq!(
        stale,
        ["“Feira” esperava sua decisão e já saiu da aprovação."]
    );
}

#[tokio::test]
async fn a_stage_tells_only_those_who_decide_it_with_its_deadline() {
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
    team.tell().await;
    let told = &list(&team.ana).await[0];
    assert!(told["prazo"].is_string(), "{told}");
    let text = told["texto"].as_str().expect("a text");
    assert!(
        text.starts_with("“Feira” espera sua decisão na etapa “Revisão” até "),
        "{text}"
    );
    assert_eq!(of_kind(&team.bia, "decisao").await.len(), 0);
    assert_eq!(of_kind(&team.admin, "decisao").await.len(), 0);
    let approval = json!({ "event_id": id, "action": "aprovar", "expected_revision": 2 });
    team.ana.post("/api/aprovar", approval).await.expect(200);
    team.tell().await;
    let told = of_kind(&team.bia, "decisao").await;
    assert_eq!(told, ["“Feira” espera sua decisão na etapa “Direção”."]);
    // The piece is not decided yet.
    assert_eq!(of_kind(&team.caio, "decidida").await.len(), 0);
}

#[tokio::test]
async fn an_overdue_stage_tells_its_deciders_again_and_those_whom_the_rule_names() {
    let team = Fixture::new().await;
    let stages = json!([{ "nome": "Revisão", "membros": [team.id(ANA)], "prazo_horas_uteis": 1,
        "ao_vencer": "lembrar", "avisar": [team.id(BIA)] }]);
    let rules = json!({ "regras": [{ "nome": "Tudo", "etapas": stages }] });
    let config = json!({ "key": "aprovacao", "value": rules });
    team.admin.post("/api/config", config).await.expect(200);
    team.submit("Feira").await;
    team.tell().await;
    team.app.advance_clock(5 * domain::time::DAY);
    team.app.app.worker().drain().await.expect("jobs");
    team.tell().await;
    let expected = "“Feira” passou do prazo na etapa “Revisão” e espera decisão.";
    let ana = team.app.session_client(&team.members[ANA]).await;
    let bia = team.app.session_client(&team.members[BIA]).await;
    assert_eq!(of_kind(&ana, "decisao").await[0], expected);
    assert_eq!(of_kind(&bia, "decisao").await, [expected]);
}

#[tokio::test]
async fn owners_are_told_that_a_piece_was_published() {
    let team = Fixture::new().await;
    let id = team.submit("Feira").await;
    let approval = json!({ "event_id": id, "action": "aprovar" });
    team.ana.post("/api/aprovar", approval).await.expect(200);
    let post = json!({ "expected_revision": 3, "post_url": "https://www.instagram.com/p/1" });
    let path = format!("/api/eventos/{id}/post");
    team.ana.post(&path, post).await.expect(200);
    team.tell().await;
    let name = &team.members[ANA].name;
    let expected = [format!("{name} publicou “Feira”.")];
    assert_eq!(of_kind(&team.caio, "publicada").await, expected);
    assert_eq!(of_kind(&team.admin, "publicada").await, expected);
    assert_eq!(of_kind(&team.ana, "publicada").await.len(), 0);
}

#[tokio::test]
async fn what_an_agent_does_for_a_member_is_told_to_the_member() {
    let team = Fixture::new().await;
    let agent = team.app.token_client(&team.members[ANA]).await;
    let input = json!({ "title": "Feira", "assignee_id": team.id(ANA) });
    agent.create_demand(input.clone()).await;
    team.ana.create_demand(input).await;
    team.tell().await;
    let expected = ["Um agente, em seu nome, atribuiu “Feira” a você."];
    assert_eq!(of_kind(&team.ana, "atribuicao").await, expected);
}
