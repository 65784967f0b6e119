//! Decisions in stages: who decides, what moves, and what the history says.

use domain::{Level, Role};
use serde_json::{Value, json};

use super::{Fixture, approve, decide, list_pending, load_approval, load_history};

#[tokio::test]
async fn a_piece_passes_its_stages_in_order() {
    let team = Fixture::with_two_stages().await;
    let id = team.submit_piece().await;
    let refused = approve(&team.bia, &id, 2).await;
    let refused = refused.expect_refusal(403, "NOT_YOUR_STAGE").body;
    let text = refused["error"].as_str().expect("a text");
    assert!(text.contains("“Revisão”"), "{text}");

    let first = approve(&team.ana, &id, 2).await.expect(200).body;
    assert_eq!(first["status"], "em aprovação");
    assert_eq!(first["api_revision"], 3);
    assert_eq!(first["aprovacao"]["etapa"], "Direção");
    assert_eq!(first["aprovacao"]["numero"], 2);
    assert_eq!(
        first["aprovacao"]["espera_por"][0]["id"],
        team.bia_id.as_str()
    );
    assert_eq!(first["aprovacao"]["pode_aprovar"], false);

    let last = approve(&team.bia, &id, 3).await.expect(200).body;
    assert_eq!(last["status"], "aprovado");
    assert_eq!(last.get("aprovacao"), None);
    assert_eq!(load_approval(&team.ana, &id).await, Value::Null);
    for table in ["approvals", "approval_votes"] {
        assert_eq!(team.app.count_rows(table).await, 0);
    }
    let lines = load_history(&team.ana, &id).await;
    let told: Vec<_> = lines[..2]
        .iter()
        .map(|line| line["changes"].clone())
        .collect();
    let expected = json!([
        {
            "decision": { "before": null, "after": "aprovar" },
            "stage": { "before": "Direção", "after": null },
            "status": { "before": "em aprovação", "after": "aprovado" },
        },
        {
            "decision": { "before": null, "after": "aprovar" },
            "stage": { "before": "Revisão", "after": "Direção" },
        },
    ]);
    assert_eq!(json!(told), expected);
    assert_eq!(lines[1]["actor_member_id"], team.ana_id.as_str());
    assert_eq!(lines[1]["api_revision"], 3);
}

#[tokio::test]
async fn the_stages_apply_over_mcp_as_over_rest() {
    let team = Fixture::with_two_stages().await;
    let id = team.submit_piece().await;
    let input = json!({ "event_id": id, "action": "aprovar", "expected_revision": 2 });
    let refused = team.bia.call_tool("decide_approval", input.clone()).await;
    assert!(refused.is_error);
    assert!(
        refused.text.starts_with("NOT_YOUR_STAGE"),
        "{}",
        refused.text
    );
    assert!(refused.text.contains("“Revisão”"), "{}", refused.text);
    let moved = team
        .ana
        .call_tool("decide_approval", input)
        .await
        .structured;
    assert_eq!(moved["status"], "em aprovação");
    assert_eq!(moved["aprovacao"]["etapa"], "Direção");
    let read = team
        .bia
        .call_tool("get_event", json!({ "eventId": id }))
        .await;
    let over_rest = team.bia.load_event(&id).await;
    assert_eq!(
        read.structured["evento"]["aprovacao"],
        over_rest["aprovacao"]
    );
    assert_eq!(over_rest["aprovacao"]["pode_aprovar"], true);
    for arguments in [json!({}), json!({ "de_quem": "mim" })] {
        let mine = team
            .ana
            .call_tool("list_pending_approvals", arguments)
            .await;
        assert_eq!(mine.structured["pendentes"], json!([]));
    }
    let all = json!({ "de_quem": "todos" });
    let all = team.ana.call_tool("list_pending_approvals", all).await;
    assert_eq!(all.structured["pendentes"][0]["aprovacao"]["numero"], 2);
}

#[tokio::test]
async fn a_refusal_at_any_stage_ends_the_approval_and_the_next_submission_begins_anew() {
    for action in ["recusar", "pedir_ajustes"] {
        let team = Fixture::with_two_stages().await;
        let id = team.submit_piece().await;
        decide(&team.bia, &id, action, 2)
            .await
            .expect_refusal(403, "NOT_YOUR_STAGE");
        approve(&team.ana, &id, 2).await.expect(200);
        let refusal = json!({
            "event_id": id, "action": action, "expected_revision": 3, "motivo": "Falta a fonte",
        });
        let refused = team
            .bia
            .post("/api/aprovar", refusal)
            .await
            .expect(200)
            .body;
        assert_eq!(refused["status"], "recusado");
        assert_eq!(team.app.count_rows("approvals").await, 0);
        let line = load_history(&team.ana, &id).await[0].clone();
        assert_eq!(line["changes"]["decision"]["after"], action);
        assert_eq!(line["changes"]["stage"]["before"], "Direção");
        team.resubmit(&id, 4).await;
        let approval = load_approval(&team.ana, &id).await;
        assert_eq!(
            (&approval["numero"], &approval["decidiram"]),
            (&json!(1), &json!([]))
        );
    }
}

#[tokio::test]
async fn a_stage_that_requires_all_waits_for_the_remaining_approvers() {
    let team = Fixture::with_stages(|team| {
        json!([{ "nome": "Ambas", "membros": [team.ana_id, team.bia_id], "exige": "todos" }])
    })
    .await;
    let id = team.submit_piece().await;
    let first = approve(&team.ana, &id, 2).await.expect(200).body;
    assert_eq!(first["status"], "em aprovação");
    assert_eq!(
        first["aprovacao"]["espera_por"].as_array().map(Vec::len),
        Some(1)
    );
    assert_eq!(
        first["aprovacao"]["espera_por"][0]["id"],
        team.bia_id.as_str()
    );
    assert_eq!(
        first["aprovacao"]["decidiram"][0]["id"],
        team.ana_id.as_str()
    );
    assert_eq!(first["aprovacao"]["pode_aprovar"], false);
    assert_eq!(first["aprovacao"]["pode_recusar"], true);
    assert_eq!(list_pending(&team.ana, "").await, [""; 0]);
    assert_eq!(list_pending(&team.bia, "").await, [id.as_str()]);

    // A repeated approval changes nothing, whether it names the old revision, the new one or none.
    for revision in [json!(2), json!(3), Value::Null] {
        let mut body = json!({ "event_id": id, "action": "aprovar", "caption": "Outra" });
        if !revision.is_null() {
            body["expected_revision"] = revision;
        }
        let again = team.ana.post("/api/aprovar", body).await.expect(200).body;
        assert_eq!(
            (&again["status"], &again["api_revision"]),
            (&json!("em aprovação"), &json!(3))
        );
        assert!(again["avisos"][0].is_string(), "{again}");
    }
    assert_eq!(load_history(&team.ana, &id).await.len(), 3);
    assert_eq!(team.ana.load_event(&id).await["description"], Value::Null);
    let last = approve(&team.bia, &id, 3).await.expect(200).body;
    assert_eq!(last["status"], "aprovado");
}

#[tokio::test]
async fn a_repeated_approval_does_not_decide_the_next_stage() {
    let team = Fixture::with_stages(|team| {
        json!([
            { "nome": "Primeira", "membros": [team.ana_id] },
            { "nome": "Segunda", "membros": [team.ana_id] },
        ])
    })
    .await;
    let id = team.submit_piece().await;
    approve(&team.ana, &id, 2).await.expect(200);
    let blind = json!({ "event_id": id, "action": "aprovar" });
    for again in [
        approve(&team.ana, &id, 2).await,
        team.ana.post("/api/aprovar", blind).await,
    ] {
        let again = again.expect(200).body;
        assert_eq!(
            (&again["api_revision"], &again["status"]),
            (&json!(3), &json!("em aprovação"))
        );
        assert_eq!(again["aprovacao"]["etapa"], "Segunda");
    }
    let last = approve(&team.ana, &id, 3).await.expect(200).body;
    assert_eq!(last["status"], "aprovado");
}

#[tokio::test]
async fn a_reused_idempotency_key_returns_the_stored_answer() {
    let team = Fixture::with_two_stages().await;
    let id = team.submit_piece().await;
    let body = json!({ "event_id": id, "action": "aprovar", "expected_revision": 2 });
    let keyed = team.ana.with_idempotency_key("aprovacao-em-etapas-1");
    let first = keyed
        .post("/api/aprovar", body.clone())
        .await
        .expect(200)
        .body;
    let again = keyed
        .post("/api/aprovar", body.clone())
        .await
        .expect(200)
        .body;
    assert_eq!(first, again);
    assert_eq!(team.app.count_rows("approval_votes").await, 1);
    let mut input = body;
    input["idempotency_key"] = "aprovacao-em-etapas-1".into();
    let over_mcp = team
        .ana
        .call_tool("decide_approval", input)
        .await
        .structured;
    assert_eq!(over_mcp["api_revision"], first["api_revision"]);
}

#[tokio::test]
async fn an_admin_decides_any_stage_and_the_history_says_so() {
    let team = Fixture::with_two_stages().await;
    let id = team.submit_piece().await;
    assert_eq!(list_pending(&team.admin, "").await, [""; 0]);
    assert_eq!(
        list_pending(&team.admin, "?de_quem=todos").await,
        [id.as_str()]
    );
    let approval = load_approval(&team.admin, &id).await;
    assert_eq!(approval["pode_aprovar"], true);
    approve(&team.admin, &id, 2).await.expect(200);
    let line = load_history(&team.admin, &id).await[0].clone();
    assert_eq!(
        line["changes"]["decided_as"],
        json!({ "before": null, "after": "admin" })
    );
    assert_eq!(line["actor_member_id"], team.admin_id.as_str());
}

#[tokio::test]
async fn a_token_below_the_admin_level_cannot_decide_any_stage() {
    let team = Fixture::with_two_stages().await;
    let member = team
        .app
        .add_member_with(Role::Admin, Level::Lider, false)
        .await;
    let token = team.app.token_client(&member).await;
    let session = team.app.session_client(&member).await;
    let id = team.submit_piece().await;
    assert_eq!(load_approval(&token, &id).await["pode_aprovar"], false);
    approve(&token, &id, 2)
        .await
        .expect_refusal(403, "NOT_YOUR_STAGE");
    approve(&session, &id, 2).await.expect(200);
}

#[tokio::test]
async fn a_criador_cannot_decide_but_sees_the_current_stage() {
    let team = Fixture::with_two_stages().await;
    let id = team.submit_piece().await;
    approve(&team.caio, &id, 2)
        .await
        .expect_refusal(403, "CAPABILITY_REQUIRED");
    let approval = load_approval(&team.caio, &id).await;
    assert_eq!(approval["espera_por"][0]["id"], team.ana_id.as_str());
    assert_eq!(approval["pode_aprovar"], false);
    assert_eq!(approval["pode_recusar"], false);
    // A member who cannot see the piece cannot see its approval either.
    let other = team.app.as_member(Role::Criador).await;
    let path = format!("/api/eventos/{id}");
    other.get(&path).await.expect_refusal(404, "NOT_FOUND");
    assert_eq!(
        other.get("/api/eventos").await.expect(200).body["eventos"],
        json!([])
    );
}

#[tokio::test]
async fn caption_and_date_of_an_approval_are_stored_at_every_stage() {
    let team = Fixture::with_two_stages().await;
    let id = team.submit_piece().await;
    let body = json!({
        "event_id": id, "action": "aprovar", "expected_revision": 2, "caption": "Revisada",
        "day": 30, "month": 8,
    });
    team.ana.post("/api/aprovar", body).await.expect(200);
    let event = team.bia.load_event(&id).await;
    assert_eq!(
        (&event["description"], &event["day"]),
        (&json!("Revisada"), &json!(30))
    );
    assert_eq!(event["status"], "em aprovação");
    let decided = json!({ "event_id": id, "action": "aprovar" });
    let decided = team
        .bia
        .post("/api/aprovar", decided)
        .await
        .expect(200)
        .body;
    // The warning lists edits since the submission: the new caption counts as an edit, the approval
    // of a stage does not.
    assert!(
        decided["avisos"][0]
            .as_str()
            .is_some_and(|text| text.contains("`description`"))
    );
}

#[tokio::test]
async fn reopening_or_archiving_a_piece_ends_its_approval() {
    let team = Fixture::with_two_stages().await;
    for way in ["reopen", "archive"] {
        let id = team.submit_piece().await;
        approve(&team.ana, &id, 2).await.expect(200);
        let path = format!("/api/eventos/{id}");
        if way == "reopen" {
            let body = json!({ "expected_revision": 3 });
            let path = format!("{path}/reabrir");
            team.caio.post(&path, body).await.expect(200);
        } else {
            let body = json!({ "expected_revision": 3, "status": "arquivado" });
            team.ana.patch(&path, body).await.expect(200);
        }
        for table in ["approvals", "approval_votes"] {
            assert_eq!(team.app.count_rows(table).await, 0, "{way} {table}");
        }
        assert_eq!(load_approval(&team.ana, &id).await, Value::Null);
    }
}
