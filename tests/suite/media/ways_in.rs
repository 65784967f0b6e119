//! Every way in which a file reaches the service: a form, a signed link (whole, by its page, in
//! parts), a URL, a file of a conversation, and Base64. All of them refuse the same files and store
//! the same media.

use super::{
    file_server::{FileServer, Served},
    *,
};

/// A way to send a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Form,
    LinkPut,
    LinkForm,
    LinkParts,
    Url,
    SharedFile,
    Data,
}

const WAYS: [Way; 7] = [
    Way::Form,
    Way::LinkPut,
    Way::LinkForm,
    Way::LinkParts,
    Way::Url,
    Way::SharedFile,
    Way::Data,
];

/// Sends a file in this way. Returns the answer to the last request.
async fn send(
    app: &TestApp,
    server: &FileServer,
    member: &Client,
    way: Way,
    file: &[u8],
) -> Answer {
    match way {
        Way::Form => upload(member, &[("alt", "Uma banca")], Some(file)).await,
        Way::LinkPut => put_file(app, &create_link(member, json!({})).await, file).await,
        Way::LinkForm => {
            let link = create_link(member, json!({})).await;
            let anonymous = app
                .anonymous()
                .with_header("content-type", "multipart/form-data; boundary=xx");
            let body = Some(Body::from(multipart_form(&[], Some(file))));
            anonymous
                .send(Method::POST, &link_path(&link["upload_url"]), body)
                .await
        }
        Way::LinkParts => {
            let announced = json!({ "bytes": file.len().max(1) });
            let link = create_link(member, announced).await;
            send_in_parts(app, &link, file, file.len().div_ceil(3).max(1)).await
        }
        Way::Url => {
            let url = server.serve(Served::File(file.to_vec()));
            member
                .post("/api/media", json!({ "url": url, "alt": "Uma banca" }))
                .await
        }
        Way::SharedFile => {
            let url = server.serve(Served::File(file.to_vec()));
            let shared =
                json!({ "download_url": url, "file_id": "file_1", "mime_type": "text/html" });
            member.post("/api/media", json!({ "file": shared })).await
        }
        Way::Data => {
            let data = STANDARD.encode(file);
            member.post("/api/media", json!({ "data": data })).await
        }
    }
}

pub(super) async fn create_link(member: &Client, fields: Value) -> Value {
    member.post("/api/uploads", fields).await.expect(201).body
}

pub(super) async fn put_file(app: &TestApp, link: &Value, file: &[u8]) -> Answer {
    let path = link_path(&link["upload_url"]);
    let body = Some(Body::from(file.to_vec()));
    app.anonymous().send(Method::PUT, &path, body).await
}

/// Sends a part as a client of the tus protocol does.
pub(super) async fn send_part(app: &TestApp, link: &Value, offset: usize, part: &[u8]) -> Answer {
    let client = app
        .anonymous()
        .with_header("tus-resumable", "1.0.0")
        .with_header("content-type", "application/offset+octet-stream")
        .with_header("upload-offset", offset.to_string());
    let body = Some(Body::from(part.to_vec()));
    client
        .send(Method::PATCH, &link_path(&link["upload_url"]), body)
        .await
}

async fn send_in_parts(app: &TestApp, link: &Value, file: &[u8], length: usize) -> Answer {
    let mut offset = 0;
    loop {
        let end = (offset + length).min(file.len());
        let answer = send_part(app, link, offset, &file[offset..end]).await;
        offset = end;
        if answer.status != 204 || offset == file.len() {
            return answer;
        }
    }
}

pub(super) async fn load_upload_status(member: &Client, link: &Value) -> Value {
    let path = format!(
        "/api/uploads/{}",
        link["upload_id"].as_str().expect("an id")
    );
    member.get(&path).await.expect(200).body
}

pub(super) async fn list_media(member: &Client) -> Vec<Value> {
    let listed = member.get("/api/media").await.expect(200).body;
    listed["media"].as_array().expect("a list").clone()
}

#[tokio::test]
async fn every_way_in_stores_the_same_medium() {
    let server = FileServer::start().await;
    let app = server.app().await;
    for (file, media_type, sides) in [
        (png_image(64, 48), "image/png", [64, 48]),
        (video_file(200_000), "video/mp4", [1080, 1920]),
    ] {
        for way in WAYS {
            let lead = app.as_member(Role::Criador).await;
            let answer = send(&app, &server, &lead, way, &file).await;
            assert!(
                [201, 204].contains(&answer.status),
                "{way:?}: {}",
                answer.text
            );
            let listed = list_media(&lead).await;
            let [stored] = listed.as_slice() else {
                panic!("{way:?} stored {} media", listed.len());
            };
            assert_eq!(stored["media_type"], media_type, "{way:?}");
            assert_eq!(stored["bytes"], file.len(), "{way:?}");
            assert_eq!(
                json!([stored["width"], stored["height"]]),
                json!(sides),
                "{way:?}"
            );
            let served = app
                .anonymous()
                .get(&link_path(&stored["url"]))
                .await
                .expect(200);
            assert!(served.bytes == file, "{way:?} stored other bytes");
        }
        assert_eq!(app.count_rows("upload_parts").await, 0);
    }
    // Equal files are stored once.
    assert_eq!(app.stored_file_count(), 2);
}

#[tokio::test]
async fn every_way_in_refuses_the_same_files() {
    let server = FileServer::start().await;
    let app = server.app().await;
    let image = png_image(64, 64);
    let mut bomb = png_image(16, 16);
    bomb[16..20].copy_from_slice(&60_000u32.to_be_bytes());
    bomb[20..24].copy_from_slice(&60_000u32.to_be_bytes());
    let clip = video_file(100_000);
    for (what, file, status) in [
        (
            "HTML",
            b"<html><script>alert(1)</script></html>".as_slice(),
            415,
        ),
        ("SVG", b"<svg xmlns=\"http://www.w3.org/2000/svg\"/>", 415),
        ("a program", b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0", 415),
        ("PDF", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj", 415),
        ("nothing", b"", 400),
        ("a cut image", &image[..image.len() / 2], 400),
        ("an image of too many pixels", &bomb, 400),
        ("a cut video", &clip[..clip.len() - 1], 400),
    ] {
        for way in WAYS {
            let lead = app.as_member(Role::Criador).await;
            let refused = send(&app, &server, &lead, way, file).await;
            assert_eq!(
                refused.status, status,
                "{what} by {way:?}: {}",
                refused.text
            );
            assert!(list_media(&lead).await.is_empty(), "{what} by {way:?}");
        }
    }
    assert_eq!(app.stored_file_count(), 0);
    assert_eq!(app.count_rows("upload_parts").await, 0);
}

#[tokio::test]
async fn every_way_in_for_large_files_has_the_same_limit() {
    let server = FileServer::start().await;
    let app = server.app().await;
    let lead = app.as_member(Role::Lider).await;
    let mut image = png_image(64, 64);
    image.resize(25_000_000, 0);
    let large = WAYS.into_iter().filter(|way| *way != Way::Data);
    for way in large.clone() {
        let taken = send(&app, &server, &lead, way, &image).await;
        assert!(
            [201, 204].contains(&taken.status),
            "{way:?}: {}",
            taken.text
        );
    }
    image.push(0);
    for way in large {
        let refused = send(&app, &server, &lead, way, &image).await;
        assert_eq!(refused.status, 413, "{way:?}: {}", refused.text);
    }
    let data = STANDARD.encode(&image[..262_147]);
    let refused = lead.post("/api/media", json!({ "data": data })).await;
    assert_eq!(refused.invalid_fields(), ["data"]);
    assert_eq!(app.stored_file_count(), 1);
}

#[tokio::test]
async fn a_file_is_attached_at_the_place_that_the_link_or_the_import_names() {
    let server = FileServer::start().await;
    let app = server.app().await;
    let lead = app.as_member(Role::Lider).await;
    let id = create_demand(&lead).await;
    let place = json!({ "event_id": id, "alt": "Uma banca ☕" });
    let link = create_link(&lead, place.clone()).await;
    put_file(&app, &link, &png_image(10, 10)).await.expect(201);
    let mut import = place;
    import["slide_index"] = 0.into();
    import["insert"] = true.into();
    import["url"] = server.serve(Served::File(png_image(20, 20))).into();
    let imported = lead.post("/api/media", import).await.expect(201).body;
    assert_eq!(imported["api_revision"], 3);
    let shown = load_event(&lead, &id).await;
    let media = shown["evento"]["media"].as_array().expect("a list");
    assert_eq!(media.len(), 2);
    assert_eq!(media[0]["id"], imported["id"]);
    assert_eq!(
        media[1]["id"],
        load_upload_status(&lead, &link).await["media"]["id"]
    );
    assert_eq!(media[0]["alt"], "Uma banca ☕");
    assert_eq!(shown["historico"][0]["action"], "import_media");

    let other = app.as_member(Role::Criador).await;
    let elsewhere = json!({ "event_id": id, "url": "https://exemplo.test/a.png" });
    other
        .post("/api/media", elsewhere)
        .await
        .expect_refusal(404, "NOT_FOUND");
    let elsewhere = json!({ "event_id": id });
    other
        .post("/api/uploads", elsewhere)
        .await
        .expect_refusal(404, "NOT_FOUND");
}

#[tokio::test]
async fn an_import_keeps_its_source_without_its_credential() {
    let server = FileServer::start().await;
    let app = server.app().await;
    let lead = app
        .as_member(Role::Lider)
        .await
        .with_idempotency_key("importa-0001");
    let url = server.serve(Served::File(png_image(10, 10)));
    let input = json!({ "url": url });
    let first = lead.post("/api/media", input.clone()).await.expect(201);
    // The second call does not request the file again.
    server.serve(Served::Status(500));
    let again = lead.post("/api/media", input).await.expect(201);
    assert_eq!(first.text, again.text);
    let listed = list_media(&lead).await;
    let kept = format!("{}/fotos/banca%20da%20feira.png", server.origin);
    assert_eq!(listed[0]["source_url"], kept);
    assert!(!app.contains_text("segredo-do-link").await);
}

#[tokio::test]
async fn an_import_whose_download_fails_stores_nothing() {
    let server = FileServer::start().await;
    let app = server.app().await;
    let lead = app
        .as_member(Role::Lider)
        .await
        .with_idempotency_key("importa-0002");
    for served in [
        Served::Status(404),
        Served::Status(500),
        Served::Status(204),
        Served::Cut(png_image(64, 64)),
        Served::Redirect(format!("{}/outra", server.origin)),
        Served::Redirect("http://[::1".into()),
        Served::Redirect("https://127.0.0.1/a.png".into()),
        Served::Redirect("http://169.254.169.254/latest/meta-data".into()),
        Served::Redirect("file:///etc/passwd".into()),
    ] {
        let url = server.serve(served);
        let refused = lead.post("/api/media", json!({ "url": url })).await;
        let refused = refused.expect_refusal(400, "INVALID_INPUT");
        assert_eq!(refused.invalid_fields(), ["url"], "{}", refused.text);
        assert!(!refused.text.contains("segredo"), "{}", refused.text);
    }
    assert_eq!(app.stored_file_count(), 0);
    // The key is free again after a refusal.
    let url = server.serve(Served::File(png_image(8, 8)));
    lead.post("/api/media", json!({ "url": url }))
        .await
        .expect(201);
    let lead = app.as_member(Role::Lider).await;
    for input in [
        json!({}),
        json!({ "url": url, "data": "AAAA" }),
        json!({ "data": "AAAAA" }),
        json!({ "url": "ftp://exemplo.test/a.png" }),
        json!({ "url": "https://exemplo.test/ a.png" }),
        json!({ "file": { "file_id": "file_1" } }),
        json!({ "image_url": url }),
    ] {
        lead.post("/api/media", input).await.expect(400);
    }
}
