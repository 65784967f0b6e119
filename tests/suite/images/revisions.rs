//! An image that is generated for one revision of an event is not attached to another revision.

use serde_json::{Value, json};

use super::{
    assert_nothing_left,
    double::{ImagesApi, base64_response, image_file},
    service_with_images_api, small_request,
};
use crate::support::Client;

/// Returns the input that generates an image for this revision of an event.
fn request_at(id: &str, revision: i64) -> Value {
    let mut input = small_request();
    input["event_id"] = id.into();
    input["expected_revision"] = revision.into();
    input
}

async fn media_ids(client: &Client, id: &str) -> Vec<Value> {
    let media = client.load_event(id).await["media"].clone();
    let media = media.as_array().expect("media").iter();
    media.map(|medium| medium["id"].clone()).collect()
}

#[tokio::test]
async fn a_stale_correction_is_refused_before_anything_is_generated() {
    let api = ImagesApi::new().await;
    api.set_handler(|_| std::future::ready(base64_response(&image_file(256, 256, "png"))));
    let (_app, lead) = service_with_images_api(&api).await;
    let id = lead.create_demand(json!({})).await;
    let first = lead.post("/api/art", request_at(&id, 1)).await.expect(200);
    assert_eq!(first.body["api_revision"], 2);
    let newer = lead.post("/api/art", request_at(&id, 2)).await.expect(200);

    let requested = api.accepted_requests().len();
    let late = lead.post("/api/art", request_at(&id, 2)).await;
    let late = late.expect_refusal(409, "STALE_REVISION");
    assert_eq!(late.body["details"]["current"], 3);
    let called = lead.call_tool("generate_art", request_at(&id, 2)).await;
    assert!(called.is_error && called.text.starts_with("STALE_REVISION"));
    assert_eq!(api.accepted_requests().len(), requested);
    assert_eq!(
        media_ids(&lead, &id).await,
        [newer.body["id"].clone()],
        "the newer correction must stay"
    );

    let called = lead.call_tool("generate_art", request_at(&id, 3)).await;
    assert!(!called.is_error, "{}", called.text);
    let mut without_event = small_request();
    without_event["expected_revision"] = 1.into();
    let refused = lead.post("/api/art", without_event).await.expect(400);
    let fault = &refused.body["details"]["fields"][0];
    assert_eq!(fault["field"], "event_id");
}

#[tokio::test]
async fn an_image_is_dropped_if_the_event_changes_while_it_is_generated() {
    let api = ImagesApi::new().await;
    let (app, lead) = service_with_images_api(&api).await;
    let id = lead.create_demand(json!({})).await;
    let open = api.hold_responses();
    let call = tokio::spawn({
        let (lead, input) = (lead.clone(), request_at(&id, 1));
        async move { lead.post("/api/art", input).await }
    });
    api.wait_for_requests(1).await;
    let draft = json!({ "event_id": id, "expected_revision": 1, "caption": "Outra legenda" });
    lead.post("/api/draft", draft).await.expect(200);
    open.send(true).expect("the provider still draws");
    let refused = call.await.expect("no panic");
    refused.expect_refusal(409, "STALE_REVISION");
    assert_nothing_left(&app).await;
    assert_eq!(lead.load_event(&id).await["api_revision"], 2);
}
