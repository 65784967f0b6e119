//! Videos, and the outcomes of posts that TikTok has accepted.

use domain::time::{HOUR, MINUTE};

use super::{
    TikTokStage, TikTokWorld, count_online, create, create_ready, decide, public_variant,
    variant_with_privacy,
};
use crate::{
    posting::uploads::server::{Call, Fault},
    publishing::jpeg_image,
    support::video_file_of,
};

/// The size, in bytes, of a video that is sent in three chunks.
const THREE_CHUNKS: usize = 33 << 20;

fn short_video() -> Vec<u8> {
    video_file_of(600_000, 15)
}

async fn assert_published(stage: &TikTokStage, what: &dyn std::fmt::Debug) {
    let row = stage.publication().await;
    assert_eq!(row.state, "published", "{what:?}: {row:?}");
    assert_eq!(count_online(stage), 1, "{what:?}");
}

#[tokio::test]
async fn the_last_chunk_of_a_video_is_sent_at_the_publication_time() {
    let stage = TikTokStage::with_network_double().await;
    let video = video_file_of(THREE_CHUNKS, 15);
    let piece = create_ready(&stage, std::slice::from_ref(&video), public_variant()).await;
    assert_eq!(
        (stage.api.count_calls(Call::Chunk), count_online(&stage)),
        (2, 0)
    );
    stage.pass_minutes(3).await;
    assert_published(&stage, &"all").await;
    assert_eq!(stage.status(&piece).await, "publicado");
    let link = stage.publication().await.link.unwrap_or_default();
    assert!(
        link.starts_with("https://www.tiktok.com/@cozinha/video/7312"),
        "{link}"
    );
    let world = stage.api.lock_world();
    let post = world.api.effects.values().next().expect("a post");
    assert!(post.bytes == video, "other bytes");
    assert_eq!(world.api.effects.len(), 1);
}

#[tokio::test]
async fn every_call_may_fail_in_every_way_and_one_video_is_online() {
    for call in [Call::Ask, Call::Begin, Call::Chunk, Call::State] {
        for fault in Fault::ALL.into_iter().filter(|fault| !fault.hangs()) {
            let stage = TikTokStage::with_network_double().await;
            create(&stage, &[short_video()], public_variant()).await;
            stage.api.fail_next(call, fault);
            stage.pass_minutes(66).await;
            assert_published(&stage, &(call, fault)).await;
        }
    }
}

/// TikTok receives all chunks, but the response to each chunk is lost.
#[tokio::test]
async fn a_last_chunk_without_an_answer_is_not_a_second_post() {
    let stage = TikTokStage::with_network_double().await;
    create_ready(&stage, &[short_video()], public_variant()).await;
    stage
        .api
        .set_faults(|call| (call == Call::Chunk).then_some(Fault::ResetAfter));
    stage.pass_minutes(4).await;
    assert_published(&stage, &"after the reset").await;
    assert_eq!(stage.api.count_calls(Call::Chunk), 1);
}

#[tokio::test]
async fn an_upload_that_expired_before_its_hour_begins_again() {
    let stage = TikTokStage::with_network_double().await;
    create_ready(&stage, &[short_video()], public_variant()).await;
    stage.api.lock_world().api.expire_uploads();
    stage.pass_minutes(5).await;
    assert_published(&stage, &"expired").await;
    assert_eq!(stage.api.lock_world().api.effects.len(), 2);
}

#[tokio::test]
async fn the_outcome_that_tiktok_reports_is_stored() {
    for (reason, code) in [
        ("duration_check_failed", "MEDIA_REJECTED"),
        ("spam_risk_user_banned_from_posting", "ACCOUNT_RESTRICTED"),
        ("publish_cancelled", "PUBLISHING_REFUSED"),
    ] {
        let stage = TikTokStage::with_network_double().await;
        let piece = create_ready(&stage, &[short_video()], public_variant()).await;
        stage.api.lock_world().api.failures = vec![("pão", reason)];
        stage.pass_minutes(3).await;
        let row = stage.publication().await;
        assert_eq!(row.state, "failed", "{row:?}");
        assert_eq!(row.code.as_deref(), Some(code));
        assert_eq!(row.provider_code.as_deref(), Some(reason));
        assert_eq!(stage.status(&piece).await, "aprovado");
        let list = stage.lead.get("/api/eventos").await.expect(200).body["eventos"].clone();
        assert_eq!(list[0]["canais"][0]["atrasada"], true, "{list}");
    }
}

/// TikTok does not report the number of received bytes, so it is unknown whether the last chunk arrived.
#[tokio::test]
async fn a_status_without_the_number_of_bytes_leaves_the_outcome_unknown() {
    let stage = TikTokStage::with_network_double().await;
    create_ready(&stage, &[video_file_of(THREE_CHUNKS, 15)], public_variant()).await;
    stage.api.lock_world().api.hides_bytes = true;
    stage.api.fail_next(Call::Chunk, Fault::ResetBefore);
    stage.pass_minutes(80).await;
    let row = stage.publication().await;
    assert_ne!(row.state, "failed", "{row:?}");
    assert_eq!(stage.api.lock_world().api.effects.len(), 1);
    assert_eq!(count_online(&stage), 0);
}

#[tokio::test]
async fn a_disconnected_account_is_shown_while_tiktok_processes_the_post() {
    let stage = TikTokStage::with_network_double().await;
    create_ready(&stage, &[short_video()], public_variant()).await;
    stage.api.lock_world().api.patience = 30;
    stage.pass_minutes(3).await;
    stage.disconnect_account().await;
    stage.pass_minutes(12).await;
    let row = stage.publication().await;
    let shown = (row.state.as_str(), row.code.as_deref());
    assert_eq!(shown, ("checking", Some("ACCOUNT_DISCONNECTED")));
    stage
        .connect_account(crate::publishing::double::ACCOUNT)
        .await;
    stage.api.lock_world().api.patience = 0;
    stage.pass_minutes(15).await;
    assert_published(&stage, &"connected again").await;
}

#[tokio::test]
async fn a_post_that_tiktok_processes_for_days_is_unknown() {
    let stage = TikTokStage::with_network_double().await;
    create_ready(&stage, &[short_video()], public_variant()).await;
    stage.api.lock_world().api.patience = u32::MAX;
    stage.pass_minutes(5).await;
    let row = stage.publication().await;
    assert_eq!(row.state, "checking");
    assert_eq!(row.code.as_deref(), Some("NETWORK_PROCESSING"));
    let before = stage.api.count_calls(Call::State);
    for _ in 0..48 {
        stage.app.advance_clock(HOUR);
        stage.run_due_jobs().await;
    }
    assert_eq!(stage.publication().await.state, "unknown");
    assert!(stage.api.count_calls(Call::State) > before);
    // TikTok may still publish the post, so trying again is refused. The page and the list do not advise
    // it.
    decide(&stage, "tentar_de_novo").await.expect(409);
    let listed = stage.lead.get("/api/publicacoes").await.expect(200).body;
    let shown = &listed["publications"][0];
    assert_eq!(shown["actions"], serde_json::json!(["no_ar", "cancelar"]));
    let advice = format!("{}{}", shown["message"], shown["next"]);
    assert!(!advice.to_lowercase().contains("tente de novo"), "{advice}");
    let member = stage.app.add_member(domain::Role::Lider).await;
    let page = stage
        .app
        .browser_client(&member)
        .await
        .get("/publicacoes")
        .await;
    let page = page.expect(200).text;
    assert!(page.contains("value=\"no_ar\"") && !page.contains("value=\"tentar_de_novo\""));
    // The service finds the post when it is online after all.
    stage.api.lock_world().api.patience = 0;
    stage.app.advance_clock(HOUR + MINUTE);
    stage.run_due_jobs().await;
    assert_published(&stage, &"late").await;
}

#[tokio::test]
async fn a_post_whose_id_is_reported_later_gets_its_link() {
    let stage = TikTokStage::with_network_double().await;
    create_ready(&stage, &[short_video()], public_variant()).await;
    stage.api.lock_world().api.hides_ids = true;
    stage.pass_minutes(3).await;
    let row = stage.publication().await;
    assert_eq!((row.state.as_str(), row.link), ("published", None));
    stage.api.lock_world().api.hides_ids = false;
    stage.pass_minutes(2).await;
    assert!(stage.publication().await.link.is_some());
}

/// TikTok returns the id of a post only after its moderation, which takes hours. The piece is published
/// before.
#[tokio::test]
async fn an_id_that_is_reported_hours_later_gives_the_post_its_link_and_figures() {
    let stage = TikTokStage::with_network_double().await;
    let piece = create_ready(&stage, &[short_video()], public_variant()).await;
    stage.api.lock_world().api.hides_ids = true;
    stage.pass_minutes(15).await;
    assert_eq!(stage.status(&piece).await, "publicado");
    for _ in 0..6 {
        stage.app.advance_clock(HOUR);
        stage.run_due_jobs().await;
    }
    assert_eq!(stage.publication().await.link, None);
    stage.api.lock_world().api.hides_ids = false;
    stage.app.advance_clock(2 * HOUR);
    stage.run_due_jobs().await;
    let link = stage.publication().await.link.expect("a link");
    assert_eq!(stage.lead.load_event(&piece).await["post_url"], link);
    let path = format!("/api/resultados?event_id={piece}");
    let results = stage.lead.get(&path).await.expect(200).body;
    assert_eq!(results["resultados"][0]["link"], link, "{results}");
    assert_eq!(count_online(&stage), 1);
}

#[tokio::test]
async fn an_id_that_is_never_reported_is_requested_for_one_day() {
    let stage = TikTokStage::with_network_double().await;
    create_ready(&stage, &[short_video()], public_variant()).await;
    stage.api.lock_world().api.hides_ids = true;
    stage.pass_minutes(15).await;
    let asked_until = async |hours: i64| {
        for _ in 0..hours {
            stage.app.advance_clock(HOUR);
            stage.run_due_jobs().await;
        }
        stage.api.count_calls(Call::State)
    };
    let first = asked_until(12).await;
    let after_a_day = asked_until(13).await;
    assert!(after_a_day > first, "{first} {after_a_day}");
    assert_eq!(asked_until(24).await, after_a_day);
    assert!(after_a_day < 60, "{after_a_day} calls");
}

#[tokio::test]
async fn a_post_that_the_account_may_not_publish_fails_long_before_its_time() {
    for (levels, seconds, code) in [
        (vec!["SELF_ONLY"], 300, "PUBLISHING_REFUSED"),
        (vec!["PUBLIC_TO_EVERYONE"], 10, "MEDIA_REJECTED"),
    ] {
        let mut world = TikTokWorld::default();
        world.api.privacy_levels = levels;
        world.api.max_seconds = seconds;
        let stage = TikTokStage::with_world(world).await;
        create(&stage, &[short_video()], public_variant()).await;
        stage.pass_minutes(2).await;
        let row = stage.publication().await;
        assert_eq!(
            (row.state.as_str(), row.code.as_deref()),
            ("failed", Some(code))
        );
        assert_eq!(stage.api.count_calls(Call::Begin), 0);
        // After the account allows the post and a person has tried again, the post is published at its
        // scheduled time.
        stage.api.lock_world().api.privacy_levels = vec!["PUBLIC_TO_EVERYONE"];
        stage.api.lock_world().api.max_seconds = 300;
        decide(&stage, "tentar_de_novo").await.expect(200);
        stage.pass_minutes(30).await;
        assert_eq!(stage.publication().await.state, "scheduled");
        stage.pass_minutes(32).await;
        assert_published(&stage, &code).await;
    }
}

#[tokio::test]
async fn a_post_carries_the_chosen_options_and_the_cover_moment() {
    use domain::{channels::TikTokOption, variant::VariantContent};
    let stage = TikTokStage::with_network_double().await;
    let content = VariantContent {
        cover_at: Some(2_500),
        tiktok: vec![
            TikTokOption::OwnBrand,
            TikTokOption::PaidPartnership,
            TikTokOption::DuetOff,
        ],
        ..public_variant()
    };
    create_ready(&stage, &[short_video()], content).await;
    stage.pass_minutes(3).await;
    assert_published(&stage, &"with options").await;
    let world = stage.api.lock_world();
    let effect = world.api.effects.values().next().expect("a post");
    let info = &effect.request["post_info"];
    for (name, value) in [
        ("brand_organic_toggle", serde_json::json!(true)),
        ("brand_content_toggle", true.into()),
        ("disable_duet", true.into()),
        ("video_cover_timestamp_ms", 2_500.into()),
    ] {
        assert_eq!(info[name], value, "{name}: {info}");
    }
}

/// TikTok allows six submissions a minute for an account. Variants and the publications of
/// `publish_shortvideo` share this limit.
#[tokio::test]
async fn variants_and_direct_publications_share_the_rate_limit_of_an_account() {
    let stage = TikTokStage::with_network_double().await;
    create_ready(&stage, &[jpeg_image(1_080, 1_350, 1)], public_variant()).await;
    let mut photos = vec![];
    for number in 0..6 {
        let photo = jpeg_image(1_080, 1_350, 100 + number);
        photos.push(crate::publishing::upload_file(&stage.lead, &photo, None).await);
    }
    stage.app.advance_clock(MINUTE);
    for photo in photos {
        let input = serde_json::json!({ "mediaIds": [photo], "privacy_level": "PUBLIC_TO_EVERYONE",
            "caption": "outra" });
        crate::publishing::publish_media(&stage.lead, input)
            .await
            .expect(200);
    }
    stage.run_due_jobs().await;
    let row = stage.publication().await;
    assert_eq!(
        (row.state.as_str(), row.code.as_deref()),
        ("ready", Some("RATE_LIMITED"))
    );
    assert_eq!(stage.api.count_calls(Call::Publish), 6);
    stage.pass_minutes(5).await;
    assert_published(&stage, &"a minute later").await;
    let refusals = stage.api.lock_world().api.refusals.clone();
    assert!(refusals.is_empty(), "{refusals:?}");
}

/// The service refuses this by its own setting, without a request to TikTok.
#[tokio::test]
async fn a_privacy_level_that_needs_an_audit_is_refused_when_the_variant_is_written() {
    let mut world = TikTokWorld::default();
    world.api.audited = false;
    let stage = TikTokStage::with_settings(world, [("PAUTA_TIKTOK_AUDITED", "false")]).await;
    let piece = stage
        .create_piece("pão", &[jpeg_image(1_080, 1_350, 1)])
        .await;
    let put = async |privacy: &str, publisher: &str| {
        let revision = stage.lead.load_event(&piece).await["api_revision"].clone();
        let variant = serde_json::json!({ "canal": "tiktok", "publicacao": publisher, "privacidade": privacy });
        let input = serde_json::json!({ "expected_revision": revision, "variantes": [variant] });
        let path = format!("/api/eventos/{piece}/variantes");
        stage.lead.put(&path, input).await
    };
    let refused = put("PUBLIC_TO_EVERYONE", "automatica").await.expect(400);
    assert_eq!(refused.invalid_fields(), ["variantes.0.privacidade"]);
    assert!(refused.text.contains("SELF_ONLY"), "{}", refused.text);
    put("PUBLIC_TO_EVERYONE", "manual").await.expect(200);
    put("SELF_ONLY", "automatica").await.expect(200);
}

/// Creates an approved piece without the checks of an approval, as if the application had lost its audit
/// after the approval.
async fn create_unchecked(stage: &TikTokStage) {
    let piece = stage
        .create_piece("pão", &[jpeg_image(1_080, 1_350, 1)])
        .await;
    let variant = stage
        .add_variant(&piece, domain::Format::Post, public_variant())
        .await;
    stage.approve_variant(&variant).await;
    let sql = "UPDATE events SET status = 'aprovado' WHERE id = $1";
    stage.app.execute_statement(sql, [piece]).await;
}

#[tokio::test]
async fn an_application_without_an_audit_publishes_only_as_self_only() {
    let mut world = TikTokWorld::default();
    world.api.audited = false;
    let stage = TikTokStage::with_settings(world, [("PAUTA_TIKTOK_AUDITED", "false")]).await;
    create_unchecked(&stage).await;
    stage.pass_minutes(50).await;
    let row = stage.publication().await;
    assert_eq!(row.state, "failed", "{row:?}");
    assert_eq!(row.code.as_deref(), Some("APP_NOT_AUDITED"));
    assert!(stage.api.lock_world().api.effects.is_empty());

    let mut world = TikTokWorld::default();
    world.api.audited = false;
    let stage = TikTokStage::with_settings(world, [("PAUTA_TIKTOK_AUDITED", "false")]).await;
    let piece = create(
        &stage,
        &[jpeg_image(1_080, 1_350, 1)],
        variant_with_privacy("SELF_ONLY"),
    )
    .await;
    stage.pass_minutes(75).await;
    let row = stage.publication().await;
    assert_eq!((row.state.as_str(), row.link), ("published", None));
    assert_eq!(stage.status(&piece).await, "publicado");
}
