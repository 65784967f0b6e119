//! Deadlines of stages. The clock of each test starts at noon on a Saturday.

use domain::time::{DAY, HOUR};
use serde_json::{Value, json};

use super::{Fixture, approve, list_pending, load_approval, load_history};

const DUE: &str = "2026-08-24T14:00:00.000Z";

async fn team_with_deadline(end: &str) -> Fixture {
    Fixture::with_stages(|team| {
        let mut review = json!({ "nome": "Revisão", "membros": [team.ana_id],
            "prazo_horas_uteis": 2, "ao_vencer": end });
        if end != "segurar" {
            review["avisar"] = json!([team.bia_id]);
        }
        json!([review, { "nome": "Direção", "papel": "admin" }])
    })
    .await
}

async fn audit_rows(team: &Fixture) -> Vec<Value> {
    let rows = team
        .admin
        .get("/api/access/audit?limit=200")
        .await
        .expect(200);
    let rows = rows.body["audit"].as_array().expect("a list").clone();
    let is_overdue = |row: &Value| {
        row["action"]
            .as_str()
            .is_some_and(|text| text.ends_with("_overdue_stage"))
    };
    rows.into_iter().filter(is_overdue).collect()
}

#[tokio::test]
async fn a_deadline_counts_working_hours_and_is_handled_once() {
    for (end, action, waits, decides) in [
        ("lembrar", Some("remind_overdue_stage"), true, false),
        ("escalar", Some("escalate_overdue_stage"), true, true),
        ("segurar", None, false, false),
    ] {
        let mut team = team_with_deadline(end).await;
        let id = team.submit_piece().await;
        assert_eq!(load_approval(&team.ana, &id).await["prazo"], DUE);
        team.app.app.worker().drain().await.expect("the jobs run");
        assert_eq!(load_approval(&team.ana, &id).await["atrasada"], false);

        // Moves the clock to 11:00 on Monday.
        team.advance_clock(2 * DAY - HOUR).await;
        let other = team.app.second_instance().await;
        for _ in 0..2 {
            let (mut one, mut two) = (team.app.app.worker(), other.app.worker());
            let (one, two) = futures::future::join(one.drain(), two.drain()).await;
            one.and(two).expect("the jobs run");
            team.advance_clock(HOUR).await;
        }
        let approval = load_approval(&team.bia, &id).await;
        assert_eq!(approval["atrasada"], true);
        assert_eq!(approval["etapa"], "Revisão", "a deadline decides nothing");
        let ids: Vec<_> = approval["espera_por"]
            .as_array()
            .expect("a list")
            .iter()
            .collect();
        let names_bia = ids.iter().any(|one| one["id"] == team.bia_id.as_str());
        assert_eq!(names_bia, waits, "{end}");
        assert_eq!(approval["pode_aprovar"], decides, "{end}");
        assert_eq!(
            list_pending(&team.bia, "").await.len(),
            usize::from(waits),
            "{end}"
        );
        let rows = audit_rows(&team).await;
        let actions: Vec<_> = rows.iter().map(|row| row["action"].as_str()).collect();
        assert_eq!(actions, Vec::from_iter(action.map(Some)), "{end}");
        let event = team.ana.load_event(&id).await;
        assert_eq!(
            (&event["api_revision"], &event["status"]),
            (&json!(2), &json!("em aprovação"))
        );

        let answer = approve(&team.bia, &id, 2).await;
        if !decides {
            answer.expect_refusal(403, "NOT_YOUR_STAGE");
            continue;
        }
        let moved = answer.expect(200).body["aprovacao"].clone();
        assert_eq!(
            (&moved["etapa"], &moved["atrasada"]),
            (&json!("Direção"), &json!(false))
        );
        assert_eq!(moved["espera_por"], json!(["admin"]));
        let line = load_history(&team.bia, &id).await[0].clone();
        assert_eq!(line["changes"]["decided_as"]["after"], "escalada");
    }
}

#[tokio::test]
async fn a_stage_that_was_decided_in_time_is_not_overdue() {
    let mut team = team_with_deadline("lembrar").await;
    let id = team.submit_piece().await;
    approve(&team.ana, &id, 2).await.expect(200);
    team.advance_clock(30 * DAY).await;
    team.app.app.worker().drain().await.expect("the jobs run");
    assert_eq!(load_approval(&team.ana, &id).await["atrasada"], false);
    assert_eq!(audit_rows(&team).await, Vec::<Value>::new());
}

#[tokio::test]
async fn an_instance_that_starts_after_the_deadline_handles_it() {
    let mut team = team_with_deadline("lembrar").await;
    let id = team.submit_piece().await;
    team.advance_clock(30 * DAY).await;
    let restarted = team.app.second_instance().await;
    restarted.app.worker().drain().await.expect("the jobs run");
    assert_eq!(load_approval(&team.ana, &id).await["atrasada"], true);
    assert_eq!(audit_rows(&team).await.len(), 1);
    assert_eq!(audit_rows(&team).await[0]["resource_id"], id.as_str());
}
