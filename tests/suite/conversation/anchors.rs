//! The places of remarks: passages of the caption, images and videos.

use domain::{Role, time::SECOND};
use serde_json::{Value, json};

use super::{attach_file, field_error, list_remarks, post_remark, save_caption, submit, text_of};
use crate::support::{Answer, Client, TestApp, video_file};

const CAPTION: &str = "Água 🍞 fria. Massa lisa. Forno quente. Massa lisa.";

async fn post_remark_at(client: &Client, event: &str, place: Value) -> Answer {
    post_remark(client, event, "Aqui", json!({ "ancora": place })).await
}

async fn load_place(client: &Client, event: &str) -> Value {
    let remarks = list_remarks(client, &format!("event_id={event}")).await;
    remarks.last().expect("a remark")["ancora"].clone()
}

/// Returns a PNG of one pixel.
fn small_png() -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(vec![]);
    image::DynamicImage::new_rgb8(2, 2)
        .write_to(&mut bytes, image::ImageFormat::Png)
        .expect("an image");
    bytes.into_inner()
}

#[tokio::test]
async fn a_passage_is_found_again_in_later_revisions_until_it_is_gone() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let id = lead.create_demand(json!({})).await;
    save_caption(&lead, &id, CAPTION).await;
    let place = json!({ "tipo": "legenda", "trecho": "Massa lisa", "posicao": 13 });
    post_remark_at(&lead, &id, place.clone()).await.expect(200);
    assert_eq!(load_place(&lead, &id).await, place);

    save_caption(&lead, &id, &format!("Bom dia! {CAPTION}")).await;
    let mut moved = place.clone();
    moved["posicao_atual"] = 22.into();
    assert_eq!(load_place(&lead, &id).await, moved);

    save_caption(&lead, &id, "Massa crua.").await;
    let mut gone = place.clone();
    gone["desatualizado"] = true.into();
    assert_eq!(load_place(&lead, &id).await, gone);

    save_caption(&lead, &id, CAPTION).await;
    assert_eq!(load_place(&lead, &id).await, place);
}

#[tokio::test]
async fn a_passage_belongs_to_the_revision_that_was_read() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let id = lead.create_demand(json!({ "description": "Pedido" })).await;
    let read = save_caption(&lead, &id, CAPTION).await;
    let now = save_caption(&lead, &id, &CAPTION.replace("Forno quente. ", "")).await;
    let place = json!({ "tipo": "legenda", "trecho": "Forno quente." });

    // Another person has removed the passage meanwhile. The remark names the revision that its
    // author has read.
    let fields = json!({ "ancora": place, "api_revision": read });
    let added = post_remark(&lead, &id, "Já era quente?", fields)
        .await
        .expect(200)
        .body;
    assert_eq!(added["api_revision"], read);
    let shown = load_place(&lead, &id).await;
    assert_eq!(
        (&shown["posicao"], &shown["desatualizado"]),
        (&json!(25), &json!(true))
    );
    let (field, message) = field_error(post_remark_at(&lead, &id, place.clone()).await);
    assert_eq!(field, "ancora.trecho");
    assert!(message.contains(&format!("revisão {now}")), "{message}");
    let briefing =
        json!({ "ancora": { "tipo": "legenda", "trecho": "Pedido" }, "api_revision": 1 });
    post_remark(&lead, &id, "No briefing", briefing)
        .await
        .expect(200);
    let later = json!({ "ancora": place, "api_revision": now + 1 });
    let later = post_remark(&lead, &id, "Depois", later).await;
    assert_eq!(field_error(later).0, "api_revision");
}

#[tokio::test]
async fn a_wrong_position_is_refused_with_the_nearest_place() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let id = lead.create_demand(json!({})).await;
    save_caption(&lead, &id, CAPTION).await;
    for (position, nearest) in [(0, 13), (12, 13), (14, 13), (38, 39), (20_000, 39)] {
        let place = json!({ "tipo": "legenda", "trecho": "Massa lisa", "posicao": position });
        let (field, message) = field_error(post_remark_at(&lead, &id, place).await);
        assert_eq!(field, "ancora.posicao");
        assert!(
            message.ends_with(&format!("o lugar mais próximo é {nearest}")),
            "{message}"
        );
    }
    // Without a position, the passage must occur only once in the caption.
    let place = json!({ "tipo": "legenda", "trecho": "Massa lisa" });
    let (field, message) = field_error(post_remark_at(&lead, &id, place).await);
    assert_eq!(field, "ancora.posicao");
    assert!(message.ends_with("o primeiro lugar é 13"), "{message}");
    let place = json!({ "tipo": "legenda", "trecho": "🍞 fria" });
    post_remark_at(&lead, &id, place).await.expect(200);
    assert_eq!(load_place(&lead, &id).await["posicao"], 5);
    let place = json!({ "tipo": "legenda", "trecho": "massa lisa", "posicao": 13 });
    assert_eq!(
        field_error(post_remark_at(&lead, &id, place).await).0,
        "ancora.trecho"
    );
}

#[tokio::test]
async fn a_place_on_an_image_lies_inside_an_image_of_the_piece() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let id = lead.create_demand(json!({})).await;
    let other = lead.create_demand(json!({})).await;
    let image = attach_file(&lead, &id, &small_png()).await;
    let video = attach_file(&lead, &id, &video_file(2_000)).await;
    let elsewhere = attach_file(&lead, &other, &video_file(2_100)).await;
    let point = json!({ "tipo": "imagem", "media_id": image, "x": 0.25, "y": 1 });
    let whole = json!({ "tipo": "imagem", "media_id": image, "x": 0.7, "y": 0, "largura": 0.3,
        "altura": 1 });
    for place in [point, whole] {
        post_remark_at(&lead, &id, place.clone()).await.expect(200);
        app.advance_clock(SECOND);
        let shown = load_place(&lead, &id).await;
        for (field, value) in place.as_object().expect("a place") {
            assert_eq!(shown[field].as_f64(), value.as_f64(), "{field}");
        }
    }
    let second = json!({ "tipo": "video", "media_id": video, "segundo": 12.5 });
    post_remark_at(&lead, &id, second.clone()).await.expect(200);
    assert_eq!(load_place(&lead, &id).await, second);

    let on = |media: &str, fields: Value| {
        let mut place = json!({ "tipo": "imagem", "media_id": media, "x": 0.5, "y": 0.5 });
        for (field, value) in fields.as_object().expect("fields") {
            place[field] = value.clone();
        }
        place
    };
    for (place, field) in [
        (on(&image, json!({ "x": 1.01 })), "ancora.x"),
        (on(&image, json!({ "y": -0.1 })), "ancora.y"),
        (on(&image, json!({ "largura": 0.2 })), "ancora.altura"),
        (on(&image, json!({ "altura": 0.2 })), "ancora.largura"),
        (
            on(&image, json!({ "largura": 0.6, "altura": 0.2 })),
            "ancora.largura",
        ),
        (
            on(&image, json!({ "largura": 0.2, "altura": 0 })),
            "ancora.altura",
        ),
        (on(&image, json!({ "segundo": 1 })), "ancora.segundo"),
        (on(&video, json!({})), "ancora.media_id"),
        (
            on("0198c0de-0000-7000-8000-000000000000", json!({})),
            "ancora.media_id",
        ),
        (
            json!({ "tipo": "video", "media_id": image, "segundo": 1 }),
            "ancora.media_id",
        ),
        (
            json!({ "tipo": "video", "media_id": elsewhere, "segundo": 1 }),
            "ancora.media_id",
        ),
        (
            json!({ "tipo": "video", "media_id": video }),
            "ancora.segundo",
        ),
        (json!({ "tipo": "legenda" }), "ancora.trecho"),
        (
            json!({ "tipo": "imagem", "media_id": image, "x": 0 }),
            "ancora.y",
        ),
        (json!({ "tipo": "nota" }), "ancora.tipo"),
    ] {
        let answer = post_remark_at(&lead, &id, place.clone()).await;
        assert_eq!(field_error(answer).0, field, "{place}");
    }
}

#[tokio::test]
async fn a_place_on_a_medium_that_left_the_piece_is_outdated() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let id = lead.create_demand(json!({})).await;
    let image = attach_file(&lead, &id, &small_png()).await;
    let place = json!({ "tipo": "imagem", "media_id": image, "x": 0.5, "y": 0.5 });
    post_remark_at(&lead, &id, place).await.expect(200);
    assert_eq!(load_place(&lead, &id).await.get("desatualizado"), None);
    let revision = lead.load_event(&id).await["api_revision"].clone();
    let input = json!({ "expected_revision": revision, "detach": [image] });
    lead.patch(&format!("/api/eventos/{id}/media"), input)
        .await
        .expect(200);
    assert_eq!(load_place(&lead, &id).await["desatualizado"], true);
    // A remark with an outdated place does not prevent the submission of the piece.
    let sent = submit(&lead, &id, &[]).await.expect(200);
    assert_eq!(text_of(&sent.body["status"]), "em aprovação");
}

#[tokio::test]
async fn a_place_on_a_slide_follows_the_slide_when_it_moves() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let lead = app.session_client(&member).await;
    let id = lead.create_demand(json!({})).await;
    let first = attach_file(&lead, &id, &small_png()).await;
    let second = attach_file(&lead, &id, &video_file(2_000)).await;
    let place = json!({ "tipo": "imagem", "media_id": first, "x": 0.25, "y": 0.5 });
    post_remark_at(&lead, &id, place.clone()).await.expect(200);
    let pages = app.browser_client(&member).await;
    let path = format!("/eventos/{id}");
    let shown = pages.get(&path).await.expect(200).text;
    assert!(shown.contains(">Imagem 1</a>"));
    let revision = lead.load_event(&id).await["api_revision"].clone();
    let input = json!({ "expected_revision": revision, "order": [second, first] });
    lead.patch(&format!("/api/eventos/{id}/media"), input)
        .await
        .expect(200);
    let media = lead.load_event(&id).await["media"].clone();
    assert_eq!(media[1]["id"], *first, "{media}");
    // The remark is still at the same place of the same image, which is now the second medium.
    let moved = load_place(&lead, &id).await;
    assert_eq!(moved.get("desatualizado"), None, "{moved}");
    assert_eq!(
        (&moved["media_id"], &moved["x"]),
        (&json!(first), &json!(0.25))
    );
    let shown = pages.get(&path).await.expect(200).text;
    assert!(shown.contains(">Imagem 2</a>"), "{shown}");
}
