//! Documents: the images of a piece as the pages of a PDF.

use domain::{Format, variant::VariantContent};
use serde_json::json;

use super::{LinkedInStage, world::LinkedInWorld};
use crate::{
    posting::{
        plain,
        uploads::server::{Call, Fault},
    },
    publishing::{jpeg_image, png_image},
};

/// Creates an approved document with these pages, due in an hour. Returns the id of the piece.
async fn create(stage: &LinkedInStage, files: &[Vec<u8>], content: VariantContent) -> String {
    let piece = stage.create_piece("pão", files).await;
    stage.add_variant(&piece, Format::Document, content).await;
    stage.approve(&piece).await;
    piece
}

fn titled(title: &str) -> VariantContent {
    VariantContent {
        title: Some(title.into()),
        ..VariantContent::default()
    }
}

#[tokio::test]
async fn images_become_the_pages_of_a_document() {
    let stage = LinkedInStage::with_world(LinkedInWorld::default()).await;
    let pages: Vec<Vec<u8>> = (1..=3).map(|n| jpeg_image(320, 400, n)).collect();
    let piece = create(&stage, &pages, titled("Guia do pão")).await;
    stage.pass_minutes(62).await;
    let row = stage.publication().await;
    assert_eq!(row.state, "published", "{row:?}");
    assert_eq!(stage.status(&piece).await, "publicado");
    let world = stage.api.lock_world();
    assert_eq!(world.posts.len(), 1);
    assert_eq!(
        world.posts[0].content,
        json!({ "media": { "id": "urn:li:document:1", "title": "Guia do pão" } })
    );
    let pdf = &world.documents["urn:li:document:1"].bytes;
    assert!(pdf.starts_with(b"%PDF-"));
    let places = pages.iter().map(|page| find_bytes(pdf, page));
    let places: Vec<usize> = places.map(|at| at.expect("the page")).collect();
    assert!(places.is_sorted(), "{places:?}");
}

fn find_bytes(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).position(|window| window == part)
}

#[tokio::test]
async fn an_image_of_another_type_is_a_page_as_jpeg() {
    let stage = LinkedInStage::with_world(LinkedInWorld::default()).await;
    create(&stage, &[png_image(320, 400, 1)], plain()).await;
    stage.pass_minutes(62).await;
    let row = stage.publication().await;
    assert_eq!(row.state, "published", "{row:?}");
    let world = stage.api.lock_world();
    assert_eq!(world.posts[0].content["media"]["title"], "Documento");
    let pdf = &world.documents["urn:li:document:1"].bytes;
    assert!(find_bytes(pdf, b"\xff\xd8\xff").is_some());
    assert!(find_bytes(pdf, b"\x89PNG").is_none());
}

#[tokio::test]
async fn a_document_is_prepared_again_after_any_temporary_failure() {
    for call in [Call::Begin, Call::Chunk, Call::State] {
        for fault in Fault::ALL.into_iter().filter(|fault| !fault.hangs()) {
            let stage = LinkedInStage::with_world(LinkedInWorld::default()).await;
            create(&stage, &[jpeg_image(320, 400, 1)], plain()).await;
            stage.api.fail_next(call, fault);
            stage.pass_minutes(64).await;
            let row = stage.publication().await;
            assert_eq!(row.state, "published", "{call:?} {fault:?}: {row:?}");
            assert_eq!(stage.api.lock_world().posts.len(), 1);
        }
    }
}
