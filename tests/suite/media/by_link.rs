//! Files that are sent to the signed link of an upload: whole, and in parts.

use super::{
    ways_in::{create_link, list_media, load_upload_status, put_file, send_part},
    *,
};

#[tokio::test]
async fn a_link_accepts_one_file_and_a_retry_gets_the_same_answer() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let link = create_link(&lead, json!({})).await;
    assert_eq!(
        load_upload_status(&lead, &link).await["status"],
        "aguardando"
    );
    let page = app
        .anonymous()
        .get(&link_path(&link["upload_url"]))
        .await
        .expect(200);
    assert!(
        page.text.contains("enctype=\"multipart/form-data\""),
        "{}",
        page.text
    );
    let first = put_file(&app, &link, &png_image(8, 8)).await.expect(201);
    let again = put_file(&app, &link, &png_image(8, 8)).await.expect(201);
    assert_eq!(first.text, again.text);
    let other = put_file(&app, &link, &png_image(9, 9)).await;
    let other = other.expect_refusal(409, "IDEMPOTENCY_KEY_REUSED");
    assert!(other.text.contains("outro arquivo"), "{}", other.text);
    let state = load_upload_status(&lead, &link).await;
    assert_eq!(state["status"], "recebido");
    assert_eq!(state["media"]["id"], first.body["id"]);
    assert_eq!(list_media(&lead).await.len(), 1);
    let page = app
        .anonymous()
        .get(&link_path(&link["upload_url"]))
        .await
        .expect(200);
    assert!(page.text.contains("Arquivo recebido"), "{}", page.text);
    assert_eq!(app.stored_file_count(), 1);
}

#[tokio::test]
async fn two_simultaneous_senders_of_one_link_store_one_file() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let link = create_link(&lead, json!({})).await;
    let (one, two) = (png_image(8, 8), png_image(9, 9));
    let (one, two) = tokio::join!(put_file(&app, &link, &one), put_file(&app, &link, &two));
    let mut statuses = [one.status, two.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 409]);
    assert_eq!(list_media(&lead).await.len(), 1);
    assert_eq!(app.stored_file_count(), 1);
}

#[tokio::test]
async fn a_link_refuses_a_file_that_was_not_announced() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let image = png_image(8, 8);
    let announced = json!({ "media_type": "image/jpeg" });
    let link = create_link(&lead, announced).await;
    assert_eq!(
        put_file(&app, &link, &image).await.invalid_fields(),
        ["file"]
    );
    let announced = json!({ "media_type": "image/png", "bytes": image.len() + 1 });
    let link = create_link(&lead, announced).await;
    assert_eq!(
        put_file(&app, &link, &image).await.invalid_fields(),
        ["file"]
    );
    let announced = json!({ "media_type": "image/png", "bytes": image.len() });
    let link = create_link(&lead, announced).await;
    put_file(&app, &link, &image).await.expect(201);
    let too_large = json!({ "media_type": "image/png", "bytes": 25_000_001 });
    let refused = lead.post("/api/uploads", too_large).await;
    assert_eq!(refused.invalid_fields(), ["bytes"]);
    assert_eq!(app.stored_file_count(), 1);
}

#[tokio::test]
async fn an_interrupted_file_continues_where_it_stopped() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let lead = app.token_client(&member).await;
    let file = video_file(300_000);
    let announced = json!({ "media_type": "video/mp4", "bytes": file.len() });
    let link = create_link(&lead, announced).await;
    let path = link_path(&link["upload_url"]);
    send_part(&app, &link, 0, &file[..100_000])
        .await
        .expect(204);
    app.advance_clock(14 * 60_000);
    let at = app
        .anonymous()
        .send(Method::HEAD, &path, None)
        .await
        .expect(200);
    assert_eq!(at.headers["upload-offset"], "100000");
    assert_eq!(at.headers["upload-length"], "300000");
    assert_eq!(at.headers["tus-resumable"], "1.0.0");
    assert_eq!(
        load_upload_status(&lead, &link).await["status"],
        "em_partes"
    );
    // A part that begins at another offset changes nothing.
    for offset in [0, 99_999, 100_001, 200_000] {
        let wrong = send_part(&app, &link, offset, &file[offset..offset + 10]).await;
        wrong.expect_refusal(409, "STALE_REVISION");
    }
    assert_eq!(app.count_rows("upload_parts").await, 1);
    send_part(&app, &link, 100_000, &file[100_000..200_000])
        .await
        .expect(204);
    // Each part extends the validity of the link.
    app.advance_clock(14 * 60_000);
    let beyond = [&file[200_000..], b"x"].concat();
    assert_eq!(
        send_part(&app, &link, 200_000, &beyond)
            .await
            .invalid_fields(),
        ["file"]
    );
    send_part(&app, &link, 200_000, &file[200_000..])
        .await
        .expect(204);
    let state = load_upload_status(&lead, &link).await;
    assert_eq!(state["status"], "recebido");
    assert_eq!(state["media"]["bytes"], 300_000);
    assert_eq!(app.stored_file_count(), 1);
    assert_eq!(app.count_rows("upload_parts").await, 0);
}

#[tokio::test]
async fn the_parts_of_an_expired_link_are_deleted() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let lead = app.token_client(&member).await;
    let link = create_link(&lead, json!({ "bytes": 1_000 })).await;
    send_part(&app, &link, 0, &[7; 100]).await.expect(204);
    assert_eq!(app.stored_file_count(), 1);
    app.advance_clock(16 * 60_000);
    let late = send_part(&app, &link, 100, &[7; 100]).await;
    late.expect_refusal(401, "TOKEN_EXPIRED");
    assert_eq!(load_upload_status(&lead, &link).await["status"], "vencido");
    app.advance_clock(DAY);
    let services = &app.app.gateway.services;
    tools::media::delete_ended_uploads(services, app.now())
        .await
        .expect("deletes");
    assert_eq!(app.stored_file_count(), 0);
    assert_eq!(app.count_rows("uploads").await, 0);
    assert_eq!(app.count_rows("upload_parts").await, 0);
}

#[tokio::test]
async fn the_last_part_is_sent_again_after_a_failure_of_the_service() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let lead = app.token_client(&member).await;
    let file = video_file(200_000);
    let link = create_link(&lead, json!({ "bytes": file.len() })).await;
    send_part(&app, &link, 0, &file[..100_000])
        .await
        .expect(204);
    let away = "ALTER TABLE audit_events RENAME TO away";
    app.execute_statement(away, []).await;
    send_part(&app, &link, 100_000, &file[100_000..])
        .await
        .expect(500);
    let back = "ALTER TABLE away RENAME TO audit_events";
    app.execute_statement(back, []).await;
    let path = link_path(&link["upload_url"]);
    let at = app
        .anonymous()
        .send(Method::HEAD, &path, None)
        .await
        .expect(200);
    assert_eq!(at.headers["upload-offset"], "100000");
    send_part(&app, &link, 100_000, &file[100_000..])
        .await
        .expect(204);
    assert_eq!(load_upload_status(&lead, &link).await["status"], "recebido");
    assert_eq!(app.stored_file_count(), 1);
}

#[tokio::test]
async fn the_sweep_deletes_a_part_without_a_row_and_keeps_the_parts_of_an_open_link() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let lead = app.token_client(&member).await;
    let link = create_link(&lead, json!({ "bytes": 1_000 })).await;
    send_part(&app, &link, 0, &[7; 100]).await.expect(204);
    send_part(&app, &link, 100, &[8; 100]).await.expect(204);
    // The state after a kill between storing a part and committing its row.
    app.execute_statement("DELETE FROM upload_parts WHERE starts_at = 100", [])
        .await;
    app.advance_clock(7 * HOUR);
    let services = &app.app.gateway.services;
    let removed = tools::media::remove_unused_contents(services, app.now()).await;
    assert_eq!(removed.expect("sweeps"), 1);
    assert_eq!(app.stored_file_count(), 1);
}

#[tokio::test]
async fn equal_parts_of_a_file_are_all_kept() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let mut file = png_image(16, 16);
    let length = file.len();
    file.resize(length + 3_000, 0);
    let link = create_link(&lead, json!({ "bytes": file.len() })).await;
    send_part(&app, &link, 0, &file[..length]).await.expect(204);
    for offset in [length, length + 1_000, length + 2_000] {
        send_part(&app, &link, offset, &file[offset..offset + 1_000])
            .await
            .expect(204);
    }
    let state = load_upload_status(&lead, &link).await;
    assert_eq!(state["media"]["bytes"], file.len());
    assert_eq!(app.stored_file_count(), 1);
}
