//! The form of a piece that generates one image, or generates it again.

use domain::Role;
use serde_json::{Value, json};

use super::{filled::Filled, visible_text};
use crate::support::{Client, TestApp};

const SEND: (&str, &str) = ("", "");

/// Creates a service; returns it with the browser and the session of a lead, and the id of a piece
/// with one generated image.
async fn service_with_image() -> (TestApp, Client, Client, String) {
    let app = TestApp::new().await;
    let lead = app.add_member(Role::Lider).await;
    let session = app.session_client(&lead).await;
    let id = session.create_demand(json!({ "title": "Festa" })).await;
    generate_image(&session, &id, "Frio pede caldo").await;
    let browser = app.browser_client(&lead).await;
    (app, browser, session, id)
}

async fn generate_image(session: &Client, id: &str, prompt: &str) {
    let asked = json!({ "event_id": id, "prompt": prompt, "style": "editorial" });
    session.post("/api/art", asked).await.expect(200);
}

/// Returns the form that corrects the first image of the piece.
async fn correction_form(browser: &Client, session: &Client, id: &str) -> Filled {
    let event = session.load_event(id).await;
    let medium = event["media"][0]["id"].as_str().expect("an id").to_owned();
    let page = browser
        .get(&format!("/eventos/{id}?imagem={medium}"))
        .await
        .expect(200);
    Filled::parse_form(&page, "imagem")
}

async fn alternative_texts(session: &Client, id: &str) -> Vec<Value> {
    let event = session.load_event(id).await;
    let media = event["media"].as_array().expect("media").iter();
    media.map(|medium| medium["alt"].clone()).collect()
}

#[tokio::test]
async fn a_stale_correction_keeps_the_newer_image_and_the_text() {
    let (_app, browser, session, id) = service_with_image().await;
    let mut form = correction_form(&browser, &session, &id).await;
    assert_eq!(form.field_values("prompt"), ["Frio pede caldo"]);
    assert_eq!(form.field_values("expected_revision"), ["2"]);
    form.fill_field("prompt", 0, "O meu caldo");
    generate_image(&session, &id, "O caldo de outra pessoa").await;

    let conflict = form.submit_form(&browser, SEND).await.expect(409);
    assert!(
        visible_text(&conflict).contains("As mídias mudaram enquanto você descrevia a imagem.")
    );
    assert_eq!(
        alternative_texts(&session, &id).await,
        ["O caldo de outra pessoa"]
    );
    let again = Filled::parse_form(&conflict, "imagem");
    assert_eq!(again.field_values("prompt"), ["O meu caldo"]);
    assert_eq!(again.field_values("style"), ["editorial"]);
    assert_eq!(again.field_values("expected_revision"), ["3"]);
    again.submit_form(&browser, SEND).await.expect(303);
    assert_eq!(alternative_texts(&session, &id).await, ["O meu caldo"]);
}

#[tokio::test]
async fn the_image_is_accepted_after_a_change_of_other_fields() {
    let (_app, browser, session, id) = service_with_image().await;
    let mut form = correction_form(&browser, &session, &id).await;
    form.fill_field("prompt", 0, "Corrigido");
    let draft = json!({ "event_id": id, "expected_revision": 2, "caption": "Nova legenda" });
    session.post("/api/draft", draft).await.expect(200);
    form.submit_form(&browser, SEND).await.expect(303);
    assert_eq!(alternative_texts(&session, &id).await, ["Corrigido"]);
    // The same form, sent twice, generates one image.
    form.submit_form(&browser, SEND).await;
    let event = session.load_event(&id).await;
    assert_eq!(event["media"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn a_refused_form_returns_with_its_text_and_revision() {
    let (_app, browser, session, id) = service_with_image().await;
    let mut form = correction_form(&browser, &session, &id).await;
    form.fill_field("prompt", 0, "Fotografia de um cachorro correndo na praia");
    let refused = form.submit_form(&browser, SEND).await.expect(400);
    let again = Filled::parse_form(&refused, "imagem");
    assert_eq!(
        again.field_values("prompt"),
        ["Fotografia de um cachorro correndo na praia"]
    );
    assert_eq!(again.field_values("expected_revision"), ["2"]);
    assert_eq!(again.field_values("pedido"), form.field_values("pedido"));
}
