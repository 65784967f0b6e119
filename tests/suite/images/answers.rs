//! Provider responses with status 200, and their effects.

use std::{net::TcpListener, sync::Arc};

use axum::{
    body::{Body, Bytes},
    response::{IntoResponse, Response},
};
use domain::Role;
use futures::stream;
use serde_json::json;

use super::{
    assert_nothing_left,
    double::{ImagesApi, MODEL, base64_response, image_file, url_response},
    load_pixels, request_art, service_with_images_api,
};
use crate::support::TestApp;

#[tokio::test]
async fn every_image_format_is_stored_as_a_jpeg_of_the_requested_size() {
    let api = ImagesApi::new().await;
    let (app, lead) = service_with_images_api(&api).await;
    for format in ["png", "jpeg", "webp"] {
        for (drawn, size) in [
            ((96, 64), "256x300"),
            ((3, 900), "300x256"),
            ((900, 3), "257x257"),
        ] {
            let file = image_file(drawn.0, drawn.1, format);
            api.set_handler(move |_| std::future::ready(base64_response(&file)));
            let asked = json!({ "prompt": "Uma fogueira", "size": size });
            let made = lead.post("/api/art", asked).await.expect(200).body;
            let pixels = load_pixels(&app, &made).await;
            assert_eq!(format!("{}x{}", pixels.width(), pixels.height()), size);
            assert_eq!(format!("{}x{}", made["width"], made["height"]), size);
            for (given, drawn) in pixels.get_pixel(9, 99).0.iter().zip([200, 30, 60]) {
                assert!(
                    given.abs_diff(drawn) < 12,
                    "{format}: {:?}",
                    pixels.get_pixel(9, 99)
                );
            }
        }
    }
}

#[tokio::test]
async fn the_request_is_valid_for_the_api_below_any_base_url() {
    let api = ImagesApi::with_prefix("/gateway/openai").await;
    let mut settings = api.settings();
    settings.push(("PAUTA_OPENAI_BASE_URL", format!("{}/", api.base)));
    let app = TestApp::with_settings(settings).await;
    let lead = app.as_member(Role::Lider).await;
    for (format, quality) in [("1:1", "low"), ("2:3", "medium"), ("16:9", "high")] {
        let asked = json!({ "prompt": "Uma fogueira", "format": format, "quality": quality, "style": "vibrante" });
        lead.post("/api/art", asked).await.expect(200);
    }
    let asked = api.accepted_requests();
    let fields = |name: &str| {
        asked
            .iter()
            .map(|a| a.fields[name].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(fields("size"), ["1024x1024", "1024x1536", "1536x1024"]);
    assert_eq!(fields("quality"), ["low", "medium", "high"]);
    assert_eq!(fields("output_format"), ["jpeg"; 3]);
    assert_eq!(fields("model"), [MODEL; 3]);
    for asked in asked {
        assert!(
            asked.prompt.starts_with("Uma fogueira\n"),
            "{}",
            asked.prompt
        );
        assert!(asked.prompt.contains("vibrante"), "{}", asked.prompt);
        assert_eq!(asked.fields["n"], 1);
        assert_eq!(asked.fields.len(), 6, "{:?}", asked.fields);
    }
}

#[tokio::test]
async fn an_image_at_the_providers_own_origin_is_fetched_without_the_key() {
    let api = ImagesApi::new().await;
    let (app, lead) = service_with_images_api(&api).await;
    let address = api.add_file("a.png", &image_file(64, 64, "png"));
    api.set_handler(move |_| std::future::ready(url_response(&address)));
    let made = request_art(&lead, "chave-0001").await.expect(200).body;
    assert_eq!(load_pixels(&app, &made).await.dimensions(), (256, 256));
    assert_eq!(api.file_requests_with_key(), 0);
    assert_eq!(api.accepted_requests().len(), 1);
}

#[tokio::test]
async fn a_url_that_is_neither_the_providers_nor_public_is_never_fetched() {
    let api = ImagesApi::new().await;
    let (app, lead) = service_with_images_api(&api).await;
    // A listener that detects any connection.
    let inside = TcpListener::bind("127.0.0.1:0").expect("a port");
    inside
        .set_nonblocking(true)
        .expect("the listener does not block");
    let port = inside.local_addr().expect("an address").port();
    let redirect = api.add_file(
        "longe.png",
        format!("http://127.0.0.1:{port}/a.png").as_bytes(),
    );
    let same_port = api.base.rsplit(':').next().expect("a port").to_owned();
    let addresses = [
        redirect,
        format!("http://127.0.0.1:{port}/a.png"),
        format!("https://127.0.0.1:{port}/a.png"),
        format!("https://localhost:{port}/a.png"),
        format!("https://[::ffff:127.0.0.1]:{port}/a.png"),
        format!("https://2130706433:{port}/a.png"),
        format!("https://0.0.0.0:{port}/a.png"),
        format!("http://localhost:{same_port}/files/a.png"),
        format!("https://127.0.0.1:{same_port}/files/a.png"),
        "http://169.254.169.254/latest/meta-data".into(),
        "https://10.0.0.1/a.png".into(),
        "file:///etc/hostname".into(),
        "ftp://127.0.0.1/a.png".into(),
        "//127.0.0.1/a.png".into(),
        "nada".into(),
    ];
    for (number, address) in addresses.into_iter().enumerate() {
        let shown = address.clone();
        api.set_handler(move |_| std::future::ready(url_response(&address)));
        let refused = request_art(&lead, &format!("chave-{number:04}")).await;
        let refused = refused.expect_refusal(500, "PROVIDER_FAILED");
        assert!(
            !refused.text.contains("127.0.0.1"),
            "{shown}: {}",
            refused.text
        );
        let came = inside.accept().map(|_| shown);
        assert_eq!(
            came.expect_err("no connection arrived").kind(),
            std::io::ErrorKind::WouldBlock
        );
    }
    assert_nothing_left(&app).await;
}

fn decompression_bomb(width: u32, height: u32) -> Vec<u8> {
    let mut png = image_file(16, 16, "png");
    png[16..20].copy_from_slice(&width.to_be_bytes());
    png[20..24].copy_from_slice(&height.to_be_bytes());
    png
}

/// Returns a response body that never ends.
fn endless_response() -> Response {
    let part = Bytes::from(vec![b'a'; 1 << 20]);
    let parts = stream::repeat_with(move || Ok::<_, std::io::Error>(part.clone()));
    Body::from_stream(parts).into_response()
}

type Body200 = Arc<dyn Fn() -> Response + Send + Sync>;

fn text_response(body: &'static str) -> Body200 {
    Arc::new(move || body.into_response())
}

fn image_response(bytes: &[u8]) -> Body200 {
    let bytes = bytes.to_vec();
    Arc::new(move || base64_response(&bytes))
}

#[tokio::test]
async fn a_response_without_an_image_is_a_provider_failure_and_frees_the_key() {
    let api = ImagesApi::new().await;
    let (app, lead) = service_with_images_api(&api).await;
    let png = image_file(64, 64, "png");
    let jpeg = image_file(640, 640, "jpeg");
    let cases = [
        ("not JSON", text_response("<html>ok</html>")),
        ("nothing", text_response("")),
        ("an empty object", text_response("{}")),
        ("no data", text_response(r#"{"data":[]}"#)),
        ("null", text_response(r#"{"data":null}"#)),
        ("an empty image", text_response(r#"{"data":[{}]}"#)),
        (
            "nulls",
            text_response(r#"{"data":[{"b64_json":null,"url":null}]}"#),
        ),
        (
            "no base64",
            text_response(r#"{"data":[{"b64_json":"não é"}]}"#),
        ),
        (
            "an empty text",
            text_response(r#"{"data":[{"b64_json":""}]}"#),
        ),
        ("a number", text_response(r#"{"data":[{"b64_json":7}]}"#)),
        ("too much", Arc::new(endless_response)),
        ("no image", image_response(b"nenhuma imagem")),
        ("half a PNG", image_response(&png[..png.len() / 2])),
        ("half a JPEG", image_response(&jpeg[..jpeg.len() / 2])),
        (
            "a bomb",
            image_response(&decompression_bomb(60_000, 60_000)),
        ),
        (
            "a larger bomb",
            image_response(&decompression_bomb(u32::MAX >> 1, u32::MAX >> 1)),
        ),
    ];
    for (number, (what, body)) in cases.into_iter().enumerate() {
        api.set_handler(move |_| std::future::ready(body()));
        let key = format!("chave-{number:04}");
        let refused = request_art(&lead, &key).await;
        let told = (refused.status, refused.error_code());
        assert_eq!(told, (500, "PROVIDER_FAILED"), "{what}");
        let next = &refused.body["details"]["next"];
        assert!(next.is_string(), "{}", refused.text);
        assert_eq!(api.accepted_requests().len(), 2 * number + 1, "{what}");
        if number == 0 {
            assert_nothing_left(&app).await;
        }
        let good = image_response(&png);
        api.set_handler(move |_| std::future::ready(good()));
        request_art(&lead, &key).await.expect(200);
        assert_eq!(api.accepted_requests().len(), 2 * number + 2, "{what}");
    }
    // All valid responses contained the same image, so one file is stored.
    assert_eq!(app.stored_file_count(), 1);
}
