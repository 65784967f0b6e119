//! Forged and invalid sessions.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use domain::Role;
use serde_json::{Value, json};

use super::{
    ME,
    double::{Issuer, LEGACY_SECRET, Signer, legacy_session, sign_with_hmac, unsigned_token},
    service_with_oidc, session_client,
};
use crate::support::TestApp;

async fn assert_session_refused(app: &TestApp, what: &str, token: String) {
    let answer = app.bearer(token).get(ME).await;
    assert_eq!(
        (answer.status, answer.error_code()),
        (401, "UNAUTHENTICATED"),
        "{what}: {}",
        answer.text
    );
}

/// Returns the claims with one claim replaced.
fn with_claim(claims: &Value, name: &str, value: Value) -> Value {
    let mut claims = claims.clone();
    claims[name] = value;
    claims
}

fn without_claim(claims: &Value, name: &str) -> Value {
    let mut claims = claims.clone();
    claims.as_object_mut().expect("an object").remove(name);
    claims
}

#[tokio::test]
async fn the_key_decides_the_algorithm_and_the_token_never_does() {
    let (app, issuer) = service_with_oidc().await;
    let (first, rsa) = (Signer::first_key(), Signer::rsa_key());
    let short = Signer::short_rsa_key();
    issuer.set_signers(&[
        first.clone(),
        Signer::second_key(),
        rsa.clone(),
        short.clone(),
    ]);
    let member = app.add_member(Role::Criador).await;
    let claims = issuer.oidc_claims("ana", &member.email, app.now());
    session_client(&app, &claims).get(ME).await.expect(200);

    let none = json!({ "alg": "none", "typ": "JWT", "kid": first.kid });
    assert_session_refused(
        &app,
        "no signature",
        format!("{}.", unsigned_token(&none, &claims)),
    )
    .await;
    let lower = json!({ "alg": "nOnE", "kid": first.kid });
    assert_session_refused(
        &app,
        "no signature",
        format!("{}.", unsigned_token(&lower, &claims)),
    )
    .await;
    for key in [&first, &rsa] {
        let jwk = key.public_jwk();
        let header = json!({ "alg": "HS256", "typ": "JWT", "kid": key.kid });
        let halves = [&jwk["x"], &jwk["n"]].map(|half| half.as_str().unwrap_or("-").to_owned());
        for secret in [jwk.to_string(), halves[0].clone(), halves[1].clone()] {
            let token = sign_with_hmac(&header, &claims, secret.as_bytes());
            assert_session_refused(&app, "the public key as the secret", token).await;
            let raw = URL_SAFE_NO_PAD.decode(&secret).unwrap_or_default();
            assert_session_refused(&app, "its bytes", sign_with_hmac(&header, &claims, &raw)).await;
        }
        let no_kid = json!({ "alg": "HS256", "typ": "JWT" });
        let token = sign_with_hmac(&no_kid, &claims, jwk.to_string().as_bytes());
        assert_session_refused(&app, "the same without an id", token).await;
    }
    let other = Signer::second_key().with_kid(first.kid);
    assert_session_refused(&app, "the id of another key", other.sign_claims(&claims)).await;
    let other = first.clone().with_kid(rsa.kid);
    assert_session_refused(
        &app,
        "the id of a key of another kind",
        other.sign_claims(&claims),
    )
    .await;
    assert_session_refused(&app, "a key that is too short", short.sign_claims(&claims)).await;
    for kid in [
        "",
        "../certs",
        "primeira\u{0}",
        "primeira/../primeira",
        "http://x/y",
    ] {
        let token = first.sign_with_header(|header| header.kid = Some(kid.into()), &claims);
        assert_session_refused(&app, kid, token).await;
    }
    let no_kid = first.sign_with_header(|header| header.kid = None, &claims);
    assert_session_refused(&app, "no id", no_kid).await;
    let embedded = first.public_jwk();
    let own = Signer::ed25519_key().sign_with_header(
        |header| {
            header.jku = Some("http://127.0.0.1:9/keys".into());
            header.jwk = serde_json::from_value(embedded).ok();
        },
        &claims,
    );
    assert_session_refused(&app, "a key that the token brings along", own).await;
    let logout = first.sign_with_header(|header| header.typ = Some("logout+jwt".into()), &claims);
    assert_session_refused(&app, "a logout token", logout).await;
    let access = first.sign_with_header(|header| header.typ = Some("at+JWT".into()), &claims);
    app.bearer(access).get(ME).await.expect(200);
    let extended = json!({ "alg": "ES256", "kid": first.kid, "crit": ["exp"] });
    assert_session_refused(
        &app,
        "an extension",
        format!("{}.AA", unsigned_token(&extended, &claims)),
    )
    .await;

    let token = first.sign_claims(&claims);
    let (text, signature) = token.rsplit_once('.').expect("a token of three parts");
    for broken in [
        format!("{text}."),
        format!("{text}.{}", signature.to_lowercase()),
        format!("{token}.{signature}"),
        text.to_owned(),
        format!("{token}A"),
    ] {
        assert_session_refused(&app, "a broken signature", broken).await;
    }
}

#[tokio::test]
async fn signing_keys_of_every_kind_are_used_and_encryption_keys_are_not() {
    let (app, issuer) = service_with_oidc().await;
    let member = app.add_member(Role::Criador).await;
    let claims = issuer.oidc_claims("ana", &member.email, app.now());
    let (mut enc, mut oct) = (
        Signer::second_key().public_jwk(),
        json!({ "kty": "oct", "kid": "oct" }),
    );
    enc["use"] = "enc".into();
    oct["k"] = URL_SAFE_NO_PAD.encode(LEGACY_SECRET).into();
    let strange = json!({ "kty": "AKP", "alg": "ML-DSA-44", "kid": "nova", "pub": "AA" });
    let (mut rsa, ed) = (
        Signer::rsa_key().public_jwk(),
        Signer::ed25519_key().public_jwk(),
    );
    rsa.as_object_mut().expect("an object").remove("alg");
    let keys = vec![
        strange,
        oct,
        enc,
        rsa,
        ed,
        Signer::first_key().public_jwk(),
        json!(7),
    ];
    issuer.set_keys(keys);
    for signer in [
        Signer::rsa_key(),
        Signer::ed25519_key(),
        Signer::first_key(),
    ] {
        app.bearer(signer.sign_claims(&claims))
            .get(ME)
            .await
            .expect(200);
    }
    assert_session_refused(
        &app,
        "an encryption key",
        Signer::second_key().sign_claims(&claims),
    )
    .await;
    let header = json!({ "alg": "HS256", "kid": "oct" });
    let token = sign_with_hmac(&header, &claims, LEGACY_SECRET.as_bytes());
    assert_session_refused(&app, "a published secret", token).await;
    let other =
        Signer::rsa_key().sign_with_header(|h| h.alg = jsonwebtoken::Algorithm::PS256, &claims);
    assert_session_refused(&app, "another algorithm of the same key", other).await;
}

#[tokio::test]
async fn a_session_is_valid_only_for_its_issuer_audience_and_time() {
    let (app, issuer) = service_with_oidc().await;
    let member = app.add_member(Role::Criador).await;
    let claims = issuer.oidc_claims("ana", &member.email, app.now());
    session_client(&app, &claims).get(ME).await.expect(200);
    let now = app.now() / 1000;
    let slash = format!("{}/", issuer.oidc_issuer());
    for (what, claims) in [
        (
            "another issuer",
            with_claim(&claims, "iss", issuer.supabase_issuer().into()),
        ),
        ("a slash more", with_claim(&claims, "iss", slash.into())),
        (
            "two issuers",
            with_claim(&claims, "iss", json!([issuer.oidc_issuer(), "x"])),
        ),
        ("no issuer", without_claim(&claims, "iss")),
        (
            "another audience",
            with_claim(&claims, "aud", "outra".into()),
        ),
        (
            "part of the audience",
            with_claim(&claims, "aud", "paut".into()),
        ),
        ("no audience", without_claim(&claims, "aud")),
        ("an empty audience", with_claim(&claims, "aud", json!([]))),
        ("no subject", without_claim(&claims, "sub")),
        ("an empty subject", with_claim(&claims, "sub", "".into())),
        (
            "a subject that is a number",
            with_claim(&claims, "sub", 7.into()),
        ),
        ("no end", without_claim(&claims, "exp")),
        (
            "an end in words",
            with_claim(&claims, "exp", "amanhã".into()),
        ),
        ("no beginning", without_claim(&claims, "iat")),
        (
            "from the future",
            with_claim(&claims, "iat", (now + 120).into()),
        ),
        ("not yet", with_claim(&claims, "nbf", (now + 120).into())),
    ] {
        let token = Signer::first_key().sign_claims(&claims);
        assert_session_refused(&app, what, token).await;
    }
    for claims in [
        with_claim(&claims, "nbf", (now + 30).into()),
        with_claim(&claims, "exp", (now - 30).into()),
        with_claim(&claims, "iat", json!(now as f64 + 0.5)),
    ] {
        session_client(&app, &claims).get(ME).await.expect(200);
    }
    for seconds in [60, 3600] {
        let expired = with_claim(&claims, "exp", (now - seconds).into());
        let answer = session_client(&app, &expired).get(ME).await;
        answer.expect_refusal(401, "TOKEN_EXPIRED");
    }
    let stranger = with_claim(
        &with_claim(&claims, "sub", "ze".into()),
        "exp",
        (now - 60).into(),
    );
    let answer = session_client(&app, &stranger).get(ME).await;
    answer.expect_refusal(401, "TOKEN_EXPIRED");
}

#[tokio::test]
async fn supabase_sessions_need_a_signed_in_person() {
    let issuer = Issuer::new().await;
    let app = TestApp::with_settings(issuer.supabase_settings()).await;
    let member = app.add_member(Role::Criador).await;
    let mut claims = issuer.session_claims("ana", &member.email, app.now());
    claims["email_verified"] = true.into();
    session_client(&app, &claims).get(ME).await.expect(200);
    for (what, claims) in [
        (
            "an anonymous person",
            with_claim(&claims, "is_anonymous", true.into()),
        ),
        (
            "perhaps one",
            with_claim(&claims, "is_anonymous", "false".into()),
        ),
        (
            "a service key",
            with_claim(&claims, "role", "service_role".into()),
        ),
        ("no role", without_claim(&claims, "role")),
        (
            "another audience",
            with_claim(&claims, "aud", "pauta".into()),
        ),
    ] {
        assert_session_refused(&app, what, Signer::first_key().sign_claims(&claims)).await;
    }
    let claims = without_claim(&claims, "is_anonymous");
    session_client(&app, &claims).get(ME).await.expect(200);
    assert_session_refused(
        &app,
        "the old secret, which is not configured",
        legacy_session(&claims),
    )
    .await;
}

#[tokio::test]
async fn the_old_secret_verifies_only_sessions_that_name_no_published_key() {
    let issuer = Issuer::new().await;
    let mut settings = issuer.supabase_settings();
    settings.push(("PAUTA_IDENTITY_HS256_SECRET", LEGACY_SECRET.into()));
    let app = TestApp::with_settings(settings).await;
    let member = app.add_member(Role::Criador).await;
    let mut claims = issuer.session_claims("ana", &member.email, app.now());
    claims["email_verified"] = true.into();
    app.bearer(legacy_session(&claims))
        .get(ME)
        .await
        .expect(200);
    assert_eq!(
        issuer.count_key_fetches(),
        0,
        "a symmetric key must not cause a fetch"
    );
    let no_kid = json!({ "alg": "HS256" });
    let token = sign_with_hmac(&no_kid, &claims, LEGACY_SECRET.as_bytes());
    app.bearer(token).get(ME).await.expect(200);

    session_client(&app, &claims).get(ME).await.expect(200);
    let kid = Signer::first_key().kid;
    let pinned = json!({ "alg": "HS256", "kid": kid });
    let token = sign_with_hmac(&pinned, &claims, LEGACY_SECRET.as_bytes());
    assert_session_refused(&app, "the id of a published key", token).await;
    let wrong = sign_with_hmac(&no_kid, &claims, b"another secret, which is also long");
    assert_session_refused(&app, "another secret", wrong).await;
    let header = json!({ "alg": "HS512" });
    let token = sign_with_hmac(&header, &claims, LEGACY_SECRET.as_bytes());
    assert_session_refused(&app, "another algorithm", token).await;
}

#[tokio::test]
async fn sessions_of_the_embedded_identity_are_refused_with_an_issuer() {
    let (app, _) = service_with_oidc().await;
    let member = app.add_member(Role::Admin).await;
    let embedded = app.session_client(&member).await;
    embedded
        .get(ME)
        .await
        .expect_refusal(401, "UNAUTHENTICATED");
    app.token_client(&member).await.get(ME).await.expect(200);
}
