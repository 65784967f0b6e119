//! Each session has exactly one unused refresh token, even if renewals are repeated or concurrent.

use domain::time::SECOND;
use futures::future::join_all;
use serde_json::Value;

use super::sign_in;
use crate::{
    sign_in::{PASSWORD, refresh_session, session_client, team_with_bia},
    support::TestApp,
};

async fn renew_session(app: &TestApp, token: &Value) -> Value {
    refresh_session(app, token).await.expect(200).body["refresh_token"].clone()
}

async fn first_refresh_token(app: &TestApp) -> Value {
    let session = sign_in(&app.anonymous(), PASSWORD).await.expect(200).body;
    session["refresh_token"].clone()
}

async fn count_unused_tokens(app: &TestApp) -> i64 {
    // Leaves out the refresh token of the session that the invitation opened.
    app.count_rows("refresh_tokens WHERE used_at IS NULL").await - 1
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_simultaneous_renewals_on_two_instances_have_one_successor() {
    let (app, ..) = team_with_bia().await;
    let other = app.second_instance().await;
    let token = first_refresh_token(&app).await;
    let tries = (0..16).map(|n| renew_session(if n % 2 == 0 { &app } else { &other }, &token));
    let successors = join_all(tries).await;
    assert!(
        successors
            .iter()
            .all(|successor| *successor == successors[0])
    );
    assert_ne!(successors[0], token);
    assert_eq!(count_unused_tokens(&app).await, 1);
    assert!(
        !app.contains_text(successors[0].as_str().expect("text"))
            .await
    );
}

#[tokio::test]
async fn within_the_grace_period_a_used_token_returns_the_unused_successor() {
    let (app, ..) = team_with_bia().await;
    let first = first_refresh_token(&app).await;
    let second = renew_session(&app, &first).await;
    app.advance_clock(5 * SECOND);
    let third = renew_session(&app, &second).await;
    assert_eq!(renew_session(&app, &first).await, third);
    assert_eq!(renew_session(&app, &second).await, third);
    assert_eq!(count_unused_tokens(&app).await, 1);
    app.advance_clock(5 * SECOND + 1);
    // The grace period of the second token has not ended yet; the grace period of the first has
    // ended.
    assert_eq!(renew_session(&app, &second).await, third);
    refresh_session(&app, &first)
        .await
        .expect_refusal(401, "UNAUTHENTICATED");
    refresh_session(&app, &third)
        .await
        .expect_refusal(401, "UNAUTHENTICATED");
}

#[tokio::test]
async fn a_repeated_renewal_does_not_extend_the_validity_of_the_successor() {
    let (app, ..) = team_with_bia().await;
    let first = first_refresh_token(&app).await;
    let second = renew_session(&app, &first).await;
    app.advance_clock(10 * SECOND);
    assert_eq!(renew_session(&app, &first).await, second);
    app.advance_clock(30 * domain::time::DAY - 10 * SECOND);
    refresh_session(&app, &second)
        .await
        .expect_refusal(401, "UNAUTHENTICATED");
}

#[tokio::test]
async fn a_token_that_an_earlier_version_renewed_starts_no_second_chain() {
    let (app, ..) = team_with_bia().await;
    let first = first_refresh_token(&app).await;
    let second = renew_session(&app, &first).await;
    // Simulates a successor with a random token, as earlier versions created it.
    let drawn = domain::random_text::<32>();
    let sql = "UPDATE refresh_tokens SET token_sha256 = $1 WHERE token_sha256 = $2";
    let hash = |text: &str| domain::sha256_hex(text.as_bytes());
    let values = [hash(&drawn), hash(second.as_str().expect("text"))];
    app.execute_statement(sql, values).await;
    refresh_session(&app, &first)
        .await
        .expect_refusal(401, "UNAUTHENTICATED");
    assert_eq!(count_unused_tokens(&app).await, 1);
    let session = refresh_session(&app, &drawn.into()).await.expect(200).body;
    session_client(&app, &session)
        .get("/api/me")
        .await
        .expect(200);
}
