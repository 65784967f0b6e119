//! The daily limit of uploads. A day ends at midnight in Pacific time.

use domain::{
    Format,
    time::{HOUR, MINUTE, pacific_day},
};
use serde_json::{Value, json};

use super::{YouTubeStage, titled, world::YouTubeWorld};
use crate::{
    posting::uploads::server::{Call, Fault},
    support::video_file_of,
};

/// Creates an approved video with this caption, due in an hour.
async fn create(stage: &YouTubeStage, caption: &str) {
    let piece = stage
        .create_piece(caption, &[video_file_of(300_000, 15)])
        .await;
    stage
        .add_variant(&piece, Format::Video, titled("Pão"))
        .await;
    stage.approve(&piece).await;
}

async fn list_by_status(stage: &YouTubeStage, status: &str) -> Vec<Value> {
    let path = format!("/api/publicacoes?status={status}");
    let listed = stage.lead.get(&path).await.expect(200).body;
    listed["publications"].as_array().expect("a list").clone()
}

/// The number of outbox rows that announce a late publication.
async fn count_announced_late(stage: &YouTubeStage) -> i64 {
    let told = "outbox WHERE kind = 'publication_ended' AND facts LIKE '%late%'";
    stage.app.count_rows(told).await
}

/// Lets time pass until shortly after midnight in Pacific time, when the quota is renewed.
async fn pass_midnight(stage: &YouTubeStage) {
    let (_, midnight) = pacific_day(stage.app.now());
    stage.app.advance_clock(midnight - stage.app.now() + MINUTE);
    stage.pass_minutes(3).await;
}

#[tokio::test]
async fn an_upload_beyond_the_quota_waits_and_the_renewed_quota_is_announced() {
    let world = YouTubeWorld::default();
    let stage = YouTubeStage::with_settings(world, [("PAUTA_YOUTUBE_UPLOADS_A_DAY", "1")]).await;
    create(&stage, "um").await;
    create(&stage, "dois").await;
    stage.pass_minutes(50).await;
    assert_eq!(stage.api.count_calls(Call::Begin), 1);
    let waiting = list_by_status(&stage, "preparing").await;
    assert_eq!(waiting[0]["code"], "POST_QUOTA_REACHED", "{waiting:?}");
    stage.pass_minutes(45).await;
    let late = list_by_status(&stage, "late").await;
    assert_eq!(late[0]["code"], "POST_QUOTA_REACHED", "{late:?}");
    let message = late[0]["message"].as_str().unwrap_or_default();
    assert!(message.contains("meia-noite do Pacífico"), "{message}");
    let told = count_announced_late(&stage).await;
    assert_eq!(told, 1);
    pass_midnight(&stage).await;
    let late = list_by_status(&stage, "late").await;
    assert_eq!(late[0]["code"], "POST_QUOTA_RETURNED", "{late:?}");
    assert_eq!(count_announced_late(&stage).await, told + 1);
    // The renewed quota is announced only once.
    stage.app.advance_clock(HOUR);
    stage.pass_minutes(3).await;
    assert_eq!(count_announced_late(&stage).await, told + 1);
    let id = late[0]["id"].as_str().expect("an id");
    let path = format!("/api/publicacoes/{id}/decisao");
    let now = json!({ "action": "publicar_agora" });
    stage.lead.post(&path, now).await.expect(200);
    stage.pass_minutes(5).await;
    assert_eq!(list_by_status(&stage, "published").await.len(), 2);
    assert_eq!(stage.api.count_calls(Call::Begin), 2);
}

#[tokio::test]
async fn after_a_quota_refusal_of_youtube_no_upload_begins_that_day() {
    let stage = YouTubeStage::with_network_double().await;
    stage
        .api
        .set_faults(|call| (call == Call::Begin).then_some(Fault::Refuse(403, "quotaExceeded")));
    create(&stage, "um").await;
    stage.pass_minutes(5).await;
    create(&stage, "dois").await;
    stage.pass_minutes(30).await;
    assert_eq!(stage.api.count_calls(Call::Begin), 1);
    let waiting = list_by_status(&stage, "preparing").await;
    let codes: Vec<&Value> = waiting.iter().map(|one| &one["code"]).collect();
    assert_eq!(codes, ["POST_QUOTA_REACHED"; 2]);
}

#[tokio::test]
async fn an_upload_that_did_not_reach_youtube_is_not_counted() {
    let world = YouTubeWorld::default();
    let stage = YouTubeStage::with_settings(world, [("PAUTA_YOUTUBE_UPLOADS_A_DAY", "1")]).await;
    create(&stage, "um").await;
    stage.api.stop().await;
    stage.pass_minutes(5).await;
    let waiting = list_by_status(&stage, "preparing").await;
    assert_eq!(waiting[0]["code"], "PROVIDER_FAILED", "{waiting:?}");
    let rows = stage
        .app
        .query_rows("SELECT calls FROM provider_rates".into());
    for row in rows.await {
        let calls: String = row.try_get("", "calls").expect("a text");
        assert_eq!(calls, "[]");
    }
}
