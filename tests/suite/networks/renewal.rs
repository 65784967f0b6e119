//! Tokens are renewed before they expire and only once. Only a refused grant ends a connection.

use domain::time::{DAY, HOUR, MINUTE, SECOND};
use serde_json::json;
use tokio::task::JoinSet;

use super::{Call, Fault, Stage, connections};

#[tokio::test]
async fn many_callers_at_two_instances_use_a_refresh_token_once() {
    let stage = Stage::new().await;
    let second = stage.app.second_instance().await;
    for round in 1..=5 {
        if round == 1 {
            stage.connect_account("shortvideo").await.expect(200);
        }
        stage.app.advance_clock(DAY);
        stage.networks.hold_renewals(true);
        let mut callers = JoinSet::new();
        for number in 0..40 {
            let app = if number % 2 == 0 { &stage.app } else { &second };
            let connections = connections(app).clone();
            callers.spawn(async move {
                let token = connections.access_token("shortvideo").await;
                token.expect("a token").token
            });
        }
        stage
            .networks
            .wait_for_calls("shortvideo", Call::Renew, round)
            .await;
        stage.networks.hold_renewals(false);
        let tokens = callers.join_all().await;
        assert_eq!(stage.networks.count_calls("shortvideo", Call::Renew), round);
        assert!(tokens.iter().all(|token| *token == tokens[0]));
        assert!(stage.networks.valid_access_tokens().contains(&tokens[0]));
    }
    assert_eq!(stage.networks.count_reused_tokens(), 0);
}

#[tokio::test]
async fn the_job_renews_before_expiry_on_one_instance() {
    let stage = Stage::new().await;
    for network in super::NETWORKS {
        stage.connect_account(network).await.expect(200);
    }
    let second = stage.app.second_instance().await;
    let renewed = |network| stage.networks.count_calls(network, Call::Renew);
    for (passed, counts) in [
        (30 * MINUTE, [0, 0, 0, 0]),
        (15 * MINUTE, [0, 0, 1, 0]),
        (18 * HOUR, [1, 0, 2, 0]),
        (45 * DAY, [2, 1, 3, 0]),
    ] {
        stage.app.advance_clock(passed);
        let both = [&stage.app, &second].map(|app| connections(app).renew_due());
        for done in futures::future::join_all(both).await {
            done.expect("renews");
        }
        assert_eq!(super::NETWORKS.map(renewed), counts, "after {passed}");
    }
    assert_eq!(stage.networks.count_reused_tokens(), 0);
    // Without a refresh token, the account expires with its access token.
    stage.app.advance_clock(15 * DAY);
    assert_eq!(
        stage
            .app
            .session_client(&stage.member)
            .await
            .get("/oauth/_accounts")
            .await
            .expect(200)
            .body["accounts"][1]["status"],
        "expired"
    );
}

#[tokio::test]
async fn the_worker_runs_the_renewal_job_by_itself() {
    let stage = Stage::new().await;
    stage.connect_account("youtube").await.expect(200);
    stage.app.advance_clock(50 * MINUTE);
    let mut worker = stage.app.app.worker();
    worker.drain().await.expect("runs");
    assert_eq!(stage.networks.count_calls("youtube", Call::Renew), 1);
}

#[tokio::test]
async fn a_failure_changes_only_the_time_of_the_next_attempt() {
    let json = "application/json";
    for fault in [
        Fault::Answer(500, json, r#"{"error":"invalid_grant"}"#.into()),
        Fault::Answer(503, "text/html", "<p>invalid_grant</p>".into()),
        Fault::Answer(429, json, r#"{"error":"invalid_grant"}"#.into()),
        Fault::Answer(400, json, r#"{"error":"invalid_request"}"#.into()),
        Fault::Answer(401, json, r#"{"error":"invalid_client"}"#.into()),
        Fault::Answer(200, json, r#"{"error":"internal_error"}"#.into()),
        Fault::Answer(200, "text/html", "<html>".into()),
        Fault::Answer(200, json, "{}".into()),
        Fault::Redirect("http://10.0.0.1/".into()),
        Fault::Silent,
    ] {
        let stage = Stage::with_more_settings([("PAUTA_NETWORK_TIMEOUT", "1".into())]).await;
        stage.connect_account("shortvideo").await.expect(200);
        stage.app.advance_clock(DAY);
        stage.networks.fail_next(Call::Renew, fault.clone());
        let refused = stage.connections().access_token("shortvideo").await;
        let refused = refused.err().expect("refused");
        assert_eq!(refused.code.as_str(), "PROVIDER_FAILED", "{fault:?}");
        assert_eq!(refused.retry_after_seconds(), Some(15), "{fault:?}");
        let session = stage.app.session_client(&stage.member).await;
        let listed = session.get("/oauth/_accounts").await.expect(200).body;
        assert_eq!(listed["accounts"][0]["status"], "active", "{fault:?}");
        assert!(
            listed["accounts"][0]["last_error"].as_str().is_some(),
            "{fault:?}"
        );
        // Until the next attempt is due, calls do not send requests to the network.
        let refused = stage.connections().access_token("shortvideo").await;
        assert!(refused.is_err());
        assert_eq!(
            stage.networks.count_calls("shortvideo", Call::Renew),
            1,
            "{fault:?}"
        );
        stage.app.advance_clock(15 * SECOND);
        let token = stage.connections().access_token("shortvideo").await;
        let token = token.expect("renewed").token;
        assert!(stage.networks.valid_access_tokens().contains(&token));
        let listed = session.get("/oauth/_accounts").await.expect(200).body;
        assert!(listed["accounts"][0].get("last_error").is_none());
    }
}

#[tokio::test]
async fn a_network_that_asks_to_wait_is_not_called_before_that_time() {
    let stage = Stage::new().await;
    stage.connect_account("shortvideo").await.expect(200);
    stage.app.advance_clock(DAY);
    for (attempt, pause) in [(1, 15), (2, 30), (3, 60), (4, 120)] {
        let wrong = Fault::Answer(500, "application/json", "{}".into());
        stage.networks.fail_next(Call::Renew, wrong);
        let refused = stage.connections().access_token("shortvideo").await;
        assert_eq!(
            refused.err().expect("refused").retry_after_seconds(),
            Some(pause)
        );
        assert_eq!(
            stage.networks.count_calls("shortvideo", Call::Renew),
            attempt
        );
        stage
            .app
            .advance_clock(i64::try_from(pause).expect("seconds") * SECOND);
    }
    stage
        .connections()
        .access_token("shortvideo")
        .await
        .expect("renewed");
}

#[tokio::test]
async fn only_a_refused_grant_ends_a_connection() {
    for (network, fault) in [
        (
            "shortvideo",
            r#"{"error":"invalid_grant","error_description":"x","log_id":"1"}"#,
        ),
        ("youtube", r#"{"error":"invalid_grant"}"#),
        (
            "instagram",
            r#"{"error":{"message":"x","type":"OAuthException","code":190}}"#,
        ),
        ("linkedin", r#"{"error":"invalid_grant"}"#),
    ] {
        let stage = Stage::new().await;
        stage.networks.approve_application();
        stage.connect_account(network).await.expect(200);
        // TikTok returns a refused grant with status 200.
        let status = if network == "shortvideo" { 200 } else { 400 };
        stage
            .app
            .advance_clock(59 * DAY + 23 * HOUR + 59 * MINUTE + 30 * SECOND);
        let refusal = Fault::Answer(status, "application/json", fault.into());
        stage.networks.fail_next(Call::Renew, refusal);
        let refused = stage.connections().access_token(network).await;
        let refused = refused.err().expect("refused");
        assert_eq!(refused.status(), 404, "{network}");
        let next = refused.body().details.expect("details")["next"].clone();
        assert!(next.as_str().expect("text").contains("expirou"), "{next}");
        let session = stage.app.session_client(&stage.member).await;
        let listed = session.get("/oauth/_accounts").await.expect(200).body;
        assert_eq!(listed["accounts"][0]["status"], "expired", "{network}");
        let page = session
            .get(&format!("/oauth/{network}/status"))
            .await
            .expect(200);
        assert!(page.text.contains("expirado"), "{}", page.text);
        // After a new connection, access tokens are available again.
        super::connect_account(&stage.app, &stage.networks, &session, network)
            .await
            .expect(200);
        stage
            .connections()
            .access_token(network)
            .await
            .expect("a token");
    }
}

#[tokio::test]
async fn a_disconnection_during_a_renewal_wins() {
    let stage = Stage::new().await;
    stage.connect_account("shortvideo").await.expect(200);
    stage.app.advance_clock(18 * HOUR);
    stage.networks.hold_renewals(true);
    let renewing = {
        let connections = stage.connections().clone();
        tokio::spawn(async move { connections.renew_due().await })
    };
    stage
        .networks
        .wait_for_calls("shortvideo", Call::Renew, 1)
        .await;
    let session = stage.app.session_client(&stage.member).await;
    let gone = session
        .post("/oauth/shortvideo/disconnect", json!({}))
        .await;
    gone.expect(200);
    stage.networks.hold_renewals(false);
    renewing.await.expect("no panic").expect("the renewal ends");
    let listed = session.get("/oauth/_accounts").await.expect(200).body;
    assert_eq!(listed["accounts"][0]["status"], "revoked");
    assert!(
        stage
            .connections()
            .access_token("shortvideo")
            .await
            .is_err()
    );
    // The tokens that the late renewal returned were revoked.
    assert!(stage.networks.valid_access_tokens().is_empty());
}

#[tokio::test]
async fn a_reconnection_during_a_renewal_wins() {
    let stage = Stage::new().await;
    stage.networks.approve_application();
    stage.connect_account("linkedin").await.expect(200);
    stage.app.advance_clock(50 * DAY);
    stage.networks.hold_renewals(true);
    let renewing = {
        let connections = stage.connections().clone();
        tokio::spawn(async move { connections.renew_due().await })
    };
    stage
        .networks
        .wait_for_calls("linkedin", Call::Renew, 1)
        .await;
    let session = stage.app.session_client(&stage.member).await;
    super::connect_account(&stage.app, &stage.networks, &session, "linkedin")
        .await
        .expect(200);
    let connected = stage
        .connections()
        .access_token("linkedin")
        .await
        .expect("a token");
    stage.networks.hold_renewals(false);
    renewing.await.expect("no panic").expect("the renewal ends");
    let after = stage
        .connections()
        .access_token("linkedin")
        .await
        .expect("a token");
    assert!(after.token == connected.token && after.version == connected.version);
}

#[tokio::test]
async fn the_claim_of_a_dead_process_expires_and_the_tokens_are_kept() {
    let stage = Stage::new().await;
    stage.connect_account("youtube").await.expect(200);
    stage.app.advance_clock(HOUR);
    let (tx, now) = (stage.app.begin().await, stage.app.now());
    let dead = store::connections::Renewal {
        provider: "youtube",
        id: "morto",
    };
    let claimed =
        store::connections::claim_renewal(&tx.conn(), &dead, 1, now, now + 2 * MINUTE).await;
    assert!(claimed.expect("writes"));
    tx.commit().await.expect("commits");
    stage
        .connections()
        .renew_due()
        .await
        .expect("a claimed renewal is skipped");
    assert_eq!(stage.networks.count_calls("youtube", Call::Renew), 0);
    stage.app.advance_clock(2 * MINUTE);
    stage
        .connections()
        .access_token("youtube")
        .await
        .expect("renewed");
    assert_eq!(stage.networks.count_calls("youtube", Call::Renew), 1);
}

#[tokio::test]
async fn a_caller_who_disconnects_does_not_lose_the_new_tokens() {
    let stage = Stage::new().await;
    stage.connect_account("shortvideo").await.expect(200);
    stage.app.advance_clock(DAY);
    stage.networks.hold_renewals(true);
    let caller = {
        let connections = stage.connections().clone();
        tokio::spawn(async move { connections.access_token("shortvideo").await.map(drop) })
    };
    stage
        .networks
        .wait_for_calls("shortvideo", Call::Renew, 1)
        .await;
    caller.abort();
    assert!(
        caller
            .await
            .expect_err("the call was aborted")
            .is_cancelled()
    );
    stage.networks.hold_renewals(false);
    let token = stage
        .connections()
        .access_token("shortvideo")
        .await
        .expect("a token");
    assert!(stage.networks.valid_access_tokens().contains(&token.token));
    assert_eq!(stage.networks.count_calls("shortvideo", Call::Renew), 1);
    assert_eq!(stage.networks.count_reused_tokens(), 0);
}

#[tokio::test]
async fn a_token_that_the_network_refuses_is_renewed_once() {
    let stage = Stage::new().await;
    stage.connect_account("shortvideo").await.expect(200);
    let first = stage
        .connections()
        .access_token("shortvideo")
        .await
        .expect("a token");
    let newer = stage
        .connections()
        .access_token_newer_than("shortvideo", first.version)
        .await;
    let newer = newer.expect("a newer one");
    assert_ne!(newer.token, first.token);
    let again = stage
        .connections()
        .access_token_newer_than("shortvideo", first.version)
        .await;
    assert_eq!(again.expect("the same token").token, newer.token);
    assert_eq!(stage.networks.count_calls("shortvideo", Call::Renew), 1);
}
