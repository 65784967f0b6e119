//! Two people decide at the same time: one decision is accepted, and the refusal of the other
//! describes the accepted one.

use std::sync::Arc;

use domain::time::DAY;
use serde_json::{Value, json};
use tokio::sync::Barrier;

use super::{Fixture, approve, decide, load_approval, load_history};
use crate::support::{Answer, Client};

/// Sends both decisions at the same moment.
async fn decide_at_once(calls: [(Client, Value); 2]) -> [Answer; 2] {
    let gate = Arc::new(Barrier::new(2));
    let tasks = calls.map(|(client, body)| {
        let gate = gate.clone();
        tokio::spawn(async move {
            gate.wait().await;
            client.post("/api/aprovar", body).await
        })
    });
    let [one, two] = tasks;
    [one.await.expect("ends"), two.await.expect("ends")]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_of_two_deciders_at_two_instances_wins_and_the_other_reads_what_was_decided() {
    let team = Fixture::with_stages(|team| {
        json!([
            { "nome": "Revisão", "membros": [team.ana_id, team.bia_id] },
            { "nome": "Direção", "membros": [team.ana_id, team.bia_id] },
        ])
    })
    .await;
    let other = team.app.second_instance().await;
    for (round, actions) in [["aprovar", "aprovar"], ["aprovar", "recusar"]]
        .repeat(6)
        .iter()
        .enumerate()
    {
        let id = team.submit_piece().await;
        let body = |action: &str| {
            let mut body = json!({ "event_id": id, "action": action });
            // Only half of the rounds name a revision.
            if round % 4 < 2 {
                body["expected_revision"] = 2.into();
            }
            body
        };
        let calls = [
            (team.ana.clone(), body(actions[0])),
            (team.bia.at_instance(&other), body(actions[1])),
        ];
        let answers = decide_at_once(calls).await;
        let won = answers.iter().filter(|answer| answer.status == 200).count();
        let statuses = || {
            answers
                .iter()
                .map(|one| one.text.clone())
                .collect::<Vec<_>>()
        };
        if round % 4 < 2 {
            assert_eq!(won, 1, "{:?}", statuses());
            let lost = answers
                .iter()
                .find(|one| one.status != 200)
                .expect("a loser");
            assert_eq!(lost.error_code(), "STALE_REVISION", "{}", lost.text);
            let since = &lost.body["details"]["since"][0];
            assert_eq!(since["action"], "decide_approval");
            assert_eq!(
                (&since["stage"], since["actor_name"].is_string()),
                (&json!("Revisão"), true)
            );
            assert!(since["decision"].is_string(), "{since}");
            assert_eq!(load_history(&team.ana, &id).await.len(), 3);
        } else {
            // Without a revision, the second decision may arrive after the first one has been
            // completed. It then applies to the current stage.
            assert!(won >= 1, "{:?}", statuses());
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_two_simultaneous_approvals_the_refused_one_succeeds_after_a_new_read() {
    let team = Fixture::with_stages(|team| {
        json!([{ "nome": "Ambas", "membros": [team.ana_id, team.bia_id], "exige": "todos" }])
    })
    .await;
    for _ in 0..10 {
        let id = team.submit_piece().await;
        let body = json!({ "event_id": id, "action": "aprovar", "expected_revision": 2 });
        let calls = [(team.ana.clone(), body.clone()), (team.bia.clone(), body)];
        let answers = decide_at_once(calls).await;
        let lost = answers
            .iter()
            .position(|answer| answer.status == 409)
            .expect("a loser");
        assert_eq!(answers[1 - lost].status, 200);
        let loser = [&team.ana, &team.bia][lost];
        let decided = approve(loser, &id, 3).await.expect(200).body;
        assert_eq!(decided["status"], "aprovado");
    }
}

#[tokio::test]
async fn a_stale_revision_is_refused_and_nothing_changes() {
    let team = Fixture::with_two_stages().await;
    let id = team.submit_piece().await;
    let before = team.ana.load_event(&id).await;
    for action in ["aprovar", "recusar"] {
        decide(&team.ana, &id, action, 1)
            .await
            .expect_refusal(409, "STALE_REVISION");
    }
    assert_eq!(team.ana.load_event(&id).await, before);
    approve(&team.ana, &id, 2).await.expect(200);
    // Bia's decision names the revision of the first stage, so it does not apply to the second
    // stage.
    approve(&team.bia, &id, 2)
        .await
        .expect_refusal(409, "STALE_REVISION");
    assert_eq!(load_approval(&team.bia, &id).await["numero"], 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_deadline_that_passes_during_a_decision_never_marks_the_next_stage() {
    let mut team = Fixture::with_stages(|team| {
        json!([
            { "nome": "Revisão", "membros": [team.ana_id], "prazo_horas_uteis": 1,
              "avisar": [team.bia_id], "ao_vencer": "lembrar" },
            { "nome": "Direção", "membros": [team.bia_id], "prazo_horas_uteis": 1 },
        ])
    })
    .await;
    let other = team.app.second_instance().await;
    let mut ids = vec![];
    for _ in 0..10 {
        ids.push(team.submit_piece().await);
    }
    team.advance_clock(3 * DAY).await;
    let gate = Arc::new(Barrier::new(2));
    let (starts, ana, pieces) = (gate.clone(), team.ana.clone(), ids.clone());
    let decisions = tokio::spawn(async move {
        starts.wait().await;
        for id in &pieces {
            approve(&ana, id, 2).await.expect(200);
        }
    });
    gate.wait().await;
    other.app.worker().drain().await.expect("the jobs run");
    decisions.await.expect("ends");
    for id in &ids {
        let approval = load_approval(&team.bia, id).await;
        assert_eq!(
            (&approval["etapa"], &approval["atrasada"]),
            (&json!("Direção"), &json!(false))
        );
    }
}
