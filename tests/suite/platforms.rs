//! Passwords of external platforms: they are encrypted, only admins in a session can read them, and
//! every read is audited.

use domain::Role;
use serde_json::{Value, json};

use crate::support::TestApp;

const PATH: &str = "/api/plataformas/hotmart/senha";

#[tokio::test]
async fn a_password_is_set_read_replaced_and_erased() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Admin).await;
    let admin = app.session_client(&member).await;
    admin.get(PATH).await.expect_refusal(404, "NOT_FOUND");
    admin
        .put(PATH, json!({ "senha": null }))
        .await
        .expect_refusal(404, "NOT_FOUND");
    let first = json!({ "usuario": "redacao", "senha": "çé ✓ \"aspas\"" });
    let put = admin.put(PATH, first).await.expect(200);
    assert_eq!(put.body["platform_id"], "hotmart");
    let read = admin.get(PATH).await.expect(200);
    assert_eq!(read.headers["cache-control"], "no-store");
    assert_eq!(read.body["usuario"], "redacao");
    assert_eq!(read.body["senha"], "çé ✓ \"aspas\"");
    assert_eq!(read.body["updated_by"], json!(member.id));
    assert_eq!(read.body["updated_by_name"], json!(member.name));
    assert_eq!(read.body["updated_at"], put.body["updated_at"]);
    admin
        .put(PATH, json!({ "senha": "outra" }))
        .await
        .expect(200);
    let read = admin.get(PATH).await.expect(200).body;
    assert_eq!(
        (&read["senha"], &read["usuario"]),
        (&json!("outra"), &Value::Null)
    );
    let erased = admin
        .put(PATH, json!({ "senha": null }))
        .await
        .expect(200)
        .body;
    assert!(erased.get("updated_at").is_none());
    admin.get(PATH).await.expect_refusal(404, "NOT_FOUND");
    assert_eq!(app.count_rows("secrets").await, 0);
}

#[tokio::test]
async fn the_audit_trail_has_every_read_and_write_without_the_password() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    admin
        .put(PATH, json!({ "senha": "s3nha-secreta" }))
        .await
        .expect(200);
    for _ in 0..3 {
        admin.get(PATH).await.expect(200);
    }
    let audit = admin.get("/api/access/audit").await.expect(200).body;
    let rows = audit["audit"].as_array().expect("rows");
    let of = |action: &str| {
        let rows = rows.iter().filter(|row| row["action"] == action);
        rows.filter(|row| row["resource_id"] == "hotmart" && row["resource_type"] == "platform")
            .count()
    };
    assert_eq!(
        (of("get_platform_password"), of("put_platform_password")),
        (3, 1)
    );
    assert!(!audit.to_string().contains("s3nha"));
}

#[tokio::test]
async fn only_an_admin_in_a_session_has_access() {
    let app = TestApp::new().await;
    let admin = app.add_member(Role::Admin).await;
    let token = app.token_client(&admin).await;
    token
        .get(PATH)
        .await
        .expect_refusal(403, "SESSION_REQUIRED");
    token
        .put(PATH, json!({ "senha": "x" }))
        .await
        .expect_refusal(403, "SESSION_REQUIRED");
    let lead = app.as_member(Role::Lider).await;
    lead.get(PATH)
        .await
        .expect_refusal(403, "CAPABILITY_REQUIRED");
    app.anonymous()
        .get(PATH)
        .await
        .expect_refusal(401, "UNAUTHENTICATED");
}

#[tokio::test]
async fn an_idempotency_key_and_an_invalid_name_are_refused() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let keyed = admin.with_idempotency_key("chave-de-teste");
    keyed.put(PATH, json!({ "senha": "x" })).await.expect(400);
    let inside = json!({ "senha": "x", "idempotency_key": "chave-de-teste" });
    admin.put(PATH, inside).await.expect(400);
    admin.put(PATH, json!({ "usuario": "x" })).await.expect(400);
    admin.put(PATH, json!({ "senha": "" })).await.expect(400);
    admin
        .put(PATH, json!({ "senha": "a".repeat(4097) }))
        .await
        .expect(400);
    for name in ["-x", "a%2Fb", "a%20b", &"a".repeat(65)] {
        let path = format!("/api/plataformas/{name}/senha");
        admin.put(&path, json!({ "senha": "x" })).await.expect(400);
    }
    assert_eq!(app.count_rows("secrets").await, 0);
}
