//! The issuer fails: sessions with known keys are checked, and other sessions are not called
//! invalid.

use domain::{
    Role,
    time::{DAY, SECOND},
};

use super::{
    ME,
    double::{Fault, Issuer, Signer},
    impatient, session,
};

fn faults() -> Vec<Fault> {
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
async fn without_any_key_a_session_is_not_called_false() {
    let issuer = Issuer::new().await;
    let app = impatient(issuer.oidc_settings()).await;
    let member = app.member(Role::Criador).await;
    let claims = issuer.oidc_claims("ana", &member.email, app.now());
    let client = session(&app, &claims);
    let agent = app.token(&member).await;
    for fault in faults() {
        issuer.fails("/realms", fault);
        app.pass(10 * SECOND);
        let answer = client.get(ME).await.refused(500, "PROVIDER_FAILED");
        assert_eq!(answer.headers["retry-after"], "10");
        let fetched = issuer.key_fetches();
        // Within the interval, no further request waits for the issuer.
        let answer = client.get(ME).await;
        answer.refused(500, "PROVIDER_FAILED");
        assert_eq!(issuer.key_fetches(), fetched);
        agent.get(ME).await.expect(200);
    }
    issuer.fails("/realms", None);
    app.pass(10 * SECOND);
    let mut claims = claims;
    claims["exp"] = (app.now() / 1000 + 100).into();
    session(&app, &claims).get(ME).await.expect(200);
}

#[tokio::test]
async fn known_keys_are_used_while_the_issuer_is_away() {
    let issuer = Issuer::new().await;
    let app = impatient(issuer.oidc_settings()).await;
    let member = app.member(Role::Criador).await;
    let mut claims = issuer.oidc_claims("ana", &member.email, app.now());
    claims["exp"] = (app.now() / 1000 + 1_000_000).into();
    let client = session(&app, &claims);
    client.get(ME).await.expect(200);
    for fault in faults() {
        issuer.fails("/certs", fault);
        app.pass(DAY);
        for _ in 0..3 {
            client.get(ME).await.expect(200);
        }
    }
    // An unknown key may be one that the issuer has published since.
    let unknown = app.bearer(Signer::second().sign(&claims));
    unknown.get(ME).await.refused(500, "PROVIDER_FAILED");
    issuer.fails("/certs", None);
    issuer.publishes(&[Signer::second()]);
    app.pass(10 * SECOND);
    unknown.get(ME).await.expect(200);
    client.get(ME).await.refused(401, "UNAUTHENTICATED");
}
