//! The order of checks: 400 before 404 before 409.

use domain::{
    MemberId, Role, new_id,
    project::{MOST_MEMBERS, MOST_SECTIONS, Project, Section},
};
use serde_json::{Value, json};

use super::{Desk, NOBODY};

/// Invalid inputs that the JSON schema cannot detect: operation type, payload and expected field.
fn invalid_inputs() -> [(&'static str, Value, &'static str); 3] {
    [
        (
            "project.schedule",
            json!({ "starts_on": "2026-09-02", "ends_on": "2026-09-01" }),
            "payload.ends_on",
        ),
        (
            "item.assign",
            json!({ "item_id": NOBODY, "assignee_member_ids": [NOBODY, NOBODY.to_uppercase()] }),
            "payload.assignee_member_ids",
        ),
        (
            "item.add",
            json!({
                "section_id": NOBODY, "title": "x",
                "assignee_member_ids": [NOBODY, NOBODY.to_uppercase()],
            }),
            "payload.assignee_member_ids",
        ),
    ]
}

#[tokio::test]
async fn field_errors_are_reported_first() {
    let desk = Desk::new().await;
    for (kind, payload, field) in invalid_inputs() {
        let input = json!({ "type": kind, "payload": payload, "expected_revision": 1 });
        let nowhere = format!("/api/projects/{NOBODY}/operations");
        let refused = desk.lead.post(&nowhere, input).await;
        assert_eq!(
            refused.invalid_fields(),
            [field],
            "{kind}: the field error must come before the missing project"
        );
        let refused = desk
            .apply_operation_at(&desk.lead, 9, kind, payload.clone())
            .await;
        assert_eq!(refused.invalid_fields(), [field], "{kind}: stale");
        let refused = desk.apply_operation(kind, payload).await;
        assert_eq!(
            refused.invalid_fields(),
            [field],
            "{kind}: the field error must come before the missing item"
        );
    }
    desk.apply_operation("project.archive", json!({}))
        .await
        .expect(200);
    for (kind, payload, field) in invalid_inputs() {
        let refused = desk.apply_operation(kind, payload).await;
        assert_eq!(refused.invalid_fields(), [field], "{kind}: archived");
    }
}

#[tokio::test]
async fn a_missing_resource_is_reported_before_an_archived_project() {
    let desk = Desk::new().await;
    let section = desk.add_section("A").await;
    let item = desk.add_item(&section, "x").await;
    desk.apply_operation("project.archive", json!({}))
        .await
        .expect(200);
    for (kind, payload) in [
        (
            "section.rename",
            json!({ "section_id": NOBODY, "title": "B" }),
        ),
        ("item.complete", json!({ "item_id": NOBODY })),
        (
            "item.move",
            json!({ "item_id": item, "section_id": NOBODY }),
        ),
        (
            "item.assign",
            json!({ "item_id": item, "assignee_member_ids": [NOBODY] }),
        ),
        (
            "item.link_event",
            json!({ "item_id": item, "event_id": NOBODY }),
        ),
        (
            "item.unlink_event",
            json!({ "item_id": item, "event_id": NOBODY }),
        ),
        ("member.add", json!({ "member_id": NOBODY })),
        ("member.remove", json!({ "member_id": NOBODY })),
    ] {
        let refused = desk.apply_operation(kind, payload).await;
        assert_eq!(
            (refused.status, refused.error_code()),
            (404, "NOT_FOUND"),
            "{kind}"
        );
    }
    let known = json!({ "item_id": item });
    desk.apply_operation("item.complete", known)
        .await
        .expect_refusal(409, "PROJECT_ARCHIVED");
}

#[tokio::test]
async fn a_missing_resource_is_reported_before_a_limit() {
    let desk = Desk::new().await;
    let empty = || Section {
        id: new_id(1).as_str().into(),
        title: "S".into(),
        items: vec![],
    };
    let nobody = |_| MemberId::from(new_id(1).as_str());
    desk.overwrite_project(Project {
        sections: (0..MOST_SECTIONS).map(|_| empty()).collect(),
        members: (0..MOST_MEMBERS).map(nobody).collect(),
        ..Project::default()
    })
    .await;
    desk.apply_operation("member.add", json!({ "member_id": NOBODY }))
        .await
        .expect_refusal(404, "NOT_FOUND");
    let ana = desk.app.add_member(Role::Criador).await;
    desk.apply_operation("member.add", json!({ "member_id": ana.id }))
        .await
        .expect_refusal(409, "PROJECT_LIMIT");
}
