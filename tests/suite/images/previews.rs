//! Previews never call the image provider.

use domain::Role;

use super::double::ImagesApi;
use crate::support::TestApp;

#[tokio::test]
async fn a_preview_has_a_plain_background_instead_of_one_from_the_provider_and_a_warning() {
    let api = ImagesApi::new().await;
    let app = TestApp::with_settings(api.settings()).await;
    let lead = app.add_member(Role::Lider).await;
    let browser = app.browser_client(&lead).await;
    let art = browser.get("/previa?text=Uma%20fogueira").await.expect(400);
    assert!(art.text.contains("provedor vai desenhar"));

    let card = "/previa?text=Pertencer&page=1&pages=2";
    let own = browser.get(card).await.expect(200);
    assert_eq!(own.headers["pauta-avisos"], "[]");
    let over = browser.get(&format!("{card}&background=mar")).await;
    let over = over.expect(200);
    let notes: Vec<String> =
        serde_json::from_slice(over.headers["pauta-avisos"].as_bytes()).expect("JSON");
    assert_eq!(
        notes,
        ["Nesta peça, o fundo é neutro na prévia: o provedor o desenha ao gerar."]
    );
    assert_ne!(own.bytes, over.bytes);
    assert_eq!(api.accepted_requests().len(), 0);
    super::assert_nothing_left(&app).await;
}
