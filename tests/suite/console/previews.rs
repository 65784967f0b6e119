//! The previews of images that are drawn while the person types.

use axum::http::Method;
use domain::Role;
use serde_json::{Value, json};

use super::visible_text;
use crate::support::{Answer, Client, TestApp};

async fn service_with_browser_and_session() -> (TestApp, Client, Client) {
    let app = TestApp::new().await;
    let lead = app.add_member(Role::Lider).await;
    let (browser, session) = (
        app.browser_client(&lead).await,
        app.session_client(&lead).await,
    );
    (app, browser, session)
}

fn preview_path(fields: &[(&str, &str)]) -> String {
    format!("/previa?{}", crate::support::encode_form(fields))
}

fn decode_image(answer: &Answer) -> image::RgbImage {
    let image = image::load_from_memory_with_format(&answer.bytes, image::ImageFormat::Jpeg);
    image.expect("a JPEG").to_rgb8()
}

/// Downloads the image behind a link, scaled to the size of a preview.
async fn download_scaled(app: &TestApp, media: &Value, like: &image::RgbImage) -> image::RgbImage {
    let url = media["url"].as_str().expect("a link");
    let link = url.trim_start_matches("http://127.0.0.1:8080");
    let whole = decode_image(&app.anonymous().get(link).await.expect(200));
    let (width, height) = like.dimensions();
    image::imageops::resize(&whole, width, height, image::imageops::FilterType::Triangle)
}

/// Returns the mean difference between two images.
fn mean_difference(one: &image::RgbImage, other: &image::RgbImage) -> u64 {
    let pairs = one.as_raw().iter().zip(other.as_raw());
    let sum: u64 = pairs.map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
    sum / one.as_raw().len() as u64
}

#[tokio::test]
async fn a_preview_equals_the_generated_image_and_stores_nothing() {
    let (app, browser, session) = service_with_browser_and_session().await;
    let text = "Pertencer\nNinguém precisa andar só: a praça é de quem chega e de quem fica.";
    let rows = app.count_rows("audit_events").await;
    let art = preview_path(&[("text", text), ("style", "vibrante"), ("size", "1080x1080")]);
    let art = browser.get(&art).await.expect(200);
    let card = preview_path(&[("text", text), ("page", "2"), ("pages", "3")]);
    let card = browser.get(&card).await.expect(200);
    assert_eq!(decode_image(&art).dimensions(), (640, 640));
    assert_eq!(decode_image(&card).dimensions(), (512, 640));
    assert_eq!(art.headers["cache-control"], "private, max-age=300");
    assert_eq!(app.count_rows("audit_events").await, rows);
    assert_eq!(
        (app.count_rows("media").await, app.stored_file_count()),
        (0, 0)
    );

    let input = json!({ "prompt": text, "style": "vibrante", "size": "1080x1080" });
    let whole = session.post("/api/art", input).await.expect(200).body;
    let whole = download_scaled(&app, &whole, &decode_image(&art)).await;
    assert!(mean_difference(&decode_image(&art), &whole) < 4);
    let cards = json!({ "cards": [{ "text": "a" }, { "text": text }, { "text": "b" }] });
    let whole = session.post("/api/carousel", cards).await.expect(200).body;
    let whole = download_scaled(&app, &whole["cards"][1], &decode_image(&card)).await;
    assert!(mean_difference(&decode_image(&card), &whole) < 4);
}

#[tokio::test]
async fn a_preview_refuses_the_same_inputs_as_generation() {
    let (app, browser, session) = service_with_browser_and_session().await;
    let long = "Linha\n".repeat(150);
    let card = preview_path(&[("text", long.as_str()), ("page", "1"), ("pages", "1")]);
    let refused = browser.get(&card).await.expect(400);
    assert!(visible_text(&refused).contains("não cabe no menor corpo legível"));
    let described = preview_path(&[("text", "Fotografia de um cachorro correndo na praia")]);
    let refused = browser.get(&described).await.expect(400);
    assert!(visible_text(&refused).contains("parece a descrição de uma imagem"));
    for bad in [
        vec![("text", " ")],
        vec![("text", "a"), ("style", "x")],
        vec![("text", "a"), ("size", "9999x9999")],
        vec![("text", "a"), ("page", "11")],
        vec![("style", "epico")],
    ] {
        browser.get(&preview_path(&bad)).await.expect(400);
    }
    let absent = "0198c0de-0000-7000-8000-000000000000";
    let over = preview_path(&[("text", "a"), ("media_id", absent)]);
    browser.get(&over).await.expect(404);

    // A creator cannot use an upload of another member.
    let art = session.post("/api/art", json!({ "prompt": "Só do líder" }));
    let hidden = art.await.expect(200).body["id"].as_str().map(str::to_owned);
    let hidden = hidden.expect("an id");
    let hidden = preview_path(&[("text", "a"), ("media_id", hidden.as_str())]);
    browser.get(&hidden).await.expect(200);
    let creator = app.add_member(Role::Criador).await;
    let creator = app.browser_client(&creator).await;
    creator.get(&hidden).await.expect(404);
    // A visitor without a session is redirected to the sign-in page; a script gets 401.
    let text = preview_path(&[("text", "a")]);
    app.anonymous().get(&text).await.expect(303);
    let script = app.anonymous().with_header("hx-request", "true");
    script.get(&text).await.expect(401);
    // The page does not accept a bearer token.
    session.get(&text).await.expect(303);
}

#[tokio::test]
async fn previews_are_limited_per_member_and_minute() {
    let (app, browser, _) = service_with_browser_and_session().await;
    let described = preview_path(&[("text", "Fotografia de um cachorro correndo na praia")]);
    for _ in 0..300 {
        browser.get(&described).await.expect(400);
    }
    let refused = browser.get(&described).await.expect(429);
    assert!(refused.headers.contains_key("retry-after"));
    app.advance_clock(60_000);
    browser.get(&described).await.expect(400);
}

#[tokio::test]
async fn without_a_script_a_form_shows_previews_and_keeps_its_texts() {
    let (app, browser, session) = service_with_browser_and_session().await;
    let id = session.create_demand(json!({ "title": "Festa" })).await;
    let page = browser.get(&format!("/eventos/{id}")).await.expect(200);
    let to = format!("/eventos/{id}/previa");
    assert!(
        page.text
            .contains(&format!("formaction=\"{to}#gerar-imagem\""))
    );
    let fields = [
        ("_volta", "/"),
        ("event_id", id.as_str()),
        ("prompt", "Praça <b>cheia</b>"),
        ("style", "editorial"),
        ("size", "1080x1080"),
        ("slide_index", "0"),
    ];
    let page = browser.post_form(&to, &fields).await.expect(200);
    let image = "src=\"/previa?size=1080x1080&amp;style=editorial&amp;text=Pra%C3%A7a%20%3Cb%3Echeia%3C%2Fb%3E\"";
    assert!(page.text.contains(image), "{}", page.text);
    assert!(
        page.text
            .contains("Praça &lt;b&gt;cheia&lt;/b&gt;</textarea>")
    );
    assert!(page.text.contains("value=\"1080x1080\" selected"));

    let long = "Linha\n".repeat(150);
    let fields = [
        ("card", "Um"),
        ("card", ""),
        ("card", long.as_str()),
        ("style", "epico"),
    ];
    let page = browser.post_form(&to, &fields).await.expect(200);
    assert!(
        page.text
            .contains("page=1&amp;pages=2&amp;style=epico&amp;text=Um")
    );
    assert!(visible_text(&page).contains("O texto não cabe no menor corpo legível; encurte."));
    assert_eq!(app.count_rows("media").await, 0);
    assert_eq!(session.load_event(&id).await["api_revision"], 1);
}

#[tokio::test]
async fn a_carousel_can_have_an_image_of_the_piece_as_its_background() {
    let (_, browser, session) = service_with_browser_and_session().await;
    let id = session.create_demand(json!({ "title": "Festa" })).await;
    let art = json!({ "prompt": "Fundo", "event_id": id });
    let art = session.post("/api/art", art).await.expect(200).body;
    let media = art["id"].as_str().expect("an id");
    let page = browser.get(&format!("/eventos/{id}")).await.expect(200);
    assert!(
        page.text
            .contains(&format!("<option value=\"{media}\">A mídia 1</option>"))
    );
    let fields = [("card", "Um"), ("card", "Dois"), ("media_id", media)];
    let to = format!("/eventos/{id}/carrossel");
    browser.post_form(&to, &fields).await.expect(303);
    assert_eq!(
        session.load_event(&id).await["media"]
            .as_array()
            .map(Vec::len),
        Some(2)
    );
}

#[tokio::test]
async fn pages_request_images_no_wider_than_they_show_them() {
    let (app, browser, session) = service_with_browser_and_session().await;
    let submit = session.create_demand(json!({ "title": "Festa" })).await;
    let art = json!({ "prompt": "Uma praça\ncheia de gente", "event_id": submit });
    session.post("/api/art", art).await.expect(200);
    let to = json!({
        "event_id": submit, "expected_revision": 2, "caption": "Oi", "day": 20, "month": 1, "year": 2027,
    });
    session.post("/api/enviar", to).await.expect(200);
    for (page, width) in [
        ("/agenda?ver=mes&dia=2027-01-20".to_owned(), "/160?"),
        (format!("/agenda/eventos/{submit}"), "/480?"),
        (format!("/eventos/{submit}"), "/960?"),
        ("/aprovacoes".to_owned(), "/960?"),
    ] {
        let answer = browser.get(&page).await.expect(200);
        let links: Vec<&str> = answer
            .text
            .split('"')
            .flat_map(|part| part.split(", "))
            .collect();
        let link = links
            .iter()
            .find(|link| link.starts_with("/media/") && link.contains(width));
        let link = link.unwrap_or_else(|| panic!("{page} has no {width}"));
        let link = link
            .split(' ')
            .next()
            .unwrap_or_default()
            .replace("&amp;", "&");
        let served = app.anonymous().send(Method::GET, &link, None).await;
        assert_eq!(served.expect(200).headers["content-type"], "image/jpeg");
    }
}
