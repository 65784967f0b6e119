//! Concurrent calls with one key have one effect and get one answer.

use std::collections::BTreeSet;

use domain::{Role, time::DAY};
use serde_json::{Value, json};

use super::{
    CALLERS, CREATE, Instances, Interface, SUBMIT, Write, call_operation, interface_for,
    run_simultaneously,
};
use crate::support::Client;

/// Makes fifty concurrent calls with one key, asserts that all get the same answer, and returns it.
async fn assert_one_effect(apps: &Instances, client: &Client, call: Write, input: Value) -> Value {
    let key = "a-mesma-chave".to_owned();
    let outcomes = run_simultaneously((0..CALLERS).map(|index| {
        let client = apps.client_at(client, index);
        call_operation(
            client,
            interface_for(index),
            call,
            input.clone(),
            Some(key.clone()),
        )
    }))
    .await;
    for outcome in &outcomes {
        assert_eq!(outcome.code, None, "{}", outcome.text);
    }
    let answers: BTreeSet<&str> = outcomes.iter().map(|o| o.text.as_str()).collect();
    assert_eq!(answers.len(), 1, "{answers:?}");
    let first = outcomes
        .iter()
        .filter(|o| o.interface == Interface::Rest && !o.replayed)
        .count();
    assert!(first <= 1, "{first} REST answers are not marked as replays");
    let again = call_operation(client.clone(), Interface::Rest, call, input, Some(key)).await;
    assert!(again.replayed);
    assert_eq!(again.text, outcomes[0].text);
    let written = format!(
        "audit_events WHERE action = '{}' AND outcome = 'succeeded'",
        call.tool
    );
    assert_eq!(apps.first_instance().count_rows(&written).await, 1);
    again.parse_body()
}

async fn assert_one_demand(instances: usize) {
    let apps = Instances::new(instances).await;
    let lead = apps.first_instance().as_member(Role::Lider).await;
    let answer = assert_one_effect(&apps, &lead, CREATE, json!({ "title": "Uma só" })).await;
    assert_eq!(answer["event"]["title"], "Uma só");
    let app = apps.first_instance();
    assert_eq!(app.count_rows("events").await, 1);
    assert_eq!(app.count_rows("event_history").await, 1);
    assert_eq!(app.count_rows("idempotency_keys").await, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn fifty_calls_with_one_key_create_one_demand() {
    assert_one_demand(1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn fifty_calls_with_one_key_at_two_instances_create_one_demand() {
    assert_one_demand(2).await;
}

async fn assert_one_submission(instances: usize) {
    let apps = Instances::new(instances).await;
    let lead = apps.first_instance().as_member(Role::Lider).await;
    let id = lead.create_demand(json!({})).await;
    let input = json!({ "event_id": id, "expected_revision": 1, "caption": "Pronta" });
    let answer = assert_one_effect(&apps, &lead, SUBMIT, input).await;
    assert_eq!(answer["api_revision"], 2);
    assert_eq!(apps.first_instance().count_rows("event_history").await, 2);
    assert_eq!(lead.load_event(&id).await["api_revision"], 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn fifty_calls_with_one_key_make_one_submission() {
    assert_one_submission(1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn fifty_calls_with_one_key_at_two_instances_make_one_submission() {
    assert_one_submission(2).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn only_one_of_two_simultaneous_payloads_with_one_key_has_an_effect() {
    let apps = Instances::new(2).await;
    let lead = apps.first_instance().as_member(Role::Lider).await;
    let outcomes = run_simultaneously((0..CALLERS).map(|index| {
        // The payload changes every four calls, so that each interface and instance sends both
        // payloads.
        let title = if index % 8 < 4 { "Uma" } else { "Outra" };
        let (client, key) = (apps.client_at(&lead, index), Some("disputada".into()));
        let call = call_operation(
            client,
            interface_for(index),
            CREATE,
            json!({ "title": title }),
            key,
        );
        async move { (title, call.await) }
    }))
    .await;
    assert_eq!(apps.first_instance().count_rows("events").await, 1);
    let (won, lost): (Vec<_>, Vec<_>) = outcomes.iter().partition(|(_, o)| o.is_ok());
    let titles: BTreeSet<_> = won.iter().map(|(title, _)| *title).collect();
    assert_eq!(titles.len(), 1, "{titles:?}");
    assert!(lost.iter().all(|(title, _)| !titles.contains(title)));
    for (_, outcome) in lost {
        assert_eq!(
            outcome.code.as_deref(),
            Some("IDEMPOTENCY_KEY_REUSED"),
            "{}",
            outcome.text
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn fifty_callers_with_a_key_that_is_free_again_have_one_more_effect() {
    let apps = Instances::new(2).await;
    let member = apps.first_instance().add_member(Role::Lider).await;
    let agent = apps.first_instance().token_client(&member).await;
    let input = json!({ "title": "A" });
    let key = || Some("chave-0001".to_owned());
    let first = call_operation(agent.clone(), Interface::Rest, CREATE, input.clone(), key()).await;
    apps.first_instance().advance_clock(DAY);
    let outcomes = run_simultaneously((0..CALLERS).map(|index| {
        call_operation(
            apps.client_at(&agent, index),
            interface_for(index),
            CREATE,
            input.clone(),
            key(),
        )
    }))
    .await;
    let answers: BTreeSet<_> = outcomes.iter().map(|o| &o.text).collect();
    assert_eq!(answers.len(), 1, "{answers:?}");
    assert!(outcomes[0].is_ok());
    assert_ne!(outcomes[0].text, first.text);
    assert_eq!(apps.first_instance().count_rows("events").await, 2);
}
