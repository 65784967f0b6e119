//! The setting `sem_autoaprovacao`: nobody approves their own piece.

use serde_json::json;

use super::{Fixture, approve, decide, load_approval};

#[tokio::test]
async fn a_member_who_created_or_submitted_a_piece_cannot_approve_it() {
    let team = Fixture::new().await;
    team.configure(json!({
        "sem_autoaprovacao": true,
        "regras": [{ "nome": "Blog", "canais": ["blog"], "etapas": [
            { "nome": "Revisão", "membros": [team.ana_id, team.bia_id] },
        ] }],
    }))
    .await;
    for channel in ["blog", "instagram"] {
        let id = team.ana.create_demand(json!({ "channel": channel })).await;
        let submit = json!({ "event_id": id, "expected_revision": 1 });
        team.bia.post("/api/enviar", submit).await.expect(200);
        for author in [&team.ana, &team.bia] {
            let refused = approve(author, &id, 2)
                .await
                .expect_refusal(403, "OWN_PIECE");
            assert!(refused.text.contains("própria"), "{}", refused.text);
            let input = json!({ "event_id": id, "action": "aprovar", "expected_revision": 2 });
            let tool = author.call_tool("decide_approval", input).await;
            assert!(tool.text.starts_with("OWN_PIECE"), "{}", tool.text);
        }
        let decided = approve(&team.admin, &id, 2).await.expect(200).body;
        assert_eq!(decided["status"], "aprovado");
    }
}

#[tokio::test]
async fn admins_do_not_approve_their_own_piece_either_but_may_refuse_it() {
    let team = Fixture::new().await;
    team.configure(json!({ "sem_autoaprovacao": true })).await;
    let id = team.admin.create_demand(json!({})).await;
    let submit = json!({ "event_id": id, "expected_revision": 1 });
    team.admin.post("/api/enviar", submit).await.expect(200);
    assert_eq!(team.app.count_rows("approvals").await, 1);
    // The approval is stored, but a piece without stages does not show it.
    assert_eq!(load_approval(&team.admin, &id).await, json!(null));
    approve(&team.admin, &id, 2)
        .await
        .expect_refusal(403, "OWN_PIECE");
    let refused = decide(&team.admin, &id, "recusar", 2)
        .await
        .expect(200)
        .body;
    assert_eq!(refused["status"], "recusado");
}

#[tokio::test]
async fn a_stage_whose_only_decider_is_the_author_is_decided_by_others() {
    let team = Fixture::new().await;
    team.configure(json!({
        "sem_autoaprovacao": true,
        "regras": [{ "nome": "Tudo", "etapas": [{ "nome": "Ana", "membros": [team.ana_id] }] }],
    }))
    .await;
    let id = team.ana.create_demand(json!({})).await;
    let submit = json!({ "event_id": id, "expected_revision": 1 });
    team.ana.post("/api/enviar", submit).await.expect(200);
    let approval = load_approval(&team.bia, &id).await;
    assert_eq!(approval["espera_por"], json!(["lider", "admin"]));
    assert_eq!(load_approval(&team.ana, &id).await["pode_aprovar"], false);
    approve(&team.ana, &id, 2)
        .await
        .expect_refusal(403, "OWN_PIECE");
    approve(&team.bia, &id, 2).await.expect(200);
}

#[tokio::test]
async fn a_change_of_the_channel_does_not_bypass_the_stages() {
    let team = Fixture::new().await;
    let stages = json!([{ "nome": "Direção", "papel": "admin" }]);
    let rule = json!({ "nome": "Instagram", "canais": ["instagram"], "etapas": stages });
    team.configure(json!({ "regras": [rule] })).await;
    let piece = team.submit(json!({ "channel": "blog" })).await;
    let change = |to: &str, revision: i64| json!({ "channel": to, "expected_revision": revision });
    let path = format!("/api/eventos/{piece}");
    for revision in [2, 3] {
        let refused = team.ana.patch(&path, change("instagram", revision)).await;
        refused.expect_refusal(409, "RULE_WOULD_CHANGE");
        if revision == 2 {
            let approve = json!({ "event_id": piece, "action": "aprovar" });
            team.ana.post("/api/aprovar", approve).await.expect(200);
        }
    }
    // The change from `blog` to `email` is accepted, because no rule applies to either channel.
    team.ana.patch(&path, change("email", 3)).await.expect(200);
    let reopen = json!({ "expected_revision": 4, "motivo": "outro canal" });
    team.ana
        .post(&format!("{path}/reabrir"), reopen)
        .await
        .expect(200);
    team.ana
        .patch(&path, change("instagram", 5))
        .await
        .expect(200);
    team.resubmit(&piece, 6).await;
    let approve = json!({ "event_id": piece, "action": "aprovar" });
    let refused = team.ana.post("/api/aprovar", approve).await;
    refused.expect_refusal(403, "NOT_YOUR_STAGE");
}
