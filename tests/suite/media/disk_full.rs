//! On a full disk, an upload or a generation returns an error, its file is removed, and the event
//! is unchanged.

use std::path::Path;

use super::*;
use crate::support::rerun_on_small_disk;

#[tokio::test]
async fn a_full_disk_causes_an_error_and_changes_nothing() {
    let test = "media::disk_full::a_full_disk_causes_an_error_and_changes_nothing";
    if let Some(folder) = rerun_on_small_disk(test, "2m") {
        fill_small_disk(&folder).await;
    }
}

async fn fill_small_disk(folder: &Path) {
    let media = folder.join("media").display().to_string();
    let app = TestApp::with_settings([("PAUTA_STORAGE", media.clone())]).await;
    let files = || crate::support::count_files(media.as_ref());
    let lead = app.as_member(Role::Lider).await;
    let id = create_demand(&lead).await;
    let on_event = [("event_id", id.as_str().expect("an id"))];

    // The first file is stored in one piece, the second in several parts.
    for bytes in [3_000_000, 20_000_000] {
        let refused = upload(&lead, &on_event, Some(&video_file(bytes))).await;
        refused.expect_refusal(500, "INTERNAL");
        assert_eq!(files(), 0);
    }
    // Leaves room for some of the cards only.
    std::fs::write(folder.join("filler"), vec![0; 1_900_000]).expect("the filler fits");
    let cards: Vec<Value> = (0..10)
        .map(|n| json!({ "text": format!("Card {n}") }))
        .collect();
    let carousel = json!({ "event_id": id, "cards": cards });
    let refused = lead.post("/api/carousel", carousel.clone()).await;
    refused.expect_refusal(500, "INTERNAL");
    assert_eq!(files(), 0);
    assert_eq!(app.count_rows("media").await, 0);
    assert_eq!(app.count_rows("contents").await, 0);
    let shown = load_event(&lead, &id).await;
    assert_eq!(shown["evento"]["api_revision"], 1);
    assert_eq!(shown["historico"].as_array().map(Vec::len), Some(1));

    std::fs::remove_file(folder.join("filler")).expect("the file exists");
    lead.post("/api/carousel", carousel).await.expect(200);
    assert_eq!(files(), 10);
}
