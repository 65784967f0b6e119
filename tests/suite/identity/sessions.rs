//! Sessions that are refused although their signature is valid.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use domain::new_id;
use gateway::Keys;
use p256::{
    ecdsa::{Signature, SigningKey, signature::Signer},
    pkcs8::DecodePrivateKey,
};
use serde_json::{Value, json};
use store::accounts;

use super::sign_in;
use crate::{
    sign_in::{PASSWORD, team_with_bia},
    support::{SECRET, TestApp},
};

/// The header and claims of a genuine session and its signing key, to sign changed copies.
struct Forge {
    key: SigningKey,
    header: Value,
    claims: Value,
}

impl Forge {
    async fn from_session(app: &TestApp) -> Self {
        let rows = accounts::list_signing_keys(&app.app.gateway.services.db.reader()).await;
        let key = rows.expect("the keys")[0].clone();
        let keys = Keys::derive(SECRET.as_bytes(), &[]);
        let der = keys.open("session signing key", &key.kid, &key.sealed_private_key);
        let session = sign_in(&app.anonymous(), PASSWORD).await.expect(200).body;
        let mut parts = session["access_token"]
            .as_str()
            .expect("a token")
            .split('.')
            .map(|part| URL_SAFE_NO_PAD.decode(part).expect("base64"));
        let mut part = || serde_json::from_slice(&parts.next().expect("a part")).expect("JSON");
        Self {
            key: SigningKey::from_pkcs8_der(&der.expect("opens")).expect("a key"),
            header: part(),
            claims: part(),
        }
    }

    fn sign(&self, header: &Value, claims: &Value) -> String {
        let encode = |part: &Value| URL_SAFE_NO_PAD.encode(part.to_string());
        let message = format!("{}.{}", encode(header), encode(claims));
        let signature: Signature = self.key.sign(message.as_bytes());
        format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature.to_bytes()))
    }

    fn with_claim(&self, name: &str, value: Value) -> String {
        let mut claims = self.claims.clone();
        claims[name] = value;
        self.sign(&self.header, &claims)
    }

    fn without_claim(&self, name: &str) -> String {
        let mut claims = self.claims.clone();
        claims.as_object_mut().expect("an object").remove(name);
        self.sign(&self.header, &claims)
    }

    fn with_header(&self, name: &str, value: Value) -> String {
        let mut header = self.header.clone();
        header[name] = value;
        self.sign(&header, &self.claims)
    }
}

#[tokio::test]
async fn a_signed_session_with_contents_that_the_service_never_writes_is_refused() {
    let (app, _, bia) = team_with_bia().await;
    let forge = Forge::from_session(&app).await;
    let as_signed = forge.sign(&forge.header, &forge.claims);
    app.bearer(as_signed).get("/api/me").await.expect(200);
    let now = forge.claims["iat"].as_i64().expect("seconds");
    let began = forge.with_claim("nbf", json!(now));
    app.bearer(began).get("/api/me").await.expect(200);

    let stranger = app.as_member(domain::Role::Admin).await;
    let payload = stranger.credential().split('.').nth(1).expect("claims");
    let foreign: Value =
        serde_json::from_slice(&URL_SAFE_NO_PAD.decode(payload).expect("base64")).expect("JSON");
    let forged = [
        ("nbf in an hour", forge.with_claim("nbf", json!(now + 3600))),
        ("nbf that is no number", forge.with_claim("nbf", json!("0"))),
        ("iat in an hour", forge.with_claim("iat", json!(now + 3600))),
        ("no session_id", forge.without_claim("session_id")),
        (
            "session_id null",
            forge.with_claim("session_id", json!(null)),
        ),
        (
            "session_id empty",
            forge.with_claim("session_id", json!("")),
        ),
        (
            "an unknown session_id",
            forge.with_claim("session_id", json!(new_id(app.now()))),
        ),
        (
            "somebody else's session_id",
            forge.with_claim("session_id", foreign["session_id"].clone()),
        ),
        (
            "an unknown person",
            forge.with_claim("sub", json!(new_id(app.now()))),
        ),
        (
            "another issuer",
            forge.with_claim("iss", json!("https://x.test")),
        ),
        ("another audience", forge.with_claim("aud", json!("anon"))),
        ("no issuer", forge.without_claim("iss")),
        ("no audience", forge.without_claim("aud")),
        ("no end", forge.without_claim("exp")),
        ("no beginning", forge.without_claim("iat")),
        ("crit", forge.with_header("crit", json!(["exp"]))),
        ("crit null", forge.with_header("crit", json!(null))),
        ("crit empty", forge.with_header("crit", json!([]))),
        (
            "crit with its extension",
            forge.sign(
                &json!({
                    "alg": "ES256", "kid": forge.header["kid"], "crit": ["b64"], "b64": false,
                }),
                &forge.claims,
            ),
        ),
        ("another key", forge.with_header("kid", json!("outra"))),
        (
            "another algorithm",
            forge.with_header("alg", json!("HS256")),
        ),
    ];
    for (what, session) in forged {
        let client = app.bearer(session);
        let answer = client.get("/api/me").await;
        assert_eq!(
            (answer.status, answer.error_code()),
            (401, "UNAUTHENTICATED"),
            "{what}: {}",
            answer.text
        );
        let answer = client.send_rpc("tools/list", json!({})).await;
        assert_eq!(answer.status, 401, "{what} over MCP");
    }
    let over = forge.with_claim("exp", json!(now - 61));
    let over = app.bearer(over).get("/api/me").await;
    over.expect_refusal(401, "TOKEN_EXPIRED");

    // A denial of a validly signed session names the member, so that the trail reveals a leaked
    // key.
    app.app.write_all_reads().await;
    let denied = format!(
        "audit_events WHERE action = 'get_me' AND outcome = 'denied' AND actor_member_id = '{}'",
        bia["id"].as_str().expect("an id")
    );
    assert_eq!(
        app.count_rows(&denied).await,
        2,
        "UNAUTHENTICATED, TOKEN_EXPIRED"
    );
}
