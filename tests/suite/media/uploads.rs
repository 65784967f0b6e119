//! Files uploaded as `multipart/form-data`.

use super::*;

over_each_storage! {
    an_uploaded_image_is_checked_stored_attached_and_served
    a_file_that_is_no_whole_image_or_video_is_not_stored
    a_bomb_of_pixels_is_refused_before_it_is_decoded
    the_size_of_an_upload_follows_its_exif_orientation
    an_upload_repeated_with_its_key_has_one_effect
    a_file_at_its_limit_is_taken_and_one_byte_more_is_not
    an_image_with_html_appended_is_served_only_as_an_image
}

async fn an_uploaded_image_is_checked_stored_attached_and_served(app: TestApp) {
    let lead = app.as_member(Role::Lider).await;
    let id = create_demand(&lead).await;
    let file = png_image(320, 200);
    let fields = [
        ("event_id", id.as_str().expect("an id")),
        ("alt", "Um retângulo ☕"),
    ];
    let uploaded = upload(&lead, &fields, Some(&file)).await.expect(201).body;
    assert_eq!(uploaded["media_type"], "image/png");
    assert_eq!(
        (&uploaded["width"], &uploaded["height"]),
        (&json!(320), &json!(200))
    );
    assert_eq!(uploaded["bytes"], file.len());
    assert_eq!(uploaded["api_revision"], 2);

    let shown = load_event(&lead, &id).await;
    assert_eq!(shown["evento"]["media"][0]["id"], uploaded["id"]);
    assert_eq!(shown["evento"]["media"][0]["alt"], "Um retângulo ☕");
    assert_eq!(shown["historico"][0]["action"], "upload_media");

    let served = app
        .anonymous()
        .get(&link_path(&uploaded["url"]))
        .await
        .expect(200);
    assert_eq!(served.headers[header::CONTENT_TYPE], "image/png");
    assert_eq!(
        served.headers[header::CONTENT_LENGTH],
        file.len().to_string()
    );
    assert_eq!(served.headers["x-content-type-options"], "nosniff");
    assert!(
        served.headers[header::CACHE_CONTROL]
            .to_str()
            .expect("text")
            .starts_with("private")
    );
}

async fn a_file_that_is_no_whole_image_or_video_is_not_stored(app: TestApp) {
    let lead = app.as_member(Role::Lider).await;
    let id = create_demand(&lead).await;
    let on_event = [("event_id", id.as_str().expect("an id"))];
    let image = png_image(64, 64);
    let lying = upload(
        &lead,
        &on_event,
        Some(b"<html><script>alert(1)</script></html>"),
    )
    .await;
    lying.expect_refusal(415, "UNSUPPORTED_MEDIA_TYPE");
    assert_eq!(
        upload(&lead, &on_event, Some(b"")).await.invalid_fields(),
        ["file"]
    );
    assert_eq!(
        upload(&lead, &on_event, Some(&image[..image.len() / 2]))
            .await
            .invalid_fields(),
        ["file"]
    );
    assert_eq!(
        upload(&lead, &on_event, None).await.invalid_fields(),
        ["file"]
    );
    assert_eq!(
        upload(&lead, &[("cor", "azul")], Some(&image))
            .await
            .invalid_fields(),
        ["cor"]
    );
    let slide = [("slide_index", "100")];
    assert_eq!(
        upload(&lead, &slide, Some(&image)).await.invalid_fields(),
        ["slide_index"]
    );
    let absent = [("event_id", "0198c0de-0000-7000-8000-000000000001")];
    upload(&lead, &absent, Some(&image))
        .await
        .expect_refusal(404, "NOT_FOUND");
    let cut = multipart_form(&on_event, Some(&image));
    let typed = lead.with_header("content-type", "multipart/form-data; boundary=xx");
    let cut = Body::from(cut[..cut.len() - 40].to_vec());
    typed
        .send(Method::POST, "/api/upload", Some(cut))
        .await
        .expect_refusal(400, "INVALID_INPUT");
    lead.post("/api/upload", json!({}))
        .await
        .expect_refusal(415, "UNSUPPORTED_MEDIA_TYPE");

    assert_eq!(load_event(&lead, &id).await["evento"]["media"], json!([]));
    assert_eq!(
        lead.get("/api/media").await.expect(200).body["media"],
        json!([])
    );
    assert_eq!(app.stored_file_count(), 0);
}

async fn a_bomb_of_pixels_is_refused_before_it_is_decoded(app: TestApp) {
    let lead = app.as_member(Role::Lider).await;
    // The header of a small file claims 60,000 × 60,000 pixels.
    let mut bomb = png_image(16, 16);
    bomb[16..20].copy_from_slice(&60_000u32.to_be_bytes());
    bomb[20..24].copy_from_slice(&60_000u32.to_be_bytes());
    assert_eq!(
        upload(&lead, &[], Some(&bomb)).await.invalid_fields(),
        ["file"]
    );
    assert_eq!(app.stored_file_count(), 0);
}

async fn an_upload_repeated_with_its_key_has_one_effect(app: TestApp) {
    let lead = app
        .as_member(Role::Lider)
        .await
        .with_idempotency_key("envio-0001");
    let first = upload(&lead, &[("alt", "a")], Some(&png_image(8, 8)))
        .await
        .expect(201);
    let again = upload(&lead, &[("alt", "a")], Some(&png_image(8, 8)))
        .await
        .expect(201);
    assert_eq!(first.text, again.text);
    assert_eq!(again.headers["idempotency-replayed"], "true");
    let other = upload(&lead, &[("alt", "a")], Some(&png_image(9, 8))).await;
    other.expect_refusal(409, "IDEMPOTENCY_KEY_REUSED");
    let listed = lead.get("/api/media").await.expect(200).body;
    assert_eq!(listed["media"].as_array().expect("a list").len(), 1);
    assert_eq!(app.stored_file_count(), 1);
}

async fn a_file_at_its_limit_is_taken_and_one_byte_more_is_not(app: TestApp) {
    let lead = app.as_member(Role::Lider).await;
    let mut image = png_image(64, 64);
    image.resize(25_000_000, 0);
    let taken = upload(&lead, &[], Some(&image)).await.expect(201).body;
    assert_eq!(taken["bytes"], 25_000_000);
    image.push(0);
    let refused = upload(&lead, &[], Some(&image)).await;
    let refused = refused.expect_refusal(413, "PAYLOAD_TOO_LARGE");
    assert_eq!(refused.body["details"]["limit"], 25_000_000);

    // Streams 500 MB and one byte, which the service must not hold in memory.
    let piece = Bytes::from(video_file(5_000_000));
    let whole = multipart_form(&[], Some(b"-"));
    let at = whole.len() - b"-\r\n--xx--\r\n".len();
    let (head, tail) = (whole[..at].to_vec(), whole[at..].to_vec());
    let pieces = std::iter::once(Bytes::from(head))
        .chain(std::iter::repeat_n(piece, 100))
        .chain(std::iter::once(Bytes::from(tail)));
    let body = Body::from_stream(futures::stream::iter(pieces.map(Ok::<_, std::io::Error>)));
    let typed = lead.with_header("content-type", "multipart/form-data; boundary=xx");
    let refused = typed.send(Method::POST, "/api/upload", Some(body)).await;
    let refused = refused.expect_refusal(413, "PAYLOAD_TOO_LARGE");
    assert_eq!(refused.body["details"]["limit"], 500_000_000);
    // The last write may end after the response; its file is removed afterwards.
    let is_removed = async {
        while app.stored_file_count() > 1 {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    };
    let removed = tokio::time::timeout(std::time::Duration::from_secs(60), is_removed).await;
    removed.expect("the file that was refused is removed");
    assert_eq!(app.stored_file_count(), 1);
}

async fn an_image_with_html_appended_is_served_only_as_an_image(app: TestApp) {
    let lead = app.as_member(Role::Lider).await;
    let mut file = png_image(64, 64);
    file.extend_from_slice(b"<html><script>alert(document.domain)</script></html>");
    let uploaded = upload(&lead, &[], Some(&file)).await.expect(201).body;
    assert_eq!(uploaded["media_type"], "image/png");
    let anyone = app.anonymous().with_header("accept", "text/html");
    let served = anyone.get(&link_path(&uploaded["url"])).await.expect(200);
    assert_eq!(served.headers[header::CONTENT_TYPE], "image/png");
    assert_eq!(served.headers["x-content-type-options"], "nosniff");
    let policy = &served.headers[header::CONTENT_SECURITY_POLICY];
    assert_eq!(policy, "sandbox; default-src 'none'");
}

async fn the_size_of_an_upload_follows_its_exif_orientation(app: TestApp) {
    let lead = app.as_member(Role::Lider).await;
    let image = image::RgbImage::from_pixel(60, 20, image::Rgb([200, 30, 60]));
    let mut jpeg = std::io::Cursor::new(vec![]);
    image
        .write_to(&mut jpeg, image::ImageFormat::Jpeg)
        .expect("encodes");
    let jpeg = jpeg.into_inner();
    for orientation in 1..=8u8 {
        // EXIF data (TIFF 6.0, little endian) with one entry, which is the orientation.
        let mut exif = b"Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0".to_vec();
        exif.extend([orientation, 0, 0, 0, 0, 0, 0, 0]);
        let length = u16::try_from(exif.len() + 2)
            .expect("a small length")
            .to_be_bytes();
        let file = [&jpeg[..2], &[0xff, 0xe1], &length, &exif, &jpeg[2..]].concat();
        let medium = upload(&lead, &[], Some(&file)).await.expect(201).body;
        let text = medium.to_string();
        let size = match orientation {
            1..=4 => r#""height":20"#,
            _ => r#""height":60"#,
        };
        assert!(text.contains(size), "{orientation}: {text}");
    }
}
