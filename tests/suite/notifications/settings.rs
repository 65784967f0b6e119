//! The settings of a member: which kinds of notifications they get.

use serde_json::json;

use super::{CAIO, Fixture, list, list_texts};

const PATH: &str = "/api/notificacoes/preferencias";

#[tokio::test]
async fn a_kind_that_is_switched_off_causes_no_notifications() {
    let team = Fixture::new().await;
    let settings = team.caio.get(PATH).await.expect(200).body;
    assert_eq!(settings["revision"], 0);
    assert_eq!(settings["desligados"], json!([]));
    let off = json!({ "expected_revision": 0, "ligados": ["mencao"] });
    let answer = team.caio.put(PATH, off).await.expect(200).body;
    assert_eq!(answer["revision"], 1);
    assert_eq!(answer["ligados"], json!(["mencao"]));
    let id = team.assign("Feira").await;
    let remark = json!({ "texto": "Veja", "mencoes": [team.id(CAIO)] });
    let path = format!("/api/eventos/{id}/comentarios");
    team.ana.post(&path, remark).await.expect(200);
    team.run_outbox_readers().await;
    assert_eq!(list(&team.caio).await.len(), 1);
    assert_eq!(list_texts(&team.caio, "mencao").await.len(), 1);
    let on = json!({ "expected_revision": 1, "ligados": ["mencao", "atribuicao"] });
    team.caio.put(PATH, on).await.expect(200);
    team.assign("Missa").await;
    team.run_outbox_readers().await;
    assert_eq!(list_texts(&team.caio, "atribuicao").await.len(), 1);
}

#[tokio::test]
async fn stale_settings_are_refused_and_nothing_changes() {
    let team = Fixture::new().await;
    for (expected, current) in [(3, 0), (0, 1)] {
        let ahead = json!({ "expected_revision": expected, "ligados": [] });
        let answer = team.caio.put(PATH, ahead.clone()).await;
        if current == 0 {
            let refused = answer.expect_refusal(409, "STALE_REVISION");
            assert_eq!(refused.body["details"]["current"], 0);
            continue;
        }
        answer.expect(200);
        let refused = team.caio.put(PATH, ahead).await;
        let refused = refused.expect_refusal(409, "STALE_REVISION");
        assert_eq!(refused.body["details"]["current"], current);
    }
}

#[tokio::test]
async fn settings_name_only_the_kinds_that_can_concern_the_member() {
    let team = Fixture::new().await;
    let kinds = async |client: &crate::support::Client| {
        client.get(PATH).await.expect(200).body["ligados"].clone()
    };
    let of_criador = [
        "atribuicao",
        "mencao",
        "ajustes",
        "decidida",
        "publicada",
        "falha",
        "agente",
    ];
    assert_eq!(kinds(&team.caio).await, json!(of_criador));
    let all = kinds(&team.admin).await;
    assert_eq!(all.as_array().map(Vec::len), Some(12), "{all}");
}

#[tokio::test]
async fn settings_are_no_tools() {
    let team = Fixture::new().await;
    let agent = team.app.token_client(&team.members[CAIO]).await;
    let names = agent.tool_names().await;
    let own: Vec<&String> = names
        .iter()
        .filter(|name| name.contains("notification"))
        .collect();
    assert_eq!(own, ["list_notifications", "mark_notifications_read"]);
}
