//! The media of a piece: files that are sent, and images that are generated.

use axum::{body::Body, http::Method};
use serde_json::{Value, json};

use super::{open_piece, service_with_piece};
use crate::{
    console::{submit_operation, visible_text},
    support::{Answer, Client, TestApp},
};

fn png_image() -> Vec<u8> {
    let image = image::RgbImage::from_pixel(64, 80, image::Rgb([200, 30, 60]));
    let mut bytes = std::io::Cursor::new(vec![]);
    image
        .write_to(&mut bytes, image::ImageFormat::Png)
        .expect("encodes");
    bytes.into_inner()
}

async fn send_file(browser: &Client, fields: &[(&str, &str)], file: &[u8]) -> Answer {
    let mut body = vec![];
    for (name, value) in fields {
        let part =
            format!("--xx\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n");
        body.extend_from_slice(part.as_bytes());
    }
    body.extend_from_slice(
        b"--xx\r\nContent-Disposition: form-data; name=\"file\"; filename=\"x\"\r\n\r\n",
    );
    body.extend_from_slice(file);
    body.extend_from_slice(b"\r\n--xx--\r\n");
    let client = browser.with_header("content-type", "multipart/form-data; boundary=xx");
    client
        .send(Method::POST, "/envio-de-arquivo", Some(Body::from(body)))
        .await
}

#[tokio::test]
async fn a_file_is_sent_by_a_form_and_the_media_are_arranged() {
    let (_app, browser, session, id) = service_with_piece("Festa").await;
    for alt in ["primeira", "segunda"] {
        let key = format!("console-upload-{alt}");
        let fields = [
            ("event_id", id.as_str()),
            ("alt", alt),
            ("pedido", key.as_str()),
        ];
        for _ in 0..2 {
            let sent = send_file(&browser, &fields, &png_image()).await.expect(303);
            let to = sent.headers["location"].to_str().expect("text");
            assert_eq!(to, format!("/eventos/{id}?feito=upload_media#midias"));
        }
    }
    let media = session.load_event(&id).await["media"].clone();
    let ids: Vec<&str> = media
        .as_array()
        .expect("media")
        .iter()
        .map(|m| m["id"].as_str().expect("an id"))
        .collect();
    assert_eq!(ids.len(), 2);
    let shown_page = open_piece(&browser, &id).await;
    assert!(shown_page.text.contains("src=\"/media/"));
    assert!(shown_page.text.contains("alt=\"segunda\""));

    let path = format!("/eventos/{id}/midias");
    let fields = [
        ("expected_revision", "3"),
        ("media", ids[0]),
        ("posicao", "2"),
        ("alt", "por último"),
        ("media", ids[1]),
        ("posicao", "1"),
        ("alt", ""),
    ];
    browser.post_form(&path, &fields).await.expect(303);
    let media = session.load_event(&id).await["media"].clone();
    assert_eq!(
        (&media[0]["id"], &media[0]["alt"]),
        (&json!(ids[1]), &Value::Null)
    );
    assert_eq!(media[1]["alt"], "por último");
    let fields = [
        ("expected_revision", "4"),
        ("media", ids[1]),
        ("posicao", "1"),
        ("alt", ""),
        ("tirar", ids[1]),
    ];
    browser.post_form(&path, &fields).await.expect(303);
    assert_eq!(session.load_event(&id).await["media"][0]["id"], ids[0]);
}

#[tokio::test]
async fn a_file_that_is_no_image_is_refused_and_leaves_nothing() {
    let (_app, browser, session, id) = service_with_piece("Festa").await;
    let fields = [("event_id", id.as_str())];
    let text = [b'x'; 100];
    let refused = send_file(&browser, &fields, &text).await.expect(415);
    assert!(visible_text(&refused).contains("não é PNG"));
    assert_eq!(session.load_event(&id).await["media"], json!([]));
}

#[tokio::test]
async fn an_upload_accepts_the_files_of_the_operation() {
    let app = TestApp::new().await;
    let registry = &app.app.gateway.registry;
    let longest = |name: &str| {
        let mut all = registry.all_entries();
        let found = all.find(|route| route.spec.name == name).expect(name);
        found.spec.file_field().expect("a file").longest
    };
    assert_eq!(longest("console_upload"), longest("upload_media"));
}

#[tokio::test]
async fn art_and_carousels_are_generated_for_the_piece() {
    let (_app, browser, session, id) = service_with_piece("Festa").await;
    let back = format!("/eventos/{id}#midias");
    let fields = [
        ("event_id", id.as_str()),
        ("prompt", "Frio pede caldo"),
        ("style", "minimalista"),
        ("size", "1080x1080"),
        ("slide_index", "0"),
        ("_volta", back.as_str()),
        ("idempotency_key", "console-art-0001"),
    ];
    submit_operation(&browser, "generate_art", &fields)
        .await
        .expect(303);
    assert_eq!(
        session.load_event(&id).await["media"]
            .as_array()
            .map(Vec::len),
        Some(1)
    );

    let path = format!("/eventos/{id}/carrossel");
    let fields = [
        ("card", "# Caldos\nTrês bases"),
        ("card", "  "),
        ("card", "Frango"),
        ("style", "editorial"),
        ("pedido", "console-cards-0001"),
    ];
    browser.post_form(&path, &fields).await.expect(303);
    assert_eq!(
        session.load_event(&id).await["media"]
            .as_array()
            .map(Vec::len),
        Some(2)
    );
    let long = "palavra ".repeat(260);
    let refused = browser
        .post_form(&path, &[("card", long.as_str())])
        .await
        .expect(400);
    assert!(refused.text.contains(long.trim()));
}
