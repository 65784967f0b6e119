//! The stored files after concurrent uploads, killed processes and storage failures.

use tools::media::Claim;

use super::*;

over_each_storage! {
    a_refused_upload_does_not_remove_the_file_of_an_identical_one
    the_sweep_removes_only_files_whose_process_died
    a_video_is_kept_in_parts_and_served_byte_for_byte
    a_content_that_is_being_removed_is_not_claimed
}

async fn a_refused_upload_does_not_remove_the_file_of_an_identical_one(app: TestApp) {
    const ROUNDS: u32 = 25;
    let lead = app.as_member(Role::Lider).await;
    let absent = [("event_id", "0198c0de-0000-7000-8000-000000000000")];
    for round in 0..ROUNDS {
        let file = png_image(40 + round, 30);
        let (kept, refused, again) = tokio::join!(
            upload(&lead, &[], Some(&file)),
            upload(&lead, &absent, Some(&file)),
            upload(&lead, &absent, Some(&file)),
        );
        refused.expect_refusal(404, "NOT_FOUND");
        again.expect_refusal(404, "NOT_FOUND");
        let link = link_path(&kept.expect(201).body["url"]);
        app.anonymous().get(&link).await.expect(200);
    }
    assert_eq!(app.stored_file_count(), ROUNDS as usize);
    assert_eq!(app.count_rows("contents WHERE claims <> 0").await, 0);
}

async fn the_sweep_removes_only_files_whose_process_died(app: TestApp) {
    let services = &app.app.gateway.services;
    let lead = app.as_member(Role::Lider).await;
    let used = upload(&lead, &[], Some(&png_image(40, 30)))
        .await
        .expect(201)
        .body;
    // Simulates a process that dies after it has written the file and before it commits.
    let left = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(left.path(), b"left behind").expect("writes");
    let sha256 = domain::sha256_hex(b"left behind");
    let claim = Claim::write_file(services, &sha256, left.path()).await;
    std::mem::forget(claim.expect("the content is claimed"));
    assert_eq!(app.stored_file_count(), 2);

    let sweep = || async {
        tools::media::remove_unused_contents(services, app.now())
            .await
            .expect("runs")
    };
    app.advance_clock(5 * HOUR);
    assert_eq!(
        sweep().await,
        0,
        "the sweep must keep a claim that may still be in use"
    );
    app.advance_clock(2 * HOUR);
    assert_eq!(sweep().await, 1);
    assert_eq!(app.stored_file_count(), 1);
    app.anonymous()
        .get(&link_path(&used["url"]))
        .await
        .expect(200);
    assert_eq!(sweep().await, 0);
}

async fn a_video_is_kept_in_parts_and_served_byte_for_byte(app: TestApp) {
    let lead = app.as_member(Role::Lider).await;
    let file = video_file(20_000_001);
    let uploaded = upload(&lead, &[], Some(&file)).await.expect(201).body;
    assert_eq!(
        (
            &uploaded["media_type"],
            &uploaded["bytes"],
            &uploaded["height"]
        ),
        (&json!("video/mp4"), &json!(file.len()), &json!(1920))
    );
    let link = link_path(&uploaded["url"]);
    let served = app.anonymous().get(&link).await.expect(200).bytes;
    assert!(served == file, "the served bytes differ from the upload");
    let range = app
        .anonymous()
        .with_header("range", "bytes=8388600-8388620");
    let part = range.get(&link).await.expect(206).bytes;
    assert_eq!(part, file[8_388_600..=8_388_620]);
}

async fn a_content_that_is_being_removed_is_not_claimed(app: TestApp) {
    use store::contents;
    let db = &app.app.gateway.services.db;
    let tx = db.begin().await.expect("begins");
    let (conn, now) = (tx.conn(), app.now());
    assert!(
        contents::claim_content(&conn, "abc", now)
            .await
            .expect("runs")
    );
    assert!(
        contents::claim_content(&conn, "abc", now)
            .await
            .expect("runs")
    );
    assert!(
        !contents::release_claim(&conn, "abc", now)
            .await
            .expect("runs")
    );
    assert!(
        contents::release_claim(&conn, "abc", now)
            .await
            .expect("runs")
    );
    assert!(
        !contents::claim_content(&conn, "abc", now)
            .await
            .expect("runs")
    );
    // One hour later, the process that was removing the content counts as dead.
    let later = now + HOUR;
    assert!(
        contents::claim_content(&conn, "abc", later)
            .await
            .expect("runs")
    );
    contents::delete_removed(&conn, "abc").await.expect("runs");
    assert!(
        contents::release_claim(&conn, "abc", later)
            .await
            .expect("runs")
    );
    contents::delete_removed(&conn, "abc").await.expect("runs");
    tx.commit().await.expect("commits");
    assert_eq!(app.count_rows("contents").await, 0);
}

#[tokio::test]
async fn an_unavailable_bucket_changes_nothing_and_works_again_afterwards() {
    let app = TestApp::with_s3().await;
    let server = app.s3_server().expect("a server");
    let lead = app.as_member(Role::Lider).await;
    let id = create_demand(&lead).await;
    let on_event = [("event_id", id.as_str().expect("an id"))];
    let ready = || async { app.anonymous().get("/readyz").await };
    ready().await.expect(200);
    server.set_unavailable(true);
    ready().await.expect(503);
    let lost = upload(&lead, &on_event, Some(&png_image(64, 64))).await;
    lost.expect_refusal(500, "INTERNAL");
    let art = json!({ "prompt": "Café", "event_id": id, "size": "256x256" });
    lead.post("/api/art", art.clone())
        .await
        .expect_refusal(500, "INTERNAL");
    let shown = load_event(&lead, &id).await;
    assert_eq!(
        (
            &shown["evento"]["api_revision"],
            app.count_rows("media").await
        ),
        (&json!(1), 0)
    );

    server.set_unavailable(false);
    ready().await.expect(200);
    upload(&lead, &on_event, Some(&png_image(64, 64)))
        .await
        .expect(201);
    lead.post("/api/art", art).await.expect(200);
    assert_eq!(app.stored_file_count(), 2);
}

#[tokio::test]
async fn a_service_whose_bucket_is_missing_or_refuses_the_credential_is_not_ready() {
    let app = TestApp::with_s3().await;
    let server = app.s3_server().expect("a server");
    for (bucket, secret) in [
        ("outro-bucket", crate::support::S3_SECRET),
        (crate::support::S3_BUCKET, "a wrong secret"),
    ] {
        let settings = [
            ("PAUTA_STORAGE", format!("s3://{bucket}")),
            ("PAUTA_S3_ENDPOINT", server.endpoint.clone()),
            ("PAUTA_S3_ACCESS_KEY_ID", crate::support::S3_KEY_ID.into()),
            ("PAUTA_S3_SECRET_ACCESS_KEY", secret.to_owned()),
        ];
        let wrong = TestApp::with_settings(settings).await;
        wrong.anonymous().get("/readyz").await.expect(503);
    }
}

#[tokio::test]
async fn a_missing_bucket_is_distinguished_from_a_missing_medium() {
    let app = TestApp::with_s3().await;
    let server = app.s3_server().expect("a server");
    let lead = app.as_member(Role::Lider).await;
    let uploaded = upload(&lead, &[], Some(&png_image(64, 64)))
        .await
        .expect(201);
    let link = link_path(&uploaded.body["url"]);
    let settings = vec![
        ("PAUTA_STORAGE", "s3://outro-bucket".to_owned()),
        ("PAUTA_S3_ENDPOINT", server.endpoint.clone()),
        ("PAUTA_S3_ACCESS_KEY_ID", crate::support::S3_KEY_ID.into()),
        (
            "PAUTA_S3_SECRET_ACCESS_KEY",
            crate::support::S3_SECRET.into(),
        ),
    ];
    let wrong = app.second_instance_with(settings).await;
    let away = wrong.anonymous().get(&link).await.expect(503);
    assert!(away.headers.contains_key(header::RETRY_AFTER));
    server.set_unavailable(true);
    app.anonymous().get(&link).await.expect(503);
    server.set_unavailable(false);
    app.anonymous().get(&link).await.expect(200);
}

#[tokio::test]
async fn a_service_whose_media_folder_is_missing_or_empty_is_not_ready() {
    let directory = tempfile::tempdir().expect("a directory");
    let (folder, aside) = (
        directory.path().join("midias"),
        directory.path().join("ao-lado"),
    );
    let app = TestApp::with_settings([("PAUTA_STORAGE", folder.display().to_string())]).await;
    let anyone = app.anonymous();
    let ready = || async { anyone.get("/readyz").await };
    // An empty storage is ready, because nothing is missing.
    ready().await.expect(200);
    let lead = app.as_member(Role::Lider).await;
    let uploaded = upload(&lead, &[], Some(&png_image(64, 64)))
        .await
        .expect(201);
    let link = link_path(&uploaded.body["url"]);
    ready().await.expect(200);

    std::fs::rename(&folder, &aside).expect("the folder is renamed");
    ready().await.expect(503);
    anyone.get(&link).await.expect(503);
    std::fs::create_dir(&folder).expect("a folder");
    let told = ready().await.expect(503);
    assert!(told.text.contains("vazia"), "{}", told.text);
    anyone.get(&link).await.expect(503);

    std::fs::remove_dir(&folder).expect("a folder");
    std::fs::rename(&aside, &folder).expect("the folder is renamed");
    ready().await.expect(200);
    anyone.get(&link).await.expect(200);
}
