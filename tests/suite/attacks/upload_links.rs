//! Attacks on the signed links of uploads: by strangers, and after the member or the credential
//! that asked for the link has lost the right.

use axum::{body::Body, http::Method};
use domain::{Capability, Role};
use serde_json::{Value, json};

use crate::support::{Answer, Client, TestApp};

/// A PNG of one pixel.
const PIXEL: &[u8] = &[
    0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, b'I', b'H', b'D', b'R', 0, 0, 0,
    1, 0, 0, 0, 1, 8, 6, 0, 0, 0, 0x1f, 0x15, 0xc4, 0x89, 0, 0, 0, 13, b'I', b'D', b'A', b'T',
    0x78, 0xda, 0x63, 0xfc, 0xcf, 0xc0, 0xf0, 0x1f, 0, 5, 5, 2, 0, 0x5f, 0xc8, 0xf1, 0xd2, 0, 0, 0,
    0, b'I', b'E', b'N', b'D', 0xae, 0x42, 0x60, 0x82,
];

async fn create_link(member: &Client) -> String {
    let made = member
        .post("/api/uploads", json!({}))
        .await
        .expect(201)
        .body;
    let url = made["upload_url"].as_str().expect("a URL");
    url.trim_start_matches("http://127.0.0.1:8080").to_owned()
}

async fn put_pixel(app: &TestApp, link: &str) -> Answer {
    let body = Some(Body::from(PIXEL));
    app.anonymous().send(Method::PUT, link, body).await
}

#[tokio::test]
async fn a_link_with_a_missing_forged_or_foreign_signature_is_refused() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let (one, two) = (create_link(&lead).await, create_link(&lead).await);
    let (path, signature) = one.split_once("?sig=").expect("a signature");
    let (other, _) = two.split_once("?sig=").expect("a signature");
    for link in [
        path.to_owned(),
        format!("{path}?sig="),
        format!("{path}?sig=1."),
        format!("{path}?sig={}", &signature[..signature.len() - 1]),
        format!("{path}?sig={signature}A"),
        format!("{path}?sig={}", signature.to_uppercase()),
        format!("{other}?sig={signature}"),
        format!("{path}?sig=&sig={signature}"),
        format!("/envios/x?sig={signature}"),
        format!("/envios/01990000-0000-7000-8000-000000000000?sig={signature}"),
    ] {
        for method in [Method::PUT, Method::POST, Method::PATCH, Method::GET] {
            let body = (method != Method::GET).then(|| Body::from(PIXEL));
            let refused = app.anonymous().send(method.clone(), &link, body).await;
            assert_eq!(refused.status, 401, "{method} {link}: {}", refused.text);
        }
    }
    // The credential of a member does not replace the signature of the link.
    let body = Some(Body::from(PIXEL));
    lead.send(Method::PUT, path, body).await.expect(401);
    assert_eq!(app.stored_file_count(), 0);
    assert_eq!(put_pixel(&app, &one).await.status, 201);
}

#[tokio::test]
async fn a_link_has_no_more_rights_than_the_credential_that_requested_it() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    // A member without the right to make art gets no link.
    let (reader, _) = app
        .token_client_with(&member, &[Capability::TasksView])
        .await;
    reader.post("/api/uploads", json!({})).await.expect(403);
    // A revoked token ends its links.
    let (token, _) = app.token_client_with(&member, &[Capability::Art]).await;
    let link = create_link(&token).await;
    app.execute_statement("UPDATE personal_tokens SET revoked_at = 1", [])
        .await;
    put_pixel(&app, &link)
        .await
        .expect_refusal(401, "TOKEN_REVOKED");
    // A lowered level applies to links that a token has already created.
    let (token, _) = app.token_client_with(&member, &[Capability::Art]).await;
    let link = create_link(&token).await;
    app.execute_statement("UPDATE members SET api_access_level = 'nenhum'", [])
        .await;
    put_pixel(&app, &link).await.expect(403);
    // An ended session ends its links.
    let session = app.session_client(&member).await;
    let link = create_link(&session).await;
    app.execute_statement("UPDATE session_families SET revoked_at = 1", [])
        .await;
    put_pixel(&app, &link)
        .await
        .expect_refusal(401, "TOKEN_REVOKED");
    // The offboarding of a member ends the links of this member.
    let session = app.session_client(&member).await;
    let link = create_link(&session).await;
    app.execute_statement("UPDATE members SET active = FALSE", [])
        .await;
    put_pixel(&app, &link)
        .await
        .expect_refusal(401, "TOKEN_REVOKED");
    assert_eq!(app.stored_file_count(), 0);
}

#[tokio::test]
async fn a_member_cannot_read_the_upload_of_another_member() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let made = lead.post("/api/uploads", json!({})).await.expect(201).body;
    let path = format!(
        "/api/uploads/{}",
        made["upload_id"].as_str().expect("an id")
    );
    for role in [Role::Admin, Role::Criador] {
        let other = app.as_member(role).await;
        other.get(&path).await.expect_refusal(404, "NOT_FOUND");
    }
    let state = lead.get(&path).await.expect(200).body;
    assert_eq!(state["media"], Value::Null);
    assert!(state.get("upload_url").is_none());
    let url = made["upload_url"].as_str().expect("a URL");
    let (_, signature) = url.split_once("sig=1.").expect("a signature");
    assert!(!app.contains_text(signature).await);
}

#[tokio::test]
async fn a_member_has_a_limited_number_of_open_links() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let lead = app.token_client(&member).await;
    for _ in 0..50 {
        lead.post("/api/uploads", json!({})).await.expect(201);
    }
    let refused = lead.post("/api/uploads", json!({})).await;
    refused.expect_refusal(429, "RATE_LIMITED");
    app.advance_clock(16 * 60_000);
    lead.post("/api/uploads", json!({})).await.expect(201);
}
