//! The service's reaction to each answer of YouTube.

use domain::{MediaId, variant::VariantContent};
use serde_json::{Value, json};

use super::{
    THREE_CHUNKS, YouTubeStage, create, create_ready, titled,
    world::{Audit, YouTubeWorld},
};
use crate::{
    posting::uploads::server::{Call, Fault, World},
    publishing::jpeg_image,
    support::video_file_of,
};

/// A stage whose uploads arrive in three chunks.
async fn stage_with_three_chunks() -> YouTubeStage {
    let world = YouTubeWorld {
        most_per_chunk: 256 << 10,
        ..YouTubeWorld::default()
    };
    YouTubeStage::with_world(world).await
}

/// Asserts that the double has only the video of the piece, whole and public.
fn assert_online(stage: &YouTubeStage) {
    let world = stage.api.lock_world();
    assert_eq!(world.online("filme").len(), 1);
    assert_eq!(world.videos.len(), 1);
    let video = world.videos.values().next().expect("a video");
    assert!(
        video.bytes == video_file_of(THREE_CHUNKS, 15),
        "other bytes"
    );
}

async fn assert_published(stage: &YouTubeStage, what: &dyn std::fmt::Debug) {
    let row = stage.publication().await;
    assert_eq!(row.state, "published", "{what:?}: {row:?}");
    let link = row.link.unwrap_or_default();
    assert!(
        link.starts_with("https://www.youtube.com/watch?v=video_"),
        "{link}"
    );
    assert_online(stage);
}

#[tokio::test]
async fn a_video_is_uploaded_as_private_and_made_public_at_its_hour() {
    let stage = stage_with_three_chunks().await;
    let content = VariantContent {
        first_comment: Some("primeiro".into()),
        tags: vec!["pão".into(), "pão quente".into()],
        ..titled("Como fazer pão")
    };
    let piece = create_ready(&stage, content).await;
    {
        let world = stage.api.lock_world();
        assert_eq!((world.online("filme").len(), world.unseen("filme")), (0, 1));
        let video = world.videos.values().next().expect("a video");
        assert_eq!(video.snippet["title"], "Como fazer pão");
        assert_eq!(video.snippet["tags"], json!(["pão", "pão quente"]));
    }
    assert!(stage.api.count_calls(Call::Chunk) >= 3);
    stage.pass_minutes(2).await;
    assert_published(&stage, &"all").await;
    assert_eq!(stage.publication().await.comment, "added");
    assert_eq!(stage.status(&piece).await, "publicado");
    let world = stage.api.lock_world();
    let video = world.videos.values().next().expect("a video");
    assert_eq!((video.updates, video.comments.len()), (1, 1));
}

#[tokio::test]
async fn every_call_may_fail_in_every_way_and_one_video_is_public() {
    for call in [
        Call::Begin,
        Call::Ask,
        Call::Chunk,
        Call::State,
        Call::Publish,
    ] {
        for fault in Fault::ALL.into_iter().filter(|fault| !fault.hangs()) {
            let stage = stage_with_three_chunks().await;
            create(&stage, titled("Pão")).await;
            stage.api.fail_next(call, fault);
            stage.pass_minutes(64).await;
            assert_published(&stage, &(call, fault)).await;
        }
    }
}

#[tokio::test]
async fn an_upload_whose_session_has_expired_begins_again() {
    let stage = stage_with_three_chunks().await;
    create(&stage, titled("Pão")).await;
    // YouTube has deleted the upload session when the service asks for it the second time.
    stage
        .api
        .set_faults(|call| (call == Call::Chunk).then_some(Fault::ResetAfter));
    stage.pass_minutes(1).await;
    for session in stage.api.lock_world().sessions.values_mut() {
        session.has_expired = true;
    }
    stage.api.clear_faults();
    stage.pass_minutes(62).await;
    assert_published(&stage, &"expired").await;
    assert_eq!(stage.api.lock_world().sessions.len(), 2);
}

#[tokio::test]
async fn a_token_that_ends_during_the_upload_is_renewed() {
    let stage = stage_with_three_chunks().await;
    create(&stage, titled("Pão")).await;
    stage
        .api
        .set_faults(|call| (call == Call::Chunk).then_some(Fault::ResetAfter));
    stage.pass_minutes(1).await;
    stage.api.clear_faults();
    stage.api.lock_world().tokens().revoke();
    stage.pass_minutes(62).await;
    assert_published(&stage, &"renewed").await;
    assert_eq!(stage.api.lock_world().sessions.len(), 1);
}

/// YouTube has the whole video, but the response with its id was lost.
#[tokio::test]
async fn a_video_whose_last_answer_was_lost_is_deleted_with_its_publication() {
    let stage = stage_with_three_chunks().await;
    let piece = create(&stage, titled("Pão")).await;
    stage
        .api
        .set_faults(|call| (call == Call::Chunk).then_some(Fault::ResetAfter));
    for _ in 0..10 {
        stage.pass_minutes(1).await;
        if stage.api.lock_world().unseen("filme") == 1 {
            break;
        }
    }
    assert_eq!(stage.api.lock_world().unseen("filme"), 1);
    stage.api.clear_faults();
    stage.reopen(&piece).await;
    stage.pass_minutes(3).await;
    assert_eq!(stage.publication().await.state, "canceled");
    assert_eq!(stage.api.lock_world().unseen("filme"), 0);
    let addresses = "secrets WHERE purpose = 'upload url'";
    assert_eq!(stage.app.count_rows(addresses).await, 0);
}

#[tokio::test]
async fn an_account_that_changes_during_the_upload_gets_nothing() {
    let stage = stage_with_three_chunks().await;
    create(&stage, titled("Pão")).await;
    stage
        .api
        .set_faults(|call| (call == Call::Chunk).then_some(Fault::ResetAfter));
    stage.pass_minutes(1).await;
    stage.api.clear_faults();
    stage.disconnect_account().await;
    stage.pass_minutes(3).await;
    let row = stage.publication().await;
    assert_eq!(row.code.as_deref(), Some("ACCOUNT_DISCONNECTED"));
    stage.connect_account("UC_outra").await;
    stage.pass_minutes(70).await;
    let row = stage.publication().await;
    assert_eq!(row.code.as_deref(), Some("ACCOUNT_CHANGED"), "{row:?}");
    assert!(stage.api.lock_world().videos.is_empty());
    stage.connect_account(YouTubeWorld::ACCOUNT).await;
    stage.pass_minutes(5).await;
    assert_published(&stage, &"the account of before").await;
}

#[tokio::test]
async fn a_video_that_stays_private_is_not_reported_as_public() {
    for audit in [Audit::Locked, Audit::LockedSilently] {
        let stage = stage_with_three_chunks().await;
        stage.api.lock_world().audit = audit;
        let piece = create_ready(&stage, titled("Pão")).await;
        stage.pass_minutes(5).await;
        let row = stage.publication().await;
        assert_eq!(
            (&*row.state, row.code.as_deref()),
            ("failed", Some("VIDEO_LOCKED_PRIVATE")),
            "{audit:?}"
        );
        assert_eq!(stage.status(&piece).await, "aprovado");
        // Takes the id of the video, as a person would find it in the account.
        let world = stage.api.lock_world();
        assert_eq!((world.unseen("filme"), world.deleted.len()), (1, 0));
    }
}

#[tokio::test]
async fn a_video_that_a_person_made_public_is_found_when_it_is_tried_again() {
    let stage = stage_with_three_chunks().await;
    stage.api.lock_world().audit = Audit::Locked;
    let piece = create_ready(&stage, titled("Pão")).await;
    stage.pass_minutes(5).await;
    assert_eq!(stage.publication().await.state, "failed");
    for video in stage.api.lock_world().videos.values_mut() {
        video.privacy = "public".into();
    }
    decide(&stage, "tentar_de_novo").await;
    stage.pass_minutes(3).await;
    assert_published(&stage, &"made public by a person").await;
    assert_eq!(stage.status(&piece).await, "publicado");
}

#[tokio::test]
async fn a_late_video_is_not_uploaded_again() {
    let stage = stage_with_three_chunks().await;
    create_ready(&stage, titled("Pão")).await;
    let paused = json!({ "paused": true });
    let pause = stage.lead.post("/api/publicacoes/pausa", paused).await;
    pause.expect(200);
    stage.pass_minutes(40).await;
    assert_eq!(stage.publication().await.state, "late");
    let resume = json!({ "paused": false });
    let resumed = stage.lead.post("/api/publicacoes/pausa", resume).await;
    resumed.expect(200);
    let chunks = stage.api.count_calls(Call::Chunk);
    decide(&stage, "publicar_agora").await;
    stage.pass_minutes(3).await;
    assert_published(&stage, &"late").await;
    assert_eq!(stage.api.count_calls(Call::Chunk), chunks);
}

/// Sends a person's decision about the only publication; asserts that it is accepted.
async fn decide(stage: &YouTubeStage, action: &str) {
    let listed = stage.lead.get("/api/publicacoes").await.expect(200).body;
    let id = listed["publications"][0]["id"].as_str().expect("an id");
    let path = format!("/api/publicacoes/{id}/decisao");
    let decided = stage.lead.post(&path, json!({ "action": action })).await;
    decided.expect(200);
}

#[tokio::test]
async fn a_publication_whose_answer_was_lost_is_repeated_only_while_the_video_is_private() {
    for (fault, updates) in [(Fault::ResetAfter, 1), (Fault::ResetBefore, 1)] {
        let stage = stage_with_three_chunks().await;
        create_ready(&stage, titled("Pão")).await;
        stage.api.fail_next(Call::Publish, fault);
        stage.pass_minutes(3).await;
        assert_published(&stage, &fault).await;
        let world = stage.api.lock_world();
        let video = world.videos.values().next().expect("a video");
        assert_eq!(video.updates, updates, "{fault:?}");
    }
}

#[tokio::test]
async fn a_connection_without_the_scope_says_which_one_is_missing() {
    let stage = YouTubeStage::with_network_double().await;
    let readonly = "https://www.googleapis.com/auth/youtube.upload \
        https://www.googleapis.com/auth/youtube.readonly";
    stage.api.lock_world().scopes = readonly.into();
    stage.connect_account(YouTubeWorld::ACCOUNT).await;
    create(&stage, titled("Pão")).await;
    stage.pass_minutes(2).await;
    let row = stage.publication().await;
    assert_eq!(row.code.as_deref(), Some("PERMISSION_MISSING"));
    let scope = row.provider_code.unwrap_or_default();
    assert!(scope.ends_with("youtube.force-ssl"), "{scope}");
    assert_eq!(stage.api.count_calls(Call::Begin), 0);
    stage.api.lock_world().scopes = super::world::ALL_SCOPES.into();
    stage.connect_account(YouTubeWorld::ACCOUNT).await;
    stage.pass_minutes(62).await;
    assert_published(&stage, &"connected again").await;
}

#[tokio::test]
async fn a_failed_publication_states_the_reason_of_the_refusal() {
    for (call, status, reason, state, code) in [
        (
            Call::Begin,
            400,
            "invalidTitle",
            "failed",
            "PUBLISHING_REFUSED",
        ),
        (
            Call::Begin,
            403,
            "youtubeSignupRequired",
            "failed",
            "ACCOUNT_RESTRICTED",
        ),
        (
            Call::Begin,
            403,
            "quotaExceeded",
            "preparing",
            "POST_QUOTA_REACHED",
        ),
        (
            Call::Publish,
            403,
            "forbidden",
            "failed",
            "PUBLISHING_REFUSED",
        ),
        (
            Call::Publish,
            403,
            "quotaExceeded",
            "ready",
            "POST_QUOTA_REACHED",
        ),
    ] {
        let stage = stage_with_three_chunks().await;
        create(&stage, titled("Pão")).await;
        stage
            .api
            .set_faults(move |called| (called == call).then_some(Fault::Refuse(status, reason)));
        stage.pass_minutes(61).await;
        let row = stage.publication().await;
        assert_eq!(
            (&*row.state, row.code.as_deref()),
            (state, Some(code)),
            "{reason}"
        );
        assert_eq!(row.provider_code.as_deref(), Some(reason));
        assert!(stage.api.lock_world().online("filme").is_empty());
    }
}

#[tokio::test]
async fn a_video_that_cannot_be_processed_fails_and_is_deleted() {
    let stage = stage_with_three_chunks().await;
    stage.api.lock_world().failure = Some(("Pão", "codec"));
    create(&stage, titled("Pão")).await;
    stage.pass_minutes(10).await;
    let row = stage.publication().await;
    assert_eq!(
        (&*row.state, row.code.as_deref()),
        ("failed", Some("MEDIA_REJECTED"))
    );
    assert_eq!(row.provider_code.as_deref(), Some("codec"));
    assert!(stage.api.lock_world().videos.is_empty());
}

#[tokio::test]
async fn a_withdrawn_or_changed_publication_leaves_no_private_video() {
    let stage = stage_with_three_chunks().await;
    let piece = create_ready(&stage, titled("Pão")).await;
    stage.reopen(&piece).await;
    stage.pass_minutes(3).await;
    assert_eq!(stage.publication().await.state, "canceled");
    assert!(stage.api.lock_world().videos.is_empty());
    stage.approve(&piece).await;
    stage.pass_minutes(4).await;
    assert_eq!(stage.publications().await.len(), 2);
    assert_eq!(stage.publications().await[1].state, "published");
    assert_online(&stage);
}

#[tokio::test]
async fn a_video_that_a_person_has_made_public_is_never_deleted() {
    let stage = stage_with_three_chunks().await;
    let piece = create_ready(&stage, titled("Pão")).await;
    for video in stage.api.lock_world().videos.values_mut() {
        video.privacy = "public".into();
    }
    stage.reopen(&piece).await;
    stage.pass_minutes(5).await;
    // The state depends on the order of two jobs: one checks the video, the other one cancels
    // publications without approval.
    let state = stage.publication().await.state;
    assert!(["canceled", "published"].contains(&&*state), "{state}");
    assert_eq!(stage.api.count_calls(Call::Delete), 0);
    assert_online(&stage);
}

#[tokio::test]
async fn a_private_variant_stays_private_and_is_published() {
    let stage = stage_with_three_chunks().await;
    let content = VariantContent {
        privacy: Some("private".into()),
        ..titled("Pão")
    };
    create_ready(&stage, content).await;
    stage.pass_minutes(2).await;
    assert_eq!(stage.publication().await.state, "published");
    assert_eq!(stage.api.count_calls(Call::Publish), 0);
    assert_eq!(stage.api.lock_world().unseen("filme"), 1);
}

#[tokio::test]
async fn the_cover_is_set_before_the_publication_and_a_refused_cover_is_reported() {
    for (fault, state, code) in [
        (None, "published", None),
        (
            Some(Fault::Refuse(403, "forbidden")),
            "failed",
            Some("COVER_REJECTED"),
        ),
    ] {
        let stage = stage_with_three_chunks().await;
        let files = [video_file_of(THREE_CHUNKS, 15), jpeg_image(640, 360, 1)];
        let piece = stage.create_piece("filme", &files).await;
        let event = stage.lead.load_event(&piece).await;
        let id = |place: usize| {
            MediaId::from_stored(event["media"][place]["id"].as_str().expect("an id").into())
        };
        let medium = domain::variant::VariantMedium {
            id: id(0).expect("an id"),
            alt: None,
            crop: None,
        };
        let content = VariantContent {
            media: Some(vec![medium]),
            cover: id(1),
            ..titled("Pão")
        };
        stage
            .add_variant(&piece, domain::Format::Video, content)
            .await;
        stage.approve(&piece).await;
        stage
            .api
            .set_faults(move |call| fault.filter(|_| call == Call::Cover));
        stage.pass_minutes(62).await;
        let row = stage.publication().await;
        assert_eq!((&*row.state, row.code.as_deref()), (state, code));
        let world = stage.api.lock_world();
        let with_cover = world.videos.values().filter(|video| video.cover.is_some());
        assert_eq!(with_cover.count(), usize::from(fault.is_none()));
    }
}

#[tokio::test]
async fn the_url_of_an_upload_is_stored_encrypted_and_deleted_after_the_upload() {
    let stage = stage_with_three_chunks().await;
    create(&stage, titled("Pão")).await;
    stage
        .api
        .set_faults(|call| (call == Call::Chunk).then_some(Fault::ResetAfter));
    stage.pass_minutes(1).await;
    let secrets = async || {
        let sql = "SELECT sealed FROM secrets WHERE purpose = 'upload url'";
        stage.app.query_rows(sql.into()).await.len()
    };
    assert_eq!(secrets().await, 1);
    let sql = "SELECT prepared FROM publications WHERE variant_id IS NOT NULL";
    let rows = stage.app.query_rows(sql.into()).await;
    let prepared: String = rows[0].try_get("", "prepared").expect("text");
    assert!(!prepared.contains("upload_id"), "{prepared}");
    let prepared: Value = serde_json::from_str(&prepared).expect("JSON");
    assert_eq!(prepared["whole"], Value::Null);
    stage.api.clear_faults();
    stage.pass_minutes(5).await;
    assert_eq!(secrets().await, 0);
}
