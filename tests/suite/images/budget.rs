//! The daily budget of a token, with a provider that fails.

use domain::{Capability, Role};

use super::{
    double::{ImagesApi, base64_response, error_response, image_file},
    request_art,
};
use crate::support::{TestApp, openai::cut_in_half};

/// Asserts that this many pictures count towards today's budget.
async fn assert_counted(app: &TestApp, pictures: u32) {
    let counted = format!("credential_use WHERE pictures = {pictures}");
    assert_eq!(app.count_rows(&counted).await, 1, "{pictures}");
}

#[tokio::test]
async fn a_picture_counts_unless_its_provider_refused_it() {
    let api = ImagesApi::new().await;
    let app = TestApp::with_settings(api.settings()).await;
    let member = app.add_member(Role::Lider).await;
    let (token, _) = app.token_client_with(&member, Capability::ALL).await;
    api.set_handler(|_| async {
        error_response(400, "image_generation_user_error", "moderation_blocked")
    });
    let refused = request_art(&token, "chave-0001").await;
    refused.expect_refusal(500, "PROVIDER_FAILED");
    assert_counted(&app, 0).await;
    api.set_handler(|_| async { base64_response(&image_file(8, 8, "png")) });
    for _ in 0..2 {
        request_art(&token, "chave-0001").await.expect(200);
    }
    assert_counted(&app, 1).await;
    // The response ends before its image does, but the provider may have generated the picture.
    api.set_handler(|_| async { cut_in_half(base64_response(&image_file(64, 64, "png"))).await });
    let unknown = request_art(&token, "chave-0002").await;
    unknown.expect_refusal(500, "PROVIDER_TIMEOUT");
    assert_counted(&app, 2).await;
}
