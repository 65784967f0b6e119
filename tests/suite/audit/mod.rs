//! The contents of the audit trail and the logs, and the secrets that they must not contain.

mod addresses;
mod denials;
mod log;
mod names;
mod reads;
mod secrets;
mod stored_ids;
mod writes;

use serde_json::Value;

use crate::support::Client;

/// Returns the audit rows of an action, newest first.
async fn audit_rows(admin: &Client, action: &str) -> Vec<Value> {
    let path = format!("/api/access/audit?action={action}&limit=200");
    admin.get(&path).await.expect(200).body["audit"]
        .as_array()
        .expect("a list")
        .clone()
}
