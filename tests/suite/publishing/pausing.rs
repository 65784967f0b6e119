//! The pause of all publications. It also stops publications that a caller requests directly.

use serde_json::json;

use super::{Stage, double::Call, jpeg_image, photos_input, publish_media, upload_file};
use crate::support::video_file_of;

/// The size, in bytes, of a video that is uploaded in two chunks: 10 MiB and the rest.
const TWO_CHUNKS: usize = 25_000_000;

async fn pause(stage: &Stage, paused: bool) {
    let input = json!({ "paused": paused, "reason": "Crise" });
    let answer = stage.lead.post("/api/publicacoes/pausa", input).await;
    answer.expect(200);
}

#[tokio::test]
async fn a_pause_refuses_a_publication_before_anything_is_sent() {
    let stage = Stage::new().await;
    let photo = upload_file(&stage.lead, &jpeg_image(720, 720, 1), None).await;
    pause(&stage, true).await;
    let refused = publish_media(&stage.lead, photos_input(std::slice::from_ref(&photo))).await;
    let body = refused
        .expect_refusal(409, "PUBLISHING_PAUSED")
        .body
        .clone();
    assert_eq!(body["details"]["reason"], "Crise", "{body}");
    assert_eq!(stage.api.lock_world().calls.len(), 0);
    assert_eq!(stage.app.count_rows("publications").await, 0);
    pause(&stage, false).await;
    publish_media(&stage.lead, photos_input(&[photo]))
        .await
        .expect(200);
    stage.pass_minutes(3).await;
    assert_eq!(stage.only_publication().await["status"], "published");
}

/// Creates a stage with a video of two chunks, and pauses all publications. The service has sent the
/// first chunk and holds the last one back.
async fn paused_upload() -> Stage {
    let stage = Stage::new().await;
    let id = upload_file(&stage.lead, &video_file_of(TWO_CHUNKS, 15), None).await;
    let input = json!({ "type": "VIDEO", "mediaIds": [id], "privacy_level": "SELF_ONLY", "caption": "filme" });
    publish_media(&stage.lead, input).await.expect(200);
    pause(&stage, true).await;
    stage.pass_minutes(5).await;
    let publication = stage.only_publication().await;
    assert_eq!(publication["status"], "uploading");
    assert_eq!(publication["code"], "PUBLISHING_PAUSED");
    assert_eq!(stage.api.count_calls(Call::Upload), 1);
    assert!(stage.api.lock_world().online_effects("filme").is_empty());
    stage
}

#[tokio::test]
async fn a_pause_holds_the_last_chunk_of_a_video_back() {
    let stage = paused_upload().await;
    pause(&stage, false).await;
    stage.pass_minutes(5).await;
    assert_eq!(stage.only_publication().await["status"], "published");
    assert_eq!(stage.api.lock_world().online_effects("filme").len(), 1);
}

#[tokio::test]
async fn a_video_that_stays_paused_fails_and_is_not_online() {
    let stage = paused_upload().await;
    stage.pass_minutes(62).await;
    let publication = stage.only_publication().await;
    assert_eq!(publication["status"], "failed");
    assert_eq!(publication["code"], "UPLOAD_EXPIRED");
    assert!(stage.api.lock_world().online_effects("filme").is_empty());
}
