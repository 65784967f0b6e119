//! No open item is assigned to a former member, even if an item or project is reopened or restored
//! later.

use domain::{MemberId, Role, project::ItemStatus};
use futures::future::join_all;
use serde_json::{Value, json};
use store::members::{self, Member};

use super::{Desk, create_project};
use crate::support::Client;

impl Desk {
    async fn add_assigned_item(&self, section: &str, title: &str, ids: &[&MemberId]) -> String {
        let item = self.add_item(section, title).await;
        let assign = json!({ "item_id": item, "assignee_member_ids": ids });
        self.apply_operation("item.assign", assign)
            .await
            .expect(200);
        item
    }
}

/// A project with a section, two members, and an admin who can offboard them.
struct Leaving {
    desk: Desk,
    admin: Client,
    people: [Member; 2],
    section: String,
}

impl Leaving {
    async fn new() -> Self {
        let desk = Desk::new().await;
        Self {
            admin: desk.app.as_member(Role::Admin).await,
            people: [
                desk.app.add_member(Role::Criador).await,
                desk.app.add_member(Role::Criador).await,
            ],
            section: desk.add_section("A").await,
            desk,
        }
    }
}

async fn offboard(admin: &Client, member: &Member) {
    let path = format!("/api/membros/{}", member.id);
    admin.delete(&path).await.expect(200);
}

#[tokio::test]
async fn an_item_is_reopened_without_former_members() {
    let Leaving {
        desk,
        admin,
        people: [ana, bia],
        section,
    } = Leaving::new().await;
    let item = desk
        .add_assigned_item(&section, "x", &[&ana.id, &bia.id])
        .await;
    let it = json!({ "item_id": item });
    desk.apply_operation("item.complete", it.clone())
        .await
        .expect(200);
    offboard(&admin, &ana).await;
    let done = desk.read_project().await["sections"][0]["items"][0].clone();
    assert_eq!(done["assignee_member_ids"], json!([ana.id, bia.id]));
    let reopened = desk
        .apply_operation("item.reopen", it.clone())
        .await
        .expect(200)
        .body;
    assert_eq!(
        reopened["changed"]["item"]["assignee_member_ids"],
        json!([bia.id])
    );
    assert_eq!(
        reopened["operation"]["payload"],
        json!({ "item_id": item, "former_member_ids": [ana.id] })
    );
    let again = desk
        .apply_operation("item.reopen", it.clone())
        .await
        .expect(200)
        .body;
    assert_eq!(again["operation"], Value::Null);
    desk.apply_operation("item.complete", it.clone())
        .await
        .expect(200);
    let reopened = desk
        .apply_operation("item.reopen", it.clone())
        .await
        .expect(200)
        .body;
    assert_eq!(
        reopened["operation"]["payload"], it,
        "no member has left since, so the operation must name none"
    );
    desk.assert_replays().await;
}

#[tokio::test]
async fn a_project_is_restored_without_former_members() {
    let Leaving {
        desk,
        admin,
        people: [ana, bia],
        section,
    } = Leaving::new().await;
    let open = desk
        .add_assigned_item(&section, "aberto", &[&ana.id, &bia.id])
        .await;
    let done = desk.add_assigned_item(&section, "feito", &[&ana.id]).await;
    desk.apply_operation("item.complete", json!({ "item_id": done }))
        .await
        .expect(200);
    for person in [&ana, &bia] {
        let person = json!({ "member_id": person.id });
        desk.apply_operation("member.add", person).await.expect(200);
    }
    desk.apply_operation("project.archive", json!({}))
        .await
        .expect(200);
    offboard(&admin, &ana).await;
    let restored = desk
        .apply_operation("project.restore", json!({}))
        .await
        .expect(200)
        .body;
    assert_eq!(
        restored["operation"]["payload"],
        json!({ "former_member_ids": [ana.id] })
    );
    let changed = &restored["changed"];
    assert_eq!(changed["project"]["status"], "ativo");
    assert_eq!(changed["unassigned_item_ids"], json!([open]));
    let project = desk.read_project().await;
    assert_eq!(
        project["members"],
        json!([{ "id": bia.id, "name": bia.name }])
    );
    let items = &project["sections"][0]["items"];
    assert_eq!(items[0]["assignee_member_ids"], json!([bia.id]));
    assert_eq!(items[1]["assignee_member_ids"], json!([ana.id]));
    desk.apply_operation("item.reopen", json!({ "item_id": done }))
        .await
        .expect(200);
    let project = desk.read_project().await;
    let items = &project["sections"][0]["items"];
    assert_eq!(items[1]["assignee_member_ids"], json!([]));
    desk.assert_replays().await;
}

#[tokio::test]
async fn a_client_may_not_send_former_member_ids() {
    let desk = Desk::new().await;
    let ana = desk.app.add_member(Role::Criador).await;
    for kind in ["item.reopen", "project.restore"] {
        let payload = json!({ "item_id": ana.id, "former_member_ids": [ana.id] });
        let refused = desk.apply_operation(kind, payload).await;
        assert!(
            refused
                .invalid_fields()
                .contains(&"payload.former_member_ids")
        );
    }
}

/// The number of projects that assign work to one member while the member is being offboarded.
const PROJECTS: usize = 6;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_open_item_stays_with_a_member_who_is_offboarded_while_it_is_assigned() {
    let desk = Desk::new().await;
    let admin = desk.app.as_member(Role::Admin).await;
    let second = desk.app.second_instance().await;
    let mut places = vec![];
    for number in 0..PROJECTS {
        let id = create_project(&desk.lead, &format!("P{number}")).await;
        let place = Desk {
            id,
            lead: desk.lead.clone(),
            app: desk.app.second_instance().await,
        };
        let section = place.add_section("A").await;
        let item = place.add_item(&section, "x").await;
        places.push((place, section, item));
    }
    for round in 0..12 {
        let ana = desk.app.add_member(Role::Criador).await;
        let mut gifts = vec![];
        for (index, (place, section, item)) in places.iter().enumerate() {
            let (kind, payload) = match (round + index) % 4 {
                0 | 1 => (
                    "item.assign",
                    json!({ "item_id": item, "assignee_member_ids": [ana.id] }),
                ),
                2 => (
                    "item.add",
                    json!({
                        "section_id": section, "title": "y", "assignee_member_ids": [ana.id],
                    }),
                ),
                _ => {
                    let assign = json!({ "item_id": item, "assignee_member_ids": [ana.id] });
                    place
                        .apply_operation("item.assign", assign)
                        .await
                        .expect(200);
                    let done = json!({ "item_id": item });
                    place
                        .apply_operation("item.complete", done.clone())
                        .await
                        .expect(200);
                    ("item.reopen", done)
                }
            };
            gifts.push((place, kind, payload));
        }
        let given = join_all(gifts.into_iter().map(|(place, kind, payload)| async move {
            // Offboarding writes to the projects too, so a call that is refused as stale is
            // repeated.
            for _ in 0..20 {
                let answer = place
                    .apply_operation_as(&place.lead, kind, payload.clone())
                    .await;
                if answer.error_code() != "STALE_REVISION" {
                    assert!([200, 404].contains(&answer.status), "{}", answer.text);
                    return;
                }
            }
            panic!("the call was refused as stale twenty times");
        }));
        let gone = async {
            // Varies the delay from round to round.
            for _ in 0..round {
                tokio::task::yield_now().await;
            }
            offboard(&admin.at_instance(&second), &ana).await;
        };
        tokio::join!(given, gone);
        for (place, ..) in &places {
            let db = place.app.app.gateway.services.db.reader();
            let left = members::find(&db, &ana.id).await.expect("reads");
            assert!(!left.expect("a member").active);
            let project = place.load_stored_project().await.project;
            let items = project.sections.iter().flat_map(|section| &section.items);
            let named = items
                .filter(|item| item.status == ItemStatus::Open)
                .any(|item| item.assignee_member_ids.contains(&ana.id));
            assert!(!named, "round {round}: an open item names a former member");
            place.assert_replays().await;
        }
    }
}
