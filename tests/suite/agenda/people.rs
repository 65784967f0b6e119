//! The list of the team, and the filters by person, channel and period.

use domain::{Capability, Role};
use serde_json::json;

use super::{list_titles, path_with_query};
use crate::support::TestApp;

#[tokio::test]
async fn the_team_is_listed_for_members_who_see_or_assign_the_agenda() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let other = app.add_member(Role::Criador).await;
    for scope in [Capability::TasksView, Capability::TasksAssign] {
        let (agent, _) = app.token_client_with(&member, &[scope]).await;
        let team = agent.call_tool("list_team", json!({})).await.structured;
        let people = team["equipe"].as_array().expect("a list").clone();
        let expected = json!({ "id": other.id, "name": other.name,
            "access_level": "criador", "pode_aprovar": false });
        assert!(people.contains(&expected), "{team}");
        let able = people.iter().find(|one| one["id"] == json!(member.id));
        assert_eq!(able.expect("the leader")["pode_aprovar"], true);
        let over_rest = agent.get("/api/equipe").await.expect(200).body;
        assert_eq!(over_rest["equipe"], team["equipe"]);
    }
    let (agent, _) = app.token_client_with(&member, &[Capability::Art]).await;
    agent
        .get("/api/equipe")
        .await
        .expect_refusal(403, "CAPABILITY_REQUIRED");
}

#[tokio::test]
async fn people_are_found_by_name_and_events_are_filtered_by_their_id() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let member = app.add_member(Role::Criador).await;
    lead.create_demand(json!({ "title": "De outra pessoa" }))
        .await;
    lead.create_demand(json!({ "title": "Da pessoa", "assignee_id": member.id }))
        .await;
    for name in [member.name.clone(), member.name.to_uppercase()] {
        let refused = lead
            .get(&path_with_query("/api/eventos", &[("assignee_id", &name)]))
            .await;
        assert_eq!(refused.invalid_fields(), ["assignee_id"]);
        assert!(refused.text.contains("list_team"), "{}", refused.text);
        let found = list_titles(&lead, &path_with_query("/api/eventos", &[("q", &name)])).await;
        assert_eq!(found, ["Da pessoa"]);
    }
}

#[tokio::test]
async fn channels_that_differ_only_in_case_or_accents_are_the_same() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let id = lead
        .create_demand(json!({ "title": "A", "channel": " Rádio ", "day": 1, "month": 9 }))
        .await;
    lead.create_demand(json!({ "title": "B", "channel": "radio", "day": 2, "month": 9 }))
        .await;
    lead.create_demand(json!({ "title": "C", "channel": "Instagram" }))
        .await;
    assert_eq!(lead.load_event(&id).await["channel"], "rádio");
    for spelling in ["radio", "RÁDIO", "Rádio"] {
        let path = path_with_query("/api/eventos", &[("channel", spelling)]);
        assert_eq!(list_titles(&lead, &path).await, ["A", "B"], "{spelling}");
    }
    assert_eq!(
        list_titles(&lead, "/api/eventos?channel=blog").await,
        [""; 0]
    );
    let same = json!({ "expected_revision": 1, "channel": "Radio" });
    let same = lead
        .patch(&format!("/api/eventos/{id}"), same)
        .await
        .expect(200)
        .body;
    assert_eq!(same["api_revision"], 1);
}

#[tokio::test]
async fn a_period_that_ends_before_it_begins_is_refused() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let refused = lead.get("/api/eventos?de=2026-09-02&ate=2026-09-01").await;
    assert_eq!(refused.invalid_fields(), ["ate"]);
    lead.get("/api/eventos?de=2026-09-01&ate=2026-09-01")
        .await
        .expect(200);
}
