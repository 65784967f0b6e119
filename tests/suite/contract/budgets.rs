//! The daily budget of the caller's token limits every tool that generates images or videos.

use serde_json::{Value, json};

use super::examples::{call_by_rest, start_stage};
use crate::support::examples::example_input;
use pauta::artifacts::Example;

#[tokio::test]
async fn every_generator_is_refused_beyond_the_budget() {
    let (app, helena) = start_stage().await;
    let registry = &app.app.gateway.registry;
    let list = registry.find("list_my_tokens").expect("an operation");
    let session = helena.client_for(&app, list).await;
    let tokens = session.get(list.spec.path).await.expect(200).body["tokens"].clone();
    let member = "01990000-0000-7000-8000-000000000009";
    for token in tokens.as_array().expect("a list") {
        let id = token["id"].as_str().expect("an id");
        let path = format!("/api/access/members/{member}/tokens/{id}/limites");
        session
            .put(&path, json!({ "imagens_por_dia": 0 }))
            .await
            .expect(200);
    }
    let mut generators = 0;
    for operation in registry
        .operations
        .iter()
        .filter(|one| one.spec.generates_media)
    {
        let name = operation.spec.name;
        let example = Example {
            input: example_input(name),
            answer: Value::Null,
        };
        let refused = call_by_rest(&helena.token, operation, &example).await;
        assert_eq!(
            (refused.status, refused.error_code()),
            (429, "RATE_LIMITED"),
            "{name}: {}",
            refused.text
        );
        generators += 1;
    }
    assert!(generators >= 4, "{generators}");
}
