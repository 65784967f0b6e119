//! What the embedded identity holds against guessing, copied tokens and forged sessions.

mod renewal;
mod sessions;

use serde_json::json;

use crate::support::{Answer, Client};

/// Signs Bia in from where the client is.
async fn sign_in(anonymous: &Client, password: &str) -> Answer {
    let body = json!({ "email": "bia@equipe.test", "password": password });
    anonymous
        .post("/auth/v1/token?grant_type=password", body)
        .await
}
