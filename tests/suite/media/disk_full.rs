//! A full disk: the answer is an error, the file is gone, the event unchanged.
//!
//! The test runs itself again in a mount namespace of its own, with its media on a file system of
//! two megabytes. It needs Linux that lets users make namespaces (`unshare -Urm`).

use std::process::Command;

use super::*;

const FOLDER: &str = "PAUTA_TEST_SMALL_DISK";

#[tokio::test]
async fn a_full_disk_is_an_error_that_changes_nothing() {
    if let Ok(folder) = std::env::var(FOLDER) {
        return on_the_small_disk(&folder).await;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let script = "mount -t tmpfs -o size=2m tmpfs \"$1\" && exec \"$2\" --exact \"$3\"";
    let output = Command::new("unshare")
        .args(["-Urm", "sh", "-c", script, "sh"])
        .arg(folder.path())
        .arg(std::env::current_exe().expect("this test"))
        .arg("media::disk_full::a_full_disk_is_an_error_that_changes_nothing")
        .env(FOLDER, folder.path())
        .output()
        .expect("unshare, of util-linux, runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}{errors}");
    assert!(text.contains("1 passed"), "{text}");
}

async fn on_the_small_disk(folder: &str) {
    let media = format!("{folder}/media");
    let app = TestApp::with_settings([("PAUTA_STORAGE", media.clone())]).await;
    let files = || crate::support::files(media.as_ref());
    let lead = app.as_member(Role::Lider).await;
    let id = demand(&lead).await;
    let on_event = [("event_id", id.as_str().expect("an id"))];

    // In one piece, and in parts.
    for bytes in [3_000_000, 20_000_000] {
        let refused = upload(&lead, &on_event, Some(&video(bytes))).await;
        refused.refused(500, "INTERNAL");
        assert_eq!(files(), 0);
    }
    // Room for some of the cards.
    std::fs::write(format!("{folder}/filler"), vec![0; 1_900_000]).expect("fits");
    let cards: Vec<Value> = (0..10)
        .map(|n| json!({ "text": format!("Card {n}") }))
        .collect();
    let carousel = json!({ "event_id": id, "cards": cards });
    let refused = lead.post("/api/carousel", carousel.clone()).await;
    refused.refused(500, "INTERNAL");
    assert_eq!(files(), 0);
    assert_eq!(app.count("media").await, 0);
    assert_eq!(app.count("contents").await, 0);
    let shown = event(&lead, &id).await;
    assert_eq!(shown["evento"]["api_revision"], 1);
    assert_eq!(shown["historico"].as_array().map(Vec::len), Some(1));

    std::fs::remove_file(format!("{folder}/filler")).expect("it was there");
    lead.post("/api/carousel", carousel).await.expect(200);
    assert_eq!(files(), 10);
}
