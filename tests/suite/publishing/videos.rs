//! Videos: they are uploaded in chunks from the storage, and an upload continues after failures.

use serde_json::{Value, json};

use super::{
    Stage,
    double::{Call, Fault},
    publish_media, upload_file,
};
use crate::support::video_file_of;

/// The size, in bytes, of a video that is uploaded in two chunks: 10 MiB and the rest.
const TWO_CHUNKS: usize = 25_000_000;

fn video_input(id: &str) -> Value {
    json!({ "type": "VIDEO", "mediaIds": [id], "privacy_level": "SELF_ONLY", "caption": "filme" })
}

async fn publish_video(stage: &Stage, bytes: usize) -> Value {
    let id = upload_file(&stage.lead, &video_file_of(bytes, 15), None).await;
    let answer = publish_media(&stage.lead, video_input(&id))
        .await
        .expect(200)
        .body;
    assert_eq!(answer["status"], "uploading");
    answer
}

/// Asserts that the double has exactly one video with these bytes.
fn assert_video_arrived(stage: &Stage, bytes: usize) {
    let world = stage.api.lock_world();
    let online = world.online_effects("filme");
    assert_eq!(online.len(), 1);
    assert!(
        online[0].bytes == video_file_of(bytes, 15),
        "the uploaded bytes differ from the file"
    );
}

#[tokio::test]
async fn a_video_is_uploaded_in_chunks_and_published() {
    let stage = Stage::new().await;
    let id = upload_file(&stage.lead, &video_file_of(TWO_CHUNKS, 15), None).await;
    let mut input = video_input(&id);
    input["disable_duet"] = true.into();
    publish_media(&stage.lead, input).await.expect(200);
    assert_eq!(stage.api.count_calls(Call::Upload), 0);
    stage.run_due_jobs().await;
    assert_eq!(stage.api.count_calls(Call::Upload), 2);
    assert_video_arrived(&stage, TWO_CHUNKS);
    assert_eq!(stage.only_publication().await["status"], "processing");
    stage.pass_minutes(3).await;
    let publication = stage.only_publication().await;
    assert_eq!(publication["status"], "published");
    assert_eq!(publication["uploaded_bytes"], TWO_CHUNKS);
    let world = stage.api.lock_world();
    let info = &world
        .effects
        .values()
        .next()
        .expect("a publication")
        .request["post_info"];
    assert_eq!(
        (&info["disable_duet"], &info["disable_stitch"]),
        (&json!(true), &json!(true))
    );
    assert!(world.refusals.is_empty(), "{:?}", world.refusals);
}

#[tokio::test]
async fn an_upload_continues_after_every_fault_and_repeats_no_chunk_that_arrived() {
    let faults = Fault::ALL
        .into_iter()
        .filter(|fault| *fault != Fault::Nonsense);
    for fault in faults {
        let stage = Stage::for_fault(fault).await;
        publish_video(&stage, TWO_CHUNKS).await;
        stage.api.fail_next(Call::Upload, fault);
        stage.run_due_jobs().await;
        stage.pass_minutes(6).await;
        let publication = stage.only_publication().await;
        assert_eq!(
            publication["status"], "published",
            "{fault:?}: {publication}"
        );
        assert_video_arrived(&stage, TWO_CHUNKS);
        let chunks = 2 + usize::from(!fault.has_effect() && fault != Fault::TooMany);
        let seen = stage.api.count_calls(Call::Upload);
        assert!(seen <= chunks, "{fault:?}: {seen}");
        assert!(stage.api.lock_world().refusals.is_empty(), "{fault:?}");
    }
}

#[tokio::test]
async fn an_upload_continues_on_another_instance_after_a_kill() {
    for fault in [Fault::KillBefore, Fault::KillAfter] {
        let stage = Stage::new().await;
        let second = stage.second_instance().await;
        publish_video(&stage, TWO_CHUNKS).await;
        stage.api.fail_next(Call::Upload, fault);
        let mut worker = stage.app.app.worker();
        tokio::select! {
            drained = worker.drain() => panic!("the worker was not killed: {drained:?}"),
            _ = stage.api.wait_for_kill() => {}
        }
        drop(worker);
        stage.app.advance_clock(61_000);
        super::stage::drain_jobs(&second).await;
        stage.pass_minutes(3).await;
        assert_eq!(
            stage.only_publication().await["status"],
            "published",
            "{fault:?}"
        );
        assert_video_arrived(&stage, TWO_CHUNKS);
        assert!(stage.api.lock_world().refusals.is_empty());
    }
}

#[tokio::test]
async fn an_upload_that_takes_too_long_fails_and_nothing_is_online() {
    let stage = Stage::new().await;
    publish_video(&stage, 4_000).await;
    stage.api.lock_world().expire_uploads();
    stage.run_due_jobs().await;
    let publication = stage.only_publication().await;
    assert_eq!(
        (&publication["status"], &publication["code"]),
        (&json!("failed"), &json!("UPLOAD_EXPIRED"))
    );
    assert!(stage.api.lock_world().online_effects("filme").is_empty());
    // Lets the job run that notifies the member who published the video.
    stage.app.advance_clock(2_000);
    stage.run_due_jobs().await;
    let told = stage.lead.get("/api/notificacoes?tipo=falha").await;
    let told = told.expect(200).body["notificacoes"].clone();
    assert_eq!(told.as_array().map(Vec::len), Some(1), "{told}");
    let text = told[0]["texto"].as_str().expect("a text");
    assert!(
        text.starts_with("A publicação de ") && text.ends_with(" falhou."),
        "{text}"
    );

    // After an hour the upload URL has expired, so the service does not use it.
    let stage = Stage::new().await;
    publish_video(&stage, 4_000).await;
    stage.app.advance_clock(3_600_000);
    stage.run_due_jobs().await;
    assert_eq!(stage.only_publication().await["code"], "UPLOAD_EXPIRED");
    assert_eq!(stage.api.count_calls(Call::Upload), 0);
}

#[tokio::test]
async fn a_disconnected_account_stops_the_upload_and_the_outcome_is_reported_truthfully() {
    let stage = Stage::new().await;
    publish_video(&stage, 4_000).await;
    stage.disconnect_account().await;
    stage.pass_minutes(30).await;
    let publication = stage.only_publication().await;
    assert_eq!(
        (&publication["status"], &publication["code"]),
        (&json!("uploading"), &json!("ACCOUNT_DISCONNECTED"))
    );
    assert_eq!(stage.api.count_calls(Call::Upload), 0);
    stage.pass_minutes(60).await;
    let publication = stage.only_publication().await;
    assert_eq!(
        (&publication["status"], &publication["code"]),
        (&json!("failed"), &json!("UPLOAD_EXPIRED"))
    );
}

#[tokio::test]
async fn bytes_go_only_to_the_provider_or_to_a_public_host() {
    for origin in [
        "http://127.0.0.1:9",
        "https://127.0.0.1:9",
        "https://169.254.169.254",
        "http://exemplo.com",
        "https://[::1]:9",
        "file:///tmp",
    ] {
        let stage = Stage::new().await;
        stage.api.lock_world().upload_origin = Some(origin.into());
        publish_video(&stage, 4_000).await;
        stage.run_due_jobs().await;
        let publication = stage.only_publication().await;
        assert_eq!(
            (&publication["status"], &publication["provider_code"]),
            (&json!("failed"), &json!("upload_url_not_allowed")),
            "{origin}"
        );
    }
}

#[tokio::test]
async fn the_url_of_an_upload_is_kept_secret() {
    let stage = Stage::new().await;
    let answer = publish_video(&stage, 4_000).await;
    assert!(!answer.to_string().contains("segredo-1"));
    assert!(!stage.app.contains_text("segredo-1").await);
    let tokens: Vec<String> = stage.api.lock_world().tokens.keys().cloned().collect();
    for token in tokens {
        assert!(!stage.app.contains_text(&token).await);
    }
    assert!(
        !stage
            .only_publication()
            .await
            .to_string()
            .contains("upload_token")
    );
}
