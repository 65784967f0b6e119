//! Interactive sessions: ES256 JWTs (RFC 7519) verified with a key set (RFC 7517).
//!
//! A session token is valid for 15 minutes and is renewed with a refresh token. The signing key is
//! generated once, encrypted with a key derived from the master secret, and shared by the instances
//! through the database.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use jsonwebtoken::{
    Algorithm, DecodingKey, EncodingKey, Header, Validation, decode, decode_header, encode,
    jwk::{Jwk, JwkSet},
};
use p256::{ecdsa::SigningKey, pkcs8::EncodePrivateKey};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use domain::{
    Member, SessionId, UserId, new_id,
    time::{MINUTE, Millis, SECOND},
};
use gateway::Keys;
use gateway::{Code, Error, Result};
use store::{Db, accounts};

/// The lifetime of an access token.
pub(crate) const LIFETIME: Millis = 15 * MINUTE;
/// Maximum difference between the clocks of the issuer and this service.
pub(super) const SKEW: Millis = 60 * SECOND;
const AUDIENCE: &str = "authenticated";
/// The encryption purpose of the private key.
pub(super) const SIGNING_KEY: &str = "session signing key";

/// The key that signs sessions, and the key set that verifies them.
pub struct SessionKeys {
    kid: String,
    signing: EncodingKey,
    checking: Vec<(String, DecodingKey)>,
    set: JwkSet,
    issuer: String,
}

/// The claims of a session token.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Claims {
    iss: String,
    aud: String,
    pub sub: UserId,
    pub session_id: Option<SessionId>,
    pub iat: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    nbf: Option<i64>,
    exp: i64,
    email: String,
    role: String,
}

impl Claims {
    /// True if this session has expired.
    pub fn is_expired(&self, now: Millis) -> bool {
        self.exp.saturating_mul(SECOND).saturating_add(SKEW) <= now
    }
}

/// A new access token.
#[derive(Debug)]
pub struct IssuedToken {
    pub access_token: String,
    /// The expiry in seconds since the epoch.
    pub expires_at: i64,
    /// The lifetime in seconds.
    pub expires_in: i64,
}

impl SessionKeys {
    /// Loads the keys of this installation, or generates the first one. Instances share them
    /// through the database.
    ///
    /// Fails if the key that encrypted the stored signing key is missing or different.
    pub async fn load(db: &Db, keys: &Keys, public_url: &str, now: Millis) -> Result<Self> {
        let mut rows = accounts::list_signing_keys(&db.reader()).await?;
        if rows.is_empty() {
            let tx = db.begin().await?;
            let secret = new_signing_key()?;
            let der = secret
                .to_pkcs8_der()
                .map_err(|e| Error::internal(e.to_string()))?;
            let kid = new_id(now);
            let jwk = public_jwk(&kid, der.as_bytes())?;
            let sealed = keys.seal(SIGNING_KEY, &kid, der.as_bytes())?;
            accounts::insert_first_signing_key(&tx.conn(), &kid, &sealed, &jwk, now).await?;
            tx.commit().await?;
            rows = accounts::list_signing_keys(&db.reader()).await?;
        }
        let newest = rows
            .last()
            .ok_or_else(|| Error::internal("no signing key was stored"))?;
        let der = keys.open(SIGNING_KEY, &newest.kid, &newest.sealed_private_key)?;
        let set: Vec<Jwk> = rows
            .iter()
            .map(|row| serde_json::from_str(&row.public_jwk))
            .collect::<Result<_, _>>()?;
        let checking = rows
            .iter()
            .zip(&set)
            .map(|(row, jwk)| {
                Ok((
                    row.kid.clone(),
                    DecodingKey::from_jwk(jwk).map_err(Error::internal)?,
                ))
            })
            .collect::<Result<_>>()?;
        Ok(Self {
            kid: newest.kid.clone(),
            signing: EncodingKey::from_ec_der(&der),
            checking,
            set: JwkSet { keys: set },
            issuer: format!("{public_url}/auth/v1"),
        })
    }

    /// Returns the published set of public keys.
    #[must_use]
    pub fn public_key_set(&self) -> &JwkSet {
        &self.set
    }

    /// Signs an access token that is valid for 15 minutes.
    pub fn issue_token(
        &self,
        member: &Member,
        family: &SessionId,
        now: Millis,
    ) -> Result<IssuedToken> {
        let (iat, exp) = (now / SECOND, (now + LIFETIME) / SECOND);
        let claims = Claims {
            iss: self.issuer.clone(),
            aud: AUDIENCE.into(),
            sub: member.user_id.clone(),
            session_id: Some(family.clone()),
            iat,
            nbf: None,
            exp,
            email: member.email.clone(),
            role: AUDIENCE.into(),
        };
        let header = Header {
            kid: Some(self.kid.clone()),
            ..Header::new(Algorithm::ES256)
        };
        let access_token = encode(&header, &claims, &self.signing).map_err(Error::internal)?;
        Ok(IssuedToken {
            access_token,
            expires_at: exp,
            expires_in: exp - iat,
        })
    }

    /// Verifies a session that this service issued and returns its claims, even if it has expired.
    ///
    /// Fails with 401 if the signature, issuer or audience is not valid, if the session begins
    /// after `now`, or if its header requires an extension (`crit`, RFC 7515, section 4.1.11),
    /// because this service supports none.
    pub(super) fn verify_session(&self, token: &str, now: Millis) -> Result<Claims> {
        let refused = || Error::new(Code::UNAUTHENTICATED);
        if has_critical_header(token) {
            return Err(refused());
        }
        let kid = decode_header(token)
            .map_err(|_| refused())?
            .kid
            .ok_or_else(refused)?;
        let (_, key) = self
            .checking
            .iter()
            .find(|(k, _)| *k == kid)
            .ok_or_else(refused)?;
        let mut rules = Validation::new(Algorithm::ES256);
        rules.set_issuer(&[&self.issuer]);
        rules.set_audience(&[AUDIENCE]);
        rules.required_spec_claims = ["iss", "aud", "sub", "exp"].map(Into::into).into();
        // The library would use the system clock, but the service has its own clock.
        rules.validate_exp = false;
        let claims = decode::<Claims>(token, key, &rules)
            .map_err(|_| refused())?
            .claims;
        let begins = claims.nbf.unwrap_or(claims.iat).max(claims.iat);
        if begins.saturating_mul(SECOND) > now + SKEW {
            return Err(refused());
        }
        Ok(claims)
    }
}

/// True if the header contains `crit`, with any value, or cannot be parsed.
pub(super) fn has_critical_header(token: &str) -> bool {
    let header = token.split('.').next().unwrap_or_default();
    let header = URL_SAFE_NO_PAD.decode(header).unwrap_or_default();
    serde_json::from_slice::<Map<String, Value>>(&header)
        .map_or(true, |header| header.contains_key("crit"))
}

fn new_signing_key() -> Result<SigningKey> {
    loop {
        let mut scalar = [0u8; 32];
        getrandom::fill(&mut scalar).map_err(|e| Error::internal(e.to_string()))?;
        // A random candidate is a valid scalar except with probability 2^-32.
        if let Ok(key) = SigningKey::from_slice(&scalar) {
            return Ok(key);
        }
    }
}

fn public_jwk(kid: &str, der: &[u8]) -> Result<String> {
    let key = EncodingKey::from_ec_der(der);
    let mut jwk = Jwk::from_encoding_key(&key, Algorithm::ES256).map_err(Error::internal)?;
    jwk.common.key_id = Some(kid.into());
    Ok(serde_json::to_string(&jwk)?)
}
