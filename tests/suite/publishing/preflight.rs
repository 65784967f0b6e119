//! Posts that are refused before they are submitted. The error names the medium at fault.

use domain::Role;
use serde_json::{Value, json};

use super::{
    Stage, create_approved_event,
    double::{Call, Fault},
    jpeg_image, photos_input, png_image, publish_media, upload_file,
};
use crate::support::{Answer, Client, TestApp, video_file_of};

/// Asserts that nothing was submitted or stored.
async fn assert_nothing_submitted(stage: &Stage) {
    assert_eq!(
        stage.api.count_calls(Call::Photos) + stage.api.count_calls(Call::Video),
        0
    );
    assert_eq!(stage.app.count_rows("publications").await, 0);
}

#[track_caller]
fn assert_error_names(answer: Answer, field: &str, id: &str) {
    assert_eq!(answer.invalid_fields(), [field], "{}", answer.text);
    assert!(answer.text.contains(id), "{}", answer.text);
}

#[tokio::test]
async fn media_are_sent_by_id_and_urls_are_refused() {
    let stage = Stage::new().await;
    let lead = &stage.lead;
    let id = upload_file(lead, &jpeg_image(64, 64, 0), None).await;
    for bad in ["https://exemplo.com/a.jpg", "../a", "", "1"] {
        let refused = publish_media(lead, photos_input(&[bad.into()])).await;
        assert_eq!(refused.invalid_fields(), ["mediaIds.0"], "{bad}");
    }
    let absent = "0198c0de-0000-7000-8000-00000000000a".to_owned();
    let refused = publish_media(lead, photos_input(&[id.clone(), absent.clone()])).await;
    assert_eq!(refused.body["details"]["media_ids"], json!([absent]));
    refused.expect_refusal(404, "NOT_FOUND");
    let none = publish_media(lead, photos_input(&[])).await;
    assert_eq!(none.invalid_fields(), ["mediaIds"]);
    let twice = publish_media(lead, photos_input(&[id.clone(), id.clone()])).await;
    assert_eq!(twice.invalid_fields(), ["mediaIds"]);
    let url = json!({ "mediaIds": [id], "video_url": "https://exemplo.com" });
    assert_eq!(
        publish_media(lead, url).await.invalid_fields(),
        ["video_url"]
    );
    assert_nothing_submitted(&stage).await;
}

#[tokio::test]
async fn each_medium_that_cannot_be_published_is_named() {
    let stage = Stage::new().await;
    let lead = &stage.lead;
    let photo = upload_file(lead, &jpeg_image(64, 64, 0), None).await;
    let mut gif = vec![];
    let mut encoder = image::codecs::gif::GifEncoder::new(&mut gif);
    let frame = image::RgbaImage::from_pixel(60, 40, image::Rgba([9; 4]));
    encoder
        .encode_frame(image::Frame::new(frame))
        .expect("encodes");
    drop(encoder);
    let gif = upload_file(lead, &gif, None).await;
    let short = upload_file(lead, &video_file_of(4_000, 15), None).await;
    let long = upload_file(lead, &video_file_of(5_000, 301), None).await;
    let timeless = upload_file(lead, &video_file_of(6_000, 0), None).await;
    let ids = [photo.clone(), gif.clone()];
    assert_error_names(
        publish_media(lead, photos_input(&ids)).await,
        "mediaIds.1",
        &gif,
    );
    let ids = [photo.clone(), short.clone()];
    assert_error_names(
        publish_media(lead, photos_input(&ids)).await,
        "mediaIds.1",
        &short,
    );
    let one = |id: &str| json!({ "type": "VIDEO", "mediaIds": [id], "privacy_level": "SELF_ONLY" });
    assert_error_names(publish_media(lead, one(&photo)).await, "mediaIds.0", &photo);
    assert_error_names(publish_media(lead, one(&long)).await, "mediaIds.0", &long);
    assert_error_names(
        publish_media(lead, one(&timeless)).await,
        "mediaIds.0",
        &timeless,
    );
    let two = json!({ "type": "VIDEO", "mediaIds": [short, long], "privacy_level": "SELF_ONLY" });
    assert_error_names(publish_media(lead, two).await, "mediaIds.1", &long);
    let many: Vec<String> = (0..36).map(|_| domain::MediaId::new(0).into()).collect();
    assert_eq!(
        publish_media(lead, photos_input(&many))
            .await
            .invalid_fields(),
        ["mediaIds"]
    );
    assert_nothing_submitted(&stage).await;
}

#[tokio::test]
async fn texts_are_counted_as_the_provider_counts_them() {
    let stage = Stage::new().await;
    let lead = &stage.lead;
    let photo = upload_file(lead, &jpeg_image(64, 64, 0), None).await;
    let film = upload_file(lead, &video_file_of(4_000, 15), None).await;
    // Each of these characters has two UTF-16 units.
    let of = |kind: &str, id: &str, units: usize| {
        let caption = "🍞".repeat(units / 2);
        json!({ "type": kind, "mediaIds": [id], "privacy_level": "SELF_ONLY", "caption": caption })
    };
    let long = publish_media(lead, of("PHOTO", &photo, 4_002)).await;
    assert_eq!(long.invalid_fields(), ["caption"]);
    let long = publish_media(lead, of("VIDEO", &film, 2_202)).await;
    assert_eq!(long.invalid_fields(), ["caption"]);
    assert_nothing_submitted(&stage).await;
    publish_media(lead, of("PHOTO", &photo, 4_000))
        .await
        .expect(200);
    publish_media(lead, of("VIDEO", &film, 2_200))
        .await
        .expect(200);
    assert!(stage.api.lock_world().refusals.is_empty());
}

#[tokio::test]
async fn the_privacy_level_must_be_one_that_the_account_offers_now() {
    let stage = Stage::new().await;
    let lead = &stage.lead;
    let id = upload_file(lead, &jpeg_image(64, 64, 0), None).await;
    let with = |level: Value| json!({ "mediaIds": [id], "privacy_level": level });
    for level in ["FOLLOWER_OF_CREATOR", "PUBLIC"] {
        let refused = publish_media(lead, with(level.into())).await;
        assert_eq!(refused.invalid_fields(), ["privacy_level"]);
    }
    let silent = publish_media(lead, json!({ "mediaIds": [id] })).await;
    assert_eq!(silent.invalid_fields(), ["privacy_level"]);
    assert!(
        silent.text.contains("MUTUAL_FOLLOW_FRIENDS"),
        "{}",
        silent.text
    );
    let mut paid = with("SELF_ONLY".into());
    paid["brand_content_toggle"] = true.into();
    assert_eq!(
        publish_media(lead, paid).await.invalid_fields(),
        ["brand_content_toggle"]
    );
    assert_nothing_submitted(&stage).await;
    publish_media(lead, with("PUBLIC_TO_EVERYONE".into()))
        .await
        .expect(200);
}

#[tokio::test]
async fn an_app_without_an_audit_publishes_only_as_self_only() {
    let stage = Stage::with_audit(false, super::stage::PUBLIC).await;
    let lead = &stage.lead;
    let id = upload_file(lead, &jpeg_image(64, 64, 0), None).await;
    let info = lead
        .get("/oauth/shortvideo/creator-info")
        .await
        .expect(200)
        .body;
    assert_eq!(info["privacy_level_options"], json!(["SELF_ONLY"]));
    assert_eq!(info["audited"], false);
    let mut input = json!({ "mediaIds": [id], "privacy_level": "PUBLIC_TO_EVERYONE" });
    input["brand_content_toggle"] = true.into();
    let refused = publish_media(lead, input.clone()).await;
    assert_eq!(refused.invalid_fields(), ["brand_content_toggle"]);
    assert_nothing_submitted(&stage).await;
    input["brand_content_toggle"] = false.into();
    let sent = publish_media(lead, input).await.expect(200).body;
    assert_eq!(sent["privacy_level"], "SELF_ONLY");
    assert_eq!(sent["avisos"].as_array().expect("a list").len(), 1);
}

#[tokio::test]
async fn media_of_an_event_are_published_only_after_its_approval() {
    let stage = Stage::new().await;
    let lead = &stage.lead;
    let event = lead.create_demand(json!({})).await;
    let id = upload_file(lead, &jpeg_image(64, 64, 0), Some(&event)).await;
    let refused = publish_media(lead, photos_input(std::slice::from_ref(&id))).await;
    let refused = refused.expect_refusal(409, "NOT_APPROVED");
    assert_eq!(
        (
            &refused.body["details"]["media_id"],
            &refused.body["details"]["event_id"]
        ),
        (&json!(id), &json!(event))
    );
    assert_nothing_submitted(&stage).await;
    super::approve_event(lead, &event, &lead.load_event(&event).await["api_revision"]).await;
    // The second event is not approved, so the service refuses to publish its medium.
    let other = lead.create_demand(json!({})).await;
    let foreign = upload_file(lead, &jpeg_image(65, 64, 0), Some(&other)).await;
    let both = photos_input(&[id.clone(), foreign]);
    publish_media(lead, both)
        .await
        .expect_refusal(409, "NOT_APPROVED");
    let asked = json!({ "mediaIds": [id], "privacy_level": "SELF_ONLY", "event_id": other });
    publish_media(lead, asked)
        .await
        .expect_refusal(409, "NOT_APPROVED");
    publish_media(lead, photos_input(&[id])).await.expect(200);
}

#[tokio::test]
async fn media_of_two_approved_events_need_the_event_to_be_named() {
    let stage = Stage::new().await;
    let lead = &stage.lead;
    let (first, media) = create_approved_event(lead, "um", &[jpeg_image(64, 64, 0)]).await;
    let second = lead.create_demand(json!({})).await;
    let attached = json!({ "expected_revision": 1, "attach": media });
    let path = format!("/api/eventos/{second}/media");
    lead.patch(&path, attached).await.expect(200);
    super::approve_event(lead, &second, &json!(2)).await;
    let unnamed = publish_media(lead, photos_input(&media)).await;
    assert_eq!(unnamed.invalid_fields(), ["event_id"]);
    let mut named = photos_input(&media);
    named["event_id"] = second.as_str().into();
    let sent = publish_media(lead, named).await.expect(200).body;
    assert_eq!(sent["event_id"], second);
    stage.pass_minutes(3).await;
    assert_eq!(lead.load_event(&second).await["status"], "publicado");
    assert_eq!(lead.load_event(&first).await["status"], "aprovado");
}

#[tokio::test]
async fn a_member_who_may_not_publish_sees_nothing_and_others_see_their_own() {
    let stage = Stage::new().await;
    let creator = stage.app.as_member(Role::Criador).await;
    let id = upload_file(&stage.lead, &jpeg_image(64, 64, 0), None).await;
    let refused = publish_media(&creator, json!({ "x": 1 })).await;
    refused.expect_refusal(403, "CAPABILITY_REQUIRED");
    let sent = publish_media(&stage.lead, photos_input(&[id]))
        .await
        .expect(200)
        .body;
    let publication = sent["publication_id"].as_str().expect("an id");
    assert!(super::list_publications(&creator, "").await.is_empty());
    let path = format!("/oauth/shortvideo/publications?publication_id={publication}");
    creator.get(&path).await.expect_refusal(404, "NOT_FOUND");
}

#[tokio::test]
async fn without_a_provider_or_a_connection_publishing_is_refused() {
    let app = TestApp::new().await;
    let lead: Client = app.as_member(Role::Lider).await;
    let id = upload_file(&lead, &png_image(64, 64, 0), None).await;
    publish_media(&lead, photos_input(std::slice::from_ref(&id)))
        .await
        .expect_refusal(404, "NOT_FOUND");
    let info = lead.get("/oauth/shortvideo/creator-info").await;
    info.expect_refusal(404, "NOT_FOUND");
    let stage = Stage::new().await;
    stage.disconnect_account().await;
    let id = upload_file(&stage.lead, &jpeg_image(64, 64, 0), None).await;
    let refused = publish_media(&stage.lead, photos_input(&[id])).await;
    let refused = refused.expect_refusal(404, "NOT_FOUND");
    assert!(refused.text.contains("next"), "{}", refused.text);
    assert_nothing_submitted(&stage).await;
}

#[tokio::test]
async fn the_options_of_the_account_are_requested_first_and_a_failure_frees_the_key() {
    for fault in Fault::ALL {
        let stage = Stage::for_fault(fault).await;
        let lead = stage.lead.with_idempotency_key("chave-0001");
        let id = upload_file(&stage.lead, &jpeg_image(64, 64, 0), None).await;
        let input = photos_input(&[id]);
        stage.api.fail_next(Call::Creator, fault);
        let refused = publish_media(&lead, input.clone()).await;
        let code = match fault {
            Fault::TooMany => (429, "RATE_LIMITED"),
            _ => (500, "PROVIDER_FAILED"),
        };
        assert_eq!((refused.status, refused.error_code()), code, "{fault:?}");
        assert_nothing_submitted(&stage).await;
        stage.app.advance_clock(20_000);
        publish_media(&lead, input).await.expect(200);
    }
    let stage = Stage::new().await;
    let lead = stage.lead.with_idempotency_key("chave-0001");
    let id = upload_file(&stage.lead, &jpeg_image(64, 64, 0), None).await;
    let input = photos_input(&[id]);
    for (code, ours) in [
        ("scope_not_authorized", "ACCOUNT_DISCONNECTED"),
        ("spam_risk_too_many_posts", "PUBLISHING_REFUSED"),
        ("reached_active_user_cap", "PUBLISHING_REFUSED"),
    ] {
        stage.api.fail_next(Call::Creator, Fault::ErrorIn200(code));
        let refused = publish_media(&lead, input.clone())
            .await
            .expect_refusal(409, ours);
        assert_eq!(refused.body["details"]["provider_code"], code);
        stage.app.advance_clock(20_000);
    }
    assert_nothing_submitted(&stage).await;
    publish_media(&lead, input).await.expect(200);
}

#[tokio::test]
async fn all_instances_share_the_limits_of_the_account() {
    let stage = Stage::new().await;
    let second = stage.second_instance().await;
    let elsewhere = stage.lead.at_instance(&second);
    let mut ids = vec![];
    for number in 0..7 {
        ids.push(upload_file(&stage.lead, &jpeg_image(64, 64, number), None).await);
    }
    for (number, id) in ids.iter().enumerate() {
        let client = if number % 2 == 0 {
            &stage.lead
        } else {
            &elsewhere
        };
        let answer = publish_media(client, photos_input(std::slice::from_ref(id))).await;
        if number < 6 {
            answer.expect(200);
        } else {
            let refused = answer.expect_refusal(429, "RATE_LIMITED");
            assert_eq!(refused.headers["retry-after"], "60");
        }
    }
    assert_eq!(stage.api.count_calls(Call::Photos), 6);
    stage.app.advance_clock(60_000);
    publish_media(&elsewhere, photos_input(&ids[6..]))
        .await
        .expect(200);
    // A wait that the provider asks for applies to all instances too.
    stage.app.advance_clock(60_000);
    stage.api.fail_next(Call::Creator, Fault::TooMany);
    let first = stage.lead.get("/oauth/shortvideo/creator-info").await;
    assert_eq!(
        first.expect_refusal(429, "RATE_LIMITED").headers["retry-after"],
        "7"
    );
    let asked = stage.api.count_calls(Call::Creator);
    let early = elsewhere.get("/oauth/shortvideo/creator-info").await;
    early.expect_refusal(429, "RATE_LIMITED");
    assert_eq!(stage.api.count_calls(Call::Creator), asked);
    stage.app.advance_clock(7_000);
    elsewhere
        .get("/oauth/shortvideo/creator-info")
        .await
        .expect(200);
    assert!(stage.api.lock_world().refusals.is_empty());
}

#[tokio::test]
async fn a_token_that_is_refused_before_its_expiry_is_renewed_once() {
    let stage = Stage::new().await;
    let id = upload_file(&stage.lead, &jpeg_image(64, 64, 0), None).await;
    stage.api.lock_world().expire_access_tokens();
    publish_media(&stage.lead, photos_input(std::slice::from_ref(&id)))
        .await
        .expect(200);
    assert_eq!(stage.api.lock_world().tokens.len(), 2);
    stage.api.lock_world().expire_access_tokens();
    stage.pass_minutes(4).await;
    assert_eq!(stage.only_publication().await["status"], "published");
    assert_eq!(stage.api.lock_world().tokens.len(), 3);
}
