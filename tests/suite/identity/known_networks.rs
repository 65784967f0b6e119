//! Failed sign-ins from other IP networks do not block sign-in from an IP network that the account
//! has used before.

use domain::time::DAY;
use serde_json::json;
use store::accounts;

use super::{fail_sign_ins_from_many_addresses, sign_in};
use crate::{
    sign_in::{
        BETTER, PASSWORD, redeem_invitation, refresh_session, session_client, team_with_bia,
    },
    support::{Client, TestApp},
};

const HOME: &str = "198.51.100.7";
const OFFICE: &str = "2001:db8:1:2::5";

/// Signs Bia in from this IP address on another instance while her account is rate-limited for
/// unknown networks; returns the status. The limits of earlier calls have ended.
async fn sign_in_under_attack(app: &TestApp, address: &str, password: &str) -> u16 {
    app.advance_clock(identity::LIMIT_WINDOW);
    let other = app.second_instance().await;
    fail_sign_ins_from_many_addresses(&app.anonymous(), 30).await;
    sign_in(&other.anonymous().with_address(address), password)
        .await
        .status
}

fn client_from(app: &TestApp, address: &str) -> Client {
    app.anonymous().with_address(address)
}

#[tokio::test]
async fn the_owner_signs_in_on_every_instance_and_after_a_restart() {
    let (app, ..) = team_with_bia().await;
    sign_in(&client_from(&app, HOME), PASSWORD)
        .await
        .expect(200);
    sign_in(&client_from(&app, OFFICE), PASSWORD)
        .await
        .expect(200);
    assert_eq!(sign_in_under_attack(&app, HOME, PASSWORD).await, 200);
    assert_eq!(
        sign_in_under_attack(&app, "2001:db8:1:2:3::9", PASSWORD).await,
        200
    );
    assert_eq!(sign_in_under_attack(&app, "192.0.2.1", PASSWORD).await, 429);
    for address in [HOME, "2001:db8:1:2", "198.51.100"] {
        let is_stored = app.contains_text_outside("audit_events", address).await;
        assert!(!is_stored, "{address} is stored outside of the audit trail");
    }
}

#[tokio::test]
async fn a_failed_sign_in_makes_no_network_known() {
    let (app, ..) = team_with_bia().await;
    sign_in(&client_from(&app, HOME), "errada")
        .await
        .expect(401);
    let unknown = json!({ "email": "ze@equipe.test", "password": PASSWORD });
    let path = "/auth/v1/token?grant_type=password";
    client_from(&app, HOME)
        .post(path, unknown)
        .await
        .expect(401);
    assert_eq!(app.count_rows("known_networks").await, 0);
    assert_eq!(sign_in_under_attack(&app, HOME, PASSWORD).await, 429);
}

#[tokio::test]
async fn the_twenty_last_networks_are_kept_for_ninety_days() {
    let (app, ..) = team_with_bia().await;
    let mut session = json!(null);
    for n in 0..21 {
        app.advance_clock(1);
        let network = client_from(&app, &format!("198.51.100.{n}"));
        session = sign_in(&network, PASSWORD).await.expect(200).body;
    }
    assert_eq!(app.count_rows("known_networks").await, 20);
    assert_eq!(
        sign_in_under_attack(&app, "198.51.100.0", PASSWORD).await,
        429
    );
    assert_eq!(
        sign_in_under_attack(&app, "198.51.100.1", PASSWORD).await,
        200
    );

    // Renewing a session from a known network resets the retention period of that network.
    for _ in 0..4 {
        app.advance_clock(20 * DAY);
        let body = json!({ "refresh_token": session["refresh_token"] });
        session = client_from(&app, "198.51.100.20")
            .post("/auth/v1/token?grant_type=refresh_token", body)
            .await
            .expect(200)
            .body;
    }
    app.advance_clock(10 * DAY);
    assert_eq!(
        sign_in_under_attack(&app, "198.51.100.2", PASSWORD).await,
        429
    );
    assert_eq!(
        sign_in_under_attack(&app, "198.51.100.20", PASSWORD).await,
        200
    );
    let services = &app.app.gateway.services;
    let tx = services.db.begin().await.expect("begins");
    accounts::delete_expired(&tx.conn(), app.now())
        .await
        .expect("sweeps");
    tx.commit().await.expect("commits");
    assert_eq!(app.count_rows("known_networks").await, 1);
}

#[tokio::test]
async fn renewing_a_session_elsewhere_makes_no_network_known() {
    let (app, ..) = team_with_bia().await;
    let session = sign_in(&client_from(&app, HOME), PASSWORD)
        .await
        .expect(200)
        .body;
    refresh_session(&app, &session["refresh_token"])
        .await
        .expect(200);
    let again = json!({ "refresh_token": session["refresh_token"] });
    client_from(&app, OFFICE)
        .post("/auth/v1/token?grant_type=refresh_token", again)
        .await
        .expect(200);
    assert_eq!(app.count_rows("known_networks").await, 1);
}

#[tokio::test]
async fn a_new_password_forgets_every_network_except_that_of_its_request() {
    let (app, ..) = team_with_bia().await;
    sign_in(&client_from(&app, OFFICE), PASSWORD)
        .await
        .expect(200);
    let session = sign_in(&client_from(&app, HOME), PASSWORD)
        .await
        .expect(200)
        .body;
    let body = json!({ "password": BETTER, "current_password": PASSWORD });
    let home = session_client(&app, &session).with_address(HOME);
    home.put("/auth/v1/user", body).await.expect(200);
    assert_eq!(sign_in_under_attack(&app, OFFICE, BETTER).await, 429);
    assert_eq!(sign_in_under_attack(&app, HOME, BETTER).await, 200);
}

#[tokio::test]
async fn a_reset_and_offboarding_forget_every_network() {
    let (app, admin, bia) = team_with_bia().await;
    sign_in(&client_from(&app, HOME), PASSWORD)
        .await
        .expect(200);
    let path = format!("/api/membros/{}", bia["id"].as_str().expect("an id"));
    let reset = json!({ "senha": BETTER });
    admin
        .with_address(OFFICE)
        .post(&format!("{path}/senha"), reset)
        .await
        .expect(200);
    assert_eq!(app.count_rows("known_networks").await, 0);
    sign_in(&client_from(&app, HOME), BETTER).await.expect(200);
    assert_eq!(app.count_rows("known_networks").await, 1);
    admin.delete(&path).await.expect(200);
    assert_eq!(app.count_rows("known_networks").await, 0);
    let (_, token) = crate::sign_in::invite_person(&admin, "bia@equipe.test").await;
    redeem_invitation(&app, &token, PASSWORD).await.expect(200);
    assert_eq!(sign_in_under_attack(&app, HOME, PASSWORD).await, 429);
}
