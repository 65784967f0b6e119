//! Clients of guests.

use domain::GUEST_PREFIX;
use serde_json::Value;

use super::{Client, TestApp};

/// Returns the secret in a guest's link, taken from the response that created the link.
pub fn guest_secret(made: &Value) -> String {
    let url = made["url"].as_str().expect("a URL");
    url.rsplit('/').next().expect("a secret").to_owned()
}

impl TestApp {
    /// Returns a client of a guest. Its bearer token is the secret in the response that created the
    /// guest's link.
    pub fn guest_client(&self, made: &Value) -> Client {
        self.bearer(format!("{GUEST_PREFIX}{}", guest_secret(made)))
    }
}
