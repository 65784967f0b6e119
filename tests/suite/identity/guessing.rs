//! The rate limit on failed password attempts.

use super::{fail_sign_ins_from_many_addresses, sign_in};
use crate::{
    sign_in::{PASSWORD, invite_person, redeem_invitation, session_client, team_with_bia},
    support::TestApp,
};
use domain::Role;
use serde_json::json;

#[tokio::test]
async fn guesses_from_many_networks_share_one_limit_even_if_the_owner_signs_in() {
    let (app, ..) = team_with_bia().await;
    let anonymous = app.anonymous();
    let home = anonymous.with_address("198.51.100.7");
    sign_in(&home, PASSWORD).await.expect(200);
    fail_sign_ins_from_many_addresses(&anonymous, 30).await;
    let braked = |n: u32| fail_sign_in_from(&app, format!("192.0.2.{n}"));
    braked(1).await.expect_refusal(429, "RATE_LIMITED");
    sign_in(&home, PASSWORD).await.expect(200);
    braked(2).await.expect_refusal(429, "RATE_LIMITED");
    app.advance_clock(15 * domain::time::MINUTE);
    braked(3).await.expect_refusal(401, "INVALID_CREDENTIALS");
}

async fn fail_sign_in_from(app: &TestApp, address: String) -> crate::support::Answer {
    sign_in(&app.anonymous().with_address(&address), "errada").await
}

#[tokio::test]
async fn eight_failures_from_a_known_network_are_limited_too() {
    let (app, ..) = team_with_bia().await;
    let home = app.anonymous().with_address("198.51.100.7");
    sign_in(&home, PASSWORD).await.expect(200);
    for _ in 0..8 {
        sign_in(&home, "errada")
            .await
            .expect_refusal(401, "INVALID_CREDENTIALS");
    }
    let braked = sign_in(&home, PASSWORD)
        .await
        .expect_refusal(429, "RATE_LIMITED");
    assert_eq!(braked.headers["retry-after"], "900");
}

#[tokio::test]
async fn addresses_of_one_ipv6_network_share_one_limit() {
    let (app, ..) = team_with_bia().await;
    for n in 0..8 {
        let address = format!("2001:db8:7:1:{n}::{n}");
        fail_sign_in_from(&app, address)
            .await
            .expect_refusal(401, "INVALID_CREDENTIALS");
    }
    fail_sign_in_from(&app, "2001:db8:7:1:ffff::1".into())
        .await
        .expect_refusal(429, "RATE_LIMITED");
    fail_sign_in_from(&app, "2001:db8:7:2::1".into())
        .await
        .expect_refusal(401, "INVALID_CREDENTIALS");
}

#[tokio::test]
async fn addresses_before_an_unreadable_forwarded_hop_are_ignored() {
    let proxied = [("PAUTA_TRUSTED_PROXIES", "10.0.0.0/8".to_owned())];
    let app = TestApp::with_settings(proxied).await;
    let admin = app.as_member(Role::Admin).await;
    let (_, token) = invite_person(&admin, "bia@equipe.test").await;
    redeem_invitation(&app, &token, PASSWORD).await.expect(200);
    let proxy = app.anonymous().with_address("10.0.0.1");
    let claims = |n: u32, hop: &str| {
        let forwarded = format!("192.0.2.{n}, {hop}");
        let client = proxy.with_header("x-forwarded-for", forwarded);
        async move { sign_in(&client, "errada").await.status }
    };
    for n in 0..8 {
        assert_eq!(claims(n, "unknown").await, 401);
    }
    assert_eq!(claims(9, "unknown").await, 429);
    // A hop with a port counts as the same client address as a hop without a port.
    for n in 0..8 {
        assert_eq!(claims(n, "198.51.100.7:4711").await, 401);
    }
    assert_eq!(claims(9, "198.51.100.7").await, 429);
}

#[tokio::test]
async fn changing_the_password_is_limited_like_signing_in() {
    let (app, ..) = team_with_bia().await;
    let anonymous = app.anonymous();
    let session = sign_in(&anonymous.with_address("198.51.100.7"), PASSWORD).await;
    let session = session_client(&app, &session.expect(200).body);
    fail_sign_ins_from_many_addresses(&anonymous, 30).await;
    let change = |address: &str, current: &str| {
        let body = json!({ "password": "nuvem-corda-abacate-piano", "current_password": current });
        let session = session.with_address(address);
        async move { session.put("/auth/v1/user", body).await }
    };
    change("192.0.2.1", PASSWORD)
        .await
        .expect_refusal(429, "RATE_LIMITED");
    for _ in 0..7 {
        change("198.51.100.7", "errada")
            .await
            .expect_refusal(401, "INVALID_CREDENTIALS");
    }
    change("198.51.100.7", PASSWORD).await.expect(200);
}
