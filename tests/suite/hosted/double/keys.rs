//! Signing keys, and sessions with valid or forged signatures.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use hmac::{Hmac, KeyInit, Mac};
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode, jwk::Jwk};
use serde_json::{Value, json};
use sha2::Sha256;

/// The shared secret of sessions from before key pairs were introduced.
pub const LEGACY_SECRET: &str = "segredo-antigo-que-assinava-todas-as-sessoes";

/// A key pair with its id.
#[derive(Clone)]
pub struct Signer {
    pub kid: &'static str,
    pub algorithm: Algorithm,
    key: EncodingKey,
}

impl Signer {
    pub fn first_key() -> Self {
        let der = include_bytes!("ec_first.der");
        Self::new("primeira", Algorithm::ES256, EncodingKey::from_ec_der(der))
    }

    pub fn second_key() -> Self {
        let der = include_bytes!("ec_second.der");
        Self::new("segunda", Algorithm::ES256, EncodingKey::from_ec_der(der))
    }

    pub fn rsa_key() -> Self {
        let der = include_bytes!("rsa.der");
        Self::new("rsa", Algorithm::RS256, EncodingKey::from_rsa_der(der))
    }

    pub fn short_rsa_key() -> Self {
        let der = include_bytes!("rsa_short.der");
        Self::new("curta", Algorithm::RS256, EncodingKey::from_rsa_der(der))
    }

    pub fn ed25519_key() -> Self {
        let der = include_bytes!("ed.der");
        Self::new("edwards", Algorithm::EdDSA, EncodingKey::from_ed_der(der))
    }

    fn new(kid: &'static str, algorithm: Algorithm, key: EncodingKey) -> Self {
        Self {
            kid,
            algorithm,
            key,
        }
    }

    /// Replaces the id of the key.
    pub fn with_kid(self, kid: &'static str) -> Self {
        Self { kid, ..self }
    }

    /// Returns the public half of the key, as the issuer publishes it.
    pub fn public_jwk(&self) -> Value {
        let jwk = Jwk::from_encoding_key(&self.key, self.algorithm).expect("a public half");
        let mut jwk = serde_json::to_value(jwk).expect("JSON");
        jwk["kid"] = self.kid.into();
        jwk["use"] = "sig".into();
        jwk
    }

    pub fn sign_claims(&self, claims: &Value) -> String {
        let header = Header {
            kid: Some(self.kid.into()),
            ..Header::new(self.algorithm)
        };
        encode(&header, claims, &self.key).expect("signs")
    }

    /// Returns a validly signed token with a changed header.
    pub fn sign_with_header(&self, change: impl FnOnce(&mut Header), claims: &Value) -> String {
        let mut header = Header {
            kid: Some(self.kid.into()),
            ..Header::new(self.algorithm)
        };
        change(&mut header);
        encode(&header, claims, &self.key).expect("signs")
    }
}

/// Returns a token with this header, signed with HMAC-SHA-256.
pub fn sign_with_hmac(header: &Value, claims: &Value, secret: &[u8]) -> String {
    let text = unsigned_token(header, claims);
    let mut mac = Hmac::<Sha256>::new_from_slice(secret).expect("any key");
    mac.update(text.as_bytes());
    let signature = URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes());
    format!("{text}.{signature}")
}

/// Header and claims, without a signature.
pub fn unsigned_token(header: &Value, claims: &Value) -> String {
    [header, claims]
        .map(|part| URL_SAFE_NO_PAD.encode(part.to_string()))
        .join(".")
}

/// Returns a session as Supabase Auth signed it before key pairs were introduced.
pub fn legacy_session(claims: &Value) -> String {
    let header = json!({ "alg": "HS256", "typ": "JWT", "kid": "antiga" });
    sign_with_hmac(&header, claims, LEGACY_SECRET.as_bytes())
}
