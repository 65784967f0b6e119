//! The form of the brand.

use domain::Role;
use serde_json::json;

use super::{filled::Filled, visible_text};
use crate::support::{Client, TestApp};

const PATH: &str = "/configuracao/marca";
const PUBLISH: (&str, &str) = ("acao", "publicar");

async fn brand_form(admin: &Client) -> Filled {
    Filled::parse_form(&admin.get(PATH).await.expect(200), "marca")
}

/// Returns the address of the first card in the preview.
fn preview_url(page: &str) -> String {
    let (_, after) = page.split_once("src=\"/previa?").expect("a card");
    let query = after.split('"').next().unwrap_or_default();
    format!("/previa?{}", query.replace("&amp;", "&"))
}

async fn send_logo(admin: &Client, key: &str, color: u8) -> crate::support::Answer {
    let image = image::RgbImage::from_pixel(64, 64, image::Rgb([color, 30, 60]));
    let mut png = std::io::Cursor::new(vec![]);
    image
        .write_to(&mut png, image::ImageFormat::Png)
        .expect("encodes");
    let mut body = format!(
        "--xx\r\nContent-Disposition: form-data; name=\"pedido\"\r\n\r\n{key}\r\n--xx\r\n\
         Content-Disposition: form-data; name=\"file\"; filename=\"x\"\r\n\r\n"
    )
    .into_bytes();
    body.extend_from_slice(png.get_ref());
    body.extend_from_slice(b"\r\n--xx--\r\n");
    let client = admin.with_header("content-type", "multipart/form-data; boundary=xx");
    let (path, body) = (
        "/configuracao/marca/logo",
        Some(axum::body::Body::from(body)),
    );
    client.send(axum::http::Method::POST, path, body).await
}

#[tokio::test]
async fn a_sent_logo_is_chosen_and_an_older_one_stays_offered() {
    let app = TestApp::new().await;
    let admin = app.browser_client(&app.add_member(Role::Admin).await).await;
    let sent = send_logo(&admin, "logo-form-first", 1).await.expect(303);
    let to = sent.headers["location"].to_str().expect("text").to_owned();
    assert!(to.starts_with("/configuracao/marca?logo="), "{to}");
    let id = to.split(['=', '&']).nth(1).expect("an id").to_owned();
    let chosen = format!("name=\"logo\" value=\"{id}\" checked");
    let page = admin.get(&to).await.expect(200);
    assert_eq!(page.text.matches(&chosen).count(), 1, "{}", page.text);
    assert!(!page.text.contains("A de agora"));
    // The same form, sent twice, stores one image. The page still offers the chosen logo after 25
    // newer images were sent.
    send_logo(&admin, "logo-form-first", 1).await.expect(303);
    assert_eq!(app.count_rows("media").await, 1);
    for number in 2..=26 {
        app.advance_clock(1);
        let key = format!("logo-form-{number}");
        send_logo(&admin, &key, number).await.expect(303);
    }
    let page = admin.get(&to).await.expect(200);
    assert_eq!(page.text.matches(&chosen).count(), 1);
    assert!(!page.text.contains("A de agora"));
    assert_eq!(page.text.matches("class=\"logo\"").count(), 25);
    let leader = app.browser_client(&app.add_member(Role::Lider).await).await;
    send_logo(&leader, "logo-form-leader", 99).await.expect(403);
}

#[tokio::test]
async fn the_form_publishes_a_brand_and_opens_with_the_published_one() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Admin).await;
    let (admin, session) = (
        app.browser_client(&member).await,
        app.session_client(&member).await,
    );
    let listed = admin.get("/configuracao").await.expect(200);
    assert!(listed.text.contains("href=\"/configuracao/marca\""));
    let mut first = brand_form(&admin).await;
    assert_eq!(first.field_values("cor").len(), 2);
    first.fill_field("nome", 0, "Cozinha & Cia");
    first.fill_field("handle", 0, "@cozinha.boa");
    first.fill_field("cor", 0, "#b83a1e");
    // The same form, sent twice, publishes one version.
    for _ in 0..2 {
        let done = first.submit_form(&admin, PUBLISH).await.expect(303);
        assert_eq!(
            done.headers["location"],
            "/configuracao/marca?feito=publish_config_version"
        );
    }
    let stored = session.get("/api/config").await.expect(200).body;
    let stored = &stored["config"]["marca"];
    assert_eq!(stored["version"], 1);
    let expected = json!({
        "nome": "Cozinha & Cia", "handle": "@cozinha.boa", "cores": ["#B83A1E", "#F6ECDA"],
    });
    assert_eq!(stored["value"], expected);
    let again = brand_form(&admin).await;
    assert_eq!(again.field_values("nome"), ["Cozinha & Cia"]);
    assert_eq!(again.field_values("cor"), ["#b83a1e", "#f6ecda"]);
    assert_eq!(again.field_values("versao"), ["1"]);
}

#[tokio::test]
async fn adding_and_removing_colours_respects_the_limits_and_publishes_nothing() {
    let app = TestApp::new().await;
    let admin = app.browser_client(&app.add_member(Role::Admin).await).await;
    let mut form = brand_form(&admin).await;
    form.fill_field("nome", 0, "Casa");
    for _ in 0..5 {
        let page = form
            .submit_form(&admin, ("fazer", "cor:"))
            .await
            .expect(200);
        form = Filled::parse_form(&page, "marca");
    }
    assert_eq!(
        (form.field_values("cor").len(), form.field_values("nome")),
        (5, vec!["Casa"])
    );
    for at in ["9", "x", "2", "1", "1", "1"] {
        let page = form
            .submit_form(&admin, ("fazer", &format!("tirar:{at}")))
            .await
            .expect(200);
        form = Filled::parse_form(&page, "marca");
    }
    assert_eq!(form.field_values("cor").len(), 2);
    assert_eq!(app.count_rows("config_entries").await, 0);
}

#[tokio::test]
async fn a_refused_or_stale_form_of_the_brand_keeps_the_chosen_values() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Admin).await;
    let (admin, session) = (
        app.browser_client(&member).await,
        app.session_client(&member).await,
    );
    let mut form = brand_form(&admin).await;
    form.fill_field("nome", 0, "Minha casa");
    form.fill_field("handle", 0, "sem arroba");
    let refused = form.submit_form(&admin, PUBLISH).await.expect(400);
    assert!(visible_text(&refused).contains("deve ser como"));
    assert_eq!(
        Filled::parse_form(&refused, "marca").field_values("handle"),
        ["sem arroba"]
    );
    form.fill_field("handle", 0, "");
    let other =
        json!({ "key": "marca", "value": { "nome": "Outra", "cores": ["#000000", "#FFFFFF"] } });
    session.post("/api/config", other).await.expect(200);
    let stale = form.submit_form(&admin, PUBLISH).await.expect(409);
    assert!(visible_text(&stale).contains("A marca mudou enquanto você a editava."));
    let mine = Filled::parse_form(&stale, "marca");
    assert_eq!(
        (mine.field_values("nome"), mine.field_values("versao")),
        (vec!["Minha casa"], vec!["1"])
    );
    mine.submit_form(&admin, PUBLISH).await.expect(303);
}

#[tokio::test]
async fn the_cards_beside_the_form_are_drawn_with_its_brand() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Admin).await;
    let admin = app.browser_client(&member).await;
    let mut form = brand_form(&admin).await;
    form.fill_field("nome", 0, "Casa");
    let mut drawn = vec![];
    for color in ["#b83a1e", "#1e3ab8"] {
        form.fill_field("cor", 0, color);
        let page = form
            .submit_form(&admin, ("fazer", "previa:"))
            .await
            .expect(200);
        let image = admin.get(&preview_url(&page.text)).await.expect(200);
        assert_eq!(image.headers["content-type"], "image/jpeg");
        drawn.push(image.bytes);
    }
    assert_ne!(drawn[0], drawn[1]);
    assert_eq!(app.count_rows("config_entries").await, 0);
    // The preview refuses a value that is not a brand, and a logo that the caller may not see.
    let ask = |brand: &str| {
        let query = crate::support::encode_form(&[("text", "a"), ("page", "1"), ("brand", brand)]);
        format!("/previa?{query}")
    };
    for brand in ["x", "null", "[]", "{\"nome\":\"a\"}", &"[".repeat(500)] {
        admin.get(&ask(brand)).await.expect(400);
    }
    let session = app.session_client(&member).await;
    let art = session.post("/api/art", json!({ "prompt": "Só do admin" }));
    let art = art.await.expect(200).body;
    let brand = json!({ "nome": "Casa", "cores": ["#000000", "#FFFFFF"], "logo": art["id"] });
    admin.get(&ask(&brand.to_string())).await.expect(200);
    let creator = app
        .browser_client(&app.add_member(Role::Criador).await)
        .await;
    creator.get(&ask(&brand.to_string())).await.expect(404);
}

#[tokio::test]
async fn only_members_who_may_publish_the_configuration_see_the_form() {
    let app = TestApp::new().await;
    let admin = app.browser_client(&app.add_member(Role::Admin).await).await;
    let creator = app
        .browser_client(&app.add_member(Role::Criador).await)
        .await;
    let form = brand_form(&admin).await;
    creator.get(PATH).await.expect(403);
    form.submit_form(&creator, PUBLISH).await.expect(403);
    app.anonymous().get(PATH).await.expect(303);
}
