//! A webhook reports each revision of a piece, so that a program can mirror the pieces.

use domain::time::HOUR;
use serde_json::json;

use super::{Fixture, receiver::Received};
use crate::{
    publishing::{png_image, upload_file},
    support::Client,
};

fn sent_revisions(sent: &[Received], id: &str) -> Vec<i64> {
    let of_piece = sent.iter().filter(|one| one.resource() == id);
    let revisions = of_piece.filter_map(|one| one.body["data"]["revision"].as_i64());
    revisions.collect()
}

async fn read_revision(client: &Client, id: &str) -> i64 {
    let path = format!("/api/eventos/{id}");
    let piece = client.get(&path).await.expect(200).body;
    piece["evento"]["api_revision"].as_i64().expect("a number")
}

#[tokio::test]
async fn webhooks_also_send_pieces_without_people() {
    let team = Fixture::new().await;
    team.subscribe().await;
    let one = team.admin.create_demand(json!({ "title": "Feira" })).await;
    let demands = json!({ "demandas": [{ "title": "Um" }, { "title": "Dois" }] });
    team.admin.post("/api/demandas", demands).await.expect(200);
    team.make_and_send_messages().await;
    let sent = team.receiver.take();
    assert_eq!(sent.len(), 3, "{sent:?}");
    assert_eq!(sent_revisions(&sent, &one), [1]);
}

#[tokio::test]
async fn webhooks_send_each_change_of_the_media_of_a_piece() {
    let team = Fixture::new().await;
    team.subscribe().await;
    let id = team.assign("Feira").await;
    let mut last = String::new();
    for number in 1..3 {
        team.app.advance_clock(1);
        let file = png_image(30, 30, number);
        last = upload_file(&team.admin, &file, Some(&id)).await;
    }
    team.app.advance_clock(1);
    let revision = read_revision(&team.admin, &id).await;
    let order = json!({ "expected_revision": revision, "order": [last] });
    let path = format!("/api/eventos/{id}/media");
    team.admin.patch(&path, order.clone()).await.expect(200);
    // A call that changes nothing causes no message.
    team.app.advance_clock(1);
    let mut again = order;
    again["expected_revision"] = json!(revision + 1);
    team.admin.patch(&path, again).await.expect(200);
    team.make_and_send_messages().await;
    let sent = team.receiver.take();
    assert_eq!(read_revision(&team.admin, &id).await, 4);
    assert_eq!(sent_revisions(&sent, &id), [1, 2, 3, 4]);
    let changed = sent.iter().map(|one| one.body["data"]["changed"].clone());
    let changed: Vec<_> = changed.skip(1).collect();
    assert!(
        changed.iter().all(|one| *one == json!(["media"])),
        "{changed:?}"
    );
    let actors = sent
        .iter()
        .map(|one| one.body["data"]["actor"]["kind"].clone());
    assert!(actors.into_iter().all(|kind| kind == "member"));
}

#[tokio::test]
async fn a_webhook_sends_changes_after_the_clock_was_set_back() {
    let mut team = Fixture::new().await;
    team.assign("Antes").await;
    team.make_and_send_messages().await;
    team.assign("Logo antes").await;
    // Creates the webhook, and then sets the clock back.
    team.subscribe().await;
    team.app.advance_clock(-HOUR);
    team.sign_in().await;
    let id = team.assign("Feira").await;
    team.make_and_send_messages().await;
    assert_eq!(team.receiver.take_one().resource(), id);
}

#[tokio::test]
async fn a_webhook_of_a_channel_sends_all_pieces_with_that_channel() {
    let team = Fixture::new().await;
    let mut settings = team.settings();
    settings["channel"] = "TikTok".into();
    settings["tipos"] = json!(["piece_updated"]);
    team.subscribe_with(settings).await;
    let create = async |channel: &str| {
        let input = json!({ "title": "Feira", "channel": channel });
        team.admin.create_demand(input).await
    };
    let (with, without) = (create("instagram").await, create("instagram").await);
    let moved = create("tiktok").await;
    let variants = async |id: &str, revision: i64, variant: serde_json::Value| {
        let input = json!({ "expected_revision": revision, "variantes": [variant] });
        let path = format!("/api/eventos/{id}/variantes");
        team.admin.put(&path, input).await.expect(200);
    };
    variants(&with, 1, json!({ "canal": "tiktok", "legenda": "Curta" })).await;
    variants(
        &without,
        1,
        json!({ "canal": "linkedin", "legenda": "Longa" }),
    )
    .await;
    let path = format!("/api/eventos/{moved}");
    let away = json!({ "expected_revision": 1, "channel": "email" });
    team.admin.patch(&path, away).await.expect(200);
    team.make_and_send_messages().await;
    let sent = team.receiver.take();
    assert_eq!(sent_revisions(&sent, &with), [2]);
    assert_eq!(sent_revisions(&sent, &moved), [2], "it left the channel");
    assert_eq!(sent.len(), 2, "{sent:?}");
    // Removes the variant for TikTok from the piece.
    variants(&with, 2, json!({ "canal": "tiktok", "remover": true })).await;
    team.make_and_send_messages().await;
    assert_eq!(sent_revisions(&team.receiver.take(), &with), [3]);
}
