//! Reminders of the posts that the service cannot publish.

use domain::Format;
use serde_json::{Value, json};

use super::{Stage, plain};
use crate::publishing::jpeg_image;

/// The number of reminders that were sent.
async fn count_reminders(stage: &Stage) -> i64 {
    stage
        .app
        .count_rows("notifications WHERE kind = 'lembrete'")
        .await
}

async fn load_only_publication(stage: &Stage) -> Value {
    let listed = stage.lead.get("/api/publicacoes").await.expect(200).body;
    let all = listed["publications"].as_array().expect("a list");
    assert_eq!(all.len(), 1, "{listed}");
    all[0].clone()
}

async fn record_post(stage: &Stage, piece: &str, link: &str) {
    let read = stage.lead.get(&format!("/api/eventos/{piece}")).await;
    let read = read.expect(200).body;
    let input = json!({
        "expected_revision": read["evento"]["api_revision"],
        "variant_id": read["variantes"][0]["id"],
        "post_url": link,
    });
    let path = format!("/api/eventos/{piece}/post");
    stage.lead.post(&path, input).await.expect(200);
}

/// The service has settings for Instagram and none for LinkedIn.
#[tokio::test]
async fn a_person_is_reminded_of_a_post_on_an_unregistered_network() {
    let stage = Stage::new().await;
    let piece = stage.create_piece("pão", &[]).await;
    let revision = stage.lead.load_event(&piece).await["api_revision"].clone();
    let variant = json!({ "canal": "linkedin", "publicacao": "automatica" });
    let input = json!({ "expected_revision": revision, "variantes": [variant] });
    let path = format!("/api/eventos/{piece}/variantes");
    let put = stage.lead.put(&path, input).await.expect(200).body;
    let notice = put["variantes"][0]["aviso"].as_str().unwrap_or_default();
    assert!(notice.contains("não está registrada"), "{put}");
    stage.approve(&piece).await;
    stage.pass_minutes(58).await;
    assert_eq!(load_only_publication(&stage).await["status"], "scheduled");
    assert_eq!(count_reminders(&stage).await, 0);
    stage.pass_minutes(4).await;
    let late = load_only_publication(&stage).await;
    let shown = ["status", "code"].map(|name| late[name].clone());
    assert_eq!(shown, [json!("late"), json!("PROVIDER_NOT_CONFIGURED")]);
    assert!(
        late["next"]
            .as_str()
            .unwrap_or_default()
            .contains("Poste à mão"),
        "{late}"
    );
    assert_eq!(count_reminders(&stage).await, 1);
    let list = stage.lead.get("/api/eventos").await.expect(200).body["eventos"].clone();
    assert_eq!(list[0]["canais"][0]["atrasada"], true, "{list}");
    record_post(
        &stage,
        &piece,
        "https://www.linkedin.com/feed/update/urn:li:share:1/",
    )
    .await;
    assert_eq!(stage.status(&piece).await, "publicado");
    stage.pass_minutes(90).await;
    assert_eq!(count_reminders(&stage).await, 1);
    assert_eq!(load_only_publication(&stage).await["status"], "published");
}

#[tokio::test]
async fn a_late_post_without_an_account_is_left_to_a_person() {
    let stage = Stage::new().await;
    let files = [jpeg_image(320, 320, 1)];
    let (piece, _) = stage
        .create_approved("pão", &files, &[(Format::Feed, plain())])
        .await;
    stage.disconnect_account().await;
    let read = stage.lead.get(&format!("/api/eventos/{piece}")).await;
    let read = read.expect(200).body;
    let notice = read["variantes"][0]["aviso"].as_str().unwrap_or_default();
    assert!(notice.contains("Nenhuma conta"), "{read}");
    // The post is not late yet. If the account were connected again, the service would publish it, so
    // nobody is reminded.
    stage.pass_minutes(75).await;
    assert_eq!(count_reminders(&stage).await, 0);
    stage.pass_minutes(20).await;
    let late = load_only_publication(&stage).await;
    let shown = ["status", "code"].map(|name| late[name].clone());
    assert_eq!(shown, [json!("late"), json!("ACCOUNT_DISCONNECTED")]);
    assert_eq!(count_reminders(&stage).await, 1);
    stage.connect_account(super::double::ACCOUNT).await;
    stage.pass_minutes(10).await;
    assert_eq!(stage.api.lock_world().posts.len(), 0);
    record_post(&stage, &piece, "https://www.instagram.com/p/x/").await;
    stage.pass_minutes(10).await;
    assert_eq!(stage.status(&piece).await, "publicado");
    assert_eq!(stage.api.lock_world().posts.len(), 0);
}

#[tokio::test]
async fn nobody_is_reminded_of_a_post_that_the_service_publishes() {
    let stage = Stage::new().await;
    let files = [jpeg_image(320, 320, 1)];
    let (piece, _) = stage
        .create_approved("pão", &files, &[(Format::Feed, plain())])
        .await;
    stage.pass_minutes(62).await;
    assert_eq!(stage.status(&piece).await, "publicado");
    assert_eq!(count_reminders(&stage).await, 0);
    // Waits past the time at which an unpublished post would be late.
    stage.pass_minutes(33).await;
    assert_eq!(load_only_publication(&stage).await["status"], "published");
    assert_eq!(count_reminders(&stage).await, 0);
}
