//! Each write notifies the members who can read the changed resource.

use std::collections::BTreeSet;

use domain::{Level, Role, time::SECOND};
use gateway::{Credential, Principal, Watcher};
use pauta::artifacts::Example;
use serde_json::Value;
use store::members::Member;

use super::examples::{call_by_rest, start_stage};
use crate::support::{TestApp, examples::example_input};

fn start_watching_as(app: &TestApp, member: Member) -> Watcher {
    let session = Credential::Session { family_id: None };
    let gateway = &app.app.gateway;
    let caller = Principal::new(member, session);
    Watcher::new(
        &gateway.services.changes,
        gateway.registry.clone(),
        caller,
        None,
    )
}

#[tokio::test]
async fn every_write_notifies_the_members_who_can_read_its_area() {
    let (app, helena) = start_stage().await;
    let mut admin = start_watching_as(
        &app,
        app.add_member_with(Role::Admin, Level::Admin, true).await,
    );
    let mut newcomer = start_watching_as(&app, app.add_member(Role::Criador).await);
    let mut told_newcomer = BTreeSet::new();
    for operation in &app.app.gateway.registry.operations {
        app.advance_clock(SECOND);
        let spec = &operation.spec;
        let example = Example {
            input: example_input(spec.name),
            answer: Value::Null,
        };
        let client = helena.client_for(&app, operation).await;
        admin.next_news().await;
        let answer = call_by_rest(&client, operation, &example).await;
        assert_eq!(answer.status, spec.success, "{}", answer.text);
        // As long as a service does not listen to other instances, it names no areas, because
        // anything may have changed.
        let Some(told) = admin.next_news().await.areas else {
            continue;
        };
        let reads = app.app.gateway.registry.operations.iter().any(|other| {
            let read = &other.spec;
            let is_same = other.area.name == operation.area.name;
            is_same && !read.is_recorded() && !read.access.is_public()
        });
        let name = spec.name;
        // Changes of a member's inbox, calendars and push devices notify only this member, so the
        // admin gets no notice of them.
        let is_private = spec.resource.is_some_and(|(kind, _)| {
            ["inbox", "calendar_feed", "push_device"].contains(&kind.kind)
        });
        if is_private {
            assert!(!told.contains_key(operation.area.name), "{name}: {told:?}");
        } else if spec.is_recorded() && reads {
            assert!(told.contains_key(operation.area.name), "{name}: {told:?}");
        } else {
            assert!(!told.contains_key(operation.area.name), "{name}: {told:?}");
        }
        let told = newcomer.next_news().await.areas.unwrap_or_default();
        told_newcomer.extend(told.into_keys().map(|area| (area, name)));
    }
    // A newcomer cannot read Helena's events, tokens, agents and passwords.
    let areas: BTreeSet<&str> = told_newcomer
        .iter()
        .map(|(area, _)| area.as_str())
        .collect();
    for area in [
        "workflow",
        "platforms",
        "launches",
        "sales",
        "subscriptions",
    ] {
        assert!(!areas.contains(area), "{told_newcomer:?}");
    }
    for area in ["projects", "email_drafts", "skills", "members"] {
        assert!(areas.contains(area), "{told_newcomer:?}");
    }
    assert!(!told_newcomer.iter().any(|(_, name)| name.contains("token")));
}
