//! Publishing to TikTok, tested with a double of its API.

pub mod double;
mod elicitation;
mod flow;
mod following;
mod once;
mod outcomes;
mod pausing;
mod photos;
mod preflight;
mod stage;
mod storm;
mod tasks;
mod videos;

use axum::{body::Body, http::Method};
use serde_json::{Value, json};

use crate::support::{Answer, Client};
pub use double::{ACCOUNT, CLIENT, TikTokApi};
pub use stage::{Stage, connect_account_as, drain_jobs};

/// A PNG of one colour. Different numbers give different bytes.
pub fn png_image(width: u32, height: u32, number: u8) -> Vec<u8> {
    let image = image::RgbImage::from_pixel(width, height, image::Rgb([200, number, 60]));
    encode_image(&image.into(), image::ImageFormat::Png)
}

pub fn jpeg_image(width: u32, height: u32, number: u8) -> Vec<u8> {
    let image = image::RgbImage::from_pixel(width, height, image::Rgb([10, number, 60]));
    encode_image(&image.into(), image::ImageFormat::Jpeg)
}

fn encode_image(image: &image::DynamicImage, format: image::ImageFormat) -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(vec![]);
    image.write_to(&mut bytes, format).expect("encodes");
    bytes.into_inner()
}

/// Uploads a file and returns its id.
pub async fn upload_file(client: &Client, file: &[u8], event_id: Option<&str>) -> String {
    let mut body = vec![];
    if let Some(id) = event_id {
        let part = format!(
            "--xx\r\nContent-Disposition: form-data; name=\"event_id\"\r\n\r\n{id}\r\n\
             --xx\r\nContent-Disposition: form-data; name=\"slide_index\"\r\n\r\n{}\r\n",
            client.load_event(id).await["media"]
                .as_array()
                .map_or(0, Vec::len)
        );
        body.extend_from_slice(part.as_bytes());
    }
    let head = "--xx\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\n";
    body.extend_from_slice(head.as_bytes());
    body.extend_from_slice(file);
    body.extend_from_slice(b"\r\n--xx--\r\n");
    let typed = client.with_header("content-type", "multipart/form-data; boundary=xx");
    let sent = typed.send(Method::POST, "/api/upload", Some(Body::from(body)));
    let id = sent.await.expect(201).body["id"].clone();
    id.as_str().expect("an id").to_owned()
}

pub async fn publish_media(client: &Client, input: Value) -> Answer {
    client.post("/oauth/shortvideo/publish", input).await
}

/// Requests the publications that the caller can see, newest first.
async fn list_publications(client: &Client, query: &str) -> Vec<Value> {
    let path = format!("/oauth/shortvideo/publications{query}");
    let list = client.get(&path).await.expect(200).body["publications"].clone();
    list.as_array().expect("a list").clone()
}

/// Creates an approved event with this caption and these files; returns the ids of the event and
/// the media.
pub async fn create_approved_event(
    lead: &Client,
    caption: &str,
    files: &[Vec<u8>],
) -> (String, Vec<String>) {
    let id = lead.create_demand(json!({})).await;
    let mut media = vec![];
    for file in files {
        media.push(upload_file(lead, file, Some(&id)).await);
    }
    let drafted = json!({
        "event_id": id, "caption": caption,
        "expected_revision": lead.load_event(&id).await["api_revision"],
    });
    let drafted = lead.post("/api/draft", drafted).await.expect(200).body;
    approve_event(lead, &id, &drafted["api_revision"]).await;
    (id, media)
}

async fn approve_event(lead: &Client, id: &str, revision: &Value) {
    let sent = json!({ "event_id": id, "expected_revision": revision });
    lead.post("/api/enviar", sent).await.expect(200);
    let decided = json!({ "event_id": id, "action": "aprovar" });
    lead.post("/api/aprovar", decided).await.expect(200);
}

/// The input for photos that only the account itself can see.
pub fn photos_input(media: &[String]) -> Value {
    json!({ "mediaIds": media, "privacy_level": "SELF_ONLY" })
}
