//! Clients of guests.

use domain::GUEST_PREFIX;
use serde_json::Value;

use super::{Client, TestApp};

/// The secret of a link for a guest, from the answer that made it.
pub fn guest_secret(made: &Value) -> String {
    let url = made["url"].as_str().expect("a URL");
    url.rsplit('/').next().expect("a secret").to_owned()
}

impl TestApp {
    /// A client with the link of a guest as its bearer token, from the answer that made the link.
    pub fn guest_client(&self, made: &Value) -> Client {
        self.bearer(format!("{GUEST_PREFIX}{}", guest_secret(made)))
    }
}
