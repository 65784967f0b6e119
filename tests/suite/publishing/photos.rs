//! Photos: the provider fetches them over signed links, in a format that it accepts.

use domain::time::MINUTE;
use serde_json::{Value, json};

use super::{
    Stage, create_approved_event, jpeg_image, list_publications, photos_input, png_image,
    publish_media, upload_file,
};

/// The photo links in the latest publication that the double received.
fn sent_links(stage: &Stage) -> Vec<String> {
    let world = stage.api.lock_world();
    let effect = world.effects.values().next_back().expect("a publication");
    let links = &effect.request["source_info"]["photo_images"];
    let links = links.as_array().expect("links");
    links
        .iter()
        .map(|link| link.as_str().expect("text").to_owned())
        .collect()
}

#[tokio::test]
async fn ten_photos_are_ten_signed_links_and_two_calls() {
    let stage = Stage::new().await;
    let lead = &stage.lead;
    let files: Vec<_> = (0..10).map(|n| jpeg_image(1080, 1350, n)).collect();
    let (event, media) = create_approved_event(lead, "Dez passos do pão #pão", &files).await;
    let mut input = photos_input(&media);
    input["privacy_level"] = "PUBLIC_TO_EVERYONE".into();
    let answer = publish_media(lead, input).await.expect(200).body;
    assert_eq!(
        (&answer["status"], &answer["event_id"], &answer["type"]),
        (&json!("processing"), &json!(event), &json!("PHOTO"))
    );
    assert!(answer["publish_id"].is_string() && answer["avisos"].is_null());
    assert_eq!(stage.api.lock_world().calls.len(), 2);
    let links = sent_links(&stage);
    assert_eq!(links.len(), 10);
    for (link, id) in links.iter().zip(&media) {
        let path = link
            .strip_prefix("https://pauta.test")
            .expect("the public address");
        assert!(path.starts_with(&format!("/media/{id}?exp=")), "{link}");
        let served = stage.app.anonymous().get(path).await.expect(200);
        assert_eq!(served.headers["content-type"], "image/jpeg");
    }
    {
        let world = stage.api.lock_world();
        let info = &world
            .effects
            .values()
            .next()
            .expect("a publication")
            .request["post_info"];
        assert_eq!(info["description"], "Dez passos do pão #pão");
    }
    // The event gets the status "publicado" only when the provider reports the post as online.
    assert_eq!(lead.load_event(&event).await["status"], "aprovado");
    stage.pass_minutes(1).await;
    assert_eq!(lead.load_event(&event).await["status"], "aprovado");
    stage.pass_minutes(2).await;
    let publication = stage.only_publication().await;
    assert_eq!(publication["status"], "published", "{publication}");
    assert_eq!(publication["post_id"], "7312000000000000001");
    let read = lead
        .get(&format!("/api/eventos/{event}"))
        .await
        .expect(200)
        .body;
    assert_eq!(read["evento"]["status"], "publicado");
    let line = &read["historico"][0];
    assert_eq!(line["action"], "publish_shortvideo");
    let me = lead.get("/api/me").await.expect(200).body["member"]["id"].clone();
    assert_eq!(line["actor_member_id"], me, "{line}");
    let told = format!("TikTok: {}", answer["publish_id"].as_str().expect("an id"));
    assert_eq!(line["reason"], told);
    assert_eq!(
        stage
            .app
            .count_rows("jobs WHERE name = 'follow_publication'")
            .await,
        0
    );
    let metrics = stage.app.app.gateway.render_metrics().await;
    let counted = r#"pauta_work{kind="publications",state="published"} 1"#;
    assert!(metrics.contains(counted), "{metrics}");
    stage
        .app
        .execute_statement("DELETE FROM publications", [])
        .await;
    let metrics = stage.app.app.gateway.render_metrics().await;
    assert!(!metrics.contains("pauta_work{"), "{metrics}");
}

#[tokio::test]
async fn a_png_card_is_published_as_a_jpeg_that_is_created_once() {
    let stage = Stage::new().await;
    let lead = &stage.lead;
    let transparent = image::RgbaImage::from_pixel(300, 200, image::Rgba([0, 0, 0, 0]));
    let transparent = super::encode_image(&transparent.into(), image::ImageFormat::Png);
    let files = [
        png_image(1080, 1350, 1),
        transparent,
        png_image(2000, 3000, 2),
        jpeg_image(1080, 1080, 3),
    ];
    let mut media = vec![];
    for file in &files {
        media.push(upload_file(lead, file, None).await);
    }
    publish_media(lead, photos_input(&media)).await.expect(200);
    let first = sent_links(&stage);
    let sizes = [(1080, 1350), (300, 200), (1080, 1620), (1080, 1080)];
    for ((link, id), size) in first.iter().zip(&media).zip(sizes) {
        let path = link.trim_start_matches("https://pauta.test");
        let served = stage.app.anonymous().get(path).await.expect(200);
        assert_eq!(served.headers["content-type"], "image/jpeg");
        let seen = image::load_from_memory_with_format(&served.bytes, image::ImageFormat::Jpeg);
        let seen = seen.expect("a JPEG").to_rgb8();
        assert_eq!(seen.dimensions(), size);
        if size == (300, 200) {
            assert_eq!(
                seen.get_pixel(5, 5).0,
                [255; 3],
                "transparent pixels must become white"
            );
        }
        assert_eq!(path.contains(id), size == (1080, 1080), "{link}");
    }
    // The converted images are not listed as the team's media, and the next publication reuses
    // them.
    let listed = lead.get("/api/media").await.expect(200).body;
    assert_eq!(
        listed["media"].as_array().expect("a list").len(),
        files.len()
    );
    let stored = stage.app.count_rows("media").await;
    stage.pass_minutes(3).await;
    let again = publish_media(lead, photos_input(&media)).await;
    let again = again.expect_refusal(409, "ALREADY_PUBLISHED");
    let mut on_purpose = photos_input(&media);
    on_purpose["despite_publication_id"] = again.body["details"]["publication_id"].clone();
    publish_media(lead, on_purpose).await.expect(200);
    assert_eq!(sent_links(&stage), first);
    assert_eq!(stage.app.count_rows("media").await, stored);
}

#[tokio::test]
async fn a_url_that_the_provider_cannot_reach_is_refused_before_anything_is_sent() {
    for public in [
        "http://pauta.test",
        "https://localhost:8443",
        "https://10.1.2.3",
    ] {
        let stage = Stage::with_audit(true, public).await;
        let id = upload_file(&stage.lead, &jpeg_image(64, 64, 0), None).await;
        let refused = publish_media(&stage.lead, photos_input(&[id])).await;
        let refused = refused.expect_refusal(500, "PROVIDER_NOT_CONFIGURED");
        assert!(
            refused.text.contains("PAUTA_PUBLIC_URL"),
            "{}",
            refused.text
        );
        assert!(stage.api.lock_world().calls.is_empty());
    }
}

#[tokio::test]
async fn links_are_the_same_for_a_publication_within_the_hour_and_expire() {
    let stage = Stage::new().await;
    let id = upload_file(&stage.lead, &jpeg_image(64, 64, 0), None).await;
    publish_media(&stage.lead, photos_input(&[id]))
        .await
        .expect(200);
    let link = sent_links(&stage).remove(0);
    let path = link.trim_start_matches("https://pauta.test").to_owned();
    stage.app.anonymous().get(&path).await.expect(200);
    stage.app.advance_clock(8 * 24 * 60 * MINUTE);
    stage.app.anonymous().get(&path).await.expect(403);
}

#[tokio::test]
async fn a_late_refusal_of_the_provider_is_reported_and_the_event_stays_approved() {
    let stage = Stage::new().await;
    let lead = &stage.lead;
    let cases = [
        ("picture_size_check_failed", "MEDIA_REJECTED"),
        ("photo_pull_failed", "MEDIA_REJECTED"),
        ("spam_risk_user_banned_from_posting", "PUBLISHING_REFUSED"),
        ("auth_removed", "ACCOUNT_DISCONNECTED"),
        ("internal", "PROVIDER_FAILED"),
        ("a_new_reason", "PUBLISHING_REFUSED"),
    ];
    for (number, (reason, code)) in (0u8..).zip(cases) {
        stage.api.lock_world().failures = vec![("falha", reason)];
        let (event, media) =
            create_approved_event(lead, "falha", &[jpeg_image(300, 300, number)]).await;
        let sent = publish_media(lead, photos_input(&media))
            .await
            .expect(200)
            .body;
        stage.pass_minutes(3).await;
        let of_event = list_publications(lead, &format!("?event_id={event}")).await;
        let told = &of_event[0];
        assert_eq!(
            (&told["status"], &told["code"], &told["provider_code"]),
            (&json!("failed"), &json!(code), &json!(reason))
        );
        assert!(
            told["message"].is_string() && told["next"].is_string(),
            "{told}"
        );
        assert_eq!(lead.load_event(&event).await["status"], "aprovado");
        let path = format!(
            "?publication_id={}",
            sent["publication_id"].as_str().expect("an id")
        );
        assert_eq!(list_publications(lead, &path).await, of_event);
        // After the cause is removed, the event can be published.
        stage.api.lock_world().failures.clear();
        let again = publish_media(lead, photos_input(&media))
            .await
            .expect(200)
            .body;
        assert_ne!(again["publication_id"], sent["publication_id"]);
        stage.pass_minutes(3).await;
        assert_eq!(lead.load_event(&event).await["status"], "publicado");
        assert_eq!(
            lead.load_event(&event).await["status"],
            Value::from("publicado")
        );
    }
}
