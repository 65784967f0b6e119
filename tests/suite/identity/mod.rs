//! The embedded identity against guessing, copied tokens and forged sessions.

mod guessing;
mod known_networks;
mod passwords;
mod renewal;
mod sessions;

use serde_json::json;

use crate::support::{Answer, Client};

/// Signs Bia in from the network of the client.
async fn sign_in(anonymous: &Client, password: &str) -> Answer {
    let body = json!({ "email": "bia@equipe.test", "password": password });
    anonymous
        .post("/auth/v1/token?grant_type=password", body)
        .await
}

/// Fails to sign Bia in once from each of this many networks, until the account is locked there.
async fn guess_from_many(anonymous: &Client, count: u32) {
    for n in 0..count {
        let elsewhere = anonymous.from(&format!("203.0.113.{n}"));
        sign_in(&elsewhere, "errada")
            .await
            .refused(401, "INVALID_CREDENTIALS");
    }
}
