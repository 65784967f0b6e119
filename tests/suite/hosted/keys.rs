//! The issuer's keys: rarely fetched, shared between requests, and updated after a rotation.

use domain::{
    Role,
    time::{DAY, SECOND},
};
use futures::future::join_all;
use serde_json::json;
use tokio::sync::watch;

use super::{
    ME,
    double::{Fault, Signer},
    service_with_oidc, session_client,
};

#[tokio::test]
async fn keys_are_fetched_once_and_again_after_they_expire() {
    let (app, issuer) = service_with_oidc().await;
    assert_eq!(issuer.count_key_fetches(), 0);
    let member = app.add_member(Role::Criador).await;
    let mut claims = issuer.oidc_claims("ana", &member.email, app.now());
    claims["exp"] = (app.now() / 1000 + 100_000).into();
    let client = session_client(&app, &claims);
    for _ in 0..20 {
        client.get(ME).await.expect(200);
    }
    assert_eq!(issuer.count_key_fetches(), 1);
    for (control, seconds) in [
        (Some("public, max-age=600"), 600),
        (Some("max-age=60"), 60),
        // The service waits at least ten seconds between two fetches.
        (Some("max-age=1"), 10),
        (Some("no-store"), 10),
        (None, 600),
        (Some("max-age=31536000"), 86_400),
    ] {
        // Keys are cached for at most a day.
        app.advance_clock(DAY);
        issuer.set_cache_control(control);
        client.get(ME).await;
        let fetched = issuer.count_key_fetches();
        app.advance_clock((seconds - 1) * SECOND);
        client.get(ME).await;
        assert_eq!(issuer.count_key_fetches(), fetched, "{control:?}");
        app.advance_clock(SECOND);
        client.get(ME).await;
        assert_eq!(issuer.count_key_fetches(), fetched + 1, "{control:?}");
    }
}

#[tokio::test]
async fn a_rotated_key_is_found_and_a_withdrawn_key_is_refused_after_the_cache_expires() {
    let (app, issuer) = service_with_oidc().await;
    let member = app.add_member(Role::Criador).await;
    let mut claims = issuer.oidc_claims("ana", &member.email, app.now());
    claims["exp"] = (app.now() / 1000 + 100_000).into();
    let (old, new) = (
        session_client(&app, &claims),
        app.bearer(Signer::second_key().sign_claims(&claims)),
    );
    old.get(ME).await.expect(200);
    new.get(ME).await.expect_refusal(401, "UNAUTHENTICATED");
    issuer.set_signers(&[Signer::second_key()]);
    app.advance_clock(10 * SECOND);
    new.get(ME).await.expect(200);
    old.get(ME).await.expect_refusal(401, "UNAUTHENTICATED");
    issuer.set_signers(&[Signer::first_key()]);
    app.advance_clock(600 * SECOND);
    new.get(ME).await.expect_refusal(401, "UNAUTHENTICATED");
    old.get(ME).await.expect(200);
}

#[tokio::test]
async fn unknown_keys_cause_one_fetch_per_interval() {
    let (app, issuer) = service_with_oidc().await;
    let member = app.add_member(Role::Criador).await;
    let claims = issuer.oidc_claims("ana", &member.email, app.now());
    let client = session_client(&app, &claims);
    client.get(ME).await.expect(200);
    let bad = || async {
        let tokens = (0..50).map(|n| {
            let kid = Some(format!("{n}"));
            let token = Signer::second_key().sign_with_header(|header| header.kid = kid, &claims);
            app.bearer(token)
        });
        let clients: Vec<_> = tokens.collect();
        let answers = join_all(clients.iter().map(|client| client.get(ME))).await;
        for answer in answers {
            answer.expect_refusal(401, "UNAUTHENTICATED");
        }
    };
    bad().await;
    assert_eq!(
        issuer.count_key_fetches(),
        1,
        "keys that were just fetched must not be fetched again"
    );
    for round in 2..5 {
        app.advance_clock(10 * SECOND);
        bad().await;
        assert_eq!(issuer.count_key_fetches(), round);
    }
    client.get(ME).await.expect(200);
}

#[tokio::test]
async fn simultaneous_callers_share_a_fetch_and_a_disconnect_does_not_end_it() {
    let (app, issuer) = service_with_oidc().await;
    let member = app.add_member(Role::Criador).await;
    let claims = issuer.oidc_claims("ana", &member.email, app.now());
    let (open, closed) = watch::channel(false);
    issuer.set_fault("/certs", Fault::Held(closed));
    let client = session_client(&app, &claims);
    // The caller that starts the fetch disconnects before it ends.
    let first = tokio::spawn({
        let client = client.clone();
        async move { client.get(ME).await }
    });
    issuer.wait_for_key_fetches(1).await;
    first.abort();
    assert!(first.await.is_err());
    let opened = async {
        tokio::task::yield_now().await;
        open.send(true).expect("the issuer holds the request");
    };
    let calls = join_all((0..20).map(|_| client.get(ME)));
    let (answers, ()) = futures::join!(calls, opened);
    for answer in answers {
        answer.expect(200);
    }
    assert_eq!(issuer.count_key_fetches(), 1);
}

#[tokio::test]
async fn discovery_must_name_the_configured_issuer_and_an_allowed_key_url() {
    let (app, issuer) = service_with_oidc().await;
    let member = app.add_member(Role::Criador).await;
    let claims = issuer.oidc_claims("ana", &member.email, app.now());
    let client = session_client(&app, &claims);
    for discovered in [
        json!({ "issuer": format!("{}/", issuer.oidc_issuer()) }),
        json!({ "issuer": issuer.supabase_issuer() }),
        json!({ "issuer": null }),
        json!({ "jwks_uri": "certs" }),
        json!({ "jwks_uri": "file:///etc/passwd" }),
        // These URLs are neither on the issuer's origin nor public.
        json!({ "jwks_uri": "http://169.254.169.254/latest/meta-data" }),
        json!({ "jwks_uri": "https://127.0.0.1:1/certs" }),
        json!({ "jwks_uri": "http://localhost:9/certs" }),
    ] {
        issuer.override_discovery(discovered.clone());
        app.advance_clock(10 * SECOND);
        let answer = client.get(ME).await;
        answer.expect_refusal(500, "PROVIDER_FAILED");
        assert_eq!(issuer.count_key_fetches(), 0, "{discovered}");
    }
    issuer.override_discovery(json!({}));
    app.advance_clock(10 * SECOND);
    client.get(ME).await.expect(200);
}

#[tokio::test]
async fn a_configured_key_url_is_used_without_discovery() {
    let issuer = super::double::Issuer::new().await;
    let mut settings = issuer.oidc_settings();
    let address = format!("{}/.well-known/jwks.json", issuer.supabase_issuer());
    settings.push(("PAUTA_IDENTITY_JWKS_URL", address));
    issuer.set_fault("/realms", Fault::Status(404));
    let app = crate::support::TestApp::with_settings(settings).await;
    let member = app.add_member(Role::Criador).await;
    let claims = issuer.oidc_claims("ana", &member.email, app.now());
    session_client(&app, &claims).get(ME).await.expect(200);
}
