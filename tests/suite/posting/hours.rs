//! The content and the time of publications.

use domain::{
    Format, MediaId,
    variant::{Crop, CropAspect, VariantContent, VariantMedium},
};
use serde_json::json;

use super::{Stage, captioned, double::Call, plain};
use crate::{
    publishing::{jpeg_image, png_image},
    support::video_file_of,
};

#[tokio::test]
async fn an_image_is_published_on_time_with_link_and_first_comment() {
    let stage = Stage::new().await;
    let content = VariantContent {
        first_comment: Some("#pao #forno".into()),
        ..plain()
    };
    let files = [png_image(640, 640, 1)];
    let (piece, _) = stage
        .create_approved("Pão de hoje", &files, &[(Format::Feed, content)])
        .await;
    assert_eq!(stage.publication().await.state, "scheduled");
    stage.pass_minutes(44).await;
    assert_eq!(stage.api.count_calls(Call::Create), 0);
    // The service prepares an image 15 minutes before its publication.
    stage.pass_minutes(3).await;
    assert_eq!(stage.publication().await.state, "ready");
    stage.pass_minutes(12).await;
    assert_eq!(stage.api.lock_world().posts.len(), 0);
    stage.pass_minutes(1).await;
    let row = stage.publication().await;
    assert_eq!(
        (&*row.state, &*row.comment),
        ("published", "added"),
        "{row:?}"
    );
    {
        let world = stage.api.lock_world();
        let [post] = &world.posts_with("Pão de hoje")[..] else {
            panic!("{:?}", world.posts);
        };
        assert_eq!(post.at, stage.app.now());
        assert_eq!(post.comments, ["#pao #forno"]);
        assert!(row.link.as_deref().expect("a link").contains(&post.id));
        // The PNG file was sent as JPEG; the double refuses other formats.
        assert!(world.refusals.is_empty(), "{:?}", world.refusals);
    }
    let event = stage.lead.load_event(&piece).await;
    assert_eq!(event["status"], "publicado");
    assert_eq!(event["post_url"], json!(row.link));
    stage.pass_minutes(30).await;
    assert_eq!(stage.api.lock_world().posts.len(), 1);
}

#[tokio::test]
async fn a_carousel_waits_for_its_items_and_a_piece_is_published_with_its_last_variant() {
    let stage = Stage::new().await;
    let files = [
        jpeg_image(640, 640, 1),
        png_image(640, 640, 2),
        jpeg_image(640, 640, 3),
    ];
    let variants = [
        (Format::Feed, plain()),
        (Format::Story, {
            // A story has one image.
            captioned("sem legenda")
        }),
    ];
    let piece = stage.create_piece("Carrossel", &files).await;
    let media = stage.lead.load_event(&piece).await["media"].clone();
    let first: MediaId = serde_json::from_value(media[0]["id"].clone()).expect("an id");
    stage
        .add_variant(&piece, Format::Feed, variants[0].1.clone())
        .await;
    let story = VariantContent {
        media: Some(vec![VariantMedium {
            id: first,
            alt: None,
            crop: Some(Crop {
                aspect: CropAspect::Vertical,
                x: 0.5,
                y: 0.5,
            }),
        }]),
        ..plain()
    };
    let story = stage.add_variant(&piece, Format::Story, story).await;
    // Moves the story to an hour later.
    let later = stage.app.now() + 2 * domain::time::HOUR;
    stage
        .app
        .execute_statement(
            &format!("UPDATE event_variants SET due_at = {later} WHERE id = $1"),
            [story.as_str().to_owned()],
        )
        .await;
    stage.approve(&piece).await;
    stage.pass_minutes(62).await;
    assert_eq!(stage.api.lock_world().posts.len(), 1);
    assert_eq!(stage.status(&piece).await, "aprovado");
    stage.pass_minutes(60).await;
    assert_eq!(stage.status(&piece).await, "publicado");
    let world = stage.api.lock_world();
    assert_eq!(world.posts.len(), 2);
    assert_eq!(world.posts_with("Carrossel").len(), 1);
    assert!(world.refusals.is_empty(), "{:?}", world.refusals);
    // The containers: three items, the carousel and the story.
    assert_eq!(world.containers.len(), 5);
}

#[tokio::test]
async fn a_reel_is_prepared_an_hour_ahead() {
    let stage = Stage::new().await;
    stage.api.lock_world().patience = 5;
    let files = [video_file_of(5_000, 15)];
    let (piece, _) = stage
        .create_approved("Vídeo", &files, &[(Format::Reel, plain())])
        .await;
    stage.pass_minutes(8).await;
    assert_eq!(stage.publication().await.state, "ready");
    stage.pass_minutes(53).await;
    assert_eq!(stage.status(&piece).await, "publicado");
    let world = stage.api.lock_world();
    let body = &world.containers.values().next().expect("a container").body;
    assert_eq!(body["media_type"], "REELS");
}

#[tokio::test]
async fn fifty_variants_due_in_the_same_minute_are_all_published_in_it() {
    let stage = Stage::new().await;
    let image = jpeg_image(320, 320, 9);
    for number in 0..50 {
        let caption = format!("peça {number}");
        let files = [image.clone()];
        let piece = stage.create_piece(&caption, &files).await;
        stage.add_variant(&piece, Format::Feed, plain()).await;
        stage.approve(&piece).await;
    }
    let due = stage.app.now() + domain::time::HOUR;
    let moved = format!("UPDATE events SET due_at = {due} WHERE id <> $1");
    stage.app.execute_statement(&moved, [String::new()]).await;
    stage.pass_minutes(60).await;
    let world = stage.api.lock_world();
    assert_eq!(world.posts.len(), 50);
    assert!(world.posts.iter().all(|post| post.at == due));
}

#[tokio::test]
async fn a_publication_waits_until_the_quota_allows_it() {
    let stage = Stage::new().await;
    {
        let mut world = stage.api.lock_world();
        world.quota = 25;
        world.other_posts = 25;
    }
    stage
        .create_approved(
            "Cota",
            &[jpeg_image(320, 320, 1)],
            &[(Format::Feed, plain())],
        )
        .await;
    stage.pass_minutes(65).await;
    let row = stage.publication().await;
    assert_eq!(row.code.as_deref(), Some("POST_QUOTA_REACHED"));
    assert_eq!(stage.api.count_calls(Call::Publish), 0);
    stage.api.lock_world().other_posts = 24;
    stage.pass_minutes(2).await;
    assert_eq!(stage.publication().await.state, "published");
}

#[tokio::test]
async fn a_publication_that_is_half_an_hour_late_waits_for_a_person() {
    let stage = Stage::new().await;
    stage
        .create_approved(
            "Tarde",
            &[jpeg_image(320, 320, 1)],
            &[(Format::Feed, plain())],
        )
        .await;
    stage.disconnect_account().await;
    stage.pass_minutes(88).await;
    let row = stage.publication().await;
    assert_eq!(row.code.as_deref(), Some("ACCOUNT_DISCONNECTED"), "{row:?}");
    stage.pass_minutes(4).await;
    let row = stage.publication().await;
    assert_eq!(
        (&*row.state, row.code.as_deref()),
        ("late", Some("ACCOUNT_DISCONNECTED"))
    );
    stage.connect_account(super::double::ACCOUNT).await;
    stage.pass_minutes(30).await;
    assert_eq!(stage.publication().await.state, "late");
    assert_eq!(stage.api.lock_world().posts.len(), 0);
}

#[tokio::test]
async fn a_publication_is_made_late_if_the_account_is_connected_again_in_time() {
    let stage = Stage::new().await;
    stage
        .create_approved(
            "Volta",
            &[jpeg_image(320, 320, 1)],
            &[(Format::Feed, plain())],
        )
        .await;
    stage.disconnect_account().await;
    stage.pass_minutes(75).await;
    stage.connect_account(super::double::ACCOUNT).await;
    stage.pass_minutes(3).await;
    assert_eq!(stage.publication().await.state, "published");
}

#[tokio::test]
async fn a_publication_is_never_made_with_another_account() {
    let stage = Stage::new().await;
    stage
        .create_approved(
            "Outra",
            &[jpeg_image(320, 320, 1)],
            &[(Format::Feed, plain())],
        )
        .await;
    stage.disconnect_account().await;
    stage.connect_account("17841400000000002").await;
    stage.pass_minutes(95).await;
    let row = stage.publication().await;
    assert_eq!(
        (&*row.state, row.code.as_deref()),
        ("late", Some("ACCOUNT_CHANGED"))
    );
    assert_eq!(stage.api.count_calls(Call::Create), 0);
}

/// Returns the only channel of the piece in the list of pieces, and whether the agenda shows the piece
/// as late.
async fn listed_channel(stage: &Stage, piece: &str) -> (serde_json::Value, bool) {
    let lead = stage.app.as_member(domain::Role::Lider).await;
    let list = lead.get("/api/eventos").await.expect(200).body["eventos"].clone();
    let mut list = list.as_array().expect("a list").iter();
    let found = list.find(|one| one["id"] == piece).expect("the piece");
    let member = stage.app.add_member(domain::Role::Lider).await;
    let browser = stage.app.browser_client(&member).await;
    let agenda = browser.get("/agenda?ver=lista").await.expect(200).text;
    let says =
        agenda.contains("</span>atrasada<span") && agenda.contains(": Instagram · feed</span>");
    (found["canais"][0].clone(), says)
}

#[tokio::test]
async fn lists_and_the_agenda_show_late_and_unknown_posts() {
    let stage = Stage::new().await;
    let files = [jpeg_image(320, 320, 1)];
    let variants = [(domain::Format::Feed, plain())];
    let (piece, _) = stage.create_approved("pão", &files, &variants).await;
    let (channel, says) = listed_channel(&stage, &piece).await;
    assert!(channel.get("atrasada").is_none() && !says, "{channel}");
    stage.disconnect_account().await;
    stage.pass_minutes(95).await;
    assert_eq!(stage.publication().await.state, "late");
    let (channel, says) = listed_channel(&stage, &piece).await;
    assert_eq!(channel["atrasada"], true);
    assert!(says);
    let unknown = "UPDATE publications SET state = 'unknown'";
    stage.app.execute_statement(unknown, []).await;
    assert_eq!(listed_channel(&stage, &piece).await.0["atrasada"], true);
    let failed = "UPDATE publications SET state = 'published', open = 0";
    stage.app.execute_statement(failed, []).await;
    let (channel, says) = listed_channel(&stage, &piece).await;
    assert!(channel.get("atrasada").is_none() && !says, "{channel}");
}
