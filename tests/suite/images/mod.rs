//! Images from an external provider, tested with a double of its API.

mod answers;
mod budget;
mod carousel;
mod corrections;
mod double;
mod outcomes;
mod previews;
mod process;
mod refusals;
mod revisions;
mod steps;

use domain::Role;
use serde_json::{Value, json};

use crate::support::{Answer, Client, TestApp};
use double::ImagesApi;

/// Creates a service with this provider; returns it with a client of a member who may generate
/// images.
async fn service_with_images_api(api: &ImagesApi) -> (TestApp, Client) {
    let app = TestApp::with_settings(api.settings()).await;
    let lead = app.as_member(Role::Lider).await;
    (app, lead)
}

/// Returns a request for the smallest image.
fn small_request() -> Value {
    json!({ "prompt": "Uma fogueira", "size": "256x256" })
}

async fn request_art(client: &Client, key: &str) -> Answer {
    client
        .with_idempotency_key(key)
        .post("/api/art", small_request())
        .await
}

/// Asserts that the service stores no media row and no file.
async fn assert_nothing_left(app: &TestApp) {
    assert_eq!(app.count_rows("media").await, 0);
    assert_eq!(app.stored_file_count(), 0);
}

/// Downloads and decodes the image of a medium.
async fn load_pixels(app: &TestApp, media: &Value) -> image::RgbImage {
    let url = media["url"].as_str().expect("a link");
    let path = url.trim_start_matches("http://127.0.0.1:8080");
    let served = app.anonymous().get(path).await.expect(200).bytes;
    let decoded = image::load_from_memory_with_format(&served, image::ImageFormat::Jpeg);
    decoded.expect("a whole JPEG").to_rgb8()
}
