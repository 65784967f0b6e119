//! Changes of a piece that waits for approval: a new caption after an earlier stage has approved,
//! and new links to projects.

use serde_json::{Value, json};

use super::{Fixture, approve, load_approval, load_history};
use crate::support::Answer;

#[tokio::test]
async fn a_caption_change_after_an_approval_causes_a_warning() {
    let team = Fixture::with_stages(|team| {
        json!([
            { "nome": "Revisão", "membros": [team.ana_id] },
            { "nome": "Direção", "membros": [team.bia_id] },
            { "nome": "Fim", "membros": [team.admin_id] },
        ])
    })
    .await;
    let id = team.submit_piece().await;
    approve(&team.ana, &id, 2).await.expect(200);
    let is_marked =
        |approval: &Value, place: usize| approval["decidiram"][place]["mudou_depois"] == true;
    assert!(!is_marked(&load_approval(&team.bia, &id).await, 0));
    let change = json!({ "event_id": id, "action": "aprovar", "expected_revision": 3,
        "caption": "Outra legenda" });
    let decided = team.bia.post("/api/aprovar", change).await.expect(200).body;
    let warning = decided["avisos"][0].as_str().expect("a warning");
    assert!(
        warning.contains("mudou depois da aprovação de"),
        "{warning}"
    );
    // The earlier approvals remain valid. The next approver sees which of them were given for
    // another caption.
    for approval in [
        decided["aprovacao"].clone(),
        load_approval(&team.admin, &id).await,
    ] {
        assert_eq!(approval["etapa"], "Fim");
        assert!(is_marked(&approval, 0), "{approval}");
        assert!(!is_marked(&approval, 1), "{approval}");
    }
    let line = load_history(&team.admin, &id).await[0].clone();
    let names = line["changes"]["changed_after_approval_of"]["after"].clone();
    assert_eq!(names, decided["aprovacao"]["decidiram"][0]["name"]);
    // An approval that repeats the current caption causes no warning.
    let same = json!({ "event_id": id, "action": "aprovar", "expected_revision": 4,
        "caption": "Outra legenda" });
    let decided = team.admin.post("/api/aprovar", same).await.expect(200).body;
    assert_eq!(decided["status"], "aprovado");
    assert_eq!(decided["avisos"], Value::Null);
}

async fn apply(team: &Fixture, project: &str, mut operation: Value) -> Answer {
    let read = team.admin.get(&format!("/api/projects/{project}")).await;
    operation["expected_revision"] = read.expect(200).body["project"]["revision"].clone();
    let path = format!("/api/projects/{project}/operations");
    team.admin.post(&path, operation).await
}

#[tokio::test]
async fn a_project_that_would_change_the_rule_is_not_linked_to_a_submitted_piece() {
    let team = Fixture::new().await;
    let made = team
        .admin
        .post("/api/projects", json!({ "name": "Natal" }))
        .await;
    let project = made.expect(201).body["project"]["id"]
        .as_str()
        .expect("an id")
        .to_owned();
    let add = json!({ "type": "section.add", "payload": { "title": "Seção" } });
    let added = apply(&team, &project, add).await.expect(200).body;
    let section = added["changed"]["section"]["id"].clone();
    let payload = json!({ "section_id": section, "title": "Item" });
    let add = json!({ "type": "item.add", "payload": payload });
    let added = apply(&team, &project, add).await.expect(200).body;
    let item = added["changed"]["item"]["id"]
        .as_str()
        .expect("an id")
        .to_owned();
    let link = |kind: &str, event: &str| json!({ "type": kind, "payload": { "item_id": item, "event_id": event } });
    let early = team.submit_piece().await;
    // No rule names the project yet, so the submitted piece can be linked and unlinked.
    apply(&team, &project, link("item.link_event", &early))
        .await
        .expect(200);
    apply(&team, &project, link("item.unlink_event", &early))
        .await
        .expect(200);
    let stages = json!([{ "nome": "Direção", "membros": [team.bia_id] }]);
    let rule = json!({ "nome": "Natal", "projetos": [project], "etapas": stages });
    team.configure(json!({ "regras": [rule] })).await;
    let refused = apply(&team, &project, link("item.link_event", &early)).await;
    let refused = refused.expect_refusal(409, "RULE_WOULD_CHANGE");
    assert_eq!(refused.body["details"]["event_id"], early);

    // A draft can be linked to the project. After its submission, the draft can no longer be
    // unlinked.
    let draft = team
        .admin
        .create_demand(json!({ "assignee_id": team.caio_id }))
        .await;
    apply(&team, &project, link("item.link_event", &draft))
        .await
        .expect(200);
    team.resubmit(&draft, 1).await;
    assert_eq!(load_approval(&team.bia, &draft).await["etapa"], "Direção");
    let remove = json!({ "type": "item.remove", "payload": { "item_id": item } });
    for operation in [link("item.unlink_event", &draft), remove] {
        let refused = apply(&team, &project, operation).await;
        refused.expect_refusal(409, "RULE_WOULD_CHANGE");
    }
    // After the approved piece has been reopened, it can be unlinked.
    approve(&team.bia, &draft, 2).await.expect(200);
    let reopen = json!({ "expected_revision": 3, "motivo": "Outra coisa" });
    let path = format!("/api/eventos/{draft}/reabrir");
    team.bia.post(&path, reopen).await.expect(200);
    apply(&team, &project, link("item.unlink_event", &draft))
        .await
        .expect(200);
}
