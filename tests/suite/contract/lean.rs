//! Schemas, validators and documents are built on first use, and all of them can be built.

use domain::Role;
use serde_json::json;
use tools::artifacts::Renderer;

use crate::support::TestApp;

/// Returns the operations and pages whose schema or validator has already been built.
fn built_names(app: &TestApp) -> Vec<&'static str> {
    let registry = &app.app.gateway.registry;
    let built = registry
        .all_entries()
        .filter(|operation| operation.is_built());
    built.map(|operation| operation.spec.name).collect()
}

#[tokio::test]
async fn the_startup_builds_no_schema_validator_or_document() {
    let app = TestApp::new().await;
    let documents = || app.app.gateway.services.parts.get::<Renderer>().is_ready();
    let agent = app.token_client(&app.add_member(Role::Lider).await).await;
    assert!(built_names(&app).is_empty() && !documents());
    agent.get("/api/me").await.expect(200);
    assert_eq!(built_names(&app), ["get_me"]);
    agent.call_tool("list_team", json!({})).await;
    assert_eq!(built_names(&app), ["get_me", "list_team"]);
    assert!(!documents());
    app.anonymous().get("/llms.txt").await.expect(200);
    assert!(documents());
}

#[test]
fn every_schema_is_valid_and_every_validator_is_built_from_its_own_schema() {
    let registry = tools::registry();
    for operation in registry.all_entries() {
        operation.validator();
        let output = operation.output_schema().into();
        let name = operation.spec.name;
        assert!(jsonschema::draft202012::meta::is_valid(&output), "{name}");
    }
}
