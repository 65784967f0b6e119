//! Posts of photos. One request submits all photos of a post.

use serde_json::json;

use super::{
    TikTokStage, count_online, create_ready, decide, public_variant, variant_with_privacy,
};
use crate::{
    posting::uploads::server::{Call, Fault},
    publishing::{jpeg_image, png_image, upload_file},
};

fn images() -> Vec<Vec<u8>> {
    vec![jpeg_image(1_080, 1_350, 1), png_image(2_000, 2_600, 2)]
}

#[tokio::test]
async fn photos_are_posted_on_time_with_the_approved_content() {
    let stage = TikTokStage::with_network_double().await;
    let content = domain::variant::VariantContent {
        comments_off: true,
        ..public_variant()
    };
    let piece = create_ready(&stage, &images(), content).await;
    assert!(stage.api.lock_world().api.effects.is_empty());
    stage.pass_minutes(3).await;
    let row = stage.publication().await;
    assert_eq!(row.state, "published", "{row:?}");
    let link = row.link.expect("a link");
    assert!(
        link.starts_with("https://www.tiktok.com/@cozinha/photo/7312"),
        "{link}"
    );
    assert_eq!(stage.status(&piece).await, "publicado");
    let world = stage.api.lock_world();
    let post = world.api.effects.values().next().expect("a post");
    let info = &post.request["post_info"];
    assert_eq!(info["privacy_level"], "PUBLIC_TO_EVERYONE");
    assert_eq!(info["disable_comment"], true);
    let links = post.request["source_info"]["photo_images"].as_array();
    assert_eq!(links.map(Vec::len), Some(2));
}

/// A JPEG within the maximum dimensions is sent unchanged; a PNG or a larger JPEG is converted.
#[tokio::test]
async fn photos_are_sent_in_a_format_that_tiktok_accepts() {
    let stage = TikTokStage::with_network_double().await;
    let mut files = images();
    files.push(jpeg_image(2_000, 2_600, 3));
    create_ready(&stage, &files, public_variant()).await;
    let sql = "SELECT m.media_type, m.width, m.height FROM derived_media d
        JOIN media m ON m.id = d.media_id";
    let rows = stage.app.query_rows(sql.into()).await;
    assert_eq!(rows.len(), 2);
    for row in rows {
        let kind: String = row.try_get("", "media_type").expect("a type");
        let sides = ["width", "height"].map(|side| -> i64 { row.try_get("", side).expect("one") });
        assert_eq!(kind, "image/jpeg");
        assert!(sides[0] <= 1_080 && sides[1] <= 1_920, "{sides:?}");
    }
}

#[tokio::test]
async fn after_a_lost_answer_to_photos_a_person_decides() {
    for fault in Fault::ALL.into_iter().filter(|fault| !fault.hangs()) {
        let stage = TikTokStage::with_network_double().await;
        create_ready(&stage, &images(), public_variant()).await;
        stage.api.fail_next(Call::Publish, fault);
        stage.pass_minutes(30).await;
        let row = stage.publication().await;
        let online = count_online(&stage);
        if fault == Fault::Limit {
            assert_eq!((row.state.as_str(), online), ("published", 1), "{fault:?}");
            continue;
        }
        assert_eq!(row.state, "unknown", "{fault:?}: {row:?}");
        assert_eq!(online, usize::from(fault.has_effect()), "{fault:?}");
        assert_eq!(stage.api.count_calls(Call::Publish), 1, "{fault:?}");
    }
}

#[tokio::test]
async fn photos_that_tiktok_could_not_fetch_are_posted_again() {
    let stage = TikTokStage::with_network_double().await;
    let piece = create_ready(&stage, &images(), public_variant()).await;
    stage.api.lock_world().api.failures = vec![("pão", "photo_pull_failed")];
    stage.pass_minutes(3).await;
    let row = stage.publication().await;
    assert_eq!(row.code.as_deref(), Some("MEDIA_NOT_FETCHED"), "{row:?}");
    assert_eq!(count_online(&stage), 0);
    {
        let world = &mut stage.api.lock_world().api;
        world.failures.clear();
        // The first submission has failed permanently.
        world.effects.clear();
    }
    stage.pass_minutes(10).await;
    assert_eq!(stage.publication().await.state, "published");
    assert_eq!(stage.status(&piece).await, "publicado");
    assert_eq!(count_online(&stage), 1);
}

#[tokio::test]
async fn photos_that_tiktok_would_refuse_fail_before_their_time() {
    for (content, code) in [
        (
            variant_with_privacy("FOLLOWER_OF_CREATOR"),
            "PUBLISHING_REFUSED",
        ),
        (Default::default(), "PUBLISHING_REFUSED"),
    ] {
        let stage = TikTokStage::with_network_double().await;
        super::create(&stage, &images(), content).await;
        stage.pass_minutes(50).await;
        let row = stage.publication().await;
        assert_eq!(
            (row.state.as_str(), row.code.as_deref()),
            ("failed", Some(code))
        );
        assert_eq!(stage.api.count_calls(Call::Publish), 0);
    }
}

#[tokio::test]
async fn a_piece_with_channels_is_not_published_as_a_whole() {
    let stage = TikTokStage::with_network_double().await;
    let piece = stage.create_piece("pão", &[]).await;
    let photo = upload_file(&stage.lead, &images()[0], Some(&piece)).await;
    let format = domain::Format::Post;
    stage.add_variant(&piece, format, public_variant()).await;
    stage.approve(&piece).await;
    let whole = json!({
        "mediaIds": [photo], "event_id": piece, "privacy_level": "PUBLIC_TO_EVERYONE",
    });
    let answer = stage.lead.post("/oauth/shortvideo/publish", whole).await;
    assert_eq!(answer.status, 400, "{}", answer.text);
    assert!(answer.text.contains("put_variants"), "{}", answer.text);
    assert_eq!(count_online(&stage), 0);
    stage.pass_minutes(63).await;
    assert_eq!(stage.status(&piece).await, "publicado");
    assert_eq!(count_online(&stage), 1);
}

#[tokio::test]
async fn a_piece_that_is_being_published_as_a_whole_cannot_get_a_tiktok_channel() {
    let stage = TikTokStage::with_network_double().await;
    let piece = stage.create_piece("pão", &[]).await;
    let photo = upload_file(&stage.lead, &images()[0], Some(&piece)).await;
    stage.approve(&piece).await;
    stage.api.lock_world().api.patience = u32::MAX;
    let whole = json!({
        "mediaIds": [photo], "event_id": piece, "privacy_level": "PUBLIC_TO_EVERYONE",
    });
    let answer = stage.lead.post("/oauth/shortvideo/publish", whole).await;
    answer.expect(200);
    let put = async |variant: serde_json::Value| {
        let revision = stage.lead.load_event(&piece).await["api_revision"].clone();
        let stated = json!({ "expected_revision": revision, "variantes": [variant] });
        let path = format!("/api/eventos/{piece}/variantes");
        stage.lead.put(&path, stated).await
    };
    let refused = put(json!({ "canal": "tiktok" })).await.expect(409);
    assert_eq!(refused.body["code"], "PUBLICATION_OPEN");
    put(json!({ "canal": "linkedin" })).await.expect(200);
    // The piece stays open, because another of its channels is not published yet.
    stage.api.lock_world().api.patience = 0;
    stage.pass_minutes(15).await;
    assert_eq!(stage.status(&piece).await, "aprovado");
    assert_eq!(count_online(&stage), 1);
    // After the publication, a variant for TikTok may be added for manual posting, but not for automatic
    // posting.
    put(json!({ "canal": "tiktok" })).await.expect(200);
    let automatic = json!({
        "canal": "tiktok", "publicacao": "automatica", "privacidade": "PUBLIC_TO_EVERYONE",
    });
    let refused = put(automatic).await.expect(409);
    assert_eq!(refused.body["code"], "ALREADY_PUBLISHED");
}

/// The second submission fails permanently, and the first submission may still go online.
#[tokio::test]
async fn photos_that_may_be_online_are_not_sent_again_automatically() {
    let stage = TikTokStage::with_network_double().await;
    create_ready(&stage, &images(), public_variant()).await;
    stage.api.fail_next(Call::Publish, Fault::ResetBefore);
    stage.pass_minutes(15).await;
    assert_eq!(stage.publication().await.state, "unknown");
    stage.api.lock_world().api.failures = vec![("pão", "photo_pull_failed")];
    decide(&stage, "tentar_de_novo").await.expect(200);
    stage.pass_minutes(20).await;
    assert_eq!(stage.publication().await.state, "unknown");
    assert_eq!(stage.api.count_calls(Call::Publish), 2);
}
