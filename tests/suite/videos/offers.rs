//! The aspects and durations that each provider offers, and first frames in the format that each
//! accepts.

use super::*;

fn png_image(width: u32, height: u32) -> Vec<u8> {
    let image = image::RgbImage::from_pixel(width, height, image::Rgb([200, 30, 60]));
    let mut bytes = std::io::Cursor::new(vec![]);
    let png = image::ImageFormat::Png;
    image.write_to(&mut bytes, png).expect("encodes");
    bytes.into_inner()
}

async fn upload_image(client: &Client, bytes: &[u8]) -> Value {
    let head = "--xx\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\n";
    let body = [head.as_bytes(), bytes, b"\r\n--xx--\r\n"].concat();
    let client = client.with_header("content-type", "multipart/form-data; boundary=xx");
    let sent = client.send(axum::http::Method::POST, "/api/upload", Some(body.into()));
    sent.await.expect(201).body["id"].clone()
}

#[tokio::test]
async fn options_that_a_provider_does_not_offer_are_refused_with_the_offered_ones() {
    for (dialect, seconds, told) in [
        (Dialect::OpenAi, 5, "4, 8, 12"),
        (Dialect::Runway, 11, "2, 3, 4"),
        (Dialect::Gemini, 12, "3, 4, 5"),
    ] {
        let (_api, app, lead) = service_with_video_api(dialect).await;
        let input = json!({ "prompt": "Uma fogueira", "aspect": "1:1", "duration_s": seconds });
        let refused = lead.post("/api/reels", input).await;
        assert_eq!(
            refused.invalid_fields(),
            ["aspect", "duration_s"],
            "{dialect:?}"
        );
        assert!(refused.text.contains(told) && refused.text.contains("9:16 ou 16:9"));
        let long = json!({ "prompt": "🔥".repeat(501), "aspect": "16:9" });
        let answer = lead.post("/api/reels", long).await;
        match dialect {
            Dialect::Runway => assert_eq!(answer.invalid_fields(), ["prompt"]),
            _ => drop(answer.expect(202)),
        }
        assert!(app.count_rows("videos").await <= 1);
    }
}

#[tokio::test]
async fn a_missing_duration_is_the_default_of_the_provider() {
    for (dialect, seconds) in [
        (Dialect::OpenAi, 8),
        (Dialect::Runway, 5),
        (Dialect::Gemini, 8),
    ] {
        let (api, app, lead) = service_with_video_api(dialect).await;
        start_video(&lead, json!({ "prompt": "Uma fogueira", "aspect": "16:9" })).await;
        run_due_jobs(&app).await;
        let asked = &api.made_videos()[0].asked;
        assert_eq!(
            (asked.seconds, &*asked.aspect),
            (seconds, "16:9"),
            "{dialect:?}"
        );
    }
}

#[tokio::test]
async fn the_first_frame_is_an_image_of_the_size_of_the_video() {
    for dialect in DIALECTS {
        let (api, app, lead) = service_with_video_api(dialect).await;
        let mut input = video_input();
        input["media_id"] = upload_image(&lead, &png_image(300, 200)).await;
        start_video(&lead, input).await;
        run_due_jobs(&app).await;
        let made = api.made_videos();
        let frame = made[0].asked.frame.as_ref().expect("a frame");
        let image = image::load_from_memory(frame).expect("an image");
        assert_eq!((image.width(), image.height()), (720, 1280), "{dialect:?}");
    }
}

#[tokio::test]
async fn only_an_image_that_the_caller_may_see_is_a_first_frame() {
    let (_api, app, lead) = service_with_video_api(Dialect::OpenAi).await;
    let creator = app.as_member(Role::Criador).await;
    let mut input = video_input();
    input["media_id"] = upload_image(&lead, &png_image(300, 200)).await;
    creator
        .post("/api/reels", input.clone())
        .await
        .expect_refusal(404, "NOT_FOUND");
    input["media_id"] = upload_image(&lead, &crate::support::video_file(2_000)).await;
    assert_eq!(
        lead.post("/api/reels", input).await.invalid_fields(),
        ["media_id"]
    );
    assert_eq!(app.count_rows("videos").await, 0);
}
