//! Scaled-down versions of images.

use bytes::Bytes;
use image::ImageReader;
use store::media::{reduced_image_path, storage_path};

use super::*;

over_each_storage! {
    an_image_is_made_smaller_once_and_kept_with_its_original
    callers_at_once_get_the_same_image
    a_file_that_cannot_be_reduced_is_served_unchanged
    a_link_is_good_for_its_own_medium_and_the_listed_widths
    removing_an_image_removes_its_reduced_versions
}

/// Returns an image that compresses badly.
fn noise_image(width: u32, height: u32) -> Vec<u8> {
    let pixel = |x: u32, y: u32| {
        let mixed = (x.wrapping_mul(2_654_435_761) ^ y.wrapping_mul(40_503)).to_le_bytes();
        image::Rgb([mixed[1], mixed[2], mixed[3]])
    };
    let mut bytes = std::io::Cursor::new(vec![]);
    let image = image::RgbImage::from_fn(width, height, pixel);
    image
        .write_to(&mut bytes, image::ImageFormat::Png)
        .expect("encodes");
    bytes.into_inner()
}

/// Returns the link to the image at this width.
fn link_at_width(link: &str, width: &str) -> String {
    link.replacen('?', &format!("/{width}?"), 1)
}

fn image_size(bytes: &[u8]) -> (u32, u32) {
    let reader = ImageReader::new(std::io::Cursor::new(bytes)).with_guessed_format();
    let size = reader.expect("reads").into_dimensions();
    size.expect("an image")
}

fn header_text<'a>(answer: &'a Answer, name: &str) -> &'a str {
    answer.headers[name].to_str().expect("text")
}

async fn an_image_is_made_smaller_once_and_kept_with_its_original(app: TestApp) {
    let lead = app.as_member(Role::Lider).await;
    let file = noise_image(700, 350);
    let uploaded = upload(&lead, &[], Some(&file)).await.expect(201).body;
    let link = link_path(&uploaded["url"]);
    let anyone = app.anonymous();
    let small = anyone.get(&link_at_width(&link, "160")).await.expect(200);
    assert_eq!(image_size(&small.bytes), (160, 80));
    assert!(small.bytes.len() * 10 < file.len());
    assert_eq!(header_text(&small, "content-type"), "image/jpeg");
    assert_eq!(
        header_text(&small, "cache-control"),
        "private, max-age=604800, immutable"
    );
    assert_eq!(app.stored_file_count(), 2);
    let packed = anyone.with_header("accept-encoding", "br, gzip");
    let again = packed.get(&link_at_width(&link, "160")).await.expect(200);
    assert_eq!(again.bytes, small.bytes);
    assert!(!again.headers.contains_key("content-encoding"));
    assert_eq!(app.stored_file_count(), 2);
    let known = anyone.with_header("if-none-match", header_text(&small, "etag"));
    let known = known.get(&link_at_width(&link, "160")).await.expect(304);
    assert!(known.bytes.is_empty());
    // If the width is larger than that of the image, the image is returned at its own size.
    let large = anyone.get(&link_at_width(&link, "1600")).await.expect(200);
    assert_eq!(image_size(&large.bytes), (700, 350));
    // The link without a width still serves the original.
    let whole = anyone.get(&link).await.expect(200);
    assert!(whole.bytes == file);
    assert_eq!(
        header_text(&whole, "cache-control"),
        "private, max-age=3600"
    );
    assert_eq!(app.count_rows("contents WHERE claims <> 0").await, 0);
    assert_eq!(app.count_rows("media").await, 1);
}

async fn callers_at_once_get_the_same_image(app: TestApp) {
    let lead = app.as_member(Role::Lider).await;
    let file = noise_image(600, 600);
    let uploaded = upload(&lead, &[], Some(&file)).await.expect(201).body;
    let link = link_at_width(&link_path(&uploaded["url"]), "480");
    let anyone = app.anonymous();
    let asked = (0..6).map(|_| anyone.get(&link));
    let answers = futures::future::join_all(asked).await;
    let first = answers[0].bytes.clone();
    for answer in answers {
        assert_eq!(answer.expect(200).bytes, first);
    }
    assert_eq!(app.stored_file_count(), 2);
}

async fn a_file_that_cannot_be_reduced_is_served_unchanged(app: TestApp) {
    let lead = app.as_member(Role::Lider).await;
    let anyone = app.anonymous();
    let blobs = &app.app.gateway.services.blobs;
    let link = async |file: &[u8]| {
        let uploaded = upload(&lead, &[], Some(file)).await.expect(201).body;
        link_at_width(&link_path(&uploaded["url"]), "480")
    };

    // A video cannot be reduced.
    let file = video_file(2_000);
    let served = anyone.get(&link(&file).await).await.expect(200);
    assert!(served.bytes == file);
    assert_eq!(header_text(&served, "content-type"), "video/mp4");
    assert_eq!(app.stored_file_count(), 1);

    // An image narrower than the requested width is served unchanged.
    let file = png_image(300, 200);
    let served = anyone.get(&link(&file).await).await.expect(200);
    assert!(served.bytes == file);
    assert_eq!(header_text(&served, "content-type"), "image/png");
    assert_eq!(app.stored_file_count(), 2);

    // An animation is reduced to its first frame.
    let mut file = vec![];
    let mut encoder = image::codecs::gif::GifEncoder::new(&mut file);
    for color in [0, 90, 255] {
        let frame = image::RgbaImage::from_pixel(900, 300, image::Rgba([color, 10, 10, 255]));
        let encoded = encoder.encode_frame(image::Frame::new(frame));
        encoded.expect("encodes");
    }
    drop(encoder);
    let served = anyone.get(&link(&file).await).await.expect(200);
    assert_eq!(header_text(&served, "content-type"), "image/jpeg");
    assert_eq!(image_size(&served.bytes), (480, 160));

    // A damaged file is served unchanged and with a shorter cache lifetime.
    let file = noise_image(500, 500);
    let damaged = link(&file).await;
    let sha256 = domain::sha256_hex(&file);
    let broken = Bytes::from(vec![7; file.len()]);
    let put = blobs
        .store_bytes(&storage_path(&sha256), broken.clone())
        .await;
    put.expect("stored");
    let served = anyone.get(&damaged).await.expect(200);
    assert_eq!(served.bytes, broken);
    assert_eq!(
        header_text(&served, "cache-control"),
        "private, max-age=3600"
    );
    let kept = blobs
        .read_range(&reduced_image_path(&sha256, 480), 0..9)
        .await;
    assert!(kept.expect("reads").is_none());

    // The link of a deleted file returns 404.
    let gone = blobs.delete(&storage_path(&sha256)).await;
    gone.expect("the file is deleted");
    anyone.get(&damaged).await.expect(404);
}

async fn a_link_is_good_for_its_own_medium_and_the_listed_widths(app: TestApp) {
    let lead = app.as_member(Role::Lider).await;
    let anyone = app.anonymous();
    let one = upload(&lead, &[], Some(&noise_image(400, 300)))
        .await
        .expect(201)
        .body;
    let other = upload(&lead, &[], Some(&noise_image(400, 310)))
        .await
        .expect(201)
        .body;
    let link = link_path(&one["url"]);
    let id = |media: &Value| media["id"].as_str().expect("an id").to_owned();
    for bad in [
        link.replace(&id(&one), &id(&other)),
        link.replace("sig=1.", "sig=2."),
        link.replace("exp=", "exp=1"),
        format!("{link}x"),
        link.split('?').next().expect("a path").to_owned() + "?",
    ] {
        anyone.get(&link_at_width(&bad, "160")).await.expect(403);
    }
    for width in ["-1", "x", "99999"] {
        anyone.get(&link_at_width(&link, width)).await.expect(403);
    }
    for width in ["0", "1", "161", "2048"] {
        anyone.get(&link_at_width(&link, width)).await.expect(404);
    }
    assert_eq!(app.stored_file_count(), 2);
    for width in domain::PICTURE_WIDTHS {
        let link = link_at_width(&link, &width.to_string());
        anyone.get(&link).await.expect(200);
    }
    app.advance_clock(7 * DAY);
    anyone.get(&link_at_width(&link, "160")).await.expect(403);
}

async fn removing_an_image_removes_its_reduced_versions(app: TestApp) {
    let lead = app.as_member(Role::Lider).await;
    let uploaded = upload(&lead, &[], Some(&noise_image(500, 400)))
        .await
        .expect(201)
        .body;
    let link = link_path(&uploaded["url"]);
    let anyone = app.anonymous();
    for width in ["160", "480"] {
        anyone.get(&link_at_width(&link, width)).await.expect(200);
    }
    assert_eq!(app.stored_file_count(), 3);
    app.execute_statement("DELETE FROM media", []).await;
    app.advance_clock(7 * HOUR);
    let services = &app.app.gateway.services;
    let swept = tools::media::remove_unused_contents(services, app.now()).await;
    assert_eq!(swept.expect("runs"), 1);
    assert_eq!(app.stored_file_count(), 0);
}

#[tokio::test]
async fn while_the_storage_is_unavailable_nothing_is_served_and_nothing_is_lost() {
    let app = TestApp::with_s3().await;
    let lead = app.as_member(Role::Lider).await;
    let uploaded = upload(&lead, &[], Some(&noise_image(400, 300)))
        .await
        .expect(201)
        .body;
    let link = link_at_width(&link_path(&uploaded["url"]), "160");
    let anyone = app.anonymous();
    let server = app.s3_server().expect("a bucket");
    server.set_unavailable(true);
    anyone.get(&link).await.expect(503);
    server.set_unavailable(false);
    let small = anyone.get(&link).await.expect(200);
    assert_eq!(image_size(&small.bytes), (160, 120));
}
