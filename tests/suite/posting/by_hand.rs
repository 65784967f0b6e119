//! What the service cannot publish, a person is reminded of.

use domain::Format;
use serde_json::{Value, json};

use super::{Stage, plain};
use crate::publishing::jpeg_image;

/// Reminders sent.
async fn count_reminders(stage: &Stage) -> i64 {
    stage
        .app
        .count_rows("notifications WHERE kind = 'lembrete'")
        .await
}

async fn only_listed(stage: &Stage) -> Value {
    let listed = stage.lead.get("/api/publicacoes").await.expect(200).body;
    let all = listed["publications"].as_array().expect("a list");
    assert_eq!(all.len(), 1, "{listed}");
    all[0].clone()
}

async fn record(stage: &Stage, piece: &str, link: &str) {
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

/// Instagram is registered, and LinkedIn is not.
#[tokio::test]
async fn a_post_of_a_network_that_is_not_registered_is_not_lost() {
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
    assert_eq!(only_listed(&stage).await["status"], "scheduled");
    assert_eq!(count_reminders(&stage).await, 0);
    stage.pass_minutes(4).await;
    let late = only_listed(&stage).await;
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
    record(
        &stage,
        &piece,
        "https://www.linkedin.com/feed/update/urn:li:share:1/",
    )
    .await;
    assert_eq!(stage.status(&piece).await, "publicado");
    stage.pass_minutes(90).await;
    assert_eq!(count_reminders(&stage).await, 1);
    assert_eq!(only_listed(&stage).await["status"], "published");
}

#[tokio::test]
async fn a_post_whose_account_is_away_is_posted_by_hand_and_not_by_the_service_too() {
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
    // Until it is late, the service publishes if the account is back.
    stage.pass_minutes(75).await;
    assert_eq!(count_reminders(&stage).await, 0);
    stage.pass_minutes(20).await;
    let late = only_listed(&stage).await;
    let shown = ["status", "code"].map(|name| late[name].clone());
    assert_eq!(shown, [json!("late"), json!("ACCOUNT_DISCONNECTED")]);
    assert_eq!(count_reminders(&stage).await, 1);
    stage.connect_account(super::double::ACCOUNT).await;
    stage.pass_minutes(10).await;
    assert_eq!(stage.api.lock_world().posts.len(), 0);
    record(&stage, &piece, "https://www.instagram.com/p/x/").await;
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
    // Nor later, when a post that the service had not published would be late.
    stage.pass_minutes(33).await;
    assert_eq!(only_listed(&stage).await["status"], "published");
    assert_eq!(count_reminders(&stage).await, 0);
}
