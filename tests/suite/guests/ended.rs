//! What ends between the request of a guest and its effect, and what hides a piece.

use domain::{EventStatus, GUEST_PREFIX, Role};
use gateway::{CallInput, Door, Origin, Progress, RequestHead};
use serde_json::{Value, json};

use super::{create_link, decide, guest_client, list_pieces, post_remark, secret_of, submit_piece};
use crate::support::{Client, TestApp};

fn origin() -> Origin {
    Origin {
        door: Door::Rest,
        request_id: "late".into(),
        trace: None,
        client: None,
        address: None,
        secret: None,
        head: RequestHead::default(),
        progress: Progress::default(),
    }
}

/// The link is revoked, or expires, after the guest was authenticated and before the transaction of the
/// write begins.
#[tokio::test]
async fn a_link_that_ends_before_the_write_begins_writes_nothing() {
    let app = TestApp::new().await;
    let session = app.as_member(Role::Lider).await;
    let id = submit_piece(&session, "Peça", "Legenda").await;
    for ends in ["revoked_at = 1", "expires_at = 1"] {
        let made = create_link(&session, "decidir", json!({ "pecas": [id] })).await;
        let sent = post_remark(&guest_client(&app, &made), &id, "Antes", json!({})).await;
        let own = sent.expect(200).body["id"].clone();
        let gateway = &app.app.gateway;
        let bearer = format!("{GUEST_PREFIX}{}", secret_of(&made));
        let caller = gateway
            .authenticate(Some(&bearer), Door::Rest)
            .await
            .expect("a guest");
        let link = made["link"]["id"].as_str().expect("an id");
        let sql = format!("UPDATE guest_links SET {ends} WHERE id = '{link}'");
        app.execute_statement(&sql, []).await;
        for (name, input) in [
            (
                "add_guest_remark",
                json!({ "event_id": id, "texto": "Depois", "api_revision": 2 }),
            ),
            (
                "decide_as_guest",
                json!({ "event_id": id, "acao": "aprovar", "api_revision": 2 }),
            ),
            (
                "update_guest_remark",
                json!({ "remarkId": own, "texto": "Depois" }),
            ),
            ("remove_guest_remark", json!({ "remarkId": own })),
        ] {
            let mut operations = gateway.registry.operations.iter();
            let operation = operations.find(|one| one.spec.name == name);
            let operation = operation.expect("an operation");
            let input = input.as_object().expect("an object").clone();
            let sent = async { Ok(CallInput::from(input)) };
            let refused = gateway
                .invoke(operation, Some(&caller), &origin(), sent)
                .await;
            let refused = refused
                .err()
                .unwrap_or_else(|| panic!("{name} after {ends}"));
            assert_eq!(refused.status(), 401, "{name}");
        }
    }
    assert_eq!(session.load_event(&id).await["status"], "em aprovação");
    let path = format!("/api/comentarios?event_id={id}");
    let listed = session.get(&path).await.expect(200);
    assert!(!listed.text.contains("Depois"), "{}", listed.text);
    assert!(listed.text.contains("Antes"));
}

async fn assert_hidden(guest: &Client, id: &str) {
    assert_eq!(list_pieces(guest).await, [] as [Value; 0]);
    let refused = decide(guest, id, "aprovar", 2).await;
    refused.expect_refusal(404, "NOT_FOUND");
    let refused = post_remark(guest, id, "Oi", json!({})).await;
    refused.expect_refusal(404, "NOT_FOUND");
}

#[tokio::test]
async fn an_archived_piece_is_hidden_from_its_guests() {
    let app = TestApp::new().await;
    let session = app.as_member(Role::Lider).await;
    let id = submit_piece(&session, "Peça", "Legenda").await;
    let made = create_link(&session, "decidir", json!({ "pecas": [id] })).await;
    let guest = guest_client(&app, &made);
    assert_eq!(list_pieces(&guest).await.len(), 1);
    let archived = EventStatus::Archived.as_str();
    let archive = json!({ "expected_revision": 2, "status": archived });
    let path = format!("/api/eventos/{id}");
    session.patch(&path, archive).await.expect(200);
    assert_hidden(&guest, &id).await;
    let page = format!("/convidado/{}", secret_of(&made));
    let shown = app.anonymous().get(&page).await.expect(200);
    assert!(!shown.text.contains("Legenda"), "{}", shown.text);
    assert!(shown.text.contains("Ainda não há nada para ver."));
}

#[tokio::test]
async fn the_pieces_of_an_archived_project_are_hidden_from_its_guests() {
    let app = TestApp::new().await;
    let session = app.as_member(Role::Lider).await;
    let id = submit_piece(&session, "Peça", "Legenda").await;
    let project = session.post("/api/projects", json!({ "name": "Cliente" }));
    let project = project.await.expect(201).body["project"]["id"].clone();
    let project = project.as_str().expect("an id").to_owned();
    let apply = async |kind: &str, payload: Value, revision: i64| {
        let input = json!({ "type": kind, "payload": payload, "expected_revision": revision });
        let path = format!("/api/projects/{project}/operations");
        let applied = session.post(&path, input).await;
        assert!(applied.status < 300, "{}", applied.text);
        let path = format!("/api/projects/{project}");
        session.get(&path).await.expect(200).body["project"].clone()
    };
    let made = apply("section.add", json!({ "title": "A" }), 1).await;
    let section = made["sections"][0]["id"].clone();
    let item = json!({ "section_id": section, "title": "B" });
    let made = apply("item.add", item, 2).await;
    let item = made["sections"][0]["items"][0]["id"].clone();
    let link = json!({ "item_id": item, "event_id": id });
    apply("item.link_event", link, 3).await;
    let fields = json!({ "project_id": project, "mes": "2026-11" });
    let made = create_link(&session, "decidir", fields).await;
    let guest = guest_client(&app, &made);
    assert_eq!(list_pieces(&guest).await.len(), 1);
    apply("project.archive", json!({}), 4).await;
    assert_hidden(&guest, &id).await;
}
