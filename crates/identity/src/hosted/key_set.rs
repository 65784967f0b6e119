//! A published JWK Set (RFC 7517). Only keys that can verify sessions are used.

use gateway::{Code, Error, Result};
use jsonwebtoken::{
    Algorithm, DecodingKey,
    jwk::{AlgorithmParameters, EllipticCurve, Jwk, KeyAlgorithm, KeyOperations, PublicKeyUse},
};
use serde::Deserialize;
use serde_json::Value;

/// Minimum length of the modulus of an RSA key (RFC 7518, section 3.3): 2048 bits, in base64url
/// characters.
const SHORTEST_MODULUS: usize = 342;

/// A key and the only signature algorithm for which it is used.
pub(super) struct Key {
    kid: String,
    pub algorithm: Algorithm,
    pub decoding: DecodingKey,
}

/// The keys of an issuer that can verify sessions.
pub struct KeySet(Vec<std::sync::Arc<Key>>);

#[derive(Deserialize)]
struct Published {
    keys: Vec<Value>,
}

impl KeySet {
    /// Parses a JWK Set. Omits keys that cannot verify sessions here: encryption keys, symmetric
    /// keys, short keys, keys without a `kid`, and keys of other algorithms.
    ///
    /// Fails if the text is not a JWK Set.
    pub fn parse(text: &[u8]) -> Result<Self> {
        let published: Published = serde_json::from_slice(text).map_err(|_| {
            Error::new(Code::PROVIDER_FAILED).because(
                "O provedor de identidade falhou: as chaves publicadas não são um JWK Set.",
            )
        })?;
        let usable = |key| parse_usable_key(&serde_json::from_value(key).ok()?);
        let keys = published.keys.into_iter().filter_map(usable);
        Ok(Self(keys.map(std::sync::Arc::new).collect()))
    }

    /// Returns the number of usable keys.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn find(&self, kid: &str) -> Option<std::sync::Arc<Key>> {
        self.0.iter().find(|key| key.kid == kid).cloned()
    }
}

fn parse_usable_key(jwk: &Jwk) -> Option<Key> {
    let common = &jwk.common;
    let signs = matches!(common.public_key_use, None | Some(PublicKeyUse::Signature));
    let checks = common
        .key_operations
        .as_ref()
        .is_none_or(|operations| operations.contains(&KeyOperations::Verify));
    if !signs || !checks {
        return None;
    }
    Some(Key {
        kid: common.key_id.clone()?,
        algorithm: verification_algorithm(jwk)?,
        decoding: DecodingKey::from_jwk(jwk).ok()?,
    })
}

/// Returns the algorithm that the key states, if it fits the key type. For a key that states no
/// algorithm, returns the usual algorithm of its type.
fn verification_algorithm(jwk: &Jwk) -> Option<Algorithm> {
    use KeyAlgorithm as K;
    let named = jwk.common.key_algorithm;
    match &jwk.algorithm {
        AlgorithmParameters::RSA(key) if key.n.trim_end_matches('=').len() >= SHORTEST_MODULUS => {
            match named {
                None | Some(K::RS256) => Some(Algorithm::RS256),
                Some(K::RS384) => Some(Algorithm::RS384),
                Some(K::RS512) => Some(Algorithm::RS512),
                Some(K::PS256) => Some(Algorithm::PS256),
                Some(K::PS384) => Some(Algorithm::PS384),
                Some(K::PS512) => Some(Algorithm::PS512),
                Some(_) => None,
            }
        }
        AlgorithmParameters::EllipticCurve(key) => match (&key.curve, named) {
            (EllipticCurve::P256, None | Some(K::ES256)) => Some(Algorithm::ES256),
            (EllipticCurve::P384, None | Some(K::ES384)) => Some(Algorithm::ES384),
            _ => None,
        },
        AlgorithmParameters::OctetKeyPair(key) => match (&key.curve, named) {
            (EllipticCurve::Ed25519, None | Some(K::EdDSA)) => Some(Algorithm::EdDSA),
            _ => None,
        },
        _ => None,
    }
}
