//! Projects exactly at each limit, and one above it.

use domain::{
    MemberId, Role, new_id,
    project::{
        Item, ItemStatus, MOST_EVENTS, MOST_ITEMS, MOST_MEMBERS, MOST_SECTIONS, Project, Section,
    },
};
use serde_json::json;

use super::{Desk, NOBODY};

fn generate_id() -> String {
    new_id(1)
}

fn section_with_items(items: usize) -> Section {
    Section {
        id: generate_id().as_str().into(),
        title: "S".into(),
        items: (0..items).map(|_| new_item()).collect(),
    }
}

fn new_item() -> Item {
    Item {
        id: generate_id().as_str().into(),
        title: "I".into(),
        notes: String::new(),
        status: ItemStatus::Open,
        assignee_member_ids: vec![],
        due_on: None,
        event_ids: vec![],
    }
}

fn project_with_sections(sections: Vec<Section>) -> Project {
    Project {
        sections,
        ..Project::default()
    }
}

/// Texts of exactly `length` characters, of one to four bytes each.
fn texts_of_length(length: usize) -> [String; 4] {
    ["a", "ã", "한", "🎉"].map(|character| character.repeat(length))
}

#[tokio::test]
async fn titles_have_1_to_200_characters_and_notes_up_to_10000() {
    let desk = Desk::new().await;
    let section = desk.add_section("A").await;
    let item = desk.add_item(&section, "x").await;
    for (title, notes) in texts_of_length(200)
        .into_iter()
        .zip(texts_of_length(10_000))
    {
        let longer = (format!("{title}a"), format!("{notes}a"));
        let created = json!({ "name": title, "description": notes });
        desk.lead.post("/api/projects", created).await.expect(201);
        for (field, value) in [("name", &longer.0), ("description", &longer.1)] {
            let mut input = json!({ "name": "A" });
            input[field] = value.as_str().into();
            assert_eq!(
                desk.lead
                    .post("/api/projects", input)
                    .await
                    .invalid_fields(),
                [field]
            );
        }
        let kinds = [
            ("section.add", json!({}), "title"),
            ("section.rename", json!({ "section_id": section }), "title"),
            (
                "item.add",
                json!({ "section_id": section, "title": "x" }),
                "title",
            ),
            (
                "item.add",
                json!({ "section_id": section, "title": "x" }),
                "notes",
            ),
            ("item.update", json!({ "item_id": item }), "title"),
            ("item.update", json!({ "item_id": item }), "notes"),
            ("project.rename", json!({}), "title"),
            ("project.describe", json!({}), "notes"),
        ];
        for (kind, mut payload, field) in kinds {
            let (fits, long) = match field {
                "title" => (&title, &longer.0),
                _ => (&notes, &longer.1),
            };
            payload[field] = long.as_str().into();
            let refused = desk.apply_operation(kind, payload.clone()).await;
            assert_eq!(
                refused.invalid_fields(),
                [format!("payload.{field}")],
                "{kind}"
            );
            payload[field] = fits.as_str().into();
            desk.apply_operation(kind, payload.clone())
                .await
                .expect(200);
            if field == "title" {
                payload[field] = "".into();
                let refused = desk.apply_operation(kind, payload).await;
                assert_eq!(refused.invalid_fields(), ["payload.title"], "{kind}");
            }
        }
    }
    let unnamed = desk.lead.post("/api/projects", json!({ "name": "" })).await;
    assert_eq!(unnamed.invalid_fields(), ["name"]);
}

#[tokio::test]
async fn a_project_has_100_sections() {
    let desk = Desk::new().await;
    desk.overwrite_project(project_with_sections(
        (1..MOST_SECTIONS).map(|_| section_with_items(0)).collect(),
    ))
    .await;
    desk.add_section("a centésima").await;
    let refused = desk
        .apply_operation("section.add", json!({ "title": "uma a mais" }))
        .await;
    assert_eq!(
        refused.expect_refusal(409, "PROJECT_LIMIT").body["details"]["limit"],
        100
    );
    let first = desk.load_stored_project().await.project.sections[0]
        .id
        .clone();
    desk.apply_operation("section.remove", json!({ "section_id": first }))
        .await
        .expect(200);
    desk.add_section("de novo a centésima").await;
}

#[tokio::test]
async fn a_project_has_1000_items_over_all_sections() {
    let desk = Desk::new().await;
    desk.overwrite_project(project_with_sections(vec![
        section_with_items(MOST_ITEMS - 400),
        section_with_items(399),
    ]))
    .await;
    let sections = desk.load_stored_project().await.project.sections;
    desk.add_item(sections[0].id.as_str(), "o milésimo").await;
    for section in &sections {
        let payload = json!({ "section_id": section.id, "title": "um a mais" });
        let refused = desk.apply_operation("item.add", payload).await;
        assert_eq!(
            refused.expect_refusal(409, "PROJECT_LIMIT").body["details"]["limit"],
            1000
        );
    }
    let list = desk.lead.get("/api/projects").await.expect(200).body;
    assert_eq!(list["projects"][0]["counts"]["items"], 1000);
    let moved = json!({
        "item_id": sections[0].items[0].id, "section_id": sections[1].id, "position": 1000,
    });
    desk.apply_operation("item.move", moved).await.expect(200);
    desk.apply_operation("item.remove", json!({ "item_id": sections[0].items[1].id }))
        .await
        .expect(200);
    desk.add_item(sections[1].id.as_str(), "de novo o milésimo")
        .await;
}

#[tokio::test]
async fn a_project_has_200_people_and_an_item_20_assignees_and_50_events() {
    let desk = Desk::new().await;
    let mut people = vec![];
    for _ in 0..21 {
        people.push(desk.app.add_member(Role::Criador).await.id);
    }
    let event = desk.lead.create_demand(json!({})).await;
    let another = desk.lead.create_demand(json!({})).await;
    let mut project = project_with_sections(vec![section_with_items(1)]);
    let nobody = |_| MemberId::from(generate_id().as_str());
    project.members = (1..MOST_MEMBERS).map(nobody).collect();
    let crowded = &mut project.sections[0].items[0];
    crowded.event_ids = (1..MOST_EVENTS)
        .map(|_| generate_id().as_str().into())
        .collect();
    let item = crowded.id.clone();
    desk.overwrite_project(project).await;

    desk.apply_operation("member.add", json!({ "member_id": people[0] }))
        .await
        .expect(200);
    let more = desk
        .apply_operation("member.add", json!({ "member_id": people[1] }))
        .await;
    assert_eq!(
        more.expect_refusal(409, "PROJECT_LIMIT").body["details"]["limit"],
        200
    );
    desk.apply_operation("member.add", json!({ "member_id": people[0] }))
        .await
        .expect(200);

    let link = |event: &str| json!({ "item_id": item, "event_id": event });
    desk.apply_operation("item.link_event", link(&event))
        .await
        .expect(200);
    let more = desk
        .apply_operation("item.link_event", link(&another))
        .await;
    assert_eq!(
        more.expect_refusal(409, "PROJECT_LIMIT").body["details"]["limit"],
        50
    );

    let assign = |ids: &[MemberId]| json!({ "item_id": item, "assignee_member_ids": ids });
    desk.apply_operation("item.assign", assign(&people[..20]))
        .await
        .expect(200);
    let more = desk.apply_operation("item.assign", assign(&people)).await;
    assert_eq!(more.invalid_fields(), ["payload.assignee_member_ids"]);
}

#[tokio::test]
async fn a_project_has_4_megabytes() {
    let desk = Desk::new().await;
    let mut project = project_with_sections(vec![section_with_items(102)]);
    for item in &mut project.sections[0].items[..99] {
        item.notes = "🎉".repeat(10_000);
    }
    let items: Vec<_> = project.sections[0]
        .items
        .iter()
        .map(|i| i.id.clone())
        .collect();
    let size = serde_json::to_string(&project).expect("JSON").len();
    desk.overwrite_project(project).await;
    let room = store::projects::MOST_BYTES - size;
    let notes =
        |item: usize, bytes: usize| json!({ "item_id": items[item], "notes": "x".repeat(bytes) });
    let (most, last) = (9_000, room - 18_000);
    for item in [99, 100] {
        desk.apply_operation("item.update", notes(item, most))
            .await
            .expect(200);
    }
    let refused = desk
        .apply_operation("item.update", notes(101, last + 1))
        .await;
    refused.expect_refusal(409, "PROJECT_LIMIT");
    desk.apply_operation("item.update", notes(101, last))
        .await
        .expect(200);
    desk.apply_operation("item.remove", json!({ "item_id": items[0] }))
        .await
        .expect(200);
}

#[tokio::test]
async fn an_id_has_up_to_64_characters() {
    let desk = Desk::new().await;
    let remove = |id: &str| json!({ "section_id": id });
    desk.apply_operation("section.remove", remove(&"x".repeat(64)))
        .await
        .expect_refusal(404, "NOT_FOUND");
    for id in ["", &"x".repeat(65)] {
        let refused = desk.apply_operation("section.remove", remove(id)).await;
        assert_eq!(refused.invalid_fields(), ["payload.section_id"]);
    }
    assert_eq!(NOBODY.len(), 36);
}

#[tokio::test]
async fn a_write_too_long_for_a_tool_takes_effect_with_a_short_answer() {
    let desk = Desk::new().await;
    let section = desk.add_section("A").await;
    let notes = "\u{1}".repeat(10_000);
    let input = |revision: i64, key: &str| {
        json!({
            "projectId": desk.id, "type": "item.add", "expected_revision": revision,
            "payload": { "section_id": section, "title": "x", "notes": notes },
            "idempotency_key": key,
        })
    };
    for _ in ["at first", "again"] {
        let told = desk
            .lead
            .call_tool("apply_project_operation", input(2, "chave-0001"))
            .await;
        assert!(!told.is_error, "{}", told.text);
        assert_eq!(told.structured["revision"], 3);
        assert_eq!(told.structured["changed"], json!(null));
        let payload = &told.structured["operation"]["payload"];
        let item = &desk.read_project().await["sections"][0]["items"][0];
        assert_eq!(payload["item_id"], item["id"]);
        assert!(payload.get("notes").is_none() && item["notes"] == notes.as_str());
    }
    let mut whole = input(3, "chave-0002");
    whole
        .as_object_mut()
        .expect("an object")
        .remove("projectId");
    let whole = desk
        .lead
        .post(&desk.project_path(), whole)
        .await
        .expect(200)
        .body;
    assert_eq!(whole["changed"]["item"]["notes"], notes.as_str());
    assert_eq!(whole["operation"]["payload"]["notes"], notes.as_str());
}
