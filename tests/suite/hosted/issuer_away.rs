//! The issuer is unavailable. Sessions that were signed with cached keys are accepted; other
//! sessions get a provider error instead of 401.

use domain::{
    Role,
    time::{DAY, SECOND},
};

use super::{
    ME,
    double::{Fault, Issuer, Signer},
    service_with_short_timeout, session_client,
};

fn all_faults() -> Vec<Fault> {
    vec![
        Fault::Reset,
        Fault::Status(500),
        Fault::Status(503),
        Fault::Status(404),
        Fault::Page,
        Fault::Nonsense,
        Fault::Huge,
        Fault::Redirect("/auth/v1/.well-known/jwks.json".into()),
        Fault::Hang,
    ]
}

#[tokio::test]
async fn without_any_key_a_session_gets_a_provider_error_instead_of_401() {
    let issuer = Issuer::new().await;
    let app = service_with_short_timeout(issuer.oidc_settings()).await;
    let member = app.add_member(Role::Criador).await;
    let claims = issuer.oidc_claims("ana", &member.email, app.now());
    let client = session_client(&app, &claims);
    let agent = app.token_client(&member).await;
    for fault in all_faults() {
        issuer.set_fault("/realms", fault);
        app.advance_clock(10 * SECOND);
        let answer = client.get(ME).await.expect_refusal(500, "PROVIDER_FAILED");
        assert_eq!(answer.headers["retry-after"], "10");
        let fetched = issuer.count_key_fetches();
        // A second request within the minimum interval between fetches does not wait for the
        // issuer.
        let answer = client.get(ME).await;
        answer.expect_refusal(500, "PROVIDER_FAILED");
        assert_eq!(issuer.count_key_fetches(), fetched);
        agent.get(ME).await.expect(200);
    }
    issuer.set_fault("/realms", None);
    app.advance_clock(10 * SECOND);
    let mut claims = claims;
    claims["exp"] = (app.now() / 1000 + 100).into();
    session_client(&app, &claims).get(ME).await.expect(200);
}

#[tokio::test]
async fn cached_keys_are_used_while_the_issuer_is_unavailable() {
    let issuer = Issuer::new().await;
    let app = service_with_short_timeout(issuer.oidc_settings()).await;
    let member = app.add_member(Role::Criador).await;
    let mut claims = issuer.oidc_claims("ana", &member.email, app.now());
    claims["exp"] = (app.now() / 1000 + 1_000_000).into();
    let client = session_client(&app, &claims);
    client.get(ME).await.expect(200);
    for fault in all_faults() {
        issuer.set_fault("/certs", fault);
        app.advance_clock(DAY);
        for _ in 0..3 {
            client.get(ME).await.expect(200);
        }
    }
    // The issuer may have published an unknown key in the meantime.
    let unknown = app.bearer(Signer::second_key().sign_claims(&claims));
    unknown.get(ME).await.expect_refusal(500, "PROVIDER_FAILED");
    issuer.set_fault("/certs", None);
    issuer.set_signers(&[Signer::second_key()]);
    app.advance_clock(10 * SECOND);
    unknown.get(ME).await.expect(200);
    client.get(ME).await.expect_refusal(401, "UNAUTHENTICATED");
}
