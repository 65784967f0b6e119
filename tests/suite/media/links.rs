//! Signed links to media, without authentication.

use super::*;

over_each_storage! {
    links_serve_ranges_revalidate_and_expire
}

async fn links_serve_ranges_revalidate_and_expire(app: TestApp) {
    let lead = app.as_member(Role::Lider).await;
    let file = png_image(64, 64);
    let uploaded = upload(&lead, &[], Some(&file)).await.expect(201).body;
    let link = link_path(&uploaded["url"]);
    let anyone = app.anonymous();
    let whole = anyone.get(&link).await.expect(200);
    let etag = whole.headers[header::ETAG]
        .to_str()
        .expect("text")
        .to_owned();

    let part = anyone
        .with_header("range", "bytes=1-3")
        .get(&link)
        .await
        .expect(206);
    assert_eq!(part.text, "PNG");
    let span = format!("bytes 1-3/{}", file.len());
    assert_eq!(part.headers[header::CONTENT_RANGE], span);
    anyone
        .with_header("range", "bytes=99999-")
        .get(&link)
        .await
        .expect(416);
    let known = anyone
        .with_header("if-none-match", etag)
        .get(&link)
        .await
        .expect(304);
    assert!(known.text.is_empty());
    let head = anyone.send(Method::HEAD, &link, None).await.expect(200);
    assert!(head.text.is_empty());
    assert_eq!(head.headers[header::CONTENT_LENGTH], file.len().to_string());

    for bad in [
        link.replace("exp=", "exp=1"),
        link.replace("sig=1.", "sig=2."),
        format!("{link}x"),
        format!("{link}&exp=1"),
        link.split('?').next().expect("a path").to_owned(),
        link.replace("/media/", "/media/x"),
    ] {
        let refused = anyone.get(&bad).await.expect(403);
        assert_eq!(
            refused.headers[header::CONTENT_TYPE],
            "text/plain; charset=utf-8"
        );
    }
    app.advance_clock(7 * DAY - HOUR);
    anyone.get(&link).await.expect(200);
    app.advance_clock(HOUR);
    anyone.get(&link).await.expect(403);
}

#[tokio::test]
async fn a_deleted_medium_gets_a_status_without_a_body() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let uploaded = upload(&lead, &[], Some(&png_image(64, 64)))
        .await
        .expect(201)
        .body;
    let link = link_path(&uploaded["url"]);
    app.execute_statement("DELETE FROM media", []).await;
    let gone = app.anonymous().get(&link).await.expect(404);
    assert!(gone.text.is_empty() && !gone.headers.contains_key(header::CONTENT_TYPE));
}
