//! Sessions of a hosted issuer: Supabase Auth, or any OpenID Connect issuer.
//!
//! The key id in a token selects the key, and the key determines the algorithm, so a token cannot
//! choose the algorithm. Only an HS256 token without a published key may be verified with the
//! legacy secret.
//!
//! A browser session has a session family in our database; a bearer token of an issuer has none.
//! Operations that create credentials compare `sessions_valid_after` with its value at
//! authentication. Issuers give whole seconds, so a session from the same second counts as issued
//! before.

mod claims;
mod key_cache;
mod key_set;
mod sign_in;

use std::sync::Arc;

use domain::time::Millis;
use gateway::{Code, Error, Result};
use jsonwebtoken::{Algorithm, DecodingKey, Header, Validation, decode, decode_header};
use ports::{IssuerSignIn, KeyPublisher};

use crate::session::has_critical_header;
use claims::AUTHENTICATED;
use key_cache::KeyCache;

pub(crate) use claims::Claims;
pub use key_set::KeySet;
pub(crate) use sign_in::{authenticate, find_or_bind_member, session_error};

/// The claims that a session must have, in addition to the issuer and the times.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IssuerProfile {
    /// The configured audience.
    Oidc { audience: String },
    /// Audience and role `authenticated`, and a person who is not anonymous.
    Supabase,
}

/// The way in which people sign in from a browser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entrance {
    /// Browser sign-in is disabled: this service is not registered as a client at the issuer.
    Closed,
    /// Sign-in with e-mail and password in a form of this service; the issuer verifies them.
    Form,
    /// Sign-in on a page of the issuer. This service is registered there with this client id.
    Page { client_id: String },
}

/// Verifies the sessions of the configured issuer.
pub struct HostedSessions {
    pub(crate) issuer: String,
    profile: IssuerProfile,
    keys: Arc<KeyCache>,
    /// The secret with which Supabase Auth signed sessions before it used key pairs.
    legacy: Option<DecodingKey>,
    pub(crate) entrance: Entrance,
    pub(crate) at_issuer: Arc<dyn IssuerSignIn>,
}

impl HostedSessions {
    #[must_use]
    pub fn new<A: KeyPublisher + IssuerSignIn + 'static>(
        issuer: String,
        profile: IssuerProfile,
        legacy_secret: Option<&str>,
        entrance: Entrance,
        adapter: Arc<A>,
    ) -> Self {
        Self {
            issuer,
            profile,
            keys: Arc::new(KeyCache::new(adapter.clone())),
            legacy: legacy_secret.map(|secret| DecodingKey::from_secret(secret.as_bytes())),
            entrance,
            at_issuer: adapter,
        }
    }

    /// Verifies a session of this issuer and returns its claims. The caller must check whether the
    /// session has expired.
    ///
    /// Fails with 401 if the signature, issuer, audience or role is not valid, if the session
    /// begins after `now`, or if its header requires an extension (`crit`); with 500 if its key is
    /// unknown and the issuer does not answer.
    pub(crate) async fn verify_session(&self, token: &str, now: Millis) -> Result<Claims> {
        let audience = match &self.profile {
            IssuerProfile::Oidc { audience } => audience,
            IssuerProfile::Supabase => AUTHENTICATED,
        };
        let claims = self.verify_claims(token, audience, now).await?;
        if self.profile == IssuerProfile::Supabase && !claims.belongs_to_signed_in_person() {
            return Err(Error::new(Code::UNAUTHENTICATED));
        }
        Ok(claims)
    }

    /// Verifies a token of this issuer for this audience and returns its claims.
    pub(crate) async fn verify_claims(
        &self,
        token: &str,
        audience: &str,
        now: Millis,
    ) -> Result<Claims> {
        let refused = || Error::new(Code::UNAUTHENTICATED);
        if has_critical_header(token) {
            return Err(refused());
        }
        let header = decode_header(token).map_err(|_| refused())?;
        if !is_session_token(&header) {
            return Err(refused());
        }
        let key = match header.kid.as_deref() {
            // Symmetric keys are never published, so no fetch can find them.
            Some(kid) if header.alg == Algorithm::HS256 => self.keys.find_cached(kid),
            Some(kid) => self.keys.find(kid, now).await?,
            None => None,
        };
        // The key determines the algorithm; the token does not.
        let read = match (&key, &self.legacy) {
            (Some(key), _) => decode(
                token,
                &key.decoding,
                &self.validation_rules(key.algorithm, audience),
            ),
            (None, Some(secret)) if header.alg == Algorithm::HS256 => decode(
                token,
                secret,
                &self.validation_rules(Algorithm::HS256, audience),
            ),
            (None, _) => return Err(refused()),
        };
        let claims: Claims = read.map_err(|_| refused())?.claims;
        let holds =
            claims.iss == self.issuer && claims.has_valid_subject() && !claims.begins_after(now);
        if holds { Ok(claims) } else { Err(refused()) }
    }

    fn validation_rules(&self, algorithm: Algorithm, audience: &str) -> Validation {
        let mut rules = Validation::new(algorithm);
        rules.set_issuer(&[&self.issuer]);
        rules.set_audience(&[audience]);
        rules.required_spec_claims = ["iss", "aud", "sub", "exp"].map(Into::into).into();
        // The library would use the system clock, but the service has its own clock.
        rules.validate_exp = false;
        rules
    }
}

/// Returns the error returned when browser sign-in is disabled.
pub(crate) fn sign_in_disabled_error() -> Error {
    Error::new(Code::PROVIDER_NOT_CONFIGURED)
        .because(
            "Esta instalação não deixa entrar pelo navegador: falta PAUTA_IDENTITY_CLIENT_ID, o nome \
             deste serviço no provedor de identidade.",
        )
        .with_detail(
            "next",
            "Peça a quem opera o serviço que o cadastre no provedor de identidade.".into(),
        )
}

/// True if the token has no type, or the type of a JWT or an access token (RFC 9068). Other tokens,
/// such as logout tokens, are signed with the same keys.
fn is_session_token(header: &Header) -> bool {
    let types = ["jwt", "at+jwt", "application/at+jwt"];
    header.typ.as_deref().is_none_or(|typ| {
        types
            .iter()
            .any(|expected| expected.eq_ignore_ascii_case(typ))
    })
}
