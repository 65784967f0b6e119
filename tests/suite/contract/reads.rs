//! A caller who can replace a resource can also read it first.

use domain::{Capabilities, Capability, Role};
use gateway::{Registered, Registry};
use serde_json::{Value, json};
use tools::AREAS;

use crate::support::TestApp;

fn is_compare_and_set(operation: &Registered) -> bool {
    let fields = operation.input_schema().get("properties");
    let mut names = fields
        .and_then(Value::as_object)
        .into_iter()
        .flat_map(|fields| fields.keys());
    names.any(|name| name.starts_with("expected_"))
}

#[test]
fn every_compare_and_set_names_a_read_that_its_callers_may_call() {
    let registry = Registry::new(AREAS.iter().copied());
    let mut seen = 0;
    for write in registry
        .operations
        .iter()
        .filter(|operation| is_compare_and_set(operation))
    {
        let name = write.spec.name;
        let read = write
            .spec
            .read_by
            .unwrap_or_else(|| panic!("{name} names no read"));
        let read = registry
            .find(read)
            .unwrap_or_else(|| panic!("there is no operation {read}"));
        assert!(!read.spec.is_write(), "{name} names {}", read.spec.name);
        assert!(
            !write.spec.tool || read.spec.tool,
            "{name} is a tool, but its read is not"
        );
        for role in Role::ALL {
            for financeiro in [false, true] {
                let held = Capabilities::of_level(role.level(), financeiro);
                let may = |operation: &Registered| {
                    let needed: &[Capability] = operation.spec.access.capabilities();
                    needed.is_empty() || needed.iter().any(|one| held.contains(*one))
                };
                assert!(
                    !may(write) || may(read),
                    "{name}: {role} cannot read what it replaces"
                );
            }
        }
        seen += 1;
    }
    assert!(seen >= 15, "{seen}");
}

#[tokio::test]
async fn a_stale_revision_is_refused_with_the_read_to_call() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let id = admin.create_demand(json!({ "title": "Pão" })).await;
    let stale = json!({ "event_id": id, "expected_revision": 9, "caption": "x" });
    let refused = admin
        .post("/api/draft", stale)
        .await
        .expect_refusal(409, "STALE_REVISION");
    let next = refused.body["details"]["next"]
        .as_str()
        .expect("a next step");
    assert!(next.starts_with("Releia com `get_event`"), "{next}");
    let stale = json!({ "templateId": "a", "html": "x", "expected_updated_at": "2026-01-01T00:00:00.000Z" });
    let refused = admin.put("/api/email-drafts/a", stale).await;
    assert_eq!(refused.status / 100, 4, "{}", refused.text);
}
