//! Polling the provider's status from the submission to the final state.

use domain::time::HOUR;
use serde_json::{Value, json};

use super::{
    Stage, create_approved_event,
    double::{ACCOUNT, Call, Fault},
    jpeg_image, photos_input, publish_media, upload_file,
};

async fn submit_photo(stage: &Stage) -> (String, Vec<String>) {
    let (event, media) = create_approved_event(&stage.lead, "pão", &[jpeg_image(64, 64, 0)]).await;
    publish_media(&stage.lead, photos_input(&media))
        .await
        .expect(200);
    (event, media)
}

#[tokio::test]
async fn a_failed_status_request_does_not_change_the_publication() {
    for fault in Fault::ALL {
        let stage = Stage::for_fault(fault).await;
        let (event, _) = submit_photo(&stage).await;
        stage.api.fail_next(Call::Status, fault);
        stage.pass_minutes(1).await;
        let publication = stage.only_publication().await;
        assert_eq!(publication["status"], "processing", "{fault:?}");
        assert!(publication["code"].is_string(), "{fault:?}: {publication}");
        stage.pass_minutes(3).await;
        assert_eq!(
            stage.only_publication().await["status"],
            "published",
            "{fault:?}"
        );
        assert_eq!(event_status(&stage, &event).await, "publicado");
    }
}

async fn event_status(stage: &Stage, event: &str) -> Value {
    stage.lead.load_event(event).await["status"].clone()
}

#[tokio::test]
async fn the_pauses_between_status_requests_grow_and_polling_ends_after_two_days() {
    let stage = Stage::new().await;
    stage.api.lock_world().patience = u32::MAX;
    let (event, media) = submit_photo(&stage).await;
    stage.pass_minutes(60).await;
    let asked = stage.api.count_calls(Call::Status);
    assert!((8..=14).contains(&asked), "{asked}");
    for _ in 0..47 * 2 {
        stage.app.advance_clock(HOUR / 2);
        stage.run_due_jobs().await;
    }
    assert_eq!(stage.only_publication().await["status"], "unknown");
    assert!(stage.api.count_calls(Call::Status) < 320);
    assert_eq!(
        stage
            .app
            .count_rows("jobs WHERE name = 'follow_publication'")
            .await,
        0
    );
    assert_eq!(event_status(&stage, &event).await, "aprovado");
    // The post may be online, so nothing is submitted again before a person has checked.
    let again = publish_media(&stage.lead, photos_input(&media)).await;
    again.expect_refusal(409, "OUTCOME_UNKNOWN");
    assert_eq!(stage.api.count_calls(Call::Photos), 1);
}

#[tokio::test]
async fn the_outcome_stays_open_until_a_disconnected_account_is_connected_again() {
    let stage = Stage::new().await;
    let (event, _) = submit_photo(&stage).await;
    stage.disconnect_account().await;
    stage.pass_minutes(30).await;
    let publication = stage.only_publication().await;
    assert_eq!(
        (&publication["status"], &publication["code"]),
        (&json!("processing"), &json!("ACCOUNT_DISCONNECTED"))
    );
    assert!(publication["next"].is_string());
    // The publication belongs to the first account, so its status is not requested with the token
    // of the second.
    stage.connect_account("conta-0002").await;
    let asked = stage.api.count_calls(Call::Status);
    stage.pass_minutes(30).await;
    assert_eq!(stage.api.count_calls(Call::Status), asked);
    stage.connect_account(ACCOUNT).await;
    stage.pass_minutes(30).await;
    assert_eq!(stage.only_publication().await["status"], "published");
    assert_eq!(event_status(&stage, &event).await, "publicado");
}

#[tokio::test]
async fn an_event_that_a_person_reopened_is_not_changed() {
    let stage = Stage::new().await;
    let (event, _) = submit_photo(&stage).await;
    let reopened = json!({
        "expected_revision": stage.lead.load_event(&event).await["api_revision"],
        "motivo": "Trocar a foto",
    });
    let path = format!("/api/eventos/{event}/reabrir");
    stage.lead.post(&path, reopened).await.expect(200);
    stage.pass_minutes(4).await;
    assert_eq!(stage.only_publication().await["status"], "published");
    assert_eq!(event_status(&stage, &event).await, "em progresso");
}

#[tokio::test]
async fn an_event_that_a_person_marked_as_published_is_not_changed_again() {
    let stage = Stage::new().await;
    let (event, _) = submit_photo(&stage).await;
    let revision = stage.lead.load_event(&event).await["api_revision"].clone();
    let marked = json!({ "expected_revision": revision, "status": "publicado" });
    let path = format!("/api/eventos/{event}");
    stage.lead.patch(&path, marked).await.expect(200);
    let before = stage.lead.load_event(&event).await;
    stage.pass_minutes(4).await;
    assert_eq!(stage.only_publication().await["status"], "published");
    assert_eq!(stage.lead.load_event(&event).await, before);
}

#[tokio::test]
async fn two_instances_request_the_status_once_and_write_one_outcome() {
    let stage = Stage::new().await;
    let second = stage.second_instance().await;
    let (event, _) = submit_photo(&stage).await;
    for _ in 0..4 {
        stage.app.advance_clock(60_000);
        let mut workers = [stage.app.app.worker(), second.app.worker()];
        let [one, two] = &mut workers;
        let (a, b) = tokio::join!(one.drain(), two.drain());
        a.and(b).expect("the database is there");
    }
    assert_eq!(stage.only_publication().await["status"], "published");
    assert_eq!(stage.api.count_calls(Call::Status), 2);
    let changes =
        format!("event_history WHERE event_id = '{event}' AND action = 'publish_shortvideo'");
    assert_eq!(stage.app.count_rows(&changes).await, 1);
}

#[tokio::test]
async fn status_requests_stay_within_the_providers_limit() {
    let stage = Stage::new().await;
    stage.api.lock_world().patience = 0;
    for number in 0..36u8 {
        let id = upload_file(&stage.lead, &jpeg_image(64, 64, number), None).await;
        publish_media(&stage.lead, photos_input(&[id]))
            .await
            .expect(200);
        stage.app.advance_clock(10_000);
    }
    let asked = stage.api.count_calls(Call::Status);
    assert_eq!(asked, 0);
    stage.run_due_jobs().await;
    assert_eq!(stage.api.count_calls(Call::Status), 30);
    stage.pass_minutes(2).await;
    let published = "publications WHERE state = 'published'";
    assert_eq!(stage.app.count_rows(published).await, 36);
    assert!(stage.api.lock_world().refusals.is_empty());
}
