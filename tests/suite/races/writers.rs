//! Concurrent writes without a shared key: one wins, or each takes effect.

use domain::Role;
use serde_json::json;

use super::{
    CALLERS, DECIDE, DRAFT, Instances, PUBLISH, call_operation, interface_for, run_simultaneously,
};

async fn assert_one_writer_wins(instances: usize) {
    let apps = Instances::new(instances).await;
    let lead = apps.first_instance().as_member(Role::Lider).await;
    let id = lead.create_demand(json!({})).await;
    let outcomes = run_simultaneously((0..CALLERS).map(|index| {
        let caption = format!("legenda {index}");
        let input = json!({ "event_id": id, "expected_revision": 1, "caption": caption });
        let call = call_operation(
            apps.client_at(&lead, index),
            interface_for(index),
            DRAFT,
            input,
            None,
        );
        async move { (caption, call.await) }
    }))
    .await;

    let (won, lost): (Vec<_>, Vec<_>) = outcomes.iter().partition(|(_, o)| o.is_ok());
    assert_eq!((won.len(), lost.len()), (1, CALLERS - 1));
    for (_, outcome) in lost {
        assert_eq!(
            outcome.code.as_deref(),
            Some("STALE_REVISION"),
            "{}",
            outcome.text
        );
        assert_eq!(outcome.current, 2, "{}", outcome.text);
    }
    let event = lead.load_event(&id).await;
    assert_eq!(event["api_revision"], 2);
    assert_eq!(event["description"], *won[0].0);
    assert_eq!(apps.first_instance().count_rows("event_history").await, 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_of_fifty_writers_with_one_revision_wins_and_the_others_get_the_new_revision() {
    assert_one_writer_wins(1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_of_fifty_writers_at_two_instances_wins() {
    assert_one_writer_wins(2).await;
}

async fn assert_one_decision(instances: usize) {
    let apps = Instances::new(instances).await;
    let lead = apps.first_instance().as_member(Role::Lider).await;
    for round in 0..20 {
        let id = lead.create_demand(json!({})).await;
        let submit = json!({ "event_id": id, "expected_revision": 1 });
        lead.post("/api/enviar", submit).await.expect(200);
        let outcomes = run_simultaneously(["aprovar", "recusar"].into_iter().enumerate().map(
            |(i, action)| {
                let client = apps.client_at(&lead, 2 * i);
                let input = json!({ "event_id": id, "action": action });
                let call = call_operation(client, interface_for(round + i), DECIDE, input, None);
                async move { (action, call.await) }
            },
        ))
        .await;
        let (won, lost): (Vec<_>, Vec<_>) = outcomes.iter().partition(|(_, o)| o.is_ok());
        assert_eq!((won.len(), lost.len()), (1, 1));
        assert_eq!(
            lost[0].1.code.as_deref(),
            Some("EVENT_NOT_PENDING"),
            "{}",
            lost[0].1.text
        );
        let status = if won[0].0 == "aprovar" {
            "aprovado"
        } else {
            "recusado"
        };
        let event = lead.load_event(&id).await;
        assert_eq!(
            (&event["status"], &event["api_revision"]),
            (&json!(status), &json!(3))
        );
    }
    let decided = "event_history WHERE action = 'decide_approval'";
    assert_eq!(apps.first_instance().count_rows(decided).await, 20);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn exactly_one_of_a_simultaneous_approval_and_refusal_decides() {
    assert_one_decision(1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn exactly_one_of_an_approval_and_a_refusal_at_two_instances_decides() {
    assert_one_decision(2).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn identical_simultaneous_approvals_all_succeed_and_leave_one_history_line() {
    let apps = Instances::new(2).await;
    let lead = apps.first_instance().as_member(Role::Lider).await;
    let id = lead.create_demand(json!({})).await;
    lead.post(
        "/api/enviar",
        json!({ "event_id": id, "expected_revision": 1 }),
    )
    .await
    .expect(200);
    let input = json!({ "event_id": id, "action": "aprovar", "caption": "Final" });
    let outcomes = run_simultaneously((0..CALLERS).map(|index| {
        call_operation(
            apps.client_at(&lead, index),
            interface_for(index),
            DECIDE,
            input.clone(),
            None,
        )
    }))
    .await;
    for outcome in &outcomes {
        assert_eq!(outcome.code, None, "{}", outcome.text);
        assert_eq!(outcome.parse_body()["api_revision"], 3);
    }
    let decided = "event_history WHERE action = 'decide_approval'";
    assert_eq!(apps.first_instance().count_rows(decided).await, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn configurations_published_at_once_get_different_versions() {
    let apps = Instances::new(2).await;
    let admin = apps.first_instance().as_member(Role::Admin).await;
    let outcomes = run_simultaneously((0..CALLERS).map(|index| {
        let input = json!({ "key": "cores", "value": { "tom": index } });
        let call = call_operation(
            apps.client_at(&admin, index),
            interface_for(index),
            PUBLISH,
            input,
            None,
        );
        async move { (index, call.await) }
    }))
    .await;
    let mut versions: Vec<_> = outcomes
        .iter()
        .map(|(index, outcome)| {
            (
                outcome.parse_body()["version"].as_i64().expect("a version"),
                *index,
            )
        })
        .collect();
    versions.sort_unstable();
    let expected: Vec<i64> = (1..=50).collect();
    assert_eq!(
        versions
            .iter()
            .map(|(version, _)| *version)
            .collect::<Vec<_>>(),
        expected
    );

    // The log lists each version with the value that its caller sent, newest first.
    let log = admin
        .get("/api/config/log?key=cores")
        .await
        .expect(200)
        .body;
    let log = log["log"].as_array().expect("a list").iter();
    let logged: Vec<_> = log
        .map(|v| (v["version"].clone(), v["value"]["tom"].clone()))
        .collect();
    let sent: Vec<_> = versions
        .iter()
        .rev()
        .map(|(v, i)| (json!(v), json!(i)))
        .collect();
    assert_eq!(logged, sent);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_simultaneous_assignment_and_draft_are_both_kept() {
    let apps = Instances::new(2).await;
    let lead = apps.first_instance().as_member(Role::Lider).await;
    let author = apps.first_instance().add_member(Role::Criador).await;
    for _ in 0..20 {
        let id = lead.create_demand(json!({})).await;
        let draft = json!({ "event_id": id, "expected_revision": 1, "caption": "Legenda" });
        let patch = json!({ "expected_revision": 1, "assignee_ids": [author.id] });
        let (one, other) = (apps.client_at(&lead, 0), apps.client_at(&lead, 2));
        let path = format!("/api/eventos/{id}");
        let drafted = async move { one.post("/api/draft", draft).await.status };
        let assigned = async move { other.patch(&path, patch).await.status };
        let calls: [futures::future::BoxFuture<'static, u16>; 2] =
            [Box::pin(drafted), Box::pin(assigned)];
        let mut statuses = run_simultaneously(calls).await;
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 409]);
        let event = lead.load_event(&id).await;
        let drafted = event["description"] == "Legenda";
        let assigned = event["assignee_member_ids"] == json!([author.id]);
        assert!(drafted ^ assigned, "{event}");
        assert_eq!(event["api_revision"], 2);
    }
}
