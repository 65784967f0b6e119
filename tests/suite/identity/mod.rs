//! The embedded identity provider under password guessing, with copied tokens and with forged
//! sessions.

mod attempts;
mod guessing;
mod known_networks;
mod passwords;
mod renewal;
mod sessions;

use serde_json::json;

use crate::support::{Answer, Client};

/// Signs Bia in from the client's IP address.
async fn sign_in(anonymous: &Client, password: &str) -> Answer {
    let body = json!({ "email": "bia@equipe.test", "password": password });
    anonymous
        .post("/auth/v1/token?grant_type=password", body)
        .await
}

/// Makes one failed sign-in for Bia from each of `count` IP addresses.
async fn fail_sign_ins_from_many_addresses(anonymous: &Client, count: u32) {
    for n in 0..count {
        let elsewhere = anonymous.with_address(&format!("203.0.113.{n}"));
        sign_in(&elsewhere, "errada")
            .await
            .expect_refusal(401, "INVALID_CREDENTIALS");
    }
}
