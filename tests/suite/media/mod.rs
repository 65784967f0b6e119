//! Images and videos: generated, uploaded, linked, and attached to events. Most tests run twice,
//! with a folder and with S3 as the storage.

/// Runs each test with its files in a folder, and with its files in a bucket of an S3 server.
macro_rules! over_each_storage {
    ($($name:ident)*) => {
        mod over_a_folder {
            $(#[tokio::test]
            async fn $name() {
                super::$name($crate::support::TestApp::new().await).await;
            })*
        }
        mod over_s3 {
            $(#[tokio::test]
            async fn $name() {
                super::$name($crate::support::TestApp::with_s3().await).await;
            })*
        }
    };
}

mod brand;
mod by_link;
mod corrections;
mod disk_full;
mod file_server;
mod forms;
mod interrupted;
mod links;
mod on_events;
mod package;
mod pictures;
mod reduced;
mod steps;
mod storage;
mod uploads;
mod ways_in;

use axum::{
    body::{Body, Bytes},
    http::{Method, header},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use domain::{
    Role,
    time::{DAY, HOUR},
};
use serde_json::{Value, json};

use crate::support::{Answer, Client, TestApp, video_file};

/// Returns an image of one colour.
fn png_image(width: u32, height: u32) -> Vec<u8> {
    let image = image::RgbImage::from_pixel(width, height, image::Rgb([200, 30, 60]));
    let mut bytes = vec![];
    image
        .write_to(
            &mut std::io::Cursor::new(&mut bytes),
            image::ImageFormat::Png,
        )
        .expect("encodes");
    bytes
}

fn multipart_form(fields: &[(&str, &str)], file: Option<&[u8]>) -> Vec<u8> {
    let mut body = vec![];
    for (name, value) in fields {
        let part =
            format!("--xx\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n");
        body.extend_from_slice(part.as_bytes());
    }
    if let Some(file) = file {
        let head = "--xx\r\nContent-Disposition: form-data; name=\"file\"; \
            filename=\"../../etc/passwd\"\r\nContent-Type: text/html\r\n\r\n";
        body.extend_from_slice(head.as_bytes());
        body.extend_from_slice(file);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(b"--xx--\r\n");
    body
}

async fn upload(client: &Client, fields: &[(&str, &str)], file: Option<&[u8]>) -> Answer {
    let client = client.with_header("content-type", "multipart/form-data; boundary=xx");
    client
        .send(
            Method::POST,
            "/api/upload",
            Some(Body::from(multipart_form(fields, file))),
        )
        .await
}

/// Returns the path and query of a link.
fn link_path(url: &Value) -> String {
    url.as_str()
        .expect("a link")
        .trim_start_matches("http://127.0.0.1:8080")
        .to_owned()
}

async fn create_demand(client: &Client) -> Value {
    let answer = client
        .post("/api/demanda", json!({ "title": "Com imagens" }))
        .await;
    answer.expect(200).body["event_id"].clone()
}

async fn load_event(client: &Client, id: &Value) -> Value {
    let path = format!("/api/eventos/{}", id.as_str().expect("an id"));
    client.get(&path).await.expect(200).body
}
