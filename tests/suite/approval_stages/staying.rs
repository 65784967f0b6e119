//! Pieces that wait while the configuration or the team changes.

use serde_json::{Value, json};

use super::{Fixture, approve, list_pending, load_approval, load_history};

#[tokio::test]
async fn a_change_of_the_configuration_does_not_move_a_piece_that_waits() {
    let team = Fixture::with_two_stages().await;
    let id = team.submit_piece().await;
    approve(&team.ana, &id, 2).await.expect(200);
    // The stage in which the piece waits is removed, and later all rules.
    let only = json!([{ "nome": "Só a Ana", "membros": [team.ana_id] }]);
    for value in [
        json!({ "regras": [{ "nome": "Nova", "etapas": only }] }),
        Value::Null,
    ] {
        team.configure(value).await;
        let approval = load_approval(&team.bia, &id).await;
        assert_eq!(
            (&approval["etapa"], &approval["de"]),
            (&json!("Direção"), &json!(2))
        );
        approve(&team.ana, &id, 3)
            .await
            .expect_refusal(403, "NOT_YOUR_STAGE");
    }
    // A piece that is submitted now follows the new configuration.
    let new = team.submit_piece().await;
    assert_eq!(load_approval(&team.bia, &new).await, Value::Null);
    let decided = approve(&team.bia, &id, 3).await.expect(200).body;
    assert_eq!(decided["status"], "aprovado");
}

#[tokio::test]
async fn leads_decide_when_the_only_approver_has_left() {
    let team = Fixture::with_two_stages().await;
    let id = team.submit_piece().await;
    team.remove_member(&team.ana_id).await;
    let approval = load_approval(&team.bia, &id).await;
    assert_eq!(approval["espera_por"], json!(["lider", "admin"]));
    assert_eq!(approval["pode_aprovar"], true);
    assert_eq!(list_pending(&team.bia, "").await, [id.as_str()]);
    assert_eq!(list_pending(&team.admin, "").await, [id.as_str()]);
    approve(&team.bia, &id, 2).await.expect(200);
    let line = load_history(&team.bia, &id).await[0].clone();
    assert_eq!(line["changes"]["decided_as"]["after"], "substituição");
}

#[tokio::test]
async fn an_approver_who_loses_the_role_counts_as_one_who_left() {
    let team = Fixture::with_two_stages().await;
    let id = team.submit_piece().await;
    let body = json!({ "member_id": team.ana_id, "access_level": "criador" });
    team.admin.patch("/api/membros", body).await.expect(200);
    let approval = load_approval(&team.bia, &id).await;
    assert_eq!(approval["espera_por"], json!(["lider", "admin"]));
    approve(&team.ana, &id, 2)
        .await
        .expect_refusal(403, "CAPABILITY_REQUIRED");
    approve(&team.bia, &id, 2).await.expect(200);
}

#[tokio::test]
async fn a_stage_that_requires_all_does_not_wait_for_a_member_who_left() {
    let team = Fixture::with_stages(|team| {
        json!([{ "nome": "Ambas", "membros": [team.ana_id, team.bia_id], "exige": "todos" }])
    })
    .await;
    let before = team.submit_piece().await;
    let after = team.submit_piece().await;
    approve(&team.bia, &before, 2).await.expect(200);
    team.remove_member(&team.ana_id).await;
    // Bia approved the first piece before Ana left, and now confirms this approval. For the second
    // piece, Bia's approval alone suffices.
    assert_eq!(list_pending(&team.bia, "").await.len(), 2);
    for (id, revision) in [(&before, 3), (&after, 2)] {
        assert_eq!(load_approval(&team.bia, id).await["pode_aprovar"], true);
        let decided = approve(&team.bia, id, revision).await.expect(200).body;
        assert_eq!(decided["status"], "aprovado");
    }
}

#[tokio::test]
async fn the_approval_of_somebody_who_left_keeps_their_name() {
    let team = Fixture::with_two_stages().await;
    let id = team.submit_piece().await;
    approve(&team.ana, &id, 2).await.expect(200);
    let before = load_approval(&team.bia, &id).await["decidiram"].clone();
    assert!(
        before[0]["name"]
            .as_str()
            .is_some_and(|name| !name.is_empty())
    );
    team.remove_member(&team.ana_id).await;
    assert_eq!(load_approval(&team.bia, &id).await["decidiram"], before);
}
