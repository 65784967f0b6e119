//! The team's visual identity in images that the service draws.

use domain::Role;
use serde_json::{Value, json};

use super::{link_path, png_image, upload, video_file};
use crate::support::{Client, TestApp};

const RED: [u8; 3] = [0xB8, 0x3A, 0x1E];

fn sample_brand() -> Value {
    json!({
        "nome": "Cozinha", "handle": "@cozinha", "fonte": "fraunces",
        "cores": ["#B83A1E", "#F6ECDA", "#2B1A12"],
    })
}

async fn publish_brand(admin: &Client, value: Value) -> crate::support::Answer {
    let entry = json!({ "key": "marca", "value": value });
    admin.post("/api/config", entry).await
}

async fn load_pixels(app: &TestApp, media: &Value) -> image::RgbImage {
    let served = app
        .anonymous()
        .get(&link_path(&media["url"]))
        .await
        .expect(200);
    image::load_from_memory(&served.bytes)
        .expect("an image")
        .to_rgb8()
}

/// Returns the number of pixels that are close to this colour.
fn count_pixels(image: &image::RgbImage, color: [u8; 3]) -> usize {
    let near = |p: &&image::Rgb<u8>| p.0.iter().zip(color).all(|(a, b)| a.abs_diff(b) < 20);
    image.pixels().filter(near).count()
}

/// Returns the share of pixels close to this colour, in thousandths.
fn pixel_share(image: &image::RgbImage, color: [u8; 3]) -> usize {
    count_pixels(image, color) * 1_000 / image.pixels().len()
}

#[tokio::test]
async fn images_use_the_colours_of_the_team_and_are_signed() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let art = async |prompt: &str| {
        let asked = json!({ "prompt": prompt, "style": "vibrante", "size": "540x675" });
        admin.post("/api/art", asked).await.expect(200).body
    };
    let before = art("Sal é no começo").await;
    publish_brand(&admin, sample_brand()).await.expect(200);
    let mut drawn = vec![];
    for prompt in ["Sal é no começo", "Ouça a panela", "Fogo baixo"] {
        let made = art(prompt).await;
        assert_eq!(made.get("avisos"), None);
        let image = load_pixels(&app, &made).await;
        assert!(
            pixel_share(&image, RED) > 200,
            "{prompt}: {}",
            pixel_share(&image, RED)
        );
        drawn.push(made);
    }
    assert_ne!(before["storage_path"], drawn[0]["storage_path"]);
    // Without a handle, the signature shows the team's name.
    let mut named = vec![drawn[0]["storage_path"].clone()];
    for name in ["Cozinha", "Padaria"] {
        let look = json!({ "nome": name, "fonte": "fraunces", "cores": sample_brand()["cores"] });
        publish_brand(&admin, look).await.expect(200);
        let made = art("Sal é no começo").await;
        let path = made["storage_path"].clone();
        assert!(!named.contains(&path), "{name}");
        named.push(path);
    }

    let cards = json!({ "cards": [{ "text": "Um" }, { "text": "Dois" }], "style": "vibrante" });
    let made = admin.post("/api/carousel", cards).await.expect(200).body;
    for card in made["cards"].as_array().expect("cards") {
        assert!(pixel_share(&load_pixels(&app, card).await, RED) > 200);
    }
    publish_brand(&admin, Value::Null).await.expect(200);
    let after = art("Sal é no começo").await;
    assert_eq!(before["storage_path"], after["storage_path"]);
}

#[tokio::test]
async fn a_logo_is_part_of_the_signature() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let logo = upload(&admin, &[], Some(&png_image(300, 300)))
        .await
        .expect(201)
        .body;
    let mut value = sample_brand();
    value["logo"] = logo["id"].clone();
    publish_brand(&admin, value.clone()).await.expect(200);
    let asked = json!({ "prompt": "Sal é no começo", "style": "minimalista" });
    let made = admin.post("/api/art", asked).await.expect(200).body;
    // The colour of the logo is not one of the brand's colours.
    let drawn = count_pixels(&load_pixels(&app, &made).await, [200, 30, 60]);
    assert!(drawn > 300, "the image has only {drawn} pixels of the logo");

    let clip = upload(&admin, &[], Some(&video_file(3_000)))
        .await
        .expect(201)
        .body;
    value["logo"] = clip["id"].clone();
    assert_eq!(
        publish_brand(&admin, value.clone()).await.invalid_fields(),
        ["value.logo"]
    );
    value["logo"] = "0198c0de-0000-7000-8000-000000000000".into();
    let absent = publish_brand(&admin, value)
        .await
        .expect_refusal(404, "NOT_FOUND");
    assert!(absent.text.contains("`list_media`"), "{}", absent.text);
}

#[tokio::test]
async fn a_brand_that_images_cannot_use_is_refused_field_by_field() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let wrong = json!({
        "nome": "", "handle": "cozinha", "cores": ["azul"], "fonte": "arial", "slogan": "x",
    });
    let refused = publish_brand(&admin, wrong).await;
    let fields = ["slogan", "nome", "handle", "fonte", "cores"];
    assert_eq!(
        refused.invalid_fields(),
        fields.map(|field| format!("value.{field}"))
    );
    assert!(refused.text.contains("`fraunces`") && refused.text.contains("#RRGGBB"));
    assert_eq!(
        publish_brand(&admin, json!("verde")).await.invalid_fields(),
        ["value"]
    );
    assert_eq!(app.count_rows("config_entries").await, 0);
}

#[tokio::test]
async fn a_malformed_brand_causes_a_warning_and_is_left_out() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let tx = app.app.gateway.services.db.begin().await.expect("begins");
    let me = admin.get("/api/me").await.expect(200).body;
    let me = me["member"]["id"].as_str().expect("an id").into();
    store::config::publish(&tx.conn(), "marca", "\"verde\"", &me, None, app.now())
        .await
        .expect("publishes");
    tx.commit().await.expect("commits");
    let asked = json!({ "prompt": "Sal", "size": "256x256" });
    let made = admin.post("/api/art", asked).await.expect(200).body;
    assert!(
        made["avisos"][0]
            .as_str()
            .expect("a warning")
            .contains("`marca`")
    );
}
