//! A link that ends between the request of a guest and its effect.

use domain::{GUEST_PREFIX, Role};
use gateway::{CallInput, Door, Origin, Progress, RequestHead};
use serde_json::json;

use super::{create_link, post_remark, submit_piece};
use crate::support::{TestApp, guest_secret};

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

/// Revokes the link, or lets it expire, after the guest was authenticated and before the
/// transaction of the write begins.
#[tokio::test]
async fn a_link_that_ends_before_the_write_begins_writes_nothing() {
    let app = TestApp::new().await;
    let session = app.as_member(Role::Lider).await;
    let id = submit_piece(&session, "Peça", "Legenda").await;
    for ends in ["revoked_at = 1", "expires_at = 1"] {
        let made = create_link(&session, "decidir", json!({ "pecas": [id] })).await;
        let sent = post_remark(&app.guest_client(&made), &id, "Antes", json!({})).await;
        let own = sent.expect(200).body["id"].clone();
        let gateway = &app.app.gateway;
        let bearer = format!("{GUEST_PREFIX}{}", guest_secret(&made));
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
