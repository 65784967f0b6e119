//! The page on which a person posts.

use serde_json::json;

use super::{Team, approve, dated, put, revision, write_piece};
use crate::publishing::{jpeg_image, upload_file};

#[tokio::test]
async fn the_page_has_the_text_exactly_and_the_files_as_the_variant_says() {
    let team = Team::new().await;
    let ana = team.client(&team.ana).await;
    let id = write_piece(&ana, "Feira", &[&team.caio], &[]).await;
    let mut files = vec![];
    for number in [1, 2] {
        files.push(upload_file(&ana, &jpeg_image(400, 500, number), Some(&id)).await);
    }
    let caption = "Pão & <b>café</b>\n\n  {link}\n#pão #feira";
    let variant = json!({
        "canal": "threads", "legenda": caption, "link": "https://padaria.example/feira",
        "midias": [
            { "media_id": files[1], "alt": "A massa", "recorte": { "proporcao": "1:1" } },
            { "media_id": files[0] },
        ],
    });
    put(&ana, &id, &[dated(variant, team.hour())])
        .await
        .expect(200);
    approve(&ana, &id).await;
    let path = format!("/eventos/{id}/canais/threads/post/postar");
    let browser = team.app.browser_client(&team.ana).await;
    let page = browser.get(&path).await.expect(200).text;
    let link = format!(
        "https://padaria.example/feira?utm_source=threads&amp;utm_medium=social\
         &amp;utm_campaign=feira&amp;utm_content=post-{id}"
    );
    let text = format!("\nPão &amp; &lt;b&gt;café&lt;/b&gt;\n\n  {link}\n#pão #feira</textarea>");
    assert!(page.contains(&text), "{page}");
    assert!(page.contains("A massa") && page.contains("Recortada em 1:1"));
    assert!(page.contains("name=\"variant_id\"") && page.contains("Publiquei"));
    let file = |number: usize| format!("/eventos/{id}/canais/threads/post/arquivos/{number}");
    let first = browser.get(&file(1)).await.expect(200);
    let cropped = image::load_from_memory(&first.bytes).expect("an image");
    assert_eq!((cropped.width(), cropped.height()), (400, 400));
    let second = browser.get(&file(2)).await.expect(200);
    assert_eq!(second.bytes, jpeg_image(400, 500, 1));
    let archive = format!("/eventos/{id}/canais/threads/post/pacote.zip");
    assert!(page.contains(&archive), "{page}");
    let answer = browser.get(&archive).await.expect(200);
    assert_eq!(answer.headers["content-type"], "application/zip");
    let mut zip = zip::ZipArchive::new(std::io::Cursor::new(&answer.bytes)).expect("an archive");
    let names: Vec<_> = zip.file_names().map(str::to_owned).collect();
    let expected = [
        "01 Feira threads.jpg",
        "02 Feira threads.jpg",
        "legenda.txt",
        "textos alternativos.txt",
    ];
    assert_eq!(names, expected);
    let mut read = |name: &str| {
        let mut bytes = vec![];
        let mut file = zip.by_name(name).expect("a file");
        std::io::Read::read_to_end(&mut file, &mut bytes).expect("its checksum is right");
        bytes
    };
    assert_eq!(read(expected[0]), first.bytes);
    assert_eq!(read(expected[1]), second.bytes);
    let texts = [2, 3].map(|at| String::from_utf8(read(expected[at])).expect("text"));
    assert!(texts[0].starts_with("Pão & <b>café</b>\n\n  https://padaria.example/feira?"));
    assert_eq!(texts[1], "01 Feira threads.jpg\nA massa\n");
    for wrong in ["0", "3", "x", "-1", "99999999999999999999999"] {
        let path = format!("/eventos/{id}/canais/threads/post/arquivos/{wrong}");
        let status = browser.get(&path).await.status;
        assert!([400, 404].contains(&status), "{wrong}: {status}");
    }
    // A criador of the piece reads and downloads; a stranger learns nothing.
    let caio = team.app.browser_client(&team.caio).await;
    let read = caio.get(&path).await.expect(200).text;
    assert!(read.contains("A massa") && !read.contains("Publiquei"));
    caio.get(&file(1)).await.expect(200);
    let davi = team.app.browser_client(&team.davi).await;
    davi.get(&path).await.expect(404);
    davi.get(&file(1)).await.expect(404);
    davi.get(&archive).await.expect(404);
    caio.get(&archive).await.expect(200);
    let anonymous = team.app.anonymous();
    assert_ne!(anonymous.get(&path).await.status, 200);
    assert_ne!(anonymous.get(&file(1)).await.status, 200);
    let token = team.app.token_client(&team.ana).await;
    assert_ne!(token.get(&file(1)).await.status, 200);
    for gone in ["threads/story", "instagram/feed"] {
        let path = format!("/eventos/{id}/canais/{gone}/pacote.zip");
        browser.get(&path).await.expect(404);
        let path = format!("/eventos/{id}/canais/{gone}/postar");
        browser.get(&path).await.expect(404);
    }
}

#[tokio::test]
async fn the_form_records_the_post_once_and_the_page_says_so() {
    let team = Team::new().await;
    let id = team.post("Feira", &[]).await;
    let path = format!("/eventos/{id}/canais/whatsapp/post/postar");
    let browser = team.app.browser_client(&team.ana).await;
    let page = browser.get(&path).await.expect(200).text;
    assert!(
        page.contains("https://wa.me/?text=Feira%20no%20zap"),
        "{page}"
    );
    let ana = team.client(&team.ana).await;
    let seen = revision(&ana, &id).await.to_string();
    let variant = super::variants(&ana, &id).await[0]["id"].clone();
    let fields = [
        ("eventId", id.as_str()),
        ("expected_revision", seen.as_str()),
        ("variant_id", variant.as_str().expect("an id")),
        ("post_url", ""),
        ("_volta", path.as_str()),
        ("idempotency_key", "formulario-do-post-1"),
    ];
    for _ in 0..2 {
        browser
            .post_form("/acao/record_post", &fields)
            .await
            .expect(303);
    }
    let page = browser.get(&path).await.expect(200).text;
    assert!(page.contains("No ar desde") && !page.contains("Publiquei"));
    assert_eq!(ana.load_event(&id).await["status"], "publicado");
    // A second form, from an older page, is refused.
    let mut stale = fields;
    stale[5].1 = "formulario-do-post-2";
    browser
        .post_form("/acao/record_post", &stale)
        .await
        .expect(409);
}

#[tokio::test]
async fn the_page_warns_of_what_is_not_approved() {
    let team = Team::new().await;
    let ana = team.client(&team.ana).await;
    let variant = dated(json!({ "canal": "whatsapp" }), team.hour());
    let id = write_piece(&ana, "Feira", &[], &[variant]).await;
    let path = format!("/eventos/{id}/canais/whatsapp/post/postar");
    let browser = team.app.browser_client(&team.ana).await;
    let page = browser.get(&path).await.expect(200).text;
    assert!(page.contains("Não poste ainda.") && !page.contains("Publiquei"));
    approve(&ana, &id).await;
    let other = dated(
        json!({ "canal": "whatsapp", "legenda": "Outra" }),
        team.hour(),
    );
    put(&ana, &id, &[other]).await.expect(200);
    let page = browser.get(&path).await.expect(200).text;
    assert!(page.contains("espera aprovação") && !page.contains("Publiquei"));
}

#[tokio::test]
async fn the_archive_of_a_document_has_its_images_as_a_pdf() {
    let team = Team::new().await;
    let ana = team.client(&team.ana).await;
    let id = write_piece(&ana, "Guia", &[&team.caio], &[]).await;
    for number in [1, 2] {
        upload_file(&ana, &jpeg_image(400, 500, number), Some(&id)).await;
    }
    let variant = json!({ "canal": "linkedin", "formato": "documento", "titulo": "Guia do pão" });
    put(&ana, &id, &[dated(variant, team.hour())])
        .await
        .expect(200);
    approve(&ana, &id).await;
    let browser = team.app.browser_client(&team.ana).await;
    let path = format!("/eventos/{id}/canais/linkedin/documento");
    let page = browser.get(&format!("{path}/postar")).await.expect(200);
    assert!(page.text.contains("anexe-o ao post como documento"));
    let answer = browser.get(&format!("{path}/pacote.zip")).await.expect(200);
    let mut zip = zip::ZipArchive::new(std::io::Cursor::new(&answer.bytes)).expect("an archive");
    let names: Vec<_> = zip.file_names().map(str::to_owned).collect();
    assert_eq!(names, ["Guia linkedin.pdf", "título.txt", "legenda.txt"]);
    let mut pdf = vec![];
    let mut file = zip.by_name(&names[0]).expect("the document");
    std::io::Read::read_to_end(&mut file, &mut pdf).expect("its checksum is right");
    assert!(pdf.starts_with(b"%PDF-"));
    let jpegs = pdf.windows(3).filter(|bytes| bytes == b"\xff\xd8\xff");
    assert_eq!(jpegs.count(), 2);
}
