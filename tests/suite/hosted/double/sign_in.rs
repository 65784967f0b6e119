//! Sign-in: the page of the OpenID Connect issuer, which asks for no input, and the password grant
//! of Supabase Auth.
//!
//! <https://openid.net/specs/openid-connect-core-1_0.html#CodeFlowAuth>,
//! <https://github.com/supabase/auth>: `internal/api/token.go`

use std::{collections::BTreeMap, sync::Arc};

use axum::{
    body::Bytes,
    extract::State,
    http::{HeaderMap, StatusCode, Uri, header},
    response::{IntoResponse, Response},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use domain::{random_text, sha256_base64url};
use serde_json::{Value, json};

use super::{Issued, Issuer, REALM, Signer, json_response, lock};

/// The client id and secret of this service at the issuer.
const CLIENT: [&str; 2] = ["pauta-web", "segredo:do+cliente&1"];
/// The redirect URI of this service at the issuer.
const RETURN: &str = "http://127.0.0.1:8080/entrar/retorno";
/// The publishable key of a project at Supabase.
const APIKEY: &str = "sb_publishable_0123456789";

/// A code that the sign-in page issued.
pub struct Code {
    challenge: String,
    claims: Value,
}

impl Issuer {
    /// Settings that make this service a client of the OpenID Connect issuer.
    pub fn client_settings(&self) -> Vec<(&'static str, String)> {
        let mut settings = self.oidc_settings();
        settings.push(("PAUTA_IDENTITY_CLIENT_ID", CLIENT[0].into()));
        settings.push(("PAUTA_IDENTITY_CLIENT_SECRET", CLIENT[1].into()));
        settings
    }

    /// Settings for passwords that Supabase Auth checks.
    pub fn password_settings(&self) -> Vec<(&'static str, String)> {
        let mut settings = self.admin_settings();
        settings.push(("PAUTA_IDENTITY_PUBLISHABLE_KEY", APIKEY.into()));
        settings
    }

    /// Returns the claims of an ID token for this service.
    pub fn id_token_claims(&self, sub: &str, email: &str, now: i64) -> Value {
        let mut claims = self.oidc_claims(sub, email, now);
        claims["aud"] = CLIENT[0].into();
        claims["azp"] = CLIENT[0].into();
        claims
    }

    /// Sets the person who is signed in whenever a browser opens the sign-in page. If the claims
    /// contain a `nonce`, the ID token keeps it.
    pub fn set_signed_in(&self, claims: Value) {
        *lock(&self.state.signed_in) = claims;
    }

    /// Returns the e-mail of the signed-in person.
    pub fn signed_in_email(&self) -> Value {
        lock(&self.state.signed_in)["email"].clone()
    }

    /// Opens a URL of the issuer as a browser does; returns the URL to which the issuer redirects.
    pub async fn visit_issuer(&self, address: &str) -> String {
        let client = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .expect("a client");
        let response = client.get(address).send().await.expect("an answer");
        assert_eq!(response.status(), 302, "{:?}", response.text().await);
        let to = response.headers()[header::LOCATION].to_str();
        to.expect("an address").to_owned()
    }

    /// Sets the password of an account.
    pub fn set_password(&self, id: &str, password: &str) {
        let mut people = lock(&self.state.people);
        people.get_mut(id).expect("an account").password = Some(password.to_owned());
    }
}

type Fields = BTreeMap<String, String>;

fn parse_fields(encoded: &[u8]) -> Fields {
    form_urlencoded::parse(encoded).into_owned().collect()
}

fn query_fields(uri: &Uri) -> Fields {
    parse_fields(uri.query().unwrap_or_default().as_bytes())
}

pub(super) async fn serve_sign_in_page(State(issued): State<Arc<Issued>>, uri: Uri) -> Response {
    let asked = query_fields(&uri);
    let is = |name: &str, value: &str| asked.get(name).is_some_and(|given| given == value);
    let challenge = asked.get("code_challenge").cloned().unwrap_or_default();
    let scopes = asked.get("scope").map(String::as_str).unwrap_or_default();
    let known = is("client_id", CLIENT[0])
        && is("redirect_uri", RETURN)
        && is("response_type", "code")
        && is("code_challenge_method", "S256")
        && challenge.len() == 43
        && scopes.split(' ').any(|scope| scope == "openid");
    let (Some(state), Some(nonce), true) = (asked.get("state"), asked.get("nonce"), known) else {
        return json_response(400, &json!({ "error": "invalid_request" }));
    };
    let mut claims = lock(&issued.signed_in).clone();
    if claims["nonce"].is_null() {
        claims["nonce"] = nonce.as_str().into();
    }
    let code = random_text::<16>();
    lock(&issued.codes).insert(code.clone(), Code { challenge, claims });
    let issuer = format!("{}{REALM}", issued.base);
    let to = form_urlencoded::Serializer::new(String::new())
        .append_pair("code", &code)
        .append_pair("state", state)
        .append_pair("iss", &issuer)
        .append_pair("session_state", "0198c0de")
        .finish();
    (
        StatusCode::FOUND,
        [(header::LOCATION, format!("{RETURN}?{to}"))],
    )
        .into_response()
}

pub(super) async fn serve_token(
    State(issued): State<Arc<Issued>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let encoded =
        |text: &str| -> String { form_urlencoded::byte_serialize(text.as_bytes()).collect() };
    let credential = STANDARD.encode(CLIENT.map(encoded).join(":"));
    let given = headers.get(header::AUTHORIZATION);
    if given.is_none_or(|given| *given != format!("Basic {credential}")) {
        return json_response(401, &json!({ "error": "invalid_client" }));
    }
    let fields = parse_fields(&body);
    let field = |name: &str| fields.get(name).map(String::as_str).unwrap_or_default();
    let found = lock(&issued.codes).remove(field("code"));
    let challenge = sha256_base64url(field("code_verifier").as_bytes());
    let found = found.filter(|code| {
        field("grant_type") == "authorization_code"
            && field("redirect_uri") == RETURN
            && code.challenge == challenge
    });
    match found {
        Some(code) => json_response(
            200,
            &json!({
                "access_token": "opaco", "token_type": "Bearer", "expires_in": 300,
                "id_token": Signer::first_key().sign_claims(&code.claims),
            }),
        ),
        None => json_response(400, &json!({ "error": "invalid_grant" })),
    }
}

pub(super) async fn serve_password_grant(
    State(issued): State<Arc<Issued>>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let asked = query_fields(&uri);
    let refused = |status: u16, code: &str| {
        json_response(
            status,
            &json!({ "code": status, "error_code": code, "msg": "Invalid" }),
        )
    };
    if headers.get("apikey").is_none_or(|key| key != APIKEY) {
        return json_response(401, &json!({ "message": "No API key found in request" }));
    }
    if asked
        .get("grant_type")
        .is_none_or(|grant| grant != "password")
    {
        return refused(400, "unsupported_grant_type");
    }
    let Ok(given) = serde_json::from_slice::<Value>(&body) else {
        return refused(400, "bad_json");
    };
    let people = lock(&issued.people).clone();
    let found = people.iter().find(|(_, person)| {
        Some(person.email.as_str()) == given["email"].as_str()
            && person.password.is_some()
            && person.password.as_deref() == given["password"].as_str()
    });
    let Some((id, person)) = found else {
        return refused(400, "invalid_credentials");
    };
    if person.banned {
        return refused(400, "user_banned");
    }
    let mut claims = lock(&issued.signed_in).clone();
    claims["sub"] = id.as_str().into();
    claims["email"] = person.email.as_str().into();
    let session = json!({
        "access_token": Signer::first_key().sign_claims(&claims), "token_type": "bearer", "expires_in": 3600,
        "refresh_token": "renova", "user": { "id": id },
    });
    json_response(200, &session)
}
