//! The archive with the media and caption of a piece.

use std::io::{Cursor, Read};

use zip::{CompressionMethod, ZipArchive};

use super::*;

over_each_storage! {
    a_piece_is_downloaded_as_one_archive
}

fn read_archive(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).expect("an archive");
    (0..archive.len())
        .map(|number| {
            let mut file = archive.by_index(number).expect("a file");
            assert_eq!(file.compression(), CompressionMethod::Stored);
            let mut bytes = vec![];
            file.read_to_end(&mut bytes).expect("its checksum is right");
            (file.name().to_owned(), bytes)
        })
        .collect()
}

async fn attach_file(client: &Client, event: &str, file: &[u8]) {
    let fields = [("event_id", event)];
    upload(client, &fields, Some(file)).await.expect(201);
}

async fn a_piece_is_downloaded_as_one_archive(app: TestApp) {
    let lead = app.as_member(Role::Lider).await;
    let id = lead
        .create_demand(json!({ "title": "../Pão \"de\" queijo\u{202e} 🍞" }))
        .await;
    // The video is longer than one read of the storage.
    let (image, film) = (png_image(40, 50), video_file(1_000_000));
    attach_file(&lead, &id, &image).await;
    attach_file(&lead, &id, &film).await;
    let described = lead.load_event(&id).await;
    let media: Vec<Value> = { described["media"].as_array().expect("media").iter() }
        .map(|medium| json!({ "media_id": medium["id"], "alt": "Pães na mesa" }))
        .collect();
    let input = json!({ "expected_revision": described["api_revision"], "alt": media });
    let path = format!("/api/eventos/{id}/media");
    lead.patch(&path, input).await.expect(200);
    let draft = json!({
        "event_id": id, "caption": "Massa de polvilho\n#pão",
        "expected_revision": lead.load_event(&id).await["api_revision"],
    });
    lead.post("/api/draft", draft).await.expect(200);

    let path = format!("/api/eventos/{id}/pacote.zip");
    let answer = lead.get(&path).await.expect(200);
    assert_eq!(answer.headers[header::CONTENT_TYPE], "application/zip");
    let disposition = answer.headers[header::CONTENT_DISPOSITION]
        .to_str()
        .expect("ASCII");
    assert!(
        disposition.starts_with("attachment; filename=\"peca.zip\"; filename*=UTF-8''P%C3%A3o")
    );
    let files = read_archive(&answer.bytes);
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        [
            "01 Pão de queijo 🍞.png",
            "02 Pão de queijo 🍞.mp4",
            "legenda.txt",
            "textos alternativos.txt"
        ]
    );
    assert!(files[0].1 == image && files[1].1 == film);
    assert_eq!(files[2].1, "Massa de polvilho\n#pão".as_bytes());
    let alts = String::from_utf8(files[3].1.clone()).expect("UTF-8");
    assert!(
        alts.contains("01 Pão de queijo 🍞.png\nPães na mesa\n"),
        "{alts}"
    );
}

#[tokio::test]
async fn a_piece_is_downloaded_by_those_who_may_read_it() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let lead = app.session_client(&member).await;
    let id = lead.create_demand(json!({ "title": "Só da líder" })).await;
    attach_file(&lead, &id, &png_image(20, 20)).await;
    let api = format!("/api/eventos/{id}/pacote.zip");
    let page = format!("/eventos/{id}/pacote.zip");

    app.anonymous().get(&api).await.expect(401);
    // The page accepts only a browser's session cookie, not the API session.
    assert_ne!(lead.get(&page).await.status, 200);
    let browser = app.browser_client(&member).await;
    let answer = browser.get(&page).await.expect(200);
    assert_eq!(read_archive(&answer.bytes).len(), 1);
    assert_ne!(app.anonymous().get(&page).await.status, 200);

    // A member who cannot see the piece gets the same 404 as for an unknown id.
    let stranger = app.add_member(Role::Criador).await;
    app.session_client(&stranger)
        .await
        .get(&api)
        .await
        .expect_refusal(404, "NOT_FOUND");
    app.browser_client(&stranger)
        .await
        .get(&page)
        .await
        .expect(404);
    let (art, _) = app
        .token_client_with(&member, &[domain::Capability::Art])
        .await;
    art.get(&api)
        .await
        .expect_refusal(403, "CAPABILITY_REQUIRED");
    for odd in ["0198c0de-0000-7000-8000-000000000000", "..%2f..%2fx", "%00"] {
        let answer = lead.get(&format!("/api/eventos/{odd}/pacote.zip")).await;
        assert!(
            matches!(answer.status, 400 | 404),
            "{odd}: {}",
            answer.status
        );
    }
}

#[tokio::test]
async fn a_piece_without_media_and_caption_has_no_download() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let id = lead
        .create_demand(json!({ "description": "Só o pedido" }))
        .await;
    let path = format!("/api/eventos/{id}/pacote.zip");
    lead.get(&path).await.expect_refusal(404, "NOT_FOUND");
    // Submitting a piece without a caption makes its briefing the caption.
    let submit = json!({ "event_id": id, "expected_revision": 1 });
    lead.post("/api/enviar", submit).await.expect(200);
    let files = read_archive(&lead.get(&path).await.expect(200).bytes);
    assert_eq!(
        files,
        [("legenda.txt".to_owned(), b"S\xc3\xb3 o pedido".to_vec())]
    );
}

#[tokio::test]
async fn a_download_reports_a_storage_without_files_before_it_begins() {
    let app = TestApp::on_sqlite().await;
    let lead = app.as_member(Role::Lider).await;
    let id = lead.create_demand(json!({})).await;
    attach_file(&lead, &id, &png_image(30, 20)).await;
    let path = format!("/api/eventos/{id}/pacote.zip");
    lead.get(&path).await.expect(200);
    let sha256 = domain::sha256_hex(&png_image(30, 20));
    let blobs = &app.app.gateway.services.blobs;
    blobs
        .delete(&store::media::storage_path(&sha256))
        .await
        .expect("deletes");
    assert!(lead.get(&path).await.status >= 500);
}
