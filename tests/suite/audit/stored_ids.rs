//! Audit rows with ids of an old form or without an id.

use domain::Role;
use serde_json::json;

use crate::support::TestApp;

#[tokio::test]
async fn a_row_with_an_id_of_an_old_form_is_readable_and_a_row_without_an_id_is_an_error() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    admin.create_demand(json!({})).await;
    let rename = "UPDATE audit_events SET id = $1, token_id = $2 WHERE action = 'create_demand'";
    app.execute_statement(rename, ["antigo".into(), "de-antes".into()])
        .await;
    let path = "/api/access/audit?action=create_demand";
    let audit = admin.get(path).await.expect(200).body;
    assert_eq!(audit["audit"][0]["id"], "antigo");
    assert_eq!(audit["audit"][0]["token_id"], "de-antes");

    app.execute_statement(rename, [String::new(), "de-antes".into()])
        .await;
    admin.get(path).await.expect_refusal(500, "INTERNAL");
}
